//! PTX to rows: what compilers print, in small.

use std::collections::BTreeMap;
use std::path::Path;

use margay_extract::flow::explore;
use margay_extract::lowering::{LoweringAnswer, rows};
use margay_extract::point::{Point, What};
use margay_extract::ptx;
use margay_extract::table::path_text;
use margay_models::execution::{Order, Scope};

/// A module with one function whose first parameter points to the object.
fn module(body: &str) -> String {
    format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .func f(.param .b64 f_0, .param .b64 f_1, .param .b32 f_2, .param .b32 f_3)\n{{\n\
         .local .align 8 .b8 __local_depot0[16];\n.reg .b64 %SP; .reg .b64 %SPL; .reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<40>;\n\
         .reg .b64 %rd<20>;\nld.param.u64 %rd1, [f_0];\n{body}\nret;\n}}\n"
    )
}

fn paths(body: &str) -> Vec<String> {
    let module = ptx::read(&module(body)).unwrap_or_else(|e| panic!("{e}"));
    path_text(&explore(&module, &module.functions[0], 1))
}

/// The rows of a point, as text: what it is, or why there is none.
fn answers(what: What, order: Order, body: &str) -> Vec<String> {
    let module = ptx::read(&module(body)).unwrap_or_else(|e| panic!("{e}"));
    let explored = explore(&module, &module.functions[0], 1);
    let data = (what != What::Fence).then_some(2);
    let point = Point { what, order, scope: Some(Scope::Gpu), data };
    rows(&point, &explored)
        .into_iter()
        .map(|row| match row.answer {
            LoweringAnswer::Lowered(all) => {
                all.iter().map(|s| s.text(None)).collect::<Vec<_>>().join(" or ")
            }
            LoweringAnswer::Other(what) => format!("other: {what}"),
            LoweringAnswer::Absent(why) | LoweringAnswer::Unknown(why) => why,
        })
        .collect()
}

/// Qualifiers come in any order, with defaults and hints.
#[test]
fn qualifiers_in_any_order() {
    for (printed, meant) in [
        ("ld.acquire.gpu.b32 %r1,[%rd1];", "ld.acquire.gpu"),
        ("ld.global.gpu.acquire.u32 %r1, [%rd1];", "ld.acquire.gpu"),
        ("ld.relaxed.sys.global.L1::no_allocate.L2::128B.b32 %r1, [%rd1+0];", "ld.relaxed.sys"),
        ("ld.volatile.global.u32 %r1, [%rd1];", "ld.volatile"),
        ("ld .acquire.gpu\n\t.global /* here */ .b32 %r1, [ %rd1 ] ;", "ld.acquire.gpu"),
        ("ld.u32 %r1, [%rd1];", "ld.weak"),
        ("ld.weak.global.ca.u32 %r1, [%rd1];", "ld.weak"),
    ] {
        assert_eq!(answers(What::Load, Order::Acq, printed), [meant], "{printed}");
    }
    for (printed, meant) in [
        ("atom.cta.relaxed.add.u32 %r2, [%rd1], %r1;", "atom.relaxed.cta"),
        ("atom.exch.relaxed.sys.b32 %r2, [%rd1], %r1;", "atom.relaxed.sys"),
        ("atom.global.add.u32 %r2, [%rd1], %r1;", "atom"),
        ("atom.acq_rel.gpu.shared::cluster.inc.u32 %r2, [%rd1], %r1;", "atom.acq_rel.gpu"),
        ("atom.add.noftz.f32 %r2, [%rd1], 0f3F800000;", "atom"),
        ("atom.acquire.add.u32 _, [%rd1], 1;", "atom.acquire"),
    ] {
        assert_eq!(answers(What::Rmw(1), Order::Acq, printed), [meant], "{printed}");
    }
    for (printed, meant) in [
        ("fence.cta.sc;", "fence.sc.cta"),
        ("fence.sc.gpu;", "fence.sc.gpu"),
        ("fence .sc .gpu ;", "fence.sc.gpu"),
        ("fence.gpu;", "fence.acq_rel.gpu"),
        ("membar.gl;", "fence.sc.gpu"),
        ("fence.acquire.sys; fence.release.sys;", "fence.acquire.sys ; fence.release.sys"),
        ("", "nothing"),
    ] {
        assert_eq!(answers(What::Fence, Order::Sc, printed), [meant], "{printed}");
    }
}

