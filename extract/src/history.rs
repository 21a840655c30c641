//! Tables of one compiler, version by version: which texts were there from when until when, and
//! rows with the same history together.

use rustc_hash::FxHashMap;

/// From which version until which a text stood; both are indices, and included.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VersionRange {
    /// The first version.
    pub from: usize,
    /// The last one.
    pub to: usize,
    /// The text; `None` where a version does not have the row.
    pub text: Option<String>,
}

/// Rows with the same history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    pub names: Vec<String>,
    pub spans: Vec<VersionRange>,
}

impl History {
    /// Was it ever anything else?
    pub fn changed(&self) -> bool {
        self.spans.len() > 1
    }
}

/// The histories of all rows that any version has; a version is a list of names and texts. In the
/// order in which they first occur.
pub fn histories(versions: &[Vec<(String, String)>]) -> Vec<History> {
    let mut names: Vec<&str> = Vec::new();
    let mut texts: FxHashMap<&str, Vec<Option<&str>>> = FxHashMap::default();
    for (i, version) in versions.iter().enumerate() {
        for (name, text) in version {
            let of = texts.entry(name).or_insert_with(|| {
                names.push(name);
                vec![None; versions.len()]
            });
            of[i] = Some(text);
        }
    }
    let mut out: Vec<History> = Vec::new();
    let mut places: FxHashMap<Vec<VersionRange>, usize> = FxHashMap::default();
    for name in names {
        let spans = spans(&texts[name]);
        match places.get(&spans) {
            Some(&place) => out[place].names.push(name.to_owned()),
            None => {
                places.insert(spans.clone(), out.len());
                out.push(History { names: vec![name.to_owned()], spans });
            }
        }
    }
    out
}

fn spans(texts: &[Option<&str>]) -> Vec<VersionRange> {
    let mut out: Vec<VersionRange> = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        match out.last_mut() {
            Some(last) if last.text.as_deref() == *text => last.to = i,
            _ => out.push(VersionRange { from: i, to: i, text: text.map(str::to_owned) }),
        }
    }
    out
}

/// The parts of a name: construct, orders, scope, operation, type.
const PARTS: usize = 5;

/// `RMW.ACQ.gpu add b32` in its parts, where it has them.
fn parts(name: &str) -> [Vec<String>; PARTS] {
    let mut words = name.split(' ');
    let mut head = words.next().unwrap_or_default().splitn(3, '.');
    let mut next = || vec![head.next().unwrap_or_default().to_owned()];
    let [construct, orders, scope] = [next(), next(), next()];
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let (operation, data) = second.map_or(("", first), |second| (first, second));
    [construct, orders, scope, vec![operation.to_owned()], vec![data.to_owned()]]
}

/// The names of rows, briefly: `RMW.{ACQ,REL}.gpu add {b32,b64}`. Names that differ in one part
/// alone are written as one, part after part.
pub fn brief(names: &[String]) -> Vec<String> {
    let mut all: Vec<[Vec<String>; PARTS]> = names.iter().map(|n| parts(n)).collect();
    // Constructs stay apart.
    for part in [4, 3, 2, 1] {
        let mut merged: Vec<[Vec<String>; PARTS]> = Vec::new();
        let mut places: FxHashMap<[Vec<String>; PARTS], usize> = FxHashMap::default();
        for one in all {
            let mut others = one.clone();
            others[part].clear();
            match places.get(&others) {
                Some(&place) => {
                    let new = one[part]
                        .iter()
                        .filter(|w| !merged[place][part].contains(w))
                        .cloned()
                        .collect::<Vec<_>>();
                    merged[place][part].extend(new);
                }
                None => {
                    places.insert(others, merged.len());
                    merged.push(one);
                }
            }
        }
        all = merged;
    }
    let set = |words: &Vec<String>| match &words[..] {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(",")),
    };
    let name = |one: &[Vec<String>; PARTS]| {
        let [construct, orders, scope, operation, data] = [0, 1, 2, 3, 4].map(|i| set(&one[i]));
        let head = [construct, orders, scope]
            .into_iter()
            .filter(|w| !w.is_empty())
            .collect::<Vec<_>>()
            .join(".");
        [head, operation, data].into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
    };
    all.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(rows: &[(&str, &str)]) -> Vec<(String, String)> {
        rows.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn what_changed_and_when() {
        let versions = [
            version(&[
                ("R.ACQ.cta b32", "ld.acquire.s"),
                ("RMW.ACQ.cta add b32", "atom.relaxed.gpu"),
            ]),
            version(&[
                ("R.ACQ.cta b32", "ld.acquire.s"),
                ("RMW.ACQ.cta add b32", "atom.relaxed.gpu"),
            ]),
            version(&[
                ("R.ACQ.cta b32", "ld.acquire.s"),
                ("RMW.ACQ.cta add b32", "atom.acquire.s"),
                ("F.SC.cta", "fence.sc.s"),
            ]),
        ];
        let all = histories(&versions);
        assert_eq!(all.iter().map(|h| h.changed()).collect::<Vec<_>>(), [false, true, true]);
        let text = |t: &str| Some(t.to_owned());
        assert_eq!(
            all[1].spans,
            [
                VersionRange { from: 0, to: 1, text: text("atom.relaxed.gpu") },
                VersionRange { from: 2, to: 2, text: text("atom.acquire.s") }
            ]
        );
        assert_eq!(all[2].spans[0], VersionRange { from: 0, to: 1, text: None });
    }

    #[test]
    fn rows_with_one_history_are_one() {
        let both = [
            ("RMW.ACQ.cta add b32", "x"),
            ("RMW.ACQ.gpu add b32", "x"),
            ("RMW.ACQ.sys add b32", "y"),
        ];
        let all = histories(&[version(&both), version(&[])]);
        assert_eq!(all.iter().map(|h| h.names.len()).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn brief_names_are_the_same_rows() {
        let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let all = names(&[
            "RMW.ACQ.cta add b32",
            "RMW.ACQ.cta add b64",
            "RMW.REL.cta add b32",
            "RMW.REL.cta add b64",
            "F.SC.cta",
        ]);
        assert_eq!(brief(&all), ["RMW.{ACQ,REL}.cta add {b32,b64}", "F.SC.cta"]);
        // No product: nothing is said that is not so.
        let some = names(&["RMW.ACQ.cta add b32", "RMW.ACQ.cta add b64", "RMW.REL.cta add b32"]);
        assert_eq!(brief(&some), ["RMW.ACQ.cta add {b32,b64}", "RMW.REL.cta add b32"]);
        assert_eq!(
            brief(&names(&["CAS_FAIL.REL/ACQ.sys b32", "W.NA b8"])),
            ["CAS_FAIL.REL/ACQ.sys b32", "W.NA b8"]
        );
    }
}
