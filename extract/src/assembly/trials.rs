//! All trials of a function, and whether each did what the operation must do.

use std::collections::BTreeMap;

use margay_mappings::language::kind::OPERATIONS;

use super::course::{Course, DeedKind, TrialLayout, TrialSetting};
use super::function::AssemblyFunction;
use super::machine::{OBJECT, tried};
use super::word::{mask, signed};
use crate::point::{Point, What};

/// The most trials with the same values.
const MAX_TRIALS: usize = 400;
/// The most instructions of all trials of a function together; what compilers print takes two
/// thousand. Damaged code may branch anew in each round of a loop.
const MAX_STEPS_OF_ALL: usize = 100_000;

/// What the trials of a function showed.
pub(super) struct Trials {
    /// Each trial with what it began with.
    pub(super) courses: Vec<(TrialSetting, Course)>,
    /// Why they do not show all that the function does.
    pub(super) incomplete: Option<String>,
}

/// A number that fills the width, without the bits that an extension with a sign would copy.
fn wide(bits: u32, n: u64) -> u64 {
    n + match bits {
        8 => 0,
        16 => (0x12 + n) << 8,
        32 => (0x1234 + n * 0x101) << 16,
        _ => (0x1234_5678 + n * 0x101_0101) << 32,
    }
}

/// What stands where anything may.
const OPEN: [u64; 4] = [0xa5a5_a5a5_a5a5_a5a5, 0x5a5a_5a5a_5a5a_5a5a, 0, u64::MAX];

/// What trials begin with.
pub(crate) fn settings(point: &Point) -> Vec<TrialSetting> {
    let bits = point.bits().map_or(32, u32::from);
    let sign = 1 << (bits - 1);
    // The highest bit that values differ in: a comparison that is too narrow does not see it.
    let far = 1 << (bits - 3);
    let of = |old: u64, value: u64, expected: u64, others: [u64; 2]| {
        let [old, value, expected] = [old, value, expected].map(|n| wide(bits, n));
        TrialSetting {
            object: OBJECT,
            bits,
            old,
            value,
            expected,
            others: others.map(|n| wide(bits, n)),
            open: 0,
        }
    };
    let plain = || {
        vec![
            of(5, 9, 0, [3, 17]),
            of(12, 7, 0, [2, 18]),
            of(6, 6, 0, [4, 19]),
            of(0x1a, 0x13, 0, [1, 0x1f]),
        ]
    };
    let mut all = match point.what {
        What::Swap(_) => vec![
            of(5, 9, 5, [5, 6]),
            of(5, 9, 3, [3, 4]),
            of(7, 2, 7, [7, 1]),
            TrialSetting { old: wide(bits, 5) ^ far, ..of(0, 9, 5, [5, 6]) },
            // And the lowest one: a comparison of the upper half does not see it.
            TrialSetting { old: wide(bits, 5) ^ 1, ..of(0, 9, 5, [5, 6]) },
            // The sign: what is extended by it is compared with what is, and what differs in it
            // alone differs.
            TrialSetting { old: wide(bits, 5) ^ sign, ..of(0, 9, 5, [5, 6]) },
            TrialSetting {
                old: wide(bits, 5) ^ sign,
                value: wide(bits, 9) ^ sign,
                expected: wide(bits, 5) ^ sign,
                ..of(0, 0, 0, [5, 6])
            },
        ],
        What::Rmw(operation)
            if OPERATIONS[operation].ends_with("min") || OPERATIONS[operation].ends_with("max") =>
        {
            // Of two numbers of which one has a sign the other one is less, or greater.
            let signs = [(sign, 0), (0, sign), (sign, sign)];
            let signed = signs.map(|(a, b)| {
                let setting = of(5, 9, 0, [3, 17]);
                TrialSetting { old: setting.old ^ a, value: setting.value ^ b, ..setting }
            });
            plain().into_iter().chain(signed).collect()
        }
        // A sum and a difference that do not fit leave alone what stands beside the object.
        What::Rmw(_) => {
            let full = TrialSetting { old: mask(bits), ..of(0, 9, 0, [3, 17]) };
            let none = TrialSetting { old: 0, ..of(0, 9, 0, [3, 17]) };
            plain().into_iter().chain([full, none]).collect()
        }
        _ => plain(),
    };
    let places: &[u64] = match bits {
        8 => &[0, 1, 2, 3],
        16 => &[0, 2],
        _ => &[0],
    };
    if point.what == What::Fence {
        all.truncate(1);
    }
    // Every other one is in the second word of a pair: an address that is rounded too far down is
    // that of the first.
    let word = u64::from(bits / 8).max(4);
    let all = all.iter().zip(OPEN.iter().cycle()).enumerate();
    let all =
        all.map(|(i, (&setting, &open))| (i as u64 % 2 * word, TrialSetting { open, ..setting }));
    all.flat_map(|(word, s)| {
        places.iter().map(move |&place| TrialSetting { object: OBJECT + word + place, ..s })
    })
    .collect()
}

