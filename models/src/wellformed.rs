//! Is an execution one of its signature at all? First its indices must be in range, then the
//! conditions of models/signatures/*.cat must hold; the judge evaluates them. An architecture with
//! a front end has a file of its own there. What those of all others are follows from what their
//! texts say is chosen.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::bits::{Event, MAX_EVENTS};
use crate::diagnostic::SourceFile;
use crate::execution::{Execution, Kind, Proxy};
use crate::judge::{Judge, Machine};
use crate::model::{Model, Sort};
use crate::shipped::BUILT_IN_FOLDER;
use crate::signature::{BarrierTags, BaseRelation, Signature};
use crate::typing::{IncludeRefusal, Includes};

/// The condition of models/signatures/common.cat that only single instructions satisfy.
const ADJACENT_HALVES: &str = "the-two-halves-of-a-read-modify-write-are-adjacent";

/// What is wrong with the execution, one sentence each; empty if it is well-formed.
pub fn violations(execution: &Execution) -> Vec<String> {
    let broken = broken_indices(execution);
    if !broken.is_empty() {
        return broken;
    }
    let (model, judge) = conditions(execution.signature);
    let without;
    let execution = match execution.signature.has_dependencies_of_stores() {
        true => {
            without = without_dependencies_of_stores(execution);
            &without
        }
        false => execution,
    };
    let judgement = judge.clone().judge(execution);
    let may_be_apart = !execution.signature.has_adjacent_halves();
    let failed = model.checks.iter().zip(&judgement.holds).filter(|(check, holds)| {
        // In a test a load-reserved and its store-conditional may stand apart; searches and proofs
        // have them as one instruction.
        !(**holds || may_be_apart && check.display_name() == ADJACENT_HALVES)
    });
    let mut found: Vec<String> = failed
        .map(|(check, _)| {
            let sentence = check.display_name().replace('-', " ");
            let machine = Machine::run(model, execution, [check.expr]);
            let example = match model.arena.sort(check.expr) {
                Sort::Set => {
                    machine.set(check.expr).iter().next().map(|e| format!("event {}", e.0))
                }
                Sort::Relation => machine
                    .relation(check.expr)
                    .pairs()
                    .next()
                    .map(|(a, b)| format!("events {} and {}", a.0, b.0)),
            };
            example.map_or_else(
                || format!("not so: {sentence}"),
                |e| format!("not so: {sentence} ({e})"),
            )
        })
        .collect();
    found.extend(different_values(execution));
    found
}

/// An execution without the dependencies that begin at the stores of pairs. Their results are what
/// is depended on, in tests only; searches and proofs have pairs as one instruction, and the
/// conditions that these share say that dependencies begin at reads.
fn without_dependencies_of_stores(execution: &Execution) -> Execution {
    let mut without = execution.clone();
    for store in
        (0..execution.size()).map(Event::from).filter(|&e| !execution.rmw.column(e).is_empty())
    {
        let later = execution.po.row(store);
        for relation in [&mut without.addr, &mut without.data, &mut without.ctrl] {
            relation.remove_all(store, later);
        }
    }
    without
}

/// The conditions of a signature as a model: each check is one.
pub fn model(signature: Signature) -> &'static Model {
    &conditions(signature).0
}

/// The files of signatures/ that a text of an architecture can name.
const FILES: [(&str, &str); 3] = [
    ("plain.cat", include_str!("../signatures/plain.cat")),
    ("c.cat", include_str!("../signatures/c.cat")),
    ("ptx.cat", include_str!("../signatures/ptx.cat")),
];

/// The conditions of a signature, read once.
fn conditions(signature: Signature) -> &'static (Model, Judge) {
    signature.conditions(|| {
        let of_front_end = signature
            .well_formed()
            .and_then(|name| FILES.into_iter().find(|(known, _)| *known == name));
        let source = match of_front_end {
            Some((name, text)) => {
                SourceFile::new(format!("{BUILT_IN_FOLDER}signatures/{name}"), text)
            }
            None => SourceFile::new(
                format!("{BUILT_IN_FOLDER}signatures/{signature}.cat"),
                of_text(signature),
            ),
        };
        let typed = match of_front_end {
            Some(_) => Model::parse(source, &Common),
            None => Model::parse_as(source, &Common, signature),
        };
        let loaded = typed
            .expect("the files of signatures/ are part of the program and read without errors");
        let judge = Judge::new(&loaded.model);
        (loaded.model, judge)
    })
}

