//! Vulkan in Dartagnan's form, and MIPS in herd7's: what the parts of an instruction are to models,
//! and what is refused.

use margay_litmus::explicit::{Options, run};
use margay_litmus::print;
use margay_litmus::read;
use margay_models::Model;
use margay_models::diagnostic::SourceFile;
use margay_models::signature::Architecture;

use crate::shipped;

/// Is the outcome of a test reachable?
fn reachable(text: &str, model: &Model) -> bool {
    let test = read::test(&SourceFile::new("t.litmus", text))
        .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
        .test;
    run(&test, model, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}")).reachable
}

/// What is wrong with a test.
fn error(text: &str) -> String {
    let errors = read::test(&SourceFile::new("t.litmus", text)).expect_err(text);
    format!("{}; {}", errors[0].message, errors[0].help.clone().unwrap_or_default())
}

/// A model of a peer's, as it is read for tests of an architecture.
fn of_peer(text: &str, architecture: &str) -> Model {
    let loaded = Model::parse(SourceFile::new("m.cat", text), &margay_models::typing::OnlyBuiltIn);
    let signature = Architecture::built_in(architecture).expect("it is built in");
    loaded
        .unwrap_or_else(|e| panic!("{}", e[0]))
        .model
        .of_tests(signature)
        .expect("it is read for these tests")
        .clone()
}

/// Message passing between two workgroups.
fn mp(left: &str, right: &str) -> String {
    let rows: String = std::iter::zip(left.split(';'), right.split(';'))
        .map(|(l, r)| format!(" {l} | {r} ;\n"))
        .collect();
    format!(
        "VULKAN t\n{{ x=0; y=0; }}\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n{rows}exists (P1:r0 == 1 /\\ P1:r1 == 0)\n"
    )
}

/// Each name that Dartagnan has for a part of an instruction is a set, or a relation, of the events
/// that have it.
#[test]
fn the_names_of_dartagnan_are_those_of_tests() {
    let names = [
        ("ATOM & W & SC0", "st.atom.dv.sc0 y, 1"),
        ("ATOM & W & SC1 & NONPRIV & AV", "st.atom.dv.sc1 y, 1"),
        ("REL & SEMSC0 & DV", "st.atom.rel.dv.sc0.semsc0 y, 1"),
        ("REL & SEMSC1 & WG", "st.atom.rel.wg.sc0.semsc1 y, 1"),
        ("SEMAV & SEMSC0 & SEMSC1 & QF", "st.atom.rel.qf.sc0.semsc1.semsc0.semav y, 1"),
        ("AV & SG & NONPRIV", "st.av.sg.sc0 y, 1"),
        ("(NONPRIV & W) \\ AV", "st.nonpriv.sc0 y, 1"),
        ("(W & SC1) \\ NONPRIV", "st.sc1 y, 1"),
        ("RMW & W & ACQ \\ REL", "rmw.atom.acq_rel.dv.sc0.semsc0 r9, y, 1"),
        ("RMW & R & SEMAV & AV", "rmw.atom.rel.dv.sc0.semsc0.semav.add r9, y, 1"),
        ("RMW & W & SEMVIS & VIS", "rmw.atom.acq.dv.sc0.semsc0.semvis.sub r9, y, 1"),
        ("F & ACQ & REL & SEMVIS", "membar.acq_rel.dv.semsc0.semvis"),
        ("AVDEVICE", "avdevice"),
        ("VISDEVICE", "visdevice"),
        ("CBAR", "cbar.wg 3"),
    ];
    for (set, instruction) in names {
        let model = of_peer(&format!("SPIRV m\nempty {set} as None\n"), "vulkan");
        let text = mp(
            &format!("ld.sc0 r8, 1;{instruction};ld.sc0 r7, 3"),
            "ld.atom.dv.sc0 r0, y;ld.sc0 r1, x;ld.sc0 r2, 5",
        );
        let text = text.replace("P1:r0 == 1 /\\ P1:r1 == 0", "P1:r2 == 5");
        // The write half of `acq_rel` does not acquire.
        assert_eq!(!reachable(&text, &model), !set.contains("\\ REL"), "{set}: {instruction}");
        // Without the instruction there is no such event.
        assert!(reachable(&text.replace(instruction, "ld.sc0 r9, 2"), &model), "{set}");
    }
}

