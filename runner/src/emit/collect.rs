//! The kernel that counts outcomes: a table of keys and counts on the device, so that nothing of an
//! instance goes to the host.

use std::fmt::Write as _;

use super::address::global_address;
use super::{EmissionPlan, OUTCOMES, ObservedSource, TestKernel};

/// `margay_collect`: each instance makes a key of its observed values; lanes of a warp with the
/// same key count together. `counts[OUTCOMES]` takes instances with a thread that was given up,
/// `counts[OUTCOMES + 1]` those whose values fit no key, and `counts[OUTCOMES + 2]` those that
/// found no room.
pub(super) fn kernel(plan: &EmissionPlan<'_>, text: &mut String) {
    text.push_str(
        ".visible .entry margay_collect(.param .u64 memory, .param .u64 results, .param .u64 keys, .param .u64 counts)\n{\n    \
         .reg .pred %p, %q;\n    .reg .b32 %a, %b, %n, %lanes, %lane, %many, %place;\n    \
         .reg .b64 %memory, %results, %keys, %counts, %y, %v, %key, %old, %many64;\n",
    );
    for l in 0..plan.test.locations.len() {
        let _ = writeln!(text, "    .reg .b64 %x{l};");
    }
    for parameter in ["memory", "results", "keys", "counts"] {
        let _ = writeln!(text, "    ld.param.u64 %{parameter}, [{parameter}];");
    }
    one_for_each(plan, text);
    if !plan.environment.parallel {
        text.push_str("    setp.ne.u32 %p, %n, 0;\n    @%p bra $END;\n");
    }
    let stuck = OUTCOMES;
    let _ = write!(
        text,
        "    mov.u32 %place, {stuck};\n    mul.wide.u32 %y, %n, 8;\n    add.u64 %y, %y, %results;\n    ld.global.u64 %v, [%y];\n    \
         setp.ne.u64 %p, %v, {};\n    mov.u64 %key, 0;\n    @%p bra $COUNT;\n    mov.u32 %place, {};\n",
        plan.test.threads.len(),
        stuck + 1
    );
    for (i, source) in plan.sources.iter().enumerate() {
        match source {
            ObservedSource::Nothing => continue,
            ObservedSource::Row(row) => {
                let _ = write!(
                    text,
                    "    add.u32 %a, %n, {};\n    mul.wide.u32 %y, %a, 8;\n    add.u64 %y, %y, %results;\n    ld.global.u64 %v, [%y];\n",
                    row * plan.layout.instances
                );
            }
            ObservedSource::Memory(l) => {
                global_address(plan, *l, text);
                let _ = writeln!(text, "    ld.global.{} %v, [%x{l}];", plan.type_of(*l));
            }
        }
        if let Some(integer) =
            plan.observed.integers[i].filter(|of| u32::from(of.bits) <= plan.bits)
        {
            let _ = writeln!(text, "    and.b64 %v, %v, {:#x};", (1u64 << integer.bits) - 1);
        }
        let _ = write!(
            text,
            "    shr.u64 %y, %v, {};\n    setp.ne.u64 %p, %y, 0;\n    @%p bra $COUNT;\n    shl.b64 %v, %v, {};\n    or.b64 %key, %key, %v;\n",
            plan.bits,
            i as u32 * plan.bits
        );
    }
    // The place of the key: by open addressing from its hash (Knuth's multiplicative one).
    let _ = write!(
        text,
        "    mul.lo.u64 %y, %key, 0x9E3779B97F4A7C15;\n    shr.u64 %y, %y, 52;\n    cvt.u32.u64 %a, %y;\n    mov.u32 %b, {OUTCOMES};\n\
         $PROBE:\n    mul.wide.u32 %y, %a, 8;\n    add.u64 %y, %y, %keys;\n    ld.relaxed.gpu.global.u64 %old, [%y];\n    \
         setp.eq.u64 %p, %old, %key;\n    @%p bra $FOUND;\n    setp.ne.u64 %p, %old, {empty};\n    @%p bra $NEXT;\n    \
         atom.relaxed.gpu.global.cas.b64 %old, [%y], {empty}, %key;\n    setp.eq.u64 %p, %old, {empty};\n    @%p bra $FOUND;\n    \
         setp.eq.u64 %p, %old, %key;\n    @%p bra $FOUND;\n\
         $NEXT:\n    add.u32 %a, %a, 1;\n    and.b32 %a, %a, {mask};\n    sub.u32 %b, %b, 1;\n    setp.ne.u32 %p, %b, 0;\n    @%p bra $PROBE;\n    \
         mov.u32 %place, {full};\n    bra $COUNT;\n$FOUND:\n    mov.u32 %place, %a;\n",
        empty = format_args!("{:#x}", TestKernel::EMPTY),
        mask = OUTCOMES - 1,
        full = OUTCOMES + 2,
    );
    // One lane adds for all that are here with the same place.
    text.push_str(
        "$COUNT:\n    activemask.b32 %lanes;\n    match.any.sync.b32 %many, %place, %lanes;\n    bfind.u32 %a, %many;\n    \
         mov.u32 %lane, %laneid;\n    setp.ne.u32 %p, %a, %lane;\n    @%p bra $END;\n    popc.b32 %b, %many;\n    cvt.u64.u32 %many64, %b;\n    \
         mul.wide.u32 %y, %place, 8;\n    add.u64 %y, %y, %counts;\n    red.relaxed.gpu.global.add.u64 [%y], %many64;\n$END:\n    ret;\n}\n",
    );
}

/// One thread for each instance.
pub(super) fn one_for_each(plan: &EmissionPlan<'_>, text: &mut String) {
    let _ = write!(
        text,
        "    mov.u32 %a, %ctaid.x;\n    mov.u32 %b, %ntid.x;\n    mov.u32 %n, %tid.x;\n    mad.lo.u32 %n, %a, %b, %n;\n    \
         setp.ge.u32 %p, %n, {};\n    @%p bra $END;\n",
        plan.layout.instances
    );
}
