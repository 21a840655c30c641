//! C++ on machines whose architectures are texts: theorems, and tables that are broken on purpose.

use margay_mappings::check::{CheckOptions, asked};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_mappings::library;
use margay_models::diagnostic::SourceFile;
use margay_models::signature::{Signature, constructs};
use margay_prove::theorem::prove;
use margay_theorem::certificate::{FollowedTheorem, TheoremDocument, TheoremOptions};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;
use margay_theorem::theory::mapping::ExecutionSelection;
use rayon::prelude::*;

use super::mutants::judged;
use super::{mapping, options, proved, theorems};

/// A shipped table with one row changed.
fn with_row(name: &str, row: &str, by: &str) -> Mapping {
    let text = &library::built_in(name).expect("it is shipped").text;
    assert!(text.contains(row), "{name} has no `{row}`");
    let text = text.replace(row, by);
    load_text(&SourceFile::new("changed.map", text), None, &LoadOptions::default())
        .expect("it is a mapping")
        .mapping
}

/// What a load writes back no sentence speaks of, so there is no argument about such rows.
#[test]
fn loads_that_write_back_are_refused() {
    let mapping = library::find("rc11-to-x86-locked-loads", &LoadOptions::default())
        .expect("it is shipped")
        .mapping;
    let setting = |without: &[String]| {
        let (axioms, constructs) = asked(&mapping, &options(without)).expect("the options fit");
        Setting::of_mapping(&mapping, &axioms, &ExecutionSelection { constructs, typed: true })
            .err()
    };
    let errors = setting(&[]).expect("what they write back is not known");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let said = errors[0].to_string();
    assert!(
        said.contains("rc11-to-x86-locked-loads")
            && said
                .contains(":9:10: error: `margay prove` does not know yet what `R.SC` writes back"),
        "{said}"
    );
    assert!(errors[0].help.as_ref().is_some_and(|help| help.contains("--without")));
    assert!(setting(&["R.SC".to_owned()]).is_none(), "the other rows are known");
}

/// All constructs of C++ but these.
fn all_but(kept: &[&str]) -> Vec<String> {
    let all = constructs(Signature::C).into_iter().map(|c| c.name(Signature::C));
    all.filter(|name| !kept.contains(&name.as_str())).collect()
}

/// Those of some axioms that are theorems.
fn proved_axioms(mapping: &Mapping, axioms: &[&str]) -> Vec<String> {
    let wanted =
        CheckOptions { axioms: axioms.iter().map(|a| (*a).to_owned()).collect(), ..options(&[]) };
    let (axioms, constructs) = asked(mapping, &wanted).expect("the options fit");
    let setting =
        Setting::of_mapping(mapping, &axioms, &ExecutionSelection { constructs, typed: true })
            .expect("it has a rule");
    prove(&setting, &StopSignal::default()).theorems()
}

#[test]
fn cpp_on_x86() {
    let mapping = mapping("rc11-to-x86", None);
    let report = proved(&mapping, &[]);
    assert_eq!(theorems(&report), ["Coherence", "Atomicity", "SC", "No-Thin-Air"]);
    // A certificate is followed again from its texts, that of the architecture among them.
    let proof = report.proof.as_ref().expect("there is one");
    let given = TheoremOptions { without: Vec::new(), only: Vec::new(), typed: true };
    let document = TheoremDocument::of_mapping(&mapping, given, &report.evidence(proof))
        .expect("its texts can be read");
    let folder = tempfile::tempdir().expect("a folder");
    document.write(folder.path()).expect("it can be written");
    let FollowedTheorem { extent, hypotheses, .. } =
        document.verify(folder.path()).expect("each refutation is one");
    assert!(extent.obligations > 50 && document.theorems == theorems(&report), "{extent:?}");
    assert!(
        hypotheses
            .behind()
            .contains("if no location is accessed by both plain and atomic operations"),
        "{hypotheses:?}"
    );
}

#[test]
fn c11_as_published_on_x86() {
    let report = proved(&mapping("c11-to-x86", None), &[]);
    assert_eq!(theorems(&report), ["Coherence", "Non-atomic-Reads", "Atomicity", "SC"]);
}

