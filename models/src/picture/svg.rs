//! The picture as SVG: self-contained, for light and dark pages, the same bytes for the same picture.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::layout::Layout;
use super::{Edge, Picture, placement_label};
use crate::bits::Event;
use crate::execution::Execution;

/// Height of an event's box.
const BOX: f64 = 30.0;
/// Distance between rows.
const ROW: f64 = 76.0;
/// Distance between columns.
const GAP: f64 = 110.0;
/// Space around everything.
const MARGIN: f64 = 28.0;
/// Width of a character of a label.
const CHARACTER: f64 = 7.9;

/// The colours of relations (Okabe and Ito, readable with every kind of colour vision), on light and on dark pages.
const COLOURS: [(&[&str], &str, &str, &str); 7] = [
    (&["rf"], "rf", "#00805a", "#2fc89b"),
    (&["co", "mo"], "co", "#0060a8", "#56b4e9"),
    (&["fr", "rb"], "fr", "#b35900", "#f0a030"),
    (&["rmw"], "rmw", "#8a3a78", "#dd8fc0"),
    (&["sc", "bar"], "sync", "#5a4fcf", "#a8a0ff"),
    (&["po", "sb"], "po", "#808080", "#909090"),
    (&["addr", "data", "ctrl"], "dep", "#7a6a00", "#e0d060"),
];

/// The class of an edge with that label.
fn class(label: &str) -> &'static str {
    COLOURS.iter().find(|(labels, ..)| labels.contains(&label)).map_or("other", |&(_, class, ..)| class)
}

/// A point.
type Point = (f64, f64);

/// The drawing: sizes and the centre of every event.
struct Drawing {
    centres: BTreeMap<Event, Point>,
    /// Half the width of every box.
    half: f64,
    /// Labels that are placed already, so that others keep away.
    labels: Vec<Point>,
    svg: String,
}

