//! What is behind the answer for one test: the execution that has the outcome, or the axiom and
//! cycle that forbid it.

use std::io;

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::{Forbidden, Options};
use margay_litmus::test::Quantifier;
use margay_models::explain;
use margay_models::picture::{Picture, event_name, text};

use margay_console::output::Output;

use crate::executions::ExecutionChoice;

/// Prints it.
pub fn explain(
    answer: &super::answer::TestAnswer<'_>,
    runner: &mut Runner,
    (options, engine): (&Options, Choice),
    choice: &ExecutionChoice,
    output: &Output,
) -> io::Result<()> {
    let (test, model, verdict) = (answer.test, &answer.model.model, &answer.verdict);
    let quantifier = test.condition.quantifier;
    let asked = quantifier.asks_for();
    let always = quantifier == Quantifier::Forall;
    if let Some(listed) = &answer.listed {
        listed.print(test, model, choice, output)?;
        draw(answer, runner, (options, engine), choice, output);
        return Ok(());
    }
    output.print("")?;
    if let Some(witness) = &verdict.witness {
        output.prose(&output.heading(&format!("An execution that {asked}")))?;
        let picture = Picture::of(
            &format!("{}: allowed by {}", test.name, answer.model.label()),
            &witness.execution,
            None,
        );
        output.print(
            text(&witness.execution, &picture, output.width(), output.colour()).trim_end(),
        )?;
        choice.draw(&witness.execution, &picture, output);
        return Ok(());
    }
    // What is missing stands above.
    if verdict.gap.as_ref().is_some_and(|gap| gap.is_beyond(verdict.bounded)) {
        choice.tell_nothing(output);
        return Ok(());
    }
    let forbidden = match runner.forbidden(test, options, engine) {
        Ok(Some(forbidden)) => forbidden,
        Ok(None) if verdict.bounded => {
            choice.tell_nothing(output);
            let turns = options.bounds.unroll;
            return output.prose(&format!(
                "No execution with at most {turns} backward jumps in each loop {asked}; try a larger --unroll."
            ));
        }
        Ok(None) => {
            choice.tell_nothing(output);
            return output
                .prose(&format!("No execution of the program {asked}, whatever the model says."));
        }
        Err(error) => return output.prose(&format!("What forbids it was not found: {error}.")),
    };
    let execution = &forbidden.witness.execution;
    for (n, &check) in forbidden.checks.iter().enumerate() {
        let name = model.checks[check].display_name();
        let it = if always { format!("what {asked}") } else { "it".to_owned() };
        output.prose(
            &output.heading(&format!("Why {} forbids {it} (axiom {name})", answer.model.label())),
        )?;
        let violation = explain::violation(model, execution, check);
        if let Some(violation) = &violation {
            for line in violation.words(&|e| event_name(execution, e)) {
                output.prose(&format!("  {line}"))?;
            }
        }
        output.print("")?;
        let picture = Picture::of(
            &format!("{}: forbidden by {name}", test.name),
            execution,
            violation.as_ref(),
        );
        output.print(text(execution, &picture, output.width(), output.colour()).trim_end())?;
        if n == 0 {
            choice.draw(execution, &picture, output);
        }
    }
    Ok(())
}

/// Draws the execution behind an answer, for whoever asked for its picture and reads the answer in
/// another form.
pub fn draw(
    answer: &super::answer::TestAnswer<'_>,
    runner: &mut Runner,
    (options, engine): (&Options, Choice),
    choice: &ExecutionChoice,
    output: &Output,
) {
    if choice.out.is_none() {
        return;
    }
    let (test, model, verdict) = (answer.test, &answer.model.model, &answer.verdict);
    if let Some(listed) = &answer.listed {
        if let Some((execution, picture)) = listed.first(test, model) {
            choice.draw(execution, &picture, output);
        }
        return;
    }
    if let Some(witness) = &verdict.witness {
        let picture = Picture::of(
            &format!("{}: allowed by {}", test.name, answer.model.label()),
            &witness.execution,
            None,
        );
        return choice.draw(&witness.execution, &picture, output);
    }
    match runner.forbidden(test, options, engine) {
        Ok(Some(Forbidden { witness, checks })) => {
            let violation = checks
                .first()
                .and_then(|&check| explain::violation(model, &witness.execution, check));
            let by = checks.first().map_or(String::new(), |&check| {
                format!(" by {}", model.checks[check].display_name())
            });
            let picture = Picture::of(
                &format!("{}: forbidden{by}", test.name),
                &witness.execution,
                violation.as_ref(),
            );
            choice.draw(&witness.execution, &picture, output);
        }
        _ => choice.tell_nothing(output),
    }
}
