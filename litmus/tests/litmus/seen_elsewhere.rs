//! What others saw on GPUs (tests/seen-elsewhere): whatever was seen is allowed by `ptx-8` and
//! `ptx-6.0`, and `ptx-6.0` says of each test what its authors' own model of PTX 6.0 says. Both
//! engines are asked.

use std::path::Path;

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::published::{self, PublishedOutcomes};
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

/// The text of the table, which says its own form.
fn table() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/seen-elsewhere/pldi2026.txt");
    std::fs::read_to_string(path).unwrap()
}

fn published() -> PublishedOutcomes {
    published::read(&SourceFile::new("pldi2026.txt", table()))
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_file_holds_what_was_published() {
    let PublishedOutcomes { devices, tests } = published();
    assert_eq!(devices, ["A100", "H100", "GH200"]);
    assert_eq!(tests.len(), 1306);
    assert_eq!(
        tests.iter().filter(|test| test.seen_anywhere()).count(),
        566,
        "564 of the shapes, and both relaxed examples"
    );
    assert_eq!(tests.iter().filter(|test| !test.allowed_by_authors).count(), 98);
    let names: std::collections::BTreeSet<&str> =
        tests.iter().map(|published| published.test.name.as_str()).collect();
    assert_eq!(names.len(), 1306, "no two of one name");
}

/// What is printed is what is meant.
#[test]
fn printed_tests_are_read_again_as_they_are() {
    for published in published().tests {
        let text = published.test.to_string();
        let again = read::test(&SourceFile::new(&published.test.name, &text))
            .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
            .test;
        assert_eq!(again.to_string(), text);
        assert_eq!(again, published.test, "{text}");
    }
}

#[test]
fn a_test_is_what_its_name_says() {
    let tests = published().tests;
    let text = |name: &str| {
        tests.iter().find(|published| published.test.name == name).expect(name).test.to_string()
    };
    insta::assert_snapshot!(
        [
            text("isa2_TB_01_2_SCOPE_DEVICE_FENCE_SCOPE_BLOCK_THREAD_0_2_FENCE_ACQ"),
            text("rwc_TB_1_02_SCOPE_BLOCK_NO_FENCE_STORE_SC"),
            text("paper_example1_TB_0_1_2_3_SCOPE_DEVICE_NO_FENCE_DISALLOWED"),
        ]
        .join("\n"),
        @r"
    PTX isa2_TB_01_2_SCOPE_DEVICE_FENCE_SCOPE_BLOCK_THREAD_0_2_FENCE_ACQ
    { x=0; y=0; z=0; }
     P0@cta 0,gpu 0      | P1@cta 0,gpu 0       | P2@cta 1,gpu 0       ;
     st.relaxed.gpu x, 1 | ld.acquire.gpu r0, y | ld.relaxed.gpu r1, z ;
     fence.acq_rel.cta   | st.relaxed.gpu z, 1  | fence.acq_rel.cta    ;
     st.relaxed.gpu y, 1 |                      | ld.relaxed.gpu r2, x ;
    exists (P1:r0 == 1 /\ P2:r1 == 1 /\ P2:r2 == 0)

    PTX rwc_TB_1_02_SCOPE_BLOCK_NO_FENCE_STORE_SC
    { x=0; y=0; }
     P0@cta 1,gpu 0      | P1@cta 0,gpu 0       | P2@cta 1,gpu 0       ;
     st.relaxed.cta x, 1 | ld.acquire.cta r0, x | fence.sc.cta         ;
                         | ld.relaxed.cta r1, y | st.relaxed.cta y, 1  ;
                         |                      | ld.relaxed.cta r2, x ;
    exists (P1:r0 == 1 /\ P1:r1 == 0 /\ P2:r2 == 0)

    PTX paper_example1_TB_0_1_2_3_SCOPE_DEVICE_NO_FENCE_DISALLOWED
    { x=0; y=0; z=0; a=0; }
     P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0      | P3@cta 3,gpu 0       ;
     st.release.gpu x, 1 | ld.acquire.gpu r0, y | st.release.gpu z, 2 | ld.acquire.gpu r1, a ;
     st.release.gpu y, 1 | st.release.gpu z, 1  | st.release.gpu a, 1 | ld.acquire.gpu r2, x ;
    exists (P1:r0 == 1 /\ z == 2 /\ P3:r1 == 1 /\ P3:r2 == 0)
    "
    );
}

#[test]
fn whatever_was_seen_is_allowed() {
    let tests = published().tests;
    for name in ["ptx-8", "ptx-6.0"] {
        let model = crate::shipped::model(name);
        let mut runner = Runner::new(&model);
        let mut wrong = Vec::new();
        for published in &tests {
            for engine in [Engine::Explicit, Engine::Sat] {
                let verdict =
                    runner.run(&published.test, &Options::default(), Choice::Only(engine)).unwrap();
                let text = &published.test;
                if published.seen_anywhere() && !verdict.reachable {
                    wrong.push(format!("{name} forbids what was seen ({engine}):\n{text}"));
                }
                if verdict.reachable != published.allowed_by_authors {
                    wrong.push(format!(
                        "{name} says reachable = {} ({engine}), the authors not:\n{text}",
                        verdict.reachable
                    ));
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {}\n{}",
            wrong.len(),
            2 * tests.len(),
            wrong[..wrong.len().min(6)].join("\n")
        );
    }
}

/// Each line is the table with one mistake, and what is said of it, where.
#[test]
fn a_mistake_in_the_table_is_named() {
    let mistake = |from: &str, to: &str, place: &str, said: &str| {
        let text = table().replacen(from, to, 1);
        assert_ne!(text, table(), "{from}");
        let error = published::read(&SourceFile::new("t", text)).expect_err(to);
        let all = format!("{error} ({})", error.labels[0].text);
        assert!(all.starts_with(&format!("t:{place}")) && all.contains(said), "{all}");
    };
    mistake("devices A100 H100 GH200", "", "12:1", "expected a line `devices` first");
    mistake("devices A100 H100 GH200", "devices", "10:8", "expected the names of the devices");
    mistake("devices A100 H100 GH200", "devices A B C D", "10:15", "at most three");
    mistake(
        "devices A100 H100 GH200",
        "devices A100 H100",
        "14:20",
        "expected 3 digits from 0 to 3",
    );
    mistake("variants iriw", "varaints iriw", "11:1", "expected `devices`, `variants` or `seen`");
    mistake("variants iriw", "variants iwir", "11:10", "no published shape is called `iwir`");
    mistake(
        "THREAD_1_FENCE THREAD_3_FENCE",
        "THREAD_2_FENCE THREAD_3_FENCE",
        "11:26",
        "no variant `THREAD_2_FENCE`",
    );
    mistake("THREAD_3_FENCE | ACQUIRE", "THREAD_3_FENCE ACQUIRE", "11:71", "expected `|`");
    mistake(
        "seen iriw 0123 ",
        "seen isa2 0123 ",
        "12:6",
        "expected a line `variants` of this shape first",
    );
    mistake(
        "seen iriw 0123 ",
        "seen iriw 0124 ",
        "12:11",
        "each of the threads 0 to 3 in one block",
    );
    mistake(
        "seen iriw 0123 ",
        "seen iriw 01_1_23 ",
        "12:11",
        "each of the threads 0 to 3 in one block",
    );
    mistake(
        "seen iriw 0123 ",
        "seen iriw _0123 ",
        "12:11",
        "each of the threads 0 to 3 in one block",
    );
    mistake("seen iriw 0123     000", "seen iriw 0123     00", "12:20", "expected 3 digits");
    mistake("seen iriw 0123     000", "seen iriw 0123     -", "12:20", "expected 3 digits");
    mistake("000 000 00\nmodel", "000 000\nmodel", "12:38", "six groups");
    mistake("000 000 00\nmodel", "000 000 00 00\nmodel", "12:42", "six groups");
    mistake("model iriw 0123 ", "model iriw 012_3 ", "13:12", "expected `0123`");
    mistake("model iriw 0123     +++", "model iriw 0123     +*+", "13:21", "expected 3 signs");
    let nothing = published::read(&SourceFile::new("t", "# nothing\n")).expect_err("it is empty");
    assert!(nothing.to_string().contains("there is no published test"), "{nothing}");
}
