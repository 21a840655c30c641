//! The kernel that plays the whole test once: each thread in the work-group and, for other warps,
//! so far apart, as the test says.

use std::fmt::Write;

use margay_litmus::test::{Dialect, InitialValue, LocationDeclaration, Space, Test, ThreadId};
use margay_models::execution::Scope;

use super::source::space_name;
use super::{SourceAccessKind, SourceThread};

/// Work-items of one wavefront, or more than a sub-group has: threads of a test in different warps
/// are so far apart.
const APART: u8 = 64;

/// That kernel, or why there is none.
pub(super) fn played(test: &Test, spaces: &[Space], threads: &[SourceThread]) -> String {
    let places: Vec<_> =
        (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16))).collect();
    if places.iter().any(|place| place.gpu != places[0].gpu) {
        return "// No kernel plays the test at once: its threads are on several devices, and a kernel runs on one.\n".to_owned();
    }
    if threads
        .iter()
        .any(|thread| thread.accesses.iter().any(|access| access.kind == SourceAccessKind::Barrier))
    {
        return "// No kernel plays the test at once: all work-items of a work-group must be at the same barrier of the text.\n"
            .to_owned();
    }
    let mut groups = Vec::new();
    let mut items: Vec<(usize, usize)> = Vec::new();
    for (t, place) in places.iter().enumerate() {
        let cta =
            groups.iter().position(|other| place.shares(Scope::Cta, *other)).unwrap_or_else(|| {
                groups.push(*place);
                groups.len() - 1
            });
        let earlier = (0..t).filter(|&other| places[other].shares(Scope::Cta, *place));
        // Only the form of 2015 says which threads are in one warp.
        let item = match test.dialect {
            Dialect::GpuPtx => {
                let lane = earlier.filter(|&other| places[other] == *place).count();
                usize::from(place.warp) * usize::from(APART) + lane
            }
            _ => earlier.count() * usize::from(APART),
        };
        items.push((cta, item));
    }
    let size = items.iter().map(|(_, item)| item / usize::from(APART) + 1).max().unwrap_or(1)
        * usize::from(APART);
    let mut out = format!(
        "// Once: {} work-groups of {size} work-items.\nkernel void margay_test(",
        groups.len()
    );
    let parameter = |(l, space): (&LocationDeclaration, &Space)| {
        format!("{} atomic_int *loc_{}, ", space_name(*space), l.name)
    };
    out.extend(test.locations.iter().zip(spaces).map(parameter));
    out.push_str("volatile global int *results)\n{\n");
    let shared: Vec<_> =
        test.locations.iter().zip(spaces).filter(|(_, space)| **space == Space::Shared).collect();
    if !shared.is_empty() {
        out.push_str("    if (get_local_id(0) == 0) {\n");
        for (location, _) in &shared {
            let value = if let Some(InitialValue::Integer(n)) = location.value { n } else { 0 };
            let _ = writeln!(out, "        *(local int *)loc_{} = {value};", location.name);
        }
        out.push_str("    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n");
    }
    let arguments: String = test.locations.iter().map(|l| format!("loc_{}, ", l.name)).collect();
    let mut from = 0;
    for (t, ((group, item), thread)) in items.iter().zip(threads).enumerate() {
        let otherwise = if t == 0 { "    " } else { "    else " };
        let _ = writeln!(
            out,
            "{otherwise}if (get_group_id(0) == {group} && get_local_id(0) == {item}) {}({arguments}results + {from});",
            thread.name
        );
        from += thread.results;
    }
    out.push_str("}\n");
    out
}
