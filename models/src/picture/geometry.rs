//! Points, rectangles and smooth curves of the SVG.

use std::fmt::Write;

pub(super) type PicturePoint = (f64, f64);

/// A rectangle by its left upper corner and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    /// Left side.
    pub x: f64,
    /// Upper side.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// Around a centre.
    pub(super) fn around((x, y): PicturePoint, w: f64, h: f64) -> Self {
        Self { x: x - w / 2.0, y: y - h / 2.0, w, h }
    }

    /// From the left upper to the right lower corner.
    pub(super) fn spanning((x, y): PicturePoint, (right, bottom): PicturePoint) -> Self {
        Self { x, y, w: right - x, h: bottom - y }
    }

    /// Right side.
    pub(super) fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Lower side.
    pub(super) fn bottom(&self) -> f64 {
        self.y + self.h
    }

    pub(super) fn centre(&self) -> PicturePoint {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Larger by `by` on every side.
    pub(super) fn grown(&self, by: f64) -> Self {
        Self { x: self.x - by, y: self.y - by, w: self.w + 2.0 * by, h: self.h + 2.0 * by }
    }

    pub(super) fn contains(&self, (x, y): PicturePoint) -> bool {
        self.x <= x && x <= self.right() && self.y <= y && y <= self.bottom()
    }

    /// Do they have a point in common?
    pub(super) fn meets(&self, other: &Rect) -> bool {
        self.x <= other.right()
            && other.x <= self.right()
            && self.y <= other.bottom()
            && other.y <= self.bottom()
    }

    /// The smallest rectangle around both.
    pub(super) fn joined(&self, other: &Rect) -> Self {
        Self::spanning(
            (self.x.min(other.x), self.y.min(other.y)),
            (self.right().max(other.right()), self.bottom().max(other.bottom())),
        )
    }
}

/// Points for each piece of a curve when it is compared with other things.
const SAMPLES: usize = 14;

/// A line of cubic Bézier pieces.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    start: PicturePoint,
    /// Two control points and the end of each piece.
    pieces: Vec<[PicturePoint; 3]>,
}

impl Curve {
    /// A curve without any piece yet.
    pub(super) fn from(start: PicturePoint) -> Self {
        Self { start, pieces: Vec::new() }
    }

    /// Goes on with a cubic piece.
    pub(super) fn bend(mut self, a: PicturePoint, b: PicturePoint, end: PicturePoint) -> Self {
        self.pieces.push([a, b, end]);
        self
    }

    /// Goes straight on.
    pub(super) fn line(self, end: PicturePoint) -> Self {
        let (x, y) = self.end();
        let between = |t: f64| (x + (end.0 - x) * t, y + (end.1 - y) * t);
        let (a, b) = (between(1.0 / 3.0), between(2.0 / 3.0));
        self.bend(a, b, end)
    }

    /// Where it ends.
    pub(super) fn end(&self) -> PicturePoint {
        self.pieces.last().map_or(self.start, |p| p[2])
    }

    /// The unit vector in which it arrives.
    pub(super) fn direction(&self) -> PicturePoint {
        let Some(&[_, (x, y), (ex, ey)]) = self.pieces.last() else { return (0.0, 1.0) };
        let (dx, dy) = (ex - x, ey - y);
        let length = (dx * dx + dy * dy).sqrt();
        if length < 0.001 { (0.0, 1.0) } else { (dx / length, dy / length) }
    }

    /// Points along it, start and end included.
    pub(super) fn points(&self) -> Vec<PicturePoint> {
        let mut points = vec![self.start];
        let mut start = self.start;
        for &[a, b, end] in &self.pieces {
            for i in 1..=SAMPLES {
                let u = i as f64 / SAMPLES as f64;
                let v = 1.0 - u;
                let mix = |p: f64, q: f64, r: f64, s: f64| {
                    v * v * v * p + 3.0 * v * v * u * q + 3.0 * v * u * u * r + u * u * u * s
                };
                points.push((mix(start.0, a.0, b.0, end.0), mix(start.1, a.1, b.1, end.1)));
            }
            start = end;
        }
        points
    }

    /// The value of a `d` attribute.
    pub(super) fn path(&self) -> String {
        let mut out = format!("M{:.1},{:.1}", self.start.0, self.start.1);
        for [a, b, end] in &self.pieces {
            let _ = write!(
                out,
                " C{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}",
                a.0, a.1, b.0, b.1, end.0, end.1
            );
        }
        out
    }
}

/// The length of a polygonal line.
pub(super) fn length(points: &[PicturePoint]) -> f64 {
    points.windows(2).map(|w| distance(w[0], w[1])).sum()
}

/// The distance of two points.
pub(super) fn distance(a: PicturePoint, b: PicturePoint) -> f64 {
    ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1)).sqrt()
}
