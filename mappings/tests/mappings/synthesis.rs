//! `synth`: known suites, and the same tests by enumeration, whose notion of minimality is written
//! apart.

use std::collections::BTreeSet;

use margay_mappings::Backend;
use margay_mappings::check::Silent;
use margay_mappings::language::Mapping;
use margay_mappings::synthesis::{SynthesisOptions, SynthesisReport, synthesize};
use margay_models::bits::{BitMatrix, Event, EventSet};
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Execution, Kind, Order, Placement, Scope};
use margay_models::judge::Judge;
use margay_models::library;
use margay_models::model::Model;
use margay_models::signature::{Construct, Operation, Signature, constructs};

use crate::brute::{Search, choices, each_execution, each_program, permutations};
use crate::compare::variants;
use crate::setup::names;

fn shipped(name: &str) -> Model {
    library::load(name, &[]).unwrap_or_else(|e| panic!("{name}: {e:?}")).model
}

fn options(bound: usize) -> SynthesisOptions {
    let mut options = SynthesisOptions::new(bound);
    options.jobs = 2;
    options.backend = Backend::batsat();
    options
}

fn ask(model: &Model, options: &SynthesisOptions) -> SynthesisReport {
    let report =
        synthesize(model, options, &Silent).unwrap_or_else(|e| panic!("{}: {e:?}", model.name));
    assert_eq!(report.undecided, None);
    report
}

/// The program and outcome in one line.
fn line(report: &SynthesisReport, i: usize) -> String {
    let test = &report.tests[i].test;
    let threads = (0..test.threads.len())
        .map(|t| test.thread_lines(margay_litmus::test::ThreadId(t as u16)).join("; "));
    let text = test.to_string();
    let outcome = text[text.rfind("exists").expect("it asks something")..].trim_end().to_owned();
    format!("{} {outcome}", threads.collect::<Vec<_>>().join(" || "))
}

/// The four cycles of two threads that need no fence (MP, LB, S, 2+2W), and what coherence alone
/// forbids.
#[test]
fn causality_of_tso() {
    let mut options = options(4);
    options.axiom = Some("causality".to_owned());
    let report = ask(&shipped("tso"), &options);
    let found: Vec<String> = (0..report.tests.len()).map(|i| line(&report, i)).collect();
    assert_eq!(
        found,
        [
            "st x, 2; st x, 1 exists (x == 2)",
            "ld r0, x; ld r1, x || st x, 1 exists (P0:r0 == 1 /\\ P0:r1 == 0)",
            "ld r0, x; st x, 1 || st x, 2 exists (P0:r0 == 2 /\\ x == 2)",
            "st x, 1; st y, 1 || ld r0, y; ld r1, x exists (P1:r0 == 1 /\\ P1:r1 == 0)",
            "ld r0, x; st y, 1 || ld r0, y; st x, 1 exists (P0:r0 == 1 /\\ P1:r0 == 1)",
            "st x, 2; st y, 1 || ld r0, y; st x, 1 exists (P1:r0 == 1 /\\ x == 2)",
            "st x, 2; st y, 1 || st y, 2; st x, 1 exists (x == 2 /\\ y == 2)",
        ]
    );
}

/// Ten tests of four events or fewer, for all axioms together (docs/diff.md, "Counting for TSO").
#[test]
fn ten_tests_of_tso() {
    let report = ask(&shipped("tso"), &options(4));
    let by_events: Vec<usize> = report.rows.iter().map(|r| r.tests).collect();
    assert_eq!(by_events, [0, 3, 3, 4]);
    let classic: BTreeSet<&str> = report.tests.iter().filter_map(|t| t.name.classic).collect();
    for name in ["MP", "LB", "S", "2+2W"] {
        assert!(classic.contains(name), "{name} {classic:?}");
    }
}

/// Message passing is minimal with a release and an acquire of the narrowest scope that reaches;
/// nothing more, nothing less.
#[test]
fn message_passing_in_ptx() {
    let mut options = options(4);
    options.axiom = Some("Causality".to_owned());
    options.only = names("R,W");
    let report = ask(&shipped("ptx-6.0"), &options);
    let mp: Vec<String> = (0..report.tests.len())
        .map(|i| line(&report, i))
        .filter(|l| {
            l.starts_with("st.weak x, 1; st") && l.ends_with("exists (P1:r0 == 1 /\\ P1:r1 == 0)")
        })
        .collect();
    let expected = |scope: &str| {
        format!(
            "st.weak x, 1; st.release.{scope} y, 1 || ld.acquire.{scope} r0, y; ld.weak r1, x exists (P1:r0 == 1 /\\ P1:r1 == 0)"
        )
    };
    assert_eq!(mp, ["cta", "gpu", "sys"].map(expected));
}

