//! The versions of one compiler, in order: what became worse from one to the next.

use margay_extract::history::{History, histories};
use margay_reports::extract::Fall;

use crate::record::{Record, what};

/// The tables of the versions of one compiler, for one front end and one architecture.
pub struct VersionSeries {
    /// `llvm-ir, llvm, sm_90`.
    pub title: String,
    /// The compiler: `llvm`.
    pub of: String,
    pub front_end: String,
    pub architecture: String,
    /// The oldest version first.
    pub records: Vec<Record>,
}

/// A counterexample that a version has and the one before has not.
pub struct CompilerRegression<'a> {
    /// The version that has it.
    pub version: &'a Record,
    pub before: &'a Record,
    /// The counterexample.
    pub fall: &'a Fall,
}

/// Tables that belong together, in the order that they come in.
pub fn series(records: Vec<Record>) -> Vec<VersionSeries> {
    let mut out: Vec<VersionSeries> = Vec::new();
    for record in records {
        let title = format!("{}, {}, {}", record.front_end, record.of(), record.architecture);
        match out.iter_mut().find(|s| s.title == title) {
            Some(of) => of.records.push(record),
            None => out.push(VersionSeries {
                title,
                of: record.of().to_owned(),
                front_end: record.front_end.clone(),
                architecture: record.architecture.clone(),
                records: vec![record],
            }),
        }
    }
    out
}

impl VersionSeries {
    /// The histories of its rows.
    pub fn rows(&self) -> Vec<History> {
        histories(&self.records.iter().map(|r| r.rows.clone()).collect::<Vec<_>>())
    }

    /// The histories of its counterexamples: by what they are, with what is to blame as the text.
    pub fn falls(&self) -> Vec<History> {
        let of = |r: &Record| {
            r.falls().iter().map(|f| (what(f), "there".to_owned())).collect::<Vec<_>>()
        };
        histories(&self.records.iter().map(of).collect::<Vec<_>>())
    }

    /// The first counterexample of that description.
    pub fn fall(&self, wanted: &str) -> Option<&Fall> {
        self.records.iter().flat_map(Record::falls).find(|f| what(f) == wanted)
    }

    /// What became worse: a counterexample that the version before did not have, with a row to
    /// blame that was stronger in the version before, and rightly so as far as is known. (A row
    /// that it did not have at all is new, and no worse than nothing.)
    pub fn regressions(&self) -> Vec<CompilerRegression<'_>> {
        let mut out = Vec::new();
        let asked: Vec<&Record> =
            self.records.iter().filter(|r| !r.rows.is_empty() && r.check.is_some()).collect();
        for pair in asked.windows(2) {
            let (before, version) = (pair[0], pair[1]);
            for fall in version.falls() {
                let is_new = before.falls().iter().all(|f| what(f) != what(fall));
                if is_new && version.weakened(before, fall) {
                    out.push(CompilerRegression { version, before, fall });
                }
            }
        }
        out
    }

    /// Versions as a reader writes them: `llvm-16 to llvm-22`.
    pub fn range(&self, from: usize, to: usize) -> String {
        let name = |i: usize| self.records[i].version.as_str();
        if from == to { name(from).to_owned() } else { format!("{} to {}", name(from), name(to)) }
    }
}
