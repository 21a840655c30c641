//! One program: what a mapping makes of it, and whether its outcome is a counterexample. What the
//! search finds is so asked about again after an edit, and a program that somebody wrote is
//! compiled by the rows of a table.
//!
//! The whole program is compiled, every path of every thread, and asked whether it has the outcome:
//! every execution counts that satisfies the condition, whatever it does where the condition does
//! not look.

use std::collections::BTreeSet;
use std::time::Instant;

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::{Error, Options, TestVerdict, Witness};
use margay_litmus::render::render;
use margay_litmus::test::{CInteger, Test, apart, divisions};
use margay_litmus::unfold::{
    self, Binary, Compiled, Emitted, EmittedAs, PathOperation, RmwFunction, SourcePaths,
    UnfoldingBounds,
};
use margay_models::bits::{BitMatrix, Event};
use margay_models::diagnostic::Span;
use margay_models::execution::{Execution, Kind, Order, Placement, Scope};
use margay_models::explain::{self, Violation};
use margay_models::judge::Judge;
use margay_models::model::{CheckKind, Model, Role};
use margay_models::signature::{BaseRelation, Construct, Operation};

use crate::encode::classes::{ObjectWidth, keys, types};
use crate::language::kind::{KindSet, OPERATIONS, RowUses, TYPES, bits};
use crate::language::{
    self, EventHalf, Lowering, LoweringForm, Mapping, Row, ScopePattern, StepScope,
};

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramVerdict {
    /// The program has no race and cannot have the outcome; what it is compiled to can.
    Counterexample,
    /// The source model allows the outcome.
    SourceAllows,
    /// The program races, so that the source model allows everything.
    Races,
    /// The target model forbids the outcome.
    TargetForbids,
}

impl ProgramVerdict {
    /// In words, behind the names of the models.
    pub fn words(self) -> &'static str {
        match self {
            Self::Counterexample => "program: a compiler bug",
            Self::SourceAllows => "the source allows the outcome",
            Self::Races => "the program races, and may do anything",
            Self::TargetForbids => "what it is compiled to cannot have the outcome",
        }
    }
}