/// The read of the locked instruction is none of the program.
#[test]
fn seq_cst_stores_by_locked_instructions_on_x86() {
    let mapping = with_row("rc11-to-x86", "W.SC  => store ; mfence", "W.SC => lock_xchg");
    assert_eq!(theorems(&proved(&mapping, &[])), ["Coherence", "Atomicity", "SC", "No-Thin-Air"]);
}

/// A translation of machine code, from one text to another.
#[test]
fn x86_on_risc_v() {
    let table = |load: &str, store: &str| {
        let rows = format!(
            "load => {load}\nstore => {store}\nlock_xchg => fence.rw_rw ; amoswap.aqrl ; fence.rw_rw\nmfence => fence.rw_rw\n"
        );
        let text = format!("mapping \"a translation\" from x86 to riscv\n{rows}");
        load_text(&SourceFile::new("x86.map", text), None, &LoadOptions::default())
            .expect("it is a mapping")
            .mapping
    };
    let whole = table("lw ; fence.r_rw", "fence.rw_w ; sw");
    assert_eq!(
        theorems(&proved(&whole, &[])),
        ["SC-per-Location", "Global-Happens-Before", "Atomicity"]
    );
    for weaker in [table("lw ; ctrl", "fence.rw_w ; sw"), table("lw ; fence.r_rw", "sw")] {
        let answers = judged("a weaker translation", &weaker, &[], 4);
        assert!(
            answers.contains(&("Global-Happens-Before".to_owned(), "at 4".to_owned())),
            "{answers:?}"
        );
    }
}

/// Constructs of a text are named as it names them.
#[test]
fn constructs_of_a_text_can_be_left_out() {
    let text = "mapping \"a translation\" from x86 to riscv\nload => lw ; fence.r_rw\nstore => fence.rw_w ; sw\n\
                lock_xchg => amoswap\nmfence => fence.rw_rw\n";
    let mapping = load_text(&SourceFile::new("x86.map", text), None, &LoadOptions::default())
        .expect("it is a mapping")
        .mapping;
    let left = |wanted: CheckOptions| {
        let (_, constructs) =
            asked(&mapping, &wanted).map_err(|e| (e[0].to_string(), e[0].help.clone()))?;
        Ok::<_, (String, Option<String>)>(
            constructs.iter().map(|c| c.name(mapping.source.signature)).collect::<Vec<_>>(),
        )
    };
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    for without in ["lock_xchg", "LOCK_XCHG", "RMW", "rmw"] {
        assert_eq!(
            left(options(&names(&[without]))),
            Ok(names(&["load", "store", "mfence"])),
            "{without}"
        );
    }
    let only = |all: &[&str]| left(options(&[]).with(|o| o.only = names(all)));
    assert_eq!(only(&["store", "Load"]), Ok(names(&["load", "store"])));
    let (wrong, help) = only(&["lock_xchng"]).expect_err("there is none");
    assert!(wrong.contains("no construct `lock_xchng`"), "{wrong}");
    assert_eq!(help.as_deref(), Some("did you mean `lock_xchg`?"));
    // The row that is wrong is the one that was left out.
    let whole = proved(&mapping, &names(&["lock_xchg"]));
    assert_eq!(theorems(&whole), ["SC-per-Location", "Global-Happens-Before", "Atomicity"]);
}