/// Of qualifiers that contradict each other neither is believed, whichever comes last.
#[test]
fn qualifiers_that_contradict_each_other() {
    let wrong = [
        ("ld.relaxed.acquire.gpu.b32 %r1, [%rd1];", "says its order twice"),
        ("ld.acquire.relaxed.gpu.b32 %r1, [%rd1];", "says its order twice"),
        ("ld.volatile.acquire.gpu.b32 %r1, [%rd1];", "says its order twice"),
        ("ld.acquire.gpu.sys.b32 %r1, [%rd1];", "says its scope twice"),
        ("ld.acquire.gpu.b32.b64 %r1, [%rd1];", "says its type twice"),
        ("ld.acquire.gpu.global.shared.b32 %r1, [%rd1];", "says its state space twice"),
        ("ld.acquire.b32 %r1, [%rd1];", "has an order and no scope"),
        ("ld.weak.gpu.b32 %r1, [%rd1];", "has a scope and no order"),
        ("ld.gpu.b32 %r1, [%rd1];", "has a scope and no order"),
        ("ld.volatile.gpu.b32 %r1, [%rd1];", "has a scope and no order"),
        ("ld.release.gpu.b32 %r1, [%rd1];", "`.release` of"),
        ("ld.acquire.gpu %r1, [%rd1];", "has no type"),
        ("st.acquire.gpu.b32 [%rd1], %r1;", "`.acquire` of"),
        ("atom.weak.add.u32 %r2, [%rd1], %r1;", "`.weak` of"),
        ("atom.relaxed.gpu.u32 %r2, [%rd1], %r1;", "has no operation"),
        ("atom.relaxed.gpu.add.min.u32 %r2, [%rd1], %r1;", "says its operation twice"),
        ("atom.acquire.release.gpu.add.u32 %r2, [%rd1], %r1;", "says its order twice"),
        ("red.acquire.gpu.add.u32 [%rd1], %r1;", "`.acquire` of"),
        ("fence.sc.acq_rel.gpu;", "says its order twice"),
        ("fence.sc.gpu.gpu;", "says its scope twice"),
        ("fence.sc;", "has no scope"),
        ("fence.relaxed.gpu;", "`.relaxed` of"),
    ];
    for (printed, why) in wrong {
        let [answer] = &answers(What::Load, Order::Acq, printed)[..] else { panic!("one row") };
        assert!(answer.starts_with("other: ") && answer.contains(why), "{printed}: {answer}");
    }
}

/// Inline assembly: braces, several statements on a line, registers and labels of their own.
#[test]
fn inline_assembly() {
    let body = "
        // begin inline asm
        { .reg .pred p; .reg .b32 %r1; setp.ne.b32 p, 1, 1; @p bra L; fence.sc.gpu; L: ld.acquire.gpu.b32 %r1,[%rd1]; mov.b32 %r5, %r1; }
        // end inline asm
        { .reg .b128 _d; .reg .b128 _v; mov.b128 _d, {%rd2, %rd3}; mov.b128 _v, {%rd4, %rd5};
          atom.cas.relaxed.gpu.b128 _d,[%rd1],_d,_v; mov.b128 {%rd6, %rd7}, _d; }";
    // The branch is never taken: its predicate is known.
    assert_eq!(
        paths(body),
        ["fence.sc.gpu ; ld.acquire.gpu.b32 ; atom.cas.relaxed.gpu.b128 (succeeds or fails)"]
    );
}