/// A program with an outcome, compiled.
#[derive(Debug, Clone)]
pub struct ProgramAnswer {
    pub answer: ProgramVerdict,
    /// Is it about so many turns of each loop at most, as one was cut off?
    pub turns: Option<usize>,
    /// An execution of the source with the outcome, allowed or not. If it is not allowed, it is the
    /// target's, read back.
    pub source: Execution,
    /// Why the source forbids it, if it does.
    pub violation: Option<Violation>,
    /// The compiled program of that execution, and the outcome, as a litmus test of the target; or
    /// why there is none.
    pub target: Result<Test, String>,
    /// What the target model says of the outcome.
    pub allowed: bool,
    /// An execution of the target with the outcome, allowed or not.
    pub target_execution: Execution,
    /// The types that objects have where the table differs by them and the program does not say:
    /// location and type.
    pub types: Vec<(String, &'static str)>,
    /// Does an exchange of the program stand for another read-modify-write, which the table
    /// compiles in another way?
    pub any_function: bool,
    /// Do the threads run in other places than each in a cta of its own on one gpu? The source
    /// model sees no places, and the test names none.
    pub elsewhere: bool,
    /// Were several ways to place the threads tried?
    pub anywhere: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// An engine gave up, or the test does not fit a model.
    Engine(Error),
    /// No execution has the outcome, whatever a model says: no write has the value that is asked
    /// for, in so many turns of each loop if one was cut off.
    NoExecution(Option<usize>),
    /// The mapping has no row for these operations, by the left-hand sides that would be.
    NoRow(Vec<String>),
    /// The mapping has rows for each operation, but for those on a location no type that all of
    /// them are for.
    NoType(String),
    /// The program has this operation on a barrier: what it is compiled to counts arrivals, and the
    /// program that is asked about counts none.
    Barrier(String),
    /// There are more ways to compile the program than are tried: ways to do what.
    TooMany(&'static str),
}

/// The program compiled in one way, and what the target says of it.
struct CompiledRun {
    compiled: Compiled,
    verdict: TestVerdict,
    types: Vec<(String, &'static str)>,
    any_function: bool,
    elsewhere: bool,
}

/// In which ways a program is compiled: by each table, with each choice of types, with its threads
/// as they are and elsewhere.
struct CompilationWays<'a> {
    mapping: &'a Mapping,
    /// The program as it is.
    test: &'a Test,
    tables: &'a [ProgramRows<'a>],
    /// Of the program as it is.
    paths: &'a SourcePaths,
    /// Other places of its threads.
    elsewhere: &'a OtherPlaces,
    bounds: UnfoldingBounds,
}

impl CompilationWays<'_> {
    /// The first way in which the compiled program has the outcome, or else the first one.
    fn first_run(
        &self,
        target: &mut Runner,
        options: &Options,
    ) -> Result<Option<CompiledRun>, Refusal> {
        let (mut first, mut lost) = (None, None);
        for places in std::iter::once(None).chain(self.elsewhere.tried.iter().map(Some)) {
            let placed = places.map(|places| placed(self.test, places));
            let moved = placed
                .map(|test| SourcePaths::new(&test, self.mapping.source.signature, self.bounds))
                .transpose();
            let moved = moved.map_err(unfolding)?;
            let paths = moved.as_ref().unwrap_or(self.paths);
            for table in self.tables {
                for typed in table.typings()? {
                    let mut emit = |operation: &PathOperation| table.emitted(operation, &typed);
                    let compiled = paths
                        .compiled(self.mapping.target.signature, MOST_WAYS, &mut emit)
                        .map_err(unfolding)?;
                    let compiled =
                        compiled.ok_or(Refusal::TooMany("to compile one of its threads"))?;
                    if compiled.is_empty() {
                        continue;
                    }
                    let verdict = match target
                        .run_program(compiled.program(), options)
                        .and_then(TestVerdict::without_gap)
                    {
                        Ok(verdict) => verdict,
                        // Its executions are lost, which decides nothing unless another way has the
                        // outcome.
                        Err(error @ Error::Open(_)) => {
                            lost = Some(error);
                            continue;
                        }
                        Err(error) => return Err(Refusal::Engine(error)),
                    };
                    let allowed = verdict.reachable;
                    if allowed || first.is_none() {
                        let (types, any_function) = (table.said(&typed), table.any_function);
                        first = Some(CompiledRun {
                            compiled,
                            verdict,
                            types,
                            any_function,
                            elsewhere: moved.is_some(),
                        });
                    }
                    if allowed {
                        return Ok(first);
                    }
                }
            }
        }
        if let Some(error) = lost {
            return Err(Refusal::Engine(error));
        }
        if self.elsewhere.has_more {
            return Err(Refusal::TooMany(
                "to place its threads, of which it does not say where they run (`P0@wg 0,dev 0`),",
            ));
        }
        Ok(first)
    }
}

/// The places of threads that a test does not say.
#[derive(Default)]
struct OtherPlaces {
    tried: Vec<Vec<Placement>>,
    /// Are there more than are tried?
    has_more: bool,
}

/// The test with its threads in these places.
fn placed(test: &Test, places: &[Placement]) -> Test {
    let mut test = test.clone();
    for (thread, place) in test.threads.iter_mut().zip(places) {
        thread.placement = Some(*place);
    }
    test
}

fn unfolding(error: unfold::UnfoldError) -> Refusal {
    Refusal::Engine(Error::Unfold(error))
}

/// The most ways to give types to objects that are tried, and to compile a thread.
const MOST_WAYS: usize = 1000;

/// The most ways to place the threads that are tried: six threads with two narrow scopes have
/// 2,471, seven 19,302. Of more the one alone is tried in which no two threads share a group, where
/// a scope that is too narrow shows.
const MOST_PLACES: usize = 20_000;

