//! Writing tests: the text that the readers read back unchanged.

mod asynchronous;
mod c;
mod condition;
mod cuda;
mod instruction;
mod language;
mod source;
mod table;

pub use c::{CLine, statement_lines};
pub use condition::{proposition, variable};
pub use cuda::{NoProgram, program as cuda_program, results as cuda_results};
pub use instruction::instruction;
pub use language::CLanguage;
pub(crate) use language::language;
pub use source::{SourceText, scope_word};

use std::fmt;

use crate::test::{
    Body, Dialect, InitialValue, LocationDeclaration, Sequencing, Test, ThreadId, element,
};

impl Test {
    /// The lines of a thread's program, without column padding.
    pub fn thread_lines(&self, thread: ThreadId) -> Vec<String> {
        match self.threads.get(thread.index()).map(|t| &t.body) {
            Some(Body::Instructions(instructions)) => {
                instructions.iter().map(|i| instruction(i, self.dialect)).collect()
            }
            Some(Body::Statements(statements)) => {
                statement_lines(statements).into_iter().map(|l| l.text).collect()
            }
            None => Vec::new(),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&test(self))
    }
}

/// The whole text of a test, with a line feed at the end.
pub fn test(test: &Test) -> String {
    let header = if test.sequencing == Sequencing::Cpp17 { "CUDA" } else { test.dialect.header() };
    let mut out = format!("{header} {}\n", test.name);
    if let Some(description) = &test.description {
        out.push_str(&format!("\"{description}\"\n"));
    }
    match test.dialect {
        Dialect::Ptx | Dialect::Generic | Dialect::Text(_) => table::tabular(test, &mut out),
        Dialect::GpuPtx => table::gpu_ptx(test, &mut out),
        Dialect::C => c::program(test, &mut out),
    }
    tail(test, &mut out);
    out
}

/// What follows the program: what is shown, what counts, and what is asked.
fn tail(test: &Test, out: &mut String) {
    if !test.observed.is_empty() {
        let shown: Vec<String> =
            test.observed.iter().map(|v| format!("{};", variable(v, test.dialect))).collect();
        out.push_str(&format!("locations [{}]\n", shown.join(" ")));
    }
    if let Some(filter) = &test.filter {
        out.push_str(&format!("filter ({})\n", proposition(filter, test.dialect)));
    }
    let asked = proposition(&test.condition.proposition, test.dialect);
    out.push_str(&format!("{} ({asked})\n", test.condition.quantifier.keyword()));
}

/// `{ a; b; }`, on one line if it fits, else with one line for each group (locations, then the
/// registers of each thread).
fn braces(groups: &[Vec<String>]) -> String {
    let groups: Vec<String> = groups
        .iter()
        .filter(|g| !g.is_empty())
        .map(|g| g.iter().map(|d| format!("{d};")).collect::<Vec<_>>().join(" "))
        .collect();
    let one_line = format!("{{ {} }}", groups.join(" "));
    match groups.len() {
        0 => "{ }".to_string(),
        _ if one_line.len() <= 100 => one_line,
        _ => format!("{{\n  {}\n}}", groups.join("\n  ")),
    }
}

/// Declarations of locations, the elements of an array together: `x[2]={0,1}`.
fn locations<'a>(
    declared: impl Iterator<Item = &'a LocationDeclaration>,
    single: impl Fn(&LocationDeclaration) -> String,
) -> Vec<String> {
    let mut out = Vec::new();
    let mut array: Option<(&str, Vec<String>)> = None;
    // What stands before a name, its state space, stands before that of an array.
    let mut before = String::new();
    let close =
        |array: &mut Option<(&'a str, Vec<String>)>, before: &str, out: &mut Vec<String>| {
            if let Some((name, values)) = array.take() {
                out.push(format!("{before}{name}[{}]={{{}}}", values.len(), values.join(",")));
            }
        };
    for l in declared {
        let of = element(&l.name).filter(|_| l.alias.is_none());
        if array.as_ref().map(|(name, _)| *name) != of.map(|(name, _)| name) {
            close(&mut array, &before, &mut out);
        }
        match of {
            Some((name, _)) => {
                let whole =
                    l.space.map(|_| single(&LocationDeclaration { value: None, ..l.clone() }));
                before = whole
                    .as_deref()
                    .and_then(|whole| whole.strip_suffix(l.name.as_str()))
                    .unwrap_or_default()
                    .to_owned();
                let value = l.value.as_ref().map_or("0".to_string(), initial);
                array.get_or_insert_with(|| (name, Vec::new())).1.push(value);
            }
            None => out.push(single(l)),
        }
    }
    close(&mut array, &before, &mut out);
    out
}

fn initial(value: &InitialValue) -> String {
    match value {
        InitialValue::Integer(n) => n.to_string(),
        InitialValue::AddressOf(location) => format!("&{location}"),
    }
}
