//! The judge's question: with a row weaker or an axiom of the target less, what is still called a
//! theorem has no counterexample.

use std::fmt::Write;
use std::time::{Duration, Instant};

use margay_mappings::change::{LoweringSlot, Steps};
use margay_mappings::check::{CheckOptions, CheckVerdict, Silent, check};
use margay_mappings::language::Mapping;
use margay_models::model::{CheckKind, Role};
use margay_prove::theorem::prove;
use margay_theorem::theory::StopSignal;
use rayon::prelude::*;

use super::{mapping, no_sc, options, setting, theorems};

/// A mapping with something changed.
struct Mutant {
    /// What, in words.
    what: String,
    mapping: Mapping,
}

/// Each row with one instruction less, or one step weaker.
fn weaker_rows(mapping: &Mapping, without: &[String]) -> Vec<Mutant> {
    let steps = Steps::new(mapping);
    let mut all = Vec::new();
    for slot in LoweringSlot::all(mapping) {
        let row = &mapping.rows[slot.row];
        if without.contains(&row.construct.name(mapping.source.signature)) {
            continue;
        }
        for lowering in steps.weaker(row, slot.lowering(mapping)) {
            let (head, body) = slot.text(mapping, &lowering);
            let mut changed = mapping.clone();
            slot.set(&mut changed, lowering);
            all.push(Mutant { what: format!("{head} => {body}"), mapping: changed });
        }
    }
    all
}

/// Each axiom of the target left out, and each `acyclic` as `irreflexive`.
fn weaker_target(mapping: &Mapping) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (number, check) in
        mapping.target.checks.iter().enumerate().filter(|(_, c)| c.role == Role::Axiom)
    {
        let mut without = mapping.clone();
        without.target.checks.remove(number);
        all.push(Mutant { what: format!("no {}", check.display_name()), mapping: without });
        if check.kind == CheckKind::Acyclic {
            let mut weaker = mapping.clone();
            weaker.target.checks[number].kind = CheckKind::Irreflexive;
            all.push(Mutant {
                what: format!("{} of cycles of one edge", check.display_name()),
                mapping: weaker,
            });
        }
    }
    all
}

/// What a proof and a search say of each axiom: `theorem`, `at n`, or `open`. Fails if an axiom is
/// proved and has a counterexample.
pub fn judged(
    what: &str,
    mapping: &Mapping,
    without: &[String],
    bound: usize,
) -> Vec<(String, String)> {
    // A search that ends early is open, and no mutant that falls is proved by it.
    let stop = StopSignal { flag: None, deadline: Some(Instant::now() + Duration::from_secs(60)) };
    judged_until(&stop, what, mapping, without, bound)
}

