//! The final states that a model allows, as herd7 prints them, for scripts that read its logs.

use margay_console::output::Output;
use margay_litmus::explicit::{Error, ExplicitRunner, Options};
use margay_litmus::print;
use margay_litmus::read::Read;
use margay_litmus::test::{Dialect, Quantifier};
use margay_runner::outcome::Observed;

use super::answer::TestAnswer;

/// Prints a test as herd7 does: its final states, whether the condition holds, and how many states
/// do and do not satisfy it. The counts are of final states, and not of executions; there is no
/// line of the time it took, so that the same is printed again.
///
/// # Errors
/// The states cannot be listed (`Ok(Err(_))`), or nothing can be written.
pub fn states(
    answer: &TestAnswer<'_>,
    read: &Read,
    options: &Options,
    output: &Output,
) -> std::io::Result<Result<(), Error>> {
    let variables = Observed::new(&read.test, |_| 0).variables;
    let states =
        match ExplicitRunner::new(&answer.model.model).outcomes(&read.test, &variables, options) {
            Ok(states) => states,
            Err(error) => return Ok(Err(error)),
        };
    let observed = Observed::new(&read.test, |l| states.addresses[l]);
    let asked = &read.test.condition;
    let kind = match asked.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let mut lines = vec![
        format!("Test {} {kind}", answer.test.name),
        format!("States {}", states.values.len()),
    ];
    for state in &states.values {
        let values = observed.variables.iter().enumerate().map(|(i, v)| {
            let name = print::variable(v, Dialect::C);
            format!("{name}={};", observed.value_text(state[i]))
        });
        lines.push(values.collect::<Vec<_>>().join(" "));
    }
    // What satisfies the proposition itself: of `forall`, a state that is *asked* about violates
    // it.
    let satisfies =
        |state: &&Vec<i64>| observed.asked(state) == (asked.quantifier != Quantifier::Forall);
    let positive = states.values.iter().filter(satisfies).count();
    let negative = states.values.len() - positive;
    let open = answer.verdict.is_open();
    let often = match (positive, negative) {
        (0, _) | (_, 0) if open => "Undecided",
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    let word = match answer.verdict.holds {
        _ if open => "Undecided",
        true => "Ok",
        false => "No",
    };
    lines.push(word.to_owned());
    lines.push("Witnesses".to_owned());
    lines.push(format!("Positive: {positive} Negative: {negative}"));
    lines.extend((answer.verdict.racy == Some(true)).then(|| "Flag racy".to_owned()));
    lines.extend(
        answer
            .verdict
            .bounded
            .then(|| "Flag bounded: a loop was cut off, so there may be more states".to_owned()),
    );
    lines.extend(
        answer
            .verdict
            .gap
            .as_ref()
            .map(|gap| format!("Flag {}: {}", gap.name(), gap.kind().words())),
    );
    lines.push(format!(
        "Condition {} ({})",
        asked.quantifier.keyword(),
        print::proposition(&asked.proposition, Dialect::C)
    ));
    lines.push(format!("Observation {} {often} {positive} {negative}", answer.test.name));
    output.print(&(lines.join("\n") + "\n"))?;
    Ok(Ok(()))
}
