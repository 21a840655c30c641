//! Sources that choose an order of their fences: the theorem is that some order makes an execution
//! a legal one. It is taken from the target, and what has a counterexample in every order is no
//! theorem.

use margay_mappings::check::{CheckVerdict, asked};
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;
use margay_theorem::theorem::Setting;
use margay_theorem::theory::mapping::ExecutionSelection;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{mapping_of, question, searched, theorems};

const LANGUAGE: &str = "architecture \"it chooses\"\ntag FULL on F\nchosen sync_fence on FULL\nread ld\nwrite st\nrmw at\nfence full FULL\nfence light\n";
const MACHINE: &str =
    "architecture \"a machine\"\ntag MF on F\nread r\nwrite w\nrmw x\nfence mf MF\n";

/// What is ordered by fences happens before what the other comes before.
const SOURCE: &str = "let order = po; [FULL] | [FULL]; po | (po & loc) | sync_fence
let hb = (order | rf & ext)+
empty (FULL * FULL) \\ (sync_fence | sync_fence^-1 | id) as Fences
irreflexive hb as Hb
irreflexive hb; (co | rf^-1; co) as Coh
empty rmw & (fr; co) as At
";

/// Texts are known by their words, so each mapping has words of its own.
static CASES: AtomicUsize = AtomicUsize::new(0);

/// A mapping from a source to a shipped target, or to a text (of the machine, or of the language
/// itself).
fn to(source: &str, target: &str, rows: &str) -> Mapping {
    let case = CASES.fetch_add(1, Ordering::Relaxed);
    let [language, machine] = [format!("choosing{case}"), format!("flushing{case}")];
    let [arch, m_arch] = [format!("{language}.arch"), format!("{machine}.arch")];
    let [source, own] = [source, target]
        .map(|text| text.replace("LANGUAGE", &language).replace("MACHINE", &machine));
    let source = format!("{language} \"chooses\"\n{source}");
    let is_text = own.contains('\n');
    let map = format!(
        "mapping \"m\" from source.cat to {}\n{rows}",
        if is_text { "target.cat" } else { target }
    );
    let target = if is_text { own } else { format!("{machine} \"unused\"\n") };
    mapping_of(&[
        (&arch, LANGUAGE),
        (&m_arch, MACHINE),
        ("source.cat", &source),
        ("target.cat", &target),
        ("m.map", &map),
    ])
}

/// The machine whose fences flush, perhaps with more axioms.
fn machine(axioms: &str) -> String {
    format!(
        "MACHINE \"a machine\"\nacyclic (po & loc) | rf | co | fr as Loc\nempty rmw & (fr; co) as At\n{axioms}"
    )
}

const FLUSHES: &str =
    "acyclic ((R * M) | (W * W)) & po | po; [MF]; po | rf & ext | co | fr as Flushes\n";
const ROWS: &str = "ld => r\nst => w\nat => x\nfull => mf\nlight => nothing\n";
const ALL: [&str; 4] = ["Fences", "Hb", "Coh", "At"];

#[test]
fn the_order_keeps_what_the_target_orders() {
    for (target, rows) in [
        ("sc", "ld => R\nst => W\nat => RMW\nfull => F\nlight => nothing\n"),
        ("x86", "ld => load\nst => store\nat => lock_xchg\nfull => mfence\nlight => nothing\n"),
        (&machine(FLUSHES), ROWS),
        (&machine(FLUSHES), &ROWS.replace("full => mf", "full => mf ; mf")),
        // An axiom of a smaller relation before it is not the one that the order is taken from.
        (&machine(&format!("acyclic po as Po\n{FLUSHES}")), ROWS),
    ] {
        assert_eq!(theorems(&to(SOURCE, target, rows), &[], 60), ALL, "{target}");
    }
    // Where fences become nothing the order is there, and proves nothing of what they order.
    let dropped = ROWS.replace("full => mf", "full => nothing");
    let proved = theorems(&to(SOURCE, &machine(FLUSHES), &dropped), &[], 10);
    assert!(!proved.contains(&"Coh".to_owned()), "{proved:?}");
}

#[test]
fn the_order_is_that_of_the_target_where_it_chooses_one() {
    let itself = format!("LANGUAGE \"itself\"\n{SOURCE}");
    let rows =
        |full: &str| format!("ld => ld\nst => st\nat => at\nfull => {full}\nlight => light\n");
    // The first one counts of two.
    for full in ["full", "full ; light", "full ; full"] {
        assert_eq!(theorems(&to(SOURCE, &itself, &rows(full)), &[], 60), ALL, "{full}");
    }
    // The ordered fence may stand beside the event that stands for the operation: any two are
    // ordered. (No invariant says so of happens-before.)
    let beside = theorems(&to(SOURCE, &itself, &rows("light ; full")), &[], 10);
    assert!(beside.contains(&"Fences".to_owned()), "{beside:?}");
    let without = theorems(&to(SOURCE, &itself, &rows("light")), &[], 10);
    assert!(
        !without.contains(&"Fences".to_owned()),
        "no fence of the target is ordered: {without:?}"
    );
    // A source that wants fewer pairs than all of them related: an order that is total would be
    // wrong.
    let partial = SOURCE.replace(
        "empty (FULL * FULL) \\ (sync_fence | sync_fence^-1 | id)",
        "empty sync_fence \\ (FULL * FULL)",
    );
    assert_eq!(theorems(&to(&partial, &itself, &rows("full")), &[], 60), ALL);
}

