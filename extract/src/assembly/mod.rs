//! What the compilers of CPUs print: assembly, read by the text of its architecture
//! (docs/architectures.md). A function is tried out: with values chosen for its parameters, for the
//! object and for what other threads do to it, every branch is taken both ways, and each trial is
//! checked against what the operation must do. The accesses and fences of a trial, in order, are a
//! path.

pub(crate) mod course;
mod function;
mod listing;
mod machine;
mod rows;
pub(crate) mod trials;
mod ways;
mod word;

pub use course::TrialLayout;
pub use listing::{NoFunctions, module};
pub use rows::{AssemblyRows, rows};
pub use ways::WantedStep;

use std::collections::BTreeMap;
use std::fmt;

use margay_litmus::read::CompiledAssembly;
use margay_litmus::test::Operation;
use margay_models::signature::{Architecture, Construct};

/// The most bytes of an instruction.
const LONGEST: usize = 400;

/// Reads instructions, each text once.
pub struct AssemblyReader {
    architecture: Architecture,
    assembly: CompiledAssembly,
    known: BTreeMap<String, Result<Vec<Operation>, String>>,
}

impl AssemblyReader {
    /// For an architecture whose text says its assembly.
    pub fn of(architecture: Architecture) -> Option<Self> {
        Some(Self {
            architecture,
            assembly: CompiledAssembly::of(architecture)?,
            known: BTreeMap::new(),
        })
    }

    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The accesses and fences of a function in the order of its text, each with its instruction.
    /// What the text of the architecture does not have is left out.
    ///
    /// # Errors
    /// What may change the meaning of other lines.
    pub fn listed(&mut self, text: &str) -> Result<Vec<(Construct, String)>, UnreadStatement> {
        let mut out = Vec::new();
        for statement in listing::code(text) {
            let text = match statement {
                listing::ListingStatement::Instruction(text) => text,
                listing::ListingStatement::Unread(text) => return Err(UnreadStatement(text)),
                listing::ListingStatement::Label(_) => continue,
            };
            for operation in self.read(&text).unwrap_or_default() {
                out.extend(ways::construct(&operation).map(|construct| (construct, text.clone())));
            }
        }
        Ok(out)
    }

    /// The instructions that make some steps on a way through a function, in order and with no
    /// fence beside them; none if there is no such way.
    pub fn way(&mut self, text: &str, wanted: &[WantedStep]) -> Option<Vec<String>> {
        let code = function::AssemblyFunction::new(self, text);
        let way = code.way(wanted)?;
        Some(way.into_iter().map(|at| code.text(at).to_owned()).collect())
    }

    /// What an instruction does; else why it is not known.
    fn read(&mut self, text: &str) -> Result<Vec<Operation>, String> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        // No instruction is so long, and to say what is wrong with it would take longer still.
        if text.len() > LONGEST {
            let begin: String = text.chars().take(40).collect();
            return Err(format!(
                "`{begin}..` is a line of {} bytes, and no instruction is so long",
                text.len()
            ));
        }
        // Some words of an address say which half of it is meant: the address as a whole is not
        // known, whatever they are.
        let read =
            self.assembly.instruction(text).map_err(|error| match error.message.contains(text) {
                true => error.message,
                false => format!("`{text}`: {}", error.message),
            });
        self.known.insert(text.to_owned(), read.clone());
        read
    }
}

/// A statement that may change what other lines are. Nothing is known of a function that has one,
/// or stands behind one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadStatement(String);

impl fmt::Display for UnreadStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` may change what other lines are, and is not read", self.0)
    }
}

/// Why an architecture's text does not do for compiled functions, if it does not.
pub fn lacks(architecture: Architecture) -> Option<String> {
    let Some(assembly) = architecture.assembly() else {
        return Some(
            "says nothing of its assembly: it needs lines `assembly`, `registers`, `address` and `instruction`".to_owned(),
        );
    };
    assembly
        .parameters
        .is_empty()
        .then(|| "does not say where the parameters of a function are: parameters REGISTER ... stack REGISTER".to_owned())
}
