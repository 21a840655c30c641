//! What is of another scope, or weak: what the weak machine shows of it, and what never.

use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_machine::MemoryKind;
use margay_models::diagnostic::SourceFile;
use margay_models::library;

use super::{BUFFERED, MESSAGE_TAKEN, STALE_MESSAGE, STRONG_MESSAGE_TAKEN, SmallProgram};

/// What the weak machine has to show and what it may never show: threads in blocks, their code, and
/// an outcome. The model is asked about each.
const SHOWN: [(u32, u32, &[&str], &str, bool); 27] = [
    // Two blocks take a lock.
    (
        2,
        1,
        &["atom.relaxed.cta.exch.b32 r0, x, 1", "atom.relaxed.cta.exch.b32 r0, x, 1"],
        "P0:r0 == 0 /\\ P1:r0 == 0",
        true,
    ),
    (
        2,
        1,
        &["atom.relaxed.gpu.exch.b32 r0, x, 1", "atom.relaxed.cta.exch.b32 r0, x, 1"],
        "P0:r0 == 0 /\\ P1:r0 == 0",
        true,
    ),
    (
        2,
        1,
        &["atom.relaxed.gpu.exch.b32 r0, x, 1", "atom.relaxed.gpu.exch.b32 r0, x, 1"],
        "P0:r0 == 0 /\\ P1:r0 == 0",
        false,
    ),
    (
        1,
        2,
        &["atom.relaxed.cta.exch.b32 r0, x, 1", "atom.relaxed.cta.exch.b32 r0, x, 1"],
        "P0:r0 == 0 /\\ P1:r0 == 0",
        false,
    ),
    (
        1,
        2,
        &["atom.relaxed.gpu.exch.b32 r0, x, 1", "atom.relaxed.cta.exch.b32 r0, x, 1"],
        "P0:r0 == 0 /\\ P1:r0 == 0",
        false,
    ),
    (
        2,
        1,
        &[
            "atom.acq_rel.cta.exch.b32 r0, x, 1; fence.sc.gpu; ld.weak.u32 r1, y; st.weak.u32 y, 1; fence.sc.gpu",
            "fence.sc.gpu; atom.acq_rel.cta.exch.b32 r0, x, 1; fence.sc.gpu; ld.weak.u32 r1, y; st.weak.u32 y, 1",
        ],
        "P0:r0 == 0 /\\ P1:r0 == 0 /\\ P0:r1 == 0 /\\ P1:r1 == 0",
        true,
    ),
    // Both count.
    (
        2,
        1,
        &["atom.relaxed.cta.add.u32 r0, x, 1", "atom.relaxed.cta.add.u32 r0, x, 1"],
        "x == 1",
        true,
    ),
    (
        2,
        2,
        &[
            "atom.relaxed.cta.add.u32 r0, x, 1",
            "atom.relaxed.cta.add.u32 r0, x, 1",
            "atom.relaxed.cta.add.u32 r0, x, 1",
            "atom.relaxed.cta.add.u32 r0, x, 1",
        ],
        "x == 2",
        true,
    ),
    (
        2,
        2,
        &[
            "atom.relaxed.cta.add.u32 r0, x, 1",
            "atom.relaxed.cta.add.u32 r0, x, 1",
            "atom.relaxed.cta.add.u32 r0, x, 1",
            "atom.relaxed.cta.add.u32 r0, x, 1",
        ],
        "x == 1",
        false,
    ),
    // A flag that another block, or thread, is not to see so.
    (
        2,
        1,
        &["st.weak.u32 x, 1; fence.acq_rel.gpu; st.relaxed.cta.u32 y, 1", MESSAGE_TAKEN],
        STALE_MESSAGE,
        true,
    ),
    (
        2,
        1,
        &["st.weak.u32 x, 1; fence.acq_rel.gpu; st.weak.u32 y, 1", MESSAGE_TAKEN],
        STALE_MESSAGE,
        true,
    ),
    (
        2,
        1,
        &["st.weak.u32 x, 1; fence.acq_rel.gpu; st.relaxed.gpu.u32 y, 1", MESSAGE_TAKEN],
        STALE_MESSAGE,
        true,
    ),
    (
        2,
        1,
        &["st.weak.u32 x, 1; fence.acq_rel.gpu; st.relaxed.gpu.u32 y, 1", STRONG_MESSAGE_TAKEN],
        STALE_MESSAGE,
        false,
    ),
    // A fence.sc is in one order with the other, whatever the flag is.
    (
        2,
        1,
        &[
            "st.weak.u32 x, 1; fence.sc.gpu; st.relaxed.cta.u32 y, 1",
            "ld.relaxed.cta.u32 r0, y; fence.sc.gpu; ld.weak.u32 r1, x",
        ],
        STALE_MESSAGE,
        false,
    ),
    (
        1,
        2,
        &["st.weak.u32 x, 1; fence.acq_rel.cta; st.relaxed.cta.u32 y, 1", MESSAGE_TAKEN],
        STALE_MESSAGE,
        false,
    ),
    (
        1,
        2,
        &["st.weak.u32 x, 1; fence.acq_rel.cta; st.weak.u32 y, 1", MESSAGE_TAKEN],
        STALE_MESSAGE,
        true,
    ),
    // An atomic operation does not pass what another store behind the same fence has passed, and
    // may pass that store itself.
    (
        2,
        1,
        &[
            "st.weak.u32 x, 1; fence.acq_rel.gpu; st.relaxed.gpu.u32 z, 1; atom.relaxed.gpu.exch.b32 r0, y, 1",
            STRONG_MESSAGE_TAKEN,
        ],
        STALE_MESSAGE,
        false,
    ),
    (
        2,
        1,
        &[
            "st.weak.u32 x, 1; fence.acq_rel.gpu; st.weak.u32 z, 1; st.relaxed.gpu.u32 y, 1",
            STRONG_MESSAGE_TAKEN,
        ],
        STALE_MESSAGE,
        false,
    ),
    // What a thread has seen of a location it does not forget when it acquires something older.
    (
        2,
        1,
        &[
            "st.relaxed.gpu.u32 y, 1; st.relaxed.gpu.u32 x, 1",
            "ld.relaxed.gpu.u32 r0, x; ld.relaxed.gpu.u32 r1, y; fence.acq_rel.gpu; ld.relaxed.gpu.u32 r2, x",
        ],
        "P1:r0 == 1 /\\ P1:r1 == 1 /\\ P1:r2 == 0",
        false,
    ),
    (
        2,
        1,
        &[
            "fence.acq_rel.gpu; st.weak.u32 x, 1; atom.relaxed.gpu.exch.b32 r0, y, 1",
            STRONG_MESSAGE_TAKEN,
        ],
        STALE_MESSAGE,
        true,
    ),
    // A compare-and-swap that fails writes nothing: the lock is not taken again when it has been
    // left.
    (
        2,
        1,
        &[
            "st.relaxed.gpu.u32 x, 1; st.relaxed.gpu.u32 x, 2",
            "ld.relaxed.gpu.u32 r0, x; atom.relaxed.cta.cas.b32 r1, x, 7, 8",
        ],
        "x == 1",
        false,
    ),
    // What a block knows of its own.
    (
        1,
        2,
        &[
            "st.relaxed.cta.u32 x, 1; atom.relaxed.cta.add.u32 r0, y, 1",
            "ld.acquire.cta.u32 r0, y; ld.weak.u32 r1, x",
        ],
        STALE_MESSAGE,
        true,
    ),
    // A load waits for what needs it, and for nothing else: a store may take place before it,
    // unless its value or a fence is in between.
    (
        2,
        1,
        &[
            "ld.relaxed.gpu.u32 r0, x; st.relaxed.gpu.u32 y, 1",
            "ld.weak.u32 r0, y; st.weak.u32 x, 1",
        ],
        BUFFERED,
        true,
    ),
    (
        2,
        1,
        &[
            "ld.relaxed.gpu.u32 r0, x; st.relaxed.gpu.u32 y, r0",
            "ld.relaxed.gpu.u32 r0, y; st.relaxed.gpu.u32 x, r0",
        ],
        BUFFERED,
        false,
    ),
    (
        2,
        1,
        &[
            "ld.relaxed.gpu.u32 r0, x; fence.acq_rel.gpu; st.relaxed.gpu.u32 y, 1",
            "ld.acquire.gpu.u32 r0, y; st.relaxed.gpu.u32 x, 1",
        ],
        BUFFERED,
        false,
    ),
    (
        2,
        1,
        &["ld.relaxed.gpu.u32 r0, x; st.relaxed.gpu.u32 x, 1", "ld.relaxed.gpu.u32 r0, y"],
        "P0:r0 == 1",
        false,
    ),
    (
        2,
        1,
        &["ld.relaxed.gpu.u32 r0, x; ld.relaxed.gpu.u32 r1, x", "st.relaxed.gpu.u32 x, 1"],
        "P0:r0 == 1 /\\ P0:r1 == 0",
        false,
    ),
];

#[test]
fn what_is_of_another_scope_is_shown_where_the_model_allows_it() {
    let model = library::load("ptx-8", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    for (blocks, threads, code, condition, is_shown) in SHOWN {
        let program = SmallProgram::of(blocks, threads, code);
        let text = program.litmus(condition);
        let test = read::test(&SourceFile::new("t", &text))
            .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
            .test;
        assert_eq!(
            runner.run(&test, &Options::default()).unwrap().reachable,
            is_shown,
            "by the model: {text}"
        );
        let seen = program.count(MemoryKind::Weak, 2_000, condition);
        assert_eq!(seen > 0, is_shown, "{seen} times: {text}");
    }
}