/// The conditions of an architecture without a front end. Tags are not the business of
/// well-formedness: every set of them is some instruction's.
fn of_text(signature: Signature) -> String {
    // Of several references to one memory each may have its own initial write.
    let (initial, written) = match signature.has_references() {
        true => (
            "empty ((IW * IW) & vloc) \\ id as each-reference-has-one-initial-write",
            "(W * W) \\ (IW * IW)",
        ),
        false => ("empty ((IW * IW) & loc) \\ id as each-location-has-one-initial-write", "W * W"),
    };
    let mut text = format!("include \"common.cat\"\n\n{initial}\n");
    if signature.total_coherence() {
        text += &format!(
            "empty (({written}) & loc) \\ (co | co^-1 | id) as coherence-order-is-total\n"
        );
    }
    if signature.has_barriers() {
        text += "empty sync_barrier \\ ext as barriers-synchronise-different-threads\n";
    }
    if let Some(set) = signature.ordered_fences() {
        let fences = format!("(F & {})", set.name());
        let written = writeln!(
            text,
            "empty sync_fence \\ ({fences} * {fences}) as fence-sc-order-relates-the-fences-that-its-text-says\n\
             acyclic sync_fence as fence-sc-order-has-no-cycle\n\
             empty (sync_fence; sync_fence) \\ sync_fence as fence-sc-order-is-transitive"
        );
        written.expect("a text can be written");
    }
    if let Some(BarrierTags { arrival, wait }) = signature.barrier() {
        let [arrival, wait] = [arrival, wait].map(|tag| tag.names()[0]);
        let written = writeln!(
            text,
            "let on-barriers = {arrival} | {wait}\n\
             empty (on-barriers * (M \\ (on-barriers | IW))) & loc as barriers-are-no-data\n\
             empty ([{wait}]; (rf^-1; co)) as a-wait-returns-behind-the-last-arrival\n\
             empty (([IW]; rf); [{wait}]) as a-phase-has-an-arrival"
        );
        written.expect("a text can be written");
        for level in signature.levels() {
            let (set, name) = (level.names()[0], level.name());
            let written = write!(
                text,
                "\nempty (([on-barriers & {set}]; loc); [on-barriers \\ {set}]) as a-barrier-of-{name}-has-no-other-scope"
            );
            written.expect("a text can be written");
        }
    }
    text
}

/// The one file that the signatures include.
struct Common;

impl Includes for Common {
    fn open(&self, _from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        match path {
            "common.cat" => Ok(SourceFile::new(
                "signatures/common.cat",
                include_str!("../signatures/common.cat"),
            )),
            _ => Err(IncludeRefusal("only common.cat can be included".to_owned())),
        }
    }
}

/// Indices out of range, sizes that do not fit together: what would make an evaluation meaningless.
fn broken_indices(execution: &Execution) -> Vec<String> {
    let n = execution.size();
    let mut found = Vec::new();
    if n > MAX_EVENTS {
        return vec![format!("there are {n} events, at most {MAX_EVENTS} are possible")];
    }
    for stored in BaseRelation::ALL.iter().filter(|relation| relation.is_stored()) {
        let (name, relation) = (stored.name(), execution.relation(*stored));
        if relation.size() != n {
            found.push(format!("{name} ranges over {} events, not {n}", relation.size()));
        } else if relation.pairs().any(|(_, b)| b.index() >= n) {
            found.push(format!("{name} relates events that do not exist"));
        }
    }
    for (i, location) in execution.locations.iter().enumerate() {
        if usize::from(location.physical) >= execution.locations.len() {
            found.push(format!("location {i} is an alias of a location that does not exist"));
        }
    }
    if execution.generic.len() != execution.locations.len() {
        found.push(format!(
            "{} locations have {} generic addresses",
            execution.locations.len(),
            execution.generic.len()
        ));
    }
    for (i, &address) in execution.generic.iter().enumerate() {
        let physical = |l: usize| execution.locations.get(l).map(|location| location.physical);
        let owner = usize::from(address);
        if execution.generic.get(owner) != Some(&address) {
            found.push(format!(
                "location {i} has the generic address of a location that has none of its own"
            ));
        } else if physical(owner) != physical(i) {
            found.push(format!("location {i} has a generic address in other memory"));
        }
    }
    for (i, event) in execution.events.iter().enumerate() {
        if event.thread.is_some_and(|t| usize::from(t) >= execution.threads.len()) {
            found.push(format!("event {i} is of a thread that does not exist"));
        }
        if event.thread.is_none() != (event.kind == Kind::Init) {
            found.push(format!(
                "event {i}: initial writes are of no thread, all other events of one"
            ));
        }
        if event.location.is_some_and(|l| usize::from(l) >= execution.locations.len()) {
            found.push(format!("event {i} accesses a location that does not exist"));
        }
        let accesses = matches!(event.kind, Kind::Init | Kind::Read | Kind::Write);
        let is_of_map = event.kind == Kind::Fence && event.proxy == Proxy::Tensormap;
        if accesses != event.location.is_some() && !is_of_map {
            found.push(format!("event {i}: reads and writes have a location, other events but fences of tensor maps have none"));
        }
    }
    found
}

/// Reads that do not read the value of their write; values are beyond what .cat speaks of.
fn different_values(execution: &Execution) -> Vec<String> {
    let value = |e: Event| execution.events[e.index()].value;
    let differ =
        |&(w, r): &(Event, Event)| matches!((value(w), value(r)), (Some(a), Some(b)) if a != b);
    execution
        .rf
        .pairs()
        .filter(differ)
        .map(|(w, r)| {
            format!("not so: each read reads the value of its write (events {} and {})", w.0, r.0)
        })
        .collect()
}
