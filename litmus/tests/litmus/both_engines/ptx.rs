//! Random PTX tests.

use proptest::prelude::*;
use proptest::sample::select;

use super::{agree, config, model};

/// An instruction; `t` stands for the number of the thread in the label at its end.
fn instruction() -> impl Strategy<Value = String> {
    let location = select(&["x", "y"][..]);
    let scope = select(&["cta", "gpu"][..]);
    (0..24usize, location, scope, 1..3i64, 0..2usize).prop_map(|(kind, l, s, v, r)| match kind {
        0 => format!("ld.weak r{r}, {l}"),
        1 => format!("ld.relaxed.{s} r{r}, {l}"),
        2 => format!("ld.acquire.{s} r{r}, {l}"),
        3 => format!("st.weak {l}, {v}"),
        4 => format!("st.relaxed.{s} {l}, {v}"),
        5 => format!("st.release.{s} {l}, {v}"),
        6 | 7 => format!("st.relaxed.{s} {l}, r{r}"),
        8 => format!("atom.relaxed.{s}.add r{r}, {l}, {v}"),
        9 => format!("atom.acq_rel.{s}.exch r{r}, {l}, r{}", 1 - r),
        10 => format!("atom.relaxed.{s}.cas r{r}, {l}, 0, {v}"),
        11 => format!("atom.acq_rel.{s}.max r{r}, {l}, {v}"),
        12 => format!("red.relaxed.{s}.inc {l}, {v}"),
        13 => format!("fence.sc.{s}"),
        14 => format!("fence.acq_rel.{s}"),
        15 => format!("@r{r} st.relaxed.{s} {l}, {v}"),
        16 => "bar.cta.sync 0".to_string(),
        17 => format!("add r{r}, r{}, {v}", 1 - r),
        18 => format!("xor r{r}, r{r}, r{}", 1 - r),
        19 => format!("beq r{r}, {}, Lt", v - 1),
        20 => "ld.weak r2, p".to_string(),
        21 => format!("st.weak p, {l}"),
        22 => format!("ld.relaxed.{s} r{r}, [r2]"),
        _ => format!("st.weak [r2], {v}"),
    })
}

/// A comparison of a register or a location with a number or another one.
fn comparison(threads: usize) -> impl Strategy<Value = String> {
    let register = (0..threads, 0..2usize).prop_map(|(t, r)| format!("P{t}:r{r}"));
    let side = || prop_oneof![3 => register.clone(), 1 => select(&["x", "y"][..]).prop_map(str::to_string)];
    let operator = select(&["==", "==", "==", "!=", "<", ">="][..]);
    let right = prop_oneof![4 => (0..4i64).prop_map(|n| n.to_string()), 1 => side()];
    (side(), operator, right).prop_map(|(a, operator, b)| format!("{a} {operator} {b}"))
}

fn condition(threads: usize) -> impl Strategy<Value = String> {
    let quantifier = select(&["exists", "exists", "~exists", "forall"][..]);
    let connectives = proptest::collection::vec(select(&[" /\\ ", " /\\ ", " \\/ "][..]), 2);
    let comparisons = proptest::collection::vec(comparison(threads), 3);
    (quantifier, comparisons, connectives, any::<bool>()).prop_map(
        |(quantifier, c, by, negated)| {
            let inner = format!("({}{}{})", c[1], by[1], c[2]);
            format!("{quantifier} ({}{}{}{inner})", c[0], by[0], if negated { "not " } else { "" })
        },
    )
}

/// Two or three threads with up to seven instructions together.
fn any_test() -> impl Strategy<Value = String> {
    let column = proptest::collection::vec(instruction(), 1..4);
    let place = select(&["cta 0,gpu 0", "cta 1,gpu 0"][..]);
    let threads = proptest::collection::vec((column, place), 2..4);
    threads.prop_flat_map(|threads| {
        let text = text(&threads);
        condition(text.1).prop_map(move |condition| format!("{}{condition}\n", text.0))
    })
}

/// The program, and its number of threads.
fn text(threads: &[(Vec<String>, &'static str)]) -> (String, usize) {
    let events = threads.iter().map(|(c, _)| c.len()).sum::<usize>();
    let threads = if events > 7 { &threads[..2] } else { threads };
    let header: Vec<String> =
        threads.iter().enumerate().map(|(t, (_, place))| format!("P{t}@{place}")).collect();
    let label = |t: usize, text: &str| text.replace("Lt", &format!("L{t}"));
    let columns: Vec<Vec<String>> = threads
        .iter()
        .enumerate()
        .map(|(t, (c, _))| {
            let end = c.iter().any(|i| i.contains("Lt")).then(|| format!("L{t}:"));
            c.iter().map(|i| label(t, i)).chain(end).collect()
        })
        .collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |r: usize| {
        columns
            .iter()
            .map(|c| c.get(r).cloned().unwrap_or_default())
            .collect::<Vec<_>>()
            .join(" | ")
    };
    let rows: String = (0..rows).map(|r| format!(" {} ;\n", row(r))).collect();
    let declared: String =
        (0..threads.len()).map(|t| format!("P{t}:r0=0; P{t}:r1=0; P{t}:r2=&x; ")).collect();
    (
        format!("PTX random\n{{ x=0; y=0; p=&y; {declared}}}\n {} ;\n{rows}", header.join(" | ")),
        threads.len(),
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn engines_agree_on_ptx(text in any_test()) {
        agree(&text, &["ptx-6.0", "ptx-8", "ptx-2015", "tso", "sc"].map(model))?;
    }
}
