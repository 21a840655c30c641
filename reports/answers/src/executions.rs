//! Executions of a litmus test to look at: one of them in a picture, another one than the first, or
//! all.

use std::path::PathBuf;

use margay_console::output::Output;
use margay_litmus::explicit::{
    Error, ExecutionList, ExplicitRunner, ListedExecution, Options, Witness,
};
use margay_litmus::test::{Quantifier, Test};
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::write_over;
use margay_models::execution::Execution;
use margay_models::explain;
use margay_models::model::Model;
use margay_models::picture::{Picture, dot, event_name, svg, text};
use margay_reports::run as document;
use margay_runner::outcome::Observed;

use crate::violation;

/// Which executions are shown.
#[derive(Debug, Clone, Default)]
pub struct ExecutionChoice {
    /// The file that takes the picture of the first one shown, `.svg` or `.dot`.
    pub out: Option<PathBuf>,
    /// The number of the one shown, from 1.
    pub number: Option<usize>,
    /// All are shown, at most so many; and each final state that the model allows.
    pub all: Option<usize>,
}

#[derive(Debug, Clone)]
pub struct ChosenExecutions {
    /// Does the model allow the outcome? Then only executions that it allows are listed.
    pub allowed: bool,
    /// Those with the outcome, each with its number.
    pub listed: Vec<(usize, ListedExecution)>,
    /// Are these all, where all were asked for?
    is_complete: bool,
    /// How many there are up to the one that was asked for.
    known: usize,
    /// Each final state that the model allows with an execution, and whether it is the one asked
    /// about.
    states: Vec<(String, bool, Witness)>,
    are_states_complete: bool,
}

impl ExecutionChoice {
    /// Is there anything to choose?
    pub fn lists(&self) -> bool {
        self.number.is_some() || self.all.is_some()
    }

    /// Why it cannot be made for so many answers.
    ///
    /// # Errors
    /// There are several, or the picture is of no known kind.
    pub fn check(&self, answers: usize) -> Result<(), Diagnostic> {
        if answers != 1 && (self.out.is_some() || self.lists()) {
            let error = Diagnostic::error(format!(
                "there are {answers} answers, each with executions of its own"
            ));
            return Err(error.help(
                "`--out`, `--execution` and `--all-executions` are for one test under one model",
            ));
        }
        match &self.out {
            Some(path)
                if !matches!(path.extension().and_then(|e| e.to_str()), Some("svg" | "dot")) =>
            {
                let error = Diagnostic::error(format!(
                    "the name `{}` does not say which kind of picture is meant",
                    path.display()
                ));
                Err(error.help("the name ends in `.svg` (for browsers) or `.dot` (for Graphviz)"))
            }
            _ => Ok(()),
        }
    }

    /// Lists what was chosen.
    ///
    /// # Errors
    /// A limit was reached, or the test cannot be run on the model.
    pub fn list(
        &self,
        test: &Test,
        model: &Model,
        allowed: bool,
        options: &Options,
    ) -> Result<ChosenExecutions, Error> {
        let mut runner = ExplicitRunner::new(model);
        let most = self.all.or(self.number).unwrap_or(1);
        let ExecutionList { executions, is_complete } =
            runner.list(test, options, most, allowed)?;
        let known = executions.len();
        let mut listed: Vec<(usize, ListedExecution)> =
            executions.into_iter().enumerate().map(|(n, e)| (n + 1, e)).collect();
        let (mut states, mut are_states_complete) = (Vec::new(), true);
        if self.all.is_some() {
            let variables = Observed::new(test, |_| 0).variables;
            let mut found: Vec<(Vec<i64>, Witness)> = Vec::new();
            let outcomes = runner.outcomes_with_executions(
                test,
                &variables,
                options,
                &mut |values, witness| {
                    found.push((values.to_vec(), witness));
                },
            )?;
            let observed = Observed::new(test, |l| outcomes.addresses[l]);
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
            are_states_complete = found.len() <= most && !outcomes.bounded;
            found.truncate(most);
            states = found
                .into_iter()
                .map(|(v, witness)| (observed.describe(&v), observed.asked(&v), witness))
                .collect();
        }
        if let (Some(number), None) = (self.number, self.all) {
            listed.retain(|(n, _)| *n == number);
        }
        Ok(ChosenExecutions { allowed, listed, is_complete, known, states, are_states_complete })
    }

    /// Says that there is nothing to draw, to whoever asked for a picture.
    pub fn tell_nothing(&self, output: &Output) {
        if self.out.is_some() {
            output.warn(&[Diagnostic::warning(
                "no picture was written: there is no execution with the outcome to draw",
            )]);
        }
    }