/// Asks about the outcome of a test. Where the mapping has several lowerings for an operation,
/// every one is tried.
///
/// # Errors
/// See [`Refusal`].
pub fn ask(
    mapping: &Mapping,
    test: &Test,
    deadline: Option<Instant>,
) -> Result<ProgramAnswer, Refusal> {
    let options = Options { deadline, ..Options::default() };
    let said = Runner::new(&mapping.source)
        .run(test, &options, Choice::Auto)
        .and_then(TestVerdict::without_gap)
        .map_err(Refusal::Engine)?;
    let mut target = Runner::new(&mapping.target);
    // What a load writes back is a write: a loop that loads so does not only wait.
    let writes_back = |l: &Lowering| l.writes_back(Operation::Read);
    let of_loads = mapping
        .rows
        .iter()
        .filter(|row| row.construct.operation == Operation::Read)
        .flat_map(|row| &row.alternatives);
    let skip_waiting = target.may_skip_waiting() && !of_loads.into_iter().any(writes_back);
    let bounds = UnfoldingBounds { skip_waiting, ..UnfoldingBounds::default() };
    let paths = SourcePaths::new(test, mapping.source.signature, bounds).map_err(unfolding)?;
    let operations = paths.operations();
    let signature = mapping.source.signature;
    // The read of an arrival carries its tag, as a wait does.
    let reading = |o: &PathOperation| {
        let operation = if o.write.is_some() { Operation::Rmw } else { Operation::Read };
        Construct { operation, order: o.first.order }
    };
    if let Some(construct) = operations.iter().map(reading).find(|&c| signature.is_of_barrier(c)) {
        return Err(Refusal::Barrier(construct.name(signature)));
    }
    let mut tables = vec![ProgramRows::new(mapping, test, &operations, false)];
    // What the search calls an exchange may be any read-modify-write of its row.
    let any = ProgramRows::new(mapping, test, &operations, true);
    if any.rows != tables[0].rows {
        tables.push(any);
    }
    let elsewhere = if said.reachable || said.racy == Some(true) {
        OtherPlaces::default()
    } else {
        elsewhere(mapping, test, &tables)
    };
    let anywhere = !elsewhere.tried.is_empty();
    let ways = CompilationWays {
        mapping,
        test,
        tables: &tables,
        paths: &paths,
        elsewhere: &elsewhere,
        bounds,
    };
    let first = ways.first_run(&mut target, &options)?;
    let missing = &tables[0].missing;
    let no_row = || Refusal::NoRow(missing.iter().cloned().collect());
    let CompiledRun { compiled, verdict, types, any_function, elsewhere } =
        first.ok_or_else(no_row)?;
    let answer = answer(&said, verdict.reachable);
    // Paths without rows were left out: what they may do nobody knows.
    if answer != ProgramVerdict::Counterexample && !missing.is_empty() {
        return Err(no_row());
    }
    let bounded = match answer {
        ProgramVerdict::Counterexample => said.bounded,
        ProgramVerdict::TargetForbids => said.bounded || verdict.bounded,
        ProgramVerdict::SourceAllows | ProgramVerdict::Races => false,
    };
    let none = || Refusal::NoExecution(verdict.bounded.then_some(bounds.unroll));
    let witness = match verdict.witness.clone() {
        Some(witness) => witness,
        None => {
            forbidden(&mapping.target, &|runner| runner.run_program(compiled.program(), &options))?
                .ok_or_else(none)?
        }
    };
    let source = match (said.witness, compiled.read_back(&witness)) {
        (Some(allowed), _) => allowed.execution,
        (None, Some(read_back)) => read_back,
        // What is written back comes from nowhere there: the source has no such write, and its own
        // execution is another one.
        (None, None) => {
            let own =
                forbidden(&mapping.source, &|runner| runner.run(test, &options, Choice::Auto))?;
            own.ok_or_else(none)?.execution
        }
    };
    let violation = if said.reachable { None } else { violation(&mapping.source, &source) };
    let Witness { execution: target_execution, finals, .. } = witness;
    let finals = last_writes(&target_execution, &finals);
    let rendered = render(&target_execution, &format!("{}-compiled", test.name), None, &finals);
    Ok(ProgramAnswer {
        answer,
        turns: bounded.then_some(bounds.unroll),
        source,
        violation,
        target: rendered.map(|r| r.test).map_err(|e| e.to_string()),
        allowed: verdict.reachable,
        target_execution,
        types,
        any_function,
        elsewhere,
        anywhere,
    })
}

