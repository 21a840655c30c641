//! The page: what was measured beside the published numbers. Simulated numbers stand apart from the
//! columns, which are about hardware.

use std::fmt::Write as _;
use std::path::Path;

use margay_console::output::Output;
use margay_console::table::table;
use margay_models::durable::{not_another, write_over};
use margay_runner::device::DeviceDescription;
use margay_runner::emit::Environment;

use super::{INCANTATIONS, PUBLISHED, Table6Cell, Table6Row, on};
use crate::chart::{BarGroup, Bars};

/// Everything that the page of Table 6 shows.
pub struct Table6Page<'a> {
    /// A row for each test of [`PUBLISHED`].
    pub rows: &'a [Table6Row],
    /// What ran the tests.
    pub device: &'a DeviceDescription,
    /// The environment that columns change.
    pub base: &'a Environment,
}

/// Stands where nothing was measured.
const NOTHING: &str = "–";

impl Table6Page<'_> {
    fn cell(&self, row: usize, column: usize) -> Option<Table6Cell> {
        self.rows.get(row)?.get(column).copied().flatten().filter(|_| !self.device.simulated)
    }

    fn of_100k(&self, row: usize, column: usize) -> String {
        self.cell(row, column).map_or_else(|| NOTHING.to_owned(), |c| c.of_100k().to_string())
    }

    /// What the machine on the CPU shows of a test.
    fn simulated(&self, row: usize) -> Option<Table6Cell> {
        self.rows.get(row)?.first().copied().flatten().filter(|_| self.device.simulated)
    }

    /// Is there something else where the page and its chart are to be written?
    ///
    /// # Errors
    /// There is, or it cannot be read.
    pub fn has_place(path: &Path) -> std::io::Result<()> {
        not_another(path, "page of Table 6", |text| text.contains("# Table 6"))?;
        not_another(&path.with_extension("svg"), "chart", |text| text.contains("<svg"))
    }

    /// Writes it, and its chart where there is something to draw.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let picture = path.with_extension("svg");
        write_over(path, self.text(&picture).as_bytes())?;
        if self.device.simulated { Ok(()) } else { write_over(&picture, self.chart().as_bytes()) }
    }

    fn chart(&self) -> String {
        let value = |row, column| self.cell(row, column).map_or(0.0, |c| c.of_100k() as f64);
        let groups = (0..16).map(|column| BarGroup {
            name: (column + 1).to_string(),
            values: (0..PUBLISHED.len()).map(|row| value(row, column)).collect(),
        });
        let series = PUBLISHED.iter().map(|p| p.0.to_owned()).collect();
        let title =
            format!("Weak outcomes of 100,000 runs by column of Table 6: {}", self.device.name);
        Bars { title, series, groups: groups.collect(), logarithmic: true }.svg()
    }

    fn text(&self, picture: &Path) -> String {
        let mut page = String::new();
        let device = self.device;
        if device.simulated {
            page.push_str("Not yet run on hardware: the rows of this page that are about a GPU here are empty.\n\n# Table 6\n\n");
        } else {
            let _ = write!(page, "# Table 6 on {}\n\n", device.name);
        }
        let known = [device.target.as_ref(), device.driver.as_ref()]
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let known = if known.is_empty() { String::new() } else { format!(" ({known})") };
        let way = if self.base.parallel {
            "many instances a launch"
        } else {
            "one instance a launch, as in 2015"
        };
        let cells: Vec<Table6Cell> = (0..PUBLISHED.len())
            .flat_map(|r| (0..16).filter_map(move |c| self.cell(r, c)))
            .collect();
        let fewest = cells.iter().map(|c| c.instances).min().unwrap_or(0);
        let most = cells.iter().map(|c| c.instances).max().unwrap_or(0);
        let counted = if cells.is_empty() {
            String::new()
        } else {
            format!(" (counted over {fewest} to {most} runs, and scaled)")
        };
        let _ = writeln!(
            page,
            "Weak outcomes of 100,000 runs{counted}, {way}{known}. Beside them the rows of Table 6 of Alglave et al., ASPLOS 2015. \
             Environment: `{}`. {NOTHING}: not measured.\n",
            self.base
        );
        page.push_str(
            "The loads and stores of these tests have the cache operator `.cg`, as in the paper. The assemblers of today make them strong accesses \
             at gpu scope; those of 2015 made weak ones.\n\n",
        );
        self.table(&mut page);
        if device.simulated {
            self.simulation(&mut page);
        } else {
            let file =
                picture.file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
            let _ = writeln!(page, "\n![Weak outcomes by column]({file})");
        }
        self.rates(&mut page);
        page
    }

    fn table(&self, page: &mut String) {
        let header: Vec<String> = (1..=16).map(|n| n.to_string()).collect();
        let _ = writeln!(page, "| | {} |\n|{} --- |", header.join(" | "), " --- |".repeat(16));
        for (i, incantation) in INCANTATIONS.iter().enumerate() {
            let marks: Vec<&str> = (0..16).map(|c| if on(c, i) { "x" } else { "" }).collect();
            let _ = writeln!(page, "| {incantation} | {} |", marks.join(" | "));
        }
        for (row, (name, titan, radeon)) in PUBLISHED.iter().enumerate() {
            let cells: Vec<String> = (0..16).map(|column| self.of_100k(row, column)).collect();
            let published =
                |row: &[u32; 16]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(" | ");
            let _ = writeln!(page, "| **{name}**, here | {} |", cells.join(" | "));
            let _ = writeln!(page, "| {name}, GTX Titan | {} |", published(titan));
            let _ = writeln!(page, "| {name}, Radeon HD 7970 | {} |", published(radeon));
        }
    }

    fn simulation(&self, page: &mut String) {
        let _ = write!(
            page,
            "\n## Simulated\nOn {}, which has no caches, no stress and no columns; it stands for no GPU:\n\n\
             | | weak outcomes of 100,000 runs, simulated |\n| --- | --- |\n",
            self.device.name
        );
        for (row, (name, ..)) in PUBLISHED.iter().enumerate() {
            let shown =
                self.simulated(row).map_or_else(|| NOTHING.to_owned(), |c| c.of_100k().to_string());
            let _ = writeln!(page, "| {name} | {shown} |");
        }
    }

    fn rates(&self, page: &mut String) {
        page.push_str(
            "\n## Rates\nInstances a second, launches and reduction included:\n\n| | no stress (column 1) | stress (column 12) |\n| --- | --- | --- |\n",
        );
        for (row, (name, ..)) in PUBLISHED.iter().enumerate() {
            let rate = |column| {
                self.cell(row, column)
                    .map_or_else(|| NOTHING.to_owned(), |c| format!("{:.2e}", c.rate()))
            };
            let _ = writeln!(page, "| {name}, here | {} | {} |", rate(0), rate(11));
        }
        page.push_str(
            "| MC Mutants (ASPLOS 2023), NVIDIA, parallel | 2.2e7 | 1.2e7 |\n| MC Mutants, one instance at a time | | 1.4e2 |\n\
             | cuda-litmus (2025), GH200, 2+2W: weak outcomes a second | | 5.3e6 |\n",
        );
    }

    /// Prints it for people.
    pub fn print(&self, output: &Output) -> std::io::Result<()> {
        let (mark, name) = (self.device.mark(), &self.device.name);
        output.print(&format!("{mark}{name}: weak outcomes of 100,000 runs"))?;
        if self.device.simulated {
            let of = |row| {
                self.simulated(row).map_or_else(|| NOTHING.to_owned(), |c| c.of_100k().to_string())
            };
            let lines: Vec<Vec<String>> = PUBLISHED
                .iter()
                .enumerate()
                .map(|(row, (test, ..))| vec![(*test).to_owned(), of(row)])
                .collect();
            output.print(&table(&["test", "simulated"], &lines, &[1], output.width()))?;
            return output.print("The columns of Table 6 are about hardware, and stay empty.");
        }
        let lines: Vec<Vec<String>> = (0..16)
            .map(|column| {
                let marks: String = (0..4).map(|i| if on(column, i) { 'x' } else { '-' }).collect();
                let mut line = vec![(column + 1).to_string(), marks];
                for (row, (_, titan, _)) in PUBLISHED.iter().enumerate() {
                    // Without groups of digits: a narrow table breaks at spaces.
                    line.push(format!("{} ({})", self.of_100k(row, column), titan[column]));
                }
                line
            })
            .collect();
        let header: Vec<&str> =
            ["column", "m b s r"].into_iter().chain(PUBLISHED.iter().map(|p| p.0)).collect();
        output.print(&table(&header, &lines, &[0, 2, 3, 4, 5], output.width()))?;
        output.print("m: memory stress, b: bank conflicts, s: synchronisation, r: randomisation; in brackets GTX Titan (Table 6)")
    }
}

