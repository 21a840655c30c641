//! `--test FILE`: one program, compiled by the rows of the mapping, and whether its outcome is a counterexample.

use std::path::Path;

use margay_console::exit::{Exit, Outcome};
use margay_console::inputs;
use margay_console::limits::Limits;
use margay_console::output::{Format, Output};
use margay_console::side_by_side::side_by_side;
use margay_console::wrapped::{indented, wrapped};
use margay_litmus::read::Read;
use margay_mappings::language::{Form, Mapping};
use margay_mappings::one::{One, ProgramVerdict, Refusal, ask};
use margay_models::diagnostic::Diagnostic;
use margay_models::picture::{Picture, event_name, svg};
use margay_reports::Verdict;
use margay_reports::check as report;

use super::outcome_of;

/// Reads the test, compiles it, and prints the answer.
///
/// # Errors
/// The output cannot be written.
pub fn run(file: &Path, mapping: &Mapping, limits: &Limits, output: &Output) -> Outcome {
    let read = match inputs::test(file, output) {
        Ok(read) => read,
        Err(errors) => return output.wrong(&errors),
    };
    if has_compare_exchange(&read) && tells_compare_exchange(mapping) {
        let what = format!("`{}` has a compare-exchange, for which `{}` has rows of its own", read.file.name, mapping.title);
        let help = "the execution that is compiled does not say which read-modify-write is one; write an exchange or a load instead, or ask without \
                    `--test`";
        return output.wrong(&[Diagnostic::error(what).help(help)]);
    }
    let one = match ask(mapping, &read.test, limits.deadline) {
        Ok(one) => one,
        Err(Refusal::Engine(error)) if error.is_undecided() => {
            output.settle(Exit::Undecided);
            let reason = margay_console::limits::gave_up(&error);
            let words = format!("{}: {reason}: {}", output.unsure("undecided"), read.test.name);
            match output.format {
                Format::Human => output.print(&words)?,
                Format::Json => {
                    output.document(&report::UndecidedProgram { verdict: Verdict::Undecided, reason })?;
                }
            }
            return Ok(Exit::Undecided);
        }
        Err(refusal) => return output.wrong(&[diagnostic(&refusal, &read, mapping)]),
    };
    let exit = output.settle(if one.answer == ProgramVerdict::Counterexample { Exit::Found } else { Exit::Holds });
    match output.format {
        Format::Human => human(&one, &read, mapping, output)?,
        Format::Json => output.document(&document(&one, &read, mapping))?,
    }
    Ok(exit)
}

/// As a test is written, every compare-exchange has one of these names.
fn has_compare_exchange(read: &Read) -> bool {
    let text = read.test.to_string();
    text.contains("compare_exchange") || text.contains(".cas")
}

fn tells_compare_exchange(mapping: &Mapping) -> bool {
    mapping.rows.iter().flat_map(|row| &row.alternatives).any(|lowering| lowering.form != Form::Usual)
}

fn diagnostic(refusal: &Refusal, read: &Read, mapping: &Mapping) -> Diagnostic {
    let (file, source) = (read.file.name.as_str(), &mapping.source);
    match refusal {
        Refusal::Engine(error) => crate::refusal::by_engine(error, file, &read.file, source),
        Refusal::NoExecution => Diagnostic::error(format!("`{file}`: no execution has the outcome, whatever a model says"))
            .help("a read returns what some write wrote, or the initial value"),
        Refusal::NoRow => {
            Diagnostic::error(format!("`{file}` cannot be compiled: `{}` has no row for one of its operations", mapping.title))
                .help("`margay mappings NAME` prints the rows of a mapping; all objects are of one type here")
        }
        Refusal::NoTest(why) => Diagnostic::error(format!("what `{file}` is compiled to has no litmus test: {why}")),
    }
}

/// What the source says, what the target says.
fn verdicts(one: &One) -> (Verdict, Verdict) {
    let source = match one.answer {
        ProgramVerdict::Races => Verdict::Racy,
        ProgramVerdict::SourceAllows => Verdict::Allowed,
        ProgramVerdict::Counterexample | ProgramVerdict::TargetForbids => Verdict::Forbidden,
    };
    (source, if one.allowed { Verdict::Allowed } else { Verdict::Forbidden })
}

fn human(one: &One, read: &Read, mapping: &Mapping, output: &Output) -> std::io::Result<()> {
    let found = match one.answer {
        ProgramVerdict::Counterexample => output.bad("counterexample"),
        _ => output.good("no counterexample"),
    };
    output.print(&format!("{found} ({}): {} under {}", one.answer.words(), read.test.name, mapping.title))?;
    let (source, target) = verdicts(one);
    let left = format!("source, {} by {}", source.word(), mapping.source.name);
    let right = format!("target, {} by {}", target.word(), mapping.target.name);
    output.print("")?;
    let (program, compiled) = (read.test.to_string(), one.target.to_string());
    output.print(&side_by_side((&left, program.trim_end()), (&right, compiled.trim_end()), output.width()))?;
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

fn document(one: &One, read: &Read, mapping: &Mapping) -> report::Program {
    let (source_says, target_says) = verdicts(one);
    let names = |e| event_name(&one.source, e);
    let title = |model: &str, says: Verdict| format!("{model}: {}", says.word());
    let source = Picture::of(&title(&mapping.source.name, source_says), &one.source, one.violation.as_ref());
    let target = Picture::of(&title(&mapping.target.name, target_says), &one.target_execution, None);
    let compiled = one.target.to_string();
    report::Program {
        verdict: if one.answer == ProgramVerdict::Counterexample { Verdict::Counterexample } else { Verdict::None },
        why: one.answer.words().to_owned(),
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
