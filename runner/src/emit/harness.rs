//! The kernel that runs the instances, and the one that writes their initial values.

use std::fmt::Write as _;

use margay_litmus::test::{
    AccessOrder, AsyncAction, AsyncFamily, AsyncOperation, FenceOrder, MbarrierAction,
    MbarrierOperation, Operation, ProxyFenceKind, Space, ThreadId,
};
use margay_models::execution::Proxy;

use super::address::{divide, global_address, modulo};
use super::body::JUMPS;
use super::collect::one_for_each;
use super::environment::Environment;
use super::layout::coprime;
use super::permutation::{self, Salt, permute};
use super::results::meet;
use super::{
    EmissionError, EmissionPlan, ModuleText, asynchronous, collect, meeting, proxy, results, stress,
};

/// The module, in its parts.
pub(super) fn module(plan: &EmissionPlan<'_>) -> Result<ModuleText, EmissionError> {
    let all = (0..plan.test.threads.len()).flat_map(|t| plan.test.instructions(ThreadId(t as u16)));
    // Versions are compared as texts: all have one digit before the point.
    let written = plan.compiled.map(|c| c.version);
    let version = all
        .filter_map(|i| needs(&i.operation))
        .chain([plan.target.version()])
        .chain(written)
        .max()
        .unwrap_or("7.0");
    let mut title = String::new();
    let _ = writeln!(title, "// {}: made by Margay for {}", plan.test.name, plan.target);
    // The place of stress is a parameter of the launch, so that one text serves all of them.
    let _ = writeln!(title, "// {}", Environment { stress_first: 0, ..plan.environment.clone() });
    for t in 0..plan.test.threads.len() {
        let lines = plan.test.thread_lines(ThreadId(t as u16));
        let role = plan.layout.roles[t];
        let _ = writeln!(
            title,
            "// P{t} (cta {}, thread {}): {}",
            role.cta,
            role.position,
            lines.join("; ")
        );
    }
    let mut module = ModuleText {
        title,
        version,
        constants: proxy::memory(plan.proxies),
        ..ModuleText::default()
    };
    reset(plan, &mut module.reset);
    test(plan, &mut module.test)?;
    collect::kernel(plan, &mut module.collect);
    Ok(module)
}

/// The version of PTX that an instruction needs, if it is not in the first one that knows scopes.
fn needs(operation: &Operation) -> Option<&'static str> {
    match operation {
        Operation::Fence { order: Some(FenceOrder::Acquire | FenceOrder::Release), .. } => {
            Some("8.6")
        }
        Operation::Load { access, .. } | Operation::Store { access, .. }
            if access.order == Some(AccessOrder::Mmio) =>
        {
            Some("8.2")
        }
        Operation::ProxyFence(
            ProxyFenceKind::Async | ProxyFenceKind::AsyncGlobal | ProxyFenceKind::AsyncShared,
        ) => Some("8.0"),
        Operation::ProxyFence(_) => Some("7.5"),
        Operation::Warp(meeting) if meeting.elects() => Some("8.0"),
        Operation::SharedFence { .. } | Operation::BulkStore { .. } => Some("8.6"),
        Operation::Mbarrier(MbarrierOperation {
            action:
                MbarrierAction::Arrive { order: AccessOrder::Relaxed, .. }
                | MbarrierAction::Wait { order: AccessOrder::Relaxed, .. },
            ..
        }) => Some("8.6"),
        Operation::Async(AsyncOperation {
            action: AsyncAction::Store { .. } | AsyncAction::Reduce { .. },
            ..
        }) => Some("8.1"),
        Operation::Async(AsyncOperation { family: AsyncFamily::Bulk, .. })
        | Operation::Mbarrier(_) => Some("8.0"),
        _ => None,
    }
}