#[cfg(test)]
mod tests {
    use margay_runner::device::DeviceDescription;
    use margay_runner::emit::Environment;

    use super::{Table6Cell, Table6Page};

    fn page(simulated: bool) -> String {
        let cell = |weak| Some(Table6Cell { weak, instances: 200_000, seconds: 0.01 });
        let mut rows: Vec<Vec<Option<Table6Cell>>> =
            (0..4).map(|row| (0..16).map(|c| cell(1000 * row + 2 * c)).collect()).collect();
        rows[3].truncate(5);
        let device = DeviceDescription {
            name: "made up".to_owned(),
            simulated,
            ..DeviceDescription::default()
        };
        Table6Page { rows: &rows, device: &device, base: &Environment::default() }
            .text(std::path::Path::new("page.svg"))
    }

    #[test]
    fn what_was_measured_stands_beside_what_was_published() {
        let text = page(false);
        assert!(text.contains("| **lb**, here | 500 | 501 | 502 |"), "{text}");
        assert!(
            text.contains("| **sb**, here | 1500 | 1501 | 1502 | 1503 | 1504 | – | – |"),
            "{text}"
        );
        assert!(
            text.contains("| coRR, GTX Titan | 0 | 0 | 0 | 0 | 0 | 1235 | 0 | 9774 |"),
            "{text}"
        );
        assert!(
            text.contains("| mp, here | 2.00e7 | 2.00e7 |")
                && text.contains("| sb, here | 2.00e7 | – |"),
            "{text}"
        );
        assert!(!text.contains("imulated"), "{text}");
    }

    /// Nothing simulated is in a column that is about hardware.
    #[test]
    fn simulated_numbers_stand_apart() {
        let text = page(true);
        for name in ["coRR", "lb", "mp", "sb"] {
            assert!(
                text.contains(&format!("| **{name}**, here | {} |", ["–"; 16].join(" | "))),
                "{text}"
            );
            assert!(text.contains(&format!("| {name}, here | – | – |")), "{text}");
        }
        let (before, after) = text.split_once("## Simulated").expect("a section of its own");
        assert!(before.starts_with("Not yet run on hardware"), "{text}");
        assert!(after.contains("| mp | 1000 |"), "{text}");
        assert!(!text.contains(".svg"), "there is nothing to draw");
    }
}
