//! The machines that reorder one kind of pairs: what each shows of small programs.

use margay_machine::ReorderedPair::{LoadLoad, LoadStore, StoreLoad, StoreStore};
use margay_machine::{MemoryKind, ReorderedPair};

use super::{BUFFERED, STALE_MESSAGE, STRONG_MESSAGE_TAKEN, SmallProgram};

/// The machines that reorder nothing but one kind of pairs: programs of two blocks and more, an
/// outcome, and which of these machines show it. An atomic operation is a store for what stands
/// before it and a load for what stands behind it.
const SHOWN_BY: [(&[&str], &str, &[ReorderedPair]); 24] = [
    (
        &["st.relaxed.gpu.u32 x, 1; st.relaxed.gpu.u32 y, 1", READER],
        STALE_MESSAGE,
        &[StoreStore, LoadLoad],
    ),
    (
        &["st.weak.u32 x, 1; st.weak.u32 y, 1", "ld.weak.u32 r0, y; ld.weak.u32 r1, x"],
        STALE_MESSAGE,
        &[StoreStore, LoadLoad],
    ),
    (
        &["st.relaxed.gpu.u32 x, 1; fence.acq_rel.gpu; st.relaxed.gpu.u32 y, 1", READER],
        STALE_MESSAGE,
        &[LoadLoad],
    ),
    (&["st.relaxed.gpu.u32 x, 1; st.release.gpu.u32 y, 1", READER], STALE_MESSAGE, &[LoadLoad]),
    (
        &["st.relaxed.gpu.u32 x, 1; st.relaxed.gpu.u32 y, 1", STRONG_MESSAGE_TAKEN],
        STALE_MESSAGE,
        &[StoreStore],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1; st.relaxed.gpu.u32 y, 1",
            "ld.acquire.gpu.u32 r0, y; ld.relaxed.gpu.u32 r1, x",
        ],
        STALE_MESSAGE,
        &[StoreStore],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1; fence.acq_rel.gpu; st.relaxed.gpu.u32 y, 1",
            STRONG_MESSAGE_TAKEN,
        ],
        STALE_MESSAGE,
        &[],
    ),
    // Scopes do not count, nor whether an access is weak: these machines are about order.
    (
        &[
            "st.weak.u32 x, 1; fence.acq_rel.cta; st.weak.u32 y, 1",
            "ld.weak.u32 r0, y; fence.acq_rel.cta; ld.weak.u32 r1, x",
        ],
        STALE_MESSAGE,
        &[],
    ),
    (
        &["atom.relaxed.cta.exch.b32 r0, x, 1", "atom.relaxed.cta.exch.b32 r0, x, 1"],
        "P0:r0 == 0 /\\ P1:r0 == 0",
        &[],
    ),
    (
        &["st.relaxed.gpu.u32 x, 1; atom.relaxed.gpu.exch.b32 r0, y, 1", STRONG_MESSAGE_TAKEN],
        STALE_MESSAGE,
        &[StoreStore],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1; fence.acq_rel.gpu; st.relaxed.gpu.u32 y, 1",
            "atom.relaxed.gpu.exch.b32 r0, y, 2; ld.relaxed.gpu.u32 r1, x",
        ],
        STALE_MESSAGE,
        &[LoadLoad],
    ),
    // Store buffering: only a fence.sc orders a load behind a store.
    (
        &[
            "st.relaxed.gpu.u32 x, 1; ld.relaxed.gpu.u32 r0, y",
            "st.relaxed.gpu.u32 y, 1; ld.relaxed.gpu.u32 r0, x",
        ],
        BOTH_MISSED,
        &[StoreLoad],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1; fence.acq_rel.gpu; ld.relaxed.gpu.u32 r0, y",
            "st.relaxed.gpu.u32 y, 1; fence.acq_rel.gpu; ld.relaxed.gpu.u32 r0, x",
        ],
        BOTH_MISSED,
        &[StoreLoad],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1; fence.sc.gpu; ld.relaxed.gpu.u32 r0, y",
            "st.relaxed.gpu.u32 y, 1; fence.sc.gpu; ld.relaxed.gpu.u32 r0, x",
        ],
        BOTH_MISSED,
        &[],
    ),
    (
        &[
            "atom.relaxed.gpu.exch.b32 r1, x, 1; ld.relaxed.gpu.u32 r0, y",
            "atom.relaxed.gpu.exch.b32 r1, y, 1; ld.relaxed.gpu.u32 r0, x",
        ],
        BOTH_MISSED,
        &[LoadLoad],
    ),
    (
        &[
            "ld.relaxed.gpu.u32 r0, x; st.relaxed.gpu.u32 y, 1",
            "ld.relaxed.gpu.u32 r0, y; st.relaxed.gpu.u32 x, 1",
        ],
        BUFFERED,
        &[LoadStore],
    ),
    (
        &[
            "ld.relaxed.gpu.u32 r0, x; atom.relaxed.gpu.exch.b32 r1, y, 1",
            "ld.relaxed.gpu.u32 r0, y; atom.relaxed.gpu.exch.b32 r1, x, 1",
        ],
        BUFFERED,
        &[LoadStore],
    ),
    (
        &[
            "ld.relaxed.gpu.u32 r0, x; fence.acq_rel.gpu; st.relaxed.gpu.u32 y, 1",
            "ld.relaxed.gpu.u32 r0, y; fence.acq_rel.gpu; st.relaxed.gpu.u32 x, 1",
        ],
        BUFFERED,
        &[],
    ),
    (
        &[
            "ld.relaxed.gpu.u32 r0, x; st.relaxed.gpu.u32 y, r0",
            "ld.relaxed.gpu.u32 r0, y; st.relaxed.gpu.u32 x, r0",
        ],
        BUFFERED,
        &[],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1; st.relaxed.gpu.u32 y, 2",
            "st.relaxed.gpu.u32 y, 1; st.relaxed.gpu.u32 x, 2",
        ],
        "x == 1 /\\ y == 1",
        &[StoreStore],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 2; st.relaxed.gpu.u32 y, 1",
            "ld.relaxed.gpu.u32 r0, y; st.relaxed.gpu.u32 x, 1",
        ],
        "P1:r0 == 1 /\\ x == 2",
        &[StoreStore, LoadStore],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1; st.relaxed.gpu.u32 y, 1",
            "st.relaxed.gpu.u32 y, 2; ld.relaxed.gpu.u32 r0, x",
        ],
        "P1:r0 == 0 /\\ y == 2",
        &[StoreStore, StoreLoad],
    ),
    (
        &[
            "st.relaxed.gpu.u32 x, 1",
            "st.relaxed.gpu.u32 y, 1",
            "ld.relaxed.gpu.u32 r0, x; ld.relaxed.gpu.u32 r1, y",
            "ld.relaxed.gpu.u32 r0, y; ld.relaxed.gpu.u32 r1, x",
        ],
        "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0",
        &[LoadLoad],
    ),
    (
        &["ld.relaxed.gpu.u32 r0, x; ld.relaxed.gpu.u32 r1, x", "st.relaxed.gpu.u32 x, 1"],
        "P0:r0 == 1 /\\ P0:r1 == 0",
        &[],
    ),
];