fn reset(plan: &EmissionPlan<'_>, text: &mut String) {
    text.push_str(
        ".visible .entry margay_reset(.param .u64 memory, .param .u64 results, .param .u64 arrived)\n{\n    .reg .pred %p;\n    \
         .reg .b32 %a, %b, %n;\n    .reg .b64 %memory, %results, %arrived, %y;\n",
    );
    for l in 0..plan.test.locations.len() {
        let _ = writeln!(text, "    .reg .b64 %x{l};");
    }
    text.push_str(
        "    ld.param.u64 %memory, [memory];\n    ld.param.u64 %results, [results];\n    ld.param.u64 %arrived, [arrived];\n",
    );
    one_for_each(plan, text);
    for l in 0..plan.test.locations.len() {
        if plan.spaces[l] == Space::Global && plan.locations[l].alias.is_none() {
            global_address(plan, l, text);
            let _ =
                writeln!(text, "    st.global.{} [%x{l}], {};", plan.type_of(l), plan.initial(l));
        }
    }
    // Row 0 counts the threads of the instance that ran to their end.
    text.push_str(
        "    mul.wide.u32 %y, %n, 8;\n    add.u64 %y, %y, %results;\n    st.global.u64 [%y], 0;\n    setp.ne.u32 %p, %n, 0;\n    \
         @%p bra $END;\n    st.global.u32 [%arrived], 0;\n$END:\n    ret;\n}\n\n",
    );
}

fn test(plan: &EmissionPlan<'_>, text: &mut String) -> Result<(), EmissionError> {
    let (environment, layout) = (plan.environment, plan.layout);
    let scratch = plan.shared.cells * shared_bytes(plan);
    let bank = stress::bank_bytes(environment);
    if scratch + bank > 48 * 1024 {
        return Err(EmissionError::environment(format!(
            "the shared memory of a cta would be {} bytes, 49152 are the most; make stride or warps smaller",
            scratch + bank
        )));
    }
    text.push_str(
        ".visible .entry margay_test(.param .u64 memory, .param .u64 results, .param .u64 scratchpad, .param .u64 arrived,\n    \
         .param .u64 alias, .param .u32 seed, .param .u32 first",
    );
    proxy::parameters(plan.proxies, text);
    text.push_str(")\n");
    let barriers = |t: usize| {
        plan.test
            .instructions(ThreadId(t as u16))
            .iter()
            .any(|i| matches!(i.operation, Operation::ClusterBarrier(_)))
    };
    // A cluster barrier in a kernel of unknown cluster size becomes code with branches.
    if layout.cluster > 1 || (0..plan.test.threads.len()).any(barriers) {
        let _ = writeln!(text, ".explicitcluster .reqnctapercluster {}", layout.cluster);
    }
    let _ = writeln!(text, ".maxntid {}", layout.block);
    text.push_str("{\n    .reg .pred %p, %q, %t;\n    .reg .b32 %a, %b, %n, %own, %self, %seed, %first, %cta, %unit, %rank, %group, %warp, %slot, %s, %fuel, %zero;\n");
    text.push_str(permutation::REGISTERS);
    text.push_str(
        "    .reg .b64 %memory, %alias, %results, %scratchpad, %arrived, %y, %v, %sink, %zero64;\n",
    );
    for l in 0..plan.test.locations.len() {
        let _ = writeln!(text, "    .reg .b64 %x{l};");
    }
    for (t, body) in plan.bodies.iter().enumerate() {
        for (name, wide) in &body.registers.made {
            let _ = writeln!(text, "    .reg .b{} {name};", if *wide { 64 } else { 32 });
        }
        let halves =
            body.before.iter().any(|line| line.starts_with("mov.b16")).then_some(('h', ".b16"));
        for class in [('q', ".pred"), ('w', ".b32"), ('d', ".b64")].into_iter().chain(halves) {
            let _ =
                writeln!(text, "    .reg {} %{}{t}_<{}>;", class.1, class.0, body.temporaries + 1);
        }
    }
    if plan.bodies.iter().any(|body| body.suspends && body.loops) {
        text.push_str("    .reg .b32 %since;\n");
    }
    if scratch > 0 {
        let _ = writeln!(text, "    .shared .align 16 .b8 locations[{scratch}];");
    }
    if bank > 0 {
        let _ = writeln!(text, "    .shared .align 4 .b8 banks[{bank}];");
    }
    for parameter in ["memory", "results", "scratchpad", "arrived", "alias"] {
        let _ = writeln!(text, "    ld.param.u64 %{parameter}, [{parameter}];");
    }
    proxy::handles(plan, text);
    text.push_str("    ld.param.u32 %seed, [seed];\n    ld.param.u32 %first, [first];\n    mov.u32 %self, %tid.x;\n    mov.u32 %cta, %ctaid.x;\n");
    if layout.grid > layout.testing {
        // Ctas start in the order of their numbers: the last ones here are the first there, so that
        // stress has begun when the test does. Grids are of whole clusters, which stay together.
        text.push_str(
            "    mov.u32 %a, %nctaid.x;\n    sub.u32 %a, %a, 1;\n    sub.u32 %cta, %a, %cta;\n",
        );
    }
    let _ = writeln!(text, "    setp.ge.u32 %p, %cta, {};\n    @%p bra $STRESS;", layout.testing);
    place(plan, text);
    for (t, body) in plan.bodies.iter().enumerate() {
        thread(plan, t, body, text);
    }
    stress::ctas(plan, text);
    stress::bystanders(plan, text);
    text.push_str("$END:\n    ret;\n}\n\n");
    Ok(())
}