/// All other places of the test's threads that the rows of its operations or the target tell apart.
/// None where the source model sees where threads run, or the test says it.
fn elsewhere(mapping: &Mapping, test: &Test, tables: &[ProgramRows<'_>]) -> OtherPlaces {
    if mapping.source.is_scoped() || test.threads.iter().any(|thread| thread.placement.is_some()) {
        return OtherPlaces::default();
    }
    let lowerings =
        tables.iter().flat_map(|table| &table.rows).flat_map(|(_, lowerings)| lowerings);
    let steps = lowerings.flat_map(|lowering| &lowering.steps);
    let named = steps.filter_map(|step| match step.scope {
        StepScope::Named(scope) => Some(scope),
        StepScope::Same | StepScope::None => None,
    });
    let levels: Vec<Scope> = named
        .chain(Scope::LEVELS.into_iter().filter(|&scope| mapping.target.mentions_level(scope)))
        .collect();
    let threads = test.threads.len();
    let (ways, has_more) = match divisions(threads, &levels, MOST_PLACES) {
        Some(ways) => (ways, false),
        None => (vec![apart(threads, &levels)], true),
    };
    let is_apart = |scope: Scope, places: &[Placement]| {
        let pairs =
            places.iter().enumerate().flat_map(|(i, a)| places[..i].iter().map(move |b| (a, b)));
        pairs.into_iter().all(|(a, b)| a.shares(scope, *b) == (scope >= Scope::Gpu))
    };
    let as_it_is = |places: &[Placement]| levels.iter().all(|&scope| is_apart(scope, places));
    OtherPlaces { tried: ways.into_iter().filter(|places| !as_it_is(places)).collect(), has_more }
}

fn answer(source: &TestVerdict, target_allows: bool) -> ProgramVerdict {
    match () {
        () if source.racy == Some(true) => ProgramVerdict::Races,
        () if source.reachable => ProgramVerdict::SourceAllows,
        () if target_allows => ProgramVerdict::Counterexample,
        () => ProgramVerdict::TargetForbids,
    }
}

/// An execution of a program with the outcome, which the model forbids: by as few axioms as
/// possible, and a coherent one if there is one. As long as there is another one, no
/// read-modify-write of it reads what comes of its own write.
fn forbidden(
    model: &Model,
    run: &dyn Fn(&mut Runner) -> Result<TestVerdict, Error>,
) -> Result<Option<Witness>, Refusal> {
    let axioms: Vec<usize> = model.axioms().map(|(i, _)| i).collect();
    let mut found: Option<Witness> = None;
    let without = |dropped: &[usize]| {
        let mut weaker = model.clone();
        let mut number = 0..;
        weaker.checks.retain(|_| number.next().is_none_or(|i| !dropped.contains(&i)));
        weaker
    };
    // One axiom is left out, or all but one, or all.
    let but = |kept: &usize| axioms.iter().copied().filter(|a| a != kept).collect::<Vec<_>>();
    let sets: Vec<Vec<usize>> = axioms
        .iter()
        .map(|&axiom| vec![axiom])
        .chain(axioms.iter().map(but))
        .chain([axioms.clone()])
        .collect();
    let with_origins = sets.iter().map(|dropped| without(dropped).asking_for_origins());
    for weaker in with_origins.chain([without(&axioms)]) {
        let verdict = run(&mut Runner::new(&weaker)).map_err(Refusal::Engine)?;
        if let Some(witness) = verdict.witness {
            if is_coherent(&witness.execution) {
                return Ok(Some(witness));
            }
            found.get_or_insert(witness);
        }
    }
    Ok(found)
}

/// Is what each location goes through an order that every thread agrees with?
fn is_coherent(x: &Execution) -> bool {
    let n = x.size();
    let same = |&(a, b): &(Event, Event)| x.physical(a).is_some() && x.physical(a) == x.physical(b);
    let steps = x.po.pairs().filter(same).chain(x.rf.pairs()).chain(x.co.pairs());
    let mut reached =
        BitMatrix::from_pairs(n, steps.chain(x.base_relation(BaseRelation::Fr).pairs()));
    for via in (0..n).map(Event::from) {
        let behind = reached.row(via).to_set();
        for from in
            (0..n).map(Event::from).filter(|&from| reached.contains(from, via)).collect::<Vec<_>>()
        {
            reached.insert_all(from, behind.as_row());
        }
    }
    !(0..n).map(Event::from).any(|e| reached.contains(e, e))
}

/// Why a model forbids an execution: the axiom that says most, which a cycle does.
fn violation(model: &Model, execution: &Execution) -> Option<Violation> {
    let holds = Judge::new(model).judge(execution).holds;
    let mut failed: Vec<usize> = (0..model.checks.len())
        .filter(|&i| model.checks[i].role == Role::Axiom && !holds[i])
        .collect();
    failed.sort_by_key(|&i| (model.checks[i].kind == CheckKind::Empty, i));
    failed.into_iter().find_map(|check| explain::violation(model, execution, check))
}

/// The last write of each location: the one that is asked for, or that of modification order.
fn last_writes(execution: &Execution, asked: &[Option<Event>]) -> Vec<Option<Event>> {
    let location = |e: Event| execution.events[e.index()].location;
    let is_write = |e: Event| execution.co.pairs().any(|(a, b)| a == e || b == e);
    let last = |l: usize| {
        let mut writes = (0..execution.size())
            .map(Event::from)
            .filter(|&e| is_write(e) && location(e) == Some(l as u16));
        writes.find(|&e| execution.co.row(e).is_empty())
    };
    (0..execution.locations.len())
        .map(|l| asked.get(l).copied().flatten().or_else(|| last(l)))
        .collect()
}

/// The rows of a mapping, for one program.
struct ProgramRows<'a> {
    mapping: &'a Mapping,
    /// The operations of the program that have rows, each with its lowerings.
    rows: Vec<(PathOperation, Vec<&'a Lowering>)>,
    /// The left-hand sides of the rows that there are not.
    missing: BTreeSet<String>,
    /// The names of the locations.
    locations: Vec<String>,
    /// Of each location the width of its objects, where the program says it.
    declared: Vec<Option<u16>>,
    /// The types that rows speak of.
    all: KindSet,
    /// Does an exchange stand for every read-modify-write of its row?
    any_function: bool,
}

impl<'a> ProgramRows<'a> {
    fn new(
        mapping: &'a Mapping,
        test: &Test,
        operations: &[PathOperation],
        any_function: bool,
    ) -> Self {
        let locations: Vec<String> = test.locations.iter().map(|l| l.name.clone()).collect();
        let declared = locations.iter().map(|name| declared(test, name)).collect();
        let mut table = Self {
            mapping,
            rows: Vec::new(),
            missing: BTreeSet::new(),
            locations,
            declared,
            all: types(mapping),
            any_function,
        };
        for operation in operations {
            match table.lowerings(operation) {
                Ok(lowerings) => table.rows.push((operation.clone(), lowerings)),
                Err(head) => drop(table.missing.insert(head)),
            }
        }
        table
    }

    /// What an operation may be lowered to; the left-hand side that is missing, if there is none.
    fn lowerings(&self, operation: &PathOperation) -> Result<Vec<&'a Lowering>, String> {
        let signature = self.mapping.source.signature;
        let first = &operation.first;
        let (of, order) = match (first.kind, &operation.write) {
            (Kind::Read, Some(write)) => match signature.whole(first.order, write.order) {
                Some(whole) => (Operation::Rmw, whole.order),
                None => return Err("a read-modify-write with these orders".to_owned()),
            },
            (Kind::Read, None) => (Operation::Read, first.order),
            (Kind::Write, _) => (Operation::Write, first.order),
            (Kind::Fence, _) => (Operation::Fence, first.order),
            (Kind::ProxyFence, _) => return Err("a fence between proxies".to_owned()),
            (Kind::AsyncWait, _) => return Err("a wait for asynchronous operations".to_owned()),
            (Kind::BarrierArrive | Kind::BarrierWait | Kind::Init, _) => {
                return Err("a barrier".to_owned());
            }
        };
        let construct = Construct { operation: of, order };
        let (form, other_order) = match (operation.function, &operation.write) {
            (Some(RmwFunction::CompareAndSwap { failure, .. }), Some(_)) => {
                (LoweringForm::CompareExchange, Some(failure))
            }
            (Some(RmwFunction::CompareAndSwap { success: [read, write], .. }), None) => (
                LoweringForm::FailedCompareExchange,
                signature.whole(read, write).map(|whole| whole.order),
            ),
            _ => (LoweringForm::Usual, None),
        };
        let other_order =
            other_order.filter(|_| form != LoweringForm::Usual && language::is_c(signature));
        let row = self.mapping.row(construct, first.scope);
        let of_form = |form: LoweringForm| -> Vec<&'a Lowering> {
            row.into_iter().flat_map(|row| &row.alternatives).filter(|l| l.form == form).collect()
        };
        let mut found = of_form(form);
        let is_left = |row: &Row, form: LoweringForm| self.mapping.about.is_left(row, form);
        let function = match (operation.function, form) {
            (Some(RmwFunction::Exchange), LoweringForm::Usual) if self.any_function => None,
            (Some(function), LoweringForm::Usual) => Some(names(function)),
            // A row of a read-modify-write is for every kind of it that has no rows of its own.
            (Some(_), LoweringForm::CompareExchange)
                if found.is_empty() && !row.is_some_and(|row| is_left(row, form)) =>
            {
                found = of_form(LoweringForm::Usual);
                Some(names(RmwFunction::Exchange))
            }
            _ => None,
        };
        let is_for = |l: &&Lowering| {
            let does = function.as_ref().is_none_or(|names| l.is_for_function(*names));
            does && (l.form == LoweringForm::Usual || l.is_for_pair(other_order))
        };
        found.retain(is_for);
        if found.is_empty() { Err(self.head(construct, form, other_order, row)) } else { Ok(found) }
    }

    /// The left-hand side of a row that there is not.
    fn head(
        &self,
        construct: Construct,
        form: LoweringForm,
        other_order: Option<Order>,
        row: Option<&Row>,
    ) -> String {
        let scope = row.map_or(ScopePattern::Any(None), |row| row.scope.clone());
        let row = Row {
            construct,
            scope,
            alternatives: Vec::new(),
            span: Span::default(),
            failures_apart: false,
        };
        // A table that tells pairs of orders apart lacks this pair.
        let tells =
            |l: &Lowering| l.form == form && l.uses.iter().any(|u| u.when.partner.is_some());
        let pairs = self.mapping.rows.iter().flat_map(|r| &r.alternatives).any(tells);
        let partner = other_order.filter(|_| pairs);
        row.head_for(self.mapping.source.signature, form, RowUses { partner, ..RowUses::default() })
    }

    /// The types and widths that an operation may be compiled for.
    fn keys(&self, lowerings: &[&Lowering], location: usize) -> Vec<ObjectWidth> {
        let mut all: Vec<ObjectWidth> = lowerings.iter().flat_map(|l| keys(l, self.all)).collect();
        let is_declared = |key: &ObjectWidth| match self.declared[location] {
            Some(width) => {
                bits(key.0) == width && TYPES[key.0].starts_with('b') && TYPES[key.0] != "bf16"
            }
            None => true,
        };
        all.retain(is_declared);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The ways to give each location a type for which all its operations have rows; types that no
    /// row tells apart are one way.
    fn typings(&self) -> Result<Vec<Vec<Option<ObjectWidth>>>, Refusal> {
        let mut ways: Vec<Vec<Option<ObjectWidth>>> = vec![Vec::new()];
        for (location, name) in self.locations.iter().enumerate() {
            let here = self
                .rows
                .iter()
                .filter(|(o, _)| o.first.location.map(usize::from) == Some(location));
            let here: Vec<&Vec<&Lowering>> = here.map(|(_, lowerings)| lowerings).collect();
            let mut choices = vec![None];
            if !self.all.is_empty() && !here.is_empty() {
                let of: Vec<Vec<ObjectWidth>> =
                    here.iter().map(|lowerings| self.keys(lowerings, location)).collect();
                let mut common: Vec<ObjectWidth> = of[0]
                    .iter()
                    .copied()
                    .filter(|key| of.iter().all(|keys| keys.contains(key)))
                    .collect();
                // Those that programmers use come first.
                let rank = |key: &ObjectWidth| {
                    (
                        ["b32", "b64", "b16", "b8"]
                            .iter()
                            .position(|t| *t == TYPES[key.0])
                            .unwrap_or(9),
                        *key,
                    )
                };
                common.sort_by_key(rank);
                let mut known: Vec<Vec<bool>> = Vec::new();
                common.retain(|key| {
                    let class: Vec<bool> = here
                        .iter()
                        .flat_map(|lowerings| {
                            lowerings.iter().map(|l| keys(l, self.all).contains(key))
                        })
                        .collect();
                    let is_new = !known.contains(&class);
                    known.push(class);
                    is_new
                });
                if common.is_empty() {
                    return Err(Refusal::NoType(name.clone()));
                }
                choices = common.into_iter().map(Some).collect();
            }
            let longer = ways
                .iter()
                .flat_map(|way| choices.iter().map(|&choice| [way.as_slice(), &[choice]].concat()));
            ways = longer.collect();
            if ways.len() > MOST_WAYS {
                return Err(Refusal::TooMany("to give types to its objects"));
            }
        }
        Ok(ways)
    }

    /// What may be emitted for an operation.
    fn emitted(&self, operation: &PathOperation, typed: &[Option<ObjectWidth>]) -> Vec<Emitted> {
        let Some((_, lowerings)) = self.rows.iter().find(|(known, _)| known == operation) else {
            return Vec::new();
        };
        let key =
            operation.first.location.and_then(|l| typed.get(usize::from(l)).copied().flatten());
        let mut different: Vec<&Lowering> = Vec::new();
        for lowering in
            lowerings.iter().filter(|l| key.is_none_or(|key| keys(l, self.all).contains(&key)))
        {
            let emits = |l: &Lowering| (l.steps.clone(), l.dependencies);
            if !different.iter().any(|known| emits(known) == emits(lowering)) {
                different.push(lowering);
            }
        }
        different.into_iter().map(|lowering| emitted(lowering, operation)).collect()
    }

    /// The types of a way, where the program does not say them and the table differs by them.
    fn said(&self, typed: &[Option<ObjectWidth>]) -> Vec<(String, &'static str)> {
        let of = self.locations.iter().zip(typed).zip(&self.declared);
        of.filter(|(_, declared)| declared.is_none())
            .filter_map(|((name, key), _)| Some((name.clone(), TYPES[(*key)?.0])))
            .filter(|(_, ty)| *ty != "b32")
            .collect()
    }
}

