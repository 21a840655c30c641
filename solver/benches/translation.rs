//! How long translation takes: a problem of the shape that memory models have (about 50 atoms, 60
//! relational operators, two closures, a mostly constant skeleton), translated from scratch many
//! times, with the sizes that come out. `cargo bench -p margay-solver --bench translation`.

use std::time::Instant;

use margay_solver::{
    Atom, Backend, Bounds, Encoding, Expr, Formula, Logic, Session, SolverLimits, TupleSet,
    Universe,
};

/// Events of the problem, in threads of four.
const EVENTS: u32 = 48;
const THREAD: u32 = 4;

fn pairs(keep: impl Fn(u32, u32) -> bool) -> TupleSet {
    let all = (0..EVENTS).flat_map(|a| (0..EVENTS).map(move |b| (a, b)));
    TupleSet::from_tuples(2, all.filter(|&(a, b)| keep(a, b)).map(|(a, b)| [Atom(a), Atom(b)]))
}

fn set(keep: impl Fn(u32) -> bool) -> TupleSet {
    TupleSet::from_tuples(1, (0..EVENTS).filter(|&a| keep(a)).map(|a| [Atom(a)]))
}

/// Bounds and formulas: axioms that hold, and one that is violated.
fn problem() -> (Logic, Bounds, Vec<Formula>, Formula) {
    let mut logic = Logic::new();
    let mut bounds = Bounds::new(Universe::new((0..EVENTS).map(|e| format!("e{e}"))));
    let names = ["po", "loc", "rf", "co", "W", "R", "ACQ", "REL", "SC"];
    let [po, loc, rf, co, w, r, acq, rel, sc] =
        std::array::from_fn(|i| logic.relation(names[i], if i < 4 { 2 } else { 1 }));
    let none = TupleSet::new(1);
    bounds.exactly(po, pairs(|a, b| a < b && a / THREAD == b / THREAD));
    bounds.exactly(loc, pairs(|a, b| a != b && a % 3 == b % 3));
    bounds.exactly(w, set(|a| a % 2 == 0));
    bounds.exactly(r, set(|a| a % 2 == 1));
    bounds.between(rf, TupleSet::new(2), pairs(|a, b| a % 2 == 0 && b % 2 == 1 && a % 3 == b % 3));
    bounds.between(
        co,
        TupleSet::new(2),
        pairs(|a, b| a != b && a % 2 == 0 && b % 2 == 0 && a % 3 == b % 3),
    );
    bounds.between(acq, none.clone(), set(|a| a % 2 == 1));
    bounds.between(rel, none.clone(), set(|a| a % 2 == 0));
    bounds.between(sc, none, set(|_| true));

    let l = &mut logic;
    let [po, loc, rf, co, w, r, acq, rel, sc] =
        [po, loc, rf, co, w, r, acq, rel, sc].map(|x| l.rel(x));
    let mut hard = Vec::new();
    // Each read reads from one write; coherence orders writes to a location.
    let from = l.transpose(rf);
    hard.push(l.function(from, r, w));
    let together = l.join(co, co);
    hard.push(l.subset(together, co));
    hard.push(l.irreflexive(co));
    // fr, eco, and happens-before by release and acquire, in operators as models use them.
    let fr = l.join(from, co);
    let com = l.union_all(2, [rf, co, fr]);
    let eco = l.closure(com);
    let po_loc = l.intersection(po, loc);
    let optional = |l: &mut Logic, e: Expr| {
        let identity = l.identity();
        l.union(e, identity)
    };
    let po_loc_or_same = optional(l, po_loc);
    let release = {
        let released = l.restrict_domain(rel, po_loc_or_same);
        l.restrict_range(released, w)
    };
    let acquire = {
        let acquired = l.restrict_range(po_loc_or_same, acq);
        l.restrict_domain(r, acquired)
    };
    let synchronizes = {
        let left = l.join(release, rf);
        l.join(left, acquire)
    };
    let base = l.union(po, synchronizes);
    let hb = l.closure(base);
    let eco_or_same = optional(l, eco);
    let cycle = l.join(hb, eco_or_same);
    let coherent = l.irreflexive(cycle);
    // Sequential consistency: psc as in RC11.
    let sc_edges = {
        let hb_loc = l.intersection(hb, loc);
        let not_loc = l.difference(po, loc);
        let around = l.join(not_loc, hb);
        let through = l.join(around, not_loc);
        let scb = l.union_all(2, [po, through, hb_loc, co, fr]);
        let first = l.restrict_domain(sc, scb);
        l.restrict_range(first, sc)
    };
    let psc = l.acyclic(sc_edges);
    hard.push(coherent);
    let violated = l.not(psc);
    (logic, bounds, hard, violated)
}

fn main() {
    let (logic, bounds, hard, violated) = problem();
    println!("{} nodes, {EVENTS} atoms", logic.size());
    let base = Encoding::default();
    let settings = [
        ("default", base),
        ("closures exact", Encoding { closures_by_polarity: false, ..base }),
        ("cycles by closure", Encoding { cycles_by_witness: false, ..base }),
        ("full Tseitin", Encoding { cnf_by_polarity: false, ..base }),
        ("right-linear closures", Encoding { right_linear_closures: true, ..base }),
        ("gates not inlined", Encoding { inline_gates: false, ..base }),
        ("gates not shared", Encoding { share_gates: false, ..base }),
    ];
    println!(
        "{:<22} {:>10} {:>10} {:>10} {:>12}",
        "", "gates", "variables", "clauses", "ms (median)"
    );
    for (name, encoding) in settings {
        let mut times = Vec::new();
        let mut statistics = None;
        for _ in 0..9 {
            let start = Instant::now();
            let mut session = Session::new(bounds.clone(), encoding, &Backend::batsat());
            for &formula in &hard {
                session.assert(&logic, formula);
            }
            session.assert(&logic, violated);
            times.push(start.elapsed().as_secs_f64() * 1e3);
            statistics = Some(session.statistics());
        }
        times.sort_by(f64::total_cmp);
        if let Some(s) = statistics {
            println!(
                "{name:<22} {:>10} {:>10} {:>10} {:>12.1}",
                s.gates,
                s.variables,
                s.clauses,
                times[times.len() / 2]
            );
        }
    }
    let mut session = Session::new(bounds, base, &Backend::default());
    for &formula in &hard {
        session.assert(&logic, formula);
    }
    session.assert(&logic, violated);
    let start = Instant::now();
    let found = session.solve(&[], &SolverLimits::default()).unwrap().instance().is_some();
    println!(
        "{} answers {found} in {:.1} ms",
        Backend::default(),
        start.elapsed().as_secs_f64() * 1e3
    );
}
