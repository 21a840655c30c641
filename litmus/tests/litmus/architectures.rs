//! Tests of architectures that are texts and have scopes: what is written reads back the same, and
//! what is wrong is told with its place.

use std::sync::Arc;

use margay_litmus::read;
use margay_litmus::test::{
    Access, AccessOrder, Address, AtomFunction, AtomInstruction, Body, Condition, Dialect,
    FenceOrder, Operation, Proposition, Quantifier, Test, TestInstruction, TestOperand, Thread,
};
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Placement, Scope};
use margay_models::signature::{self, Architecture};
use proptest::collection::vec;
use proptest::prelude::*;

/// Every number of scopes that there can be, with levels said and unsaid.
const TEXTS: [(&str, &str); 5] = [
    ("one", "scopes all"),
    ("two", "scopes wg < system"),
    ("three", "scopes wave = warp < agent = gpu < system = sys"),
    ("four", "scopes wave < wg < agent < system"),
    ("five", "scopes v < b < c < d < s"),
];

const INSTRUCTIONS: &str =
    "read ld\nread ld.acq A scoped\nwrite st scoped\nwrite st.rel L\nrmw swap scoped\nrmw swap.acq A L scoped
fence full FULL\nfence part P scoped\n";

fn architecture((word, scopes): (&str, &str)) -> Architecture {
    let text = format!(
        "architecture \"{word}\"\ntag A on R\ntag L on W\ntag FULL on F\ntag P on F\n{scopes}\n{INSTRUCTIONS}"
    );
    Architecture::read(&SourceFile::new(format!("{word}.arch"), text))
        .unwrap_or_else(|e| panic!("{e:?}"))
}

fn instruction(architecture: Architecture) -> impl Strategy<Value = TestInstruction> {
    let constructs = architecture.constructs();
    (0..constructs.len(), 0..architecture.scopes(true).len()).prop_map(move |(which, scope)| {
        let construct = constructs[which];
        let tags = architecture.tags_of(construct);
        let scope = architecture.takes_scope(construct).then(|| architecture.scopes(true)[scope]);
        let access = Access { order: Some(AccessOrder::Text(tags)), scope, ..Access::default() };
        let (address, value, destination) =
            (Address::location("x"), TestOperand::Integer(1), "r0".to_owned());
        TestInstruction::from(match construct.operation {
            signature::Operation::Read => Operation::Load { access, destination, address },
            signature::Operation::Write => Operation::Store { access, address, value },
            signature::Operation::Fence => {
                Operation::Fence { order: Some(FenceOrder::Text(tags)), scope }
            }
            signature::Operation::Rmw => {
                let function =
                    if which % 2 == 0 { AtomFunction::Exchange } else { AtomFunction::Add };
                let destination = Some(destination);
                Operation::Atom(AtomInstruction {
                    access,
                    function,
                    destination,
                    address,
                    operand: value,
                    replacement: None,
                })
            }
        })
    })
}

fn thread(architecture: Architecture) -> impl Strategy<Value = Thread> {
    let body = vec(instruction(architecture), 1..4);
    (body, vec(0..3u16, 5), any::<bool>()).prop_map(move |(body, numbers, placed)| {
        let levels = architecture.scopes(true).iter().filter(|&&s| s != Scope::Sys);
        let place = levels
            .clone()
            .zip(numbers)
            .fold(Placement::default(), |p, (&s, n)| p.with_number(s, n));
        let placement = (placed && levels.count() > 0).then_some(place);
        Thread {
            placement,
            parameters: Vec::new(),
            body: Body::Instructions(body),
            place: Default::default(),
        }
    })
}

fn test() -> impl Strategy<Value = Test> {
    (0..TEXTS.len()).prop_flat_map(|which| {
        let architecture = architecture(TEXTS[which]);
        vec(thread(architecture), 1..4).prop_map(move |threads| Test {
            dialect: Dialect::Text(architecture),
            sequencing: Default::default(),
            name: "random".to_owned(),
            description: None,
            locations: Vec::new(),
            registers: Vec::new(),
            threads,
            observed: Vec::new(),
            filter: None,
            condition: Condition { quantifier: Quantifier::Exists, proposition: Proposition::True },
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scopes_and_places_read_back_the_same(test in test()) {
        let text = test.to_string();
        match read::test(&SourceFile::new("generated", text.clone())) {
            Ok(read) => {
                prop_assert!(read.test.threads == test.threads, "{text}\n{}", read.test);
            }
            Err(errors) => prop_assert!(false, "{errors:?}\n{text}"),
        }
    }
}

#[test]
fn wrong_scopes_and_places() {
    architecture(TEXTS[3]);
    architecture(TEXTS[0]);
    let program = |header: &str, place: &str, instruction: &str| {
        let file: Arc<SourceFile> = SourceFile::new(
            "t.litmus",
            format!("{header} t\n{{ x=0; }}\n P0{place} ;\n {instruction} ;\nexists (x == 1)"),
        );
        read::test(&file).map(|read| read.test)
    };
    for (header, place, instruction, at, message, help) in [
        (
            "four",
            "",
            "st x, 1",
            "4:2",
            "the instruction needs a scope",
            "append one, e.g. `.system`",
        ),
        ("four", "", "st.agnt x, 1", "4:5", "unknown scope `agnt`", "did you mean `agent`?"),
        (
            "four",
            "",
            "st.sys x, 1",
            "4:5",
            "unknown scope `sys`",
            "four has wave, wg, agent, system",
        ),
        ("four", "", "st.wg.wg x, 1", "4:8", "unknown qualifier `wg`", ""),
        ("four", "", "st.rel.wg x, 1", "4:9", "unknown qualifier `wg`", ""),
        ("four", "@cta 0", "st.wg x, 1", "3:5", "unknown level `cta`", "four has wave, wg, agent"),
        ("four", "@wg 0,agent 0", "st.wg x, 1", "3:4", "names no wave", ""),
        ("four", "@wave 0,wave 1", "st.wg x, 1", "3:12", "a second `wave`", ""),
        (
            "one",
            "@all 0",
            "st.all x, 1",
            "3:4",
            "the only scope of one is that of all threads",
            "drop it",
        ),
    ] {
        let errors = program(header, place, instruction).expect_err(instruction);
        let said = errors[0].to_string();
        let helps = errors[0].help.clone().unwrap_or_default();
        assert!(
            said.contains(&format!("t.litmus:{at}: ")) && said.contains(message),
            "{place} {instruction}: {said}"
        );
        assert!(helps.contains(help), "{instruction}: {helps}");
    }
    assert!(
        program("four", "@wave 0", "swap.acq.agent.add r0, x, 1").is_ok(),
        "wider groups are number 0"
    );
}
