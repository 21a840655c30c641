//! Accesses of two sizes to one location: what one thread reads is compared with bytes in memory,
//! what several threads read is answered where no execution has a race, and the rest is refused
//! with its reason.

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use proptest::prelude::*;

const MODELS: [&str; 2] = ["ptx-6.0", "ptx-8"];

/// Does the condition hold, by both engines? An error is what is said of a test that is not
/// answered.
fn holds(text: &str, model: &str) -> Result<bool, String> {
    holds_by(text, model, Choice::Both)
}

fn holds_by(text: &str, model: &str, engine: Choice) -> Result<bool, String> {
    let read = read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let loaded = library::load(model, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let verdict = Runner::new(&loaded.model).run(&read.test, &Options::default(), engine);
    verdict.map(|v| v.holds).map_err(|e| e.to_string())
}

/// A test of threads in one cta, each a column.
fn test(state: &str, threads: &[&str], condition: &str) -> String {
    let columns: Vec<Vec<&str>> =
        threads.iter().map(|t| t.split(';').map(str::trim).collect()).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |cells: Vec<&str>| format!(" {} ;\n", cells.join(" | "));
    let heads: Vec<String> = (0..threads.len()).map(|t| format!("P{t}@cta 0,gpu 0")).collect();
    let body: String = (0..rows)
        .map(|r| row(columns.iter().map(|c| c.get(r).copied().unwrap_or("")).collect()))
        .collect();
    format!(
        "PTX t\n{{ {state} }}\n{}{body}{condition}\n",
        row(heads.iter().map(String::as_str).collect())
    )
}

#[test]
fn a_thread_reads_the_bytes_that_it_wrote() {
    for (state, thread, condition) in [
        (
            "x=0",
            "st.weak.u32 [x], 0x01020304; ld.weak.u8 r0, [x]; ld.weak.u8 r1, [x+3]",
            "forall (P0:r0 == 4 /\\ P0:r1 == 1)",
        ),
        (
            "x=0",
            "st.weak.u32 [x], 0xfffe; ld.weak.s8 r0, [x]; ld.weak.s16 r1, [x]",
            "forall (P0:r0 == -2 /\\ P0:r1 == -2)",
        ),
        (
            "x=0x11223344",
            "st.weak.u8 [x+1], 0xff; ld.weak.u32 r0, [x]",
            "forall (P0:r0 == 0x1122ff44 /\\ x == 0x1122ff44)",
        ),
        (
            "x[4]={1,2,3,4}",
            "ld.weak.u32 r0, [x]; st.weak.u8 x[2], 9; ld.weak.u16 r1, [x+2]",
            "forall (P0:r0 == 0x04030201 /\\ P0:r1 == 0x0409)",
        ),
        (
            "x[2]={1,2}",
            "st.weak.v2.u32 [x], {3, 4}; ld.weak.u64 r0, [x]",
            "forall (P0:r0 == 0x0000000400000003)",
        ),
        (
            "x=0",
            "st.relaxed.gpu.u64 [x], -1; ld.weak.u32 r0, [x+4]; st.weak.u16 [x], r0",
            "forall (P0:r0 == 0xffffffff /\\ x == -1)",
        ),
        (
            "x=5",
            "setp.eq p0, 0, 1; @p0 st.weak.u32 [x], 0; ld.weak.u8 r0, [x]",
            "forall (P0:r0 == 5 /\\ ~(x != 5))",
        ),
    ] {
        for model in MODELS {
            let text = test(state, &[thread], condition);
            assert_eq!(holds(&text, model), Ok(true), "{model}\n{text}");
            // What always holds is no accident: it does not hold of its negation.
            let never = text.replace("forall (", "exists ~(");
            assert_eq!(holds(&never, model), Ok(false), "{model}\n{never}");
        }
    }
}

/// What a thread reads behind its own writes is determined: the search does not try every write for
/// every byte.
#[test]
fn reads_behind_many_writes_take_few_steps() {
    let accesses: Vec<String> =
        (1..4).map(|n| format!("st.weak.b64 [x], {n}; ld.weak.b64 r{n}, [x]")).collect();
    let wanted: Vec<String> = (1..4).map(|n| format!("P0:r{n} == {n}")).collect();
    let text = test("x=0", &[&accesses.join("; ")], &format!("forall ({})", wanted.join(" /\\ ")));
    let read =
        read::test(&SourceFile::new("t", &*text)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let loaded = library::load("ptx-8", &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let few = Options { steps: Some(20_000), ..Options::default() };
    let verdict = Runner::new(&loaded.model).run(&read.test, &few, Choice::Only(Engine::Explicit));
    assert_eq!(verdict.map(|v| v.holds), Ok(true));
}

/// An access of a random program: of so many bytes, aligned, with a value where it writes.
#[derive(Debug, Clone, Copy)]
struct Step {
    log: u32,
    slot: usize,
    value: Option<u64>,
}

fn step() -> impl Strategy<Value = Step> {
    (0u32..4, 0usize..8, prop::option::of(any::<u64>())).prop_map(|(log, slot, value)| Step {
        log,
        slot,
        value,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_threads_accesses_are_those_of_bytes(steps in prop::collection::vec(step(), 1..7), start in any::<u64>()) {
        let mut memory = start.to_le_bytes();
        // The widest access says how much memory `x` has.
        let mut thread = vec!["ld.weak.b64 r, [x]".to_owned()];
        let mut wanted = vec![format!("P0:r == {}", start as i64)];
        for (n, step) in steps.iter().enumerate() {
            let size = 1usize << step.log;
            let at = step.slot / size * size;
            let bits = 8 * size;
            match step.value {
                Some(value) => {
                    thread.push(format!("st.weak.b{bits} [x+{at}], {}", value as i64));
                    memory[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
                }
                None => {
                    thread.push(format!("ld.weak.b{bits} r{n}, [x+{at}]"));
                    let mut bytes = [0; 8];
                    bytes[..size].copy_from_slice(&memory[at..at + size]);
                    wanted.push(format!("P0:r{n} == {}", i64::from_le_bytes(bytes)));
                }
            }
        }
        wanted.push(format!("x == {}", i64::from_le_bytes(memory)));
        let condition = format!("forall ({})", wanted.join(" /\\ "));
        let text = test(&format!("x={}", start as i64), &[&thread.join("; ")], &condition);
        // There are more sums of random bytes than the SAT engine takes for one value.
        prop_assert_eq!(holds_by(&text, "ptx-8", Choice::Only(Engine::Explicit)), Ok(true), "{}", text);
    }
}

#[test]
fn threads_that_are_ordered_read_each_others_bytes() {
    let written = "st.weak.u32 [x], 0x01020304; st.release.gpu.u32 [f], 1";
    let branch = "ld.acquire.gpu.u32 r0, [f]; bne r0, 1, L; ld.weak.u8 r1, [x+1]; L:";
    let predicate = "ld.acquire.gpu.u32 r0, [f]; setp.eq p0, r0, 1; @p0 ld.weak.u8 r1, [x+1]";
    let wait = "L: ld.acquire.gpu.u32 r0, [f]; bne r0, 1, L; ld.weak.u8 r1, [x+1]";
    for model in MODELS {
        for reader in [branch, predicate, wait] {
            let ask =
                |condition: &str| holds(&test("x=0; f=0", &[written, reader], condition), model);
            assert_eq!(ask("exists (P1:r0 == 1 /\\ P1:r1 == 3)"), Ok(true), "{model} {reader}");
            assert_eq!(ask("exists (P1:r0 == 1 /\\ P1:r1 != 3)"), Ok(false), "{model} {reader}");
        }
        let bytes = [
            "st.weak.u8 [x], 1; bar.sync 0",
            "st.weak.u8 [x+1], 2; bar.sync 0",
            "bar.sync 0; ld.weak.u16 r0, [x]",
        ];
        let text = test("x=0", &bytes, "forall (P2:r0 == 0x0201 /\\ x == 0x0201)");
        assert_eq!(holds(&text, model), Ok(true), "{model}");
    }
}

#[test]
fn races_of_two_sizes_are_not_answered() {
    let written = "st.weak.u32 [x], 0x01020304; st.release.gpu.u32 [f], 1";
    let reads = "ld.acquire.gpu.u32 r0, [f]; ld.weak.u8 r1, [x]";
    let relaxed = "ld.relaxed.gpu.u32 r0, [f]; bne r0, 1, L; ld.weak.u8 r1, [x]; L:";
    let waits = "L: ld.relaxed.gpu.u32 r0, [f]; bne r0, 1, L; ld.weak.u8 r1, [x]";
    // A weak read in a loop races with the write that it waits for.
    let spins = "L: ld.weak.u8 r0, [x]; bne r0, 4, L";
    for model in MODELS {
        for reader in [reads, relaxed, waits, spins] {
            let said = holds(&test("x=0; f=0", &[written, reader], "exists (P1:r0 == 1)"), model);
            assert!(
                said.as_ref().is_err_and(|e| e.contains("32 and of 8 bits") && e.contains("8.7.2")),
                "{said:?} {model} {reader}"
            );
        }
    }
    // Which accesses are ordered is for the model to say.
    let said = holds(
        &test("x=0", &["st.weak.u32 [x], 1", "ld.weak.u8 r1, [x]"], "exists (P1:r1 == 1)"),
        "ptx-2015",
    );
    assert!(said.as_ref().is_err_and(|e| e.contains("`ptx-2015` defines neither")), "{said:?}");
}

#[test]
fn what_is_not_answered_is_refused_by_name() {
    let mut said = String::new();
    for (state, threads, condition) in [
        (
            "x=0",
            &["atom.add.relaxed.gpu.u32 r0, [x], 1; ld.weak.u8 r1, [x]"][..],
            "exists (P0:r0 == 0)",
        ),
        ("x=0", &["st.release.gpu.u32 [x], 1", "ld.acquire.gpu.u8 r0, [x]"], "exists (P1:r0 == 1)"),
        (
            "x=0",
            &["st.weak.u32 [x], 1; ld.weak r0, [x]; ld.weak.u8 r1, [x]"],
            "exists (P0:r0 == 1)",
        ),
        ("x=0", &["st.weak.u32 [x], 1; ld.weak.u16 r0, [x+1]"], "exists (P0:r0 == 1)"),
        ("x=0", &["st.weak.u32 [x], 1; ld.weak.u8 r0, [x+4]"], "exists (P0:r0 == 1)"),
        ("x[2]", &["st.weak.u32 [x], 1; ld.weak.u8 r0, x[1]"], "exists (P0:r0 == 1)"),
        ("x=0", &["st.weak.b128 [x], 1; ld.weak.u8 r0, [x]"], "exists (P0:r0 == 1)"),
        ("x[4]", &["st.weak.v2.u16 [x], {1, 2}; ld.weak.u8 r0, [x]"], "exists (P0:r0 == 1)"),
        ("x=0", &["st.weak.u32 [x], 1; ld.weak.u8 r0, [x]"], "exists (x < 5)"),
        ("x=0", &["st.weak.u32 [x], 1; ld.weak.u8 r0, [x]"], "exists (x == P0:r0)"),
        (
            "x=0; y=x",
            &["st.weak.u32 [x], 1; ld.weak.u8 r0, [x]; ld.weak r1, [y]; ld.weak r2, [r1]"],
            "exists (P0:r0 == 1)",
        ),
        (
            "x=0; y @ generic aliases x",
            &["st.weak.u32 [x], 1; ld.weak.u8 r0, [y]"],
            "exists (P0:r0 == 1)",
        ),
        ("y=0; x=y", &["st.weak.u32 [x], 1; ld.weak.u8 r0, [x]"], "exists (P0:r0 == 1)"),
    ] {
        let answer = holds(&test(state, threads, condition), "ptx-8");
        said.push_str(&format!(
            "{} {}\n    {}\n",
            threads.join(" | "),
            condition,
            answer.expect_err("it is refused")
        ));
    }
    insta::assert_snapshot!(said, @r"
    atom.add.relaxed.gpu.u32 r0, [x], 1; ld.weak.u8 r1, [x] exists (P0:r0 == 0)
        accesses of 32 and of 8 bits to `x`: read-modify-writes of such a location are not answered; that two which overlap are atomic is all that PTX ISA 8.7.2 says
    st.release.gpu.u32 [x], 1 | ld.acquire.gpu.u8 r0, [x] exists (P1:r0 == 1)
        accesses of 32 and of 8 bits to `x`, by two threads: a strong access among them is not answered, since only operations that overlap completely are morally strong (PTX ISA 8.7)
    st.weak.u32 [x], 1; ld.weak r0, [x]; ld.weak.u8 r1, [x] exists (P0:r0 == 1)
        accesses of 32 and of 8 bits to `x`: write the type of this access, which says how wide it is
    st.weak.u32 [x], 1; ld.weak.u16 r0, [x+1] exists (P0:r0 == 1)
        accesses of 32 and of 16 bits to `x`: an access of 16 bits is not aligned at byte 1
    st.weak.u32 [x], 1; ld.weak.u8 r0, [x+4] exists (P0:r0 == 1)
        accesses of 32 and of 8 bits to `x`: `x` has 4 bytes, and this access is not in them
    st.weak.u32 [x], 1; ld.weak.u8 r0, x[1] exists (P0:r0 == 1)
        accesses of 32 and of 8 bits to `x`: `x` has 2 bytes, each element 8 bits, as its narrowest access, and this access is not in them
    st.weak.b128 [x], 1; ld.weak.u8 r0, [x] exists (P0:r0 == 1)
        accesses of 128 and of 8 bits to `x`: accesses of 128 bits are not taken apart
    st.weak.v2.u16 [x], {1, 2}; ld.weak.u8 r0, [x] exists (P0:r0 == 1)
        accesses of 16 and of 8 bits to `x`: vectors and packed types whose elements are not the narrowest are not taken apart
    st.weak.u32 [x], 1; ld.weak.u8 r0, [x] exists (x < 5)
        accesses of 32 and of 8 bits to `x`: the condition may ask whether `x` equals a number, and nothing else
    st.weak.u32 [x], 1; ld.weak.u8 r0, [x] exists (x == P0:r0)
        accesses of 32 and of 8 bits to `x`: the condition may ask whether `x` equals a number, and nothing else
    st.weak.u32 [x], 1; ld.weak.u8 r0, [x]; ld.weak r1, [y]; ld.weak r2, [r1] exists (P0:r0 == 1)
        accesses of 32 and of 8 bits to `x`: such a test is not answered if an address is in a register, where it may be that of `x`
    st.weak.u32 [x], 1; ld.weak.u8 r0, [y] exists (P0:r0 == 1)
        accesses of 32 and of 8 bits to `x` that are not taken apart: whether they race is not looked into, and if so the model does not apply (PTX ISA 8.7.2)
    st.weak.u32 [x], 1; ld.weak.u8 r0, [x] exists (P0:r0 == 1)
        accesses of 32 and of 8 bits to `x`: an address is not taken apart
    ");
}

#[test]
fn other_uses_of_such_tests_say_why_not() {
    let text = test("x=0", &["st.weak.u32 [x], 1; ld.weak.u8 r0, [x+1]"], "exists (P0:r0 == 1)");
    let read = read::test(&SourceFile::new("t", text)).expect("a test");
    let said = margay_litmus::identity::IdentityForm::of(&read.test)
        .map(|_| ())
        .map_err(|e| e.to_string());
    assert!(
        said.as_ref().is_err_and(|e| e.contains("`margay run` answers such a test")),
        "{said:?}"
    );
}
