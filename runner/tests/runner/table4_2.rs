//! Table 4.2 of Sorensen's thesis (2013): every row on both models, by exhaustive exploration and
//! by random runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use margay_litmus::read;
use margay_litmus::test::Test;
use margay_runner::sim::{ExplorationLimits, MachineModel, SimulatedMachine};

/// What the table says of the outcome that a test asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// "Allowed but not guaranteed": some runs show the violation, some do not.
    Allowed,
    /// "Not allowed", or, of an assertion that no violation happens, "guaranteed".
    Never,
}
use Entry::{Allowed, Never};

/// The rows: the tests (inter and intra block), the weak model, the strong model.
const TABLE: [(&str, &[&str], Entry, Entry); 10] = [
    (
        "classical coherence violation",
        &["sec4.4-coherence-inter", "sec4.4-coherence-intra", "fig3.1"],
        Allowed,
        Never,
    ),
    (
        "relaxed coherence violation",
        &["sec4.4-weak-coherence-inter", "sec4.4-weak-coherence-intra", "fig3.3"],
        Never,
        Never,
    ),
    ("visibility, shared memory, no fence", &["fig3.5-shared-no-op"], Allowed, Allowed),
    ("visibility, shared memory, TFB", &["fig3.5-shared-fence_block"], Never, Never),
    ("visibility, shared memory, TF", &["fig3.5-shared-fence"], Never, Never),
    (
        "visibility, global memory, no fence",
        &["fig3.5-inter-no-op", "fig3.5-intra-no-op"],
        Allowed,
        Allowed,
    ),
    ("visibility, global memory, TFB, intra", &["fig3.5-intra-fence_block"], Never, Never),
    ("visibility, global memory, TFB, inter", &["fig3.5-inter-fence_block"], Allowed, Allowed),
    ("visibility, global memory, TF", &["fig3.5-inter-fence", "fig3.5-intra-fence"], Never, Never),
    (
        "write atomicity violation (IRIW)",
        &[
            "fig1.2-iriw-inter-membar.gl",
            "fig1.2-iriw-intra-membar.gl",
            "fig1.2-iriw-intra-membar.cta",
        ],
        Allowed,
        Never,
    ),
];

fn test(name: &str) -> Test {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../tests/corpus/thesis2013/{name}.litmus"));
    read::load(&path).unwrap_or_else(|e| panic!("{name}: {e:?}")).test
}

#[test]
fn every_entry() {
    for (row, names, weak, strong) in TABLE {
        for name in names {
            let test = test(name);
            for (kind, expected) in [(MachineModel::Weak, weak), (MachineModel::Strong, strong)] {
                let machine = SimulatedMachine::new(&test, kind).unwrap();
                let explored = machine.explore(&ExplorationLimits::default()).unwrap();
                assert!(!explored.bounded && !explored.stuck, "{name}");
                let violations =
                    explored.outcomes.iter().filter(|o| machine.observed().asked(o)).count();
                let found = if violations > 0 { Allowed } else { Never };
                assert_eq!(found, expected, "{row}: {name} on the {} model", kind.name());
                assert!(
                    explored.outcomes.len() > violations,
                    "{row}: {name}: the violation must not be the only outcome"
                );
                eprintln!(
                    "{name} {}: {} states, {} outcomes",
                    kind.name(),
                    explored.states,
                    explored.outcomes.len()
                );
            }
        }
    }
}

/// Random runs see all that exploration reaches on these small tests, and nothing else.
#[test]
fn random_runs_agree_with_exploration() {
    for name in TABLE.iter().flat_map(|(_, names, ..)| *names) {
        let test = test(name);
        for kind in [MachineModel::Weak, MachineModel::Strong] {
            let machine = SimulatedMachine::new(&test, kind).unwrap();
            let explored = machine.explore(&ExplorationLimits::default()).unwrap();
            let runs = machine.run(100_000, 7, || false).unwrap();
            assert_eq!(runs.stuck, 0);
            assert_eq!(runs.histogram.values().sum::<u64>(), 100_000);
            let seen: std::collections::BTreeSet<_> = runs.histogram.keys().cloned().collect();
            assert!(
                seen.is_subset(&explored.outcomes),
                "{name}: {seen:?} but {:?}",
                explored.outcomes
            );
            assert_eq!(seen, explored.outcomes, "{name} on the {} model", kind.name());
            let again = || machine.run(1000, 3, || false).unwrap();
            assert_eq!(again(), again(), "the same seed gives the same runs");
        }
    }
}

/// A run ends at its deadline, however many runs are left.
#[test]
fn a_run_ends_in_time() {
    let machine = SimulatedMachine::new(&test(TABLE[0].1[0]), MachineModel::Weak).unwrap();
    let limits = ExplorationLimits {
        deadline: Some(std::time::Instant::now() + std::time::Duration::from_millis(50)),
        ..ExplorationLimits::default()
    };
    let runs = machine.run(u64::MAX, 1, || limits.ended()).unwrap();
    assert!(runs.runs < u64::MAX && runs.histogram.values().sum::<u64>() == runs.runs, "{runs:?}");
}

/// A run that is stopped says how far it came: here, nowhere.
#[test]
fn a_stopped_run_counts_what_it_did() {
    let machine = SimulatedMachine::new(&test(TABLE[0].1[0]), MachineModel::Weak).unwrap();
    let runs = machine.run(u64::MAX, 1, || true).unwrap();
    assert_eq!((runs.runs, runs.histogram.len(), runs.stuck), (0, 0, 0));
    // From another thread, in the middle.
    let stop = AtomicBool::new(false);
    let runs = std::thread::scope(|scope| {
        let running =
            scope.spawn(|| machine.run(u64::MAX, 1, || stop.load(Ordering::Relaxed)).unwrap());
        stop.store(true, Ordering::Relaxed);
        running.join().unwrap()
    });
    assert!(
        runs.runs.is_multiple_of(256) && runs.histogram.values().sum::<u64>() == runs.runs,
        "{runs:?}"
    );
}