/// What is wrong in every order is not proved: store buffering needs six events.
#[test]
fn what_every_order_forbids_is_no_theorem() {
    for target in [
        machine(""),
        machine("acyclic po | rf as Thin-Air\n"),
        machine(&FLUSHES.replace("[MF]", "[MF & W]")),
    ] {
        let wrong = to(SOURCE, &target, ROWS);
        assert!(theorems(&wrong, &[], 10).len() < ALL.len(), "{target}");
        let options =
            question(6, &[]).with(|o| o.only = ["ld", "st", "full"].map(str::to_owned).to_vec());
        assert_eq!(searched(&wrong, &options).verdict, CheckVerdict::Counterexample, "{target}");
    }
}

/// Why a setting is refused.
fn refused(mapping: &Mapping, axioms: &[usize], without: &str) -> String {
    let constructs = margay_models::signature::constructs(mapping.source.signature);
    let left =
        constructs.into_iter().filter(|c| c.name(mapping.source.signature) != without).collect();
    let setting =
        Setting::of_mapping(mapping, axioms, &ExecutionSelection { constructs: left, typed: true });
    setting.map(drop).err().unwrap_or_default().iter().map(Diagnostic::to_string).collect()
}

#[test]
fn what_would_depend_on_the_order_is_refused() {
    let mapping = to(SOURCE, "sc", "ld => R\nst => W\nat => RMW\nfull => F\nlight => F\n");
    let errors = asked(&mapping, &question(3, &["Hb"]))
        .expect_err("no order need violate an axiom of its own");
    assert!(
        format!("{errors:?}").contains("the axioms of `source` are taken together"),
        "{errors:?}"
    );
    // An argument about some of the axioms would be about an order that the others may forbid.
    assert!(refused(&mapping, &[0], "").contains("are taken together"));
    assert_eq!(refused(&mapping, &[0, 1, 2, 3], ""), "");
    // Without the fence there is nothing to order.
    assert_eq!(refused(&mapping, &[1], "full"), "");
    // A program is undefined if it races in any order.
    let races = format!(
        "{SOURCE}let race = (W * W) & loc & ext \\ (sync_fence | sync_fence^-1)\nflag ~empty race as Race\n"
    );
    let mapping = to(&races, "sc", "ld => R\nst => W\nat => RMW\nfull => F\nlight => F\n");
    let said = refused(&mapping, &[0, 1, 2, 3], "");
    assert!(
        said.contains("whether `Race` of `source` happens") && said.contains("source.cat:9"),
        "{said}"
    );
    // A target that orders nothing has no order.
    let nothing = to(SOURCE, "MACHINE \"nothing\"\nempty rmw & (fr; co) as At\n", ROWS);
    let said = refused(&nothing, &[0, 1, 2, 3], "");
    assert!(said.contains("no axiom of `target` is `acyclic`"), "{said}");
}

fn source() -> impl Strategy<Value = String> {
    let relation = select(vec![
        "sync_fence",
        "po",
        "rf",
        "co",
        "fr",
        "(po | sync_fence)",
        "(rf | fr | co)",
        "(po; [FULL])",
        "([FULL]; po)",
        "(po & loc)",
        "(po; sync_fence)",
        "(sync_fence; po)",
        "(FULL * FULL)",
        "sync_fence^-1",
        "(sync_fence; sync_fence)",
        "(rf & ext)",
        "(po; [FULL] | [FULL]; po | sync_fence | rf & ext)+",
    ]);
    let check = (
        select(vec!["acyclic", "irreflexive", "empty"]),
        relation.clone(),
        select(vec!["|", "&", ";", "\\"]),
        relation,
    );
    let total = "empty (FULL * FULL) \\ (sync_fence | sync_fence^-1 | id) as Total";
    (proptest::collection::vec(check, 1..=3), any::<bool>()).prop_map(
        move |(checks, with_total)| {
            let one = |(i, (kind, a, op, b)): (usize, (&str, &str, &str, &str))| {
                format!("{kind} {a} {op} {b} as C{i}")
            };
            let mut lines: Vec<String> = checks.into_iter().enumerate().map(one).collect();
            lines.extend(with_total.then(|| total.to_owned()));
            format!("{}\n", lines.join("\n"))
        },
    )
}

/// All axioms of the source are proved; then no execution of the search is a counterexample. `true`
/// if they are.
fn is_theorem_without_counterexample(source: &str, target: &str, rows: &str) -> bool {
    let mapping = to(source, target, rows);
    if !mapping.source.orders_fences() || mapping.source.checks.iter().any(|c| c.negated) {
        return false;
    }
    if theorems(&mapping, &[], 5).len() < mapping.source.checks.len() {
        return false;
    }
    let options =
        question(4, &[]).with(|o| o.only = ["ld", "st", "full"].map(str::to_owned).to_vec());
    assert_eq!(searched(&mapping, &options).verdict, CheckVerdict::None, "{source}{target}{rows}");
    true
}

#[test]
fn random_sources_have_no_counterexample_where_they_are_theorems() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let itself = format!("LANGUAGE \"itself\"\n{SOURCE}");
    let of_itself = "ld => ld\nst => st\nat => at\nfull => full\nlight => light\n";
    let (flushes, ordered) = (machine(FLUSHES), machine("acyclic po | rf | co | fr as SC\n"));
    let mut proved = 0;
    for _ in 0..30 {
        let source = source().new_tree(&mut runner).expect("no source is rejected").current();
        for (target, rows) in [(&flushes, ROWS), (&ordered, ROWS), (&itself, of_itself)] {
            proved += usize::from(is_theorem_without_counterexample(&source, target, rows));
        }
    }
    assert!(proved >= 5, "{proved} of 90 are theorems");
}