    /// Writes the picture, if one was asked for; the answer was printed, and stands if it cannot be
    /// written.
    pub fn draw(&self, execution: &Execution, picture: &Picture, output: &Output) {
        let Some(path) = &self.out else { return };
        let drawn = match path.extension().and_then(|e| e.to_str()) {
            Some("dot") => dot(execution, picture),
            _ => svg(execution, picture),
        };
        if let Err(error) = write_over(path, drawn.as_bytes()) {
            let error = Diagnostic::error(format!("cannot write `{}`: {error}", path.display()));
            output.warn(&[error.help("the answer above stands, and so does the exit code")]);
        }
    }
}

impl ChosenExecutions {
    /// Why there is none of the number that was asked for.
    pub fn missing(&self, choice: &ExecutionChoice) -> Option<Diagnostic> {
        let number = choice.number.filter(|_| choice.all.is_none() && self.listed.is_empty())?;
        let there = match self.known {
            0 => "no execution has the outcome".to_owned(),
            1 => "there is only 1 execution with the outcome".to_owned(),
            n => format!("there are only {n} executions with the outcome"),
        };
        Some(Diagnostic::error(format!("there is no execution {number}: {there}")))
    }

    /// The first one listed with its picture.
    pub fn first(&self, test: &Test, model: &Model) -> Option<(&Execution, Picture)> {
        let (_, listed) = self.listed.first()?;
        let first = listed.forbidden_by.first().copied();
        Some((&listed.witness.execution, drawn(test, model, &listed.witness.execution, first)))
    }

    /// As a part of a document.
    pub fn document(&self, test: &Test, model: &Model) -> document::ExecutionListRecord {
        let of_execution = |(number, listed): &(usize, ListedExecution)| {
            let x = &listed.witness.execution;
            let picture = drawn(test, model, x, listed.forbidden_by.first().copied());
            document::ExecutionRecord {
                number: *number,
                forbidden_by: listed
                    .forbidden_by
                    .iter()
                    .map(|&i| model.checks[i].display_name())
                    .collect(),
                events: violation::events(x),
                svg: svg(x, &picture),
            }
        };
        let of_state = |(state, asked, witness): &(String, bool, Witness)| document::ListedState {
            state: state.clone(),
            asked: *asked,
            svg: svg(&witness.execution, &drawn(test, model, &witness.execution, None)),
        };
        document::ExecutionListRecord {
            allowed: self.allowed,
            complete: self.is_complete && self.are_states_complete,
            executions: self.listed.iter().map(of_execution).collect(),
            states: self.states.iter().map(of_state).collect(),
        }
    }

    /// For people: the states, then the executions, each with what forbids it.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn print(
        &self,
        test: &Test,
        model: &Model,
        choice: &ExecutionChoice,
        output: &Output,
    ) -> std::io::Result<()> {
        let picture = |x: &Execution, picture: &Picture| {
            text(x, picture, output.width(), output.colour()).trim_end().to_owned()
        };
        if choice.all.is_some() {
            output.print("")?;
            let more = if self.are_states_complete { "" } else { " or more" };
            output.prose(&output.heading(&format!(
                "Final states that {} allows: {}{more}",
                model.name,
                self.states.len()
            )))?;
            for (n, (state, asked, witness)) in self.states.iter().enumerate() {
                output.print("")?;
                let is_asked = if *asked { " (asked about)" } else { "" };
                output.prose(&format!("State {}: {state}{is_asked}", n + 1))?;
                output.print(&picture(
                    &witness.execution,
                    &drawn(test, model, &witness.execution, None),
                ))?;
            }
            output.print("")?;
            let all = if self.is_complete { "" } else { " or more" };
            let kind =
                if self.allowed { "Executions" } else { "Candidate executions, all forbidden," };
            let asked = match test.condition.quantifier {
                Quantifier::Exists | Quantifier::NotExists => "with this outcome",
                Quantifier::Forall => "that violate the condition",
            };
            output
                .prose(&output.heading(&format!("{kind} {asked}: {}{all}", self.listed.len())))?;
        }
        for (number, listed) in &self.listed {
            let x = &listed.witness.execution;
            output.print("")?;
            output.prose(&output.heading(&format!("Execution {number}")))?;
            for &check in &listed.forbidden_by {
                output.prose(&format!(
                    "forbidden by axiom {}:",
                    model.checks[check].display_name()
                ))?;
                for line in explain::violation(model, x, check)
                    .map(|v| v.words(&|e| event_name(x, e)))
                    .unwrap_or_default()
                {
                    output.prose(&format!("  {line}"))?;
                }
            }
            output
                .print(&picture(x, &drawn(test, model, x, listed.forbidden_by.first().copied())))?;
        }
        Ok(())
    }
}

/// The picture of an execution, with what forbids it.
fn drawn(test: &Test, model: &Model, x: &Execution, check: Option<usize>) -> Picture {
    let violation = check.and_then(|check| explain::violation(model, x, check));
    let title = match check {
        Some(check) => {
            format!("{}: forbidden by {}", test.name, model.checks[check].display_name())
        }
        None => format!("{}: allowed by {}", test.name, model.name),
    };
    Picture::of(&title, x, violation.as_ref())
}
