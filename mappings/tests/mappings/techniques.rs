//! Techniques make the search fast; answers do not depend on them.

use std::sync::atomic::Ordering;

use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, Level, Techniques};
use margay_mappings::language::Mapping;
use margay_solver::{Backend, Factory, Solver, SolverFailure, SolverOptions};

use crate::setup::{ask, falls, names, options, shipped};

/// The report with one technique, or none, switched off.
fn without(
    mapping: &Mapping,
    constructs: &str,
    bound: usize,
    off: Option<fn(&mut Techniques)>,
) -> CheckReport {
    let mut options = options(bound);
    options.only = names(constructs);
    options.keep_going = true;
    if let Some(off) = off {
        off(&mut options.techniques);
    }
    ask(mapping, &options)
}

#[test]
fn no_switch_changes_an_answer() {
    for (name, constructs, bound) in [
        ("rc11-to-ptx", "R.ACQ,W.REL,W.RLX,RMW.RLX,F.SC", 3),
        ("rc11-to-ptx-weak-relaxed-store", "R.RLX,W.RLX,W.NA", 3),
        ("rc11-to-ptx-cta-relaxed-rmw", "W.RLX,RMW.RLX,W.NA,R.NA", 3),
        ("rc11-to-ptx-no-release-rmw", "R.ACQ,W.RLX,RMW.SC", 4),
    ] {
        let mapping = shipped(name);
        let usual = without(&mapping, constructs, bound, None);
        for switch in Techniques::SWITCHES {
            let other = without(&mapping, constructs, bound, Some(switch.off));
            assert_eq!(falls(&usual), falls(&other), "{name} without `{}`", switch.name);
            let sizes = |report: &CheckReport| -> Vec<(String, usize, usize)> {
                let threads = |c: &margay_mappings::check::Counterexample| c.source.threads.len();
                report
                    .counterexamples
                    .iter()
                    .map(|c| (c.axiom.clone(), c.events, threads(c)))
                    .collect()
            };
            assert_eq!(sizes(&usual), sizes(&other), "{name} without `{}`", switch.name);
        }
    }
}

/// A switch that does nothing would make the table of results/ meaningless.
#[test]
fn every_switch_changes_the_problem() {
    let mapping = shipped("rc11-to-ptx");
    let measure = |level: Level, off: Option<fn(&mut Techniques)>| -> Vec<(usize, u64)> {
        let mut options = options(3);
        options.only = names("R.ACQ,W.REL,W.RLX,RMW.RLX,F.SC,W.NA");
        options.level = level;
        if let Some(off) = off {
            off(&mut options.techniques);
        }
        let report = ask(&mapping, &options);
        assert_eq!(report.verdict, CheckVerdict::None);
        report.axioms.iter().flat_map(|a| &a.rows).map(|r| (r.clauses, r.conflicts)).collect()
    };
    for switch in Techniques::SWITCHES {
        // Guards and races are of programs.
        let level = if ["guards", "races"].contains(&switch.name) {
            Level::Program
        } else {
            Level::Execution
        };
        assert_ne!(
            measure(level, None),
            measure(level, Some(switch.off)),
            "`{}` changes nothing",
            switch.name
        );
    }
}

/// Guards that cost nothing, races that no smallest counterexample has, and one case after the
/// other are aids to find candidates: what is found is the same without.
#[test]
fn aids_to_find_candidates_change_no_program() {
    for (name, only) in [
        ("rc11-to-ptx-relaxed-acquire-load", "R.NA,W.NA,R.ACQ,W.REL,W.RLX"),
        ("rc11-to-ptx-relaxed-release-rmw", "R.NA,W.NA,R.ACQ,RMW.REL"),
    ] {
        let mapping = shipped(name);
        let mut options = options(5);
        options.level = Level::Program;
        options.only = names(only);
        let shown = |options: &CheckOptions| {
            let found = ask(&mapping, options).counterexamples;
            found.into_iter().map(|c| (c.source, c.target, c.guards)).collect::<Vec<_>>()
        };
        let usual = shown(&options);
        assert_eq!(usual.len(), 1, "{name}");
        for switch in
            Techniques::SWITCHES.iter().filter(|s| ["guards", "races", "cases"].contains(&s.name))
        {
            options.techniques = Techniques::default();
            (switch.off)(&mut options.techniques);
            assert_eq!(usual, shown(&options), "{name} without `{}`", switch.name);
        }
    }
}

/// Starts BatSat, but not before it was asked so often.
struct BrokenAtFirst(std::sync::atomic::AtomicUsize);

impl Factory for BrokenAtFirst {
    fn name(&self) -> &str {
        "broken-at-first"
    }

    fn version(&self) -> String {
        "broken-at-first 1".to_owned()
    }

    fn start(&self, options: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        let one_less = |left: usize| left.checked_sub(1);
        if self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
            return Err(SolverFailure::new(self.name(), "no licence"));
        }
        Backend::batsat().start(options)
    }
}

/// A solver that fails leaves the question undecided, and the reason is told, though a second
/// attempt, shape by shape, would do.
#[test]
fn a_fault_without_thread_shapes_is_told() {
    let mut options = options(2);
    options.only = names("R.RLX,W.RLX");
    options.techniques.thread_shapes = false;
    // One event is no question for a solver, two are.
    options.backend = Backend::new(BrokenAtFirst(2.into()));
    let report = ask(&shipped("rc11-to-ptx"), &options);
    let CheckVerdict::Undecided(why) = &report.verdict else { panic!("{:?}", report.verdict) };
    assert!(why.contains("the SAT solver `broken-at-first` failed: no licence"), "{why}");
    assert_eq!(report.established, 1);
}