/// Draws the execution.
pub fn svg(execution: &Execution, picture: &Picture) -> String {
    let layout = Layout::of(execution, picture);
    let longest = picture.events.iter().map(|l| l.chars().count()).max().unwrap_or(4);
    let half = (longest as f64 * CHARACTER / 2.0 + 10.0).max(40.0);
    let columns = layout.threads.len().max(layout.inits.len()).max(1);
    let title_lines = 1 + usize::from(!picture.subtitle.is_empty());
    let title_width = picture.title.chars().count().max(picture.subtitle.chars().count()) as f64 * 8.6 + 2.0 * MARGIN;
    let width = (columns as f64 * (2.0 * half + GAP) - GAP + 2.0 * MARGIN + 60.0).max(title_width);
    let left = (width - (columns as f64 * (2.0 * half + GAP) - GAP)) / 2.0;
    let column = |c: usize| left + half + c as f64 * (2.0 * half + GAP);
    let inits_y = MARGIN + 24.0 * title_lines as f64 + 22.0;
    let header_y = inits_y + if layout.inits.is_empty() { 0.0 } else { ROW - 6.0 };
    let first_row = header_y + 46.0;

    let mut drawing = Drawing { centres: BTreeMap::new(), half, labels: Vec::new(), svg: String::new() };
    for (i, &e) in layout.inits.iter().enumerate() {
        // Initial writes are spread over the width.
        let x = width * (i as f64 + 1.0) / (layout.inits.len() as f64 + 1.0);
        drawing.centres.insert(e, (x, inits_y));
    }
    for (t, events) in layout.threads.iter().enumerate() {
        for (row, &e) in events.iter().enumerate() {
            drawing.centres.insert(e, (column(t), first_row + row as f64 * ROW));
        }
    }
    let bottom = first_row + (layout.rows.max(1) - 1) as f64 * ROW + BOX / 2.0 + 26.0;
    let height = bottom + 34.0;

    let _ = write!(
        drawing.svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         role=\"img\" aria-label=\"{}\">\n{}",
        escape(&picture.title),
        style()
    );
    drawing.line(&format!("<rect class=\"page\" width=\"{width:.0}\" height=\"{height:.0}\"/>"));
    drawing.text(&format!("<text class=\"title\" x=\"{:.1}\" y=\"{:.1}\">", width / 2.0, MARGIN + 4.0), &picture.title);
    if !picture.subtitle.is_empty() {
        drawing
            .text(&format!("<text class=\"subtitle\" x=\"{:.1}\" y=\"{:.1}\">", width / 2.0, MARGIN + 26.0), &picture.subtitle);
    }
    for t in 0..layout.threads.len() {
        let (x, y) = (column(t) - half - 14.0, header_y - 2.0);
        drawing.line(&format!(
            "<rect class=\"thread\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
            2.0 * half + 28.0,
            bottom - y
        ));
        let placement = placement_label(execution, t);
        let name = if placement.is_empty() { format!("P{t}") } else { format!("P{t} \u{b7} {placement}") };
        drawing.text(&format!("<text class=\"header\" x=\"{:.1}\" y=\"{:.1}\">", column(t), header_y + 16.0), &name);
    }
    // Emphasised edges last, so that they are on top.
    let mut edges: Vec<&Edge> = picture.edges.iter().collect();
    edges.sort_by_key(|e| e.emphasis);
    let mut texts = Vec::new();
    for (i, edge) in edges.iter().enumerate() {
        // Edges between the same two events keep apart.
        let same = edges[..i]
            .iter()
            .filter(|e| (e.from, e.to) == (edge.from, edge.to) || (e.from, e.to) == (edge.to, edge.from))
            .count();
        if let Some(text) = drawing.edge(edge, same, &layout) {
            texts.push(text);
        }
    }
    for (event, (x, y)) in drawing.centres.clone() {
        let emphasis = picture.edges.iter().any(|e| e.emphasis && (e.from == event || e.to == event));
        let class = if emphasis { "event on" } else { "event" };
        drawing.line(&format!(
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BOX:.1}\" rx=\"6\"/>",
            x - half,
            y - BOX / 2.0,
            2.0 * half
        ));
        drawing.text(&format!("<text class=\"label\" x=\"{x:.1}\" y=\"{:.1}\">", y + 4.5), &picture.events[event.index()]);
    }
    for (class, (x, y), label) in texts {
        let w = label.chars().count() as f64 * 7.6 + 6.0;
        drawing.line(&format!(
            "<rect class=\"behind\" x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"16\" rx=\"3\"/>",
            x - w / 2.0,
            y - 8.0
        ));
        drawing.text(&format!("<text class=\"edge-label {class}\" x=\"{x:.1}\" y=\"{:.1}\">", y + 4.0), &label);
    }
    legend(&mut drawing, picture, width / 2.0, height - 14.0);
    drawing.svg.push_str("</svg>\n");
    drawing.svg
}

impl Drawing {
    fn line(&mut self, line: &str) {
        self.svg.push_str(line);
        self.svg.push('\n');
    }

    fn text(&mut self, open: &str, content: &str) {
        let _ = writeln!(self.svg, "{open}{}</text>", escape(content));
    }

