//! A program that does not compile: which of its functions the compiler speaks of, and the smaller groups that are compiled instead.

use std::path::Path;

use super::{Failure, Group};
use crate::point::{Point, What};

/// Is this the name, or what a front end makes of it (`f12` of a module `program`: `program_f12`)?
pub fn is_named(found: &str, name: &str) -> bool {
    found == name || found.strip_suffix(name).is_some_and(|head| head.ends_with(['_', '.', '$']))
}

/// The points that a compiler complains about, each with what it says: by their lines (`program.cu(53): error`, `program.c:53:7: error`,
/// `at line 53 of program.cu` behind an error in a header), or by the names of their functions (`error: in function f12`, or where LLVM was
/// when it gave up: `In function: f12`, `Running pass '..' on function '@f12'`).
pub fn named(failure: &Failure, input: &Path, functions: &[(Point, String, (usize, usize))]) -> Vec<(usize, String)> {
    let (Failure::Rejected(log) | Failure::Crashed(_, log)) = failure else { return Vec::new() };
    if !failure.is_refusal() {
        return Vec::new();
    }
    let file = input.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    // NVRTC calls every program `program.cu`.
    let plain = file.trim_start_matches("program").trim_start_matches(|c: char| c.is_ascii_digit());
    let names = [file.clone(), format!("program{plain}")];
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).find(|n| !n.is_empty()).and_then(|n| n.parse().ok());
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut error = "";
    for line in log.lines() {
        let is_error = line.to_ascii_lowercase().contains("error");
        if is_error {
            error = line;
        }
        let behind = names.iter().find_map(|n| line.find(n.as_str()).map(|at| &line[at + n.len()..]));
        let at: Option<usize> = match behind {
            Some(behind) if is_error => number(behind),
            Some(_) => line.find("at line ").and_then(|at| number(&line[at..])),
            None => None,
        };
        let is_place = !error.is_empty() && (line.starts_with("In function: ") || line.contains(" on function '@"));
        let words: Vec<&str> = match is_place || is_error && line.contains("function") {
            true => line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect(),
            false => Vec::new(),
        };
        for (_, name, (from, to)) in functions {
            let is_meant = at.is_some_and(|l| (from..=to).contains(&&l)) || words.contains(&name.as_str());
            let Some(number) = name.trim_start_matches('f').parse().ok().filter(|_| is_meant) else { continue };
            if !found.iter().any(|(n, _)| *n == number) {
                found.push((number, error.to_owned()));
            }
        }
    }
    found
}

/// A program of more functions is large.
const LARGE: usize = 64;

/// The groups that are compiled instead of a program that failed: all but those of its functions that the compiler complained about. A
/// compiler that gives up at the first error is not asked about a large program once for each.
pub fn smaller(failure: &Failure, others: Group, named: usize) -> Vec<Group> {
    let goes_on = named > 0 && (matches!(failure, Failure::Rejected(_)) || others.len() < LARGE);
    match others.is_empty() {
        true => Vec::new(),
        false if goes_on => vec![others],
        false => parts(&others),
    }
}

/// Smaller groups: by what is done and its type, then by order, then each point alone.
fn parts(group: &Group) -> Vec<Group> {
    let kind = |p: &Point| (std::mem::discriminant(&p.what), if let What::Rmw(o) = p.what { o } else { 0 }, p.data);
    for level in 0..3 {
        let mut out: Vec<Group> = Vec::new();
        for &(number, point) in group {
            let same = |other: &Group| match level {
                0 => kind(&other[0].1) == kind(&point),
                1 => other[0].1.order == point.order && kind(&other[0].1) == kind(&point),
                _ => false,
            };
            match out.iter_mut().find(|o| same(o)) {
                Some(of) => of.push((number, point)),
                None => out.push(vec![(number, point)]),
            }
        }
        if out.len() > 1 {
            return out;
        }
    }
    vec![group.clone()]
}