/// What the system synchronises, and what meets, are relations of Dartagnan's models.
#[test]
fn threads_meet_where_the_test_says_it() {
    let test = |ssw: &str, places: [&str; 2], cells: [&str; 2]| {
        let [p, q] = places;
        let [l, r] = cells;
        format!(
            "VULKAN t\n{{ x=0; }}\n{ssw}\n P0@{p} | P1@{q} ;\n st.sc0 x, 1 | {r} ;\n {l} | ld.sc0 r1, x ;\nexists (P1:r1 == 0)\n"
        )
    };
    let wide = ["sg 0, wg 0, qf 0", "sg 0, wg 0, qf 1"];
    let close = ["sg 0, wg 0, qf 0", "sg 1, wg 0, qf 0"];
    let idle = ["ld.sc0 r9, 1", "ld.sc0 r9, 1"];
    let ssw = of_peer("SPIRV m\nacyclic ssw | fr as A\n", "vulkan");
    assert!(!reachable(&test("{ ssw P0 P1; }", wide, idle), &ssw));
    assert!(
        reachable(&test("{ ssw P1 P0 }", wide, idle), &ssw)
            && reachable(&test("", wide, idle), &ssw)
    );
    let syncbar = of_peer("SPIRV m\nacyclic (po; syncbar; po) | fr as A\n", "vulkan");
    let at = |places, cells| reachable(&test("", places, cells), &syncbar);
    assert!(!at(close, ["cbar.wg 0", "cbar.wg 0"]));
    assert!(at(close, ["cbar.wg 0", "cbar.wg 1"]), "two barriers");
    assert!(at(wide, ["cbar.dv 0", "cbar.dv 0"]), "two workgroups");
    assert!(at(close, ["cbar.sg 0", "cbar.sg 0"]), "two subgroups");
    assert!(!at([close[0], close[0]], ["cbar.sg 0", "cbar.sg 0"]));
    assert!(!at(close, ["cbar.acq_rel.wg.semsc0 0", "cbar.acq_rel.wg.semsc0 0"]));
}

/// A thread that never comes to a barrier holds those up that wait there: no execution ends.
#[test]
fn a_barrier_waits_for_those_that_may_come() {
    let model = shipped::model("vulkan");
    let text = |branch: &str| {
        format!(
            "VULKAN t\n{{ x=0; }}\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 0, qf 0 ;\n cbar.wg 0, 0, 2 | {branch} ;\n st.sc0 x, 1 | cbar.wg 0, 0, 2 ;\n \
             | LC00: ;\nexists (x == 1)\n"
        )
    };
    assert!(reachable(&text("ld.sc0 r0, 0"), &model));
    assert!(!reachable(&text("goto LC00"), &model));
}

/// What a test says in assembly it says in the table form that is printed.
#[test]
fn what_is_printed_is_the_same_test() {
    let text = "VULKAN t\n{ x=0; z aliases x; }\n{ ssw P0 P1; ssw P0 P2; }\n P0@sg 1, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 | P2@sg 0, wg 0, qf 2 ;\n \
        cbar.acq_rel.sg.semsc0.semsc1.semav.semvis 4 | cbar.wg 2, 1, 1 | rmw.atom.acq.dv.sc1.semsc1.add r0, z, 1 ;\n avdevice | visdevice | ;\n\
        exists (x == 1)\n";
    let test =
        read::test(&SourceFile::new("t.litmus", text)).unwrap_or_else(|e| panic!("{}", e[0])).test;
    let printed = print::test(&test);
    assert!(printed.contains("P1@sg 0,wg 1,qf 0 after P0"), "{printed}");
    let again = read::test(&SourceFile::new("t.litmus", printed.as_str()))
        .unwrap_or_else(|e| panic!("{}\n{printed}", e[0]))
        .test;
    assert_eq!(print::test(&again), printed);
    assert!(
        printed.contains("bar.warp.sync 4, 0") && printed.contains("bar.cta.sync 2, 1, 1"),
        "{printed}"
    );
}