/// Whether a compare-and-swap succeeded is read from the branch behind it, through predicates,
/// selections and the stack.
#[test]
fn success_is_read_from_branches() {
    let plain = "atom.cas.acquire.gpu.b32 %r3, [%rd1], %r1, %r2; setp.eq.s32 %p1, %r3, %r1; selp.u32 %r4, 1, 0, %p1;";
    assert_eq!(
        answers(What::Swap(Order::Rlx), Order::Acq, plain),
        ["atom.acquire.gpu", "atom.acquire.gpu"]
    );
    // A fence behind the success alone.
    let branch = "atom.cas.relaxed.gpu.b32 %r3, [%rd1], %r1, %r2; setp.ne.s32 %p1, %r3, %r1; @%p1 bra DONE; fence.acquire.gpu; DONE:";
    assert_eq!(
        answers(What::Swap(Order::Rlx), Order::Acq, branch),
        ["atom.relaxed.gpu ; fence.acquire.gpu", "atom.relaxed.gpu"]
    );
    // The same through a byte of the stack, a selection and an inverted predicate; the result
    // overwrites what was compared.
    let winding = "
        mov.u64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL;
        mov.u32 %r1, %r2;
        atom.cas.relaxed.gpu.b32 %r1, [%rd1], %r1, 7;
        setp.eq.s32 %p1, %r1, %r2; selp.u16 %rs1, 1, 0, %p1; st.local.u8 [%SPL+4], %rs1; ld.u8 %rs2, [%SP+4];
        and.b16 %rs3, %rs2, 255; setp.eq.s16 %p2, %rs3, 0; not.pred %p3, %p2; @!%p3 bra DONE; fence.acquire.gpu; DONE:";
    assert_eq!(
        answers(What::Swap(Order::Rlx), Order::Acq, winding),
        ["atom.relaxed.gpu ; fence.acquire.gpu", "atom.relaxed.gpu"]
    );
    // 128 bits are compared as two halves.
    let wide = "
        { .reg .b128 _d; mov.b128 _d, {%rd2, %rd3}; atom.cas.relaxed.gpu.b128 _d,[%rd1],_d,_d; mov.b128 {%rd6, %rd7}, _d; }
        xor.b64 %rd8, %rd6, %rd2; xor.b64 %rd9, %rd7, %rd3; or.b64 %rd10, %rd8, %rd9; setp.eq.s64 %p1, %rd10, 0; @%p1 bra DONE;
        fence.sc.gpu; DONE:";
    let rows = answers(What::Swap(Order::Rlx), Order::Acq, wide);
    assert_eq!(rows, ["atom.relaxed.gpu.b128", "atom.relaxed.gpu.b128 ; fence.sc.gpu"]);
}

/// A compare-exchange in a loop: the round that succeeds, the round that gives up, and what is read
/// first.
#[test]
fn loops_are_their_last_round() {
    let body = "
        and.b64 %rd2, %rd1, -4; ld.u32 %r5, [%rd2]; and.b32 %r6, %r5, %r7;
        LOOP: or.b32 %r8, %r6, %r1; or.b32 %r9, %r6, %r2;
        atom.relaxed.gpu.cas.b32 %r10, [%rd2], %r9, %r8; setp.eq.b32 %p1, %r10, %r9; @%p1 bra END;
        and.b32 %r11, %r10, %r7; setp.ne.b32 %p2, %r6, %r11; mov.b32 %r6, %r11; @%p2 bra LOOP;
        END: fence.acq_rel.gpu;";
    let both = "atom.relaxed.gpu ; fence.acq_rel.gpu";
    assert_eq!(answers(What::Swap(Order::Rlx), Order::Acq, body), [both, both]);
    // A fence in every round is the fence of one round.
    let fenced = "
        ld.relaxed.gpu.u32 %r5, [%rd1];
        LOOP: add.s32 %r6, %r5, 1; fence.sc.gpu; atom.cas.acquire.gpu.b32 %r7, [%rd1], %r5, %r6; setp.eq.s32 %p1, %r7, %r5;
        mov.u32 %r5, %r7; @!%p1 bra LOOP;";
    assert_eq!(answers(What::Rmw(1), Order::Sc, fenced), ["fence.sc.gpu ; atom.acquire.gpu"]);
}

