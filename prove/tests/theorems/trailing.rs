//! Operations with fences behind them: on PTX cycles are cut before the edges that lead away from
//! fences; on Armv8 all orders are barriers.

use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use margay_theorem::argument::{Claim, Cut, Rule};
use margay_theorem::theorem::Setting;

use super::mutants::judged;
use super::rules::Dice;
use super::{proved, theorems};

/// Every seq_cst access has its fence behind it.
const TRAILING: &str = "mapping \"fences behind\" from c20 to ptx-6.0
R.NA => ld.weak
R.RLX => ld.relaxed.sys
R.ACQ => ld.acquire.sys
R.SC => ld.acquire.sys ; fence.sc.sys
W.NA => st.weak
W.RLX => st.relaxed.sys
W.REL => st.release.sys
W.SC => st.release.sys ; fence.sc.sys
RMW.RLX => atom.relaxed.sys
RMW.ACQ => atom.acquire.sys
RMW.REL => atom.release.sys
RMW.ACQ_REL => atom.acq_rel.sys
RMW.SC => atom.acq_rel.sys ; fence.sc.sys
F.ACQ => fence.acquire.sys
F.REL => fence.release.sys
F.ACQ_REL => fence.acq_rel.sys
F.SC => fence.sc.sys
";

fn table(text: String) -> Mapping {
    load_text(&SourceFile::new("trailing.map", text), None, &LoadOptions::default())
        .expect("it is a mapping")
        .mapping
}

#[test]
fn seq_cst_by_fences_behind_accesses() {
    let report = proved(&table(TRAILING.to_owned()), &[]);
    assert_eq!(theorems(&report), ["Coherence", "Atomicity", "SC"]);
}

/// Without one of the fences a chain ends where no fence is.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn no_weaker_table_with_fences_behind_is_proved() {
    for (row, by) in [
        ("R.SC => ld.acquire.sys ; fence.sc.sys", "R.SC => ld.acquire.sys"),
        ("W.SC => st.release.sys ; fence.sc.sys", "W.SC => st.release.sys"),
        ("W.SC => st.release.sys ; fence.sc.sys", "W.SC => st.release.sys ; fence.acq_rel.sys"),
        ("RMW.SC => atom.acq_rel.sys ; fence.sc.sys", "RMW.SC => atom.acq_rel.sys"),
        ("F.SC => fence.sc.sys", "F.SC => fence.acq_rel.sys"),
        ("R.SC => ld.acquire.sys ; fence.sc.sys", "R.SC => fence.sc.sys ; ld.acquire.sys"),
    ] {
        assert!(TRAILING.contains(row), "{row}");
        let weaker = table(TRAILING.replace(row, by));
        let answers = judged(&format!("{row} as {by}"), &weaker, &[], 4);
        assert!(
            answers.iter().all(|(axiom, answer)| axiom != "SC" || answer != "theorem"),
            "{by}: {answers:?}"
        );
    }
}

/// What the rule needs where a cycle is cut before the edges of the second kind, and that it is not
/// what it needs where one is cut behind.
#[test]
fn the_rule_of_orders_says_where_it_cuts() {
    let text = "PTX \"test\"\ninclude \"ptx-6.0.cat\"\nacyclic rf | co as Question";
    let model = Model::parse(SourceFile::new("test.cat", text), &FilesThenBuiltIn)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .model;
    let number = model.check_named("Question").expect("it is there");
    let setting = Setting::of_model(&model, &[number]).expect("it is of a form that has a rule");
    let mut theory = setting.theory.clone();
    let [rf, co, po] = ["rf", "co", "po"].map(|name| {
        let pred = theory.symbols.shown(name).expect("it has a name");
        theory.exprs.symbol(pred)
    });
    let chain = theory.closure_name(rf);
    let chain = theory.exprs.symbol(chain);
    for (cut, pieces) in [(Cut::Behind, [chain, co]), (Cut::Before, [co, chain])] {
        let [piece, twice] = [pieces, [po, po]].map(|[a, b]| theory.exprs.sequence(a, b));
        let rule = Rule::Orders { cut, order: Some(po), first: vec![rf], second: vec![co] };
        let needed = theory.supports(&rule, &setting.goals[0].claim).expect("these are its edges");
        let wanted = [
            Claim::Irreflexive(po),
            Claim::Within(twice, po),
            Claim::Within(co, po),
            Claim::Irreflexive(chain),
            Claim::Within(piece, po),
        ];
        assert_eq!(needed, wanted, "{cut:?}");
    }
}