/// Sequential consistency has no closures to make invariants of, and its edges may begin at initial
/// writes, which have no fences.
#[test]
fn sequential_consistency_by_fences_on_ptx() {
    let table = |load: &str| {
        let text = format!(
            "mapping \"sc by fences\" from sc to ptx-6.0\nR => {load}\nW => fence.sc.sys ; st.relaxed.sys\n\
             RMW => fence.sc.sys ; atom.relaxed.sys\nF => fence.sc.sys\n"
        );
        load_text(&SourceFile::new("sc.map", text), None, &LoadOptions::default())
            .expect("it is a mapping")
            .mapping
    };
    assert_eq!(
        theorems(&proved(&table("fence.sc.sys ; ld.relaxed.sys"), &[])),
        ["SC", "Atomicity"]
    );
    assert_eq!(theorems(&proved(&table("ld.relaxed.sys"), &[])), ["Atomicity"]);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn cpp_on_aarch64_and_risc_v() {
    for name in ["rc11-to-aarch64", "rc11-to-riscv"] {
        let axioms = ["Coherence", "Atomicity", "SC"];
        assert_eq!(proved_axioms(&mapping(name, None), &axioms), axioms, "{name}");
    }
}

/// A row that is weaker than it may be: which table, the row and what takes its place, the
/// constructs of programs, the events of a counterexample, and the axiom that falls.
type Broken =
    (&'static str, &'static str, &'static str, &'static [&'static str], usize, &'static str);

/// Store buffering, with accesses and with fences; message passing; load buffering.
const SB: &[&str] = &["R.SC", "W.SC"];
const SB_FENCES: &[&str] = &["R.RLX", "W.RLX", "F.SC"];
const MP: &[&str] = &["R.RLX", "R.ACQ", "W.RLX", "W.REL"];
const MP_FENCES: &[&str] = &["R.RLX", "W.RLX", "F.ACQ", "F.REL"];
const LB: &[&str] = &["R.RLX", "W.RLX"];

const BROKEN: [Broken; 14] = [
    ("rc11-to-x86", "W.SC  => store ; mfence", "W.SC => store", SB, 4, "SC"),
    ("c11-to-x86", "W.SC  => store ; mfence", "W.SC => store", SB, 4, "SC"),
    ("rc11-to-x86", "F.SC      => mfence", "F.SC => nothing", SB_FENCES, 6, "SC"),
    ("rc11-to-aarch64", "W.REL => stlr", "W.REL => str", MP, 4, "Coherence"),
    ("rc11-to-aarch64", "R.ACQ => ldar", "R.ACQ => ldr ; ctrl", MP, 4, "Coherence"),
    ("rc11-to-aarch64", "R.RLX => ldr ; ctrl", "R.RLX => ldr", LB, 4, "No-Thin-Air"),
    ("rc11-to-aarch64", "W.SC  => stlr", "W.SC => str", SB, 4, "SC"),
    ("rc11-to-aarch64", "R.SC  => ldar", "R.SC => ldapr", SB, 4, "SC"),
    (
        "rc11-to-aarch64",
        "F.REL     => dmb.ish\n",
        "F.REL => dmb.ishld\n",
        MP_FENCES,
        6,
        "Coherence",
    ),
    (
        "rc11-to-riscv",
        "R.SC  => fence.rw_rw ; lw ; fence.r_rw",
        "R.SC => lw ; fence.r_rw",
        SB,
        4,
        "SC",
    ),
    ("rc11-to-riscv", "W.REL => fence.rw_w ; sw", "W.REL => sw", MP, 4, "Coherence"),
    ("rc11-to-riscv", "R.ACQ => lw ; fence.r_rw", "R.ACQ => lw", MP, 4, "Coherence"),
    ("rc11-to-riscv", "R.RLX => lw ; ctrl", "R.RLX => lw", LB, 4, "No-Thin-Air"),
    ("rc11-to-riscv", "F.ACQ     => fence.r_rw", "F.ACQ => fence.rw_w", MP_FENCES, 6, "Coherence"),
];

/// The weaker row: that axiom falls, and is no theorem; nor is any other that falls.
fn falls(&(name, row, by, kept, bound, axiom): &Broken) {
    let what = format!("{name} with `{by}`");
    let answers = judged(&what, &with_row(name, row, by), &all_but(kept), bound);
    let answer = answers.iter().find(|a| a.0 == axiom).map(|a| a.1.clone());
    assert_eq!(answer, Some(format!("at {bound}")), "{what}: {answers:?}");
}

#[test]
fn without_its_fence_a_seq_cst_store_on_x86_is_wrong() {
    BROKEN[..2].iter().for_each(falls);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn no_broken_table_for_a_text_is_proved() {
    BROKEN.par_iter().for_each(falls);
}