/// The object in the thread's own memory is nobody else's; in shared memory it is a lowering of its
/// own.
#[test]
fn state_spaces_of_the_object() {
    let local = "isspacep.local %p1, %rd1; @%p1 bra LOCAL; fence.sc.gpu; ld.acquire.gpu.b32 %r1, [%rd1]; bra.uni DONE;
        LOCAL: cvta.to.local.u64 %rd2, %rd1; ld.local.u32 %r1, [%rd2]; nanosleep.u32 0; DONE:";
    assert_eq!(answers(What::Load, Order::Sc, local), ["fence.sc.gpu ; ld.acquire.gpu"]);
    let shared =
        "isspacep.shared::cta %p1, %rd1; @%p1 bra S; ld.acquire.gpu.b32 %r1, [%rd1]; bra DONE;
        S: ld.shared.relaxed.cta.b32 %r1, [%rd1]; DONE:";
    assert_eq!(answers(What::Load, Order::Acq, shared), ["ld.relaxed.cta or ld.acquire.gpu"]);
}

/// Arguments that go through the stack, calls of functions of the same file, and accesses of what
/// other pointers lead to.
#[test]
fn spills_and_calls() {
    let text = ".version 8.0
.target sm_70
.address_size 64
.func (.param .b32 out) helper(.param .b64 helper_0)
{ .reg .b64 %a<4>; .reg .b32 %b<4>; ld.param.u64 %a1, [helper_0]; ld.relaxed.gpu.u32 %b1, [%a1]; st.param.b32 [out+0], %b1; ret; }
.visible .entry kernel(.param .u64 kernel_param_0, .param .u64 kernel_param_1)
.maxntid 32, 1, 1
{ .local .align 8 .b8 __local_depot0[8]; .reg .b64 %SP; .reg .b64 %SPL; .reg .b64 %rd<9>; .reg .b32 %r<9>;
  .loc 1 4 0
  mov.u64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL;
  ld.param.u64 %rd1, [kernel_param_0]; cvta.to.global.u64 %rd2, %rd1; st.u64 [%SP+0], %rd2; ld.u64 %rd3, [%SP];
  { // callseq 0
  .reg .b32 temp; .param .b64 param0; st.param.b64 [param0+0], %rd3; .param .b32 retval0;
  call.uni (retval0), helper, (param0);
  ld.param.b32 %r1, [retval0+0]; }
  ld.param.u64 %rd4, [kernel_param_1]; st.global.u32 [%rd4], %r1; ld.u32 %r2, [%rd4]; fence.acq_rel.sys; ret; }
";
    let module = ptx::read(text).unwrap_or_else(|e| panic!("{e}"));
    let kernel = module.function("kernel").expect("it is there");
    assert!(kernel.kernel && kernel.parameters == ["kernel_param_0", "kernel_param_1"]);
    assert_eq!(path_text(&explore(&module, kernel, 1)), ["ld.relaxed.gpu.u32 ; fence.acq_rel.sys"]);
}

/// What is no row is said, and nothing is made of it.
#[test]
fn what_no_row_can_say() {
    let other = |body: &str| answers(What::Load, Order::Acq, body).remove(0);
    assert_eq!(
        other("frobnicate.b32 %r1, %r2; ld.u32 %r1, [%rd1];"),
        "other: the instruction `frobnicate.b32` is not known"
    );
    assert_eq!(
        other("ld.acquire.gpu.shiny.u32 %r1, [%rd1];"),
        "other: `.shiny` of `ld.acquire.gpu.shiny.u32` is not known"
    );
    assert_eq!(other("bar.sync 0; ld.u32 %r1, [%rd1];"), "other: not one thread's: `bar.sync`");
    let lane =
        "mov.u32 %r1, %tid.x; setp.ne.s32 %p1, %r1, 0; @%p1 bra DONE; ld.u32 %r2, [%rd1]; DONE:";
    assert_eq!(other(lane), "other: not one thread's: it depends on `%tid.x`");
    assert_eq!(
        other("call.uni outside, ();"),
        "other: a call of `outside`, which is not in the file"
    );
    assert_eq!(
        other("LOOP: bra.uni LOOP;"),
        "other: not all paths could be followed: a path of more than 50000 instructions"
    );
    assert_eq!(other("ld.u32 %r1, [%rd1]; trap;"), "other: no path returns");
    assert_eq!(other(""), "other: a path does not access the object");
    assert_eq!(
        other("atom.exch.b32 %r1, [%rd1], 1; st.release.gpu.b32 [%rd1], 0;"),
        "other: it does it with `atom.exch.b32 ; st.release.gpu.b32`"
    );
    assert_eq!(
        other("fence.proxy.async; ld.u32 %r1, [%rd1];"),
        "other: `fence.proxy.async`: it is a fence between proxies"
    );
}

