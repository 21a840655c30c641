//! The program of an execution, unfolded without a text, against the text that is written for it:
//! both engines say the same of either.

use std::collections::BTreeMap;

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{self, Error, Options};
use margay_litmus::render::render;
use margay_litmus::unfold::ExecutionProgram;
use margay_litmus::{corpus, read, sat};
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Order, Scope};
use margay_models::model::Model;
use margay_models::signature::Signature;

/// The engines that ask one model.
struct Asked {
    engines: Runner,
    explicit: explicit::ExplicitRunner,
    sat: sat::SatRunner,
}

impl Asked {
    fn new(model: &Model) -> Self {
        Self {
            engines: Runner::new(model),
            explicit: explicit::ExplicitRunner::new(model),
            sat: sat::SatRunner::new(model),
        }
    }

    /// Compares the answers about the program of an execution. `None` if it has no text, or too
    /// many steps would be needed.
    fn same(&mut self, x: &Execution, finals: &[Option<Event>]) -> Option<corpus::Expected> {
        if x.events.iter().any(|e| e.mbarrier) {
            // Only a test counts arrivals.
            assert!(ExecutionProgram::of(x, finals).is_err());
            return None;
        }
        let text = render(x, "text", None, finals).ok()?.test;
        let options = Options { steps: Some(5_000), ..Options::default() };
        let of_text = match self.engines.run(&text, &options, Choice::Only(Engine::Explicit)) {
            Err(Error::Steps) => return None,
            decided => decided.unwrap_or_else(|e| panic!("{e}\n{text}")),
        };
        let program = ExecutionProgram::of(x, finals).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let by_explicit = self
            .explicit
            .run_program(&program, &Options::default())
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        // Of computed values there may be too many for a formula.
        let by_sat = match self.sat.run_program(&program, &Options::default()) {
            Err(Error::Unfold(_)) => None,
            decided => Some(decided.unwrap_or_else(|e| panic!("{e}\n{text}"))),
        };
        let said = corpus::Expected::from(&of_text);
        assert_eq!(corpus::Expected::from(&by_explicit), said, "{text}");
        assert!(by_sat.as_ref().is_none_or(|v| corpus::Expected::from(v) == said), "{text}");
        if x.signature == Signature::C {
            // The search goes the same way, so what it finds first is the same.
            assert_eq!(by_explicit.executions, of_text.executions, "{text}");
            for (a, b) in
                [(&by_explicit.witness, &of_text.witness), (&by_explicit.race, &of_text.race)]
            {
                assert_eq!(
                    a.as_ref().map(|w| relations(&w.execution)),
                    b.as_ref().map(|w| relations(&w.execution)),
                    "{text}"
                );
            }
        }
        for witness in [Some(&by_explicit), by_sat.as_ref()]
            .into_iter()
            .flatten()
            .flat_map(|v| v.witness.iter().chain(&v.race))
        {
            let origins = program.origins(&witness.paths).expect("the paths are there");
            assert_eq!(origins.len(), witness.execution.size(), "{text}");
            for (e, origin) in origins.iter().enumerate() {
                let (made, of) =
                    (&witness.execution.events[e], origin.map(|o| &x.events[o.index()]));
                let same = |of: &EventData| {
                    (made.kind, made.thread, made.order, made.scope, made.location)
                        == (of.kind, of.thread, of.order, of.scope, of.location)
                };
                assert!(
                    of.map_or(made.kind == Kind::Init, same),
                    "event {e} of {:?}\n{text}",
                    witness.execution
                );
            }
            // In a thread that takes the way of the outcome nothing is left out.
            let of_outcome = witness.paths.iter().all(|&path| path == 0);
            assert!(
                !of_outcome
                    || origins.iter().flatten().count()
                        == x.events.iter().filter(|e| e.thread.is_some()).count()
            );
        }
        Some(said)
    }
}

/// Kind, location and value of an event.
type What = (Kind, Option<u16>, Option<i64>);

/// What the execution is, but for what places and scopes are called.
fn relations(x: &Execution) -> (Vec<What>, [BitMatrix; 6]) {
    let events = x.events.iter().map(|e| (e.kind, e.location, e.value)).collect();
    (events, [&x.rf, &x.co, &x.rmw, &x.addr, &x.data, &x.ctrl].map(Clone::clone))
}

/// Executions that tests of the corpus have, of all dialects: with barriers, reductions,
/// compare-exchanges and dependencies.
#[test]
fn of_what_the_corpus_allows() {
    let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
    let mut runners: BTreeMap<String, explicit::ExplicitRunner> = BTreeMap::new();
    let mut count = BTreeMap::new();
    let folders = crate::corpora::folders();
    // An execution does not tell a scope of one thread from none.
    let has_text = |file: &str| !file.contains("work-item-scope");
    let all = folders.iter().flat_map(|f| f.lines.iter().map(move |l| (f, l)));
    for (folder, line) in all.filter(|(_, line)| has_text(&line.file)) {
        let model = crate::shipped::model(&line.model);
        let test =
            read::load(&folder.path.join(&line.file)).unwrap_or_else(|e| panic!("{}", e[0])).test;
        let runner = runners
            .entry(line.model.clone())
            .or_insert_with(|| explicit::ExplicitRunner::new(&model));
        let verdict = runner.run(&test, &Options::default()).expect("it is in the corpus");
        for witness in verdict.witness.iter().chain(&verdict.race) {
            if witness.execution.signature != model.signature {
                continue;
            }
            let asked = asked.entry(line.model.clone()).or_insert_with(|| Asked::new(&model));
            if asked.same(&witness.execution, &witness.finals).is_some() {
                *count.entry(format!("{:?}", model.signature)).or_insert(0) += 1;
            }
        }
    }
    assert!(count.len() >= 2 && count.values().sum::<usize>() >= 200, "{count:?}");
}

