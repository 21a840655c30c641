//! The picture for a terminal: the threads beside each other (below each other where they do not
//! fit), then the edges.

use super::layout::PictureLayout;
use super::{Picture, PictureEdge, PictureSubject, event_name, placement_label};
use crate::execution::Execution;

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[1;31m";
const DIM: &str = "\u{1b}[2m";
const RESET: &str = "\u{1b}[0m";

/// Draws the execution within so many columns, with ANSI colours if asked for.
pub fn text(execution: &Execution, picture: &Picture, width: usize, colour: bool) -> String {
    let layout = PictureLayout::of(execution, picture);
    let paint = |style: &str, text: &str| {
        if colour { format!("{style}{text}{RESET}") } else { text.to_owned() }
    };
    let on_cycle = |e: crate::bits::Event| {
        picture.edges.iter().any(|x| (x.emphasis || x.missing) && (x.from == e || x.to == e))
    };
    let mut out = String::new();
    out.push_str(&paint(BOLD, &picture.title));
    out.push('\n');
    if !picture.subtitle.is_empty() {
        out.push_str(&picture.subtitle);
        out.push('\n');
    }
    if !layout.inits.is_empty() {
        let inits: Vec<&str> =
            layout.inits.iter().map(|e| picture.events[e.index()].as_str()).collect();
        out.push_str(&paint(DIM, &inits.join("   ")));
        out.push('\n');
    }
    // Each thread is a block of lines: its header and its events; those on the cycle are marked.
    let blocks: Vec<Vec<(String, bool)>> = layout
        .threads
        .iter()
        .enumerate()
        .map(|(t, events)| {
            let placement = placement_label(execution, t);
            let header =
                if placement.is_empty() { format!("P{t}") } else { format!("P{t}  {placement}") };
            let lines = events.iter().map(|&e| {
                let mark = if on_cycle(e) { "*" } else { " " };
                (format!("{mark}{}", picture.events[e.index()]), on_cycle(e))
            });
            std::iter::once((header, false)).chain(lines).collect()
        })
        .collect();
    let size =
        |block: &[(String, bool)]| block.iter().map(|(l, _)| l.chars().count()).max().unwrap_or(0);
    // As many blocks beside each other as fit.
    let mut first = 0;
    while first < blocks.len() {
        let (mut last, mut used) = (first + 1, size(&blocks[first]));
        while last < blocks.len() && used + 3 + size(&blocks[last]) <= width {
            used += 3 + size(&blocks[last]);
            last += 1;
        }
        let row = &blocks[first..last];
        for i in 0..row.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = String::new();
            let mut pending = 0;
            for block in row {
                let (cell, emphasised) =
                    block.get(i).map_or(("", false), |(l, e)| (l.as_str(), *e));
                line.push_str(&" ".repeat(pending));
                line.push_str(&if i == 0 {
                    paint(BOLD, cell)
                } else if emphasised {
                    paint(RED, cell)
                } else {
                    cell.to_owned()
                });
                pending = size(block) - cell.chars().count() + 3;
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if last < blocks.len() {
            out.push('\n');
        }
        first = last;
    }
    let edge = |e: &PictureEdge| {
        format!("{} -{}-> {}", event_name(execution, e.from), e.label, event_name(execution, e.to))
    };
    let all = |edges: &[PictureEdge]| edges.iter().map(edge).collect::<Vec<String>>();
    let is_other = |e: &&PictureEdge| !e.emphasis && !e.missing && !e.is_program_order();
    let others: Vec<String> = picture.edges.iter().filter(is_other).map(edge).collect();
    let mut lists = match &picture.shown {
        PictureSubject::Execution => Vec::new(),
        PictureSubject::Cycle(cycle) => vec![("cycle", all(cycle), RED)],
        PictureSubject::Pair { there, missing } => {
            vec![("there", all(there), RED), ("missing", all(missing), RED)]
        }
    };
    lists.push(("other edges", others, DIM));
    for (name, list, style) in lists {
        if !list.is_empty() {
            out.push_str(&paragraph(name, &list, width, |text| paint(style, text)));
        }
    }
    out
}

/// `name: item, item, ...` in lines of at most so many columns.
fn paragraph(name: &str, items: &[String], width: usize, paint: impl Fn(&str) -> String) -> String {
    let indent = name.len() + 2;
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for item in items {
        if !line.is_empty() && indent + line.chars().count() + 3 + item.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push_str(",  ");
        }
        line.push_str(item);
    }
    lines.push(line);
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let head = if i == 0 { format!("{name}: ") } else { " ".repeat(indent) };
        out.push_str(&format!("{head}{}\n", paint(line)));
    }
    out
}
