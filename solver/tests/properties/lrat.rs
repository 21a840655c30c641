//! Refutations in the formats of others: a reader of LRAT that shares no code with the library
//! accepts them, and so do the programs that others wrote for that, those of them that are
//! installed.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use margay_solver::proof::export;

use crate::proofs::{Temporary, large, proved};

/// Programs that check a refutation, told the problem and the steps, with whether the steps are
/// LRAT or DRAT (the clauses alone).
const CHECKERS: [(&str, bool); 5] = [
    ("cake_lpr", true),
    ("lrat-check", true),
    ("lrat-trim", true),
    ("drat-trim", false),
    ("rate", false),
];

fn numbers(line: &str) -> Vec<i64> {
    line.split_whitespace().map(|n| n.parse().expect("a number")).collect()
}

/// Does each clause follow by unit propagation along its hints, each of which is unit then or, the
/// last one, false; up to the empty one?
fn accepted(cnf: &str, lrat: &str) -> Result<(), String> {
    let mut clauses: HashMap<i64, Vec<i64>> = HashMap::new();
    for (line, number) in cnf.lines().skip(1).zip(1..) {
        clauses.insert(
            number,
            numbers(
                line.strip_suffix(" 0").or(line.strip_suffix('0')).expect("a clause ends in 0"),
            ),
        );
    }
    for line in lrat.lines() {
        if let Some((_, gone)) = line.split_once(" d ") {
            for id in numbers(gone).into_iter().filter(|&id| id != 0) {
                clauses.remove(&id).ok_or(format!("{line}: there is no such clause"))?;
            }
            continue;
        }
        let all = numbers(line);
        let mut parts = all[1..].split(|&n| n == 0);
        let (clause, hints) = (parts.next().expect("a clause"), parts.next().expect("hints"));
        let mut holds: Vec<i64> = clause.iter().map(|l| -l).collect();
        let mut refuted = false;
        for hint in hints {
            let known = clauses.get(hint).ok_or(format!("{line}: there is no clause {hint}"))?;
            let mut open: Vec<i64> =
                known.iter().copied().filter(|l| !holds.contains(&-l)).collect();
            open.dedup();
            match (refuted, open.as_slice()) {
                (false, []) => refuted = true,
                (false, [l]) if !holds.contains(l) => holds.push(*l),
                _ => return Err(format!("{line}: {hint} does nothing here")),
            }
        }
        if !refuted {
            return Err(format!("{line}: it does not follow"));
        }
        if clause.is_empty() {
            return Ok(());
        }
        clauses.insert(all[0], clause.to_vec());
    }
    Err("the empty clause is not derived".to_owned())
}

/// The steps without numbers, hints and deletions.
fn drat(lrat: &str) -> String {
    let steps = lrat.lines().filter(|line| !line.contains(" d "));
    steps
        .map(|line| line.split_once(' ').map_or("", |(_, rest)| rest))
        .map(|rest| clause(rest) + "\n")
        .collect()
}

/// A clause up to its 0.
fn clause(text: &str) -> String {
    text.split_inclusive(' ').take_while(|l| l.trim() != "0").chain(["0"]).collect()
}

/// Asks the checkers that are installed.
fn ask_others(cnf: &Path, lrat: &Path) -> Vec<&'static str> {
    let steps = lrat.with_extension("drat");
    fs::write(&steps, drat(&fs::read_to_string(lrat).expect("it was written")))
        .expect("there is room");
    let mut asked = Vec::new();
    for (program, reads_lrat) in CHECKERS {
        // Those that `.ci/checkers` builds, and whatever is installed.
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/checkers").join(program);
        let file = if built.is_file() { built } else { program.into() };
        let Ok(output) =
            Command::new(file).arg(cnf).arg(if reads_lrat { lrat } else { &steps }).output()
        else {
            continue;
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            said.lines().any(|line| line.contains("VERIFIED") && !line.contains("NOT")),
            "{program}: {said}"
        );
        asked.push(program);
    }
    fs::remove_file(steps).expect("it is there");
    asked
}

#[test]
fn refutations_are_accepted_as_lrat() {
    let (mut refutations, mut asked) = (0, Vec::new());
    for seed in 1..4 {
        let (file, answers) = proved(150, &large(150, seed));
        let proof = Temporary::new(&format!("lrat-{seed}"), &file);
        let (cnf, lrat) = (
            Temporary::new(&format!("lrat-{seed}-cnf"), &[]),
            Temporary::new(&format!("lrat-{seed}-steps"), &[]),
        );
        for (question, refuted) in (1..).zip(answers) {
            let exported = export(&proof.0, question, &cnf.0, &lrat.0, &|| false);
            if !refuted {
                assert!(exported.is_err(), "question {question} has an assignment");
                continue;
            }
            let exported = exported.expect("it was refuted");
            let [problem, steps] =
                [&cnf, &lrat].map(|file| fs::read_to_string(&file.0).expect("it was written"));
            assert_eq!(problem.lines().count() as u64, exported.clauses + 1);
            accepted(&problem, &steps)
                .unwrap_or_else(|why| panic!("seed {seed}, question {question}: {why}"));
            refutations += 1;
            // Without one of its steps it is none.
            let hint = steps
                .lines()
                .last()
                .and_then(|last| last.rsplit(' ').nth(1))
                .expect("the last hint")
                .to_owned()
                + " ";
            let without: String =
                steps.lines().filter(|l| !l.starts_with(&hint)).map(|l| format!("{l}\n")).collect();
            assert!(
                without == steps || accepted(&problem, &without).is_err(),
                "seed {seed}, question {question}"
            );
            asked = ask_others(&cnf.0, &lrat.0);
        }
        assert!(
            export(&proof.0, 1000, &cnf.0, &lrat.0, &|| false).is_err(),
            "there is no such question"
        );
        assert!(
            export(&proof.0, 1, &cnf.0, &lrat.0, &|| true)
                .is_err_and(|e| e.to_string().contains("stopped")),
            "it is asked"
        );
    }
    assert!(refutations > 5, "{refutations}");
    if asked.is_empty() {
        eprintln!(
            "skipped: no checker by others is there ({}); `.ci/checkers` builds two",
            CHECKERS.map(|c| c.0).join(", ")
        );
    }
}
