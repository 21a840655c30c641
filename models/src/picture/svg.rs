//! The picture as SVG: self-contained, for light and dark pages, the same bytes for the same
//! picture.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::escape::escape;
use super::geometry::{Curve, Rect};
use super::layout::PictureLayout;
use super::route::{HEAD, Scene, label_places, route};
use super::style::{class, meaning, sheet};
use super::{Picture, PictureEdge, label};
use crate::execution::Execution;

/// Height of an event's box.
const BOX: f64 = 30.0;
/// Distance between rows.
const ROW: f64 = 78.0;
/// Distance between columns.
const GAP: f64 = 120.0;
/// Space around everything.
const MARGIN: f64 = 22.0;
/// Width of a character of a label.
const CHARACTER: f64 = 7.9;
/// From the top of a column to the middle of its first row.
const HEADER: f64 = 46.0;
/// Space between a box around columns and what is in it.
const PAD: f64 = 14.0;

/// Draws the execution.
pub fn svg(execution: &Execution, picture: &Picture) -> String {
    let layout = PictureLayout::of(execution, picture);
    let scene = scene(&layout, picture);
    // Emphasised edges last, so that they are on top.
    let mut edges: Vec<&PictureEdge> = picture.edges.iter().collect();
    edges.sort_by_key(|e| e.emphasis);
    let curves = route(&scene, &layout, &edges);
    let sizes: Vec<_> = edges
        .iter()
        .map(|e| labelled(e).then(|| (e.label.chars().count() as f64 * 7.6 + 6.0, 16.0)))
        .collect();
    let labels = label_places(&scene, &curves, &sizes);

    let mut body = DrawnBody::default();
    columns(&mut body, execution, &layout, &scene);
    for (edge, curve) in edges.iter().zip(&curves) {
        if let Some(curve) = curve {
            body.curve(edge, curve);
        }
    }
    for (&event, rect) in &scene.boxes {
        let on = picture
            .edges
            .iter()
            .any(|e| (e.emphasis || e.missing) && (e.from == event || e.to == event));
        body.rect(if on { "event on" } else { "event" }, rect, 6.0);
        let (x, y) = rect.centre();
        body.text(
            "label",
            (x, y + 4.5),
            picture.events.get(event.index()).map_or("", String::as_str),
        );
    }
    for (edge, rect) in edges.iter().zip(&labels).filter_map(|(e, r)| r.map(|r| (e, r))) {
        body.rect("behind", &rect, 3.0);
        let (x, y) = rect.centre();
        body.text(&format!("edge-label {}", classes(edge)), (x, y + 4.0), &edge.label);
    }
    body.finish(picture)
}

/// Is the label drawn? Neighbours in program order need none, unless they are on the cycle.
fn labelled(edge: &PictureEdge) -> bool {
    edge.emphasis || edge.missing || !edge.is_program_order()
}

fn classes(edge: &PictureEdge) -> String {
    let state = match (edge.missing, edge.emphasis) {
        (true, _) => " missing",
        (false, true) => " on",
        (false, false) => "",
    };
    format!("{}{state}", class(edge))
}

/// Places boxes and headings.
fn scene(layout: &PictureLayout, picture: &Picture) -> Scene {
    let longest = picture.events.iter().map(|l| l.chars().count()).max().unwrap_or(4);
    let wide = (longest as f64 * CHARACTER + 20.0).max(80.0);
    let left = |c: usize| c as f64 * (wide + GAP);
    let mut boxes = BTreeMap::new();
    for (c, &t) in layout.columns.iter().enumerate() {
        for (row, &e) in layout.threads[t].iter().enumerate() {
            boxes.insert(
                e,
                Rect { x: left(c), y: HEADER - BOX / 2.0 + row as f64 * ROW, w: wide, h: BOX },
            );
        }
    }
    let whole = left(layout.columns.len().max(1)) - GAP;
    for (i, &e) in layout.inits.iter().enumerate() {
        // Initial writes are spread over the width, above the boxes around columns.
        let apart = (whole / layout.inits.len() as f64).max(wide + 30.0);
        let x = whole / 2.0 + (i as f64 - (layout.inits.len() - 1) as f64 / 2.0) * apart;
        boxes.insert(e, Rect::around((x, -92.0), wide, BOX));
    }
    Scene {
        boxes,
        texts: (0..layout.columns.len())
            .map(|c| Rect::around((left(c) + wide / 2.0, 14.0), 34.0, 18.0))
            .collect(),
        lanes: (0..=layout.rows).map(|r| HEADER + (r as f64 - 0.5) * ROW).collect(),
        columns: (0..layout.columns.len()).map(|c| (left(c), left(c) + wide)).collect(),
    }
}

