//! Strong reads that may be out of date: what a thread was told of by a flag, a counter or a lock,
//! and no fence orders.

use std::collections::BTreeSet;

use margay_kernel::launch::Launch;
use margay_kernel::{
    Finding, FindingKind, KernelAnswer, KernelQuestion, RepairAnswer, ask, hardened, weakened,
};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

const LAUNCH: [u32; 2] = [2, 1];

/// A kernel of two blocks over `x`, `y`, `flag` and `out`: what each does.
fn kernel(first: &str, second: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 x;\n.visible .global .align 4 .u32 y;\n\
         .visible .global .align 4 .u32 flag;\n.visible .global .align 4 .b8 out[16];\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n\
         .reg .b32 %r<9>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\nmov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra $SECOND;\n{first}\nret;\n\
         $SECOND:\n{second}\nret;\n}}\n"
    )
}

fn asked_in(text: &str, [blocks, threads]: [u32; 2]) -> KernelAnswer {
    let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches = [Launch::new(blocks, threads)];
    let question = KernelQuestion {
        launches: &launches,
        repairs: true,
        ..KernelQuestion::new(text, &module, 0)
    };
    ask(&question).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// What goes wrong; each finding is confirmed by both engines.
fn kinds(text: &str) -> BTreeSet<FindingKind> {
    let answer = asked_in(text, LAUNCH);
    for finding in &answer.launches[0].findings {
        let test = read::test(&SourceFile::new("found.litmus", finding.litmus.clone()))
            .unwrap_or_else(|e| panic!("{e:?}"))
            .test;
        let verdict = Runner::new(finding.model().expect("a model")).run(
            &test,
            &Options::default(),
            Choice::Both,
        );
        assert!(verdict.expect("an answer").reachable || finding.with_races, "{}", finding.litmus);
    }
    assert!(
        answer.is_settled(false) || answer.wrong().is_some(),
        "{:?}\n{text}",
        answer.not_looked()
    );
    answer.launches[0].findings.iter().map(|f| f.kind).collect()
}

fn stale() -> BTreeSet<FindingKind> {
    [FindingKind::Stale].into()
}

/// Waits for the flag.
fn wait(order: &str) -> String {
    format!(
        "$WAIT:\nld.{order}.global.u32 %r2, [flag];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra $WAIT;\n"
    )
}

const DATA: &str = "st.relaxed.gpu.global.u32 [x], 42;\n";
const TAKEN: &str = "ld.relaxed.gpu.global.u32 %r3, [x];\nst.global.u32 [out], %r3;";

/// Message passing, with every pair of fences and orders: it is out of date unless both sides
/// order, for both blocks.
#[test]
fn a_flag_orders_where_both_sides_do() {
    let stores = [
        ("st.relaxed.gpu.global.u32 [flag], 1;", false),
        ("st.volatile.global.u32 [flag], 1;", false),
        ("st.release.gpu.global.u32 [flag], 1;", true),
        ("fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [flag], 1;", true),
        ("fence.acq_rel.cta;\nst.relaxed.gpu.global.u32 [flag], 1;", false),
        ("fence.sc.sys;\nred.relaxed.gpu.global.add.u32 [flag], 1;", true),
    ];
    let relaxed = wait("relaxed.gpu");
    let loads = [
        (relaxed.clone(), false),
        (wait("volatile"), false),
        (wait("acquire.gpu"), true),
        (format!("{relaxed}fence.acq_rel.gpu;\n"), true),
        (format!("{relaxed}fence.acq_rel.cta;\n"), false),
    ];
    for (store, releases) in stores {
        for (load, acquires) in &loads {
            let found = kinds(&kernel(&format!("{DATA}{store}"), &format!("{load}{TAKEN}")));
            assert_eq!(
                found,
                if releases && *acquires { BTreeSet::new() } else { stale() },
                "{store}\n{load}"
            );
        }
    }
}

/// The cheapest repair orders both sides, and nothing goes wrong with it.
#[test]
fn it_is_repaired() {
    let answer = asked_in(
        &kernel(
            &format!("{DATA}st.relaxed.gpu.global.u32 [flag], 1;"),
            &(wait("relaxed.gpu") + TAKEN),
        ),
        LAUNCH,
    );
    let finding = &answer.launches[0].findings[0];
    let RepairAnswer::Changes(changes) = &finding.repair else { panic!("{:?}", finding.repair) };
    let texts: Vec<&str> = changes.iter().map(|change| change.text.as_str()).collect();
    assert_eq!(texts, ["st.release.gpu.u32", "ld.acquire.gpu.u32"]);
    assert!(finding.litmus.contains("x, 42"), "{}", finding.litmus);
    let spots: Vec<&str> = finding.stands.iter().map(|s| s.spot.text.as_str()).collect();
    assert_eq!(spots, ["st.relaxed.gpu.global.u32 [x], 42", "ld.relaxed.gpu.global.u32 %r3, [x]"]);
}

/// What a thread was told by, and what it does with what it reads.
#[test]
fn of_other_shapes() {
    let (data, flag) = (DATA, "st.relaxed.gpu.global.u32 [flag], 1;");
    let told = wait("relaxed.gpu");
    let first = format!("{data}{flag}");
    let of_floats =
        "ld.volatile.global.f32 %f1, [x];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [out], %f2;";
    let of_shape = |second: String, expected: BTreeSet<FindingKind>| {
        assert_eq!(kinds(&kernel(&first, &second)), expected, "{second}");
    };
    // A value that nobody interprets.
    of_shape(format!("{told}{of_floats}"), stale());
    // Nobody keeps it.
    of_shape(format!("{told}ld.relaxed.gpu.global.u32 %r3, [x];"), BTreeSet::new());
    // It decides a branch: the thread may look again.
    of_shape(
        format!(
            "{told}$AGAIN:\nld.relaxed.gpu.global.u32 %r3, [x];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra $AGAIN;\nst.global.u32 [out], %r3;"
        ),
        BTreeSet::new(),
    );
    // It was told nothing: what it saw of the flag decides nothing.
    of_shape(
        format!("ld.relaxed.gpu.global.u32 %r2, [flag];\nst.global.u32 [out+4], %r2;\n{TAKEN}"),
        BTreeSet::new(),
    );
    // It reads the flag again, and goes by that: what it has read may be thrown away.
    of_shape(
        format!(
            "{told}ld.relaxed.gpu.global.u32 %r3, [x];\nld.relaxed.gpu.global.u32 %r4, [flag];\nsetp.ne.u32 %p3, %r4, %r2;\n@%p3 bra $END;\n\
             st.global.u32 [out], %r3;\n$END:"
        ),
        BTreeSet::new(),
    );
    // Told by a branch that does not wait, through the number that a counter gave.
    let counted = "atom.relaxed.gpu.global.add.u32 %r2, [flag], 1;";
    let text = kernel(
        &format!("{data}{counted}"),
        &format!("{counted}\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra $END;\n{TAKEN}\n$END:"),
    );
    assert_eq!(kinds(&text), stale());
    // A lock that orders nothing, around a strong counter.
    let locked = |fences: [&str; 2]| {
        let [behind, in_front] = fences;
        format!(
            "$TRY:\natom.relaxed.gpu.global.cas.b32 %r2, [flag], 0, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra $TRY;\n{behind}\n\
             ld.volatile.global.u32 %r3, [x];\nadd.u32 %r4, %r3, 1;\nst.volatile.global.u32 [x], %r4;\n{in_front}\n\
             st.relaxed.gpu.global.u32 [flag], 0;"
        )
    };
    let both = |code: String| kernel(&code, &code.replace("$TRY", "$TRY2"));
    let fence = "fence.acq_rel.gpu;";
    assert_eq!(kinds(&both(locked(["", ""]))), stale());
    assert_eq!(kinds(&both(locked([fence, ""]))), stale());
    assert_eq!(kinds(&both(locked([fence, fence]))), BTreeSet::new());
}

/// A read whose value nobody uses is not asked about, and hides none that is: in front of it,
/// behind it, and at another place.
#[test]
fn reads_that_nobody_uses_hide_none() {
    let first =
        format!("{DATA}st.relaxed.gpu.global.u32 [y], 42;\nst.relaxed.gpu.global.u32 [flag], 1;");
    let idle = |order: &str, place: &str| format!("ld.{order}.global.u32 %r5, [{place}];\n");
    let (told, acquired) = (wait("relaxed.gpu"), wait("acquire.gpu"));
    let released =
        first.replace("st.relaxed.gpu.global.u32 [flag]", "st.release.gpu.global.u32 [flag]");
    for (first, second, expected) in [
        (&first, format!("{told}{}{TAKEN}", idle("relaxed.gpu", "x")), stale()),
        (&first, format!("{told}{TAKEN}\n{}", idle("relaxed.gpu", "x")), stale()),
        (&first, format!("{told}{}{TAKEN}", idle("volatile", "y")), stale()),
        (&first, format!("{told}{}fence.acq_rel.gpu;\n{TAKEN}", idle("volatile", "y")), stale()),
        (&released, format!("{told}{}{TAKEN}", idle("relaxed.gpu", "x")), stale()),
        // Nobody uses what it reads, but it acquires.
        (&released, format!("{told}{}{TAKEN}", idle("acquire.gpu", "flag")), BTreeSet::new()),
        (
            &released,
            format!("{told}{}fence.acq_rel.gpu;\n{TAKEN}", idle("relaxed.gpu", "flag")),
            BTreeSet::new(),
        ),
        (&released, format!("{acquired}{}{TAKEN}", idle("relaxed.gpu", "x")), BTreeSet::new()),
        // Such a read alone is no finding.
        (&first, format!("{told}{}", idle("relaxed.gpu", "x")), BTreeSet::new()),
    ] {
        assert_eq!(kinds(&kernel(first, &second)), expected, "{first}\n{second}");
    }
}

/// Where all write one number, a thread that has written it reads nothing else, whatever it was
/// told of.
#[test]
fn a_number_that_all_write_is_not_out_of_date() {
    let counted = "atom.relaxed.gpu.global.add.u32 %r2, [flag], 1;\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra $END;\n";
    let block = |write: &str| format!("{write}\n{counted}{TAKEN}\n$END:");
    let of = |first: &str, second: &str| {
        kinds(&kernel(&block(first), &block(second).replace("$END", "$END2")))
    };
    let (one, two) = ("st.volatile.global.u32 [x], 1;", "st.volatile.global.u32 [x], 2;");
    assert_eq!(of(one, one), BTreeSet::new());
    assert_eq!(of(one, two), stale());
    // Who has not written it may read what was there at the start.
    assert_eq!(of(one, ""), stale());
    let on_one_way = "ld.volatile.global.u32 %r5, [y];\nsetp.ne.u32 %p3, %r5, 0;\n@%p3 bra $PAST;\nst.volatile.global.u32 [x], 1;\n$PAST:";
    let asked = "st.volatile.global.u32 [y], 1;\nst.volatile.global.u32 [x], 1;";
    assert_eq!(of(asked, on_one_way), stale());
    // A sum is no number.
    assert_eq!(of(one, &format!("{one}\nred.relaxed.gpu.global.add.u32 [x], 1;")), stale());
}

/// A kernel of two blocks over a vector `line`.
fn vectors(first: &str, second: &str) -> String {
    let declared = ".visible .global .align 16 .b8 line[16];\n.visible .entry";
    kernel(first, second).replace(".visible .entry", declared)
}

/// The elements of a vector are accessed in no order (8.2.4): who checks one of them, wherever it
/// stands, may have read another one before it was written.
#[test]
fn a_vector_is_as_new_as_what_was_checked_of_it() {
    let store = "st.volatile.global.v4.u32 [line], {1, 2, 3, 4};";
    let wait = |checked: &str| {
        format!(
            "$WAIT:\nld.volatile.global.v4.u32 {{%r2, %r3, %r4, %r5}}, [line];\nand.b32 %r6, {checked};\nsetp.eq.u32 %p2, %r6, 0;\n\
             @%p2 bra $WAIT;\n"
        )
    };
    let taken = |register: &str| format!("st.global.u32 [out], {register};");
    for (checked, register, expected) in [
        ("%r2, 7", "%r5", stale()),
        ("%r5, 7", "%r2", stale()),
        ("%r3, 7", "%r4", stale()),
        // What was checked itself.
        ("%r2, 7", "%r2", BTreeSet::new()),
        ("%r5, 7", "%r5", BTreeSet::new()),
    ] {
        let text = vectors(store, &format!("{}{}", wait(checked), taken(register)));
        assert_eq!(kinds(&text), expected, "{checked} {register}");
        // Orders on the accesses mend the test, in which elements stand one behind the other, and
        // not the kernel.
        let is_open = |finding: &Finding| matches!(&finding.repair, RepairAnswer::Open(why) if why.contains("the elements of a vector"));
        assert!(
            asked_in(&text, LAUNCH).launches[0].findings.iter().all(is_open),
            "{checked} {register}"
        );
    }
    // Each element is checked.
    let pair = "$WAIT:\nld.volatile.global.v2.u32 {%r2, %r3}, [line];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra $WAIT;\nsetp.eq.u32 %p3, %r3, 0;\n\
                @%p3 bra $WAIT;\n";
    assert_eq!(kinds(&vectors(store, &format!("{pair}{}", taken("%r3")))), BTreeSet::new());
    // Two stores, one behind the other, are no vector; nor is one word of 64 bits.
    let apart = "st.volatile.global.u32 [line], 1;\nst.volatile.global.u32 [line+4], 2;";
    let last = "$WAIT:\nld.volatile.global.v2.u32 {%r2, %r3}, [line];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra $WAIT;\nst.global.u32 [out], %r3;";
    assert_eq!(kinds(&vectors(apart, last)), BTreeSet::new(), "it may be read between the two");
    let word = "$WAIT:\nld.volatile.global.u64 %rd1, [line];\ncvt.u32.u64 %r2, %rd1;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra $WAIT;\n\
                shr.u64 %rd2, %rd1, 32;\ncvt.u32.u64 %r3, %rd2;\nst.global.u32 [out], %r3;";
    assert_eq!(
        kinds(&vectors("st.volatile.global.u64 [line], 21474836481;", word)),
        BTreeSet::new()
    );
}

/// A loop that reads flag and data in each round, and leaves by the flag, reads nothing again.
#[test]
fn data_that_is_read_in_the_loop_that_waits() {
    let first = format!("{DATA}fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [flag], 1;");
    let poll = |fence: &str| {
        format!(
            "$WAIT:\nld.relaxed.gpu.global.u32 %r2, [flag];\n{fence}ld.relaxed.gpu.global.u32 %r3, [x];\nsetp.eq.u32 %p2, %r2, 0;\n\
             @%p2 bra $WAIT;\nst.global.u32 [out], %r3;"
        )
    };
    assert_eq!(kinds(&kernel(&first, &poll(""))), stale());
    assert_eq!(kinds(&kernel(&first, &poll("fence.acq_rel.gpu;\n"))), BTreeSet::new());
}

/// A place that is accessed in two widths is not asked about, and that is said.
#[test]
fn places_of_two_widths_are_named() {
    let first = |own: &str| format!("{own}{DATA}st.relaxed.gpu.global.u32 [flag], 1;");
    let second = wait("relaxed.gpu") + TAKEN;
    let of_two = asked_in(
        &kernel(&first("ld.volatile.global.u16 %r4, [x];\nst.global.u32 [out+4], %r4;\n"), &second),
        LAUNCH,
    );
    assert!(of_two.wrong().is_none(), "{:?}", of_two.launches[0].findings);
    assert!(
        of_two.not_looked().iter().any(|n| n.why.contains("accessed in two widths")),
        "{:?}",
        of_two.not_looked()
    );
    assert_eq!(kinds(&kernel(&first(""), &second)), stale());
}

/// Threads of a block that meet at a barrier are told by it, and it orders.
#[test]
fn barriers_tell_and_order() {
    let code = |barrier: &str| {
        let text = kernel(
            &format!("st.volatile.global.u32 [x], 1;\n{barrier}"),
            &format!("{barrier}\nld.volatile.global.u32 %r3, [x];\nst.global.u32 [out], %r3;"),
        );
        asked_in(&text.replace("%ctaid.x", "%tid.x"), [1, 2]).launches[0]
            .findings
            .iter()
            .map(|f| f.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(code("barrier.sync 0;"), []);
}

/// Numbers that look random, the same every time (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n) as usize
    }
}

/// Is such a read found in a launch? The whole program, not what is left of it for one read, has to
/// have an execution with one exactly then.
fn is_found_as_in_the_whole(text: &str, launch: [u32; 2]) -> bool {
    let answer = asked_in(text, launch);
    let launch = &answer.launches[0];
    let is_found = launch.findings.iter().any(|f| f.kind == FindingKind::Stale);
    assert!(
        launch.findings.iter().all(|f| f.kind == FindingKind::Stale),
        "{:?}\n{text}",
        launch.findings
    );
    let whole = read::test(&SourceFile::new("whole.litmus", launch.litmus.clone()))
        .unwrap_or_else(|e| panic!("{e:?}"))
        .test;
    let model = answer.reading.only_stale().expect("a model");
    let verdict =
        Runner::new(model).run(&whole, &Options::default(), Choice::Both).expect("an answer");
    assert_eq!(is_found, verdict.reachable, "{text}\n{}", launch.litmus);
    is_found
}

/// Random threads of strong accesses, branches and fences: a read is found exactly where the whole
/// program, not what is left of it for one read, has an execution with one; of reads that decide
/// nothing, and no thread reads a place twice.
#[test]
fn what_is_left_out_changes_nothing() {
    let mut numbers = Numbers(0x0b5e_55ed_c0de_2026);
    let mut found = [0, 0];
    for _ in 0..700 {
        let places = ["x", "y", "flag"];
        let mut code = [String::new(), String::new()];
        for (thread, text) in code.iter_mut().enumerate() {
            let mut read = [false; 3];
            for n in 0..5 {
                let place = numbers.below(3);
                let name = places[place];
                let (order, fence) = (numbers.below(3), numbers.below(3));
                match numbers.below(6) {
                    0 | 1 => {
                        let order = ["volatile", "relaxed.gpu", "release.gpu"][order];
                        *text +=
                            &format!("st.{order}.global.u32 [{name}], {};\n", 2 * n + thread + 1);
                    }
                    2 | 3 if !read[place] => {
                        read[place] = true;
                        let order = ["volatile", "relaxed.gpu", "acquire.gpu"][order];
                        *text += &format!("ld.{order}.global.u32 %r{}, [{name}];\n", place + 2);
                        // The flag decides, and the others are kept.
                        *text += &match place {
                            2 => format!("setp.eq.u32 %p2, %r4, 0;\n@%p2 bra $END{thread};\n"),
                            _ => format!(
                                "st.global.u32 [out+{}], %r{};\n",
                                8 * thread + 4 * place,
                                place + 2
                            ),
                        };
                    }
                    _ => *text += ["fence.acq_rel.gpu;\n", "fence.acq_rel.cta;\n", ""][fence],
                }
            }
            *text += &format!("$END{thread}:");
        }
        let text = kernel(&code[0], &code[1]);
        found[usize::from(is_found_as_in_the_whole(&text, LAUNCH))] += 1;
    }
    assert!(found.iter().all(|n| *n >= 15), "{found:?}");
}

/// Random blocks of two threads, with barriers between what they do, and what the first thread saw
/// of the flag handed on to the second through shared memory: again a read is found exactly where
/// the whole program has an execution with one.
#[test]
fn what_is_left_out_of_blocks_changes_nothing() {
    let mut numbers = Numbers(0x0b10_c5ed_c0de_2026);
    let mut found = [0, 0];
    for _ in 0..400 {
        let meets = [numbers.below(3) > 0, numbers.below(3) > 0];
        let mut code = String::new();
        for thread in 0..4 {
            code += &format!("$T{thread}:\nmov.u32 %r4, 0;\n");
            let mut read_flag = false;
            for part in 0..2 {
                for n in 0..=numbers.below(3) {
                    let name = ["x", "y", "flag"][numbers.below(3)];
                    let (order, fence) = (numbers.below(3), numbers.below(3));
                    match numbers.below(5) {
                        0 => {
                            let order = ["volatile", "relaxed.gpu", "release.gpu"][order];
                            code += &format!(
                                "st.{order}.global.u32 [{name}], {};\n",
                                20 * part + 4 * n + thread + 1
                            );
                        }
                        1 | 2 if name != "flag" => {
                            let order = ["volatile", "relaxed.gpu", "acquire.gpu"][order];
                            let at = 32 * thread + 16 * part + 4 * n;
                            code += &format!(
                                "ld.{order}.global.u32 %r5, [{name}];\nst.global.u32 [out+{at}], %r5;\n"
                            );
                        }
                        3 if !read_flag => {
                            read_flag = true;
                            let order = ["volatile", "relaxed.gpu", "acquire.gpu"][order];
                            code += &format!(
                                "ld.{order}.global.u32 %r4, [flag];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra $END{thread}_{part};\n"
                            );
                        }
                        _ => code += ["fence.acq_rel.gpu;\n", "fence.acq_rel.cta;\n", ""][fence],
                    }
                }
                code += &format!("$END{thread}_{part}:\n");
                if part == 0 && meets[thread / 2] {
                    code += &match thread % 2 {
                        0 => "st.shared.u32 [s], %r4;\nbarrier.sync 0;\n".to_owned(),
                        _ => format!(
                            "barrier.sync 0;\nld.shared.u32 %r6, [s];\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra $END{thread}_1;\n"
                        ),
                    };
                }
            }
            code += "ret;\n";
        }
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 x;\n.visible .global .align 4 .u32 y;\n\
             .visible .global .align 4 .u32 flag;\n.visible .global .align 4 .b8 out[128];\n.shared .align 4 .u32 s;\n.visible .entry k()\n{{\n\
             .reg .pred %p<9>;\n.reg .b32 %r<9>;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r3, %r1, 2, %r2;\n\
             setp.eq.u32 %p4, %r3, 1;\nsetp.eq.u32 %p5, %r3, 2;\nsetp.eq.u32 %p6, %r3, 3;\n@%p4 bra $T1;\n@%p5 bra $T2;\n@%p6 bra $T3;\n{code}}}\n"
        );
        found[usize::from(is_found_as_in_the_whole(&text, [2, 2]))] += 1;
    }
    assert!(found.iter().all(|n| *n >= 10), "{found:?}");
}