/// Tries a function with all values, and with all that may happen beside it.
pub(super) fn trials(code: &AssemblyFunction, point: &Point) -> Trials {
    let mut out = Trials { courses: Vec::new(), incomplete: None };
    let mut ways: BTreeMap<usize, [bool; 2]> = BTreeMap::new();
    let mut steps = 0;
    for setting in settings(point) {
        let mut open: Vec<Vec<u8>> = vec![Vec::new()];
        let mut count = 0;
        while let Some(wanted) = open.pop() {
            count += 1;
            // What is to be tried is to be kept, too.
            if count > MAX_TRIALS || open.len() > MAX_TRIALS {
                out.incomplete = Some(format!("more than {MAX_TRIALS} courses"));
                break;
            }
            if steps > MAX_STEPS_OF_ALL {
                out.incomplete =
                    Some(format!("its trials take more than {MAX_STEPS_OF_ALL} instructions"));
                return out;
            }
            let course = tried(code, setting, &wanted);
            steps += course.steps;
            for i in wanted.len()..course.choices.len() {
                for other in 1..course.choices[i].1 {
                    let before = course.choices[..i].iter().map(|c| c.0);
                    open.push(before.chain([other]).collect());
                }
            }
            for &(at, is_taken) in &course.branches {
                ways.entry(at).or_default()[usize::from(is_taken)] = true;
            }
            // What is wrong in one trial is wrong.
            let is_over = course.trouble.is_some();
            out.courses.push((setting, course));
            if is_over {
                return out;
            }
        }
    }
    if let Some((&at, _)) = ways.iter().find(|(_, ways)| **ways != [true, true]) {
        out.incomplete =
            out.incomplete.or(Some(format!("`{}` goes the same way in all trials", code.text(at))));
    }
    out
}

/// What a read-modify-write of a value makes of what was there.
pub(crate) fn expected(operation: &str, old: u64, value: u64, bits: u32) -> Option<u64> {
    let mask = mask(bits);
    let signed = |n: u64| signed(n, bits);
    Some(
        mask & match operation {
            "exch" => value,
            "add" => old.wrapping_add(value),
            "sub" => old.wrapping_sub(value),
            "and" => old & value,
            "or" => old | value,
            "xor" => old ^ value,
            "nand" => !(old & value),
            "min" => signed(old).min(signed(value)) as u64,
            "max" => signed(old).max(signed(value)) as u64,
            "umin" => old.min(value),
            "umax" => old.max(value),
            _ => return None,
        },
    )
}

/// What was in an object before a write, and what came of it, where they are numbers.
pub(crate) type ObjectChange = (Option<u64>, Option<u64>);

/// What a trial wrote to the object; an error if it wrote twice.
fn written(course: &Course) -> Result<Option<ObjectChange>, String> {
    let mut out = None;
    let mut reserved = None;
    for deed in &course.deeds {
        let one = match deed.kind {
            DeedKind::Reserve { read, .. } => {
                reserved = Some(read);
                continue;
            }
            DeedKind::Conditional { written: Some(written), .. } => (reserved.flatten(), written),
            DeedKind::Rmw { read, written: Some(written), .. } => (read, written),
            DeedKind::Write { written, .. } => (None, written),
            _ => continue,
        };
        if out.replace(one).is_some() {
            return Err("it writes more than once".to_owned());
        }
    }
    Ok(out)
}

/// What a trial read last.
fn last_read(course: &Course) -> Option<Option<u64>> {
    course.deeds.iter().rev().find_map(|deed| match deed.kind {
        DeedKind::Reserve { read, .. }
        | DeedKind::Rmw { read, .. }
        | DeedKind::Read { read, .. } => Some(read),
        _ => None,
    })
}