/// The columns of threads, and behind them the boxes of ctas, clusters and gpus.
fn columns(body: &mut DrawnBody, execution: &Execution, layout: &PictureLayout, scene: &Scene) {
    let bottom = HEADER + (layout.rows.max(1) - 1) as f64 * ROW + BOX / 2.0 + 22.0;
    let around = |first: usize, last: usize, level: f64| {
        let (pad, up) = (PAD + 9.0 * level, 19.0 * level);
        Rect::spanning(
            (scene.columns[first].0 - pad, -up),
            (scene.columns[last].1 + pad, bottom + 8.0 * level),
        )
    };
    for (depth, &(scope, name)) in label::levels(execution).iter().enumerate().rev() {
        let level = depth as f64 + 1.0;
        let place = |c: usize| execution.threads[layout.columns[c]];
        let mut first = 0;
        while first < layout.columns.len() {
            let last = (first..layout.columns.len())
                .take_while(|&c| place(first).shares(scope, place(c)))
                .last()
                .unwrap_or(first);
            let rect = around(first, last, level);
            body.rect(&format!("group {}", scope.name()), &rect, 8.0);
            body.text(
                "group-name",
                (rect.x + 7.0, rect.y + 13.0),
                &format!("{name} {}", place(first).number(scope)),
            );
            first = last + 1;
        }
    }
    for (c, &t) in layout.columns.iter().enumerate() {
        body.rect("thread", &around(c, c, 0.0), 6.0);
        let (l, r) = scene.columns[c];
        body.text("header", ((l + r) / 2.0, 19.0), &format!("P{t}"));
    }
}

/// What is drawn, and how far it reaches.
#[derive(Default)]
struct DrawnBody {
    svg: String,
    extent: Option<Rect>,
}

impl DrawnBody {
    fn reach(&mut self, rect: &Rect) {
        self.extent = Some(self.extent.map_or(*rect, |e| e.joined(rect)));
    }

    fn rect(&mut self, class: &str, rect: &Rect, radius: f64) {
        self.reach(rect);
        let Rect { x, y, w, h } = rect;
        let _ = writeln!(
            self.svg,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"{radius}\"/>"
        );
    }

    fn text(&mut self, class: &str, (x, y): (f64, f64), content: &str) {
        let _ = writeln!(
            self.svg,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape(content)
        );
    }

    /// An edge with its head.
    fn curve(&mut self, edge: &PictureEdge, curve: &Curve) {
        for (x, y) in curve.points() {
            self.reach(&Rect::around((x, y), 6.0, 6.0));
        }
        let class = classes(edge);
        let _ = writeln!(self.svg, "<path class=\"edge {class}\" d=\"{}\"/>", curve.path());
        let ((dx, dy), (x, y)) = (curve.direction(), curve.end());
        let half = if edge.emphasis { 5.5 } else { 4.2 };
        let (bx, by, tx, ty) = (x - dx, y - dy, x + dx * (HEAD - 1.0), y + dy * (HEAD - 1.0));
        let _ = writeln!(
            self.svg,
            "<path class=\"head {class}\" d=\"M{tx:.1},{ty:.1} L{:.1},{:.1} L{:.1},{:.1} Z\"/>",
            bx - half * dy,
            by + half * dx,
            bx + half * dy,
            by - half * dx
        );
    }

    /// Adds title and legend, and frames the whole.
    fn finish(mut self, picture: &Picture) -> String {
        let extent = self.extent.unwrap_or(Rect { x: 0.0, y: 0.0, w: 80.0, h: BOX });
        let centre = extent.centre().0;
        let wide = |text: &str, character: f64| text.chars().count() as f64 * character;
        let mut top = extent.y - 14.0;
        if !picture.subtitle.is_empty() {
            self.text("subtitle", (centre, top), &picture.subtitle);
            top -= 21.0;
        }
        self.text("title", (centre, top), &picture.title);
        let text = wide(&picture.title, 9.2).max(wide(&picture.subtitle, CHARACTER)).max(300.0);
        let inner = extent.w.max(text);
        let bottom = self.legend(picture, centre, extent.bottom() + 24.0, inner);
        let page =
            Rect::spanning((centre - inner / 2.0, top - 12.0), (centre + inner / 2.0, bottom))
                .grown(MARGIN);
        let (x, y, w, h) = (page.x.floor(), page.y.floor(), page.w.ceil(), page.h.ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"{x:.0} {y:.0} {w:.0} {h:.0}\" \
             role=\"img\" aria-label=\"{}\">\n{}<rect class=\"page\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{w:.0}\" height=\"{h:.0}\"/>\n{}</svg>\n",
            escape(&picture.title),
            sheet(),
            self.svg
        )
    }

    /// The relations that occur, in as many lines as they need; returns the height below them.
    fn legend(&mut self, picture: &Picture, centre: f64, mut y: f64, inner: f64) -> f64 {
        let item = |edge: &PictureEdge| {
            let label = &edge.label;
            meaning(edge)
                .map_or_else(|| format!("{label} (of the model)"), |m| format!("{label} {m}"))
        };
        let mut items: Vec<(String, String)> = Vec::new();
        for edge in &picture.edges {
            let text = if edge.missing { format!("{} is missing", edge.label) } else { item(edge) };
            if items.iter().all(|(_, known)| *known != text) {
                let plain = PictureEdge { emphasis: false, ..edge.clone() };
                items.push((classes(&plain), text));
            }
        }
        let size = |text: &str| text.chars().count() as f64 * 6.7 + 42.0;
        let mut rest = items.as_slice();
        while !rest.is_empty() {
            let mut used = 0.0;
            let fits = rest.iter().take_while(|(_, t)| {
                used += size(t);
                used <= inner
            });
            let (line, later) = rest.split_at(fits.count().max(1));
            let mut x = centre - line.iter().map(|(_, t)| size(t)).sum::<f64>() / 2.0;
            for (class, text) in line {
                let _ = writeln!(
                    self.svg,
                    "<path class=\"edge {class}\" d=\"M{x:.1},{:.1} h18\"/>",
                    y - 4.0
                );
                self.text("legend", (x + 23.0, y), text);
                x += size(text);
            }
            rest = later;
            y += 18.0;
        }
        y - 14.0
    }
}
