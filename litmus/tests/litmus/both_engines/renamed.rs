//! Threads that do the same, each with a location and a number of its own, and whose ways part and
//! meet again: the SAT engine looks at one of the executions that an exchange of them makes of each
//! other, and takes what ways have in common for one event. The explicit engine knows nothing of
//! either.

use proptest::prelude::*;

use super::{agree, config, model};

/// The number of a thread, which is as good as that of any other.
fn number(t: usize) -> usize {
    10 + t
}

/// A step of a thread; what is its own is a location `n0`, `n1`, .. and a number.
fn step(kind: usize, at: usize, t: usize, threads: usize) -> Vec<String> {
    let own = number(t);
    match kind {
        0 => vec![format!("st.relaxed.gpu.u32 n{t}, 1")],
        1 => vec![format!("st.release.gpu.u32 n{t}, {own}")],
        2 => vec!["ld.acquire.gpu.u32 r0, x".to_owned()],
        3 => vec![format!("atom.acq_rel.gpu.exch.b32 r0, x, {own}")],
        4 => vec![format!("atom.relaxed.gpu.cas.b32 r0, x, 0, {own}")],
        5 => vec![format!("atom.acquire.gpu.cas.b32 r1, x, {own}, 0")],
        6 => {
            // For each number the location of the thread that has it.
            let tests = (0..threads).flat_map(|u| {
                [
                    format!("setp.eq.u32 p{at}{u}, r0, {}", number(u)),
                    format!("@p{at}{u} bra C{at}{u}"),
                ]
            });
            let cases = (0..threads).flat_map(|u| {
                [
                    format!("C{at}{u}:"),
                    format!("st.release.gpu.u32 n{u}, {}", 2 + at),
                    format!("bra E{at}"),
                ]
            });
            tests.chain([format!("bra E{at}")]).chain(cases).chain([format!("E{at}:")]).collect()
        }
        7 => vec![format!("ld.acquire.gpu.u32 r1, n{t}")],
        8 => vec![
            format!("setp.ne.u32 p{at}, r1, 0"),
            format!("@p{at} bra E{at}"),
            format!("st.relaxed.gpu.u32 y, {own}"),
            format!("E{at}:"),
        ],
        9 => vec![format!("add.u32 r1, r0, 1"), "st.relaxed.gpu.u32 y, r1".to_owned()],
        _ => vec![
            format!("E{at}:"),
            format!("ld.relaxed.gpu.u32 r2, n{t}"),
            format!("setp.eq.u32 p{at}, r2, 0"),
            format!("@p{at} bra E{at}"),
        ],
    }
}

fn text(
    kinds: &[usize],
    threads: usize,
    odd: Option<usize>,
    condition: &str,
    first: usize,
) -> String {
    let columns: Vec<Vec<String>> = (0..threads)
        .map(|t| {
            // One thread may do less than the others.
            let kinds = if odd == Some(t) { &kinds[..kinds.len() - 1] } else { kinds };
            kinds.iter().enumerate().flat_map(|(at, &kind)| step(kind, at, t, threads)).collect()
        })
        .collect();
    let header: Vec<String> = (0..threads).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |n: usize| {
        columns.iter().map(|c| c.get(n).map_or("", String::as_str)).collect::<Vec<_>>().join(" | ")
    };
    let body: String = (0..rows).map(|n| format!(" {} ;\n", row(n))).collect();
    // Registers that are asked for and that no step writes are there.
    let own: String = (0..threads).map(|t| format!("n{t}=0; P{t}:r0=0; P{t}:r1=0; ")).collect();
    format!(
        "PTX t\n{{ x={first}; y=0; {own}}}\n {} ;\n{body}exists ({condition})\n",
        header.join(" | ")
    )
}

/// What is asked: of one thread, of all alike, of numbers that are exchanged with the threads, and
/// of others.
const CONDITIONS: [&str; 12] = [
    "x == 11",
    "P0:r0 == 11 /\\ P1:r0 == 10",
    "P0:r0 == 10 \\/ P1:r0 == 11",
    "n0 == 3 /\\ n1 == 3",
    "n0 == 10 \\/ n1 == 11",
    "y == 12",
    "y > 10 /\\ x == 0",
    "P0:r0 == 0 /\\ P1:r0 == 0",
    "P0:r1 == 0 /\\ P1:r1 == 0 /\\ x == 0",
    "P1:r1 == 11",
    "(P0:r0 == 11 \\/ P0:r0 == 0) /\\ (P1:r0 == 10 \\/ P1:r0 == 0)",
    "~(x == 10 \\/ x == 11)",
];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn threads_with_names_of_their_own(
        kinds in prop::collection::vec(0usize..11, 2..5),
        odd in prop::option::weighted(0.2, 0usize..2),
        condition in 0..CONDITIONS.len(),
        first in prop::sample::select(vec![0usize, 0, 0, 10, 1]),
    ) {
        agree(&text(&kinds, 2, odd, CONDITIONS[condition], first), &[model("ptx-8")])?;
    }

    #[test]
    fn three_threads_with_names_of_their_own(
        kinds in prop::collection::vec(2usize..9, 2..=2),
        odd in prop::option::weighted(0.2, 0usize..3),
        condition in 0..CONDITIONS.len(),
    ) {
        agree(&text(&kinds, 3, odd, CONDITIONS[condition], 0), &[model("ptx-8")])?;
    }
}
