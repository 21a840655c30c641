//! Files for Rocq: what they say, that they are the same each time, and that `coqc` accepts them
//! where it is installed.

use std::process::Command;

use margay_mappings::check::{CheckOptions, Level, asked};
use margay_mappings::language::{LoadOptions, Mapping};
use margay_mappings::library;
use margay_models::model::Model;
use margay_models::signature::{Signature, constructs};
use margay_prove::theorem::prove;
use margay_rocq::{RocqFailure, RocqSubject, Theorem, write};
use margay_theorem::certificate::KeptStep;
use margay_theorem::theorem::{Hypotheses, Setting};
use margay_theorem::theory::StopSignal;
use margay_theorem::theory::mapping::ExecutionSelection;

use super::fig_11_with;

fn mapping(name: &str, source: Option<&str>) -> Mapping {
    library::find(
        name,
        &LoadOptions { source: source.map(str::to_owned), target: None, ..LoadOptions::default() },
    )
    .expect("it is shipped")
    .mapping
}

/// The file of a mapping whose axioms are all theorems.
fn file(mapping: &Mapping, without: &[&str], axioms: &[&str]) -> String {
    let strings = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect();
    let options =
        CheckOptions { axioms: strings(axioms), level: Level::Execution, ..CheckOptions::new(1) }
            .with(|o| o.without = strings(without));
    let (axioms, constructs) = asked(mapping, &options).expect("the options fit");
    let selection = ExecutionSelection { constructs, typed: true };
    let setting = Setting::of_mapping(mapping, &axioms, &selection).expect("its axioms have rules");
    let report = prove(&setting, &StopSignal::default());
    assert!(
        report.goals.iter().all(margay_prove::theorem::GoalReport::is_theorem),
        "all of it is a theorem"
    );
    let hypotheses = Hypotheses::default();
    let premises = report.premises;
    let proof = report.proof.expect("there is one");
    let subject = RocqSubject::Mapping { mapping, hypotheses: &hypotheses };
    let theorem =
        Theorem { subject, setting: &setting, inhabitants: &premises.inhabitants, proof: &proof };
    let text = write(&[theorem], &StopSignal::default()).expect("it has a form for Rocq");
    // It depends on the proof alone, as a certificate keeps it.
    let kept = KeptStep::proof(&KeptStep::all(&proof)).expect("it is read as it was kept");
    let again = Setting::of_mapping(mapping, &axioms, &selection).expect("its axioms have rules");
    let again = write(
        &[Theorem { subject, setting: &again, inhabitants: &premises.inhabitants, proof: &kept }],
        &StopSignal::default(),
    );
    assert!(again.as_deref() == Ok(text.as_str()), "the file is the same from a kept proof");
    // The writer ends where it is to end, and writes no half of a file.
    let over = StopSignal { flag: None, deadline: Some(std::time::Instant::now()) };
    let ended = write(
        &[Theorem {
            subject,
            setting: &setting,
            inhabitants: &premises.inhabitants,
            proof: &proof,
        }],
        &over,
    );
    assert_eq!(ended, Err(RocqFailure::Ended));
    text
}

/// The file about seq_cst loads and stores alone.
fn file_of_seq_cst(mapping: &Mapping, axioms: &[&str]) -> String {
    let others = constructs(Signature::C).into_iter().map(|c| c.name(Signature::C));
    let without: Vec<String> =
        others.filter(|name| !["R.SC", "W.SC"].contains(&name.as_str())).collect();
    let without: Vec<&str> = without.iter().map(String::as_str).collect();
    file(mapping, &without, axioms)
}