/// The elements of a vector are accessed in no order (PTX ISA 8.2.4): a flag that is released with
/// the data, in one vector, says nothing of the data, whichever element it is.
#[test]
fn a_flag_in_a_vector_says_nothing_of_the_other_element() {
    let second = |flag: u32| {
        format!(
            "$WAIT:\nld.acquire.gpu.global.u32 %r2, [out+{flag}];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra $WAIT;\n\
             ld.relaxed.gpu.global.u32 %r3, [out+{}];\nsetp.ne.u32 %p3, %r3, 7;\n@%p3 trap;",
            4 - flag
        )
    };
    let sets = "mov.u32 %r4, 7;\n";
    for flag in [0, 4] {
        let one = format!("{sets}st.release.gpu.global.v2.u32 [out], {{%r4, %r4}};");
        let answer = asked_in(&kernel(&one, &second(flag)), LAUNCH);
        assert_eq!(kinds(&kernel(&one, &second(flag))), [FindingKind::Trap].into(), "{flag}");
        let finding = &answer.launches[0].findings[0];
        assert_eq!(
            finding.why.iter().any(|why| why.contains("The elements of a vector")),
            flag == 4,
            "{:?}",
            finding.why
        );
        // Two stores are in the order in which they stand.
        let apart = format!(
            "{sets}st.relaxed.gpu.global.u32 [out+{}], %r4;\nst.release.gpu.global.u32 [out+{flag}], %r4;",
            4 - flag
        );
        assert_eq!(kinds(&kernel(&apart, &second(flag))), BTreeSet::new(), "{flag}");
    }
}

