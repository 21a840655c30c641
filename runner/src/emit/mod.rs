//! Litmus tests as PTX kernels: many instances of a test in one launch, results reduced to a histogram on the device.
//!
//! A module has three kernels, launched one after the other in one stream: `margay_reset` writes the initial values, `margay_test`
//! runs the instances, `margay_collect` counts outcomes. Why nothing of that orders the accesses of the test: docs/gpu.md.

mod address;
mod body;
mod collect;
mod compiled;
mod environment;
mod harness;
mod kernel;
mod layout;
pub mod permutation;
mod proxy;
mod registers;
mod results;
mod stress;
mod target;

use std::fmt;

use margay_litmus::test::{
    Base, Body, Dialect, InitialValue, Instruction, Operation, Space, Test, ThreadId, Type, TypeKind, Variable,
};
use margay_litmus::unfold::Code;
use margay_models::diagnostic::Span;
use margay_models::execution::Proxy;

pub use compiled::Compiled;
pub use environment::{Count, Environment, KEYS, Stress, StressAccess, sequence, sequence_text};
pub use kernel::{Kernel, Launch, Module, OUTCOMES, directives};
pub use layout::{Layout, Role};
pub use target::Target;

use crate::outcome::Observed;

/// What an error is about, and so what to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The test has something that no kernel here can do.
    Test,
    /// The target has not what the test needs.
    Target,
    /// The environment asks for too much.
    Environment,
}

/// Why there is no kernel for a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What it is about.
    pub fault: Fault,
    /// One sentence.
    pub message: String,
    /// Where, in the text of the test.
    pub place: Option<Span>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    fn test(message: impl Into<String>) -> Self {
        Self { fault: Fault::Test, message: message.into(), place: None }
    }

    fn target(message: impl Into<String>) -> Self {
        Self { fault: Fault::Target, message: message.into(), place: None }
    }

    fn environment(message: impl Into<String>) -> Self {
        Self { fault: Fault::Environment, message: message.into(), place: None }
    }
}

/// Where the value of an observed variable is when `margay_collect` runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A row of the results, one double word for each instance.
    Row(u32),
    /// A location in global memory.
    Memory(usize),
    /// A register that the thread never names holds 0.
    Nothing,
}

/// How the accesses of a thread are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Writing {
    /// One after the other.
    Plain,
    /// With an instruction between each two that accesses nothing, but that the assembler moves nothing across.
    Apart,
}

/// Makes the module. Errors name what the test has that kernels here, the target or the environment have not.
pub fn kernel(test: &Test, target: Target, environment: &Environment) -> Result<Kernel, Error> {
    kernel_as(test, target, environment, Writing::Plain)
}

/// The same, written in one of the ways.
pub fn kernel_as(test: &Test, target: Target, environment: &Environment, writing: Writing) -> Result<Kernel, Error> {
    if matches!(test.dialect, Dialect::C | Dialect::Generic) {
        return Err(Error::test("only PTX tests become kernels; a compiler has to map other languages first"));
    }
    kernel_of(test, None, target, environment, writing)
}

/// The kernel of a C test whose threads a compiler wrote.
pub fn kernel_of_compiled(test: &Test, compiled: &Compiled, target: Target, environment: &Environment) -> Result<Kernel, Error> {
    Compiled::fits(environment)?;
    kernel_of(test, Some(compiled), target, environment, Writing::Plain)
}

