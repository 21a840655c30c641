//! Tables: aligned columns, numbers to the right.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// The longest cell; breaking one takes time with the square of its length.
const LONGEST: usize = 200;

/// A table from a header and rows, whose cells are cut off where they are longer than [`LONGEST`]; columns whose number is in `right` are aligned to the right.
pub fn table(header: &[&str], rows: &[Vec<String>], right: &[usize], width: usize) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(width as u16);
    table.set_header(header);
    for row in rows {
        table.add_row(row.iter().map(|cell| shortened(cell)));
    }
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
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
