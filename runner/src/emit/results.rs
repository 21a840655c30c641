//! What a thread writes down after its last access.

use std::fmt::Write as _;

use margay_litmus::test::Variable;

use super::body::ThreadBody;
use super::{EmissionPlan, ObservedSource, asynchronous};
use crate::sass::specification::constant;

/// The row of the results for a variable of an instance, in `%y`.
fn row(plan: &EmissionPlan<'_>, row: u32, text: &mut String) {
    let _ = write!(
        text,
        "    add.u32 %a, %n, {};\n    mul.wide.u32 %y, %a, 8;\n    add.u64 %y, %y, %results;\n",
        row * plan.layout.instances
    );
}

pub(super) fn results(plan: &EmissionPlan<'_>, t: usize, body: &ThreadBody, text: &mut String) {
    for (variable, source) in plan.observed.variables.iter().zip(&plan.sources) {
        if let (Variable::Register { thread, name }, ObservedSource::Row(number)) =
            (variable, source)
            && thread.index() == t
        {
            row(plan, *number, text);
            let register = body.registers.current(name);
            if body.registers.is_wide(name) {
                let _ = writeln!(text, "    st.global.u64 [%y], {register};");
            } else {
                let _ =
                    writeln!(text, "    cvt.s64.s32 %v, {register};\n    st.global.u64 [%y], %v;");
            }
        }
    }
    // Every value that was read is used, so that no load is left out.
    for (register, wide) in &body.loaded {
        if *wide {
            let _ = writeln!(text, "    xor.b64 %sink, %sink, {register};");
        } else {
            let _ =
                writeln!(text, "    cvt.s64.s32 %v, {register};\n    xor.b64 %sink, %sink, %v;");
        }
    }
    specification(t, body, text);
    if !body.loaded.is_empty() || !body.specification.is_empty() || plan.environment.warm {
        row(plan, plan.rows(), text);
        text.push_str("    st.global.u64 [%y], %sink;\n");
    }
    row(plan, 0, text);
    text.push_str("    red.relaxed.gpu.global.add.u64 [%y], 1;\n");
}

/// Constants that say what the accesses of the thread were, for the check (ASPLOS 2015, section
/// 4.4).
fn specification(t: usize, body: &ThreadBody, text: &mut String) {
    for (position, (kind, brought)) in body.specification.iter().enumerate() {
        let Some(constant) = constant(t, position, *kind) else { continue };
        let _ = match brought {
            Some((register, true)) => writeln!(text, "    xor.b64 %v, {register}, {constant:#x};"),
            Some((register, false)) => writeln!(
                text,
                "    xor.b32 %b, {register}, {constant:#x};\n    cvt.u64.u32 %v, %b;"
            ),
            None => {
                writeln!(text, "    xor.b32 %b, %self, {constant:#x};\n    cvt.u64.u32 %v, %b;")
            }
        };
        text.push_str("    xor.b64 %sink, %sink, %v;\n");
    }
}

/// The final values of the locations that the cta has in shared memory: they are gone when the
/// kernel ends.
pub(super) fn finals_of_shared(plan: &EmissionPlan<'_>, t: usize, active: u32, text: &mut String) {
    let wanted: Vec<(usize, u32)> = plan
        .observed
        .variables
        .iter()
        .zip(&plan.sources)
        .filter_map(|(v, s)| match (v, s) {
            (Variable::Location(name), ObservedSource::Row(r)) => {
                plan.test.location(name).map(|l| (l, *r))
            }
            _ => None,
        })
        .filter(|(l, _)| !plan.shared.is_remote(*l, plan.layout.roles[t].cta))
        .collect();
    if wanted.is_empty() {
        return;
    }
    text.push_str(&meet(plan, active));
    if plan.layout.roles[t].position != 0 {
        return;
    }
    asynchronous::see_async_writes(plan, text);
    for (l, number) in wanted {
        row(plan, number, text);
        let _ = writeln!(
            text,
            "    ld.shared.{} %v, [%x{l}];\n    st.global.u64 [%y], %v;",
            plan.type_of(l)
        );
    }
}

/// The threads of the test in a cta meet: the lanes of a warp first, as `bar.sync` demands. Where
/// they play different threads of the test, they are at different places, and meet one by one (PTX
/// ISA 9.7.13.1: `barrier.cta` without `.aligned`).
pub(super) fn meet(plan: &EmissionPlan<'_>, active: u32) -> String {
    if plan.environment.same_warp {
        format!("    barrier.sync 0, {active};\n")
    } else {
        format!("    bar.warp.sync 0xffffffff;\n    bar.sync 0, {active};\n")
    }
}
