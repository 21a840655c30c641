//! coRR, lb, mp and sb in the sixteen combinations of the four incantations, beside the published
//! numbers (Alglave et al., ASPLOS 2015, Table 6).

pub mod page;
pub mod run;

use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_reports::Document;
use margay_reports::gpu::{self as document, MeasuredLine};
use margay_runner::device::{Device, Request};
use margay_runner::emit::{Count, Environment};

use crate::measure::{MeasureProblem, measure, question};
use crate::results::{ResultLine, Results, ResultsEntry};

/// The rows of Table 6: observations out of 100,000 executions, columns 1 to 16.
pub const PUBLISHED: [(&str, [u32; 16], [u32; 16]); 4] = [
    ("coRR", [0, 0, 0, 0, 0, 1235, 0, 9774, 161, 118, 847, 362, 632, 3384, 3993, 9985], [0; 16]),
    (
        "lb",
        [0, 0, 0, 0, 0, 0, 0, 0, 181, 1067, 1555, 2247, 4, 37, 83, 486],
        [
            10959, 8979, 31895, 29092, 13510, 12729, 29779, 26737, 5094, 9360, 37624, 38664, 5321,
            10054, 32796, 34196,
        ],
    ),
    (
        "mp",
        [0, 0, 0, 0, 0, 621, 0, 2921, 315, 1128, 2372, 4347, 7, 94, 442, 2888],
        [212, 31, 243, 158, 277, 46, 318, 247, 473, 217, 1289, 563, 611, 339, 2542, 1628],
    ),
    (
        "sb",
        [0, 0, 0, 0, 0, 0, 0, 0, 462, 1403, 3308, 6673, 3, 50, 88, 749],
        [0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
];

/// The incantations, in the order of the table; the last one changes with every column.
pub const INCANTATIONS: [&str; 4] =
    ["memory stress", "general bank conflicts", "thread synchronisation", "thread randomisation"];

/// Does a column, from 0, have an incantation?
pub fn on(column: usize, incantation: usize) -> bool {
    column >> (3 - incantation) & 1 == 1
}

/// The environment of a column, from 0. One instance at a time it is that of 2015; in a parallel
/// environment other warps make bank conflicts.
fn environment(base: &Environment, column: usize) -> Environment {
    let (stress, bank, sync, random) = (on(column, 0), on(column, 1), on(column, 2), on(column, 3));
    let alone = !base.parallel;
    let stress_ctas = match (stress, base.stress_ctas) {
        (false, _) => Count::Fixed(0),
        (true, Count::Fixed(0)) => Count::Auto { or: 64 },
        (true, asked) => asked,
    };
    Environment {
        stress_ctas,
        stress_idle: stress && alone,
        bank: bank && alone,
        bank_warps: if bank && !alone { base.bank_warps.max(4) } else { 0 },
        spin: if sync { base.spin.max(1) } else { 0 },
        shuffle: random,
        ..base.clone()
    }
}

/// A test in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table6Cell {
    /// Instances with the outcome that the test asks about.
    pub weak: u64,
    /// Instances that were run.
    pub instances: u64,
    /// How long that took.
    pub seconds: f64,
}

impl Table6Cell {
    /// From a line of results.
    fn of(line: &MeasuredLine) -> Self {
        let asked = line.outcomes.iter().filter(|o| o.asked);
        Self {
            weak: asked.map(|o| o.count).sum(),
            instances: line.instances,
            seconds: line.seconds,
        }
    }

    /// Of 100,000 runs, as the paper counts.
    pub fn of_100k(&self) -> u64 {
        (self.weak as f64 * 1e5 / self.instances.max(1) as f64).round() as u64
    }

    /// Instances a second.
    pub fn rate(&self) -> f64 {
        self.instances as f64 / self.seconds.max(1e-9)
    }
}

/// What was measured of a test, column by column.
pub type Table6Row = Vec<Option<Table6Cell>>;

/// Where the cells come from.
pub struct Sheet<'a> {
    /// What runs the tests.
    pub device: &'a mut dyn Device,
    /// What it is asked to do.
    pub request: Request,
    /// The environment that columns change.
    pub base: Environment,
    /// The file of results.
    pub results: Option<Results>,
}