/// The width of what a parameter points to. `int` is what programs say that do not care, unless
/// they say other types, too.
fn declared(test: &Test, location: &str) -> Option<u16> {
    let parameters = || test.threads.iter().flat_map(|t| &t.parameters);
    let all_int = parameters().all(|p| p.ty.integer == CInteger::Int);
    let of = parameters().find(|p| p.name == location)?;
    (!all_int).then(|| u16::from(of.ty.integer.integer().bits))
}

/// The operations of read-modify-writes that do this. What is smaller depends on signs, which
/// values do not have here.
fn names(function: RmwFunction) -> KindSet {
    let names: &[&str] = match function {
        RmwFunction::Exchange | RmwFunction::CompareAndSwap { .. } => &["exch"],
        RmwFunction::Apply(operator) => match operator {
            Binary::Add => &["add"],
            Binary::Subtract => &["sub"],
            Binary::And => &["and"],
            Binary::Or => &["or"],
            Binary::Xor => &["xor"],
            Binary::Min | Binary::MinUnsigned => &["min", "umin"],
            Binary::Max | Binary::MaxUnsigned => &["max", "umax"],
            Binary::Increment => &["inc"],
            Binary::Decrement => &["dec"],
            _ => &[],
        },
    };
    KindSet::named(names, &OPERATIONS)
}