/// The same for blocks of some threads, of which so many blocks are there at once.
type ShownInBlocks =
    (u32, u32, u32, &'static [&'static str], &'static str, &'static [ReorderedPair]);

const SHOWN_IN_BLOCKS_BY: [ShownInBlocks; 19] = [
    // A barrier orders all of its thread, and those of its block with each other, whatever another
    // block stores meanwhile.
    (
        2,
        1,
        8,
        &[PUBLISHED, "ld.relaxed.gpu.u32 r0, y; bar; ld.relaxed.gpu.u32 r1, x"],
        STALE_MESSAGE,
        &[],
    ),
    (
        2,
        2,
        8,
        &[PUBLISHED, "", "ld.relaxed.gpu.u32 r0, y; bar", "bar; ld.relaxed.gpu.u32 r1, x"],
        "P2:r0 == 1 /\\ P3:r1 == 0",
        &[],
    ),
    (
        2,
        1,
        8,
        &["st.relaxed.gpu.u32 x, 1; bar; st.relaxed.gpu.u32 y, 1", STRONG_MESSAGE_TAKEN],
        STALE_MESSAGE,
        &[],
    ),
    // What ended before a thread began is known to it: its first load has none to pass.
    (2, 1, 1, &["st.relaxed.gpu.u32 x, 1", "ld.relaxed.gpu.u32 r0, x"], "P1:r0 == 0", &[]),
    (
        2,
        1,
        1,
        &["st.relaxed.gpu.u32 x, 1", "ld.relaxed.gpu.u32 r0, y; ld.relaxed.gpu.u32 r1, x"],
        "P1:r1 == 0",
        &[],
    ),
    // The elements of one store are stores in no order.
    (2, 1, 8, &["st.relaxed.gpu.v2.u32 x, {1,1}", TORN_READER], STALE_MESSAGE, &[StoreStore]),
    (2, 1, 8, &["st.relaxed.gpu.v2.u32 x, {1,1}", OTHER_TORN_READER], STALE_MESSAGE, &[StoreStore]),
    (
        2,
        1,
        8,
        &["st.relaxed.gpu.u32 y, 2; st.relaxed.gpu.v2.u32 x, {1,1}", TORN_READER],
        STALE_MESSAGE,
        &[StoreStore],
    ),
    // Accesses that stand in front of an exchange of lanes and behind it are pairs as those of one
    // thread are.
    (
        1,
        2,
        8,
        &["st.relaxed.gpu.u32 x, 1; shuffle", "shuffle; ld.relaxed.gpu.u32 r0, x"],
        "P1:r0 == 0",
        &[StoreLoad],
    ),
    (
        1,
        2,
        8,
        &["st.relaxed.gpu.u32 x, 1; fence.sc.gpu; shuffle", "shuffle; ld.relaxed.gpu.u32 r0, x"],
        "P1:r0 == 0",
        &[],
    ),
    (
        1,
        2,
        8,
        &["st.relaxed.gpu.u32 x, 1; bar", "bar; ld.relaxed.gpu.u32 r0, x"],
        "P1:r0 == 0",
        &[],
    ),
    (
        1,
        3,
        8,
        &[
            "st.relaxed.gpu.u32 x, 1; shuffle; shuffle",
            "shuffle; shuffle",
            "shuffle; shuffle; ld.relaxed.gpu.u32 r0, x",
        ],
        "P2:r0 == 0",
        &[StoreLoad],
    ),
    (
        2,
        2,
        8,
        &["st.relaxed.gpu.u32 x, 1; shuffle", "shuffle; st.relaxed.gpu.u32 y, 1", TAKER],
        TAKEN_STALE,
        &[StoreStore],
    ),
    (
        2,
        2,
        8,
        &["st.relaxed.gpu.u32 x, 1; shuffle", "shuffle; atom.relaxed.gpu.exch.b32 r0, y, 1", TAKER],
        TAKEN_STALE,
        &[StoreStore],
    ),
    (
        2,
        2,
        8,
        &[PUBLISHED, "", "ld.relaxed.gpu.u32 r0, y; shuffle", "shuffle; ld.relaxed.gpu.u32 r0, x"],
        "P2:r0 == 1 /\\ P3:r0 == 0",
        &[LoadLoad],
    ),
    (
        2,
        2,
        8,
        &[
            "ld.relaxed.gpu.u32 r0, x; shuffle",
            "shuffle; st.relaxed.gpu.u32 y, 1",
            "ld.relaxed.gpu.u32 r0, y; fence.sc.gpu; st.relaxed.gpu.u32 x, 1",
        ],
        "P0:r0 == 1 /\\ P2:r0 == 1",
        &[LoadStore],
    ),
    // Two loads of the same eight bytes, or of the same four, read other bytes.
    (
        2,
        1,
        8,
        &["st.relaxed.gpu.u32 x, 1; fence.sc.gpu; st.relaxed.gpu.u32 x+4, 1", NEIGHBOURS],
        STALE_MESSAGE,
        &[LoadLoad],
    ),
    (
        2,
        1,
        8,
        &[
            "st.relaxed.gpu.u8 x, 1; fence.sc.gpu; st.relaxed.gpu.u8 x+1, 1",
            "ld.relaxed.gpu.u8 r0, x+1; ld.relaxed.gpu.u8 r1, x",
        ],
        STALE_MESSAGE,
        &[LoadLoad],
    ),
    (
        2,
        1,
        8,
        &[
            "st.relaxed.gpu.u32 x, 1; st.relaxed.gpu.u32 x+4, 1",
            "ld.relaxed.gpu.u32 r0, x; ld.relaxed.gpu.u32 r1, x",
        ],
        STALE_MESSAGE,
        &[],
    ),
];

