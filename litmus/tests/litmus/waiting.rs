//! Loops of RISC-V that only wait: one round, the last, shows what any number of them does. Rule 2
//! of preserved program order subtracts what is between two loads, so this is held against brute
//! force: a copy of the model with an axiom that forbids nothing, but whose form lets nobody skip a
//! round.

use std::collections::BTreeSet;

use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_litmus::test::Variable;
use margay_litmus::unfold::UnfoldingBounds;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;

/// The final values of what the condition names, and whether a loop was cut off.
fn finals(text: &str, model: &Model, unroll: usize) -> (BTreeSet<Vec<i64>>, bool) {
    let test =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    let variables: Vec<Variable> =
        test.condition.proposition.variables().into_iter().cloned().collect();
    let options = Options {
        bounds: UnfoldingBounds { unroll, ..UnfoldingBounds::default() },
        ..Options::default()
    };
    let found = ExplicitRunner::new(model)
        .outcomes(&test, &variables, &options)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    (found.values, found.bounded)
}

#[test]
fn one_round_of_risc_v_shows_what_several_do() {
    let known = crate::shipped::model("riscv");
    let copy =
        format!("{}\nempty 0 \\ (po; po) as Nothing\n", library::built_in("riscv").unwrap().text);
    let unrolled =
        Model::parse(SourceFile::new("riscv.cat", copy), &FilesThenBuiltIn).unwrap().model;
    let writer = ["ori x7,x0,1", "sw x7,0(x5)", "fence rw,w", "sw x7,0(x6)"];
    let before: [&[&str]; 3] = [&[], &["lw x12,0(x6)"], &["lw x12,0(x5)"]];
    let loops: [&[&str]; 4] = [
        &["L:", "lw x8,0(x6)", "beq x8,x0,L"],
        &["L:", "lw x8,0(x6)", "fence r,r", "beq x8,x0,L"],
        &["L:", "lr.w x8,(x6)", "sc.w x10,x7,(x6)", "bne x10,x0,L"],
        &["L:", "lr.w.aq x8,(x6)", "sc.w.rl x10,x7,(x6)", "bne x10,x0,L"],
    ];
    let behind: [&[&str]; 3] =
        [&["lw x11,0(x5)"], &["lw x13,0(x6)", "lw x11,0(x5)"], &["fence r,r", "lw x11,0(x5)"]];
    for before in before {
        for round in loops {
            for behind in behind {
                let reader = [before, round, behind].concat();
                let rows = reader.len().max(writer.len());
                let at = |of: &[&str], r: usize| of.get(r).copied().unwrap_or_default().to_owned();
                let rows: String = (0..rows)
                    .map(|r| format!(" {} | {} ;\n", at(&writer, r), at(&reader, r)))
                    .collect();
                // Every register of the thread that reads.
                let read = |register: &str| reader.iter().any(|line| line.contains(register));
                let registers =
                    ["x12", "x13"].into_iter().filter(|r| read(r)).map(|r| format!(" /\\ 1:{r}=0"));
                let condition = format!("1:x8=1 /\\ 1:x11=0{}", registers.collect::<String>());
                let text = format!(
                    "RISCV t\n{{ 0:x5=x; 0:x6=y; 1:x5=x; 1:x6=y; 1:x7=0; }}\n P0 | P1 ;\n{rows}exists ({condition})\n"
                );
                let (found, bounded) = finals(&text, &known, 1);
                assert!(!bounded, "one round is enough\n{text}");
                let mut every = BTreeSet::new();
                for unroll in 0..=2 {
                    let (values, bounded) = finals(&text, &unrolled, unroll);
                    assert!(bounded, "the copy is unrolled\n{text}");
                    every.extend(values);
                }
                assert_eq!(found, every, "{text}");
            }
        }
    }
}