/// A file without its comments.
fn without_comments(text: &str) -> String {
    let (mut out, mut depth, mut rest) = (String::new(), 0, text);
    while let Some(c) = rest.chars().next() {
        if let Some(inner) = rest.strip_prefix("(*") {
            (depth, rest) = (depth + 1, inner);
        } else if let Some(after) = rest.strip_prefix("*)").filter(|_| depth > 0) {
            (depth, rest) = (depth - 1, after);
        } else {
            if depth == 0 {
                out.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    assert_eq!(depth, 0, "each comment ends");
    out
}

/// Nothing is left out, and supposed by an axiom of Rocq.
fn assert_complete(text: &str) {
    for word in ["Admitted", "admit.", "Axiom ", "Parameter ", "Conjecture "] {
        let text = without_comments(text);
        assert!(!text.contains(word), "`{word}` stands in it");
    }
}

/// How many hypotheses proofs have. Those of examples are about their own finite executions, and
/// each is discharged in its section.
fn supposed(text: &str) -> usize {
    let proofs =
        text.split("\nSection Proof.").skip(1).filter_map(|rest| rest.split("\nEnd Proof.").next());
    proofs.flat_map(str::lines).filter(|line| line.trim_start().starts_with("Hypothesis ")).count()
}

/// Nothing is supposed but what the hypotheses of the theorem about a mapping say, and nothing is
/// left out.
fn assert_closed(text: &str) {
    assert_complete(text);
    assert_eq!(supposed(text), 4, "what is supposed in the proof is what the theorem supposes");
    let theorem = "Theorem mapping_is_sound : well_formed -> target_axioms -> made_by_rows -> no_undefined_behaviour -> source_axioms.";
    assert!(text.contains(theorem));
    assert!(text.contains("Print Assumptions mapping_is_sound.\n"));
    // It speaks of something: there are executions that satisfy what is supposed.
    assert!(
        text.contains("\nTheorem there_is_an_execution_with_")
            && text.contains("Print Assumptions there_is_an_execution_with_")
    );
}

/// Is there a `coqc`?
fn has_coq(name: &str) -> bool {
    let has = Command::new("coqc").arg("--version").output().is_ok_and(|o| o.status.success());
    if !has {
        println!("{name}: not given to Rocq, since there is no `coqc`");
    }
    has
}

/// What `coqc` says of a file.
fn coqc(name: &str, text: &str) -> std::process::Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("{name}.v"));
    std::fs::write(&path, text).expect("it is written");
    Command::new("coqc").arg(&path).current_dir(folder.path()).output().expect("coqc runs")
}

/// Has `coqc` check a file; `Print Assumptions` shows classical logic alone.
fn assert_accepted(name: &str, text: &str) {
    assert_all_accepted(name, text, 1);
}

/// The same of a file with so many theorems.
fn assert_all_accepted(name: &str, text: &str, theorems: usize) {
    if !has_coq(name) {
        return;
    }
    let output = coqc(name, text);
    let (said, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {errors}");
    let (mut of_theorems, mut of_executions) = (0, 0);
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    // What is printed of each: classical logic of a theorem, nothing at all of an execution.
    // Whatever else is assumed is left over.
    let mut rest = words.as_str();
    while !rest.is_empty() {
        if let Some(more) = rest.strip_prefix("Axioms: classic : forall P : Prop, P \\/ ~ P") {
            (rest, of_theorems) = (more.trim_start(), of_theorems + 1);
        } else if let Some(more) = rest.strip_prefix("Closed under the global context") {
            (rest, of_executions) = (more.trim_start(), of_executions + 1);
        } else {
            panic!("{name}: {rest}");
        }
    }
    let executions = text.matches("\nTheorem there_is_an_execution_with_").count();
    assert_eq!((of_theorems, of_executions), (theorems, executions), "{name}: {words}");
    assert!(executions >= theorems, "{name}");
}

/// The order that a source chooses is supposed to keep what the target orders, and that there is
/// such an order is proved beside the theorem.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn an_order_of_fences_that_is_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let arch = "architecture \"it chooses\"\ntag FULL on F\nchosen sync_fence on FULL\nread ld\nwrite st\nrmw at\nfence full FULL\n";
    let source = "rocqs-language \"fences are ordered\"\nlet hb = (po; [FULL] | [FULL]; po | po & loc | sync_fence | rf & ext)+\n\
        empty (FULL * FULL) \\ (sync_fence | sync_fence^-1 | id) as Fences\nirreflexive hb as Hb\n";
    let rows = "mapping \"m\" from source.cat to x86\nld => load\nst => store\nat => lock_xchg\nfull => mfence\n";
    for (name, text) in [("rocqs-language.arch", arch), ("source.cat", source), ("m.map", rows)] {
        std::fs::write(folder.path().join(name), text).expect("there is room");
    }
    let loaded =
        margay_mappings::language::load(&folder.path().join("m.map"), &LoadOptions::default())
            .expect("it is a mapping");
    let text = file(&loaded.mapping, &[], &[]);
    assert_closed(&text);
    for line in [
        "  wf_the_order_is_total : empty ((all_pairs \\ (@eq Event)) \\ (order ∪ (order⁻¹)))",
        "Definition source_sync_fence : Event -> Event -> Prop := order ∩ (full × full).",
        "  Theorem there_is_an_order : forall (events : list E) keep, (forall e, In e events) ->",
    ] {
        assert!(text.contains(line), "`{line}` stands in it");
    }
    // Classical logic is assumed of the theorem, and of the order.
    assert_all_accepted("chosen", &text, 2);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn fig_11_with_the_papers_operations() {
    let text = file(&mapping("rc11-to-ptx", None), &["R.SC", "W.SC", "RMW.SC"], &[]);
    assert_closed(&text);
    // Each event has one role, of which the rows say what it is: a load, or a compare-exchange that
    // fails.
    assert!(text.contains("Variable role_of : Event -> role.\n"));
    for role in ["R_ACQ_1", "R_ACQ_2"] {
        assert!(
            text.contains(&format!("  row_{role} : forall x0 : Event, {role} x0 ->\n")),
            "{role}"
        );
    }
    // The statement is made of the lines of the models, the rows, and the axioms of the source.
    for line in [
        "obs = (morally-strong & rf) | (obs; rmw; obs) *)\nInductive obs : Event -> Event -> Prop :=\n\
         | obs_by_1 : forall x0 x1, morally_strong x0 x1 -> rf x0 x1 -> obs x0 x1\n",
        "R.ACQ.s       => ld.acquire.s",
        "  source_Coherence : irreflexive ",
        "  source_Atomicity : empty ",
        "  source_SC : acyclic ",
        "  target_Causality : irreflexive ((rf ∪ fr) ⨾ cause)",
        "  wf_coherence_order_is_total : ",
        "  no_Race : empty race",
    ] {
        assert!(text.contains(line), "`{line}` stands in it");
    }
    assert_accepted("fig11", &text);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_compilers_table() {
    // It has no read-modify-writes: what is absent gets no role, and says nothing.
    let text = file(&mapping("kernelintrinsics", None), &[], &[]);
    assert_closed(&text);
    for line in [
        "KernelIntrinsics.jl",
        "R.ACQ.s       => ld.acquire.s",
        "source_Coherence : irreflexive ",
        "source_SC : acyclic ",
    ] {
        assert!(text.contains(line), "`{line}` stands in it");
    }
    assert_accepted("kernelintrinsics", &text);
    // Rocq believes neither a derivation without its steps nor a theorem without what it supposes.
    if has_coq("broken files") {
        let derivation =
            text.rfind("(Refutation.read_lines [\".").expect("a derivation has one step at least");
        let end = derivation + text[derivation..].find(") _ _)").expect("it ends");
        let no_steps =
            format!("{}(Refutation.read_lines [\"..\"]{}", &text[..derivation], &text[end..]);
        let causality = "  target_Causality : irreflexive ";
        assert!(text.contains(causality), "the axiom is there");
        let no_axiom =
            text.replace(causality, "  target_Causality : irreflexive no_pairs \\/ irreflexive ");
        for broken in [no_steps, no_axiom] {
            assert!(
                broken != text && !coqc("broken", &broken).status.success(),
                "a broken file is refused"
            );
        }
    }
}

/// The largest of NVIDIA's tables with a theorem: `cuda::atomic` of libcu++.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_table_of_libcudacxx() {
    let text = file(&mapping("libcudacxx-3.5", Some("c20")), &[], &[]);
    assert_closed(&text);
    for line in ["  source_Coherence : ", "  source_Atomicity : ", "  source_SC : "] {
        assert!(text.contains(line), "`{line}` stands in it");
    }
    assert_accepted("libcudacxx", &text);
}

/// A chain of happens-before is taken apart at its last two steps, and the axioms of chapter 8 are
/// those of more definitions.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_fence_that_releases_under_chapter_8() {
    let mapping =
        fig_11_with(&[("fence.sc.sys ; st.release.sys", "fence.sc.sys ; st.relaxed.sys")], "ptx-8");
    let without = [
        "R.NA",
        "R.RLX",
        "R.SC",
        "W.NA",
        "W.RLX",
        "W.REL",
        "RMW.RLX",
        "RMW.ACQ",
        "RMW.REL",
        "RMW.ACQ_REL",
        "RMW.SC",
        "F.ACQ",
        "F.REL",
        "F.ACQ_REL",
        "F.SC",
    ];
    let text = file(&mapping, &without, &["Coherence"]);
    assert_closed(&text);
    assert!(text.contains("closure_ends _ "), "a chain is taken apart at its last two steps");
    assert_accepted("fence", &text);
}

/// An architecture whose instructions are in a table: its tags are sets, its scopes are none, and
/// its axiom is one closure.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn seq_cst_loads_and_stores_on_x86() {
    let text = file_of_seq_cst(&mapping("rc11-to-x86", Some("c20")), &[]);
    assert_closed(&text);
    for line in [
        "W.SC  => store ; mfence",
        "  target_Global_Happens_Before : acyclic ",
        "  source_SC : acyclic ",
    ] {
        assert!(text.contains(line), "`{line}` stands in it");
    }
    assert_accepted("x86", &text);
}