/// A block that takes what two threads of another one have stored.
const TAKER: &str = "ld.relaxed.gpu.u32 r0, y; fence.sc.gpu; ld.relaxed.gpu.u32 r1, x";
const TAKEN_STALE: &str = "P2:r0 == 1 /\\ P2:r1 == 0";
const NEIGHBOURS: &str = "ld.relaxed.gpu.u32 r0, x+4; ld.relaxed.gpu.u32 r1, x";

const PUBLISHED: &str = "st.relaxed.gpu.u32 x, 1; fence.sc.gpu; st.relaxed.gpu.u32 y, 1";
const TORN_READER: &str = "ld.relaxed.gpu.u32 r0, x; fence.sc.gpu; ld.relaxed.gpu.u32 r1, x+4";
const OTHER_TORN_READER: &str =
    "ld.relaxed.gpu.u32 r0, x+4; fence.sc.gpu; ld.relaxed.gpu.u32 r1, x";
const READER: &str = "ld.relaxed.gpu.u32 r0, y; ld.relaxed.gpu.u32 r1, x";
const BOTH_MISSED: &str = "P0:r0 == 0 /\\ P1:r0 == 0";

#[test]
fn a_machine_that_reorders_one_kind_of_pairs_shows_what_that_makes_possible_and_nothing_else() {
    let alone =
        SHOWN_BY.map(|(code, condition, shown)| (code.len() as u32, 1, 8, code, condition, shown));
    for (blocks, threads, places, code, condition, shown) in
        alone.into_iter().chain(SHOWN_IN_BLOCKS_BY)
    {
        let program = SmallProgram { places, ..SmallProgram::of(blocks, threads, code) };
        let seen = |memory| program.count(memory, 2_000, condition);
        for pair in [StoreStore, StoreLoad, LoadLoad, LoadStore] {
            let seen = seen(MemoryKind::Reordering(pair));
            assert_eq!(
                seen > 0,
                shown.contains(&pair),
                "{pair:?}, {seen} times: {code:?} {condition}"
            );
        }
        assert_eq!(seen(MemoryKind::SequentiallyConsistent), 0, "{code:?} {condition}");
    }
}
