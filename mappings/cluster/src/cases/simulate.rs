//! `margay case simulate`: how long the cases of a bound take on 1 to 1,000 workers, from what
//! cases took; bounds beyond those are predicted, and marked so.

use std::collections::BTreeMap;
use std::path::Path;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_console::table::{number, table};
use margay_mappings::check::{CaseCost, CaseCosts, RecordedCase, makespan, recorded};
use margay_mappings::encode::shape::ThreadShape;
use margay_models::diagnostic::Diagnostic;
use margay_reports::case;

/// The numbers of workers.
const WORKERS: [usize; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1000];

/// A leaf of fewer seconds is not split further: starting a case takes longer.
const LEAST: f64 = 1.0;

/// The most leaves of a shape.
const LEAVES: usize = 1024;

/// How a bound's cases are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaseBasis {
    Recorded,
    Predicted,
}

/// How long a bound takes.
struct BoundLine {
    kind: String,
    bound: usize,
    basis: CaseBasis,
    split: bool,
    cases: usize,
    spans: Vec<f64>,
    work: f64,
}

/// What splitting was recorded to do: how much more work it is, and the parts' shares (mean 1) of
/// their shape.
struct Splitting {
    overhead: f64,
    shares: Vec<f64>,
}

/// The cases of one statement and kind.
struct CaseGroup<'a> {
    kind: String,
    whole: Vec<&'a RecordedCase>,
    leaves: Vec<&'a RecordedCase>,
}

fn groups(all: &[RecordedCase]) -> Vec<CaseGroup<'_>> {
    let mut by: BTreeMap<(&str, &str), CaseGroup<'_>> = BTreeMap::new();
    for one in all {
        let key = (one.statement.as_str(), one.kind.as_str());
        let group = by.entry(key).or_insert_with(|| CaseGroup {
            kind: one.kind.clone(),
            whole: Vec::new(),
            leaves: Vec::new(),
        });
        group.whole.push(one);
    }
    for group in by.values_mut() {
        // One question of several is a part of its shape as well.
        let questions = group.whole.iter().map(|r| r.costs.len()).max().unwrap_or(0);
        let is_part = |r: &mut &RecordedCase| r.leaf || r.costs.len() < questions;
        group.leaves = group.whole.extract_if(.., is_part).collect();
    }
    by.into_values().collect()
}

fn largest_first(mut seconds: Vec<f64>) -> Vec<f64> {
    seconds.sort_by(|a, b| b.total_cmp(a));
    seconds
}

fn line(
    kind: &str,
    bound: usize,
    basis: CaseBasis,
    split: bool,
    seconds: impl Fn(usize) -> Vec<f64>,
) -> BoundLine {
    let spans = WORKERS.iter().map(|&n| makespan(&seconds(n), n)).collect();
    let most = seconds(WORKERS[WORKERS.len() - 1]);
    BoundLine {
        kind: kind.to_owned(),
        bound,
        basis,
        split,
        cases: most.len(),
        spans,
        work: seconds(1).iter().sum(),
    }
}

/// What the leaves of a group took beside their whole shapes, at the largest bound that was solved
/// both ways. In conflicts, which do not depend on what else the machine did.
fn splitting(group: &CaseGroup<'_>) -> Option<Splitting> {
    let bound = group.leaves.iter().map(|r| r.shape.events()).max()?;
    let (mut leaves, mut whole, mut shares) = (0.0, 0.0, Vec::new());
    for shape in ThreadShape::all(bound) {
        let of: Vec<f64> =
            group.leaves.iter().filter(|r| r.shape == shape).map(|r| r.cost().conflicts).collect();
        let Some(all) = group.whole.iter().find(|r| r.shape == shape).filter(|_| of.len() > 1)
        else {
            continue;
        };
        let sum: f64 = of.iter().sum();
        leaves += sum;
        whole += all.cost().conflicts;
        shares.extend(of.iter().map(|s| s * of.len() as f64 / sum.max(f64::MIN_POSITIVE)));
    }
    // In the order of the shapes, which mixes large and small ones.
    (whole > 0.0).then(|| Splitting { overhead: leaves / whole, shares })
}

/// The cases of a predicted bound for so many workers: what is larger than its share is split as
/// was recorded.
fn split(shapes: &[CaseCost], workers: usize, how: &Splitting) -> Vec<f64> {
    let share = (shapes.iter().map(|c| c.seconds).sum::<f64>() / workers as f64).max(LEAST);
    let mut next = 0;
    let of = |seconds: f64| -> Vec<f64> {
        if seconds <= share {
            return vec![seconds];
        }
        let leaves = (((seconds / share).log2().ceil() as u32).min(LEAVES.ilog2()) as usize).max(1);
        let leaves = 1_usize << leaves;
        let weights: Vec<f64> =
            (0..leaves).map(|i| how.shares[(next + i) % how.shares.len()]).collect();
        next += leaves;
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| seconds * how.overhead * w / sum).collect()
    };
    largest_first(shapes.iter().map(|c| c.seconds).flat_map(of).collect())
}

