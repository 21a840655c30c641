//! Answers in windows from 60 to 200 columns: every line fits.

use crate::program::{command, out};

#[test]
fn answers_fit_the_window() {
    let forbidden = "tests/corpus/asplos2019/fig12a-isa2.litmus";
    let ptx = "tests/corpus/minimal/ptx-6.0/ptx-6.0-4-004.litmus";
    let allowed = "tests/corpus/asplos2015/cas-sl.litmus";
    let weak = "rc11-to-ptx-weak-relaxed-load";
    for asked in [
        &["explain", forbidden, "--model", "rc11-scoped"][..],
        &["explain", ptx, "--model", "ptx-8"],
        &["explain", allowed, "--model", "ptx-6.0"],
        &["run", ptx, "--model", "ptx-8", "-v"],
        &["sim", ptx, "--runs", "1000"],
        &["fence", ptx, "--model", "ptx-6.0"],
        &["fence", allowed, "--model", "ptx-6.0"],
        &["diff", "tso", "rmo", "--bound", "4"],
        &["weaken", "rc11-to-ptx", "--bound", "2", "--only", "R.RLX,W.RLX"],
        &["repair", weak, "--bound", "3", "--only", "R.RLX,W.RLX"],
    ] {
        for columns in [60, 100, 200] {
            let shown = out(&command(asked)
                .env("COLUMNS", columns.to_string())
                .output()
                .expect("it starts"));
            assert!(shown.lines().count() > 0, "{asked:?} has no answer");
            // The first line is one that programs look for: only a terminal breaks it.
            let long: Vec<&str> = shown
                .lines()
                .skip(1)
                // The title of a litmus test is a line of its own.
                .filter(|line| line.chars().count() > columns && !line.starts_with('"'))
                .collect();
            assert!(long.is_empty(), "{asked:?} at {columns} columns:\n{}", long.join("\n"));
        }
    }
}
