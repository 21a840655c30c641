//! A counterexample made presentable: litmus tests, outcome, words and pictures.

use margay_litmus::print::cuda_program;
use margay_litmus::render::render;
use margay_mappings::change::hint;
use margay_mappings::check::{CheckOptions, CheckReport, Counterexample};
use margay_mappings::language::Mapping;
use margay_models::picture::{Picture, dot, event_name, svg};
use margay_reports::change::RowChangeRecord;

use crate::change::row::change;

/// What the whole report is about.
pub struct CheckContext<'a> {
    pub mapping: &'a Mapping,
    /// What was asked.
    pub options: &'a CheckOptions,
    /// What was found.
    pub report: &'a CheckReport,
    /// The mapping as the command line has it: a file or a name.
    pub asked_as: &'a str,
    /// Seconds since the start.
    pub seconds: f64,
    /// What its assumed rows would add, if it has any.
    pub assumed: Option<super::assumed::AssumedRows>,
}

impl CheckContext<'_> {
    /// The cheapest changes of rows under which the first counterexample's program does not have
    /// its outcome.
    pub fn mended_by(&self) -> Option<Vec<RowChangeRecord>> {
        let changes = hint(self.mapping, self.report.foremost()?)?;
        Some(changes.iter().map(|c| change(self.mapping, c)).collect())
    }
}

/// A counterexample with everything that is shown of it.
pub struct PresentedCounterexample<'a> {
    pub counterexample: &'a Counterexample,
    /// The source program and outcome.
    pub source: String,
    /// The target program and outcome.
    pub target: String,
    /// The source program as CUDA C++, where it is scoped C++ that CUDA can say.
    pub cuda: Option<String>,
    pub outcome: String,
    /// Why the source forbids the execution, line by line.
    pub explanation: Vec<String>,
    /// The same in one sentence.
    pub summary: String,
    /// The cycle in words, edge by edge.
    pub around: String,
    /// The rows that its operations use, where the mapping tells uses apart or says where rows come
    /// from.
    pub rows: Vec<String>,
    /// The source execution with the violated cycle.
    pub source_picture: Picture,
    /// The target execution.
    pub target_picture: Picture,
}

impl<'a> PresentedCounterexample<'a> {
    /// Renders a counterexample.
    pub fn new(mapping: &Mapping, counterexample: &'a Counterexample) -> Self {
        let name = |side: &str| {
            format!("{}-{}-events-{side}", counterexample.axiom, counterexample.events)
        };
        let describe = |model: &str, verdict: &str| format!("{verdict} by {model}");
        let source = render(
            &counterexample.source,
            &name("source"),
            Some(&describe(
                &mapping.source.name,
                &format!("forbidden (axiom {})", counterexample.axiom),
            )),
            &counterexample.finals,
        );
        let target = render(
            &counterexample.target,
            &name("target"),
            Some(&describe(&mapping.target.name, "allowed")),
            &counterexample.target_finals,
        );
        let text = |r: &Result<
            margay_litmus::render::Rendered,
            margay_litmus::render::RenderError,
        >| match r {
            Ok(r) => r.test.to_string().trim_end().to_owned(),
            Err(e) => format!("(this execution has no litmus test: {e})"),
        };
        let outcome = match &source {
            Ok(r) => outcome_of(&r.test.to_string()),
            Err(e) => format!("({e})"),
        };
        let is_gpu = mapping.target.signature.tabular().is_none();
        let names = |e| event_name(&counterexample.source, e);
        let violation = counterexample.violation.as_ref();
        let (mut explanation, mut around) = match violation {
            Some(violation) => (violation.words(&names), violation.around(&names)),
            None => Default::default(),
        };
        // Where executions choose an order of their fences, one is shown.
        if counterexample.source.sync_fence.pairs().next().is_some() {
            const ORDERS: &str = "every other order of the fences violates an axiom, too";
            explanation.push(ORDERS.to_owned());
            around = format!("{around}; {ORDERS}");
        }
        Self {
            counterexample,
            // Of no use to who compiles for another machine.
            cuda: source.as_ref().ok().filter(|_| is_gpu).and_then(|r| cuda_program(&r.test).ok()),
            source: text(&source),
            target: text(&target),
            outcome,
            explanation,
            summary: violation.map(|v| v.summary(&names)).unwrap_or_default(),
            around,
            rows: rows(mapping, counterexample),
            source_picture: Picture::of(
                &format!("{}: forbidden by {}", mapping.source.name, counterexample.axiom),
                &counterexample.source,
                violation,
            ),
            target_picture: Picture::of(
                &format!("{}: allowed", mapping.target.name),
                &counterexample.target,
                None,
            ),
        }
    }

    /// What follows from it, and why: in one line.
    pub fn standing(&self) -> String {
        let c = self.counterexample;
        match c.race {
            Some([a, b]) => {
                let name = |e| event_name(&c.source, e);
                format!(
                    "{}; {} and {} race in another execution of it",
                    c.status.words(),
                    name(a),
                    name(b)
                )
            }
            None => c.status.words().to_owned(),
        }
    }

    /// The pictures as graphs for Graphviz: source, target.
    pub fn dots(&self) -> (String, String) {
        (
            dot(&self.counterexample.source, &self.source_picture),
            dot(&self.counterexample.target, &self.target_picture),
        )
    }

    /// The pictures as SVG: source, target.
    pub fn svgs(&self) -> (String, String) {
        (
            svg(&self.counterexample.source, &self.source_picture),
            svg(&self.counterexample.target, &self.target_picture),
        )
    }
}

/// `Ra:ACQ x: RMW.ACQ.s nand b8 => atom.acquire.s.b32 (ptx f7880e6944d0)`, operation by operation.
fn rows(mapping: &Mapping, c: &Counterexample) -> Vec<String> {
    if mapping.rows.iter().flat_map(|r| &r.alternatives).all(|l| l.uses.is_empty()) {
        return Vec::new();
    }
    let Some(named) = margay_mappings::naming::name(mapping, &c.source, &c.target, &c.origin)
    else {
        return Vec::new();
    };
    let line = |o: &margay_mappings::naming::NamedOperation| {
        let body = mapping.rows[o.row].lowering_text(mapping.target.signature, o.lowering(mapping));
        let from = o.from.as_ref().map_or(String::new(), |f| {
            let evidence = &mapping.about.evidence[f.evidence];
            let hash = f.hash.as_ref().map_or(String::new(), |h| format!(" {h}"));
            format!(" ({}{hash})", evidence.name)
        });
        format!("{}: {} => {body}{from}", event_name(&c.source, o.head), o.text(mapping))
    };
    named.operations.iter().map(line).collect()
}

/// The condition of a test: what its last lines say after `exists`.
pub fn outcome_of(test: &str) -> String {
    let start = test.rfind("exists").map_or(test.len(), |i| i + "exists".len());
    test[start..].split_whitespace().collect::<Vec<_>>().join(" ")
}