/// A read that is outside of what a definition with a difference allows: it is taken apart, too.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn non_atomic_reads_on_x86() {
    let text = file(&mapping("c11-to-x86", None), &[], &[]);
    assert_closed(&text);
    assert!(text.contains("  source_Non_atomic_Reads : empty ") && text.contains("(not_taken "));
    assert_accepted("c11", &text);
}

/// Chains of SC with an edge behind them are within the order of the fences through what contains
/// the edge.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn fig_11_without_scopes() {
    let text = file(&mapping("rc11-to-ptx-descoped", None), &[], &[]);
    assert_closed(&text);
    assert!(text.contains(", through. *)"), "a step has that rule");
    assert_accepted("descoped", &text);
}

/// Chapter 8 of today's ISA and the model of the 2019 paper are one model, but for red, other
/// proxies and aliases.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn chapter_8_is_ptx_6_0() {
    let [old, new] = ["ptx-6.0", "ptx-8"].map(super::models::generic);
    let all = |model: &Model| -> Vec<usize> { (0..model.checks.len()).collect() };
    let settings = [
        Setting::of_models(&old, &new, &all(&new)).expect("its axioms have rules"),
        Setting::of_models(&new, &old, &all(&old)).expect("its axioms have rules"),
    ];
    let reports = settings.each_ref().map(|s| prove(s, &StopSignal::default()));
    let proofs = reports.each_ref().map(|r| r.proof.as_ref().expect("there is one"));
    let subjects = [
        RocqSubject::OldWithinNew { old: &old, new: &new },
        RocqSubject::NewWithinOld { old: &old, new: &new },
    ];
    let theorem = |i: usize| Theorem {
        subject: subjects[i],
        setting: &settings[i],
        inhabitants: &reports[i].premises.inhabitants,
        proof: proofs[i],
    };
    let text = write(&[theorem(0), theorem(1)], &StopSignal::default())
        .expect("they have a form for Rocq");
    assert_complete(&text);
    // Above a definition stands its line of the file.
    let lines = include_str!("../../../models/ptx-8.cat").lines().zip(1..);
    let quoted = lines.filter_map(|(line, number)| {
        Some(format!("ptx-8.cat:{number}: {} *)", line.strip_prefix("let ")?))
    });
    let quoted = quoted.filter(|line| line.contains(": base-causality = ")).collect::<String>();
    for line in [
        "Theorem new_allows_what_old_allows : well_formed -> old_axioms -> new_axioms.",
        "Theorem old_allows_what_new_allows : well_formed -> new_axioms -> old_axioms.",
        quoted.as_str(),
        "  old_Causality : irreflexive ((rf ∪ fr) ⨾ cause);",
        "  new_No_Thin_Air : acyclic (rf ∪ dependency ∪ (((B ∩₁ (RLX ∪₁ ACQ)) ◁ sync_barrier) ⨾ (po ∪ async_issue)));",
        "Print Assumptions Old_within_new.new_allows_what_old_allows.",
    ] {
        assert!(!line.is_empty() && text.contains(line), "`{line}` stands in it");
    }
    assert_eq!(supposed(&text), 4, "well-formedness and axioms, twice");
    assert_all_accepted("chapter_8", &text, 2);
    // The one in the place of the other has no proof.
    let weaker = text.replacen(
        "  old_Causality : irreflexive ",
        "  old_Causality : irreflexive no_pairs \\/ irreflexive ",
        1,
    );
    assert!(
        weaker != text && !(has_coq("a weaker axiom") && coqc("weaker", &weaker).status.success())
    );
}