/// All lines of a group: recorded bounds from `first` on, and predicted ones up to `last`.
fn lines(group: &CaseGroup<'_>, first: usize, last: usize) -> Vec<BoundLine> {
    let mut costs = CaseCosts::default();
    let mut out = Vec::new();
    let questions: Vec<usize> = group
        .whole
        .iter()
        .flat_map(|r| r.costs.iter().map(|&(q, _)| q))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let complete = |bound: usize| {
        ThreadShape::all(bound).iter().all(|s| group.whole.iter().any(|r| r.shape == *s))
    };
    let Some(known) = (1..=last).rev().find(|&bound| complete(bound)) else { return out };
    for recorded in &group.whole {
        for &(question, cost) in &recorded.costs {
            if recorded.shape.events() <= known {
                costs.insert(&recorded.shape, question, cost);
            }
        }
    }
    let of_bound = |all: &[&RecordedCase], bound: usize| -> Vec<f64> {
        all.iter().filter(|r| r.shape.events() == bound).map(|r| r.cost().seconds).collect()
    };
    for bound in first..=known {
        let whole = largest_first(of_bound(&group.whole, bound));
        out.push(line(&group.kind, bound, CaseBasis::Recorded, false, |_| whole.clone()));
        let leaves = of_bound(&group.leaves, bound);
        if !leaves.is_empty() {
            // Shapes that were small enough stay whole.
            let small = group.whole.iter().filter(|r| {
                r.shape.events() == bound && !group.leaves.iter().any(|l| l.shape == r.shape)
            });
            let all = largest_first(small.map(|r| r.cost().seconds).chain(leaves).collect());
            out.push(line(&group.kind, bound, CaseBasis::Recorded, true, |_| all.clone()));
        }
    }
    let how = splitting(group);
    for bound in known + 1..=last {
        let mut shapes = Vec::new();
        for shape in ThreadShape::all(bound) {
            let each: Vec<(usize, Option<CaseCost>)> =
                questions.iter().map(|&q| (q, costs.predict(&shape, &[q]))).collect();
            shapes.push(
                each.iter().filter_map(|(_, c)| *c).fold(CaseCost::default(), CaseCost::plus),
            );
            // The next bound is predicted from this one.
            each.into_iter().for_each(|(q, cost)| {
                if let Some(cost) = cost {
                    costs.insert(&shape, q, cost);
                }
            });
        }
        let whole = largest_first(shapes.iter().map(|c| c.seconds).collect());
        out.push(line(&group.kind, bound, CaseBasis::Predicted, false, |_| whole.clone()));
        if let Some(how) = &how {
            out.push(line(&group.kind, bound, CaseBasis::Predicted, true, |n| {
                split(&shapes, n, how)
            }));
        }
    }
    out
}

fn basis(line: &BoundLine) -> &'static str {
    match (line.basis, line.split) {
        (CaseBasis::Recorded, false) => "recorded",
        (CaseBasis::Recorded, true) => "recorded, split",
        (CaseBasis::Predicted, false) => "predicted",
        (CaseBasis::Predicted, true) => "predicted, split",
    }
}

/// `0.05` and `12 345`.
fn seconds(s: f64) -> String {
    if s < 100.0 { format!("{s:.2}") } else { number(s.round() as u64) }
}

fn document((statement, line): &(String, BoundLine)) -> case::BoundTime {
    let span = |(&workers, &seconds): (&usize, &f64)| case::Makespan { workers, seconds };
    case::BoundTime {
        statement: statement.clone(),
        kind: line.kind.clone(),
        bound: line.bound,
        basis: match line.basis {
            CaseBasis::Recorded => case::CostBasis::Recorded,
            CaseBasis::Predicted => case::CostBasis::Predicted,
        },
        split: line.split,
        cases: line.cases,
        work_seconds: line.work,
        makespans: WORKERS.iter().zip(&line.spans).map(span).collect(),
    }
}

/// Says how long bounds `from` to `to` take, from the answers in a folder.
pub fn run(folder: &Path, from: usize, to: usize, output: &Output) -> CommandOutcome {
    let all = match recorded(folder) {
        Ok(all) => all,
        Err(error) => return output.wrong(&[error]),
    };
    let all: Vec<(String, BoundLine)> = groups(&all)
        .iter()
        .flat_map(|group| {
            let statement = group
                .whole
                .iter()
                .chain(&group.leaves)
                .next()
                .map_or(String::new(), |r| r.statement.clone());
            lines(group, from, to).into_iter().map(move |line| (statement.clone(), line))
        })
        .collect();
    if all.is_empty() {
        let error = Diagnostic::error(format!(
            "`{}` has no bound of {from} or more events with all answers",
            folder.display()
        ));
        return output
            .wrong(&[error
                .help("solve one with `margay check --checkpoint`, or give a smaller `--from`")]);
    }
    if output.format == Format::Json {
        output.document(&case::Simulation { bounds: all.iter().map(document).collect() })?;
        return Ok(Exit::Holds);
    }
    output.print(
        "Seconds until the last case of a bound is done, largest first, by number of workers",
    )?;
    output.print("")?;
    let statements: std::collections::BTreeSet<&String> = all.iter().map(|(s, _)| s).collect();
    for statement in statements {
        let of: Vec<&BoundLine> =
            all.iter().filter(|(s, _)| s == statement).map(|(_, line)| line).collect();
        output.print(&output.heading(&format!("{statement}: {}", of[0].kind)))?;
        let header: Vec<String> = ["workers".to_owned()]
            .into_iter()
            .chain(of.iter().map(|l| format!("{} {}", l.bound, basis(l))))
            .collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut rows: Vec<Vec<String>> = WORKERS
            .iter()
            .enumerate()
            .map(|(i, n)| {
                [number(*n as u64)]
                    .into_iter()
                    .chain(of.iter().map(|l| seconds(l.spans[i])))
                    .collect()
            })
            .collect();
        rows.push(
            ["cases".to_owned()]
                .into_iter()
                .chain(of.iter().map(|l| number(l.cases as u64)))
                .collect(),
        );
        let right: Vec<usize> = (1..header.len()).collect();
        output.print(&table(&header, &rows, &right, output.width()))?;
        output.print("")?;
    }
    output.print("Recorded: what the cases took. Predicted: from the growth of smaller bounds. Split: what is larger than its share is split; a predicted bound as the recorded one was.")?;
    Ok(Exit::Holds)
}
