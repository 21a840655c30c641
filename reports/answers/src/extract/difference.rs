//! What differs between what was extracted and a table, for people and for programs.

use margay_extract::point::TableSlot;
use margay_extract::table::{Difference, Table, TableComparison};
use margay_mappings::language::Mapping;
use margay_models::execution::Scope;
use margay_reports::extract as document;

use margay_console::output::Output;

/// How many rows are shown with their PTX.
const SHOWN: usize = 3;

/// Rows that differ in the same way.
struct Alike<'a> {
    emitted: String,
    expected: String,
    /// Their left-hand sides; where a row differs at every scope in the same way, that of all
    /// scopes.
    heads: Vec<String>,
    first: &'a Difference<'a>,
}

/// A text of one scope with `s` in the place of the scope.
fn of_any_scope(text: &str, scope: Option<Scope>) -> String {
    let Some(scope) = scope else { return text.to_owned() };
    let word = |word: &str| {
        word.split('.')
            .map(|part| if part == scope.name() { "s" } else { part })
            .collect::<Vec<_>>()
            .join(".")
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn groups<'a>(table: &Table, compared: &'a TableComparison<'a>) -> Vec<Alike<'a>> {
    let slot = |d: &Difference<'_>| TableSlot { scope: None, ..d.measured.row.slot };
    let mut by_slot: Vec<(TableSlot, Vec<&'a Difference<'a>>)> = Vec::new();
    for one in &compared.differ {
        match by_slot.iter_mut().find(|(known, _)| *known == slot(one)) {
            Some((_, all)) => all.push(one),
            None => by_slot.push((slot(one), vec![one])),
        }
    }
    let mut out: Vec<Alike<'a>> = Vec::new();
    let mut add = |emitted: String,
                   expected: String,
                   heads: Vec<String>,
                   first: &'a Difference<'a>| match out
        .iter_mut()
        .find(|k| (&k.emitted, &k.expected) == (&emitted, &expected))
    {
        Some(group) => group.heads.extend(heads),
        None => out.push(Alike { emitted, expected, heads, first }),
    };
    for (of, all) in by_slot {
        // What is said at all these scopes: the same, whatever the scope, or the same of each.
        let at_all = |text: &dyn Fn(&Difference<'_>) -> String| {
            let variable = |d: &&Difference<'_>| of_any_scope(&text(d), d.measured.row.slot.scope);
            let same =
                |texts: Vec<String>| texts.iter().all(|t| *t == texts[0]).then(|| texts[0].clone());
            same(all.iter().map(|d| text(d)).collect())
                .or_else(|| same(all.iter().map(variable).collect()))
        };
        let whole =
            table.rows.iter().filter(|m| TableSlot { scope: None, ..m.row.slot } == of).count()
                == all.len()
                && all.len() > 1;
        match (at_all(&|d| d.emitted.clone()), at_all(&|d| d.expected.clone())) {
            (Some(emitted), Some(expected)) => {
                let heads = match whole {
                    true => vec![of_any_scope(
                        &all[0].measured.row.slot.to_string(),
                        all[0].measured.row.slot.scope,
                    )],
                    false => all.iter().map(|d| d.measured.row.slot.to_string()).collect(),
                };
                add(emitted, expected, heads, all[0]);
            }
            _ => all.iter().for_each(|d| {
                add(
                    d.emitted.clone(),
                    d.expected.clone(),
                    vec![d.measured.row.slot.to_string()],
                    d,
                );
            }),
        }
    }
    out
}

/// Prints what differs.
pub fn print(
    table: &Table,
    compared: &TableComparison<'_>,
    mapping: &Mapping,
    output: &Output,
) -> std::io::Result<()> {
    let name = &mapping.file.name;
    let unsaid = match compared.unsaid {
        0 => String::new(),
        n => format!(" (of {n} the table says nothing)"),
    };
    if compared.differ.is_empty() {
        let text = output.good("the same");
        return output.print(&format!(
            "{text}: {} rows of {} are as in {name}{unsaid}",
            compared.same, table.version
        ));
    }
    let groups = groups(table, compared);
    output.print(&format!(
        "{}: {} rows of {}, {}, are not as in {name}; {} are{unsaid}",
        output.bad("different"),
        compared.differ.len(),
        table.version,
        table.of_architecture(),
        compared.same
    ))?;
    for group in &groups {
        output.print("")?;
        let heads: Vec<&str> = group.heads.iter().take(6).map(String::as_str).collect();
        let more = if group.heads.len() > heads.len() {
            format!(" and {} more", group.heads.len() - heads.len())
        } else {
            String::new()
        };
        output.print(&output.heading(&format!("{}{more}", heads.join(", "))))?;
        output.print(&format!("  emitted:  {}", group.emitted))?;
        output.print(&format!("  in table: {}", group.expected))?;
    }
    for group in groups.iter().take(SHOWN) {
        let first = group.first;
        output.print("")?;
        output.print(&output.heading(&format!("PTX of {}", first.measured.point)))?;
        for path in &first.measured.paths {
            output.print(&format!("  path: {path}"))?;
        }
        match &first.measured.ptx {
            Some(ptx) => output.print(ptx.trim_end())?,
            None => output.print("  none")?,
        }
    }
    if groups.len() > SHOWN {
        output.print("\nThe PTX of the others: `--json`.")?;
    }
    Ok(())
}

/// What differs, as a part of a document.
pub fn report(compared: &TableComparison<'_>) -> document::TableAgainst {
    let difference = |d: &Difference<'_>| document::RowDifference {
        row: d.measured.row.slot.to_string(),
        emitted: d.emitted.clone(),
        expected: d.expected.clone(),
        paths: d.measured.paths.clone(),
        ptx: d.measured.ptx.clone(),
    };
    document::TableAgainst {
        same: compared.same,
        unsaid: compared.unsaid,
        differ: compared.differ.iter().map(difference).collect(),
    }
}