    /// Draws an edge; returns class, place and text of its label.
    fn edge(&mut self, edge: &Edge, same: usize, layout: &Layout) -> Option<(String, Point, String)> {
        let (&(x1, y1), &(x2, y2)) = (self.centres.get(&edge.from)?, self.centres.get(&edge.to)?);
        let (half, low) = (self.half, BOX / 2.0);
        let class = if edge.emphasis { format!("{} on", class(&edge.label)) } else { class(&edge.label).to_owned() };
        let program_order = matches!(edge.label.as_str(), "po" | "sb");
        let (path, middle) = match (layout.cell(edge.from), layout.cell(edge.to)) {
            (Some((s, i)), Some((t, j))) if s == t && program_order && i.abs_diff(j) == 1 => {
                let (a, b) = if y1 < y2 { (y1 + low, y2 - low - 4.0) } else { (y1 - low, y2 + low + 4.0) };
                (format!("M{x1:.1},{a:.1} L{x2:.1},{b:.1}"), (x1, (a + b) / 2.0))
            }
            // Within a thread: an arc beside the column, wider the longer it is; downward on the right, upward on the left.
            (Some((s, i)), Some((t, j))) if s == t => {
                let side = if i < j { 1.0 } else { -1.0 };
                let reach = 24.0 + 14.0 * i.abs_diff(j) as f64 + 16.0 * same as f64;
                let (a, b) = (x1 + side * half, x2 + side * half + side * 4.0);
                let out = x1 + side * (half + reach);
                (
                    format!("M{a:.1},{y1:.1} C{out:.1},{y1:.1} {out:.1},{y2:.1} {b:.1},{y2:.1}"),
                    (x1 + side * (half + 0.75 * reach), (y1 + y2) / 2.0),
                )
            }
            // From or to an initial write: a straight line into the top of the box.
            (None, _) | (_, None) => {
                let (a, b) = if y1 < y2 { (y1 + low, y2 - low - 4.0) } else { (y1 - low, y2 + low + 4.0) };
                let k = (b - a) * 0.5;
                let middle = ((x1 + x2) / 2.0, (a + b) / 2.0);
                (format!("M{x1:.1},{a:.1} C{x1:.1},{:.1} {x2:.1},{:.1} {x2:.1},{b:.1}", a + k, b - k), middle)
            }
            (Some((s, _)), Some((t, _))) => {
                let side = if x1 < x2 { 1.0 } else { -1.0 };
                let (a, b) = (x1 + side * half, x2 - side * (half + 4.0));
                // Past other columns the curve goes through the gap between two rows.
                let far = s.abs_diff(t) > 1;
                let bend = if far { ROW / 2.0 } else { 0.0 } + 18.0 * same as f64;
                let (c, d) = (a + side * GAP * 0.45, b - side * GAP * 0.45);
                if far {
                    let through = y1.max(y2) + bend.max(ROW / 2.0);
                    let (m1, m2) = (a + side * GAP * 0.5, b - side * GAP * 0.5);
                    let path = format!(
                        "M{a:.1},{y1:.1} Q{m1:.1},{y1:.1} {m1:.1},{:.1} Q{m1:.1},{through:.1} {:.1},{through:.1} L{:.1},{through:.1} Q{m2:.1},{through:.1} {m2:.1},{:.1} Q{m2:.1},{y2:.1} {b:.1},{y2:.1}",
                        (y1 + through) / 2.0,
                        m1 + side * 20.0,
                        m2 - side * 20.0,
                        (y2 + through) / 2.0,
                    );
                    (path, ((a + b) / 2.0, through))
                } else {
                    let path = format!("M{a:.1},{y1:.1} C{c:.1},{:.1} {d:.1},{:.1} {b:.1},{y2:.1}", y1 + bend, y2 + bend);
                    // A point of the curve; where it starts high and ends low, labels of crossing edges are apart.
                    let u = 0.32;
                    let at = |p: [f64; 4]| {
                        let v: f64 = 1.0 - u;
                        v * v * v * p[0] + 3.0 * v * v * u * p[1] + 3.0 * v * u * u * p[2] + u * u * u * p[3]
                    };
                    (path, (at([a, c, d, b]), at([y1, y1 + bend, y2 + bend, y2])))
                }
            }
        };
        self.line(&format!("<path class=\"edge {class}\" d=\"{path}\"/>"));
        self.arrow(edge, &class, layout);
        // Neighbours in program order need no label, unless they are on the cycle.
        if program_order && !edge.emphasis {
            return None;
        }
        let mut place = middle;
        while self.labels.iter().any(|l| (l.0 - place.0).abs() < 34.0 && (l.1 - place.1).abs() < 17.0) {
            place.1 += 17.0;
        }
        self.labels.push(place);
        Some((class, place, edge.label.clone()))
    }

    /// The head of an edge, as a small triangle at its end.
    fn arrow(&mut self, edge: &Edge, class: &str, layout: &Layout) {
        let (Some(&(x1, y1)), Some(&(x2, y2))) = (self.centres.get(&edge.from), self.centres.get(&edge.to)) else { return };
        let (half, low) = (self.half, BOX / 2.0);
        let cells = (layout.cell(edge.from), layout.cell(edge.to));
        let program_order = matches!(edge.label.as_str(), "po" | "sb");
        // The end of the edge and the direction in which it arrives.
        let (x, y, dx, dy) = match cells {
            (Some((s, i)), Some((t, j))) if s == t && program_order && i.abs_diff(j) == 1 => {
                let down = if y1 < y2 { 1.0 } else { -1.0 };
                (x2, y2 - down * low, 0.0, down)
            }
            (Some((s, i)), Some((t, j))) if s == t => {
                let side = if i < j { 1.0 } else { -1.0 };
                (x2 + side * half, y2, -side, 0.0)
            }
            (None, _) | (_, None) => {
                let down = if y1 < y2 { 1.0 } else { -1.0 };
                (x2, y2 - down * low, 0.0, down)
            }
            _ => {
                let side = if x1 < x2 { 1.0 } else { -1.0 };
                (x2 - side * half, y2, side, 0.0)
            }
        };
        let (bx, by) = (x - 9.0 * dx, y - 9.0 * dy);
        self.line(&format!(
            "<path class=\"head {class}\" d=\"M{x:.1},{y:.1} L{:.1},{:.1} L{:.1},{:.1} Z\"/>",
            bx - 4.5 * dy,
            by - 4.5 * dx,
            bx + 4.5 * dy,
            by + 4.5 * dx
        ));
    }
}

