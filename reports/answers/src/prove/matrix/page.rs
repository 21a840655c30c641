//! The page of `margay prove --all-mappings`: a row for each table and reading of C++, a column for
//! each reading of PTX.

use margay_reports::Verdict;

use super::{ProofMatrixAnswers, ProofMatrixCell, ProofMatrixOptions};
use crate::matrix::{MappingPair, TARGETS};

/// The page. What it says depends on the answers alone, not on how long they took, but for
/// questions whose time was used up.
pub fn page(answers: &ProofMatrixAnswers<'_>, options: &ProofMatrixOptions) -> String {
    let timeout = options
        .timeout
        .map_or(String::new(), |t| format!(" --timeout {}", humantime::format_duration(t)));
    let lists = [
        ("axiom", &options.check.axioms),
        ("only", &options.check.only),
        ("without", &options.check.without),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let part: String =
        lists.map(|(option, names)| format!(" --{option} {}", names.join(","))).collect();
    let (types, typed) = if options.check.typed {
        ("No location is accessed by both plain and atomic operations (`--typed on`).", "")
    } else {
        ("A location may be accessed by both plain and atomic operations.", " --typed off")
    };
    let table = options.more.as_ref().map_or(String::new(), |name| format!(" {name}"));
    let mut out = format!(
        "# What compilers emit, proved\n\nMade by `margay prove --all-mappings{table}{part}{typed} --bound {}{timeout}`, version {}.\n\n{}.\n\n\
         - *theorem*: every legal target execution, of whatever size, read back as a source execution without undefined behaviour, is one that \
         the source model allows, for every modification order above the target's coherence order.\n\
         - *counterexample at n*: one with n source events (a read-modify-write is two) is not, and the axioms that it violates.\n\
         - *open*: no proof was found, and none of so many events or fewer is a counterexample. With *(time)* the time of the question was \
         used up.\n\n\
         All of this is about single executions, not programs. {types} All rows of a table are asked about, also those that are assumed.\n\n",
        options.check.bound,
        env!("CARGO_PKG_VERSION"),
        answers.counts(),
    );
    if let Some(reason) = answers.stopped {
        out.push_str(&format!("**{reason}: not all questions were asked.**\n\n"));
    }
    let columns = TARGETS.len() + 2;
    out.push_str(&format!(
        "| mapping | reading of C++ | {} |\n|{}\n",
        TARGETS.join(" | "),
        " --- |".repeat(columns)
    ));
    let mut rows: Vec<(&str, &'static str)> =
        answers.cells.iter().map(|c| (c.of.mapping, c.of.source)).collect();
    rows.dedup();
    for (mapping, source) in rows {
        let answers = TARGETS.map(|target| {
            let cell =
                answers.cells.iter().find(|c| c.of == MappingPair { mapping, source, target });
            cell.map_or("not asked".to_owned(), words)
        });
        out.push_str(&format!("| {mapping} | {source} | {} |\n", answers.join(" | ")));
    }
    out
}

fn words(cell: &ProofMatrixCell<'_>) -> String {
    if cell.verdict == Verdict::Theorem { "**theorem**".to_owned() } else { cell.words.clone() }
}
