//! The minimal tests of a model (docs/diff.md): forbidden, and allowed as soon as any one
//! instruction is removed, weakened by one step, or moved to a wider placement. After Lustig,
//! Wright, Papakonstantinou, Giroux: Automated Synthesis of Comprehensive Memory Model Litmus Test
//! Suites (ASPLOS 2017).

mod case;
mod options;

pub use options::{MAX_BOUND, SynthesisOptions};

use margay_litmus::corpus::Expected;
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::identity::Name;
use margay_litmus::render::render;
use margay_litmus::test::Test;
use margay_models::bits::Event;
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Execution;
use margay_models::model::Model;

use crate::compare::identity;
use crate::encode::{ComparisonExtent, SuiteSearch};
use crate::language::Mapping;
use crate::search::{Deepening, Progress, SearchBound, deepen};
use crate::witness::SearchFault;
use case::{SynthesisSetting, tests};

#[derive(Debug, Clone)]
pub struct MinimalTest {
    /// An execution that has the outcome. The model forbids it, and every other one that has.
    pub execution: Execution,
    /// The last write of each location in the outcome.
    pub finals: Vec<Option<Event>>,
    /// The number of events.
    pub events: usize,
    /// The program and outcome.
    pub test: Test,
    /// What both engines say of it.
    pub verdict: Expected,
    /// Its name up to isomorphism (`margay classify`), with the classic name of its shape if it has
    /// one.
    pub name: Name,
    /// The axioms that forbid it, by name: those that one execution with the outcome violates, as
    /// few as the search finds.
    pub violated: Vec<String>,
}

/// The tests of one bound.
#[derive(Debug, Clone)]
pub struct SynthesisEffort {
    /// The number of events.
    pub events: usize,
    /// The number of tests.
    pub tests: usize,
    /// Thread shapes that were not searched to the end.
    pub open: Vec<String>,
    /// Candidates whose outcome another coherence order explains.
    pub explained: usize,
}

/// A suite.
#[derive(Debug, Clone)]
pub struct SynthesisReport {
    /// The tests, smallest first.
    pub tests: Vec<MinimalTest>,
    /// One row for each bound that was searched.
    pub rows: Vec<SynthesisEffort>,
    /// Why the suite is not complete up to the bound, if it is not.
    pub undecided: Option<String>,
    /// The constructs that tests were made of.
    pub constructs: Vec<String>,
    /// The scopes that their operations had.
    pub scopes: Vec<String>,
}

/// Finds the minimal tests of a model.
///
/// # Errors
/// Options that do not fit the model.
pub fn synthesize(
    model: &Model,
    options: &SynthesisOptions,
    progress: &dyn Progress,
) -> Result<SynthesisReport, Vec<Diagnostic>> {
    let (extent, axioms) = options::resolve(model, options)?;
    let report = SynthesisReport {
        tests: Vec::new(),
        rows: Vec::new(),
        undecided: None,
        constructs: extent.constructs.iter().map(|c| c.name(model.signature)).collect(),
        scopes: extent.scopes.iter().map(|s| s.name().to_owned()).collect(),
    };
    let mapping = identity(model, model, &extent);
    let mut search = Synthesizing {
        model,
        options,
        extent,
        axioms,
        mapping,
        runner: Runner::new(model),
        report,
    };
    deepen(&mut search, options, progress)?;
    Ok(search.report)
}

/// A synthesis, as far as it is.
struct Synthesizing<'a> {
    model: &'a Model,
    options: &'a SynthesisOptions,
    extent: ComparisonExtent,
    /// The axioms of which a test violates one.
    axioms: Vec<usize>,
    /// The identity.
    mapping: Mapping,
    runner: Runner,
    report: SynthesisReport,
}

impl Deepening for Synthesizing<'_> {
    fn open(&self) -> Vec<usize> {
        if self.report.undecided.is_some() { Vec::new() } else { self.axioms.clone() }
    }

    fn decide(&mut self, bound: &SearchBound<'_>) {
        if let Err(fault) = self.tests(bound) {
            self.report.undecided = Some(fault.to_string());
        }
    }
}

impl Synthesizing<'_> {
    /// Adds the tests of a bound.
    fn tests(&mut self, bound: &SearchBound<'_>) -> Result<(), SearchFault> {
        let Self { model, options, extent, axioms, mapping, runner, report } = self;
        let (model, events) = (*model, bound.events);
        let mut suite = SuiteSearch::new(model, extent, events);
        let forbidden = suite.forbidden(axioms);
        let setting = SynthesisSetting { model, mapping, suite: &suite, forbidden, options };
        let names: Vec<String> = axioms.iter().map(|&i| model.checks[i].display_name()).collect();
        let done = bound.begin(bound.shapes.len(), &names);
        let by_shape = bound.pool.each(bound.shapes.len(), |i| {
            let tests = tests(&setting, &bound.shapes[i]);
            done.shape(&bound.shapes[i]);
            (&bound.shapes[i], tests)
        });
        let mut number = 1;
        let mut row = SynthesisEffort { events, tests: 0, open: Vec::new(), explained: 0 };
        for (shape, tests) in by_shape {
            let mut tests = tests?;
            tests.found.sort_by(|a, b| a.key.cmp(&b.key));
            row.tests += tests.found.len();
            row.explained += tests.explained;
            if !tests.complete {
                row.open.push(shape.to_string());
            }
            for found in tests.found {
                let name = format!("{}-{events}-{number:03}", model.name);
                number += 1;
                report.tests.push(confirmed(model, runner, found, &name, events)?);
            }
        }
        if !row.open.is_empty() {
            let shapes = row.open.join(", ");
            report.undecided = Some(format!(
                "thread shapes of {events} events that were not searched to the end: {shapes}"
            ));
        }
        report.rows.push(row);
        Ok(())
    }
}

/// The test of what was found, once both engines say that its outcome is forbidden.
fn confirmed(
    model: &Model,
    runner: &mut Runner,
    found: case::TestCandidate,
    name: &str,
    events: usize,
) -> Result<MinimalTest, SearchFault> {
    let wrong = |what: String| SearchFault::Disagreement(format!("{name}: {what}"));
    let description = format!("minimal for {}", model.name);
    let rendered = render(&found.execution, name, Some(&description), &found.finals)
        .map_err(|e| wrong(e.to_string()))?;
    let mut test = rendered.test;
    let name = Name::of(&test).map_err(|e| wrong(e.to_string()))?;
    if let Some(classic) = name.classic {
        test.description = Some(format!("{classic}, {description}"));
    }
    let verdict = runner
        .run(&test, &Options::default(), Choice::Both)
        .map_err(|e| wrong(format!("{e}\n{test}")))?;
    if verdict.reachable {
        return Err(wrong(format!("its outcome is allowed\n{test}")));
    }
    let forbidden = runner
        .forbidden(&test, &Options::default(), Choice::Auto)
        .map_err(|e| wrong(e.to_string()))?;
    let checks = forbidden.map(|f| f.checks).unwrap_or_default();
    Ok(MinimalTest {
        execution: found.execution,
        finals: found.finals,
        events,
        verdict: Expected::from(&verdict),
        name,
        violated: checks.into_iter().map(|c| model.checks[c].display_name()).collect(),
        test,
    })
}
