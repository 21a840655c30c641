//! Bar charts as SVG, of groups of bars side by side.

use std::fmt::Write as _;

use margay_models::picture::escape;

/// A group of bars, one for each series.
pub struct BarGroup {
    /// What stands below it.
    pub name: String,
    /// The heights.
    pub values: Vec<f64>,
}

/// A chart.
pub struct Bars {
    /// What stands above it.
    pub title: String,
    /// The names of the series.
    pub series: Vec<String>,
    pub groups: Vec<BarGroup>,
    /// Powers of ten, for counts of very different size; 0 has no bar, and 1 the smallest one.
    pub logarithmic: bool,
}

/// Colours that are told apart by those who cannot tell red from green (Okabe and Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];

const HEIGHT: f64 = 200.0;
const TOP: f64 = 40.0;
const LEFT: f64 = 60.0;

impl Bars {
    /// The height of a bar, where the largest value has 1.
    fn share(&self, value: f64, largest: f64) -> f64 {
        match (self.logarithmic, value > 0.0) {
            (_, false) => 0.0,
            (true, true) => (1.0 + value.log10().max(0.0)) / (1.0 + largest.log10().max(0.0)),
            (false, true) => value / largest,
        }
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let largest = self.groups.iter().flat_map(|g| &g.values).copied().fold(0.0, f64::max);
        let bar = if self.groups.len() * self.series.len() > 40 { 8.0 } else { 16.0 };
        let group = bar * self.series.len() as f64 + 14.0;
        let longest = self.groups.iter().map(|g| g.name.chars().count()).max().unwrap_or(0) as f64;
        let below = 20.0 + longest * 5.0;
        let legend =
            if self.series.len() > 1 { 18.0 * self.series.len() as f64 + 10.0 } else { 0.0 };
        let width = (LEFT + group * self.groups.len() as f64 + 20.0)
            .max(LEFT + 8.0 * self.title.chars().count() as f64);
        let height = TOP + HEIGHT + below + legend;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"10\" y=\"20\" font-size=\"13\">{}</text>\n",
            escape(&self.title)
        );
        let base = TOP + HEIGHT;
        for (value, share) in self.ticks(largest) {
            let y = base - share * HEIGHT;
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{width:.0}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{value}</text>",
                LEFT - 5.0,
                y + 3.0
            );
        }
        for (i, g) in self.groups.iter().enumerate() {
            let x = LEFT + 7.0 + group * i as f64;
            for (s, &value) in g.values.iter().enumerate() {
                let tall = self.share(value, largest) * HEIGHT;
                let _ = writeln!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"{}\"><title>{}: {value}</title></rect>",
                    x + bar * s as f64,
                    base - tall,
                    bar - 1.0,
                    COLOURS[s % COLOURS.len()],
                    escape(&g.name)
                );
            }
            let (cx, cy) = (x + bar * self.series.len() as f64 / 2.0, base + 10.0);
            let _ = writeln!(
                svg,
                "<text x=\"{cx:.1}\" y=\"{cy:.1}\" text-anchor=\"end\" transform=\"rotate(-60 {cx:.1} {cy:.1})\">{}</text>",
                escape(&g.name)
            );
        }
        if self.series.len() > 1 {
            for (s, name) in self.series.iter().enumerate() {
                let y = base + below + 18.0 * s as f64;
                let colour = COLOURS[s % COLOURS.len()];
                let _ = writeln!(
                    svg,
                    "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"{:.1}\">{}</text>",
                    LEFT + 18.0,
                    y + 10.0,
                    escape(name)
                );
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The lines across, with what they stand for.
    fn ticks(&self, largest: f64) -> Vec<(String, f64)> {
        if largest <= 0.0 {
            return vec![("0".to_owned(), 0.0)];
        }
        if self.logarithmic {
            let powers = (0..=18).map(|p| 10f64.powi(p)).take_while(|&v| v <= largest);
            return powers.map(|v| (format!("{v:.0}"), self.share(v, largest))).collect();
        }
        (0..=4)
            .map(|n| (format!("{:.3}", largest * f64::from(n) / 4.0), f64::from(n) / 4.0))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{BarGroup, Bars};

    #[test]
    fn a_bar_for_each_value() {
        let groups = [("P0:r0=1 /\\ x<2", [0.0, 10.0]), ("b & c", [1000.0, 1.0])];
        let groups = groups
            .map(|(name, values)| BarGroup { name: name.to_owned(), values: values.to_vec() })
            .into();
        let series = vec!["here".to_owned(), "there".to_owned()];
        let bars = Bars { title: "runs > 0".to_owned(), series, groups, logarithmic: true };
        let svg = bars.svg();
        let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
        let heights: Vec<f64> = document
            .descendants()
            .filter(|n| n.has_tag_name("rect") && n.children().any(|c| c.has_tag_name("title")))
            .map(|n| n.attribute("height").and_then(|h| h.parse().ok()).expect("a number"))
            .collect();
        assert_eq!(
            heights,
            [0.0, 100.0, 200.0, 50.0],
            "0 has no bar; 1, 10 and 1000 are 1, 2 and 4 steps of 4"
        );
    }
}