/// A property of a model.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_property_of_ptx() {
    let (text, property) = (
        "PTX \"asked\"\ninclude \"ptx-6.0.cat\"\nempty (obs; rmw) \\ loc as Asked\n",
        "empty (obs; rmw) \\ loc",
    );
    let model = super::models::read("asked.cat", text);
    let number = model.check_named("Asked").expect("it is there");
    let setting = Setting::of_model(&model, &[number]).expect("it is of a form that has a rule");
    let report = prove(&setting, &StopSignal::default());
    let (premises, proof) = (&report.premises, report.proof.as_ref().expect("there is one"));
    let hypotheses = Hypotheses::of_model(&model.name);
    let subject = RocqSubject::Property { model: &model, property, hypotheses: &hypotheses };
    let text = write(
        &[Theorem { subject, setting: &setting, inhabitants: &premises.inhabitants, proof }],
        &StopSignal::default(),
    )
    .expect("it has a form for Rocq");
    assert_complete(&text);
    for line in [
        "has this property:\n\nempty (obs; rmw) \\ loc\n",
        "Theorem property_holds : well_formed -> model_axioms -> asked_property.",
        "  asked_Asked : empty ((obs ⨾ rmw) \\ loc)\n",
    ] {
        assert!(text.contains(line), "`{line}` stands in it");
    }
    assert_accepted("asked", &text);
}

