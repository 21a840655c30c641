//! Functions of PTX on numbers. The machine of the CPU runs each with values for its parameters and
//! for the object, and what it leaves in memory is held against what the operation must do, as the
//! trials of assembly are.

use margay_machine::{FaultKind, LaunchError, MachineModule, MemoryKind, Schedule};
use margay_mappings::language::kind::{OPERATIONS, TYPES};

use crate::assembly::course::{TrialLayout, TrialSetting};
use crate::assembly::trials::{ObjectChange, ObjectOutcome, expected, settings, verified};
use crate::point::{Point, What};

/// The most instructions of a trial; what compilers print takes some dozens.
const MAX_STEPS: u64 = 100_000;

/// The bytes of the array that the object lies in, and where it lies; what stands beside it is not
/// to be changed.
const ARRAY: (usize, usize) = (64, 16);

/// What stands in memory that nobody wrote.
const UNWRITTEN: u8 = 0xA5;

/// What became of the trials of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FunctionTrial {
    /// It did what it must in all.
    Right,
    /// What it did that it must not.
    Wrong(String),
    /// It was not run: a calculation with fractions, `inc` or `dec`, an object of more than 64
    /// bits, or what the machine does not have.
    NotRun,
}

/// A module whose functions are tried.
pub(crate) struct FunctionTrials {
    machine: Option<LoadedFunctions>,
}

struct LoadedFunctions {
    module: MachineModule,
    /// Arrays for the object, for what was in it, and for success.
    arrays: [u64; 3],
}

impl FunctionTrials {
    /// The functions of a text of PTX. Of one that the machine does not read nothing is tried.
    pub(crate) fn of(text: &str) -> Self {
        let machine = MachineModule::read(text).ok().and_then(|mut module| {
            let mut array = |name: &str| module.memory.allocate(name, ARRAY.0 as u64).ok();
            let arrays = [array("object")?, array("result")?, array("success")?];
            Some(LoadedFunctions { module, arrays })
        });
        Self { machine }
    }

    /// Whether a function does in all trials what the operation of a point must do. A fence, which
    /// computes nothing, does.
    pub(crate) fn trial(
        &mut self,
        point: &Point,
        function: &str,
        layout: TrialLayout,
    ) -> FunctionTrial {
        let Some(data) = point.data else { return FunctionTrial::Right };
        let is_computed = match point.what {
            What::Rmw(operation) => {
                let operation = OPERATIONS[operation];
                expected(operation, 0, 0, 8).is_some()
                    && (operation == "exch" || !TYPES[data].contains('f'))
            }
            _ => true,
        };
        let is_narrow = point.bits().is_some_and(|bits| bits <= 64);
        let Some(machine) = self.machine.as_mut().filter(|_| is_computed && is_narrow) else {
            return FunctionTrial::NotRun;
        };
        let settings = settings(point);
        let placed = settings.iter().filter(|setting| !layout.own_word || setting.object % 4 == 0);
        let trials = placed.map(|setting| {
            // What stands in the rest of the word is the library's affair: zeros, or the sign.
            let is_negative = setting.old >> (setting.bits - 1) & 1 == 1;
            let rests: &[u8] = if layout.own_word && is_negative { &[0, u8::MAX] } else { &[0] };
            let mut tried =
                rests.iter().map(|&rest| machine.trial(point, function, setting, layout, rest));
            let first = tried.next().flatten().unwrap_or(FunctionTrial::NotRun);
            if first == FunctionTrial::Right
                || tried.all(|other| other != Some(FunctionTrial::Right))
            {
                first
            } else {
                FunctionTrial::Right
            }
        });
        let mut others = trials.filter(|trial| *trial != FunctionTrial::Right);
        others.next().unwrap_or(FunctionTrial::Right)
    }
}

impl LoadedFunctions {
    /// One trial, with these bytes in what an object does not fill of its word; none where memory
    /// cannot be had.
    fn trial(
        &mut self,
        point: &Point,
        function: &str,
        setting: &TrialSetting,
        layout: TrialLayout,
        rest: u8,
    ) -> Option<FunctionTrial> {
        let bytes = setting.bits as usize / 8;
        // Of a byte of a word, the place in it.
        let at = ARRAY.1 + setting.object as usize % 4;
        let number = |value: u64| value.to_le_bytes()[..bytes].to_vec();
        let mut before = vec![UNWRITTEN; ARRAY.0];
        let reserved = if layout.own_word { bytes.max(4) } else { bytes };
        before[at..at + reserved].fill(rest);
        before[at..at + bytes].copy_from_slice(&number(setting.old));
        let [object, out, flag] = self.arrays;
        let memory = &mut self.module.memory;
        memory.write(object, &before).ok()?;
        memory.write(out, &[UNWRITTEN; ARRAY.0]).ok()?;
        memory.write(flag, &[UNWRITTEN; ARRAY.0]).ok()?;
        let addresses =
            [object + at as u64, out, flag].map(|address| address.to_le_bytes().to_vec());
        let arguments: Vec<Vec<u8>> =
            addresses.into_iter().chain([setting.value, setting.expected].map(number)).collect();
        let schedule = Schedule {
            seed: 1,
            memory: MemoryKind::SequentiallyConsistent,
            places: 1,
            steps: MAX_STEPS,
        };
        match self.module.call(function, &arguments, &schedule) {
            Ok(_) => {}
            Err(LaunchError::Refused(_)) => return Some(FunctionTrial::NotRun),
            Err(LaunchError::Fault(fault)) => {
                return Some(match fault.kind {
                    FaultKind::Outside { .. } | FaultKind::Misaligned(_) | FaultKind::NoEnd(_) => {
                        FunctionTrial::Wrong(fault.kind.to_string())
                    }
                    _ => FunctionTrial::NotRun,
                });
            }
        }
        let memory = &self.module.memory;
        let mut after = memory.read(object, ARRAY.0 as u64).ok()?.to_vec();
        let value =
            |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
        let now = value(&after[at..at + bytes]);
        after[at..at + reserved].copy_from_slice(&before[at..at + reserved]);
        let written = |address: u64, bytes: usize| {
            let bytes = memory.read(address, bytes as u64).ok()?;
            bytes.iter().any(|byte| *byte != UNWRITTEN).then(|| value(bytes))
        };
        let flag = written(flag, 1);
        let old = Some(setting.old);
        let outcome = ObjectOutcome {
            write: change(point, setting, now),
            read: Some(old),
            accesses: true,
            result: written(out, bytes),
            flag: Some(flag.unwrap_or(u64::from(UNWRITTEN))),
            harms: after != before,
        };
        Some(
            verified(point, setting, &outcome, layout)
                .map_or_else(FunctionTrial::Wrong, |_| FunctionTrial::Right),
        )
    }
}

/// What was written to the object, told by what is in it. A write of what was there already is not
/// seen: it is taken for one where it is to be one.
fn change(point: &Point, setting: &TrialSetting, now: u64) -> Option<ObjectChange> {
    let old = setting.old;
    let is_to_be = match point.what {
        What::Store => Some(setting.value),
        What::Rmw(operation) => expected(OPERATIONS[operation], old, setting.value, setting.bits),
        _ => None,
    };
    (now != old || is_to_be == Some(old)).then_some((Some(old), Some(now)))
}