/// What came of a trial, whatever it was tried on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectOutcome {
    /// The write of the object, if there was one.
    pub(crate) write: Option<ObjectChange>,
    /// What was read of the object last, if anything was.
    pub(crate) read: Option<Option<u64>>,
    pub(crate) accesses: bool,
    /// What was stored through the second and third parameter.
    pub(crate) result: Option<u64>,
    pub(crate) flag: Option<u64>,
    /// Did the function change what lies beside the object?
    pub(crate) harms: bool,
}

impl ObjectOutcome {
    /// Of a trial of assembly; an error if it wrote the object twice.
    pub(super) fn of(course: &Course) -> Result<Self, String> {
        Ok(Self {
            write: written(course)?,
            read: last_read(course),
            accesses: !course.deeds.iter().all(|d| matches!(d.kind, DeedKind::Fence(_))),
            result: course.result,
            flag: course.flag,
            harms: course.harms,
        })
    }
}

/// Did the trial do what the operation must do, and say so where it says anything? Whether a
/// compare-exchange succeeded.
pub(crate) fn verified(
    point: &Point,
    setting: &TrialSetting,
    course: &ObjectOutcome,
    layout: TrialLayout,
) -> Result<bool, String> {
    let write = course.write;
    let own =
        |what: Option<u64>, why: &str| what.ok_or_else(|| format!("{why} cannot be followed"));
    if course.harms {
        return Err("it changes what lies beside the object".to_owned());
    }
    let returns = |read: Option<u64>| -> Result<(), String> {
        if !layout.value {
            return Ok(());
        }
        let [read, result] = [own(read, "what it reads")?, own(course.result, "what it returns")?];
        if read == result {
            Ok(())
        } else {
            Err(format!("it reads {read:#x} and returns {result:#x}"))
        }
    };
    let reads = || course.read.ok_or("it does not read the object").map_err(str::to_owned);
    match point.what {
        What::Fence => match course.accesses {
            false => Ok(true),
            true => Err("a fence accesses memory".to_owned()),
        },
        What::Load => {
            returns(reads()?)?;
            match write {
                Some((before, after)) if before != after => {
                    Err("a load changes the object".to_owned())
                }
                _ => Ok(true),
            }
        }
        What::Store => {
            let (_, after) = write.ok_or("it does not write the object")?;
            let after = own(after, "what it writes")?;
            match after == setting.value {
                true => Ok(true),
                false => Err(format!("it writes {after:#x} where {:#x} was given", setting.value)),
            }
        }
        What::Rmw(operation) => {
            let operation = OPERATIONS[operation];
            let (before, after) = write.ok_or("it does not always write the object")?;
            let [before, after] = [
                own(before, "it is done by a plain store: what that writes over")?,
                own(after, &format!("what it writes for `{operation}`"))?,
            ];
            let wanted = expected(operation, before, setting.value, setting.bits);
            if wanted != Some(after) {
                let (value, wanted) = (setting.value, wanted.unwrap_or(0));
                return Err(format!(
                    "{operation} of {value:#x} to {before:#x} writes {after:#x}, not {wanted:#x}"
                ));
            }
            returns(Some(before))?;
            Ok(true)
        }
        What::Swap(_) => {
            // What a front end does not say is not wrong.
            let says = |succeeds: bool, why: &str| match course.flag {
                _ if !layout.success => Ok(()),
                None => Err("whether it says that it succeeded cannot be followed".to_owned()),
                Some(flag) if flag == u64::from(succeeds) => Ok(()),
                Some(_) => Err(why.to_owned()),
            };
            match write {
                Some((before, after)) => {
                    let [before, after] = [
                        own(before, "it is done by a plain store: what that writes over")?,
                        own(after, "what it writes")?,
                    ];
                    if before != setting.expected {
                        return Err(format!(
                            "it writes over {before:#x} where {:#x} was expected",
                            setting.expected
                        ));
                    }
                    if after != setting.value {
                        return Err(format!(
                            "it writes {after:#x} where {:#x} was given",
                            setting.value
                        ));
                    }
                    says(true, "it writes and says that it failed")?;
                    returns(Some(before))?;
                    Ok(true)
                }
                None => {
                    let read = own(reads()?, "what it reads")?;
                    if read == setting.expected {
                        return Err(
                            "it does not write although it read what was expected".to_owned()
                        );
                    }
                    says(false, "it does not write and says that it succeeded")?;
                    returns(Some(read))?;
                    Ok(false)
                }
            }
        }
    }
}
