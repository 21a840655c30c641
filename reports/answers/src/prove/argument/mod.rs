//! What a proof is made of, for people: its steps, what is missing, and the executions that satisfy
//! what is supposed.

pub mod record;

use std::io;

use margay_console::output::Output;
use margay_console::table::counted;
use margay_console::wrapped::{indented, wrapped};
use margay_models::picture::text;
use margay_prove::theorem::{Absent, ClaimFamily, Premises, ProofGap, Report, StepReport};
use margay_theorem::theorem::Inhabitant;

use crate::headline::events;

/// More direct steps than these are not listed, unless more is asked for.
const MOST_DIRECT: usize = 12;

/// So many groups of claims are shown of a step, and so many claims of each.
const MOST_GROUPS: usize = 3;
const MOST_ALIKE: usize = 4;

/// What is missing, each obligation once.
pub fn gaps(report: &Report, output: &Output) -> io::Result<()> {
    let mut shown: Vec<&ProofGap> = Vec::new();
    for goal in &report.goals {
        let Some(gap) = goal.gap.as_ref().filter(|g| !shown.iter().any(|s| s.what == g.what))
        else {
            continue;
        };
        shown.push(gap);
        output.print("")?;
        let heading =
            if gap.violated.is_some() { "An execution without" } else { "What is missing for" };
        output.print(&output.heading(&format!("{heading} {}", goal.name)))?;
        missing_events(gap, output)?;
    }
    Ok(())
}

/// What is missing, and the events that show it.
pub fn missing_events(gap: &ProofGap, output: &Output) -> io::Result<()> {
    output.print(&wrapped(&format!("{}.", gap.what), output.width()))?;
    if let Some(drawing) = &gap.drawing {
        if gap.violated.is_none() {
            output.print("These events make it fail, as far as they alone tell (they need not be all of an execution):")?;
        }
        output.print(
            text(&drawing.execution, &drawing.picture, output.width(), output.colour()).trim(),
        )?;
    }
    Ok(())
}

/// The steps of the argument, in short unless more is asked for: `--format json` has every claim.
pub fn steps(report: &Report, output: &Output) -> io::Result<()> {
    output.print(&output.heading("Argument"))?;
    let direct = report.steps.iter().filter(|s| s.rule == "direct").count();
    let is_goal = |s: &StepReport| report.goals.iter().any(|g| s.claims.contains(&g.claim));
    let is_shown = |s: &StepReport| {
        output.verbose || direct <= MOST_DIRECT || s.rule != "direct" || is_goal(s)
    };
    let mut is_all = true;
    for (number, step) in report.steps.iter().enumerate() {
        if !is_shown(step) {
            is_all = false;
            continue;
        }
        let (claims, whole) = claims(step, output.verbose);
        is_all &= whole;
        let line = format!("{:>3}. {claims} [{}, {}]", number + 1, step.rule, counts(step));
        output.print(&indented(&line, output.width()))?;
    }
    for (short, name) in &report.names {
        output.print(&indented(&format!("     {short} is {name}"), output.width()))?;
    }
    if !is_all {
        output.print(&indented("     `-v` shows every claim.", output.width()))?;
    }
    Ok(())
}

/// What a step claims, and whether that is all of it.
fn claims(step: &StepReport, all: bool) -> (String, bool) {
    let (groups, members) =
        if all { (step.shown.len(), None) } else { (MOST_GROUPS, Some(MOST_ALIKE)) };
    let shown: Vec<String> = step.shown.iter().take(groups).map(|s| s.text(members)).collect();
    let left: usize = step.shown.iter().skip(groups).map(ClaimFamily::claims).sum();
    let more = if left == 0 { String::new() } else { format!(" {left} more.") };
    // Not a semicolon, which is composition.
    let text = format!("{}.{more}", shown.join(". "));
    let whole =
        left == 0 && step.shown.iter().take(groups).all(|s| s.text(members) == s.text(None));
    (text, whole)
}

/// How much a step took.
fn counts(step: &StepReport) -> String {
    if step.obligations == 0 {
        return "from the steps before".to_owned();
    }
    let values = match step.values {
        0 => String::new(),
        n => format!(" and {}", counted(n as u64, "value", "values")),
    };
    let empty = match step.empty.len() {
        0 => String::new(),
        n => format!(", {n} of cases that cannot arise"),
    };
    let obligations = counted(step.obligations as u64, "obligation", "obligations");
    format!(
        "{obligations}, at most {}{values}{empty}",
        counted(step.witnesses as u64, "event", "events")
    )
}

/// Which executions satisfy what a theorem supposes, in a sentence or two.
pub fn inhabitants(premises: &Premises) -> String {
    let is_shape = |name: &str| !name.starts_with("a `");
    let (roles, shapes): (Vec<&Inhabitant>, Vec<_>) =
        premises.inhabitants.iter().partition(|i| !is_shape(&i.shows));
    let mut parts = Vec::new();
    if !roles.is_empty() {
        parts.push(format!("with each of the {} kinds of events that rows make", roles.len()));
    }
    parts.extend(shapes.iter().map(|i| format!("with {} ({})", i.shows, events(i.events))));
    let mut out = format!(
        "The theorem is not empty: whole executions that satisfy all that is supposed were found, {}.",
        parts.join(", ")
    );
    let refuted = premises.refuted();
    if !refuted.is_empty() {
        out.push_str(&format!(
            " Of executions with {} it says nothing: what is supposed rules them out.",
            refuted.join(", or ")
        ));
    }
    let unseen: Vec<&str> = premises
        .absent
        .iter()
        .filter(|(_, why)| *why == Absent::Unseen)
        .map(|(n, _)| n.as_str())
        .collect();
    if !unseen.is_empty() {
        out.push_str(&format!(" None was found with {}.", unseen.join(", or ")));
    }
    out
}
