//! Litmus tests as PTX kernels: many instances of a test in one launch, results reduced to a
//! histogram on the device.
//!
//! A module has three kernels, launched one after the other in one stream: `margay_reset` writes
//! the initial values, `margay_test` runs the instances, `margay_collect` counts outcomes. Why
//! nothing of that orders the accesses of the test: docs/gpu.md.

mod address;
mod asynchronous;
mod body;
mod collect;
mod compiled;
mod environment;
mod error;
mod harness;
mod kernel;
mod layout;
pub(crate) mod meeting;
pub mod permutation;
mod plan;
mod proxy;
mod refused;
mod registers;
mod results;
mod shared;
mod spaces;
mod stress;
mod target;
mod writing;

use margay_litmus::test::{
    Base, Body, Dialect, Operation, Space, Test, TestInstruction, ThreadId, Type, TypeKind,
    Variable,
};
use margay_litmus::unfold::Code;
use margay_models::execution::Proxy;

pub use compiled::{CompiledProgram, UnreadProgram};
pub use environment::{
    Count, Environment, KEYS, SettingRefusal, Stress, StressAccess, sequence, sequence_text,
};
pub use error::{EmissionError, EmissionFault};
pub use kernel::{LaunchDraw, ModuleText, OUTCOMES, TestKernel, directives};
pub use layout::{EmissionLayout, ThreadRole};
pub(crate) use spaces::spaces;
pub use stress::{STRESS_REGISTERS, StressCode, scratchpad_bytes};
pub use target::GpuTarget;
pub use writing::Writing;

use self::plan::{EmissionPlan, ObservedSource, is_wide};
use self::shared::SharedMemory;
use crate::outcome::Observed;

/// Makes the module. Errors name what the test has that kernels here, the target or the environment
/// have not.
pub fn kernel(
    test: &Test,
    target: GpuTarget,
    environment: &Environment,
) -> Result<TestKernel, EmissionError> {
    kernel_as(test, target, environment, Writing::Plain)
}

/// The same, written in one of the ways.
pub fn kernel_as(
    test: &Test,
    target: GpuTarget,
    environment: &Environment,
    writing: Writing,
) -> Result<TestKernel, EmissionError> {
    if matches!(test.dialect, Dialect::C | Dialect::Generic) {
        return Err(EmissionError::test(
            "only PTX tests become kernels; a compiler has to map other languages first",
        ));
    }
    kernel_of(test, None, target, environment, writing)
}

/// The kernel of a C test whose threads a compiler wrote.
pub fn kernel_of_compiled(
    test: &Test,
    compiled: &CompiledProgram,
    target: GpuTarget,
    environment: &Environment,
) -> Result<TestKernel, EmissionError> {
    CompiledProgram::fits(environment)?;
    kernel_of(test, Some(compiled), target, environment, Writing::Plain)
}

fn kernel_of(
    test: &Test,
    compiled: Option<&CompiledProgram>,
    target: GpuTarget,
    environment: &Environment,
    writing: Writing,
) -> Result<TestKernel, EmissionError> {
    refused::initial_values(test)?;
    let test = &typed(test);
    if let Some(in_one_warp) = meeting::environment(test, target, environment)? {
        return kernel_of(test, compiled, target, &in_one_warp, writing);
    }
    refused::barriers(test, environment)?;
    refused::settings(environment)?;
    let code = Code::new(test)
        .map_err(|e| EmissionError { place: e.place, ..EmissionError::test(e.message) })?;
    let locations = address::locations(test, &code, is_wide(test));
    let aliased = locations.iter().any(|l| l.alias == Some(Proxy::Generic));
    let proxies = proxy::of(&locations);
    proxy::fits(&proxies, environment)?;
    let layout = EmissionLayout::new(test, target, environment)?;
    refused::room(&locations, &layout, environment)?;
    let spaces = spaces(test);
    refused::second_addresses(test, &code, &spaces)?;
    refused::asynchronous(test, target, environment)?;
    let shared = SharedMemory::new(test, &spaces, &locations, &layout)?;
    let observed = Observed::new(test, |l| -1 - l as i64);
    // One row for whether a thread was given up, one for each value at most, one for what is only
    // used.
    let rows_at_most = observed.variables.len() as u64 + 2;
    let own = u64::from(layout.instances) * 8 * rows_at_most;
    let body = |t: usize| match compiled {
        Some(compiled) => compiled.body(test, t, &layout, own),
        None => body::emit(test, ThreadId(t as u16), (&layout, target), (&code, &shared), writing),
    };
    let bodies = (0..test.threads.len()).map(body).collect::<Result<Vec<_>, _>>()?;
    let (sources, rows) = sources(test, &observed, &bodies, &spaces, &code);
    let bits = (63 / (observed.variables.len() as u32).max(1)).min(32);
    if bits < 4 {
        let n = observed.variables.len();
        return Err(EmissionError::test(format!(
            "the test observes {n} values; 15 fit into a key"
        )));
    }
    let plan = EmissionPlan {
        test,
        compiled,
        target,
        environment,
        layout: &layout,
        spaces: &spaces,
        shared: &shared,
        locations: &locations,
        proxies: &proxies,
        bodies: &bodies,
        observed: &observed,
        sources,
        bits,
    };
    if let Some(smaller) = proxy::smaller(&plan)? {
        return kernel_of(test, compiled, target, &smaller, writing);
    }
    let module = harness::module(&plan)?;
    let instances = u64::from(layout.instances);
    let counted = if environment.parallel { layout.instances } else { 1 };
    // One more row takes what is only used so that it is not left out.
    let (memory, scratchpad) = (plan.memory_bytes(), stress::scratchpad_bytes(environment));
    let results = compiled
        .map_or(instances * 8 * u64::from(rows + 1), |compiled| own + compiled.bytes(&layout));
    let most = layout.grid - layout.testing;
    let least = match environment.stress_ctas {
        Count::Fixed(_) => most,
        // Half of the device is busy at least.
        Count::Auto { .. } => (layout.grid / 2).saturating_sub(layout.testing).min(most),
    };
    Ok(TestKernel {
        module,
        target,
        memory,
        aliased,
        proxies: proxies.clone(),
        results,
        scratchpad,
        counted,
        observed,
        first: environment.stress_first,
        stressing: (least, most),
        bits,
        layout,
    })
}

