//! A program that does not compile: which of its functions the compiler speaks of, and the smaller
//! groups that are compiled instead.

use std::path::Path;

use super::{CompileFailure, PointGroup};
use crate::point::{Point, What};

/// Is this the name, or what a front end makes of it (`f12` of a module `program`: `program_f12`)?
pub(super) fn is_named(found: &str, name: &str) -> bool {
    found == name || found.strip_suffix(name).is_some_and(|head| head.ends_with(['_', '.', '$']))
}

/// The points that a compiler complains about, each with what it says: by their lines
/// (`program.cu(53): error`, `program.c:53:7: error`, `at line 53 of program.cu` behind an error in
/// a header), or by the names of their functions (`error: in function f12`, or where LLVM was when
/// it gave up: `In function: f12`, `Running pass '..' on function '@f12'`).
pub(super) fn named(
    failure: &CompileFailure,
    input: &Path,
    functions: &[(Point, String, (usize, usize))],
) -> Vec<(usize, String)> {
    let (CompileFailure::Rejected(log) | CompileFailure::Crashed(_, log)) = failure else {
        return Vec::new();
    };
    if !failure.is_refusal() {
        return Vec::new();
    }
    let file = input.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    // NVRTC calls every program `program.cu`.
    let plain = file.trim_start_matches("program").trim_start_matches(|c: char| c.is_ascii_digit());
    let names = [file.clone(), format!("program{plain}")];
    let number = |text: &str| {
        text.split(|c: char| !c.is_ascii_digit())
            .find(|n| !n.is_empty())
            .and_then(|n| n.parse().ok())
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut error = "";
    for line in log.lines() {
        let lower = line.to_ascii_lowercase();
        // What stands behind a warning says where the warning is.
        let is_warning = [": warning", "warning:", "warning #"].iter().any(|w| lower.contains(w));
        let is_error = !is_warning && lower.contains("error");
        if is_error || is_warning {
            error = if is_error { line } else { "" };
        }
        let behind =
            names.iter().find_map(|n| line.find(n.as_str()).map(|at| &line[at + n.len()..]));
        let at: Option<usize> = match behind {
            Some(behind) if is_error => number(behind),
            Some(_) if !error.is_empty() => {
                line.find("at line ").and_then(|at| number(&line[at..]))
            }
            _ => None,
        };
        let is_place = !error.is_empty()
            && (line.starts_with("In function: ") || line.contains(" on function '@"));
        let words: Vec<&str> = match is_place || is_error && line.contains("function") {
            true => line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect(),
            false => Vec::new(),
        };
        for (_, name, (from, to)) in functions {
            let is_meant =
                at.is_some_and(|l| (from..=to).contains(&&l)) || words.contains(&name.as_str());
            let Some(number) = name.trim_start_matches('f').parse().ok().filter(|_| is_meant)
            else {
                continue;
            };
            if !found.iter().any(|(n, _)| *n == number) {
                found.push((number, error.to_owned()));
            }
        }
    }
    found
}

/// A program of more functions is large.
const LARGE: usize = 64;

/// The groups that are compiled instead of a program that failed: all but those of its functions
/// that the compiler complained about. A compiler that gives up at the first error is not asked
/// about a large program once for each.
pub(super) fn smaller(
    failure: &CompileFailure,
    others: PointGroup,
    named: usize,
) -> Vec<PointGroup> {
    let goes_on =
        named > 0 && (matches!(failure, CompileFailure::Rejected(_)) || others.len() < LARGE);
    match others.is_empty() {
        true => Vec::new(),
        false if goes_on => vec![others],
        false => parts(&others),
    }
}

/// Smaller groups: by type, then by what is done, then by order, then each point alone.
fn parts(group: &PointGroup) -> Vec<PointGroup> {
    let kind = |p: &Point| {
        (std::mem::discriminant(&p.what), if let What::Rmw(o) = p.what { o } else { 0 })
    };
    for level in 0..4 {
        let mut out: Vec<PointGroup> = Vec::new();
        for &(number, point) in group {
            let same = |other: &PointGroup| {
                let (other, kinds) = (other[0].1, [kind(&other[0].1), kind(&point)]);
                match level {
                    0 => other.data == point.data,
                    1 => other.data == point.data && kinds[0] == kinds[1],
                    2 => {
                        other.data == point.data
                            && kinds[0] == kinds[1]
                            && other.order == point.order
                    }
                    _ => false,
                }
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::named;
    use crate::compile::CompileFailure;
    use crate::point::{Point, What};
    use margay_models::execution::Order;

    /// The place of a warning is no function that does not compile, in front of an error or behind
    /// it.
    #[test]
    fn warnings_name_nobody() {
        let point = Point { what: What::Fence, order: Order::Sc, scope: None, data: None };
        let functions: Vec<(Point, String, (usize, usize))> =
            (0..4).map(|n| (point, format!("f{n}"), (n + 1, n + 1))).collect();
        let log = "types.h(7): warning #20: an error in spirit\n  detected during instantiation of \"f\" at line 1 of program.cu\n\
                   types.h(9): error: no member\n  detected during:\n    instantiation of \"g\" at line 5 of types.h\n    \
                   instantiation of \"h\" at line 2 of program.cu\n\
                   types.h(7): warning #20: again\n  detected during instantiation of \"f\" at line 3 of program.cu\n\
                   program.cu(4): error: no such thing\n2 errors detected in the compilation of \"program.cu\".\n";
        let found = named(
            &CompileFailure::Rejected(log.to_owned()),
            Path::new("/tmp/program12.cu"),
            &functions,
        );
        assert_eq!(
            found,
            [
                (1, "types.h(9): error: no member".to_owned()),
                (3, "program.cu(4): error: no such thing".to_owned())
            ]
        );
    }
}