/// Random executions of C and PTX, legal or not, in which reads guard later operations and writes
/// are computed from what was read.
#[test]
fn of_random_executions() {
    let mut rng = fastrand::Rng::with_seed(15);
    let (mut verdicts, mut asked) = (BTreeMap::new(), Vec::new());
    for name in ["rc11-scoped", "ptx-6.0"] {
        asked.push(Asked::new(&crate::shipped::model(name)));
    }
    for _ in 0..3_000 {
        let which = rng.usize(0..asked.len());
        let x = random(&mut rng, [Signature::C, Signature::PTX][which]);
        if let Some(said) = asked[which].same(&x, &[]) {
            *verdicts.entry((which, said.reachable, said.racy)).or_insert(0) += 1;
        }
    }
    // C: allowed or not, with a race or not; PTX: allowed or not.
    assert!(verdicts.len() == 6 && verdicts.values().all(|&n| n >= 30), "{verdicts:?}");
}

/// An execution of two or three threads with up to four operations each, and any reads-from and
/// modification order.
fn random(rng: &mut fastrand::Rng, signature: Signature) -> Execution {
    let threads = rng.usize(2..4);
    let locations = rng.usize(1..3);
    // A location is accessed by atomic or by plain operations.
    let plain: Vec<bool> = (0..locations).map(|_| rng.usize(0..3) == 0).collect();
    let mut events: Vec<EventData> = Vec::new();
    let mut rmws = Vec::new();
    for t in 0..threads {
        for _ in 0..rng.usize(1..4) {
            let l = rng.usize(0..locations);
            let scope = Some([Scope::Cta, Scope::Gpu, Scope::Sys][rng.usize(0..3)]);
            let mut push = |kind: Kind, order: Order| {
                let scope = scope.filter(|_| order != Order::Plain);
                let location = (kind != Kind::Fence).then_some(l as u16);
                events.push(EventData {
                    scope,
                    location,
                    ..EventData::new(kind, Some(t as u16), order)
                });
            };
            let (read, write) = (
                [Order::Rlx, Order::Acq][rng.usize(0..2)],
                [Order::Rlx, Order::Rel][rng.usize(0..2)],
            );
            match rng.usize(0..6) {
                0 => push(Kind::Fence, [Order::AcqRel, Order::Sc][rng.usize(0..2)]),
                1 | 2 => push(Kind::Read, if plain[l] { Order::Plain } else { read }),
                3 if !plain[l] => {
                    push(Kind::Read, read);
                    push(Kind::Write, write);
                    let n = events.len();
                    let compare = rng.usize(0..3) == 0;
                    (events[n - 2].compare, events[n - 1].compare) = (compare, compare);
                    rmws.push((Event::from(n - 2), Event::from(n - 1)));
                }
                _ => push(Kind::Write, if plain[l] { Order::Plain } else { write }),
            }
        }
    }
    let n = events.len();
    events.extend((0..locations).map(|l| EventData {
        location: Some(l as u16),
        ..EventData::new(Kind::Init, None, Order::Plain)
    }));
    let places = (0..threads)
        .map(|_| {
            let (gpu, cta) = (rng.u8(0..2), rng.u8(0..2));
            margay_models::execution::Placement {
                gpu: gpu.into(),
                cluster: cta.into(),
                cta: cta.into(),
                warp: 0,
                kernel: 0,
            }
        })
        .collect();
    let named = (0..locations).map(|l| margay_models::execution::Location {
        name: ["x", "y"][l].to_owned(),
        physical: l as u16,
        atomic: signature == Signature::C && !plain[l],
    });
    let mut x = Execution::new(signature, events, places, named.collect());
    for &(r, w) in &rmws {
        x.rmw.insert(r, w);
    }
    for l in 0..locations {
        let here = |e: usize, kind: Kind| {
            x.events[e].kind == kind && x.events[e].location == Some(l as u16)
        };
        let mut writes: Vec<usize> = (0..n).filter(|&e| here(e, Kind::Write)).collect();
        rng.shuffle(&mut writes);
        writes.insert(0, n + l);
        for r in (0..n).filter(|&e| here(e, Kind::Read)).collect::<Vec<_>>() {
            let from = writes[rng.usize(0..writes.len())];
            x.rf.insert(Event::from(from), Event::from(r));
        }
        for (i, &a) in writes.iter().enumerate() {
            writes[i + 1..].iter().for_each(|&b| x.co.insert(Event::from(a), Event::from(b)));
        }
    }
    for r in (0..n)
        .map(Event::from)
        .filter(|&r| x.events[r.index()].kind == Kind::Read)
        .collect::<Vec<_>>()
    {
        let guards_all = rng.usize(0..4) == 0;
        for e in x.po.row(r).iter().collect::<Vec<_>>() {
            if x.rmw.contains(r, e) {
                continue;
            }
            let whole = x.rmw.column(e).iter().next();
            let depends =
                |relation: &BitMatrix| whole.is_some_and(|read| relation.contains(r, read));
            // One instruction is executed or not as a whole.
            if if whole.is_some() { depends(&x.ctrl) } else { guards_all || rng.usize(0..5) == 0 } {
                x.ctrl.insert(r, e);
            }
            if x.events[e.index()].kind == Kind::Write && rng.usize(0..6) == 0 {
                x.data.insert(r, e);
            }
            if x.events[e.index()].location.is_some() && rng.usize(0..12) == 0 {
                x.addr.insert(r, e);
            }
        }
    }
    x
}