#[test]
fn what_is_wrong_is_named() {
    for (cell, said) in [
        (
            "st.atom.relaxed.dv.sc0 y, 1",
            "`relaxed` is not known behind `st.atom.`; the architecture's text has sg, wg, qf, dv, rel there",
        ),
        ("membar.acq.dv.semsc2", "`semsc2` is not known behind `membar.acq.dv.`"),
        ("ld.volatile.sc0 r0, y", "`volatile` is not known behind `ld.`"),
        ("cbar.wg 99", ""),
        ("cbar.wg 0, 99", "a cta has no barrier 99"),
    ] {
        let text = mp(&format!("{cell};st.sc0 x, 1"), "ld.sc0 r0, y;ld.sc0 r1, x");
        if said.is_empty() {
            assert!(read::test(&SourceFile::new("t.litmus", text.as_str())).is_ok(), "{cell}");
        } else {
            let found = error(&text);
            assert!(found.contains(said), "{cell}: {found}");
        }
    }
    let orders = |ssw: &str| {
        mp("st.sc0 x, 1;avdevice", "ld.sc0 r0, x;ld.sc0 r1, x")
            .replace("y=0; }\n", &format!("y=0; }}\n{{ {ssw} }}\n"))
    };
    assert!(error(&orders("ssw P0 P7")).contains("the test has no thread P7"));
    assert!(error(&orders("sws P0 P1")).contains("`ssw` and two threads"));
    let circle = read::test(&SourceFile::new("t.litmus", orders("ssw P0 P1; ssw P1 P0")))
        .unwrap_or_else(|e| panic!("{}", e[0]))
        .test;
    let found = run(&circle, &shipped::model("vulkan"), &Options::default())
        .expect_err("it waits for itself")
        .to_string();
    assert!(found.contains("would wait for its own end"), "{found}");
    // LISA's annotations are named as well.
    let lisa = "LISA t\n{ x=0; }\n P0 ;\n w[foo] x 1 ;\nexists (x=1)\n";
    assert!(
        error(lisa)
            .contains("`foo` is not known behind `w[`; the architecture's text has once, release"),
        "{}",
        error(lisa)
    );
}

/// MIPS in herd7's form: what instructions do, and that fences and pairs count under a model of
/// herd7's.
#[test]
fn mips_is_read() {
    let sc = shipped::model("sc");
    for (code, condition) in [
        ("lw r2,0(r1);addiu r2,r2,1;sw r2,0(r1)", "x=4"),
        ("ll r2,0(r1);addiu r3,r2,2;sc r3,0(r1)", "x=5 /\\ 0:r3=1"),
        ("li r3,7;sc r3,0(r1)", "x=3 /\\ 0:r3=0"),
        ("li r3,1;xor r4,r3,r3;lw r5,0(r1);addu r6,r5,r4", "0:r6=3"),
        ("li r3,1;beq r3,r0,L;sw r3,0(r1);L: sync", "x=1"),
        ("li r3,1;bne r3,$0,L;sw r3,0(r1);L: nop", "x=3"),
        ("li r4,1;slti r3,$4,5;slt r6,r3,$4", "0:r6=0"),
        ("slti r3,r0,5;move r4,r3;sw r4,(r1)", "x=1"),
    ] {
        let rows: String = code.split(';').map(|line| format!(" {line} ;\n")).collect();
        let text = |condition: &str| {
            format!("MIPS t\n{{ x=3; 0:r1=x; }}\n P0 ;\n{rows}exists ({condition})\n")
        };
        assert!(reachable(&text(condition), &sc), "{code}");
        let fails = code.contains("ll ");
        assert!(fails || !reachable(&text(&format!("~({condition})")), &sc), "{code}");
    }
    let sb = |fence: &str| {
        format!(
            "MIPS sb\n{{ 0:r1=x; 0:r2=y; 1:r1=y; 1:r2=x; }}\n P0 | P1 ;\n li r3,1 | li r3,1 ;\n sw r3,0(r1) | sw r3,0(r1) ;\n {fence} | {fence} ;\n \
             lw r4,0(r2) | lw r4,0(r2) ;\nexists (0:r4=0 /\\ 1:r4=0)\n"
        )
    };
    let model = of_peer(
        "MIPS m\ninclude \"mipsfences.cat\"\nacyclic (po & ((R * M) | (W * W))) | (try sync with 0) | rfe | co | fr as A\n",
        "mips",
    );
    assert!(!reachable(&sb("sync"), &model) && reachable(&sb("nop"), &model));
    let pairs = "MIPS lb\n{ x=0; 0:r1=x; 1:r1=x; }\n P0 | P1 ;\n ll r2,0(r1) | ll r2,0(r1) ;\n addiu r3,r2,1 | addiu r3,r2,1 ;\n \
        sc r3,0(r1) | sc r3,0(r1) ;\nexists (0:r3=1 /\\ 1:r3=1 /\\ x=1)\n";
    let atomic = of_peer(
        "MIPS m\nacyclic po-loc | rf | co | fr as A\nempty rmw & (fre; coe) as B\nempty X \\ RMW as C\n",
        "mips",
    );
    assert!(!reachable(pairs, &atomic));
    assert!(
        error("MIPS t\n{ x=0; }\n P0 ;\n jal r1 ;\nexists (x=0)\n")
            .contains("a call or a computed jump")
    );
}