fn emitted(lowering: &Lowering, operation: &PathOperation) -> Emitted {
    let of = match (operation.first.kind, &operation.write) {
        (Kind::Read, Some(_)) => Operation::Rmw,
        (Kind::Read, None) => Operation::Read,
        (Kind::Write, _) => Operation::Write,
        _ => Operation::Fence,
    };
    let exchanges = lowering.stores_by_exchange(of);
    let is_exchange = operation.function == Some(RmwFunction::Exchange) || exchanges;
    // One that succeeds is shown as what it is, by a row of all read-modify-writes, too.
    let compares = matches!(operation.function, Some(RmwFunction::CompareAndSwap { .. }))
        && of == Operation::Rmw;
    let mut events = Vec::new();
    for (mut data, half) in lowering.events(of, operation.first.thread, operation.first.scope) {
        let modifies = half == Some(EventHalf::Write)
            || data.writes_back
            || (exchanges && half == Some(EventHalf::First));
        let emitted_as = match half {
            Some(EventHalf::First) => EmittedAs::First,
            Some(EventHalf::Write) => EmittedAs::Write,
            None => EmittedAs::Beside,
        };
        data.compare |= compares && half.is_some();
        data.exchange = is_exchange && modifies
            || exchanges && data.unused
            || is_exchange && half == Some(EventHalf::First);
        events.push((data, emitted_as, modifies));
    }
    let behind_access = usize::from(lowering.writes_back(of));
    let dependencies = lowering
        .dependencies
        .iter()
        .map(|(d, behind)| (d.relation(), behind_access + behind))
        .collect();
    Emitted { events, dependencies }
}