/// Where each observed value is in the end, and the number of rows of the results.
fn sources(
    test: &Test,
    observed: &Observed,
    bodies: &[body::ThreadBody],
    spaces: &[Space],
    code: &Code,
) -> (Vec<ObservedSource>, u32) {
    // The first row says whether a thread was given up.
    let mut rows = 1;
    let sources = observed
        .variables
        .iter()
        .map(|v| match v {
            Variable::Register { thread, name } => {
                let known = bodies
                    .get(thread.index())
                    .is_some_and(|b| b.registers.names().any(|n| n == name));
                if !known {
                    return ObservedSource::Nothing;
                }
                rows += 1;
                ObservedSource::Row(rows - 1)
            }
            Variable::Location(name) => match test.location(name) {
                Some(l) if spaces[l] == Space::Shared => {
                    rows += 1;
                    ObservedSource::Row(rows - 1)
                }
                Some(l) => ObservedSource::Memory(code.physical(l)),
                None => ObservedSource::Nothing,
            },
        })
        .collect();
    (sources, rows)
}

/// Which instructions of a thread control can come to: the assembler leaves others out.
pub(crate) fn reachable(instructions: &[TestInstruction]) -> Vec<bool> {
    let label = |name: &String| {
        instructions.iter().position(|i| matches!(&i.operation, Operation::Label(l) if l == name))
    };
    let mut reached = vec![false; instructions.len()];
    let mut next = vec![0];
    while let Some(n) = next.pop() {
        let Some(i) = instructions.get(n).filter(|_| !reached[n]) else { continue };
        reached[n] = true;
        let falls =
            i.guard.is_some() || !matches!(i.operation, Operation::Goto(_) | Operation::Exit);
        next.extend(falls.then_some(n + 1));
        if let Operation::Goto(target) | Operation::BranchIf { target, .. } = &i.operation {
            next.extend(label(target));
        }
    }
    reached
}

/// For each location of a test whether it is in the shared memory of another cta than that of a
/// thread.
pub(crate) fn remote(test: &Test, thread: ThreadId, target: GpuTarget) -> Vec<bool> {
    let none = vec![false; test.locations.len()];
    let spaces = spaces(test);
    if !spaces.contains(&Space::Shared) {
        return none;
    }
    // Which ctas and clusters there are does not depend on how many instances a launch has.
    let alone = Environment { warps: 1, shuffle: false, ..Environment::default() };
    let (Ok(code), Ok(layout)) = (Code::new(test), EmissionLayout::new(test, target, &alone))
    else {
        return none;
    };
    let locations = address::locations(test, &code, is_wide(test));
    let Ok(shared) = SharedMemory::new(test, &spaces, &locations, &layout) else { return none };
    let cta = layout.roles[thread.index()].cta;
    (0..test.locations.len()).map(|l| shared.is_remote(l, cta)).collect()
}

/// The test with the type of its location on every access that has none: in a kernel all have one.
fn typed(test: &Test) -> Test {
    let integers = test.location_integers();
    let mut typed = test.clone();
    for thread in &mut typed.threads {
        let Body::Instructions(instructions) = &mut thread.body else { continue };
        for i in instructions {
            let Some((access, address)) = i.operation.memory() else { continue };
            let (Base::Location(name), None) = (&address.base, access.ty) else { continue };
            let Some(integer) = test.location(name).and_then(|l| integers[l]) else { continue };
            let kind = if integer.signed { TypeKind::Signed } else { TypeKind::Unsigned };
            if let Some(access) = i.operation.access_mut() {
                access.ty = Some(Type::new(kind, integer.bits));
            }
        }
    }
    typed
}
