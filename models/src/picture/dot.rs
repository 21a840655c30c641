//! The picture as a graph for Graphviz (`dot -Tpdf`): for papers, and for readers who want to
//! arrange it themselves.

use std::fmt::Write;

use super::layout::PictureLayout;
use super::style::colour;
use super::{Picture, PictureEdge, placement_label};
use crate::bits::Event;
use crate::execution::Execution;

/// Writes the execution as a directed graph in the DOT language: a cluster for each thread, a node
/// for each event, and the edges of the picture, of which only program order and what leads from
/// initial writes says where events are placed.
pub fn dot(execution: &Execution, picture: &Picture) -> String {
    let layout = PictureLayout::of(execution, picture);
    let title = [picture.title.as_str(), picture.subtitle.as_str()]
        .into_iter()
        .filter(|line| !line.is_empty());
    let title: Vec<&str> = title.collect();
    let mut out = format!(
        "digraph {} {{\n  label={};\n  labelloc=t;\n  fontname=monospace;\n  node [shape=box, fontname=monospace];\n  \
         edge [fontname=monospace];\n",
        quoted(&picture.title),
        quoted(&title.join("\n"))
    );
    let node = |event: Event, indent: &str| {
        let on = picture
            .edges
            .iter()
            .any(|e| (e.emphasis || e.missing) && (e.from == event || e.to == event));
        let width = if on { ", penwidth=2" } else { "" };
        let label = picture.events.get(event.index()).map_or("", String::as_str);
        format!("{indent}e{} [label={}{width}];\n", event.index(), quoted(label))
    };
    for &event in &layout.inits {
        out.push_str(&node(event, "  "));
    }
    for &thread in &layout.columns {
        let place = placement_label(execution, thread);
        let label =
            if place.is_empty() { format!("P{thread}") } else { format!("P{thread}  {place}") };
        let _ = writeln!(out, "  subgraph cluster_{thread} {{\n    label={};", quoted(&label));
        for &event in &layout.threads[thread] {
            out.push_str(&node(event, "    "));
        }
        out.push_str("  }\n");
    }
    for edge in &picture.edges {
        let _ = writeln!(
            out,
            "  e{} -> e{} [{}];",
            edge.from.index(),
            edge.to.index(),
            attributes(edge, &layout)
        );
    }
    out + "}\n"
}

/// How an edge looks, and whether it says that its end is below its start.
fn attributes(edge: &PictureEdge, layout: &PictureLayout) -> String {
    let colour = colour(edge);
    let mut out =
        format!("label={}, color=\"{colour}\", fontcolor=\"{colour}\"", quoted(&edge.label));
    if edge.emphasis {
        out.push_str(", penwidth=3");
    }
    if edge.missing {
        out.push_str(", style=dashed");
    }
    if !edge.is_program_order() && !layout.inits.contains(&edge.from) {
        out.push_str(", constraint=false");
    }
    out
}

/// A string of DOT: in quotes, with line breaks as `\n`.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
