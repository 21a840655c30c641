//! What differs between what was extracted and a table, for people and for programs.

use margay_extract::table::{Difference, Table, TableComparison};
use margay_mappings::language::Mapping;
use margay_reports::extract as document;

use margay_console::output::Output;

/// How many rows are shown with their PTX.
const SHOWN: usize = 3;

/// Rows that differ in the same way.
struct Alike<'a> {
    emitted: String,
    expected: String,
    rows: Vec<&'a Difference<'a>>,
}

fn groups<'a>(compared: &'a TableComparison<'a>) -> Vec<Alike<'a>> {
    let mut out: Vec<Alike<'a>> = Vec::new();
    for one in &compared.differ {
        match out.iter_mut().find(|k| (&k.emitted, &k.expected) == (&one.emitted, &one.expected)) {
            Some(group) => group.rows.push(one),
            None => out.push(Alike { emitted: one.emitted.clone(), expected: one.expected.clone(), rows: vec![one] }),
        }
    }
    out
}

/// Prints what differs.
pub fn print(table: &Table, compared: &TableComparison<'_>, mapping: &Mapping, output: &Output) -> std::io::Result<()> {
    let name = &mapping.file.name;
    let unsaid = match compared.unsaid {
        0 => String::new(),
        n => format!(" (of {n} the table says nothing)"),
    };
    if compared.differ.is_empty() {
        let text = output.good("the same");
        return output.print(&format!("{text}: {} rows of {} are as in {name}{unsaid}", compared.same, table.version));
    }
    let groups = groups(compared);
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
        let rows: Vec<String> = group.rows.iter().take(6).map(|d| d.measured.row.slot.to_string()).collect();
        let more =
            if group.rows.len() > rows.len() { format!(" and {} more", group.rows.len() - rows.len()) } else { String::new() };
        output.print(&output.heading(&format!("{}{more}", rows.join(", "))))?;
        output.print(&format!("  emitted:  {}", group.emitted))?;
        output.print(&format!("  in table: {}", group.expected))?;
    }
    for group in groups.iter().take(SHOWN) {
        let first = group.rows[0];
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
