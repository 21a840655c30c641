//! Final states that only weak memory has: what `ptx-8` allows to be in global memory when all
//! threads have ended, and no interleaving of them leaves there.
//!
//! Both models list what may be there. What a thread has in a register, and nobody stores, is no
//! part of a final state, nor is shared memory.

use std::sync::OnceLock;

use margay_litmus::explicit::{self, Error, Outcomes};
use margay_litmus::test::Variable;
use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::{OnlyBuiltIn, TypingOptions};

use crate::answer::{Finding, FindingKind, RepairAnswer};
use crate::inquiry::{Inquiry, LaunchFindings, TOO_LONG};
use crate::layout::Object;
use crate::program::{Executed, Written};
use crate::proofs::LackOfProof;
use crate::residue::{CodePiece, MemoryCell};

/// The model of the interleavings of threads: a text that `margay run --model` takes.
pub const INTERLEAVINGS: &str = include_str!("../interleavings.cat");

/// Steps of the engine for each list.
const STEPS: u64 = 2_000_000;

/// What is asked about, in what leaves it open.
const WHAT: &str = "final states that only weak memory has";

fn interleavings() -> Result<&'static Model, String> {
    static MODEL: OnceLock<Result<Model, String>> = OnceLock::new();
    let load = || {
        let source = SourceFile::new("<built-in>/interleavings.cat", INTERLEAVINGS);
        let loaded = Model::parse_with(source, &OnlyBuiltIn, &TypingOptions::default());
        loaded
            .map(|l| l.model)
            .map_err(|errors| errors.first().map_or_else(String::new, |e| e.message.clone()))
    };
    MODEL
        .get_or_init(load)
        .as_ref()
        .map_err(|why| format!("the model of interleavings cannot be read: {why}"))
}

fn is_global(cell: MemoryCell) -> bool {
    matches!(cell.object, Object::Array(_))
}

impl Inquiry<'_, '_> {
    /// Looks for a final state that only weak memory has. It is asked where nothing else goes
    /// wrong: of a race nothing is known.
    pub fn weak_only(&self, executed: &Executed, found: &mut LaunchFindings) -> Result<(), String> {
        if !found.findings.is_empty() || found.undecided {
            found.open(format!("{WHAT}: they are asked for where nothing else goes wrong, or may"));
            return Ok(());
        }
        let bytes: Vec<(Object, u64)> = executed
            .written
            .iter()
            .flat_map(|c| (c.offset..c.offset + c.bytes).map(|at| (c.object, at)))
            .collect();
        // Values that nobody reads are executed only where they are asked for.
        let executed = match Executed::new(
            self.prepared,
            self.layout,
            self.question.kernel,
            self.launch,
            &bytes,
            &|| self.is_over(),
        ) {
            Ok(executed) => executed,
            Err(why) => {
                found.open(format!("{WHAT}: {why}"));
                return Ok(());
            }
        };
        if bytes.iter().any(|place| executed.facts.opaque.contains(place)) {
            found.open(format!(
                "{WHAT}: what is there at the end comes of arithmetic that is not interpreted"
            ));
            return Ok(());
        }
        let slice = executed.slicer(&is_global).base();
        if slice
            .code
            .iter()
            .flatten()
            .any(|(piece, _)| matches!(piece, CodePiece::Issue(_) | CodePiece::Mbarrier(_)))
        {
            found.open(format!(
                "{WHAT}: asynchronous operations and mbarriers have no interleavings"
            ));
            return Ok(());
        }
        let written = match executed.write(&self.name(), &slice, "exists (true)") {
            Ok(written) => written,
            Err(why) => {
                found.open(format!("{WHAT}: {why}"));
                return Ok(());
            }
        };
        let names: Vec<&str> = executed
            .cells()
            .filter(|cell| is_global(*cell))
            .map(|cell| executed.named(cell))
            .collect();
        // What is a part of another location has that one's name in front of a sign, and is
        // compared with it.
        let names: Vec<&str> = names.into_iter().filter(|name| !name.contains('+')).collect();
        let is_there = |name: &str| written.read.test.locations.iter().any(|l| l.name == name);
        if let Some(name) = names.iter().find(|name| !is_there(name)) {
            found.open(format!("{WHAT}: `{name}` is no location of the test"));
            return Ok(());
        }
        let lists = self
            .listed(&written, &names, self.question.reading.model()?)
            .and_then(|weak| Ok((weak, self.listed(&written, &names, interleavings()?)?)));
        let (weak, interleaved) = match lists {
            Ok(lists) => lists,
            Err(why) => {
                found.open(format!("{WHAT}: {why}"));
                return Ok(());
            }
        };
        if weak.bounded || interleaved.bounded {
            found.open(format!("{WHAT}: {}", self.bound()));
            return Ok(());
        }
        let Some(values) = weak.values.difference(&interleaved.values).next() else {
            self.lacks_proof(WHAT, LackOfProof::Listed, found);
            return Ok(());
        };
        let all: Vec<String> =
            names.iter().zip(values).map(|(name, value)| format!("{name} == {value}")).collect();
        let condition = format!("exists ({})", all.join(" /\\ "));
        let written = executed.write(&self.name(), &slice, &condition)?;
        // The other engine has to agree about both.
        let is_weak = self
            .run(&written, self.question.reading.model()?, WHAT, found)
            .is_some_and(|v| v.reachable);
        let is_interleaved =
            self.run(&written, interleavings()?, WHAT, found).is_none_or(|v| v.reachable);
        if !is_weak || is_interleaved {
            found.open(format!("{WHAT}: the engines disagree, which is a bug of Margay"));
            return Ok(());
        }
        let said: Vec<String> =
            names.iter().zip(values).map(|(name, value)| format!("`{name}` is {value}")).collect();
        found.findings.push(Finding {
            kind: FindingKind::Weak,
            stands: Vec::new(),
            why: vec![
                format!("When all threads have ended, {}.", said.join(", ")),
                "The model allows this, and no interleaving of the threads ends so. It may be meant: nothing races.".to_owned(),
            ],
            litmus: written.read.file.text.clone(),
            with_races: false,
            first_rounds: None,
            reading: self.question.reading,
            repair: RepairAnswer::Open("what makes threads interleave is not looked for".to_owned()),
        });
        Ok(())
    }

    fn listed(&self, written: &Written, names: &[&str], model: &Model) -> Result<Outcomes, String> {
        let variables: Vec<Variable> =
            names.iter().map(|name| Variable::Location((*name).to_owned())).collect();
        let options = explicit::Options { steps: Some(STEPS), ..self.options() };
        let listed =
            explicit::ExplicitRunner::new(model).outcomes(&written.read.test, &variables, &options);
        listed.map_err(|error| match error {
            Error::Steps => TOO_LONG.to_owned(),
            Error::Time => "it was stopped by a limit or by Ctrl-C".to_owned(),
            other => other.to_string(),
        })
    }
}