/// Relations among a few events, as bits.
type Relation = [u8; EVENTS];

const EVENTS: usize = 5;

fn then(a: &Relation, b: &Relation) -> Relation {
    a.map(|row| (0..EVENTS).filter(|z| row >> z & 1 == 1).fold(0, |all, z| all | b[z]))
}

fn or(a: &Relation, b: &Relation) -> Relation {
    std::array::from_fn(|x| a[x] | b[x])
}

fn is_within(a: &Relation, b: &Relation) -> bool {
    (0..EVENTS).all(|x| a[x] & !b[x] == 0)
}

fn closure(r: &Relation) -> Relation {
    (0..EVENTS).fold(*r, |all, _| or(&all, &then(&all, &all)))
}

fn is_irreflexive(r: &Relation) -> bool {
    (0..EVENTS).all(|x| r[x] >> x & 1 == 0)
}

/// Whatever the relations are: where what the rule needs is true, there is no cycle.
#[test]
fn orders_that_contain_the_pieces_of_cycles_leave_none() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut seen = [0, 0];
    for _ in 0..400_000 {
        let mut random = |most: usize| -> Relation {
            let mut r = [0; EVENTS];
            (0..dice.below(most)).for_each(|_| r[dice.below(EVENTS)] |= 1 << dice.below(EVENTS));
            r
        };
        let (first, second, order) = (random(4), random(4), closure(&random(8)));
        let chain = closure(&first);
        if !is_irreflexive(&order) || !is_irreflexive(&chain) || !is_within(&second, &order) {
            continue;
        }
        for (cut, piece) in [(0, then(&chain, &second)), (1, then(&second, &chain))] {
            if is_within(&piece, &order) {
                assert!(
                    is_irreflexive(&closure(&or(&first, &second))),
                    "{cut}: {first:?} {second:?} {order:?}"
                );
                seen[cut] += usize::from(piece != [0; EVENTS]);
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

/// C++ on Armv8 by barriers alone: an acquire may read, of a release sequence, what its own thread
/// wrote.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn cpp_on_armv8_by_barriers() {
    let rows = "R.NA => ldr
R.RLX => ldr
R.ACQ => ldr ; dmb.ishld
R.SC => dmb.ish ; ldr ; dmb.ishld
W.NA => str
W.RLX => str
W.REL => dmb.ish ; str
W.SC => dmb.ish ; str ; dmb.ish
RMW.RLX => ldxr_stxr
RMW.ACQ => ldxr_stxr ; dmb.ish
RMW.REL => dmb.ish ; ldxr_stxr
RMW.ACQ_REL => dmb.ish ; ldxr_stxr ; dmb.ish
RMW.SC => dmb.ish ; ldxr_stxr ; dmb.ish
F.ACQ => dmb.ishld
F.REL => dmb.ish
F.ACQ_REL => dmb.ish
F.SC => dmb.ish
";
    let on_armv8 = |rows: &str| table(format!("mapping \"barriers\" from c20 to aarch64\n{rows}"));
    assert_eq!(theorems(&proved(&on_armv8(rows), &[])), ["Coherence", "Atomicity", "SC"]);
    for (row, by) in [
        ("R.ACQ => ldr ; dmb.ishld", "R.ACQ => ldr"),
        ("W.REL => dmb.ish ; str", "W.REL => dmb.ishst ; str"),
        ("W.SC => dmb.ish ; str ; dmb.ish\nRMW.RLX", "W.SC => dmb.ish ; str\nRMW.RLX"),
    ] {
        assert!(rows.contains(row), "{row}");
        let answers = judged(by, &on_armv8(&rows.replace(row, by)), &[], 4);
        assert!(answers.iter().any(|(_, answer)| answer != "theorem"), "{by}: {answers:?}");
    }
}
