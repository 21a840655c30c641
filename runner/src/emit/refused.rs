//! What no kernel here can do, or not in an environment: refused before anything is written.

use margay_litmus::test::{
    AsyncAction, AsyncFamily, AsyncOperation, BarrierMode, Base, ClusterBarrier, InitialValue,
    MbarrierAction, MbarrierOperation, Operation, Space, Test, TestInstruction, TestOperand,
    ThreadId,
};
use margay_litmus::unfold::Code;
use margay_models::mbarrier::Mbarrier;

use super::address::LocationOffset;
use super::{EmissionError, EmissionLayout, Environment, GpuTarget, stress};

/// Locations start from numbers of 32 bits, or of their type.
pub(super) fn initial_values(test: &Test) -> Result<(), EmissionError> {
    for (l, integer) in test.locations.iter().zip(test.location_integers()) {
        let at = |message: String| EmissionError {
            place: Some(l.place.0),
            ..EmissionError::test(message)
        };
        match l.value {
            Some(InitialValue::AddressOf(_)) => {
                return Err(at(format!(
                    "`{}` holds an address at the start; kernels here start from numbers",
                    l.name
                )));
            }
            Some(InitialValue::Integer(n)) if integer.is_none() && i32::try_from(n).is_err() => {
                return Err(at(format!(
                    "the initial value {n} of `{}` does not fit into 32 bits",
                    l.name
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// All lanes of a warp have to come to a barrier.
pub(super) fn barriers(test: &Test, environment: &Environment) -> Result<(), EmissionError> {
    let waits = |t: usize| {
        test.instructions(ThreadId(t as u16))
            .iter()
            .any(|i| matches!(i.operation, Operation::Barrier { .. }))
    };
    if !environment.parallel && (0..test.threads.len()).any(waits) {
        return Err(EmissionError::environment(
            "a test with barriers needs parallel=on: all lanes of a warp have to come to them",
        ));
    }
    if environment.same_warp && (0..test.threads.len()).any(waits) {
        return Err(EmissionError::environment(
            "a test with barriers needs same-warp=off: all lanes of a warp have to come to the same one",
        ));
    }
    Ok(())
}

/// What other lanes access beside a location must not be part of the test.
pub(super) fn room(
    locations: &[LocationOffset],
    layout: &EmissionLayout,
    environment: &Environment,
) -> Result<(), EmissionError> {
    let arrays = locations.iter().any(|l| l.offset > 0);
    if arrays && environment.distance.is_some() {
        return Err(EmissionError::environment("a test with arrays needs distance=far"));
    }
    if arrays && environment.bank {
        return Err(EmissionError::environment(
            "a test with arrays needs bank=off: the elements of other lanes would be among them",
        ));
    }
    if environment.bank
        && u64::from(layout.instances) * u64::from(environment.stride) * 8
            < u64::from(stress::BESIDE)
    {
        let message = format!(
            "bank=on needs room beside each location; make groups or stride larger than {}",
            environment.stride
        );
        return Err(EmissionError::environment(message));
    }
    Ok(())
}

/// A location has two addresses at most, and in shared memory one.
pub(super) fn second_addresses(
    test: &Test,
    code: &Code,
    spaces: &[Space],
) -> Result<(), EmissionError> {
    for (l, declared) in test.locations.iter().enumerate().filter(|(_, l)| l.alias.is_some()) {
        if spaces[l] == Space::Shared || spaces[code.physical(l)] == Space::Shared {
            let message = format!(
                "`{}` is another name in shared memory, which has no second address",
                declared.name
            );
            return Err(EmissionError {
                place: Some(declared.place.0),
                ..EmissionError::test(message)
            });
        }
        // Memory is mapped twice at most, and surfaces, textures and constants lie over its first
        // mapping.
        let (generic, physical) = (code.generic(l), code.physical(l));
        let aliases =
            |k: usize| k != physical && code.generic(k) == k && code.physical(k) == physical;
        let message = if generic != l && generic != physical {
            format!(
                "`{}` is a name for a second address of memory; kernels here have such names for the first alone",
                declared.name
            )
        } else if aliases(l) && (0..l).any(aliases) {
            format!(
                "`{}` would be a third address of its memory, which has two at most here",
                declared.name
            )
        } else {
            continue;
        };
        return Err(EmissionError {
            place: Some(declared.place.0),
            ..EmissionError::test(message)
        });
    }
    Ok(())
}

/// Settings that do not go together.
pub(super) fn settings(environment: &Environment) -> Result<(), EmissionError> {
    let (spread, regions) = (environment.stress_spread, environment.stress_regions);
    if spread > regions {
        return Err(EmissionError::environment(format!(
            "stress-spread={spread} needs as many regions; stress-regions={regions}"
        )));
    }
    for (on, name) in [(environment.bank, "bank"), (environment.stress_idle, "stress-idle")] {
        if on && environment.parallel {
            let message = format!(
                "{name}=on needs parallel=off: in a parallel environment every lane runs the test"
            );
            return Err(EmissionError::environment(message));
        }
    }
    if environment.bank && environment.same_warp {
        return Err(EmissionError::environment(
            "bank=on needs same-warp=off: the other lanes do what the one of the test does",
        ));
    }
    if environment.bank && environment.distance.is_some() {
        return Err(EmissionError::environment(
            "bank=on needs distance=far: other lanes work beside each location",
        ));
    }
    Ok(())
}

/// A test is one launch.
pub(super) fn launches(order: &str) -> EmissionError {
    EmissionError::test(format!(
        "`{order}`: what is written here is one kernel, launched once; several launches and the host are for `margay run`"
    ))
}

/// What is asynchronous and has no kernel here, or not for the target or in the environment.
pub(super) fn asynchronous(
    test: &Test,
    target: GpuTarget,
    environment: &Environment,
) -> Result<(), EmissionError> {
    let all = || (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u16)));
    for i in all() {
        let at = |e: EmissionError| EmissionError { place: Some(i.place.0), ..e };
        if let Some(why) = why_never(&i.operation) {
            return Err(at(EmissionError::test(why)));
        }
        let smallest = match &i.operation {
            Operation::Async(AsyncOperation {
                family: AsyncFamily::Element,
                action: AsyncAction::Copy { .. },
                ..
            })
            | Operation::AsyncGroup { family: AsyncFamily::Element, .. } => GpuTarget(80),
            Operation::BulkStore { .. } => GpuTarget(100),
            operation if operation.is_asynchronous() => GpuTarget(90),
            _ => continue,
        };
        if target < smallest {
            let what = margay_litmus::print::instruction(i, test.dialect);
            return Err(at(EmissionError::target(format!(
                "`{what}` needs {smallest} or later, not {target}"
            ))));
        }
    }
    if !all().any(|i| {
        i.operation.is_asynchronous() || matches!(i.operation, Operation::BulkStore { .. })
    }) {
        return Ok(());
    }
    if environment.bank {
        return Err(EmissionError::environment(
            "bank=on is for tests without mbarriers and asynchronous operations",
        ));
    }
    if environment.distance.is_some() {
        return Err(EmissionError::environment(
            "a test with mbarriers or asynchronous operations needs distance=far",
        ));
    }
    mbarriers_without_count(test)?;
    arrivals_too_many(test)
}

/// An arrival where none is left to wait for, as at an mbarrier that waits for bytes alone, is
/// undefined behaviour. So is one with `.noComplete` that completes a phase, and more bytes than an
/// mbarrier counts. The first can come where a phase is to end before the next arrivals, and a wait
/// that fails lets its thread go on.
fn arrivals_too_many(test: &Test) -> Result<(), EmissionError> {
    let all = || (0..test.threads.len()).flat_map(|t| test.instructions(ThreadId(t as u16)));
    let waits = |i: &TestInstruction| {
        matches!(
            &i.operation,
            Operation::Mbarrier(MbarrierOperation { action: MbarrierAction::Wait { .. }, .. })
        )
    };
    // A wait in a loop: a jump behind it leads to a label before it.
    let lasts = |code: &[TestInstruction], n: usize| {
        code[n..].iter().any(|i| match &i.operation {
            Operation::Goto(to) | Operation::BranchIf { target: to, .. } => code[..n]
                .iter()
                .any(|i| matches!(&i.operation, Operation::Label(label) if label == to)),
            _ => false,
        })
    };
    let threads = (0..test.threads.len()).map(|t| test.instructions(ThreadId(t as u16)));
    let mut codes = threads
        .flat_map(|code| (0..code.len()).filter(|n| waits(&code[*n])).map(move |n| (code, n)));
    let all_last = codes.all(|(code, n)| lasts(code, n));
    for mbarrier in test.locations.iter().filter(|l| l.mbarrier) {
        let name = &mbarrier.name;
        let mut most =
            if let Some(InitialValue::Integer(count)) = mbarrier.value { count } else { 0 };
        let (mut arrivals, mut several, mut incomplete, mut bytes, mut last) =
            (0, false, false, 0, mbarrier.place);
        for i in all() {
            let Operation::Mbarrier(MbarrierOperation { address, action, .. }) = &i.operation
            else {
                continue;
            };
            if !matches!(&address.base, Base::Location(n) if n == name) {
                continue;
            }
            match action {
                MbarrierAction::Initialise { count } => most = most.max(*count),
                MbarrierAction::Arrive { count, bytes: expected, incomplete: remains, .. } => {
                    incomplete |= remains;
                    (arrivals, several, last) = (arrivals + count, several || *count > 1, i.place);
                    bytes += expected.unwrap_or(0);
                }
                MbarrierAction::Expect { bytes: expected, .. } => bytes += expected,
                _ => {}
            }
        }
        let why = match () {
            () if incomplete && arrivals >= most => {
                "may complete its phase by an arrival with .noComplete"
            }
            () if bytes > Mbarrier::MOST_BYTES => "may be told of more bytes than it counts",
            () if arrivals <= most => continue,
            () if several => {
                "may get more arrivals than its phase waits for: one instruction arrives several times, and fewer may be left"
            }
            () if bytes > 0 && !all_last => {
                "may get more arrivals than its phase waits for: it waits for bytes, and a wait of the test that fails lets its thread go on (put the \
                 waits in loops)"
            }
            () => continue,
        };
        let message = format!("`{name}` {why}; that is undefined behaviour (PTX ISA, mbarrier)");
        return Err(EmissionError { place: Some(last.0), ..EmissionError::test(message) });
    }
    Ok(())
}

/// Why no kernel has an instruction.
fn why_never(operation: &Operation) -> Option<&'static str> {
    Some(match operation {
        Operation::Async(AsyncOperation { family: AsyncFamily::Warpgroup, .. })
        | Operation::AsyncGroup { family: AsyncFamily::Warpgroup, .. }
        | Operation::WarpgroupFence => {
            "wgmma: the models know what it reads and not what it computes, so no kernel would show what the test asks for"
        }
        Operation::Async(AsyncOperation {
            family: AsyncFamily::TensorLoad | AsyncFamily::TensorStore | AsyncFamily::TensorCore,
            ..
        })
        | Operation::AsyncGroup {
            family: AsyncFamily::TensorLoad | AsyncFamily::TensorStore | AsyncFamily::TensorCore,
            ..
        }
        | Operation::AsyncArrive { family: AsyncFamily::TensorCore, .. }
        | Operation::TensorFence { .. } => {
            "tcgen05: the models know what it reads and writes and not what it computes, so no kernel would show what the test asks for"
        }
        Operation::Tensormap(_)
        | Operation::Async(AsyncOperation { action: AsyncAction::Tile { .. }, .. }) => {
            "tensor maps: the driver makes them for the host, and no kernel here has one"
        }
        Operation::SharedFence { to_async: true, .. } => {
            "fence.proxy.async::generic: what it becomes in machine code was not looked at, so that it could not be compared"
        }
        Operation::Multimem(_) => {
            "multimem: a multimem address is of memory of several GPUs, which the driver has to bind together; kernels here run on one"
        }
        _ => return None,
    })
}

/// An mbarrier that is used before it is initialised is undefined behaviour, which may end a
/// launch: a thread that does not initialise it comes to it behind a barrier, and the one that does
/// has its barrier behind the initialisation.
fn mbarriers_without_count(test: &Test) -> Result<(), EmissionError> {
    let threads = || (0..test.threads.len()).map(|t| test.instructions(ThreadId(t as u16)));
    for mbarrier in test.locations.iter().filter(|l| l.mbarrier) {
        let name = &mbarrier.name;
        let of_it = |i: &TestInstruction| {
            i.operation
                .further_addresses()
                .iter()
                .any(|a| matches!(&a.base, Base::Location(n) if n == name))
        };
        let action = |i: &TestInstruction| match &i.operation {
            Operation::Mbarrier(of) if of_it(i) => Some(of.action.clone()),
            _ => None,
        };
        let initialises = |i: &TestInstruction| {
            i.guard.is_none() && matches!(action(i), Some(MbarrierAction::Initialise { .. }))
        };
        let invalidates =
            |i: &TestInstruction| matches!(action(i), Some(MbarrierAction::Invalidate));
        let changes =
            |code: &[TestInstruction]| code.iter().any(|i| initialises(i) || invalidates(i));
        if mbarrier.value.is_some() && !threads().any(changes) {
            continue;
        }
        // The barriers to which a thread comes with the mbarrier initialised for good.
        let mut met = Vec::new();
        for code in threads() {
            let (last, spoilt) =
                (code.iter().rposition(initialises), code.iter().rposition(invalidates));
            if let Some(last) = last.filter(|last| spoilt.is_none_or(|spoilt| spoilt < *last)) {
                met.extend(
                    code[last..]
                        .iter()
                        .filter_map(|i| barrier(&i.operation))
                        .filter(|b| b.arrives)
                        .map(|b| b.number),
                );
            }
        }
        for code in threads() {
            let own = changes(code);
            let mut is_valid = own && mbarrier.value.is_some();
            for i in code {
                is_valid |= !own
                    && barrier(&i.operation).is_some_and(|b| b.waits && met.contains(&b.number));
                match () {
                    () if initialises(i) => is_valid = true,
                    () if invalidates(i) => is_valid = false,
                    () if of_it(i) && !is_valid => {
                        let message = format!(
                            "`{name}` may not be initialised here, by what is seen of the test: that is undefined behaviour (PTX ISA, mbarrier), \
                             and could end the launch"
                        );
                        return Err(EmissionError {
                            place: Some(i.place.0),
                            ..EmissionError::test(message)
                        });
                    }
                    () => {}
                }
            }
        }
    }
    Ok(())
}

/// A barrier, as an instruction comes to it.
struct BarrierVisit<'t> {
    /// That of a cta has a number, that of a cluster none.
    number: Option<&'t TestOperand>,
    arrives: bool,
    waits: bool,
}

fn barrier(operation: &Operation) -> Option<BarrierVisit<'_>> {
    match operation {
        Operation::Barrier { mode, barrier, .. } => Some(BarrierVisit {
            number: Some(barrier),
            arrives: true,
            waits: !matches!(mode, BarrierMode::Arrive),
        }),
        Operation::ClusterBarrier(ClusterBarrier::Arrive { .. }) => {
            Some(BarrierVisit { number: None, arrives: true, waits: false })
        }
        Operation::ClusterBarrier(ClusterBarrier::Wait) => {
            Some(BarrierVisit { number: None, arrives: false, waits: true })
        }
        _ => None,
    }
}