/// Each lane of a warp stores `%r3` in its element of shared memory, and puts into `out` what its
/// neighbour stored; `%rd3` is the lane's own place, `%rd4` that of the neighbour, and `%rd5` the
/// lane's of `out`.
fn neighbours(between: &str, store: &str, load: &str, behind: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .b8 out[16];\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .shared .align 4 .b8 s[16];\nmov.u32 %r1, %tid.x;\nxor.b32 %r2, %r1, 1;\nadd.u32 %r3, %r1, 5;\nmov.u64 %rd1, s;\nmov.u64 %rd2, out;\nmul.wide.u32 %rd6, %r1, 4;\n\
         mul.wide.u32 %rd7, %r2, 4;\nadd.u64 %rd3, %rd1, %rd6;\nadd.u64 %rd4, %rd1, %rd7;\nadd.u64 %rd5, %rd2, %rd6;\nst.shared.u32 [%rd3], 0;\nbar.sync 0;\n\
         {store} [%rd3], %r3;\n{between}\n{load} %r4, [%rd4];\n{behind}\nst.global.u32 [%rd5], %r4;\nret;\n}}\n"
    )
}

/// Nothing says that lanes go in step: `volatile` accesses do not race, and a lane may read what
/// its neighbour has not written yet.
#[test]
fn lanes_that_are_taken_to_go_in_step_are_told_of() {
    let found = |text: &str| -> Vec<FindingKind> {
        let answer = asked_in(text, [1, 2]);
        assert!(
            answer.is_settled(false) || answer.wrong().is_some(),
            "{:?}\n{text}",
            answer.not_looked()
        );
        for finding in &answer.launches[0].findings {
            let test = read::test(&SourceFile::new("found.litmus", finding.litmus.clone()))
                .unwrap_or_else(|e| panic!("{e:?}"))
                .test;
            let verdict = Runner::new(finding.model().expect("a model")).run(
                &test,
                &Options::default(),
                Choice::Both,
            );
            assert!(verdict.expect("an answer").race.is_some(), "{}", finding.litmus);
        }
        answer.launches[0].findings.iter().map(|f| f.kind).collect()
    };
    let volatile =
        |between: &str| neighbours(between, "st.volatile.shared.u32", "ld.volatile.shared.u32", "");
    assert_eq!(found(&volatile("")), [FindingKind::Stale]);
    assert_eq!(
        found(&neighbours("", "st.relaxed.cta.shared.u32", "ld.relaxed.cta.shared.u32", "")),
        [FindingKind::Stale]
    );
    // A fence orders what one lane does, and makes no other lane come.
    assert_eq!(found(&volatile("fence.acq_rel.cta;")), [FindingKind::Stale]);
    for meets in ["bar.warp.sync 0xffffffff;", "bar.sync 0;"] {
        assert_eq!(found(&volatile(meets)), [], "{meets}");
    }
    // Who looks again until it is there waits for it, and takes no step for granted.
    let waits = "L:\nld.volatile.shared.u32 %r5, [%rd4];\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra L;";
    assert_eq!(found(&volatile(waits)), []);
    // All write the number there that is there.
    assert_eq!(found(&volatile("").replace("[%rd3], %r3", "[%rd3], 0")), []);
    // What is read decides which way the lane goes, and does not come to memory otherwise.
    let decides = "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra OUT;\nmov.u32 %r4, 1;\nOUT:";
    assert_eq!(
        found(&neighbours("", "st.volatile.shared.u32", "ld.volatile.shared.u32", decides)),
        []
    );
}