/// The relations that occur, in a row below the picture.
fn legend(drawing: &mut Drawing, picture: &Picture, centre: f64, y: f64) {
    let explain = |label: &str| match label {
        "po" => "program order",
        "sb" => "sequenced before",
        "rf" => "reads from",
        "co" => "coherence order",
        "mo" => "modification order",
        "fr" | "rb" => "reads before",
        "rmw" => "read-modify-write",
        "sc" => "Fence-SC order",
        "bar" => "barrier",
        "addr" | "data" | "ctrl" => "dependency",
        _ => "",
    };
    let mut labels: Vec<&str> = Vec::new();
    for edge in &picture.edges {
        if !labels.contains(&edge.label.as_str()) {
            labels.push(&edge.label);
        }
    }
    let items: Vec<(String, String)> = labels
        .iter()
        .map(|l| {
            let text = explain(l);
            (class(l).to_owned(), if text.is_empty() { (*l).to_owned() } else { format!("{l} {text}") })
        })
        .collect();
    let size = |text: &str| text.chars().count() as f64 * 6.4 + 40.0;
    let mut x = centre - items.iter().map(|(_, t)| size(t)).sum::<f64>() / 2.0;
    for (class, text) in items {
        drawing.line(&format!("<path class=\"edge {class}\" d=\"M{x:.1},{:.1} h18\"/>", y - 4.0));
        drawing.text(&format!("<text class=\"legend\" x=\"{:.1}\" y=\"{y:.1}\">", x + 23.0), &text);
        x += size(&text);
    }
}

/// Colours for light pages, and for dark ones where the reader prefers them.
fn style() -> String {
    let mut out = String::from(
        "<style>\ntext{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;fill:#1a1a1a}\n\
         .title{font-size:15px;font-weight:bold;text-anchor:middle}.subtitle,.header,.label,.edge-label{text-anchor:middle}\n\
         .header{font-weight:bold}.legend{font-size:11px}.page{fill:#ffffff}.thread{fill:#f4f4f6;stroke:#d8d8de}\n\
         .event{fill:#ffffff;stroke:#707078;stroke-width:1.2}.event.on{stroke:#c01818;stroke-width:2}.behind{fill:#ffffff;opacity:0.9}\n\
         .edge{fill:none;stroke:#555;stroke-width:1.4}.edge.on{stroke-width:3.4}.head{stroke:none;fill:#555}\n\
         .edge-label{font-size:12px}.edge-label.on{font-weight:bold}\n",
    );
    for (_, class, light, _) in COLOURS {
        let _ = writeln!(out, ".edge.{class}{{stroke:{light}}}.head.{class},.edge-label.{class}{{fill:{light}}}");
    }
    out.push_str(
        "@media (prefers-color-scheme: dark){text{fill:#e8e8ea}.page{fill:#17171a}.thread{fill:#222227;stroke:#3a3a42}\
         .event{fill:#2c2c33;stroke:#9a9aa4}.event.on{stroke:#ff6b6b}.behind{fill:#17171a}\n",
    );
    for (_, class, _, dark) in COLOURS {
        let _ = writeln!(out, ".edge.{class}{{stroke:{dark}}}.head.{class},.edge-label.{class}{{fill:{dark}}}");
    }
    out.push_str("}\n</style>\n");
    out
}

/// Text as XML content.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Control characters are not allowed in XML 1.0.
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
