//! The page for people: the matrix, and for each mapping that falls the program, what it is
//! compiled to, and what mends it.

use margay_mappings::change::MappingRepair;
use margay_mappings::check::Level;

use super::{
    CheckMatrixAnswers, CheckMatrixCell, CheckMatrixOptions, MatrixCounterexample, Mended,
};
use crate::headline::events;
use crate::matrix::{MappingPair, SOURCES, TARGETS};

const INTRODUCTION: &str = "A number is the size of the smallest counterexample in source operations (a read-modify-write is two); \
    `none up to N` says how far there is none. *Program*: a program without races and an outcome that C++ forbids: a compiler bug. \
    *Execution*: one execution whose outcome no modification order explains; `racy` says that the program of the smallest ones is \
    undefined, so that no bug follows. `rc11-scoped` is C++17 with scopes, `c20-scoped` has the \
    release sequences of C++20, `rc11-lb` and `c20` are the same where every operation is of system scope. Where the two readings \
    of PTX (6.0 of the 2019 paper, and the current ISA) differ, both answers are given, in this order.";

pub fn page(answers: &CheckMatrixAnswers, options: &CheckMatrixOptions) -> String {
    let cells = &answers.cells;
    let timeout = options
        .timeout
        .map_or(String::new(), |t| format!(" --timeout {}", humantime::format_duration(t)));
    let level = match options.levels.as_slice() {
        [Level::Program] => "",
        [_] => " --level execution",
        _ => " --level execution,program",
    };
    let mut out = format!(
        "# What compilers emit, checked\n\nMade by `margay check --all-mappings --bound {}{timeout}{level}`, version {}. {INTRODUCTION}\n\n",
        options.check.bound,
        env!("CARGO_PKG_VERSION")
    );
    out.push_str(&format!("{}.\n\n", super::summary(answers, options).text()));
    if let Some(reason) = answers.stopped {
        out.push_str(&format!("**{reason}: not all questions were asked.**\n\n"));
    }
    let levels: Vec<Level> = [Level::Execution, Level::Program]
        .into_iter()
        .filter(|&l| cells.iter().any(|c| c.level == l))
        .collect();
    let columns: Vec<(&'static str, Level)> =
        SOURCES.iter().flat_map(|&s| levels.iter().map(move |&l| (s, l))).collect();
    let heads: Vec<String> = columns.iter().map(|&(s, l)| format!("{s}, {}", l.name())).collect();
    out.push_str(&format!(
        "| mapping | {} |\n|{}\n",
        heads.join(" | "),
        " --- |".repeat(heads.len() + 1)
    ));
    let mut mappings: Vec<&str> = cells.iter().map(|c| c.of.mapping).collect();
    mappings.dedup();
    for &mapping in &mappings {
        let entries: Vec<String> =
            columns.iter().map(|&column| entry(cells, mapping, column)).collect();
        out.push_str(&format!(
            "| [{mapping}](#{}) | {} |\n",
            mapping.replace('.', ""),
            entries.join(" | ")
        ));
    }
    for &mapping in &mappings {
        section(answers, mapping, &mut out);
    }
    out
}

/// The answers of both targets; one if they agree.
fn entry(
    cells: &[CheckMatrixCell],
    mapping: &str,
    (source, level): (&'static str, Level),
) -> String {
    let of = |target| {
        let is = |c: &&CheckMatrixCell| {
            c.of == MappingPair { mapping, source, target } && c.level == level
        };
        let Some(cell) = cells.iter().find(is) else { return "not asked".to_owned() };
        match cell.found.as_ref().and_then(|f| f.folder.as_ref()) {
            Some(folder) => format!("[{}]({folder}/counterexample.txt)", cell.words()),
            None => cell.words(),
        }
    };
    let mut answers: Vec<String> = TARGETS.iter().map(|t| of(t)).collect();
    answers.dedup();
    answers.join("; ")
}

fn section(answers: &CheckMatrixAnswers, mapping: &str, out: &mut String) {
    let of_mapping: Vec<&CheckMatrixCell> =
        answers.cells.iter().filter(|c| c.of.mapping == mapping).collect();
    let Some(first) = of_mapping.first() else { return };
    out.push_str(&format!("\n## {mapping}\n\n{}\n\n", first.title));
    // A program says more than an execution.
    let fallen = |level: Level| {
        of_mapping
            .iter()
            .filter(move |c| c.level == level)
            .find_map(|c| Some((c, c.found.as_ref()?)))
    };
    let Some((cell, found)) = fallen(Level::Program).or_else(|| fallen(Level::Execution)) else {
        out.push_str("No counterexample, as far as it was asked.\n");
        return;
    };
    out.push_str(&format!(
        "Counterexample at {} level with {} events ({} of `{}`, onto `{}`): {}.\n\n",
        cell.level.name(),
        found.events,
        found.axiom,
        cell.of.source,
        cell.of.target,
        found.status.words()
    ));
    program(found, out);
    if let Some(mended) = answers.mended.iter().find(|m| m.of.mapping == mapping) {
        repairs(mended, out);
    }
}

/// The source as a user writes it, what it becomes, and the pictures.
fn program(found: &MatrixCounterexample, out: &mut String) {
    let (language, text) = match &found.cuda {
        Some(cuda) => ("cpp", cuda),
        None => ("c", &found.source),
    };
    out.push_str(&format!(
        "```{language}\n{}\n```\n\nbecomes\n\n```\n{}\n```\n\n",
        text.trim_end(),
        found.target.trim_end()
    ));
    out.push_str(&format!("Outcome: `{}`", found.outcome));
    if let Some(folder) = &found.folder {
        out.push_str(&format!(
            " ([source execution]({folder}/counterexample-source.svg), [target execution]({folder}/counterexample-target.svg), \
             [explanation]({folder}/counterexample.txt))"
        ));
    }
    out.push_str("\n\n");
}

/// The rows that a repair changes, as `R.SC.s => fence.sc.s ; ld.acquire.s`.
pub fn changes(mended: &Mended, repair: &MappingRepair) -> Vec<String> {
    let text = |c: &margay_mappings::change::Changed| c.slot.text(&mended.mapping, &c.lowering);
    repair.changes.iter().map(text).map(|(head, body)| format!("{head} => {body}")).collect()
}

fn repairs(mended: &Mended, out: &mut String) {
    let report = &mended.report;
    let how_far = format!(
        "up to {}, `{}` onto `{}`, as programs",
        events(mended.bound),
        mended.of.source,
        mended.of.target
    );
    match (report.repairs.as_slice(), &report.stopped) {
        ([], None) => out.push_str(&format!("No change of its rows mends it ({how_far}).\n")),
        ([], Some(why)) => {
            out.push_str(&format!("What mends it was not found: {why} ({how_far}).\n"))
        }
        (repairs, stopped) => {
            let all = stopped
                .as_ref()
                .map_or(String::new(), |why| format!("; perhaps not all of them: {why}"));
            out.push_str(&format!("What mends it at the least cost ({how_far}{all}):\n\n"));
            for repair in repairs {
                let rows: Vec<String> =
                    changes(mended, repair).into_iter().map(|r| format!("`{r}`")).collect();
                let (cost, steps) = (repair.cost, repair.steps);
                out.push_str(&format!(
                    "- {} (price {}: instructions {cost}, steps {steps})\n",
                    rows.join(", "),
                    cost + u64::from(steps)
                ));
            }
        }
    }
}
