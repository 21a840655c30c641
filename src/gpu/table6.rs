//! `margay gpu table6`: coRR, lb, mp and sb in the sixteen combinations of the four incantations, beside the published numbers (Alglave et al.,
//! ASPLOS 2015, Table 6).

use std::fmt::Write as _;
use std::path::Path;

use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_runner::device::Description;
use margay_runner::emit::{Count, Environment};
use serde_json::json;

use super::arguments;
use super::idioms;
use super::measure::{Problem, measure};
use super::results::Results;
use super::session::{Session, absent};
use crate::Outcome;
use crate::arguments::Format;
use crate::chart::{Bars, Group};
use crate::exit::Exit;
use crate::limits::Limits;
use crate::output::Output;
use crate::progress::Steps;
use crate::table::table;

/// The rows of Table 6: observations out of 100,000 executions, columns 1 to 16.
const PUBLISHED: [(&str, [u32; 16], [u32; 16]); 4] = [
    ("coRR", [0, 0, 0, 0, 0, 1235, 0, 9774, 161, 118, 847, 362, 632, 3384, 3993, 9985], [0; 16]),
    (
        "lb",
        [0, 0, 0, 0, 0, 0, 0, 0, 181, 1067, 1555, 2247, 4, 37, 83, 486],
        [10959, 8979, 31895, 29092, 13510, 12729, 29779, 26737, 5094, 9360, 37624, 38664, 5321, 10054, 32796, 34196],
    ),
    (
        "mp",
        [0, 0, 0, 0, 0, 621, 0, 2921, 315, 1128, 2372, 4347, 7, 94, 442, 2888],
        [212, 31, 243, 158, 277, 46, 318, 247, 473, 217, 1289, 563, 611, 339, 2542, 1628],
    ),
    ("sb", [0, 0, 0, 0, 0, 0, 0, 0, 462, 1403, 3308, 6673, 3, 50, 88, 749], [0, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
];

/// The incantations, in the order of the table; the last one changes with every column.
const INCANTATIONS: [&str; 4] = ["memory stress", "general bank conflicts", "thread synchronisation", "thread randomisation"];

fn on(column: usize, incantation: usize) -> bool {
    column >> (3 - incantation) & 1 == 1
}

/// The environment of a column, from 0. One instance at a time it is that of 2015; in a parallel environment other warps make bank conflicts.
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
struct Cell {
    weak: u64,
    instances: u64,
    seconds: f64,
}

impl Cell {
    /// Of 100,000 runs, as the paper counts.
    fn of_100k(&self) -> u64 {
        (self.weak as f64 * 1e5 / self.instances.max(1) as f64).round() as u64
    }

    fn rate(&self) -> f64 {
        self.instances as f64 / self.seconds.max(1e-9)
    }
}

/// Runs the command.
pub fn run(options: &arguments::Table6, output: &Output) -> Outcome {
    let tests = match idioms::read(&[idioms::CORR, idioms::PLDI_2016[1], idioms::PLDI_2016[0], idioms::PLDI_2016[2]]) {
        Ok(tests) => tests,
        Err(errors) => return output.wrong(&errors),
    };
    let mut results = match options.results.as_deref().map(Results::open).transpose() {
        Ok(results) => results,
        Err(error) => return output.wrong(&[error]),
    };
    let mut session = match Session::open(&options.on, options.instances, output) {
        Ok(session) => session,
        Err(closed) => return closed.end(output),
    };
    let limits = Limits::start(None, None);
    session.request.stop = limits.stop.clone();
    let base = session.request.environment.clone();
    let bar = Steps::new(output.format == Format::Human, 16 * tests.len(), "cells");
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (name, read) in &tests {
        let mut row = Vec::new();
        for column in 0..16 {
            if limits.reason().is_some() {
                return interrupted(&bar, output);
            }
            session.request.environment = environment(&base, column);
            let measured = match measure(&mut *session.device, name, read, &session.request, None) {
                Ok(measured) => measured,
                Err(Problem::Test(error)) => return output.wrong(&[error]),
                Err(Problem::Device(failure)) => return absent(&failure, output),
            };
            bar.step(&format!("{}, column {}", read.test.name, column + 1));
            let mut line = measured.line;
            line["table6_column"] = json!(column + 1);
            if let Some(Err(error)) = results.as_mut().map(|r| r.add(&line)) {
                return output.wrong(&[error]);
            }
            if measured.counts.stopped {
                // The last cell as well: it is no whole number of runs.
                return interrupted(&bar, output);
            }
            if output.format == Format::Json {
                output.print(&line.to_string())?;
            }
            let weak = measured.rows.iter().filter(|r| r.asked).map(|r| r.count).sum();
            row.push(Cell { weak, instances: measured.counts.instances, seconds: measured.counts.seconds });
        }
        rows.push(row);
    }
    bar.finish();
    if output.format == Format::Human {
        print(&rows, session.device.description(), output)?;
    }
    if let Err(error) = write(&options.page, &tests, &rows, session.device.description(), &base) {
        // The page is what was asked for; the numbers are printed.
        output.warn(&[Diagnostic::error(format!("cannot write `{}`: {error}", options.page.display()))]);
        return Ok(Exit::Wrong);
    }
    if output.format == Format::Human {
        output.print(&format!("page written to {}", options.page.display()))?;
    }
    Ok(Exit::Holds)
}

fn interrupted(bar: &Steps, output: &Output) -> Outcome {
    bar.finish();
    let message = "interrupted: no page is written; what was measured is in the file of --results";
    output.wrong(&[Diagnostic::error(message)])?;
    Ok(Exit::Undecided)
}

fn print(rows: &[Vec<Cell>], device: &Description, output: &Output) -> std::io::Result<()> {
    output.print(&format!("{}: weak outcomes of 100,000 runs", device.name))?;
    let lines: Vec<Vec<String>> = (0..16)
        .map(|column| {
            let marks: String = (0..4).map(|i| if on(column, i) { 'x' } else { '-' }).collect();
            let mut line = vec![(column + 1).to_string(), marks];
            for ((_, titan, _), row) in PUBLISHED.iter().zip(rows) {
                // Without groups of digits: a narrow table breaks at spaces.
                line.push(format!("{} ({})", row[column].of_100k(), titan[column]));
            }
            line
        })
        .collect();
    let header: Vec<&str> = ["column", "m b s r"].into_iter().chain(PUBLISHED.iter().map(|p| p.0)).collect();
    output.print(&table(&header, &lines, &[0, 2, 3, 4, 5], output.width()))?;
    output.print("m: memory stress, b: bank conflicts, s: synchronisation, r: randomisation; in brackets GTX Titan (Table 6)")
}

fn write(
    page: &Path,
    tests: &[(String, Read)],
    rows: &[Vec<Cell>],
    device: &Description,
    base: &Environment,
) -> std::io::Result<()> {
    let picture = page.with_extension("svg");
    std::fs::write(page, text(tests, rows, device, base, &picture))?;
    let groups = (0..16)
        .map(|column| Group {
            name: (column + 1).to_string(),
            values: rows.iter().map(|row| row[column].of_100k() as f64).collect(),
        })
        .collect();
    let series = PUBLISHED.iter().map(|p| p.0.to_owned()).collect();
    let title = format!("Weak outcomes of 100,000 runs by column of Table 6: {}", device.name);
    std::fs::write(picture, Bars { title, series, groups, logarithmic: true }.svg())
}

fn text(tests: &[(String, Read)], rows: &[Vec<Cell>], device: &Description, base: &Environment, picture: &Path) -> String {
    let mut page = String::new();
    if device.target.is_none() {
        page.push_str("Not yet run on hardware: these are numbers of the machine on the CPU, which has no environment, so that no column differs but by chance.\n\n");
    }
    let _ = write!(page, "# Table 6 on {}\n\n", device.name);
    let known = [device.target.as_ref(), device.driver.as_ref()].into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    let way = if base.parallel { "many instances a launch" } else { "one instance a launch, as in 2015" };
    let _ = writeln!(
        page,
        "Weak outcomes of 100,000 runs (counted over {} to {} runs, and scaled), {way}{}. Beside them the rows of Table 6 of Alglave et al., ASPLOS \
         2015. Environment: `{base}`.\n",
        rows.iter().flatten().map(|c| c.instances).min().unwrap_or(0),
        rows.iter().flatten().map(|c| c.instances).max().unwrap_or(0),
        if known.is_empty() { String::new() } else { format!(" ({known})") },
    );
    page.push_str(
        "The loads and stores of these tests have the cache operator `.cg`, as in the paper. The assemblers of today make them strong accesses \
         at gpu scope; those of 2015 made weak ones.\n\n",
    );
    let header: Vec<String> = (1..=16).map(|n| n.to_string()).collect();
    let _ = writeln!(page, "| | {} |\n|{} --- |", header.join(" | "), " --- |".repeat(16));
    for (i, incantation) in INCANTATIONS.iter().enumerate() {
        let marks: Vec<&str> = (0..16).map(|c| if on(c, i) { "x" } else { "" }).collect();
        let _ = writeln!(page, "| {incantation} | {} |", marks.join(" | "));
    }
    for ((name, titan, radeon), row) in PUBLISHED.iter().zip(rows) {
        let cells: Vec<String> = row.iter().map(|c| c.of_100k().to_string()).collect();
        let published = |row: &[u32; 16]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(" | ");
        let _ = writeln!(page, "| **{name}**, here | {} |", cells.join(" | "));
        let _ = writeln!(page, "| {name}, GTX Titan | {} |", published(titan));
        let _ = writeln!(page, "| {name}, Radeon HD 7970 | {} |", published(radeon));
    }
    let file = picture.file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
    let _ = writeln!(page, "\n![Weak outcomes by column]({file})\n");
    page.push_str("## Rates\nInstances a second, launches and reduction included:\n\n| | no stress (column 1) | stress (column 12) |\n| --- | --- | --- |\n");
    for ((name, _), row) in tests.iter().zip(rows) {
        let _ = writeln!(page, "| {name}, here | {:.2e} | {:.2e} |", row[0].rate(), row[11].rate());
    }
    page.push_str(
        "| MC Mutants (ASPLOS 2023), NVIDIA, parallel | 2.2e7 | 1.2e7 |\n| MC Mutants, one instance at a time | | 1.4e2 |\n\
         | cuda-litmus (2025), GH200, 2+2W: weak outcomes a second | | 5.3e6 |\n",
    );
    page
}

#[cfg(test)]
mod tests {
    use margay_runner::emit::{Count, Environment};

    use super::{PUBLISHED, environment};

    /// What the text of sections 4.3.1 to 4.3.4 says of the columns, with our reading of which is which.
    #[test]
    fn columns_are_those_of_the_paper() {
        let alone = Environment::parse("parallel=off").expect("an environment");
        let column = |n: usize| environment(&alone, n - 1);
        let (twelve, sixteen) = (column(12), column(16));
        assert!(!twelve.bank && sixteen.bank, "12 and 16 differ by bank conflicts");
        assert_eq!(Environment { bank: true, ..twelve.clone() }, sixteen);
        assert_eq!(Environment { shuffle: true, ..column(15) }, sixteen, "15 and 16 by randomisation");
        assert_eq!(Environment { spin: 0, ..twelve }, column(10), "10 and 12 by synchronisation");
        let five = column(5);
        assert!(five.bank && !five.shuffle && five.spin == 0 && five.stress_ctas == Count::Fixed(0), "5: bank conflicts alone");
        let row = |name: &str| PUBLISHED.iter().find(|p| p.0 == name).expect("a row").1;
        assert_eq!((row("lb")[11], row("lb")[15]), (2247, 486));
        assert_eq!((row("coRR")[14], row("coRR")[15]), (3993, 9985));
        assert_eq!((row("sb")[9], row("sb")[11]), (1403, 6673));
        for name in ["lb", "mp", "sb"] {
            assert_eq!(row(name).iter().max(), Some(&row(name)[11]), "column 12 shows most of {name}");
        }
        assert!((0..8).all(|c| row("sb")[c] + row("lb")[c] == 0), "none of sb and lb without memory stress");
    }
}