/// Which cta of which group this is, and which slot: then to the code of the thread.
fn place(plan: &EmissionPlan<'_>, text: &mut String) {
    let (environment, layout) = (plan.environment, plan.layout);
    let units = layout.units.len() as u32;
    let all = environment.groups.number() * units;
    divide("%unit", "%cta", layout.cluster, text);
    text.push_str("    mov.u32 %rank, %cta;\n");
    modulo("%rank", layout.cluster, text);
    if environment.shuffle {
        permute("%unit", &all.to_string(), Salt::Ctas, "CTAS", text);
    }
    divide("%group", "%unit", units, text);
    modulo("%unit", units, text);
    let _ = writeln!(
        text,
        "    mad.lo.u32 %cta, %unit, {}, %rank;\n    shr.u32 %warp, %self, 5;\n    and.b32 %slot, %self, 31;",
        layout.cluster
    );
    if environment.shuffle {
        text.push_str("    mov.u32 %a, %ntid.x;\n    shr.u32 %a, %a, 5;\n");
        permute("%warp", "%a", Salt::Warps, "WARPS", text);
        text.push_str("    mad.lo.u32 %self, %warp, 32, %slot;\n");
    }
    for cta in 0..layout.threads.len() as u32 {
        let _ = writeln!(text, "    setp.eq.u32 %p, %cta, {cta};\n    @%p bra $CTA{cta};");
    }
    text.push_str("    bra $END;\n");
    for (cta, &threads) in layout.threads.iter().enumerate() {
        let _ = writeln!(text, "$CTA{cta}:");
        if threads == 0 {
            text.push_str("    bra $END;\n");
            continue;
        }
        let active = threads * environment.warps;
        let _ = writeln!(text, "    setp.ge.u32 %p, %warp, {active};\n    @%p bra $BYSTANDER;");
        // `%warp` is then the position of the thread that is played.
        if environment.same_warp {
            divide("%slot", "%self", threads, text);
            text.push_str("    mov.u32 %warp, %self;\n");
            modulo("%warp", threads, text);
        } else {
            // The slot: the warp's number among those of its thread, and the lane.
            divide("%a", "%warp", threads, text);
            modulo("%warp", threads, text);
            text.push_str("    mad.lo.u32 %slot, %a, 32, %slot;\n");
        }
        for t in layout.in_cta(cta as u32) {
            let _ = writeln!(
                text,
                "    setp.eq.u32 %p, %warp, {};\n    @%p bra $T{t};",
                layout.roles[t].position
            );
        }
        text.push_str("    bra $END;\n");
    }
}

