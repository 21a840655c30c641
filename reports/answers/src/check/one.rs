//! `--test FILE`: one program, compiled by the rows of the mapping, and whether its outcome is a
//! counterexample.

use std::path::Path;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::side_by_side::side_by_side;
use margay_console::wrapped::{indented, wrapped};
use margay_litmus::read::Read;
use margay_mappings::language::Mapping;
use margay_mappings::one::{ProgramAnswer, ProgramVerdict, Refusal, ask};
use margay_models::diagnostic::Diagnostic;
use margay_models::picture::{Picture, event_name, svg};
use margay_reports::Verdict;
use margay_reports::check as report;

use super::outcome_of;
use crate::headline::{Headline, Tone};
use crate::restriction::Restriction;

/// Reads the test, compiles it, and prints the answer.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, mapping: &Mapping, limits: &RunLimits, output: &Output) -> CommandOutcome {
    let read = match inputs::test(file, output) {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    let one = match ask(mapping, &read.test, limits.deadline) {
        Ok(one) => one,
        Err(refusal) => {
            let Some(reason) = gave_up(&refusal) else {
                return output.wrong(&[diagnostic(&refusal, &read, mapping)]);
            };
            output.settle(Exit::Undecided);
            let subject = format!("{} under {}", read.test.name, mapping.title);
            let answer = Headline::new(
                Tone::Unsure,
                "undecided",
                &format!(" ({reason})"),
                &Restriction::default(),
                &subject,
            );
            match output.format {
                Format::Human => {
                    output.print(&wrapped(&answer.painted(*output), output.width()))?
                }
                Format::Json => {
                    let answer = answer.text();
                    output.document(&report::UndecidedProgram {
                        verdict: Verdict::Undecided,
                        answer,
                        reason,
                    })?;
                }
            }
            return Ok(Exit::Undecided);
        }
    };
    let exit = output.settle(if one.answer == ProgramVerdict::Counterexample {
        Exit::Found
    } else {
        Exit::Holds
    });
    match output.format {
        Format::Human => human(&one, &read, mapping, output)?,
        Format::Json => output.document(&document(&one, &read, mapping))?,
    }
    Ok(exit)
}

/// Why a question was given up; `None` if the program or the mapping is wrong.
fn gave_up(refusal: &Refusal) -> Option<String> {
    match refusal {
        Refusal::Engine(error) if error.is_undecided() => {
            Some(margay_console::limits::gave_up(error))
        }
        Refusal::TooMany(what) => Some(format!("the program has more ways {what} than are tried")),
        _ => None,
    }
}

fn diagnostic(refusal: &Refusal, read: &Read, mapping: &Mapping) -> Diagnostic {
    let (file, source) = (read.file.name.as_str(), &mapping.source);
    match refusal {
        Refusal::Engine(error) => crate::refusal::by_engine(error, file, &read.file, source),
        Refusal::NoExecution(turns) => {
            let within = turns.map_or(String::new(), |n| format!(" in {n} turns of each loop"));
            Diagnostic::error(format!(
                "`{file}`: no execution has the outcome{within}, whatever a model says"
            ))
            .help("a read returns what some write wrote, or the initial value")
        }
        Refusal::NoRow(heads) => {
            let rows = heads.iter().map(|head| format!("`{head}`")).collect::<Vec<_>>().join(", ");
            let what = format!(
                "what `{file}` is compiled to is not known: `{}` has no row for {rows}",
                mapping.title
            );
            let fails = heads.iter().any(|head| head.starts_with("CAS_FAIL"));
            Diagnostic::error(what).help(match fails {
                true if source.signature.tabular().is_some() => {
                    "rows of a source that is a text cannot say what a compare-exchange becomes that fails; write a load instead of it"
                }
                true => {
                    "the row says what the compiler emits for a compare-exchange that fails (docs/mapping-language.md, \
                         \"Compare-exchange\"); where it is one instruction, write that instruction"
                }
                false => "`margay mappings NAME` prints the rows of a mapping; one that is `absent`, `other` or assumed says no instructions",
            })
        }
        Refusal::NoType(location) => {
            let what = format!(
                "`{}` has no type of object that all operations of `{file}` on `{location}` are compiled for",
                mapping.title
            );
            Diagnostic::error(what).help("`margay mappings NAME` prints the rows of a mapping, with the types that they are for")
        }
        Refusal::Barrier(operation) => {
            let what = format!(
                "`{operation}` is an operation on a barrier, of whose phases `--test` knows nothing"
            );
            Diagnostic::error(what).help(
                "`margay check` without `--test` asks about all programs up to a bound; `margay run` takes the program, and what it is \
                 compiled to as a test with an mbarrier (`mbarrier b=2`)",
            )
        }
        Refusal::TooMany(_) => Diagnostic::error("there are too many ways to compile it"),
    }
}

