//! All executions with an outcome: each once, against plain counting.

use margay_litmus::explicit::{ExecutionList, ExplicitRunner, Options};
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

fn list(text: &str, model: &str, most: usize, allowed: bool) -> ExecutionList {
    let test =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    let model = crate::shipped::model(model);
    ExplicitRunner::new(&model).list(&test, &Options::default(), most, allowed).unwrap()
}

const WRITES: &str =
    "GENERIC t\n{ x=0; }\n P0 | P1 | P2 ;\n st x, 1 | st x, 1 | ld r0, x ;\nexists (true)\n";

/// Two writes in two orders, and a read of one of three.
#[test]
fn candidates_are_counted() {
    let all = list(WRITES, "sc", 100, false);
    assert_eq!((all.executions.len(), all.is_complete), (6, true));
    for (n, one) in all.executions.iter().enumerate() {
        assert!(
            all.executions[..n]
                .iter()
                .all(|other| other.witness.execution != one.witness.execution),
            "each once"
        );
    }
    assert!(all.executions.iter().all(|e| e.forbidden_by.is_empty()));
    assert_eq!(all, list(WRITES, "sc", 100, true));
    let read = WRITES.replace("true", "P2:r0 == 1");
    assert_eq!(list(&read, "sc", 100, true).executions.len(), 4, "a read of either write");
    assert_eq!(list(&read, "sc", 4, true), list(&read, "sc", 5, true), "four of four are all");
    let three = list(&read, "sc", 3, true);
    assert_eq!((three.executions.len(), three.is_complete), (3, false));
}

/// Of an outcome that is forbidden the candidates say by what.
#[test]
fn candidates_are_judged() {
    let text = "GENERIC t\n{ x=0; }\n P0 ;\n st x, 1 ;\n ld r0, x ;\nexists (P0:r0 == 0)\n";
    let found = list(text, "tso", 100, false);
    assert_eq!(found.executions.len(), 1);
    assert!(!found.executions[0].forbidden_by.is_empty());
    assert!(list(text, "tso", 100, true).executions.is_empty());
    // The fewest axioms first.
    let text = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\n \
                st.relaxed.gpu x, 2 | ld.relaxed.gpu r1, x ;\nexists (P1:r0 == 2 /\\ P1:r1 == 1)\n";
    let found = list(text, "ptx-8", 100, false);
    let sizes: Vec<usize> = found.executions.iter().map(|e| e.forbidden_by.len()).collect();
    assert!(
        sizes.is_sorted() && sizes.first().is_some_and(|&n| n > 0) && found.is_complete,
        "{sizes:?}"
    );
    assert_eq!(found, list(text, "ptx-8", 100, false), "the same each time");
}