/// Why there are no more cells.
pub enum Table6Stop {
    /// There was no more time, or Ctrl-C.
    Stopped,
    /// The device or a test.
    Problem(MeasureProblem),
    /// Results could not be written.
    Unwritten(Diagnostic),
}

impl Sheet<'_> {
    /// Measures the cells of a test, or takes them from the file of results. A device without
    /// environments has one for all columns.
    pub fn row(
        &mut self,
        (name, read): &(String, Read),
        stopped: &dyn Fn() -> bool,
        told: &mut dyn FnMut(usize, std::io::Result<String>) -> std::io::Result<()>,
        row: &mut Table6Row,
    ) -> std::io::Result<Option<Table6Stop>> {
        let columns = if self.device.description().simulated { 1 } else { 16 };
        row.resize(columns, None);
        for (column, cell) in row.iter_mut().enumerate() {
            self.request.environment = environment(&self.base, column);
            let mut asked = question(name, self.device.description(), None, &self.request);
            asked.table6_column = Some((columns > 1).then_some(column + 1));
            let known = self.results.as_ref().and_then(|r| r.known(&asked));
            if let Some(ResultsEntry { answer: ResultLine::Measured(line), text }) = known {
                *cell = Some(Table6Cell::of(line));
                told(column, Ok(text.clone()))?;
                continue;
            }
            if stopped() {
                return Ok(Some(Table6Stop::Stopped));
            }
            let measured = match measure(self.device, name, read, &self.request, None) {
                Ok(measured) => measured,
                Err(problem) => return Ok(Some(Table6Stop::Problem(problem))),
            };
            let line = MeasuredLine { question: asked, ..measured.line };
            if let Some(Err(error)) = self.results.as_mut().map(|r| r.measured(&line)) {
                return Ok(Some(Table6Stop::Unwritten(error)));
            }
            if measured.counts.stopped {
                return Ok(Some(Table6Stop::Stopped));
            }
            *cell = Some(Table6Cell::of(&line));
            told(column, document::Table6CellRecord(line).line())?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use margay_runner::emit::{Count, Environment};

    use super::{PUBLISHED, environment};

    /// What the text of sections 4.3.1 to 4.3.4 says of the columns, with our reading of which is
    /// which.
    #[test]
    fn columns_are_those_of_the_paper() {
        let alone = Environment::parse("parallel=off").expect("an environment");
        let column = |n: usize| environment(&alone, n - 1);
        let (twelve, sixteen) = (column(12), column(16));
        assert!(!twelve.bank && sixteen.bank, "12 and 16 differ by bank conflicts");
        assert_eq!(Environment { bank: true, ..twelve.clone() }, sixteen);
        assert_eq!(
            Environment { shuffle: true, ..column(15) },
            sixteen,
            "15 and 16 by randomisation"
        );
        assert_eq!(Environment { spin: 0, ..twelve }, column(10), "10 and 12 by synchronisation");
        let five = column(5);
        assert!(
            five.bank && !five.shuffle && five.spin == 0 && five.stress_ctas == Count::Fixed(0),
            "5: bank conflicts alone"
        );
        let row = |name: &str| PUBLISHED.iter().find(|p| p.0 == name).expect("a row").1;
        assert_eq!((row("lb")[11], row("lb")[15]), (2247, 486));
        assert_eq!((row("coRR")[14], row("coRR")[15]), (3993, 9985));
        assert_eq!((row("sb")[9], row("sb")[11]), (1403, 6673));
        for name in ["lb", "mp", "sb"] {
            assert_eq!(
                row(name).iter().max(),
                Some(&row(name)[11]),
                "column 12 shows most of {name}"
            );
        }
        assert!(
            (0..8).all(|c| row("sb")[c] + row("lb")[c] == 0),
            "none of sb and lb without memory stress"
        );
    }
}