/// The answer in words, and what it is about: so many turns of loops, objects of types that the
/// program does not name.
fn why(one: &ProgramAnswer) -> String {
    let turns =
        one.turns.map_or(String::new(), |n| format!(", with at most {n} turns of each loop"));
    let mut meant: Vec<String> =
        one.types.iter().map(|(name, ty)| format!("`{name}` is {ty}")).collect();
    if one.any_function {
        meant.push("an exchange stands for another read-modify-write".to_owned());
    }
    if one.elsewhere {
        meant.push("its threads run as in the compiled program".to_owned());
    }
    let meant = match one.answer {
        ProgramVerdict::Counterexample if !meant.is_empty() => {
            format!(", where {}", meant.join(" and "))
        }
        ProgramVerdict::TargetForbids if one.anywhere => ", wherever its threads run".to_owned(),
        _ => String::new(),
    };
    format!("{}{turns}{meant}", one.answer.words())
}

/// The compiled program as text.
fn compiled(one: &ProgramAnswer) -> String {
    match &one.target {
        Ok(test) => test.to_string(),
        Err(why) => format!("(this execution has no litmus test: {why})"),
    }
}

/// What the source says, what the target says.
fn verdicts(one: &ProgramAnswer) -> (Verdict, Verdict) {
    let source = match one.answer {
        ProgramVerdict::Races => Verdict::Racy,
        ProgramVerdict::SourceAllows => Verdict::Allowed,
        ProgramVerdict::Counterexample | ProgramVerdict::TargetForbids => Verdict::Forbidden,
    };
    (source, if one.allowed { Verdict::Allowed } else { Verdict::Forbidden })
}

/// The first line: it is about one outcome of one program, so nothing else was left out.
fn answer(one: &ProgramAnswer, read: &Read, mapping: &Mapping) -> Headline {
    let (tone, found) = match one.answer {
        ProgramVerdict::Counterexample => (Tone::Bad, "counterexample"),
        ProgramVerdict::SourceAllows | ProgramVerdict::Races | ProgramVerdict::TargetForbids => {
            (Tone::Good, "no counterexample")
        }
    };
    let subject = format!("{} under {}", read.test.name, mapping.title);
    Headline::new(tone, found, &format!(" ({})", why(one)), &Restriction::default(), &subject)
}

fn human(
    one: &ProgramAnswer,
    read: &Read,
    mapping: &Mapping,
    output: &Output,
) -> std::io::Result<()> {
    output.print(&wrapped(&answer(one, read, mapping).painted(*output), output.width()))?;
    let (source, target) = verdicts(one);
    let left = format!("source, {} by {}", source.word(), mapping.source.name);
    let right = format!("target, {} by {}", target.word(), mapping.target.name);
    output.print("")?;
    let (program, compiled) = (read.test.to_string(), compiled(one));
    output.print(&side_by_side(
        (&left, program.trim_end()),
        (&right, compiled.trim_end()),
        output.width(),
    ))?;
    if let Some(violation) = &one.violation {
        let names = |e| event_name(&one.source, e);
        output.print("")?;
        output.print(&output.heading(&format!("Why {} forbids it", mapping.source.name)))?;
        output.print(&indented(&format!("  {}", violation.around(&names)), output.width()))?;
    }
    output.print("")?;
    output.print(&wrapped(
        "This is about one outcome of one program. Without `--test`, all programs up to a size are looked at.",
        output.width(),
    ))
}

fn document(one: &ProgramAnswer, read: &Read, mapping: &Mapping) -> report::ProgramDocument {
    let (source_says, target_says) = verdicts(one);
    let names = |e| event_name(&one.source, e);
    let title = |model: &str, says: Verdict| format!("{model}: {}", says.word());
    let source =
        Picture::of(&title(&mapping.source.name, source_says), &one.source, one.violation.as_ref());
    let target =
        Picture::of(&title(&mapping.target.name, target_says), &one.target_execution, None);
    let compiled = compiled(one);
    report::ProgramDocument {
        verdict: if one.answer == ProgramVerdict::Counterexample {
            Verdict::Counterexample
        } else {
            Verdict::None
        },
        answer: answer(one, read, mapping).text(),
        why: why(one),
        turns: one.turns,
        mapping: mapping.title.clone(),
        file: read.file.name.clone(),
        name: read.test.name.clone(),
        source: mapping.source.name.clone(),
        target: mapping.target.name.clone(),
        source_says,
        target_says,
        source_litmus: read.test.to_string().trim_end().to_owned(),
        target_litmus: compiled.trim_end().to_owned(),
        outcome: outcome_of(&compiled),
        cycle_in_words: one.violation.as_ref().map(|v| v.around(&names)),
        source_svg: svg(&one.source, &source),
        target_svg: svg(&one.target_execution, &target),
    }
}