/// Few and short paths by themselves may be many instructions together.
#[test]
fn all_paths_together_have_a_bound() {
    let ways = |n: usize| {
        format!(
            "ld.u32 %r{n}, [%rd1]; setp.eq.s32 %p{n}, %r{n}, {n}; @%p{n} bra L{n}; mov.u32 %r20, {n}; L{n}:"
        )
    };
    let body: String = (1..12)
        .map(ways)
        .chain((0..1500).map(|_| "xor.b32 %r21, %r21, %r20;".to_owned()))
        .collect();
    let module = ptx::read(&module(&body)).unwrap_or_else(|e| panic!("{e}"));
    let explored = explore(&module, &module.functions[0], 1);
    assert_eq!(explored.incomplete.as_deref(), Some("more than 2000000 instructions on its paths"));
}

/// A value that each instruction adds to, or twice to, is followed as any other: what is deep is no
/// more than what it is made of. Nor are numbers at the edge of their type anything special.
#[test]
fn large_values_have_a_bound() {
    let times = |n: usize, body: &str| body.repeat(n);
    let again = |n: usize, body: &str| {
        format!(
            "mov.u32 %r9, 0; LOOP: {body} add.u32 %r9, %r9, 1; setp.lt.u32 %p9, %r9, {n}; @%p9 bra LOOP;"
        )
    };
    let add =
        "ld.shared.u32 %r2, [x]; add.u32 %r3, %r3, %r2; cvt.u64.u32 %rd2, %r3; ld.u32 %r4, [%rd2];";
    let each_twice =
        "ld.shared.u32 %r2, [x]; shl.b32 %r4, %r3, 1; or.b32 %r3, %r4, %r3; or.b32 %r3, %r3, %r2;";
    let both_twice = "ld.shared.u32 %r2, [x]; setp.eq.u32 %p2, %r2, 5; or.pred %p4, %p3, %p2; and.pred %p3, %p3, %p4;";
    let is_zero = "setp.eq.u32 %p3, %r3, 0; @%p3 ld.u32 %r5, [%rd1];";
    let holds = "@%p3 ld.u32 %r5, [%rd1];";
    let parts = "values on its paths that are made of more than 5000000 parts, each time they are looked at";
    for (what, body, incomplete) in [
        ("an address that each round adds to", again(4_000, add), Some(parts)),
        (
            "a sum that is compared",
            format!("{}{is_zero}", times(4_000, "ld.shared.u32 %r2, [x]; or.b32 %r3, %r3, %r2;")),
            None,
        ),
        ("a value that each round has twice", format!("{}{is_zero}", again(60, each_twice)), None),
        ("a mask of all bits", "and.b64 %rd2, -1, %rd1; st.u64 [%rd1], %rd2;".to_owned(), None),
        (
            "a field beyond all bits",
            "bfe.u64 %rd2, %rd1, -1, 1; st.u64 [%rd1], %rd2;".to_owned(),
            None,
        ),
        (
            "a predicate that each round has twice",
            format!("{}{holds}", again(60, both_twice)),
            None,
        ),
    ] {
        let module = ptx::read(&module(&format!(".shared .u32 x; {body}")))
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        let explored = explore(&module, &module.functions[0], 1);
        assert_eq!(explored.incomplete.as_deref(), incomplete, "{what}");
    }
}

