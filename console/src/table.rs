//! Tables: aligned columns, numbers to the right.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use crate::wrapped::indented;

/// The longest cell; breaking one takes time with the square of its length.
const LONGEST: usize = 200;

/// The blanks beside the text of a column.
const BLANKS: usize = 2;

/// A table from a header and rows, whose cells are cut off where they are longer than `LONGEST`;
/// columns whose number is in `right` are aligned to the right. No word is broken: where the
/// columns cannot be as wide as their longest words, each row is a paragraph.
pub fn table(header: &[&str], rows: &[Vec<String>], right: &[usize], width: usize) -> String {
    let widest = |cell: &str| {
        cell.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0).min(LONGEST)
    };
    let cells =
        |column: usize| rows.iter().map(move |row| row[column].as_str()).chain([header[column]]);
    let least: Vec<usize> = (0..header.len())
        .map(|column| cells(column).map(widest).max().unwrap_or(0) + BLANKS)
        .collect();
    if least.iter().sum::<usize>() > width {
        return rows.iter().map(|row| paragraph(header, row, width)).collect::<Vec<_>>().join("\n");
    }
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width as u16);
    table.set_header(header);
    for row in rows {
        table.add_row(row.iter().map(|cell| shortened(cell)));
    }
    for (column, &least) in table.column_iter_mut().zip(&least) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least as u16)));
    }
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// A row without a table: its first cell, and below it each other one behind the name of its
/// column.
fn paragraph(header: &[&str], row: &[String], width: usize) -> String {
    let others = header.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
    let lines = others.map(|(name, cell)| {
        let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
        indented(&format!("  {name}{}", shortened(cell)), width)
    });
    // A row that goes on with the one above has no first cell.
    let first = Some(shortened(&row[0])).filter(|cell| !cell.is_empty());
    first.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// The first characters of a cell, with a mark where others follow.
fn shortened(cell: &str) -> String {
    match cell.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.to_owned(),
    }
}

/// A number with thin groups of three digits.
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// How many there are: `1 verdict`, `1 234 verdicts`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::{counted, table};

    #[test]
    fn one_is_no_plural() {
        let said = [0, 1, 2, 12_345].map(|n| counted(n, "search", "searches"));
        assert_eq!(said, ["0 searches", "1 search", "2 searches", "12 345 searches"]);
    }

    fn rows() -> Vec<Vec<String>> {
        let row = |name: &str, title: &str| vec![name.to_owned(), "7".to_owned(), title.to_owned()];
        vec![
            row("rc11-to-ptx-descoped-no-release-rmw", "without scopes, as published"),
            row("tso", "x86"),
        ]
    }

    #[test]
    fn words_stay_whole_however_narrow_it_is() {
        for width in 30..=200 {
            let text = table(&["mapping", "rows", "title"], &rows(), &[1], width);
            for word in ["rc11-to-ptx-descoped-no-release-rmw", "published", "tso", "x86"] {
                assert!(text.split_whitespace().any(|w| w == word), "{width}: {word}\n{text}");
            }
            assert!(
                text.lines().all(|line| line.chars().count() <= width.max(35)),
                "{width}\n{text}"
            );
        }
    }

    #[test]
    fn where_columns_do_not_fit_rows_are_paragraphs() {
        let text = table(&["mapping", "rows", "title"], &rows(), &[1], 40);
        assert_eq!(text.lines().nth(1), Some("  rows: 7"), "{text}");
        assert!(table(&["mapping", "rows", "title"], &rows(), &[1], 80).lines().count() == 3);
    }
}