/// A thread of the test: addresses, waiting, the accesses, results.
fn thread(plan: &EmissionPlan<'_>, t: usize, body: &super::body::ThreadBody, text: &mut String) {
    let (environment, layout) = (plan.environment, plan.layout);
    let role = layout.roles[t];
    let unit = role.cta / layout.cluster;
    let groups = environment.groups.number();
    let _ = writeln!(text, "$T{t}:");
    // Lanes that meet play one instance, beside each other.
    let alike = if meeting::lanes_meet(plan.test) {
        layout.in_cta(role.cta).next().unwrap_or(t)
    } else {
        t
    };
    // Which ctas work on one group, and which lanes on one instance, is drawn for each launch, or
    // else as far apart as multipliers bring them.
    if environment.shuffle {
        text.push_str("    mov.u32 %a, %group;\n    mov.u32 %s, %slot;\n");
        permute(
            "%s",
            &layout.slots.to_string(),
            Salt::Lanes(alike as u32),
            &format!("LANES{t}"),
            text,
        );
    } else {
        let _ = writeln!(
            text,
            "    mul.lo.u32 %a, %group, {};",
            if unit == 0 { 1 } else { coprime(groups, unit as usize) }
        );
        modulo("%a", groups, text);
        let multiplier = if alike != t || role.position == 0 {
            1
        } else {
            coprime(layout.slots, role.position as usize)
        };
        let _ = writeln!(text, "    mul.lo.u32 %s, %slot, {multiplier};");
        modulo("%s", layout.slots, text);
    }
    let _ = writeln!(text, "    mad.lo.u32 %n, %a, {}, %s;", layout.slots);
    let beside = environment.bank && !environment.parallel;
    if beside {
        stress::beside(plan, text);
    }
    addresses(plan, role.cta, beside, text);
    if beside {
        text.push_str("    mov.u32 %n, %own;\n");
    }
    let active = layout.threads[role.cta as usize] * environment.warps * 32;
    if plan.shared.of_cta(role.cta).next().is_some() {
        // Shared memory is reset by the cta itself, before the barrier that all its threads of the
        // test pass.
        if role.position == 0 {
            asynchronous::reset_shared(plan, role.cta, text);
        }
        text.push_str(&meet(plan, active));
    }
    if plan.shared.is_crossed(unit) {
        text.push_str(asynchronous::MEET_CLUSTER);
    }
    if !environment.parallel {
        // With `bank`, the whole warp stays.
        let _ = writeln!(text, "    setp.eq.u32 %t, %n, 0;");
        text.push_str(if beside {
            "    vote.sync.any.pred %q, %t, 0xffffffff;\n"
        } else {
            "    mov.pred %q, %t;\n"
        });
        let _ = writeln!(text, "    @!%q bra $IDLE{t};");
    }
    if environment.pre_stress > 0 {
        text.push_str("    mov.u32 %a, %cta;\n");
        stress::sequence(plan, environment.pre_stress, &format!("PRE{t}"), text);
    }
    text.push_str(
        "    mov.u64 %sink, 0;\n    mov.u32 %zero, %ctaid.y;\n    cvt.u64.u32 %zero64, %zero;\n",
    );
    for line in &body.before {
        let _ = writeln!(text, "    {line}");
    }
    if environment.warm {
        let generic = |l: &&usize| matches!(plan.locations[**l].alias, None | Some(Proxy::Generic));
        for &l in
            body.locations.iter().filter(generic).filter(|l| !plan.test.locations[**l].mbarrier)
        {
            let space = match plan.spaces[l] {
                Space::Shared if plan.shared.is_remote(l, role.cta) => "shared::cluster",
                Space::Shared => "shared",
                _ => "global",
            };
            let _ = writeln!(
                text,
                "    ld.{space}.{} %v, [%x{l}];\n    xor.b64 %sink, %sink, %v;",
                plan.type_of(l)
            );
        }
    }
    if environment.spin > 0 {
        wait(plan, t, active, text);
    }
    let _ = writeln!(text, "    mov.u32 %fuel, {JUMPS};");
    if body.suspends && body.loops {
        text.push_str("    mov.u32 %since, %clock;\n");
    }
    // The markers show the check where the accesses of the thread are.
    let _ = writeln!(text, "    pmevent {};", 2 * (t % 8));
    for line in &body.lines {
        let _ = writeln!(text, "    {line}");
    }
    if body.exits {
        let _ = writeln!(text, "$EXIT{t}:");
    }
    let _ = writeln!(text, "    pmevent {};", 2 * (t % 8) + 1);
    for line in &body.after {
        let _ = writeln!(text, "    {line}");
    }
    results::results(plan, t, body, text);
    if body.loops {
        let _ = writeln!(text, "    bra $DONE{t};\n$STUCK{t}:\n    bra $DONE{t};");
    }
    if !environment.parallel {
        let _ = writeln!(text, "    bra $DONE{t};\n$IDLE{t}:");
        if environment.stress_idle {
            stress::stress(plan, &format!("IDLING{t}"), text);
        }
    }
    let _ = writeln!(text, "$DONE{t}:");
    asynchronous::drain(plan, t, text);
    if plan.shared.is_crossed(unit) {
        text.push_str(asynchronous::MEET_CLUSTER);
    }
    results::finals_of_shared(plan, t, active, text);
    text.push_str("    bra $END;\n");
}

