//! What a refuted candidate teaches is true: programs that a lesson is about race, says the
//! explicit engine of each of them. A sample of programs is taken for each lesson, of any kind that
//! the solver likes.

use margay_litmus::explicit::{self, ExplicitRunner};
use margay_litmus::render::render;
use margay_models::signature::Operation;
use margay_solver::SessionOutcome;

use super::*;
use crate::certificate::CertifiedLesson;
use crate::check::program::{self, ProgramRefuter};
use crate::check::questions;
use crate::check::taught::taught;
use crate::encode::atoms::AtomPlace;
use crate::encode::{Prefix, ProblemOptions, Programs, ReadSources, Reasons, Techniques};
use crate::language::{LoadOptions, load_text};
use crate::level::Level;
use crate::library;
use crate::witness::witness;

/// Asks of a mapping at program level.
fn within<T>(
    mapping: &Mapping,
    only: &[&str],
    events: usize,
    programs: Programs,
    ask: impl FnOnce(&CheckSetting<'_>) -> T,
) -> T {
    let mut options = CheckOptions::new(events);
    options.level = Level::Program;
    options.backend = margay_solver::Backend::batsat();
    options.only = only.iter().map(|&n| n.to_owned()).collect();
    let asked = questions::resolve(mapping, &options).expect("the options fit");
    let problem_options = ProblemOptions {
        constructs: asked.constructs.clone(),
        typed: true,
        techniques: Techniques::default(),
        programs: Some(programs),
        defined: false,
        few_races: None,
        guards: None,
        beside: Vec::new(),
        every_read_guards: None,
    };
    let mut problem = MappingProblem::new(mapping, &problem_options, &asked.questions);
    let asks = questions::asks(&mut problem, &asked, &options);
    ask(&CheckSetting {
        mapping,
        problem: &problem,
        asks: &asks,
        options: &options,
        lessons: &BTreeSet::new(),
        costs: &CaseCosts::default(),
        unwritten: &Mutex::default(),
    })
}

/// Learns from the candidates of a shape, and looks at programs that each lesson excludes. Returns
/// the number of both.
fn sample(
    mapping: &Mapping,
    only: &[&str],
    shape: &ThreadShape,
    each: usize,
    programs: Programs,
) -> (usize, usize) {
    within(mapping, only, shape.events(), programs, |setting| learn(setting, shape, each))
}

fn learn(setting: &CheckSetting<'_>, shape: &ThreadShape, each: usize) -> (usize, usize) {
    let (mapping, problem, options) = (setting.mapping, setting.problem, setting.options);
    let mut case = case(setting, CaseExtent::Shape(shape), Start::Solver);
    let goal = case.goal(setting.asks[0].goal);
    let mut lessons = Vec::new();
    while let Ok(SessionOutcome::Sat(instance)) = case.session.solve(&[goal], &options.limits()) {
        let mut refuter = ProgramRefuter::new(&mapping.source);
        let witness = witness(mapping, &problem.vocabulary, &case.atoms, &instance)
            .expect("instances read back");
        let race = match refuter.race_of_interleaving(&witness) {
            Some(prefix) => Some(prefix),
            None => match refuter.run(&witness, options) {
                Ok(program::ProgramRefutation::Races(prefix)) => Some(prefix),
                _ => None,
            },
        };
        match race {
            Some(prefix) => {
                case.teach(&Taught::Race(prefix.clone()));
                lessons.push((prefix, refuter.reasons()));
            }
            None => break,
        }
    }

    let mut count = 0;
    for (prefix, reasons) in &lessons {
        count += excluded(setting, shape, prefix, *reasons, &[], each);
    }
    (lessons.len(), count)
}

/// Looks at so many programs that a lesson excludes, and in which the given events begin a
/// read-modify-write: each must race.
fn excluded(
    setting: &CheckSetting<'_>,
    shape: &ThreadShape,
    prefix: &Prefix,
    reasons: Reasons,
    rmws: &[usize],
    each: usize,
) -> usize {
    let (mapping, problem) = (setting.mapping, setting.problem);
    let mut runner = ExplicitRunner::new(&mapping.source);
    assert!(mapping.source.checks.iter().any(margay_models::Check::is_undefined_behaviour));
    let mut case = case(setting, CaseExtent::Shape(shape), Start::Solver);
    let races = case.formulas.to_mut().races(mapping, &case.atoms, prefix, reasons);
    case.assert(races);
    let v = &problem.vocabulary;
    for &event in rmws {
        let kinds = v.construct.iter().filter(|(c, _)| c.operation == Operation::Rmw);
        let is_rmw: Vec<Literal> =
            kinds.map(|&(_, r)| case.literal(r, &[AtomPlace::Event(event)])).collect();
        case.session.add_clause(&is_rmw);
    }
    let mut count = 0;
    for _ in 0..each {
        let Ok(SessionOutcome::Sat(instance)) = case.session.solve(&[], &setting.options.limits())
        else {
            break;
        };
        let found = witness(mapping, v, &case.atoms, &instance).expect("instances read back");
        let test =
            render(&found.source, "sample", None, &found.finals).expect("it is a program").test;
        let verdict = runner.run(&test, &explicit::Options::default()).expect("it runs");
        assert_eq!(verdict.racy, Some(true), "{prefix:?} does not race in\n{test}");
        count += 1;
        // Another program: something static, or where a read reads from, is different.
        let lists = [&v.choice];
        let statics = v
            .construct
            .iter()
            .map(|&(_, r)| r)
            .chain(v.scope.iter().map(|&(_, r)| r))
            .chain(lists.into_iter().flatten().copied())
            .chain([v.at, v.guard, v.rf])
            .chain(v.dependencies);
        let bounds = v.bounds(&case.atoms);
        let mut clause = Vec::new();
        for relation in statics.collect::<Vec<_>>() {
            for tuple in bounds.get(relation).expect("it has bounds").1.iter() {
                let literal = case.session.tuple(relation, tuple);
                clause.push(if instance.contains(relation, tuple) { !literal } else { literal });
            }
        }
        case.session.add_clause(&clause);
    }
    count
}

fn shapes(events: usize) -> impl Iterator<Item = ThreadShape> {
    ThreadShape::all(events).into_iter().filter(|s| s.threads() > 1)
}

#[test]
fn programs_that_a_lesson_excludes_race() {
    let file = library::built_in("rc11-to-ptx-relaxed-acquire-load").expect("it is shipped");
    let mapping = load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
    let (mut lessons, mut programs) = (0, 0);
    for shape in shapes(4).chain(shapes(5).filter(|s| s.threads() == 2)) {
        let (l, p) = sample(
            &mapping,
            &["R.NA", "W.NA", "R.ACQ", "W.REL", "W.RLX", "RMW.RLX"],
            &shape,
            12,
            Programs::Guarded,
        );
        lessons += l;
        programs += p;
    }
    assert!(lessons >= 15 && programs >= 10 * lessons, "{lessons} lessons, {programs} programs");
}

/// A source model whose axiom may forbid a last operation: lessons are about whole executions
/// there.
#[test]
fn whole_executions_where_beginnings_may_not_go_on() {
    let file = library::built_in("rc11-to-ptx-relaxed-acquire-load").expect("it is shipped");
    let mut mapping =
        load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
    let text = format!("{}\nempty po; po; po as Short\n", mapping.source.source.text);
    let file = margay_models::diagnostic::SourceFile::new("short.cat", text);
    mapping.source = margay_models::Model::parse(file, &margay_models::typing::OnlyBuiltIn)
        .expect("it is a model")
        .model;
    assert!(ProgramRefuter::new(&mapping.source).reasons().complete);
    let (mut lessons, mut programs) = (0, 0);
    for shape in shapes(3).chain(shapes(4)) {
        let (l, p) =
            sample(&mapping, &["R.NA", "W.NA", "R.ACQ", "W.REL"], &shape, 8, Programs::Guarded);
        lessons += l;
        programs += p;
    }
    assert!(lessons >= 4 && programs >= lessons, "{lessons} lessons, {programs} programs");
}

/// Conditions of single operations and computed values, in executions of any kind.
#[test]
fn programs_with_any_dependencies_that_a_lesson_excludes_race() {
    let file = library::built_in("rc11-to-ptx-relaxed-acquire-load").expect("it is shipped");
    let mapping = load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
    let (mut lessons, mut programs) = (0, 0);
    for shape in shapes(4).chain(shapes(5).filter(|s| s.threads() == 2)) {
        let any = Programs::Dependent { only_cyclic: false };
        let (l, p) = sample(
            &mapping,
            &["R.NA", "W.NA", "R.ACQ", "W.REL", "W.RLX", "RMW.RLX"],
            &shape,
            12,
            any,
        );
        lessons += l;
        programs += p;
    }
    assert!(lessons >= 12 && programs >= 10 * lessons, "{lessons} lessons, {programs} programs");
}

/// A compare-exchange that reads another value than it expects does not write.
#[test]
fn programs_with_compare_exchanges_that_a_lesson_excludes_race() {
    let published = library::built_in("rc11-to-ptx").expect("it is shipped");
    let with = "CAS.ACQ_REL.s => atom.acq_rel.s\n";
    let file = margay_models::diagnostic::SourceFile::new(
        "compare-exchange",
        format!("{}\n{with}", published.text),
    );
    let mapping = load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
    let (mut lessons, mut programs) = (0, 0);
    for shape in shapes(4).chain(shapes(5).filter(|s| s.threads() == 2)) {
        for kind in [Programs::Guarded, Programs::Dependent { only_cyclic: false }] {
            let (l, p) = sample(&mapping, &["R.NA", "W.NA", "RMW.ACQ_REL"], &shape, 12, kind);
            lessons += l;
            programs += p;
        }
    }
    assert!(lessons >= 15 && programs >= 10 * lessons, "{lessons} lessons, {programs} programs");
}

/// A lesson that was learned from a load and a store with another thread's store between them says
/// nothing about a read-modify-write in their place: that is one step of an interleaving.
#[test]
fn no_interleaving_tears_a_read_modify_write() {
    let file = library::built_in("rc11-to-ptx").expect("it is shipped");
    let mapping = load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
    let only = ["R.RLX", "W.RLX", "R.NA", "W.NA", "RMW.RLX"];
    let shape = ThreadShape::of(&[3, 3]).expect("it is one");
    // P0: a load of x and a store to x, then plain. P1, between them: a store to x; then a load of
    // x that reads P0's, then plain.
    let prefix = Prefix { order: vec![0, 3, 1, 4, 2, 5], sources: ReadSources::Latest };
    within(&mapping, &only, 6, Programs::Guarded, |setting| {
        let reasons = ProgramRefuter::new(&mapping.source).reasons();
        assert!(reasons.interleavings_are_consistent);
        assert_eq!(excluded(setting, &shape, &prefix, reasons, &[], 20), 20);
        assert_eq!(excluded(setting, &shape, &prefix, reasons, &[0], 20), 0);
        // In one piece it is as good as any.
        let whole = Prefix { order: vec![0, 1, 3, 4, 2, 5], sources: ReadSources::Latest };
        assert_eq!(excluded(setting, &shape, &whole, reasons, &[0], 20), 20);
    });
}

/// A lesson names the sources of stale reads; the others read the last write before them, so it is
/// about programs that have a read-modify-write there too.
#[test]
fn reads_that_a_lesson_does_not_name_read_the_last_write() {
    let file = library::built_in("rc11-to-ptx").expect("it is shipped");
    let mapping = load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
    let shape = ThreadShape::of(&[4, 2]).expect("it is one");
    // P1 stores and accesses y; then P0 reads what was before that store, does a read-modify-write,
    // and accesses y.
    let prefix =
        Prefix { order: vec![4, 5, 0, 1, 2, 3], sources: ReadSources::Given(vec![(0, None)]) };
    within(
        &mapping,
        &["R.RLX", "W.RLX", "R.NA", "W.NA", "RMW.RLX"],
        6,
        Programs::Guarded,
        |setting| {
            let reasons = ProgramRefuter::new(&mapping.source).reasons();
            assert_eq!(excluded(setting, &shape, &prefix, reasons, &[1], 20), 20);
        },
    );
}

/// What a certificate says was learned need not have been learned anywhere: whatever beginning of
/// an execution it names, if its form is accepted, the programs that it excludes race.
#[test]
fn programs_that_an_invented_lesson_excludes_race() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut invented = |shape: &ThreadShape, latest: bool| loop {
        let mut order: Vec<usize> = (0..shape.events()).filter(|_| next(6) > 0).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, next(i + 1));
        }
        let thread = shape.thread_of_events();
        if latest || next(2) == 0 {
            // As an interleaving would have them; a shuffle rarely does.
            for i in 0..order.len() {
                for j in i + 1..order.len() {
                    if thread[order[i]] == thread[order[j]] && order[i] > order[j] {
                        order.swap(i, j);
                    }
                }
            }
        }
        let mut sources: Vec<(usize, Option<usize>)> = Vec::new();
        for &read in &order {
            let from = order.get(next(order.len() + 1)).copied().filter(|&w| w != read);
            if next(2) == 0 {
                sources.push((read, from));
            }
        }
        let lesson = CertifiedLesson::Race { order, sources: (!latest).then_some(sources) };
        if let Some(Taught::Race(prefix)) = taught(&lesson, shape) {
            return prefix;
        }
    };
    let (mut lessons, mut programs) = (0, 0);
    for (name, only) in [
        (
            "rc11-to-ptx-relaxed-acquire-load",
            &["R.NA", "W.NA", "R.ACQ", "W.REL", "W.RLX", "RMW.RLX"][..],
        ),
        ("libcudacxx-3.5", &["R.NA", "W.NA", "RMW.ACQ_REL"]),
    ] {
        let file = library::built_in(name).expect("it is shipped");
        let mapping =
            load_text(&file, None, &LoadOptions::default()).expect("it is complete").mapping;
        for kind in [Programs::Guarded, Programs::Dependent { only_cyclic: false }] {
            for (shape, latest) in
                shapes(3).chain(shapes(4)).flat_map(|s| [(s.clone(), true), (s, false)])
            {
                within(&mapping, only, shape.events(), kind, |setting| {
                    let reasons = ProgramRefuter::new(&mapping.source).reasons();
                    for _ in 0..12 {
                        let prefix = invented(&shape, latest);
                        // Of a model whose beginnings do not go on, whole executions race, and only
                        // these.
                        for complete in [reasons.complete, true] {
                            let reasons = Reasons { complete, ..reasons };
                            let found = excluded(setting, &shape, &prefix, reasons, &[], 4);
                            lessons += usize::from(found > 0);
                            programs += found;
                        }
                    }
                });
            }
        }
    }
    assert!(lessons >= 40 && programs >= 3 * lessons, "{lessons} lessons, {programs} programs");
}
