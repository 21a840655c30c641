//! What is wrong, one entry for one thing: the same programs, axiom and construct are one over
//! architectures, front ends and versions. The worst comes first.

use std::collections::BTreeSet;

use margay_mappings::causes::severity;
use margay_reports::extract::{self as document, Fall};

use crate::series::VersionSeries;

/// Front ends, each with its architectures.
type Fronts<'a> = Vec<(&'a str, Vec<&'a str>)>;

/// What is wrong with a compiler.
pub struct CompilerEntry<'a> {
    /// The compiler: `llvm`.
    pub of: &'a str,
    /// The smallest counterexample.
    pub fall: &'a Fall,
    /// The rows that are to blame for one of its counterexamples, those of the smallest first.
    pub rows: Vec<(&'a str, &'a str)>,
    /// Versions, and the front ends and architectures that have it in these versions.
    pub places: Vec<(String, Fronts<'a>)>,
}

/// A counterexample of a version, and where it is said to be: in these versions of the series.
struct VersionCounterexample<'a> {
    series: &'a VersionSeries,
    fall: &'a Fall,
    versions: String,
}

/// What makes counterexamples one: compiler, programs, axiom, construct and whether the object is
/// narrower than a word.
fn key<'a>(found: &VersionCounterexample<'a>) -> (usize, &'a str, &'a str, &'a str, bool, &'a str) {
    let head = found.fall.rows.first().map_or("", |(head, _)| head.as_str());
    let narrow = head.ends_with(" b8") || head.ends_with(" b16");
    let construct = head.split('.').next().unwrap_or_default();
    (
        severity(&found.fall.setting),
        &found.fall.setting,
        &found.fall.axiom,
        construct,
        narrow,
        &found.series.of,
    )
}

fn entries<'a>(mut all: Vec<VersionCounterexample<'a>>) -> Vec<CompilerEntry<'a>> {
    // Stable: of the same size the first that was extracted.
    all.sort_by(|a, b| key(a).cmp(&key(b)).then(a.fall.events.cmp(&b.fall.events)));
    let mut out: Vec<CompilerEntry<'a>> =
        all.chunk_by(|a, b| key(a) == key(b)).map(entry).collect();
    out.sort_by_key(|e| (severity(&e.fall.setting), e.fall.events));
    out
}

fn entry<'a>(group: &[VersionCounterexample<'a>]) -> CompilerEntry<'a> {
    let mut rows: Vec<(&str, &str)> = Vec::new();
    let mut bodies: BTreeSet<&str> = BTreeSet::new();
    // Of each lowering one row: which operation and which pair of orders stands for it makes no
    // difference.
    for (head, body) in group.iter().flat_map(|f| &f.fall.rows) {
        if bodies.insert(body) {
            rows.push((head, body));
        }
    }
    let mut places: Vec<(String, Fronts<'_>)> = Vec::new();
    for found in group {
        let (front, architecture) =
            (found.series.front_end.as_str(), found.series.architecture.as_str());
        let at = places
            .iter()
            .position(|(versions, _)| *versions == found.versions)
            .unwrap_or_else(|| {
                places.push((found.versions.clone(), Vec::new()));
                places.len() - 1
            });
        let fronts = &mut places[at].1;
        match fronts.iter_mut().find(|(f, _)| *f == front) {
            Some((_, all)) if all.contains(&architecture) => {}
            Some((_, all)) => all.push(architecture),
            None => fronts.push((front, vec![architecture])),
        }
    }
    CompilerEntry { of: &group[0].series.of, fall: group[0].fall, rows, places }
}

/// What is wrong, and since when and until when.
pub fn wrong(all: &[VersionSeries]) -> Vec<CompilerEntry<'_>> {
    let mut found: Vec<VersionCounterexample<'_>> = Vec::new();
    for series in all {
        let falls = |i: usize| series.records[i].falls();
        let mut of: Vec<VersionCounterexample<'_>> = (0..series.records.len())
            .flat_map(|i| {
                falls(i).iter().map(move |fall| VersionCounterexample {
                    series,
                    fall,
                    versions: String::new(),
                })
            })
            .collect();
        // The versions of all that belong to one entry.
        let keys: Vec<_> = of.iter().map(key).collect();
        let versions: Vec<String> = keys
            .iter()
            .map(|wanted| {
                let has = |i: &usize| {
                    falls(*i).iter().any(|fall| {
                        key(&VersionCounterexample { series, fall, versions: String::new() })
                            == *wanted
                    })
                };
                let there: Vec<usize> = (0..series.records.len()).filter(has).collect();
                there
                    .chunk_by(|a, b| a + 1 == *b)
                    .map(|c| series.range(c[0], c[c.len() - 1]))
                    .collect::<Vec<_>>()
                    .join(", ")
            })
            .collect();
        for (found, versions) in of.iter_mut().zip(versions) {
            found.versions = versions;
        }
        found.extend(of);
    }
    entries(found)
}

/// What became worse, and in which version.
pub fn worse(all: &[VersionSeries]) -> Vec<CompilerEntry<'_>> {
    let found = all.iter().flat_map(|series| {
        series.regressions().into_iter().map(move |r| {
            let versions = format!("{} (not in {})", r.version.version, r.before.version);
            VersionCounterexample { series, fall: r.fall, versions }
        })
    });
    entries(found.collect())
}

impl CompilerEntry<'_> {
    /// Where it is: `llvm-16 to llvm-22: llvm-ir (sm_60, sm_70)`.
    pub fn places(&self) -> String {
        let fronts = |all: &[(&str, Vec<&str>)]| {
            all.iter()
                .map(|(front, of)| format!("{front} ({})", of.join(", ")))
                .collect::<Vec<_>>()
                .join(", ")
        };
        self.places
            .iter()
            .map(|(versions, all)| format!("{versions}: {}", fronts(all)))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// It in one line, without its places.
    pub fn title(&self) -> String {
        format!(
            "{}: {}, {} events, axiom {}",
            self.of, self.fall.setting, self.fall.events, self.fall.axiom
        )
    }

    /// As a part of a document.
    pub fn report(&self) -> document::CompilerFaultRecord {
        let front = |(front, of): &(&str, Vec<&str>)| document::PlaceFrontEnd {
            front_end: (*front).to_owned(),
            architectures: of.iter().map(|a| (*a).to_owned()).collect(),
        };
        let place = |(versions, fronts): &(String, Fronts<'_>)| document::VersionFrontEnds {
            versions: versions.clone(),
            front_ends: fronts.iter().map(front).collect(),
        };
        document::CompilerFaultRecord {
            compiler: self.of.to_owned(),
            counterexample: self.fall.clone(),
            rows: self
                .rows
                .iter()
                .map(|(head, body)| ((*head).to_owned(), (*body).to_owned()))
                .collect(),
            places: self.places.iter().map(place).collect(),
        }
    }
}