#[test]
fn what_has_no_suite() {
    let said = |options: &SynthesisOptions| -> Vec<String> {
        let errors = synthesize(&shipped("tso"), options, &Silent).expect_err("it makes no sense");
        errors.iter().map(|e| e.to_string()).collect()
    };
    assert_eq!(said(&options(0)), ["error: a bound of 0 events leaves no test"]);
    let mut asked = options(3);
    asked.axiom = Some("Casuality".to_owned());
    assert_eq!(said(&asked), ["error: `tso` has no axiom `Casuality`"]);
    asked.axiom = None;
    asked.only = names("R");
    asked.without = names("R");
    assert_eq!(
        said(&asked),
        ["error: --only and --without leave no construct to make programs of"]
    );
}

#[test]
fn jobs_do_not_matter() {
    let suite = |jobs: usize| {
        let mut options = options(3);
        options.jobs = jobs;
        let report = ask(&shipped("ptx-6.0"), &options);
        report.tests.iter().map(|t| t.test.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(suite(1), suite(2));
}

/// A test: an execution without coherence order, and the last write of each location.
#[derive(Clone)]
struct Outcome {
    execution: Execution,
    finals: Vec<Option<Event>>,
}

impl Outcome {
    fn new(execution: &Execution) -> Self {
        let last = |l: u16| {
            let here = |e: &Event| {
                let data = &execution.events[e.index()];
                data.kind == Kind::Write
                    && data.location == Some(l)
                    && execution.co.row(*e).is_empty()
            };
            (0..execution.size()).map(Event::from).find(here)
        };
        let finals = (0..execution.locations.len() as u16).map(last).collect();
        Self {
            execution: Execution { co: BitMatrix::new(execution.size()), ..execution.clone() },
            finals,
        }
    }

    /// Does some coherence order and Fence-SC order make it an execution that the model allows?
    fn allowed(&self, judge: &mut Judge) -> bool {
        let x = &self.execution;
        let of = |l: u16, kind: Kind| -> Vec<usize> {
            (0..x.size())
                .filter(|&e| x.events[e].kind == kind && x.events[e].location == Some(l))
                .collect()
        };
        let locations: Vec<u16> = (0..x.locations.len() as u16).collect();
        let orders: Vec<Vec<Vec<usize>>> =
            locations.iter().map(|&l| permutations(&of(l, Kind::Write))).collect();
        choices(&orders).iter().any(|each| {
            let mut ordered = x.clone();
            for (l, sequence) in locations.iter().zip(each) {
                let all = [of(*l, Kind::Init), sequence.clone()].concat();
                for (i, &a) in all.iter().enumerate() {
                    all[i + 1..]
                        .iter()
                        .for_each(|&b| ordered.co.insert(Event::from(a), Event::from(b)));
                }
            }
            variants(&ordered).iter().any(|x| {
                let ends = |last: &Option<Event>| last.is_none_or(|e| x.co.row(e).is_empty());
                self.finals.iter().all(ends) && judge.is_consistent(x)
            })
        })
    }

    /// Without some events; reads of what is gone read the initial write.
    fn without(&self, gone: &[Event]) -> Self {
        let x = &self.execution;
        let kept: Vec<Event> =
            (0..x.size()).map(Event::from).filter(|e| !gone.contains(e)).collect();
        let new = |e: Event| kept.iter().position(|&k| k == e).map(Event::from);
        let events = kept.iter().map(|e| x.events[e.index()].clone()).collect();
        let mut left = Execution::new(x.signature, events, x.threads.clone(), x.locations.clone());
        for (w, r) in x.rf.pairs() {
            let initial = |e: &Event| {
                let data = &x.events[e.index()];
                data.kind == Kind::Init && data.location == x.events[r.index()].location
            };
            let from =
                new(w).or_else(|| (0..x.size()).map(Event::from).find(initial).and_then(new));
            if let (Some(from), Some(to)) = (from, new(r)) {
                left.rf.insert(from, to);
            }
        }
        for (r, w) in x.rmw.pairs() {
            if let (Some(r), Some(w)) = (new(r), new(w)) {
                left.rmw.insert(r, w);
            }
        }
        Self { execution: left, finals: self.finals.iter().map(|f| f.and_then(new)).collect() }
    }

    /// Every test that is one step weaker.
    fn weaker(&self, scopes: &[Scope]) -> Vec<Self> {
        let x = &self.execution;
        let mut out = Vec::new();
        let mut change = |edit: &dyn Fn(&mut Execution)| {
            let mut weaker = self.clone();
            edit(&mut weaker.execution);
            out.push(weaker);
        };
        for (e, data) in x.events.iter().enumerate().filter(|(_, d)| d.thread.is_some()) {
            let here = Event::from(e);
            if x.rmw.pairs().any(|(_, w)| w == here) {
                continue;
            }
            let half = x.rmw.row(here).iter().next();
            let operation = match (data.kind, half) {
                (_, Some(_)) => Operation::Rmw,
                (Kind::Read, _) => Operation::Read,
                (Kind::Write, _) => Operation::Write,
                _ => Operation::Fence,
            };
            let write_order = half.map_or(data.order, |w| x.events[w.index()].order);
            let all = constructs(x.signature).into_iter().filter(|c| c.operation == operation);
            let this = all
                .clone()
                .find(|c| c.read_order() == data.order && c.write_order() == write_order);
            let this =
                if half.is_some() { this } else { all.clone().find(|c| c.order == data.order) };
            let this = this.expect("it is of some construct");
            // The orders of docs/semantics.md: plain, relaxed, acquire and release beside each
            // other, both, sc.
            let below = |c: &Construct| match this.order {
                Order::Sc if matches!(operation, Operation::Read) => c.order == Order::Acq,
                Order::Sc if matches!(operation, Operation::Write) => c.order == Order::Rel,
                Order::Sc => c.order == Order::AcqRel,
                Order::AcqRel => matches!(c.order, Order::Acq | Order::Rel),
                Order::Acq | Order::Rel => c.order == Order::Rlx,
                Order::Rlx => c.order == Order::Plain,
                Order::Plain | Order::Tagged(_) => false,
            };
            for weaker in all.filter(below) {
                change(&|x| match half {
                    Some(w) => {
                        x.events[e].order = weaker.read_order();
                        x.events[w.index()].order = weaker.write_order();
                    }
                    None => {
                        x.events[e].order = weaker.order;
                        x.events[e].scope =
                            x.events[e].scope.filter(|_| weaker.order != Order::Plain);
                    }
                });
            }
            if let Some(narrower) = data.scope.and_then(|s| scopes.iter().rev().find(|&&n| n < s)) {
                change(&|x| {
                    x.events[e].scope = Some(*narrower);
                    half.iter().for_each(|w| x.events[w.index()].scope = Some(*narrower));
                });
            }
            if half.is_some() {
                change(&|x| {
                    x.rmw.remove_all(here, half.iter().copied().collect::<EventSet>().as_row())
                });
            }
        }
        // Of the threads of a gpu, those of one cta move to another gpu; of those of a cta, one
        // moves to another cta.
        for t in 0..x.threads.len() {
            let mine = x.threads[t];
            let free = |used: &dyn Fn(&Placement) -> u16| {
                x.threads.iter().map(used).max().map_or(0, |m| m + 1)
            };
            if x.threads.iter().enumerate().any(|(s, p)| s != t && *p == mine) {
                let cta = free(&|p| p.cta);
                change(&|x| x.threads[t].cta = cta);
            }
            if x.threads.iter().any(|p| p.gpu == mine.gpu && *p != mine) {
                let gpu = free(&|p| p.gpu);
                change(&|x| x.threads.iter_mut().filter(|p| **p == mine).for_each(|p| p.gpu = gpu));
            }
        }
        for e in (0..x.size()).map(Event::from).filter(|e| x.events[e.index()].thread.is_some()) {
            let gone: Vec<Event> =
                x.rmw.row(e).iter().chain(x.rmw.column(e).iter()).chain([e]).collect();
            out.push(self.without(&gone));
        }
        out
    }

    /// The same text for isomorphic tests.
    fn key(&self, scoped: bool) -> String {
        let x = &self.execution;
        let orders = permutations(&(0..x.threads.len()).collect::<Vec<_>>());
        let describe = |order: &Vec<usize>| {
            let of = |t: &usize| {
                (0..x.size()).filter(|&e| x.events[e].thread == Some(*t as u16)).collect::<Vec<_>>()
            };
            let events: Vec<usize> = order.iter().flat_map(of).collect();
            let mut locations: Vec<u16> = Vec::new();
            events.iter().filter_map(|&e| x.events[e].location).for_each(|l| {
                if !locations.contains(&l) {
                    locations.push(l);
                }
            });
            let place = |l: Option<u16>| locations.iter().position(|&k| Some(k) == l);
            let number = |e: Event| events.iter().position(|&k| k == e.index());
            let mut text = String::new();
            for &e in &events {
                let d = &x.events[e];
                let from = x.rf.column(Event::from(e)).iter().next().map(number);
                let last = self.finals.contains(&Some(Event::from(e)));
                let pair = x.rmw.row(Event::from(e)).len();
                text += &format!(
                    "{:?} {:?} {:?} {:?} {:?} {from:?} {last} {pair};",
                    order.iter().position(|&t| Some(t as u16) == d.thread),
                    d.kind,
                    d.order,
                    d.scope,
                    place(d.location)
                );
            }
            let shared = |s: &usize, t: &usize| {
                let (a, b) = (x.threads[*s], x.threads[*t]);
                u8::from(a.gpu == b.gpu) + u8::from(a.gpu == b.gpu && a.cta == b.cta)
            };
            if !scoped {
                return text;
            }
            text + &order
                .iter()
                .flat_map(|s| order.iter().map(move |t| shared(s, t).to_string()))
                .collect::<String>()
        };
        orders.iter().map(describe).min().unwrap_or_default()
    }
}

/// Every minimal test of so many events at most, by enumeration.
fn enumerated(model: &Model, only: &[Construct], bound: usize) -> BTreeSet<String> {
    let mapping = Mapping {
        title: String::new(),
        file: SourceFile::new("none", ""),
        source: model.clone(),
        target: model.clone(),
        rows: Vec::new(),
        about: Default::default(),
    };
    let search = Search { mapping: &mapping, constructs: only, typed: false };
    let scopes =
        if model.is_scoped() { vec![Scope::Cta, Scope::Gpu, Scope::Sys] } else { Vec::new() };
    let mut judge = Judge::new(model);
    let mut found = BTreeSet::new();
    for events in 1..=bound {
        each_program(&search, events, &mut |program| {
            let mut seen = BTreeSet::new();
            each_execution(model.signature, program, &mut |execution| {
                let outcome = Outcome::new(execution);
                let rf: Vec<(Event, Event)> = execution.rf.pairs().collect();
                if seen.insert((rf, outcome.finals.clone()))
                    && !outcome.allowed(&mut judge)
                    && outcome.weaker(&scopes).iter().all(|w| w.allowed(&mut judge))
                {
                    found.insert(outcome.key(model.is_scoped()));
                }
                true
            })
        });
    }
    found
}

#[test]
fn enumeration_finds_the_same() {
    let cases: [(&str, &str, usize); 8] = [
        ("sc", "R,W,RMW,F", 4),
        ("tso", "R,W,RMW,F", 4),
        ("rc11-lb", "R.NA,R.ACQ,W.NA,W.REL", 3),
        ("rc11-lb", "R.SC,W.SC,RMW.RLX,RMW.ACQ_REL", 3),
        ("ptx-6.0", "R.WEAK,R.RLX,W.WEAK,W.RLX", 3),
        ("ptx-6.0", "RMW.RLX,RMW.ACQ,W.REL", 3),
        ("ptx-6.0", "F.SC,F.ACQ,W.WEAK", 3),
        ("rc11-scoped", "R.RLX,W.RLX,F.SC", 3),
    ];
    let mut tests = 0;
    for (name, only, bound) in cases {
        let mut model = shipped(name);
        // Enumeration makes no dependencies.
        model.checks.retain(|c| c.display_name() != "No-Thin-Air");
        let mut options = options(bound);
        options.only = names(only);
        let report = ask(&model, &options);
        let suite: BTreeSet<String> = report
            .tests
            .iter()
            .map(|t| {
                Outcome { execution: t.execution.clone(), finals: t.finals.clone() }
                    .key(model.is_scoped())
            })
            .collect();
        assert_eq!(suite.len(), report.tests.len(), "{name} {only}: a test comes twice");
        let wanted = names(only);
        let selected: Vec<Construct> = constructs(model.signature)
            .into_iter()
            .filter(|c| {
                wanted.contains(&c.name(model.signature))
                    || wanted.contains(&c.operation.to_string())
            })
            .collect();
        let all = enumerated(&model, &selected, bound);
        assert!(
            suite == all,
            "{name} {only}\nmissing: {:#?}\ntoo many: {:#?}",
            all.difference(&suite),
            suite.difference(&all)
        );
        tests += suite.len();
    }
    assert!(tests >= 30, "{tests} tests are few");
    assert_eq!(shipped("sc").signature, Signature::PLAIN);
}