/// A predicate in front of an access makes two paths; in front of arithmetic it makes none.
#[test]
fn predicates() {
    let body = "setp.eq.s32 %p1, %r1, %r2; @%p1 add.s32 %r3, %r3, 1; @%p1 fence.sc.gpu; ld.relaxed.gpu.u32 %r4, [%rd1]; @!%p1 fence.acquire.gpu;";
    assert_eq!(
        paths(body),
        ["fence.sc.gpu ; ld.relaxed.gpu.u32", "ld.relaxed.gpu.u32 ; fence.acquire.gpu"]
    );
}

/// A text that is no PTX gives a message with its line, never a crash.
#[test]
fn broken_texts() {
    for (text, line, what) in [
        ("", 1, "an empty text"),
        ("int main() {}", 1, "expected `.version` at the start"),
        (".version 8.0\n.target sm_90\n.func f()\n{ .reg .b32 %r1; ld.u32 %r1, [x]", 4, "or `;`"),
        (".version 8.0\n.func f()\n{ ret; ", 3, "expected `}`"),
        (".version 8.0\n.func f() { bra NOWHERE; }", 2, "no label `NOWHERE`"),
        (".version 8.0\n/* open", 2, "never closed"),
        (".version 8.0\n.func f() { mov.u32 %r1, 0xZZ; }", 2, "is no number"),
        (".version 8.0\n.frobnicate", 2, "expected a directive of a module"),
    ] {
        let wrong = ptx::read(text).expect_err(text);
        assert_eq!(wrong.line, line, "{text}\n{wrong}");
        assert!(wrong.message.contains(what), "{text}: {wrong}");
    }
    // Every beginning of a good text is read or refused.
    let good = module("{ .reg .pred p; @p bra L; L: } st.v2.u32 [%rd1], {%r1, %r2}; fence.sc.gpu;");
    for end in 0..good.len() {
        let _ = ptx::read(&good[..end]);
    }
}

/// A branch on the negation of the question, as compilers for Blackwell write it, is a branch on
/// the question.
#[test]
fn negated_state_spaces() {
    let negated = "isspacep.local %p1, %rd1; not.pred %p2, %p1; @%p2 bra SHARED; ld.u32 %r1, [%rd1]; bra.uni DONE;
        SHARED: ld.acquire.gpu.b32 %r1, [%rd1]; DONE:";
    assert_eq!(answers(What::Load, Order::Acq, negated), ["ld.acquire.gpu"]);
}

/// What goes through a cache that is not coherent is no load of the models.
#[test]
fn loads_through_the_cache_that_is_not_coherent() {
    let found = answers(What::Load, Order::Plain, "ld.global.nc.u32 %r1, [%rd1];");
    assert!(found[0].starts_with("other: ") && found[0].contains("not coherent"), "{found:?}");
}

/// Each instruction of the shipped kernels with fewer operands than it takes: no panic, wherever
/// the cut is.
#[test]
fn instructions_that_lack_operands() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let mut instructions = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("kernels").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        for line in std::fs::read_to_string(&path).expect("PTX").lines().map(str::trim) {
            let Some((name, operands)) =
                line.strip_suffix(';').and_then(|l| l.split_once(char::is_whitespace))
            else {
                continue;
            };
            if name.chars().all(|c| c.is_ascii_alphanumeric() || "._:".contains(c))
                && !name.starts_with('.')
            {
                instructions.insert(name.to_owned(), operands.to_owned());
            }
        }
    }
    assert!(instructions.len() > 100, "{}", instructions.len());
    let (mut read, mut refused) = (0, 0);
    for (name, operands) in &instructions {
        let parts: Vec<&str> = operands.split(',').map(str::trim).collect();
        for n in 0..=parts.len() {
            let text = module(&format!("{name} {};", parts[..n].join(", ")));
            match ptx::read(&text) {
                Ok(module) => {
                    explore(&module, &module.functions[0], 1);
                    read += 1;
                }
                Err(e) => {
                    assert!(!e.to_string().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(read > refused, "{read} were read, {refused} refused");
}