/// The addresses of all locations, for a thread of a cta of the test.
fn addresses(plan: &EmissionPlan<'_>, cta: u32, beside: bool, text: &mut String) {
    for l in 0..plan.test.locations.len() {
        match plan.shared.place(l) {
            None => {
                global_address(plan, l, text);
                proxy::coordinate(plan, l, text);
            }
            // Nothing in another cluster has an address here.
            Some(place) if place.cta / plan.layout.cluster != cta / plan.layout.cluster => continue,
            Some(place) => {
                let _ = write!(
                    text,
                    "    mov.u64 %x{l}, locations;\n    mul.wide.u32 %y, {}, {};\n    add.u64 %x{l}, %x{l}, %y;\n    add.u64 %x{l}, %x{l}, {};\n",
                    if beside { "0" } else { "%s" },
                    plan.cell(),
                    place.cell * shared_bytes(plan) + plan.locations[l].offset
                );
                if plan.shared.is_remote(l, cta) {
                    let rank = asynchronous::hardware_rank(plan.layout, place.cta);
                    let _ = writeln!(text, "    mapa.shared::cluster.u64 %x{l}, %x{l}, {rank};");
                }
            }
        }
        if beside {
            let _ = writeln!(text, "    add.u64 %x{l}, %x{l}, %v;");
        }
    }
}

/// Threads wait for each other, with relaxed accesses and a bound: that orders nothing, and ends
/// whoever is not there.
fn wait(plan: &EmissionPlan<'_>, t: usize, active: u32, text: &mut String) {
    let ctas = plan.layout.threads.iter().filter(|n| **n > 0).count() as u32
        * plan.environment.groups.number();
    if plan.environment.parallel {
        let _ = writeln!(
            text,
            "    setp.ne.u32 %p, %self, 0;\n    @%p bra $WAITED{t};\n    red.relaxed.gpu.global.add.u32 [%arrived], 1;"
        );
    } else {
        let _ = writeln!(text, "    @%t red.relaxed.gpu.global.add.u32 [%arrived], 1;");
    }
    let expected = if plan.environment.parallel { ctas } else { plan.test.threads.len() as u32 };
    let _ = write!(
        text,
        "    mov.u32 %a, {};\n$WAIT{t}:\n    ld.relaxed.gpu.global.u32 %b, [%arrived];\n    setp.ge.u32 %p, %b, {expected};\n    \
         @%p bra $WAITED{t};\n    sub.u32 %a, %a, 1;\n    setp.ne.u32 %p, %a, 0;\n    @%p bra $WAIT{t};\n$WAITED{t}:\n",
        plan.environment.spin
    );
    if plan.environment.parallel {
        text.push_str(&meet(plan, active));
    }
}

/// Bytes of shared memory for one location: of all slots of a cta, or, where other lanes work
/// beside the test, of their locations.
fn shared_bytes(plan: &EmissionPlan<'_>) -> u32 {
    let slots = plan.layout.slots * plan.cell();
    if plan.environment.bank { slots.max(stress::BESIDE) } else { slots }
}
