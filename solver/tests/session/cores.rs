//! Which formulas contradict each other.

use crate::backends;
use margay_solver::proof::SatLiteral;
use margay_solver::{
    Atom, Backend, Bounds, Core, Encoding, Formula, Literal, Logic, Session, SessionOutcome,
    Solver, SolverAnswer, SolverFailure, SolverLimits, SolverOptions, Symmetry, TupleSet, Universe,
};

/// A map whose regions shall get one of two colours each: in the set `dark`, or not. A formula for
/// each border says that its regions differ.
struct Map {
    logic: Logic,
    bounds: Bounds,
    borders: Vec<[u32; 2]>,
    formulas: Vec<Formula>,
}

fn map(regions: u32, borders: &[[u32; 2]]) -> Map {
    let mut logic = Logic::new();
    let dark = logic.relation("dark", 1);
    let mut bounds = Bounds::new(Universe::new((0..regions).map(|i| i.to_string())));
    bounds.between(
        dark,
        TupleSet::new(1),
        TupleSet::from_tuples(1, (0..regions).map(|i| [Atom(i)])),
    );
    let dark = logic.rel(dark);
    let formulas = borders
        .iter()
        .map(|border| {
            let both = logic.constant(TupleSet::from_tuples(1, border.iter().map(|&i| [Atom(i)])));
            let darker = logic.intersection(both, dark);
            logic.one(darker)
        })
        .collect();
    Map { logic, bounds, borders: borders.to_vec(), formulas }
}

impl Map {
    fn session(&self, backend: &Backend) -> (Session, Vec<Literal>) {
        let mut session = Session::new(self.bounds.clone(), Encoding::default(), backend);
        let goals = self.formulas.iter().map(|&f| session.goal(&self.logic, f)).collect();
        (session, goals)
    }

    /// The borders that goals stand for.
    fn borders_of(&self, goals: &[Literal], core: &[Literal]) -> Vec<[u32; 2]> {
        self.borders
            .iter()
            .zip(goals)
            .filter(|(_, goal)| core.contains(goal))
            .map(|(&border, _)| border)
            .collect()
    }
}

#[test]
fn two_colours_fail_on_a_triangle() {
    // A path into a triangle, and one out of it.
    let map = map(7, &[[0, 1], [1, 2], [2, 3], [3, 4], [2, 4], [4, 5], [5, 6]]);
    for backend in backends() {
        let (mut session, goals) = map.session(&backend);
        assert_eq!(session.core(), Ok(None), "{backend}: nothing was asked");
        assert_eq!(
            session.solve(&goals, &SolverLimits::default()),
            Ok(SessionOutcome::Unsat),
            "{backend}"
        );
        let core = session.core().unwrap().expect("no colouring");
        let minimal = Core::Minimal(vec![goals[2], goals[3], goals[4]]);
        assert!(goals[2..5].iter().all(|goal| core.contains(goal)), "{backend}: {core:?}");
        assert_eq!(
            session.minimal_core(&goals, &SolverLimits::default()),
            Ok(minimal.clone()),
            "{backend}"
        );
        // It is what the last call found, whatever came after it, until something else is asked.
        session.assert(&map.logic, map.formulas[0]);
        assert_eq!(session.core(), Ok(Some(goals[2..5].to_vec())), "{backend}");
        assert_eq!(
            session.minimal_core(&goals, &SolverLimits::default()),
            Ok(minimal),
            "{backend}"
        );
        assert!(
            matches!(
                session.minimal_core(&goals[3..], &SolverLimits::default()),
                Ok(Core::Satisfiable(_))
            ),
            "{backend}"
        );
        assert_eq!(session.core(), Ok(None), "{backend}");
    }
}

