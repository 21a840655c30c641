//! The report as JSON (docs/json.md).

use margay_mappings::check::{AxiomReport, Listed, Row, Verdict};
use serde_json::{Value, json};

use super::human::answer;
use super::present::{Context, Presented};
use crate::output::SCHEMA;
use crate::violation;

fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::None => "none",
        Verdict::Counterexample => "counterexample",
        Verdict::Undecided(_) => "undecided",
    }
}

fn row(row: &Row) -> Value {
    json!({
        "bound": row.bound,
        "verdict": verdict(&row.verdict),
        "seconds": row.seconds,
        "shapes": row.shapes,
        "variables": row.variables,
        "clauses": row.clauses,
        "conflicts": row.conflicts,
        "racy": row.racy,
        "explained": row.explained,
    })
}

fn axiom(axiom: &AxiomReport) -> Value {
    let last = axiom.rows.last();
    json!({
        "axiom": axiom.axiom,
        "verdict": verdict(&axiom.verdict),
        "bound": axiom.bound,
        "seconds": axiom.rows.iter().map(|r| r.seconds).sum::<f64>(),
        "shapes": axiom.rows.iter().map(|r| r.shapes).sum::<usize>(),
        "variables": last.map_or(0, |r| r.variables),
        "clauses": last.map_or(0, |r| r.clauses),
        "conflicts": axiom.rows.iter().map(|r| r.conflicts).sum::<u64>(),
        "rows": axiom.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// A counterexample.
pub fn counterexample(shown: &Presented<'_>) -> Value {
    let c = shown.counterexample;
    let name = |e| margay_models::picture::event_name(&c.source, e);
    let (source_svg, target_svg) = shown.svgs();
    let events: Vec<Value> = (0..c.source.size())
        .map(margay_models::bits::Event::from)
        .map(|e| json!({ "name": name(e), "event": margay_models::picture::event_label(&c.source, e) }))
        .collect();
    let mut object = json!({
        "axiom": c.axiom,
        "events": c.events,
        "status": c.status,
        "race": c.race.map(|pair| pair.map(name)),
        "guards": c.guards,
        "computed": c.computed,
        "threads": c.source.threads.len(),
        "locations": c.source.locations.len(),
        "source_litmus": shown.source,
        "source_cuda": shown.cuda,
        "target_litmus": shown.target,
        "outcome": shown.outcome,
        "source_events": events,
        "summary": shown.summary,
        "cycle_in_words": shown.around,
        "explanation": shown.explanation,
        "rows": shown.rows,
        "source_svg": source_svg,
        "target_svg": target_svg,
    });
    violation::insert(&mut object, c.violation.as_ref(), &name);
    object
}

/// How many counterexamples `--next` has to show.
fn listed(listed: &Listed) -> Value {
    json!({ "axiom": listed.axiom, "events": listed.events, "of": listed.of, "more": listed.more })
}

/// The whole report.
pub fn object(context: &Context<'_>, presented: &[Presented<'_>]) -> Value {
    let Context { mapping, options, report, seconds, assumed, .. } = context;
    let reason = match &report.verdict {
        Verdict::Undecided(why) => Some(why),
        Verdict::None | Verdict::Counterexample => None,
    };
    let (_, found, rest) = answer(context);
    json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "mapping": mapping.title,
        "mapping_file": mapping.file.name,
        "source": mapping.source.name,
        "source_file": mapping.source.source.name,
        "target": mapping.target.name,
        "target_file": mapping.target.source.name,
        "level": options.level,
        "guards": options.guards,
        "co": options.co,
        "typed": options.typed,
        "constructs": report.constructs,
        "solver": options.backend.version(),
        "answer": format!("{found}{rest}"),
        "verdict": verdict(&report.verdict),
        "status": report.foremost().map(|c| c.status),
        "reason": reason,
        "bound": options.bound,
        "established": report.established,
        "seconds": seconds,
        "peak_memory_bytes": crate::limits::peak(),
        "axioms": report.axioms.iter().map(axiom).collect::<Vec<_>>(),
        "counterexamples": presented.iter().map(counterexample).collect::<Vec<_>>(),
        "next": options.next,
        "listed": report.listed.iter().map(listed).collect::<Vec<_>>(),
        "candidates": report.candidates,
        "truncated": report.truncated,
        "assumed": assumed.as_ref().map(super::assumed::Assumed::json),
        "certificate": crate::verify::certificate(report.certified.as_ref(), options.certify.as_deref()),
    })
}
