//! The ways of edges: each edge takes the cheapest of a few smooth curves, where running through a
//! box is dear, and so is running along another edge; then labels go where they cover least.

use std::collections::BTreeMap;

use super::PictureEdge;
use super::geometry::{Curve, PicturePoint, Rect, distance, length};
use super::layout::PictureLayout;
use crate::bits::Event;

/// The length of an arrow's head.
pub(super) const HEAD: f64 = 9.0;

/// What edges must keep clear of.
pub(super) struct Scene {
    /// The box of each event.
    pub boxes: BTreeMap<Event, Rect>,
    /// Headings.
    pub texts: Vec<Rect>,
    /// The height of the gap above each row, and of the one below the last row.
    pub lanes: Vec<f64>,
    /// The left and right side of the boxes of each column.
    pub columns: Vec<(f64, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BoxSide {
    Left,
    Right,
    Top,
    Bottom,
}

impl BoxSide {
    /// The way out of the box.
    fn outward(self) -> PicturePoint {
        match self {
            Self::Left => (-1.0, 0.0),
            Self::Right => (1.0, 0.0),
            Self::Top => (0.0, -1.0),
            Self::Bottom => (0.0, 1.0),
        }
    }
}

/// The sides at which an edge leaves and arrives.
fn sides(edge: &PictureEdge, layout: &PictureLayout) -> (BoxSide, BoxSide) {
    match (layout.cell(edge.from), layout.cell(edge.to)) {
        (Some((s, i)), Some((t, j))) if s == t => match (straight_down(edge, layout), i < j) {
            (true, _) => (BoxSide::Bottom, BoxSide::Top),
            (false, true) => (BoxSide::Right, BoxSide::Right),
            (false, false) => (BoxSide::Left, BoxSide::Left),
        },
        (Some((s, _)), Some((t, _))) if s < t => (BoxSide::Right, BoxSide::Left),
        (Some(_), Some(_)) => (BoxSide::Left, BoxSide::Right),
        (None, Some((_, 0))) => (BoxSide::Bottom, BoxSide::Top),
        // Below the first row the way down is beside the column.
        (None, Some(_)) => (BoxSide::Bottom, BoxSide::Left),
        (Some((_, 0)), None) => (BoxSide::Top, BoxSide::Bottom),
        (Some(_), None) => (BoxSide::Left, BoxSide::Bottom),
        (None, None) => (BoxSide::Right, BoxSide::Left),
    }
}

/// Program order to the next event below.
fn straight_down(edge: &PictureEdge, layout: &PictureLayout) -> bool {
    match (layout.cell(edge.from), layout.cell(edge.to)) {
        (Some((s, i)), Some((t, j))) => edge.is_program_order() && s == t && j == i + 1,
        _ => false,
    }
}

/// The curve of each edge, in the order of the edges; an edge of an event that is not drawn has
/// none.
pub(super) fn route(
    scene: &Scene,
    layout: &PictureLayout,
    edges: &[&PictureEdge],
) -> Vec<Option<Curve>> {
    let ports = ports(scene, layout, edges);
    let mut curves: Vec<Option<Curve>> = Vec::new();
    let mut taken: Vec<Vec<PicturePoint>> = Vec::new();
    for (edge, ends) in edges.iter().zip(&ports) {
        let best = ends.and_then(|(from, to)| {
            let candidates = candidates(scene, layout, edge, from, to);
            // The first one of the cheapest.
            candidates
                .into_iter()
                .map(|c| (cost(scene, edge, &c, &taken), c))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(_, c)| c)
        });
        if let Some(curve) = &best {
            taken.push(curve.points());
        }
        curves.push(best);
    }
    curves
}

/// Where each edge leaves and arrives: the ends at one side of a box are spread over it, in the
/// order of where they lead.
fn ports(
    scene: &Scene,
    layout: &PictureLayout,
    edges: &[&PictureEdge],
) -> Vec<Option<(PicturePoint, PicturePoint)>> {
    let mut ends: BTreeMap<(Event, BoxSide), Vec<(usize, bool)>> = BTreeMap::new();
    for (i, edge) in edges.iter().enumerate() {
        let (leave, arrive) = sides(edge, layout);
        ends.entry((edge.from, leave)).or_default().push((i, false));
        ends.entry((edge.to, arrive)).or_default().push((i, true));
    }
    let mut points: Vec<[Option<PicturePoint>; 2]> = vec![[None; 2]; edges.len()];
    for (&(event, side), list) in &mut ends {
        let Some(rect) = scene.boxes.get(&event) else { continue };
        let vertical = matches!(side, BoxSide::Left | BoxSide::Right);
        let aim = |&(i, arriving): &(usize, bool)| {
            let other = if arriving { edges[i].from } else { edges[i].to };
            let (x, y) = scene.boxes.get(&other).map_or((0.0, 0.0), Rect::centre);
            // Neighbours in program order leave in the middle; everything else where it is headed.
            if vertical { (y, x) } else { (x, y) }
        };
        list.sort_by(|a, b| {
            let (p, q) = (aim(a), aim(b));
            p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)).then(a.cmp(b))
        });
        let room = if vertical { rect.h - 10.0 } else { rect.w * 0.6 };
        let step = if list.len() > 1 {
            (room / (list.len() - 1) as f64).min(if vertical { 12.0 } else { 40.0 })
        } else {
            0.0
        };
        let (x, y) = rect.centre();
        for (k, &(i, arriving)) in list.iter().enumerate() {
            let offset = (k as f64 - (list.len() - 1) as f64 / 2.0) * step;
            let point = match side {
                BoxSide::Left => (rect.x, y + offset),
                BoxSide::Right => (rect.right(), y + offset),
                BoxSide::Top => (x + offset, rect.y),
                BoxSide::Bottom => (x + offset, rect.bottom()),
            };
            points[i][usize::from(arriving)] = Some(point);
        }
    }
    points.into_iter().map(|[from, to]| from.zip(to)).collect()
}

