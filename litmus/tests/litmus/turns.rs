//! Threads that take turns come to an end only where some execution does.

use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::test::{Dialect, Proposition, Quantifier};
use margay_litmus::{ends_in_turns, read};
use margay_models::diagnostic::SourceFile;

use crate::corpora;

const STEPS: usize = 20_000;

fn ends(code: &str) -> bool {
    let file =
        SourceFile::new("t.litmus", format!("PTX t\n{{ x=0; y=0; }}\n{code}\nexists (true)\n"));
    let read = read::test(&file).unwrap_or_else(|e| panic!("{}: {code}", e[0].message));
    ends_in_turns(&read.test, STEPS)
}

#[test]
fn whoever_waits_sees_what_others_do() {
    let waits = "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nL: | st.relaxed.gpu.u32 x, 1 ;\nld.relaxed.gpu.u32 r0, x | ;\nsetp.ne.u32 p0, r0, 1 | ;\n@p0 bra L | ;";
    assert!(ends(waits));
    assert!(!ends(&waits.replace("x, 1", "x, 2")));
    let locks = |new: &str| {
        let of = format!(
            "L: | K: ;\natom.relaxed.gpu.cas.b32 r0, x, 0, 1 | atom.relaxed.gpu.cas.b32 r0, x, 0, 1 ;\nsetp.ne.u32 p0, r0, 0 | setp.ne.u32 p0, r0, 0 ;\n\
                          @p0 bra L | @p0 bra K ;\nst.relaxed.gpu.u32 x, {new} | st.relaxed.gpu.u32 x, {new} ;"
        );
        format!("P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{of}")
    };
    assert!(ends(&locks("0")));
    assert!(!ends(&locks("1")));
}

#[test]
fn barriers_are_waited_at() {
    let meets = "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nst.weak.u32 x, 1 | bar.cta.sync 0 ;\nbar.cta.sync 0 | ld.weak.u32 r0, x ;\n | setp.ne.u32 p0, r0, 1 ;\n | @p0 bra E ;\n | bar.cta.sync 1 ;\n | E: ;";
    // The second thread waits at a barrier that it names alone.
    assert!(ends(meets));
    // One that names a barrier comes to its end in front of it: whether others go on is not said.
    let past = "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nld.weak.u32 r0, y | bar.cta.sync 0 ;\nsetp.eq.u32 p0, r0, 0 | ;\n@p0 bra F | ;\nbar.cta.sync 0 | ;\nF: | ;";
    assert!(ends(&past.replace("setp.eq", "setp.ne")));
    assert!(!ends(past));
}

/// Wherever an end is found in turns, the engine that looks at all executions finds one.
#[test]
fn an_end_in_turns_is_an_execution() {
    let (model, mut found) = (crate::shipped::model("ptx-8"), 0);
    let mut runner = ExplicitRunner::new(&model);
    for folder in corpora::folders() {
        for line in folder.lines.iter().filter(|line| line.model == "ptx-8") {
            let mut test = read::load(&folder.path.join(&line.file))
                .unwrap_or_else(|e| panic!("{}", e[0]))
                .test;
            if test.dialect != Dialect::Ptx || test.filter.is_some() || !ends_in_turns(&test, STEPS)
            {
                continue;
            }
            (test.condition.quantifier, test.condition.proposition) =
                (Quantifier::Exists, Proposition::True);
            let options = Options { steps: Some(200_000), ..Options::default() };
            if let Ok(verdict) = runner.run(&test, &options) {
                assert!(verdict.reachable, "{}", test.name);
                found += 1;
            }
        }
    }
    assert!(found > 300, "{found} tests");
}
