//! Plots of where stress provokes weak outcomes, as SVG: for each test and distance a bar for each
//! place (Sorensen and Donaldson, PLDI 2016, Fig. 3).

use std::fmt::Write as _;

use margay_models::picture::escape;
use margay_runner::tune::StressPlaces;

/// A page of plots.
pub struct Plots<'a> {
    /// What stands above them.
    pub title: String,
    /// The names of the tests.
    pub tests: &'a [String],
    /// What was seen, test by test.
    pub places: &'a [StressPlaces],
    /// So many weak outcomes or fewer are noise.
    pub noise: u64,
}

/// The most plots beside each other; the paper has three.
const COLUMNS: usize = 8;
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 70.0;
const LEFT: f64 = 50.0;
const TOP: f64 = 60.0;

impl Plots<'_> {
    /// The distances that are drawn: all, or so many from the first to the last.
    fn chosen(runs: usize) -> Vec<usize> {
        let columns = runs.min(COLUMNS);
        (0..columns)
            .map(|c| if columns == 1 { 0 } else { c * (runs - 1) / (columns - 1) })
            .collect()
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let columns =
            self.places.iter().map(|p| Self::chosen(p.runs.len()).len()).max().unwrap_or(0).max(1)
                as f64;
        let (across, down) = (WIDTH + 20.0, HEIGHT + 50.0);
        let width = LEFT + across * columns + 10.0;
        let height = TOP + down * self.places.len() as f64;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"10\" y=\"20\" font-size=\"13\">{}</text>\n\
             <text x=\"10\" y=\"36\">Across: the place of stress, in words. Up: weak outcomes; the line is noise ({}). d: words between the locations.</text>\n",
            escape(&self.title),
            self.noise
        );
        for (row, (test, places)) in self.tests.iter().zip(self.places).enumerate() {
            let top = TOP + down * row as f64;
            // All plots of a test have one scale.
            let largest =
                places.runs.iter().flat_map(|(_, weak)| weak).copied().max().unwrap_or(0).max(1);
            let _ = writeln!(
                svg,
                "<text x=\"10\" y=\"{:.1}\" font-size=\"12\">{}</text>",
                top + HEIGHT / 2.0,
                escape(test)
            );
            for (column, run) in Self::chosen(places.runs.len()).into_iter().enumerate() {
                self.plot(places, run, largest, (LEFT + across * column as f64, top), &mut svg);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn plot(
        &self,
        places: &StressPlaces,
        run: usize,
        largest: u64,
        (left, top): (f64, f64),
        svg: &mut String,
    ) {
        let (distance, weak) = &places.runs[run];
        let base = top + HEIGHT;
        let up = |n: u64| base - HEIGHT * (n.min(largest) as f64 / largest as f64);
        let step = WIDTH / weak.len().max(1) as f64;
        let last = places.places.last().copied().unwrap_or(0);
        let _ = write!(
            svg,
            "<text x=\"{left:.1}\" y=\"{:.1}\">d = {distance}</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{largest}</text>\n\
             <line x1=\"{left:.1}\" y1=\"{base:.1}\" x2=\"{:.1}\" y2=\"{base:.1}\" stroke=\"#888\"/>\
             <line x1=\"{left:.1}\" y1=\"{noise:.1}\" x2=\"{:.1}\" y2=\"{noise:.1}\" stroke=\"#d55e00\" stroke-dasharray=\"3 3\"/>\n\
             <text x=\"{left:.1}\" y=\"{:.1}\">0</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{last}</text>\n",
            top - 4.0,
            left + WIDTH,
            top - 4.0,
            left + WIDTH,
            left + WIDTH,
            base + 12.0,
            left + WIDTH,
            base + 12.0,
            noise = up(self.noise),
        );
        for (i, (&place, &count)) in
            places.places.iter().zip(weak).enumerate().filter(|(_, (_, count))| **count > 0)
        {
            let y = up(count);
            let _ = writeln!(
                svg,
                "<rect x=\"{:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#0072b2\"><title>d = {distance}, place {place}: {count}</title></rect>",
                left + step * i as f64,
                (step * 0.9).max(0.5),
                base - y,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use margay_runner::tune::StressPlaces;

    use super::Plots;

    #[test]
    fn a_bar_for_each_place_that_shows_something() {
        let weak =
            |loud: u64| (0..8).map(|i| if i / 2 == loud { 40 } else { 0 }).collect::<Vec<u64>>();
        let places = StressPlaces {
            places: (0..8).map(|i| 32 * i).collect(),
            runs: vec![(0, vec![0; 8]), (64, weak(1))],
        };
        let tests = ["MP".to_owned(), "<LB>".to_owned()];
        let plots = Plots {
            title: "simulated: x & y".to_owned(),
            tests: &tests,
            places: &[places.clone(), places],
            noise: 3,
        };
        let svg = plots.svg();
        let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
        let bars: Vec<_> = document
            .descendants()
            .filter(|n| n.has_tag_name("title"))
            .filter_map(|n| n.text())
            .collect();
        assert_eq!(bars, ["d = 64, place 64: 40", "d = 64, place 96: 40"].repeat(2));
        assert!(svg.contains("simulated: x &amp; y") && svg.contains("&lt;LB&gt;"), "{svg}");
    }

    #[test]
    fn of_many_distances_some_are_drawn() {
        assert_eq!(Plots::chosen(3), [0, 1, 2]);
        assert_eq!(Plots::chosen(256), [0, 36, 72, 109, 145, 182, 218, 255]);
        assert_eq!((Plots::chosen(0), Plots::chosen(1)), (vec![], vec![0]));
    }
}