fn kernel_of(
    test: &Test,
    compiled: Option<&Compiled>,
    target: Target,
    environment: &Environment,
    writing: Writing,
) -> Result<Kernel, Error> {
    for (l, integer) in test.locations.iter().zip(test.location_integers()) {
        let at = |message: String| Error { place: Some(l.place.0), ..Error::test(message) };
        match l.value {
            Some(InitialValue::AddressOf(_)) => {
                return Err(at(format!("`{}` holds an address at the start; kernels here start from numbers", l.name)));
            }
            Some(InitialValue::Integer(n)) if integer.is_none() && i32::try_from(n).is_err() => {
                return Err(at(format!("the initial value {n} of `{}` does not fit into 32 bits", l.name)));
            }
            _ => {}
        }
    }
    let test = &typed(test);
    let waits = |t: usize| test.instructions(ThreadId(t as u8)).iter().any(|i| matches!(i.operation, Operation::Barrier { .. }));
    if !environment.parallel && (0..test.threads.len()).any(waits) {
        return Err(Error::environment("a test with barriers needs parallel=on: all lanes of a warp have to come to them"));
    }
    if environment.same_warp && (0..test.threads.len()).any(waits) {
        return Err(Error::environment(
            "a test with barriers needs same-warp=off: all lanes of a warp have to come to the same one",
        ));
    }
    fits(environment)?;
    let code = Code::new(test).map_err(|e| Error { place: e.place, ..Error::test(e.message) })?;
    let locations = address::locations(test, &code, is_wide(test));
    let aliased = locations.iter().any(|l| l.alias == Some(Proxy::Generic));
    let proxies = proxy::of(&locations);
    proxy::fits(&proxies, environment)?;
    let layout = Layout::new(test, target, environment)?;
    let arrays = locations.iter().any(|l| l.offset > 0);
    if arrays && environment.distance.is_some() {
        return Err(Error::environment("a test with arrays needs distance=far"));
    }
    if arrays && environment.bank {
        return Err(Error::environment("a test with arrays needs bank=off: the elements of other lanes would be among them"));
    }
    if environment.bank && u64::from(layout.instances) * u64::from(environment.stride) * 8 < u64::from(stress::BESIDE) {
        let message =
            format!("bank=on needs room beside each location; make groups or stride larger than {}", environment.stride);
        return Err(Error::environment(message));
    }
    let spaces = spaces(test);
    let shared = spaces.contains(&Space::Shared);
    for (l, declared) in test.locations.iter().enumerate().filter(|(_, l)| l.alias.is_some()) {
        if spaces[l] == Space::Shared || spaces[code.physical(l)] == Space::Shared {
            let message = format!("`{}` is another name in shared memory, which has no second address", declared.name);
            return Err(Error { place: Some(declared.place.0), ..Error::test(message) });
        }
        // Memory is mapped twice at most, and surfaces, textures and constants lie over its first mapping.
        let (generic, physical) = (code.generic(l), code.physical(l));
        let aliases = |k: usize| k != physical && code.generic(k) == k && code.physical(k) == physical;
        let message = if generic != l && generic != physical {
            format!(
                "`{}` is a name for a second address of memory; kernels here have such names for the first alone",
                declared.name
            )
        } else if aliases(l) && (0..l).any(aliases) {
            format!("`{}` would be a third address of its memory, which has two at most here", declared.name)
        } else {
            continue;
        };
        return Err(Error { place: Some(declared.place.0), ..Error::test(message) });
    }
    if shared && (layout.units.len() > 1 || layout.cluster > 1) {
        return Err(Error::test("a location is in shared memory, but the threads are in different ctas"));
    }
    let observed = Observed::new(test, |l| -1 - l as i64);
    // One row for whether a thread was given up, one for each value at most, one for what is only used.
    let rows_at_most = observed.variables.len() as u64 + 2;
    let own = u64::from(layout.instances) * 8 * rows_at_most;
    let body = |t: usize| match compiled {
        Some(compiled) => compiled.body(test, t, &layout, own),
        None => body::emit(test, ThreadId(t as u8), (&layout, target), &code, writing),
    };
    let bodies = (0..test.threads.len()).map(body).collect::<Result<Vec<_>, _>>()?;
    // The first row says whether a thread was given up.
    let mut rows = 1;
    let sources: Vec<Source> = observed
        .variables
        .iter()
        .map(|v| match v {
            Variable::Register { thread, name } => {
                let known = bodies.get(thread.index()).is_some_and(|b| b.registers.names().any(|n| n == name));
                if !known {
                    return Source::Nothing;
                }
                rows += 1;
                Source::Row(rows - 1)
            }
            Variable::Location(name) => match test.location(name) {
                Some(l) if spaces[l] == Space::Shared => {
                    rows += 1;
                    Source::Row(rows - 1)
                }
                Some(l) => Source::Memory(code.physical(l)),
                None => Source::Nothing,
            },
        })
        .collect();
    let bits = (63 / (observed.variables.len() as u32).max(1)).min(32);
    if bits < 4 {
        let n = observed.variables.len();
        return Err(Error::test(format!("the test observes {n} values; 15 fit into a key")));
    }
    let plan = Plan {
        test,
        compiled,
        target,
        environment,
        layout: &layout,
        spaces: &spaces,
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
    let results = compiled.map_or(instances * 8 * u64::from(rows + 1), |compiled| own + compiled.bytes(&layout));
    let most = layout.grid - layout.testing;
    let least = match environment.stress_ctas {
        Count::Fixed(_) => most,
        // Half of the device is busy at least.
        Count::Auto { .. } => (layout.grid / 2).saturating_sub(layout.testing).min(most),
    };
    Ok(Kernel {
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

/// Settings that do not go together.
fn fits(environment: &Environment) -> Result<(), Error> {
    let (spread, regions) = (environment.stress_spread, environment.stress_regions);
    if spread > regions {
        return Err(Error::environment(format!("stress-spread={spread} needs as many regions; stress-regions={regions}")));
    }
    for (on, name) in [(environment.bank, "bank"), (environment.stress_idle, "stress-idle")] {
        if on && environment.parallel {
            let message = format!("{name}=on needs parallel=off: in a parallel environment every lane runs the test");
            return Err(Error::environment(message));
        }
    }
    if environment.bank && environment.same_warp {
        return Err(Error::environment("bank=on needs same-warp=off: the other lanes do what the one of the test does"));
    }
    if environment.bank && environment.distance.is_some() {
        return Err(Error::environment("bank=on needs distance=far: other lanes work beside each location"));
    }
    Ok(())
}

/// Everything that the texts of the kernels are made from.
struct Plan<'a> {
    test: &'a Test,
    compiled: Option<&'a Compiled>,
    target: Target,
    environment: &'a Environment,
    layout: &'a Layout,
    spaces: &'a [Space],
    locations: &'a [address::Location],
    /// What other names go through, but for second generic addresses.
    proxies: &'a [Proxy],
    bodies: &'a [body::Body],
    observed: &'a Observed,
    sources: Vec<Source>,
    bits: u32,
}

impl Plan<'_> {
    /// Has the test accesses of 64 bits?
    fn is_wide(&self) -> bool {
        is_wide(self.test)
    }

    /// The rows of the results that are read: not the last one.
    fn rows(&self) -> u32 {
        1 + self.sources.iter().filter(|s| matches!(s, Source::Row(_))).count() as u32
    }
}

/// Which instructions of a thread control can come to: the assembler leaves others out.
pub(crate) fn reachable(instructions: &[Instruction]) -> Vec<bool> {
    let label = |name: &String| instructions.iter().position(|i| matches!(&i.operation, Operation::Label(l) if l == name));
    let mut reached = vec![false; instructions.len()];
    let mut next = vec![0];
    while let Some(n) = next.pop() {
        let Some(i) = instructions.get(n).filter(|_| !reached[n]) else { continue };
        reached[n] = true;
        let falls = i.guard.is_some() || !matches!(i.operation, Operation::Goto(_) | Operation::Exit);
        next.extend(falls.then_some(n + 1));
        if let Operation::Goto(target) | Operation::BranchIf { target, .. } = &i.operation {
            next.extend(label(target));
        }
    }
    reached
}

fn is_wide(test: &Test) -> bool {
    let mut all = (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u8)));
    all.any(|i| i.operation.memory().is_some_and(|(access, _)| access.ty.is_some_and(|t| t.bits == 64)))
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

/// The state space of each location: as declared, as an access by its name says, or global.
pub(crate) fn spaces(test: &Test) -> Vec<Space> {
    let mut spaces: Vec<Space> = test.locations.iter().map(|l| l.space.unwrap_or(Space::Global)).collect();
    for thread in &test.threads {
        let Body::Instructions(instructions) = &thread.body else { continue };
        for i in instructions {
            if let Some((access, address)) = i.operation.memory()
                && let Base::Location(name) = &address.base
                && access.space == Some(Space::Shared)
                && let Some(l) = test.location(name)
            {
                spaces[l] = Space::Shared;
            }
        }
    }
    spaces
}
