//! Random PTX tests of one memory with several names: aliases, surfaces, textures, constants.

use proptest::prelude::*;
use proptest::sample::select;

use super::{agree, config, model};

/// An instruction. `y` is an alias of x, `z` one of y; `s` and `t` are surface and texture of x or
/// y, `c` constants of z.
fn instruction() -> impl Strategy<Value = String> {
    let generic = select(&["x", "y", "z"][..]);
    (0..12usize, generic, 1..3i64, 0..2usize).prop_map(|(kind, l, v, r)| match kind {
        0 => format!("ld.weak r{r}, {l}"),
        1 => format!("st.weak {l}, {v}"),
        2 => format!("ld.relaxed.gpu r{r}, {l}"),
        3 => format!("st.relaxed.gpu {l}, {v}"),
        4 => format!("suld r{r}, s"),
        5 => format!("sust s, {v}"),
        6 => format!("tld r{r}, t"),
        7 => format!("ldc r{r}, c"),
        8 => "fence.proxy.alias".to_owned(),
        9 => "fence.proxy.surface".to_owned(),
        10 => "fence.proxy.texture".to_owned(),
        _ => "fence.proxy.constant".to_owned(),
    })
}

/// Two threads of up to four instructions, with a flag that one passes to the other.
fn any_test() -> impl Strategy<Value = String> {
    let column = || proptest::collection::vec(instruction(), 1..5);
    let surface = select(&["x", "y", "z"][..]);
    let texture = select(&["x", "y", "s"][..]);
    let value = || 0..3i64;
    (column(), column(), surface, texture, (any::<bool>(), any::<bool>()), (value(), value())).prop_map(
        |(mut a, mut b, s, t, (together, passed), (v, w))| {
            if passed {
                a.push("st.release.gpu f, 1".to_owned());
                b.insert(0, "ld.acquire.gpu r2, f".to_owned());
            }
            let rows = (0..a.len().max(b.len())).map(|r| {
                let cell = |c: &[String]| c.get(r).cloned().unwrap_or_default();
                format!(" {} | {} ;\n", cell(&a), cell(&b))
            });
            let names =
                format!("x=0; y @ generic aliases x; z @ generic aliases y; s @ surface aliases {s}; t @ texture aliases {t}");
            let places = format!("P0@cta 0,gpu 0 | P1@cta {},gpu 0", i32::from(!together));
            let flag = if passed { " /\\ P1:r2 == 1" } else { "" };
            format!(
                "PTX names\n{{ {names}; c @ constant aliases z; f=0; P0:r0=0; P0:r1=0; P1:r0=0; P1:r1=0; P1:r2=0; }}\n {places} ;\n{}\
                 exists (P1:r0 == {v} /\\ P0:r0 == {w}{flag})\n",
                rows.collect::<String>()
            )
        },
    )
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn engines_agree_on_names_of_one_memory(text in any_test()) {
        agree(&text, &["ptx-8", "ptx-6.0"].map(model))?;
    }
}