/// Any odd cycle is a minimal core, and which one it is, is up to the solver.
#[test]
fn two_colours_fail_on_an_odd_cycle() {
    // Australia: WA, NT, SA, Q, NSW, V.
    let australia =
        map(6, &[[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [2, 4], [2, 5], [3, 4], [4, 5]]);
    for backend in backends() {
        let (mut session, goals) = australia.session(&backend);
        let Core::Minimal(core) = session.minimal_core(&goals, &SolverLimits::default()).unwrap()
        else {
            panic!("{backend}: no core")
        };
        let cycle = australia.borders_of(&goals, &core);
        assert_eq!(cycle.len() % 2, 1, "{backend}: {cycle:?}");
        let degree = |region: u32| cycle.iter().flatten().filter(|&&r| r == region).count();
        assert!((0..6).all(|region| [0, 2].contains(&degree(region))), "{backend}: {cycle:?}");
        // The same again from the start.
        let (mut again, goals) = australia.session(&backend);
        assert_eq!(
            again.minimal_core(&goals, &SolverLimits::default()),
            Ok(Core::Minimal(core)),
            "{backend}"
        );
    }
}

#[test]
fn constants_and_repetitions_are_no_trouble() {
    let map = map(3, &[[0, 1], [1, 2], [0, 2]]);
    for backend in backends() {
        let (mut session, goals) = map.session(&backend);
        let mut logic = map.logic.clone();
        let (yes, no) = (logic.truth(true), logic.truth(false));
        let [yes, no] = [yes, no].map(|f| session.goal(&logic, f));
        let none = SolverLimits::default();
        let [a, b, c] = goals[..] else { panic!("three borders") };
        assert_eq!(session.solve(&[a, b, no, yes], &none), Ok(SessionOutcome::Unsat), "{backend}");
        assert_eq!(session.core(), Ok(Some(vec![no])), "{backend}: it cannot hold at all");
        assert_eq!(
            session.minimal_core(&[yes, no, no], &none),
            Ok(Core::Minimal(vec![no])),
            "{backend}"
        );
        assert_eq!(
            session.solve(&[b, yes, a, b, c, a], &none),
            Ok(SessionOutcome::Unsat),
            "{backend}"
        );
        assert_eq!(
            session.core(),
            Ok(Some(vec![b, a, c])),
            "{backend}: in the order given, each once"
        );
        assert_eq!(
            session.minimal_core(&[b, yes, a, b, c, a], &none),
            Ok(Core::Minimal(vec![b, a, c])),
            "{backend}"
        );
        // Assumptions that contradict each other.
        let free = session.fresh();
        assert_eq!(
            session.minimal_core(&[a, free, !free], &none),
            Ok(Core::Minimal(vec![free, !free])),
            "{backend}"
        );
        // Nothing is to blame but what is asserted.
        session.add_clause(&[]);
        assert_eq!(session.minimal_core(&[no], &none), Ok(Core::Minimal(Vec::new())), "{backend}");
        assert_eq!(session.solve(&[a], &none), Ok(SessionOutcome::Unsat), "{backend}");
        assert_eq!(session.core(), Ok(Some(Vec::new())), "{backend}");
    }
}

#[test]
fn other_questions_have_no_core() {
    let map = map(3, &[[0, 1], [1, 2], [0, 2]]);
    for backend in backends() {
        let (mut session, goals) = map.session(&backend);
        let none = SolverLimits::default();
        let mut refute = |then: &mut dyn FnMut(&mut Session)| {
            assert_eq!(session.solve(&goals, &none), Ok(SessionOutcome::Unsat), "{backend}");
            then(&mut session);
            assert_eq!(session.core(), Ok(None), "{backend}");
        };
        refute(&mut |s| assert!(s.instances(&goals, &[], &Symmetry::none(), &none, 1).is_ok()));
        refute(&mut |s| assert!(s.lexicographic_minimum(&goals, &[], &none).is_ok()));
        refute(&mut |s| assert!(s.minimize(&goals, &[], &none).is_ok()));
    }
}

#[test]
fn after_cases_all_assumptions_are_the_core() {
    let map = map(4, &[[0, 1], [1, 2], [0, 2], [2, 3]]);
    for backend in backends() {
        let (mut session, goals) = map.session(&backend);
        let mut logic = map.logic.clone();
        let either = logic.or(map.formulas[..2].iter().copied());
        let goal = session.goal(&logic, either);
        let assumed = [&[goal], &goals[..]].concat();
        assert_eq!(
            session.solve_by_cases(&assumed, 1, &SolverLimits::default()),
            Ok(SessionOutcome::Unsat),
            "{backend}"
        );
        assert_eq!(session.core(), Ok(Some(assumed.clone())), "{backend}");
        assert_eq!(
            session.solve_by_cases(&assumed, 0, &SolverLimits::default()),
            Ok(SessionOutcome::Unsat),
            "{backend}"
        );
        let core = session.core().unwrap().expect("no colouring");
        assert!(core.iter().all(|l| assumed.contains(l)), "{backend}");
        assert_eq!(
            session.minimal_core(&assumed, &SolverLimits::default()),
            Ok(Core::Minimal(goals[..3].to_vec())),
            "{backend}"
        );
    }
}

/// A solver that answers so many questions, with all assumptions as the core.
struct Tired {
    solver: Box<dyn Solver>,
    questions: usize,
    assumptions: Vec<SatLiteral>,
}

impl Solver for Tired {
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure> {
        self.solver.add(clause)
    }

    fn solve(
        &mut self,
        assumptions: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure> {
        let Some(left) = self.questions.checked_sub(1) else { return Ok(SolverAnswer::Unknown) };
        self.questions = left;
        self.assumptions = assumptions.to_vec();
        self.solver.solve(assumptions, limits)
    }

    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure> {
        self.solver.model(variables)
    }

    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        Ok(self.assumptions.clone())
    }
}

#[test]
fn a_core_is_as_small_as_the_limits_allow() {
    let map = map(4, &[[0, 1], [1, 2], [0, 2], [2, 3]]);
    let find = |questions: usize| {
        let solver = Backend::batsat().start(&SolverOptions::default()).unwrap();
        let solver = Tired { solver, questions, assumptions: Vec::new() };
        let mut session =
            Session::with_solver(map.bounds.clone(), Encoding::default(), Box::new(solver));
        let goals: Vec<Literal> =
            map.formulas.iter().map(|&f| session.goal(&map.logic, f)).collect();
        let core = session.minimal_core(&goals, &SolverLimits::default()).unwrap();
        (goals, core)
    };
    assert_eq!(find(0).1, Core::Unknown);
    let (goals, all) = find(1);
    assert_eq!(all, Core::Unfinished(goals.clone()));
    for questions in 2..5 {
        assert_eq!(
            find(questions).1,
            Core::Unfinished(goals[..3].to_vec()),
            "without the last one it was asked"
        );
    }
    assert_eq!(find(5).1, Core::Minimal(goals[..3].to_vec()));
}
