//! Values that determine themselves, under a model that allows them; and its random neighbourhood.

use margay_litmus::engine::Engine;
use margay_models::Model;
use margay_models::diagnostic::SourceFile;
use margay_models::typing::FilesThenBuiltIn;
use proptest::prelude::*;
use proptest::sample::select;

use super::{agree, answer, config};

/// Almost everything is legal.
fn anything() -> Model {
    let source =
        SourceFile::new("anything.cat", "PTX \"anything\"\nacyclic (po & loc) | co as order\n");
    Model::parse(source, &FilesThenBuiltIn).unwrap_or_else(|e| panic!("{}", e[0])).model
}

/// Load buffering where each thread stores what an operation makes of what it read.
fn lb(left: &str, right: &str, condition: &str) -> String {
    format!(
        "PTX lb\n{{ x=0; y=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.weak r0, x | ld.weak r0, y ;\n {left} | {right} ;\n st.weak y, r1 | st.weak x, r1 ;\nexists ({condition})\n"
    )
}

#[test]
fn values_out_of_thin_air() {
    let expected = [
        // Any value copies itself, 7 among them: the condition mentions it.
        (lb("add r1, r0, 0", "add r1, r0, 0", "P0:r0 == 7 /\\ P1:r0 == 7"), true),
        (lb("add r1, r0, 1", "sub r1, r0, 1", "P0:r0 == 4 /\\ P1:r0 == 5"), true),
        // Starting from 5, which the condition mentions, on the other side too.
        (lb("add r1, r0, 1", "sub r1, r0, 1", "P1:r0 == 5"), true),
        // No number is its own successor: only what starts from an initial write.
        (lb("add r1, r0, 1", "add r1, r0, 0", "P0:r0 == 7"), false),
        (lb("add r1, r0, 1", "add r1, r0, 0", "P0:r0 == 1"), false),
        (lb("add r1, r0, 1", "add r1, r0, 0", "P1:r0 == 1"), true),
        (lb("mul r1, r0, 3", "add r1, r0, 0", "P0:r0 != 0"), false),
    ];
    for (text, reachable) in expected {
        for engine in [Engine::Explicit, Engine::Sat] {
            assert_eq!(answer(&text, &anything(), engine).reachable, reachable, "{engine}\n{text}");
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn engines_agree_on_cycles(
        left in select(&["add", "sub", "xor", "and", "mul"][..]),
        right in select(&["add", "sub", "xor", "or", "min"][..]),
        (a, b) in (0..3i64, 0..3i64),
        (of, value) in (0..2usize, 0..5i64),
        quantifier in select(&["exists", "forall"][..]),
    ) {
        let condition = format!("P{of}:r0 == {value}");
        let text = lb(&format!("{left} r1, r0, {a}"), &format!("{right} r1, r0, {b}"), &condition);
        agree(&text.replace("exists", quantifier), &[anything()])?;
    }
}