/// The curves that an edge may take.
fn candidates(
    scene: &Scene,
    layout: &PictureLayout,
    edge: &PictureEdge,
    from: PicturePoint,
    to: PicturePoint,
) -> Vec<Curve> {
    let (leave, arrive) = sides(edge, layout);
    let ((ox, oy), (ix, iy)) = (leave.outward(), arrive.outward());
    // The line ends where the head begins.
    let end = (to.0 + ix * (HEAD - 1.0), to.1 + iy * (HEAD - 1.0));
    let away = |(x, y): PicturePoint, (dx, dy): PicturePoint, by: f64| (x + dx * by, y + dy * by);
    if straight_down(edge, layout) {
        return vec![Curve::from(from).line(end)];
    }
    let span = distance(from, end);
    let (a, b) = ((ox, oy), (ix, iy));
    if leave == arrive {
        // Back to the same side: arcs of growing reach.
        return (0..6)
            .map(|i| 26.0 + 0.14 * span + 16.0 * f64::from(i))
            .map(|reach| {
                Curve::from(from).bend(away(from, a, reach * 1.33), away(end, b, reach * 1.33), end)
            })
            .collect();
    }
    let direct = |k: f64| Curve::from(from).bend(away(from, a, k), away(end, b, k), end);
    let mut curves =
        vec![direct((span * 0.4).min(90.0)), direct((span * 0.2).min(40.0)), direct(span * 0.5)];
    // Past other columns: through the gap between two rows.
    if let (Some((s, i)), Some((t, j))) = (layout.cell(edge.from), layout.cell(edge.to))
        && s.abs_diff(t) > 1
    {
        let (first, last) = if s < t { (s + 1, t - 1) } else { (s - 1, t + 1) };
        let near = |c: usize, right: bool| {
            scene.columns.get(c).map_or(0.0, |&(l, r)| if right { r } else { l })
        };
        let (x1, x2) = (near(first, s > t), near(last, s < t));
        let lanes =
            i.min(j).saturating_sub(1)..=(i.max(j) + 2).min(scene.lanes.len().saturating_sub(1));
        for y in lanes.filter_map(|l| scene.lanes.get(l)).flat_map(|y| [*y, y - 13.0, y + 13.0]) {
            let (m1, m2) = ((from.0 + x1) / 2.0, (end.0 + x2) / 2.0);
            curves.push(Curve::from(from).bend((m1, from.1), (m1, y), (x1, y)).line((x2, y)).bend(
                (m2, y),
                (m2, end.1),
                end,
            ));
        }
    }
    curves
}

/// What a curve costs: its length, and much more for everything that it runs through or along.
fn cost(scene: &Scene, edge: &PictureEdge, curve: &Curve, taken: &[Vec<PicturePoint>]) -> f64 {
    let points = curve.points();
    let ends = |e: Event| e == edge.from || e == edge.to;
    let through = scene.boxes.iter().map(|(&e, b)| {
        // Its own boxes it touches at the ends.
        let (rect, skip) = if ends(e) { (b.grown(-2.0), 1) } else { (b.grown(8.0), 0) };
        points.iter().skip(skip).filter(|&&p| rect.contains(p)).count()
    });
    let through: usize = through.sum();
    let texts: usize =
        scene.texts.iter().map(|t| points.iter().filter(|&&p| t.contains(p)).count()).sum();
    let along = points
        .iter()
        .filter(|&&p| taken.iter().any(|other| other.iter().any(|&q| distance(p, q) < 7.0)))
        .count();
    length(&points) + 400.0 * through as f64 + 60.0 * texts as f64 + 25.0 * along as f64
}

/// The places of labels, each by its size on its curve, so that they cover neither boxes nor each
/// other nor (if avoidable) edges.
pub(super) fn label_places(
    scene: &Scene,
    curves: &[Option<Curve>],
    sizes: &[Option<PicturePoint>],
) -> Vec<Option<Rect>> {
    let lines: Vec<Vec<PicturePoint>> =
        curves.iter().map(|c| c.as_ref().map(Curve::points).unwrap_or_default()).collect();
    let mut placed: Vec<Rect> = Vec::new();
    let mut out = vec![None; curves.len()];
    // Emphasised edges come last in the drawing and first here.
    for i in (0..curves.len()).rev() {
        let (Some(&Some((w, h))), points) = (sizes.get(i), &lines[i]) else { continue };
        let n = points.len();
        let choices = (n / 8..n - n / 8).map(|k| {
            let rect = Rect::around(points[k], w, h);
            let boxes = scene.boxes.values().filter(|b| b.grown(2.0).meets(&rect)).count();
            let labels = placed.iter().filter(|l| l.grown(2.0).meets(&rect)).count();
            let texts = scene.texts.iter().filter(|t| t.meets(&rect)).count();
            let others = lines
                .iter()
                .enumerate()
                .filter(|&(j, line)| j != i && line.iter().any(|&p| rect.grown(3.0).contains(p)));
            let off_centre = (k as f64 - n as f64 / 2.0).abs() / n as f64;
            let head = points.last().is_some_and(|&p| rect.grown(8.0).contains(p));
            let cost = 100 * labels
                + 60 * boxes
                + 40 * texts
                + 12 * others.count()
                + 20 * usize::from(head);
            (cost as f64 + 10.0 * off_centre, rect)
        });
        if let Some((_, rect)) = choices.min_by(|a, b| a.0.total_cmp(&b.0)) {
            placed.push(rect);
            out[i] = Some(rect);
        }
    }
    out
}