/// The same, with a search for a proof that ends when `stop` says so.
fn judged_until(
    stop: &StopSignal,
    what: &str,
    mapping: &Mapping,
    without: &[String],
    bound: usize,
) -> Vec<(String, String)> {
    let report = prove(&setting(mapping, without), stop);
    let proved = theorems(&report);
    let asked = CheckOptions { keep_going: true, ..options(without) }
        .with(|o| (o.bound, o.jobs) = (bound, 1));
    let found = check(mapping, &asked, &Silent).expect("it is a mapping");
    let words = |axiom: &margay_mappings::check::AxiomReport| {
        let name = axiom.axiom.as_str();
        assert!(
            report.goals.iter().any(|g| g.name == name),
            "{what}: {name} is no question of the proof"
        );
        let is_theorem = proved.contains(&name);
        let falls = axiom.verdict == CheckVerdict::Counterexample;
        assert!(
            !(is_theorem && falls),
            "{what}: {name} is proved, and falls at {} events",
            axiom.bound
        );
        match (is_theorem, falls) {
            (true, _) => "theorem".to_owned(),
            (_, true) => format!("at {}", axiom.bound),
            _ => "open".to_owned(),
        }
    };
    found.axioms.iter().map(|a| (a.axiom.clone(), words(a))).collect()
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn no_weaker_row_of_fig_11_is_proved_and_falls() {
    // One mutant of each row here, all of them in the test below.
    let whole = mapping("rc11-to-ptx", None);
    let mut all = weaker_rows(&whole, &no_sc());
    assert!(all.len() > 15, "{}", all.len());
    all.dedup_by_key(|m| m.what.split(" =>").next().expect("a head").to_owned());
    let fallen: usize = all
        .par_iter()
        .map(|mutant| judged(&mutant.what, &mutant.mapping, &no_sc(), 4))
        .filter(|axioms| axioms.iter().any(|a| a.1 != "theorem"))
        .count();
    assert_eq!(fallen, all.len(), "no row could be weaker");
}

/// All mutants of some tables, to a bound that is named in `MARGAY_BOUND`: run with
/// `--release -- --ignored`, perhaps with a file for the page, which is written table by table, in
/// `MARGAY_MUTANTS`, with some of the tables alone, or others as `TABLE:SOURCE`, in
/// `MARGAY_TABLES`, and with the seconds that a proof may take in `MARGAY_SECONDS`.
#[test]
#[ignore = "takes many minutes"]
fn all_weaker_rows_and_targets() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    let bound = number("MARGAY_BOUND").map_or(5, |b: u64| usize::try_from(b).expect("a small one"));
    let seconds = number("MARGAY_SECONDS");
    let wanted = std::env::var("MARGAY_TABLES").ok();
    let path = std::env::var("MARGAY_MUTANTS").ok();
    let begin = Instant::now();
    let mut head = String::new();
    let mut page = String::from("| table | changed | answer |\n| --- | --- | --- |\n");
    let mut count = [0, 0];
    let all = [
        ("rc11-to-ptx", "rc11-scoped", no_sc()),
        ("rc11-to-ptx-descoped", "rc11-lb", Vec::new()),
        ("llvm-22.1-sm90", "rc11-scoped", no_sc()),
        ("libcudacxx-3.5", "c20-scoped", no_sc()),
        ("nvidia-abi-12.8.1", "c20", Vec::new()),
        ("rc11-to-x86", "rc11", Vec::new()),
        ("c11-to-x86", "c11", Vec::new()),
        ("rc11-to-aarch64", "rc11", Vec::new()),
        ("rc11-to-riscv", "rc11", Vec::new()),
    ];
    // Those that are named, of these, or as TABLE:SOURCE.
    let named = wanted.iter().flat_map(|wanted| wanted.split(',')).flat_map(|name| {
        match name.split_once(':') {
            Some((table, source)) => vec![(table, source, Vec::new())],
            None => all.iter().filter(|t| t.0 == name).cloned().collect(),
        }
    });
    let asked: Vec<(&str, &str, Vec<String>)> =
        if wanted.is_some() { named.collect() } else { all.to_vec() };
    assert!(!asked.is_empty(), "MARGAY_TABLES names no table of this test");
    for (name, source, without) in asked {
        let whole = mapping(name, Some(source));
        let mut all = weaker_rows(&whole, &without);
        all.extend(weaker_target(&whole));
        let judge = |mutant: &Mutant| {
            let deadline = seconds.map(|s| Instant::now() + Duration::from_secs(s));
            judged_until(
                &StopSignal { flag: None, deadline },
                &mutant.what,
                &mutant.mapping,
                &without,
                bound,
            )
        };
        let answers: Vec<Vec<(String, String)>> = all.par_iter().map(judge).collect();
        for (mutant, axioms) in all.iter().zip(answers) {
            count[0] += 1;
            count[1] += usize::from(axioms.iter().all(|a| a.1 == "theorem"));
            let words: Vec<String> =
                axioms.iter().map(|(axiom, said)| format!("{axiom}: {said}")).collect();
            writeln!(page, "| {name} ({source}) | `{}` | {} |", mutant.what, words.join("; "))
                .expect("text");
        }
        let [all, theorems] = count;
        head = format!(
            "{all} mutants, {theorems} of them theorems, searched up to {bound} events, {:.0} s",
            begin.elapsed().as_secs_f64()
        );
        if let Some(path) = &path {
            std::fs::write(path, format!("{head}\n\n{page}")).expect("it can be written");
        }
    }
    println!("{head}");
}