/// Names of files and models, titles and rows come from outside: whatever stands in them, the
/// comments of the file end where they should.
#[test]
fn what_comes_from_outside_stays_in_comments() {
    let evil = "*) Axiom anything : False. (*";
    let text =
        format!("PTX \"{}\"\ninclude \"ptx-6.0.cat\"\nempty (obs; rmw) \\ loc as Asked\n", "");
    let folder = format!("{evil}/\"x(/*)/) Axiom b : False. (*");
    let file = margay_models::diagnostic::SourceFile::new(format!("{folder}/asked.cat"), text);
    let mut model =
        Model::parse(file, &margay_models::typing::FilesThenBuiltIn).expect("it is a model").model;
    model.name = format!("asked {evil}");
    // A definition of the file, so that its place is quoted.
    let more = margay_models::diagnostic::SourceFile::new(
        format!("{folder}/more.cat"),
        "PTX \"more\"\ninclude \"ptx-6.0.cat\"\nlet own = obs; rmw (* *)\nempty own \\ loc as Asked\n",
    );
    let more =
        Model::parse(more, &margay_models::typing::FilesThenBuiltIn).expect("it is a model").model;
    for model in [&model, &more] {
        let setting = Setting::of_model(model, &[model.check_named("Asked").expect("it is there")])
            .expect("it has a rule");
        let report = prove(&setting, &StopSignal::default());
        let hypotheses = Hypotheses::of_model(&model.name);
        let subject = RocqSubject::Property { model, property: evil, hypotheses: &hypotheses };
        let proof = report.proof.as_ref().expect("it is a theorem");
        let text = write(
            &[Theorem {
                subject,
                setting: &setting,
                inhabitants: &report.premises.inhabitants,
                proof,
            }],
            &StopSignal::default(),
        )
        .expect("it has a form");
        assert!(text.contains("Axiom anything"), "the name is in a comment");
        assert_complete(&text);
    }
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn only_what_is_proved_is_claimed() {
    // With scopes and seq_cst accesses Fig. 11 has a counterexample to SC: a proof of the other
    // axioms says nothing of it.
    let mapping = mapping("rc11-to-ptx", None);
    let options = CheckOptions {
        axioms: vec!["Atomicity".to_owned()],
        level: Level::Execution,
        ..CheckOptions::new(1)
    };
    let (axioms, constructs) = asked(&mapping, &options).expect("the options fit");
    let setting =
        Setting::of_mapping(&mapping, &axioms, &ExecutionSelection { constructs, typed: true })
            .expect("its axioms have rules");
    let report = prove(&setting, &StopSignal::default());
    let (premises, proof) = (&report.premises, report.proof.as_ref().expect("there is one"));
    let hypotheses = Hypotheses::default();
    let subject = RocqSubject::Mapping { mapping: &mapping, hypotheses: &hypotheses };
    let text = write(
        &[Theorem { subject, setting: &setting, inhabitants: &premises.inhabitants, proof }],
        &StopSignal::default(),
    )
    .expect("it has a form for Rocq");
    assert_closed(&text);
    assert!(
        text.contains("source_Atomicity :")
            && !text.contains("source_SC :")
            && !text.contains("source_Coherence :")
    );
}