/// No test of what may be weaker asks about them, which is said: without `bar.warp.sync` nothing
/// would fail there.
#[test]
fn lanes_in_step_are_named_where_nothing_asks_about_them() {
    let named = |store: &str, load: &str| {
        let text = neighbours("bar.warp.sync 0xffffffff;", store, load, "");
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let launches = [Launch::new(1, 2)];
        let question =
            KernelQuestion { launches: &launches, ..KernelQuestion::new(&text, &module, 0) };
        [hardened(&question).expect("an answer").1, weakened(&question).expect("an answer").1]
            .map(|all| all.iter().any(|not| not.why.contains("lanes that are taken to go in step")))
    };
    assert_eq!(named("st.volatile.shared.u32", "ld.volatile.shared.u32"), [true, true]);
    assert_eq!(named("st.shared.u32", "ld.shared.u32"), [false, false]);
}

/// The last steps of a sum, as in old samples of CUDA: lanes add what others have added to theirs
/// one instruction before.
#[test]
fn a_sum_of_a_warp_without_its_barriers_is_told_of() {
    let sum = |between: &str| {
        let step = |by: u32| {
            format!(
                "ld.volatile.shared.u32 %r2, [%rd3];\nld.volatile.shared.u32 %r3, [%rd3+{by}];\nadd.u32 %r2, %r2, %r3;\n{between}\nst.volatile.shared.u32 [%rd3], %r2;\n{between}\n"
            )
        };
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .b8 out[16];\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             .shared .align 4 .b8 s[32];\nmov.u32 %r1, %tid.x;\nmov.u64 %rd1, s;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.volatile.shared.u32 [%rd3], 1;\n\
             st.volatile.shared.u32 [%rd3+16], 0;\nbar.sync 0;\n{}{}setp.ne.u32 %p1, %r1, 0;\n@%p1 bra OUT;\nld.volatile.shared.u32 %r4, [%rd3];\nst.global.u32 [out], %r4;\nOUT:\nret;\n}}\n",
            step(8),
            step(4)
        )
    };
    for (between, expected) in
        [("", vec![FindingKind::Stale]), ("bar.warp.sync 0xffffffff;", vec![])]
    {
        let answer = asked_in(&sum(between), [1, 4]);
        assert!(answer.is_settled(false) || answer.wrong().is_some(), "{:?}", answer.not_looked());
        assert_eq!(
            answer.launches[0].findings.iter().map(|f| f.kind).collect::<Vec<_>>(),
            expected,
            "{between}"
        );
    }
}
