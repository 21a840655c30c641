//! The bounds against the judge, on random executions of random cycles: while reads-from and the
//! orders become known pair by pair, each definition contains what the bounds say that it has, has
//! nothing that they exclude, and no check is settled otherwise than the judge decides it in the
//! end.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{Execution, Kind, Order, Scope};
use margay_models::judge::{JudgedValue, evaluate, judge};
use margay_models::library;
use margay_models::model::Model;

use super::*;
use crate::cycle::{Edge, Language, Places, Sizes, Variations, random};

type Rows = Vec<u64>;

fn rows(relation: &BitMatrix) -> Rows {
    (0..relation.size()).map(|e| relation.row(Event::from(e)).word()).collect()
}

/// A random execution with random reads-from, and orders that may be partial.
fn drawn(language: Language, rng: &mut fastrand::Rng) -> Execution {
    let patterns = ["Rf*", "Fr*", "Co*", "Po*", "Fence*", "Fence*", "Rmw"];
    let edges: Vec<Edge> =
        patterns.iter().flat_map(|p| Edge::matching(p).unwrap_or_else(|e| panic!("{e}"))).collect();
    let orders = if language == Language::C {
        vec![Order::Plain, Order::Rlx, Order::Sc]
    } else {
        vec![Order::Plain, Order::Rlx]
    };
    let variations = Variations {
        language,
        orders: [orders, vec![Order::Acq, Order::Rel]].concat(),
        scopes: vec![Scope::Cta, Scope::Sys],
        mixed_scopes: true,
        places: vec![Places::All],
        caches: Vec::new(),
        spaces: Vec::new(),
    };
    let sizes = Sizes { edges: 3..=6, threads: 2..=3 };
    let of_cycle = std::iter::repeat_with(|| {
        let cycle = random(&edges, &sizes, rng)?;
        Some(variations.random(&cycle, rng)?.execution(language))
    });
    let mut execution = of_cycle.flatten().next().expect("some cycle can be drawn");
    let n = execution.size();
    let is_write = |x: &Execution, e: usize| matches!(x.events[e].kind, Kind::Init | Kind::Write);
    let all: Vec<(usize, usize)> =
        (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
    let mut rf = BitMatrix::new(n);
    for read in (0..n).filter(|&e| execution.events[e].kind == Kind::Read) {
        let same = |&w: &usize| {
            is_write(&execution, w)
                && execution.physical(Event::from(w)) == execution.physical(Event::from(read))
        };
        let sources: Vec<usize> = (0..n).filter(same).collect();
        rf.insert(Event::from(sources[rng.usize(..sources.len())]), Event::from(read));
    }
    // Along a random numbering, so that there is no cycle; what composes is there too.
    let mut place: Vec<usize> = (0..n).collect();
    rng.shuffle(&mut place);
    let mut order = |wanted: &dyn Fn(usize, usize) -> bool,
                     always: &dyn Fn(usize, usize) -> bool| {
        let mut order = vec![0_u64; n];
        for &(a, b) in all.iter().filter(|&&(a, b)| wanted(a, b)) {
            if always(a, b) || (!always(b, a) && place[a] < place[b] && rng.u16(..4) > 0) {
                order[a] |= 1 << b;
            }
        }
        margay_models::evaluate::operate::close(&mut order);
        let pairs = all.iter().filter(|&&(a, b)| order[a] >> b & 1 == 1);
        BitMatrix::from_pairs(n, pairs.map(|&(a, b)| (Event::from(a), Event::from(b))))
    };
    let x = &execution;
    let same_place = |a: usize, b: usize| {
        is_write(x, a) && is_write(x, b) && x.physical(Event::from(a)) == x.physical(Event::from(b))
    };
    let co = order(&same_place, &|a, _| x.events[a].kind == Kind::Init);
    let is_fence = |e: usize| x.events[e].kind == Kind::Fence && x.events[e].order == Order::Sc;
    let sync_fence = order(&|a, b| is_fence(a) && is_fence(b), &|_, _| false);
    (execution.rf, execution.co, execution.sync_fence) = (rf, co, sync_fence);
    execution
}

/// Bounds of a relation, as loose as they can be at first.
struct Bounds {
    must: Rows,
    may: Rows,
    known: Rows,
}

impl Bounds {
    fn new(relation: &BitMatrix) -> Self {
        let n = relation.size();
        Self { must: vec![0; n], may: vec![(1 << n) - 1; n], known: rows(relation) }
    }

    /// About every third pair becomes known; in the end all do.
    fn tighten(&mut self, last: bool, rng: &mut fastrand::Rng) {
        for (a, &known) in self.known.iter().enumerate() {
            let pairs = if last { u64::MAX } else { rng.u64(..) & rng.u64(..) };
            self.must[a] |= known & pairs;
            self.may[a] &= known | !pairs;
        }
    }

    fn both(&self) -> (&[u64], &[u64]) {
        (&self.must, &self.may)
    }
}

/// The definitions that the checks of a model need, each with its value.
fn values(model: &Model, plan: &Plan, execution: &Execution) -> Vec<(String, ExprId, Rows)> {
    let computed: Vec<ExprId> = plan
        .fixed
        .iter()
        .chain(plan.chosen.iter().map(|(step, _)| step))
        .flat_map(|step| match step {
            PlanStep::Compute(operation) => vec![operation.to],
            PlanStep::Iterate(fixpoint) => fixpoint.operations.iter().map(|o| o.to).collect(),
        })
        .collect();
    let named = model.definitions.iter().filter(|d| computed.contains(&d.body));
    let value = |name: &str| match evaluate(model, execution, name)? {
        JudgedValue::Set(set) => Some(vec![set.as_row().word()]),
        JudgedValue::Relation(relation) => Some(rows(&relation)),
    };
    named.filter_map(|d| Some((d.name.clone(), d.body, value(&d.name)?))).collect()
}

/// Follows the bounds of one execution while they become narrow; how many definitions were open at
/// some time.
fn follow(
    model: &Model,
    plan: &Plan,
    machine: &mut IntervalMachine,
    execution: &Execution,
    rng: &mut fastrand::Rng,
) -> usize {
    let judgement = judge(model, execution);
    let mut values = values(model, plan, execution);
    let mut bounds = [&execution.rf, &execution.co, &execution.sync_fence].map(Bounds::new);
    machine.prepare(plan, execution);
    // What no check reads in this program has no value.
    let uses = plan.uses(|id| machine.may.rows(id).iter().all(|&row| row == 0));
    let unread = plan.chosen.iter().zip(uses).filter(|(_, of)| *of == StepUse::Unread);
    let unread: Vec<ExprId> = unread.flat_map(|((step, _), _)| step.results()).collect();
    values.retain(|(_, body, _)| !unread.contains(body));
    let mut open = 0;
    for step in 0..6 {
        if step % 2 == 1 {
            bounds[0].tighten(step == 5, rng);
            machine.rf_is_new();
        }
        bounds[1..].iter_mut().for_each(|order| order.tighten(step == 5, rng));
        machine.order_is_new();
        let [rf, co, sync_fence] = &bounds;
        let chosen = ChosenBounds { rf: rf.both(), co: co.both(), sync_fence: sync_fence.both() };
        for (check, &holds) in judgement.holds.iter().enumerate() {
            let name = model.checks[check].display_name();
            match machine.status(plan, check, chosen) {
                CheckStatus::Open => {
                    assert!(step < 5, "{}: `{name}` is open in the end", model.name)
                }
                status => assert_eq!(
                    status == CheckStatus::Holds,
                    holds,
                    "{}: `{name}` at step {step}",
                    model.name
                ),
            }
        }
        for (name, body, value) in &values {
            let (must, may) =
                (&machine.must.rows(*body)[..value.len()], &machine.may.rows(*body)[..value.len()]);
            open += usize::from(must != may);
            let within = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a & !b == 0);
            assert!(
                within(must, value),
                "{}: not all that `{name}` must have is there, at step {step}",
                model.name
            );
            assert!(
                within(value, may),
                "{}: `{name}` has what it may not have, at step {step}",
                model.name
            );
            assert!(step < 5 || must == may, "{}: `{name}` is open in the end", model.name);
        }
    }
    open
}

#[test]
fn bounds_contain_what_the_judge_computes() {
    let mut rng = fastrand::Rng::with_seed(7);
    for (name, language) in [
        ("ptx-6.0", Language::Ptx),
        ("ptx-8", Language::Ptx),
        ("rc11-scoped", Language::C),
        ("c20", Language::C),
        ("tso", Language::Generic),
    ] {
        let model = library::load(name, &[]).unwrap_or_else(|e| panic!("{}", e[0])).model;
        let plan = plan(&model);
        let mut machine = IntervalMachine::new(&plan);
        let open: usize = (0..60)
            .map(|_| follow(&model, &plan, &mut machine, &drawn(language, &mut rng), &mut rng))
            .sum();
        assert!(open > 100, "{name}: bounds were seen to be wide {open} times");
    }
}
