//! From the trials of a function to the rows of a table. A trial of a loop is written as the round
//! that decides, and a load-reserved with its store-conditional as one read-modify-write.

use margay_mappings::language::LoweringForm;
use margay_models::execution::Order;
use margay_models::signature::{self, Architecture, Construct, Tags};

use super::AssemblyReader;
use super::course::{Course, Deed, DeedKind, TrialLayout};
use super::function::AssemblyFunction;
use super::trials::{ObjectOutcome, trials, verified};
use crate::lowering::{InstructionSequence, LoweringAnswer, PlaceLowering, PrintedInstruction};
use crate::point::{Point, What};

/// The rows of a point, and its paths as texts.
pub struct AssemblyRows {
    pub rows: Vec<PlaceLowering>,
    /// The courses that trials took: `ldaxr w0, [x1] ; stxr w2, w3, [x1] (fails)`.
    pub paths: Vec<String>,
}

/// What a function does, by form: success, failure.
#[derive(Default)]
struct FormEffects {
    success: Vec<(InstructionSequence, Vec<String>)>,
    failure: Vec<(InstructionSequence, Vec<String>)>,
    /// Why there is no row of either form, of success, and of failure.
    wrong: [Option<String>; 3],
    paths: Vec<String>,
}

/// The rows of a point, from the texts of its function and of the one that does not use its result.
pub fn rows(
    reader: &mut AssemblyReader,
    point: &Point,
    layout: TrialLayout,
    text: &str,
    unused: Option<&str>,
) -> AssemblyRows {
    let mut lowered = lowered(reader, point, layout, text);
    let mut notes = Vec::new();
    if let Some(text) = unused {
        let other = self::lowered(reader, point, TrialLayout { value: false, ..layout }, text);
        lowered.paths.extend(other.paths.iter().map(|p| format!("{p}   (the result is not used)")));
        for (mine, other) in lowered.wrong.iter_mut().zip(other.wrong) {
            *mine = mine.take().or(other.map(|why| format!("where nobody uses the result: {why}")));
        }
        for (form, mine) in
            [(other.success, &mut lowered.success), (other.failure, &mut lowered.failure)]
        {
            let known: Vec<InstructionSequence> = mine.iter().map(|(s, _)| s.clone()).collect();
            for (sequence, said) in form {
                if !known.contains(&sequence) {
                    let note = format!("where nobody uses the result: `{}`", sequence.text(None));
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                    // A lowering of its own: no other one stands for it.
                    mine.push((InstructionSequence { apart: true, ..sequence }, said));
                }
            }
        }
    }
    let rows = point.slots().into_iter().map(|slot| {
        let fails = slot.form == LoweringForm::FailedCompareExchange;
        let found = if fails { &lowered.failure } else { &lowered.success };
        let other = |what: String| PlaceLowering {
            slot,
            answer: LoweringAnswer::Other(what),
            notes: Vec::new(),
        };
        if let Some(why) =
            lowered.wrong[0].as_ref().or(lowered.wrong[1 + usize::from(fails)].as_ref())
        {
            return other(why.clone());
        }
        let mut all = Vec::new();
        let mut notes = notes.clone();
        for (sequence, said) in found {
            notes.extend(said.iter().filter(|n| !notes.contains(n)).cloned().collect::<Vec<_>>());
            // Rounds that fail leave fences behind; a path with more fences than another one is no
            // lowering of its own.
            let weaker = |s: &InstructionSequence| {
                s != sequence && !s.apart && !sequence.apart && s.is_part_of(sequence)
            };
            let plain = InstructionSequence { apart: false, ..sequence.clone() };
            if !found.iter().any(|(s, _)| weaker(s)) && !all.contains(&plain) {
                all.push(plain);
            }
        }
        all.sort();
        match all.is_empty() {
            true => other("no trial does this".to_owned()),
            false => PlaceLowering { slot, answer: LoweringAnswer::Lowered(all), notes },
        }
    });
    AssemblyRows { rows: rows.collect(), paths: lowered.paths }
}

fn lowered(
    reader: &mut AssemblyReader,
    point: &Point,
    layout: TrialLayout,
    text: &str,
) -> FormEffects {
    let code = AssemblyFunction::new(reader, text);
    let trials = trials(&code, point);
    let mut out = FormEffects::default();
    let mut wrong: [Vec<(usize, String)>; 3] = Default::default();
    // Which pairs the function has: a load-reserved that is not followed by its store-conditional
    // is told by them.
    let pairs: Vec<Construct> =
        trials.courses.iter().flat_map(|(_, course)| pairs(reader.architecture, course)).collect();
    for (setting, course) in &trials.courses {
        let path = path(&code, course);
        if !out.paths.contains(&path) {
            out.paths.push(path);
        }
        let done = match &course.trouble {
            Some(why) => Err(why.clone()),
            None => ObjectOutcome::of(course)
                .and_then(|outcome| verified(point, setting, &outcome, layout)),
        };
        match done {
            Err(why) => wrong[0].push((course.deeds.len(), why)),
            Ok(succeeds) => {
                match sequence(reader.architecture, &code, point, course, succeeds, &pairs) {
                    Ok(made) if succeeds => out.success.push(made),
                    Ok(made) => out.failure.push(made),
                    Err(why) => wrong[if succeeds { 1 } else { 2 }].push((course.deeds.len(), why)),
                }
            }
        }
    }
    out.paths.sort_by_key(|p| (p.matches(" ; ").count(), p.clone()));
    // The shortest shows best what is strange.
    out.wrong = wrong.map(|of| of.into_iter().min().map(|(_, why)| why));
    if out.wrong[0].is_some() {
        out.wrong[0] = code.call().or(out.wrong[0].take());
    } else {
        out.wrong[0] = trials.incomplete.map(|why| format!("not all of it was tried: {why}"));
    }
    for all in [&mut out.success, &mut out.failure] {
        all.sort();
        all.dedup();
    }
    out
}

/// The accesses of the object and the fences of a trial.
fn path(code: &AssemblyFunction, course: &Course) -> String {
    let mut out: Vec<String> = course
        .deeds
        .iter()
        .filter(|d| !matches!(d.kind, DeedKind::Branch { .. }))
        .map(|deed| {
            let how = match deed.kind {
                DeedKind::Conditional { written: None, .. }
                | DeedKind::Rmw { written: None, .. } => " (fails)",
                _ => "",
            };
            format!("{}{how}", code.text(deed.at))
        })
        .collect();
    out.extend(course.trouble.clone());
    if out.is_empty() { "nothing".to_owned() } else { out.join(" ; ") }
}

/// The pairs of a trial, as the read-modify-writes that mappings have.
fn pairs(architecture: Architecture, course: &Course) -> Vec<Construct> {
    let mut reserved: Option<Tags> = None;
    let mut out = Vec::new();
    for deed in &course.deeds {
        match (&deed.kind, reserved) {
            (DeedKind::Reserve { tags, .. }, _) => reserved = Some(*tags),
            (DeedKind::Conditional { tags, .. }, Some(of)) => {
                out.extend(architecture.whole(of.order(), tags.order()))
            }
            _ => {}
        }
    }
    out
}

/// The deeds that do what the operation is for: the first one and the last one of the access, and
/// its instruction.
fn main_access(
    architecture: Architecture,
    code: &AssemblyFunction,
    point: &Point,
    course: &Course,
    succeeds: bool,
    pairs: &[Construct],
) -> Result<(usize, usize, Construct), String> {
    use signature::Operation::{Read, Rmw, Write};
    let of = |operation, tags: &Tags| Construct { operation, order: tags.order() };
    let fails = matches!(point.what, What::Swap(_)) && !succeeds;
    let mut reserved = None;
    let mut found = None;
    for (i, deed) in course.deeds.iter().enumerate() {
        match &deed.kind {
            DeedKind::Reserve { tags, .. } => {
                reserved = Some((i, tags));
                // One that fails is a read of the pair that the function has. Else it is a read
                // that writes nothing.
                let of_pair = || {
                    pairs.iter().copied().find(|p| p.read_order() == tags.order()).filter(|_| fails)
                };
                if fails || point.what == What::Load {
                    let read = of_pair().or_else(|| architecture.read_alone(of(Read, tags)));
                    let read = read.ok_or_else(|| {
                        format!(
                            "mappings have no load that is `{}` without its store-conditional",
                            code.text(deed.at)
                        )
                    })?;
                    found = Some((i, i, read));
                }
            }
            DeedKind::Conditional { tags, written: Some(_), .. } => {
                let (from, first) =
                    reserved.ok_or("a store-conditional without a load-reserved")?;
                let whole = architecture.whole(first.order(), tags.order()).ok_or_else(|| {
                    let [first, second] = [course.deeds[from].at, deed.at].map(|at| code.text(at));
                    format!("mappings have no read-modify-write of `{first}` and `{second}`")
                })?;
                found = Some((from, i, whole));
            }
            DeedKind::Rmw { tags, written, .. } if written.is_some() || fails => {
                found = Some((i, i, of(Rmw, tags)))
            }
            DeedKind::Write { tags, .. } if point.what == What::Store => {
                found = Some((i, i, of(Write, tags)))
            }
            DeedKind::Write { .. } => {
                return Err(format!("a plain store: `{}`", code.text(deed.at)));
            }
            DeedKind::Read { tags, .. } if point.what == What::Load || fails => {
                found = Some((i, i, of(Read, tags)))
            }
            _ => {}
        }
    }
    found.ok_or_else(|| "a trial does not access the object".to_owned())
}

/// A trial as a sequence of instructions, and what is to be said of it.
fn sequence(
    architecture: Architecture,
    code: &AssemblyFunction,
    point: &Point,
    course: &Course,
    succeeds: bool,
    pairs: &[Construct],
) -> Result<(InstructionSequence, Vec<String>), String> {
    // Whatever the text has, a row can say, but for halves of pairs: what no right compiler emits
    // (`fence w,w` in front of a release) stands in the table of a wrong one.
    let step = |construct: Construct, at: usize| match architecture.mnemonic(construct) {
        Some(mnemonic) if !architecture.is_half(construct) => Ok(PrintedInstruction {
            operation: construct.operation,
            order: Some(construct.order),
            scope: None,
            volatile: false,
            mnemonic: Some(mnemonic),
        }),
        _ => Err(format!("mappings do not have `{}`", code.text(at))),
    };
    let fence = |deed: &Deed| match deed.kind {
        DeedKind::Fence(tags) => Some(step(
            Construct { operation: signature::Operation::Fence, order: tags.order() },
            deed.at,
        )),
        _ => None,
    };
    let fences = |deeds: &[Deed]| deeds.iter().filter_map(fence).collect::<Result<Vec<_>, _>>();
    if point.what == What::Fence {
        return Ok((
            InstructionSequence { steps: fences(&course.deeds)?, ..InstructionSequence::default() },
            Vec::new(),
        ));
    }
    let (first, last, construct) = main_access(architecture, code, point, course, succeeds, pairs)?;
    let mut notes = Vec::new();
    let (before, behind) = (&course.deeds[..first], &course.deeds[last + 1..]);
    let accesses = |deeds: &[Deed]| {
        deeds.iter().any(|d| !matches!(d.kind, DeedKind::Fence(_) | DeedKind::Branch { .. }))
    };
    if let Some(deed) =
        behind.iter().find(|d| !matches!(d.kind, DeedKind::Fence(_) | DeedKind::Branch { .. }))
    {
        return Err(format!(
            "it accesses the object again behind the access: `{}`",
            code.text(deed.at)
        ));
    }
    if !fences(&course.deeds[first..=last])?.is_empty() {
        return Err("a fence stands between the halves of a pair".to_owned());
    }
    for deed in before {
        if let DeedKind::Read { .. } = deed.kind {
            let note = format!("it reads first: `{}`", mnemonic(code.text(deed.at)));
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    let bits = course.deeds[first..=last].iter().find_map(|d| match d.kind {
        DeedKind::Read { bits, .. } | DeedKind::Write { bits, .. } | DeedKind::Rmw { bits, .. } => {
            Some(bits)
        }
        DeedKind::Reserve { bits, .. } => Some(bits),
        _ => None,
    });
    if bits != point.bits().map(u32::from) {
        notes.push(format!(
            "the access has {} bits, not those of the object alone",
            bits.unwrap_or(0)
        ));
    }
    let mut steps: Vec<PrintedInstruction> = Vec::new();
    // Each round has its fences; what stands before the last access is what one round has.
    let is_loop = accesses(before);
    for fence in fences(before)? {
        if !is_loop || !steps.contains(&fence) {
            steps.push(fence);
        }
    }
    steps.push(step(construct, course.deeds[last].at)?);
    let number = match course.deeds[first].kind {
        DeedKind::Read { number, .. }
        | DeedKind::Rmw { number, .. }
        | DeedKind::Reserve { number, .. } => Some(number),
        _ => None,
    };
    // A branch on what was read orders what stands behind it; it is written where a fence follows.
    let branch = course.deeds.iter().enumerate().find_map(|(i, deed)| match deed.kind {
        DeedKind::Branch { from } if i > first && number.is_some_and(|n| from & (1 << n) != 0) => {
            Some(i.max(last))
        }
        _ => None,
    });
    let mut control = None;
    if let Some(at) = branch {
        let between = fences(&course.deeds[last + 1..=at.max(last)])?;
        let after = fences(&course.deeds[at + 1..])?;
        steps.extend(between);
        // Behind a full fence nothing waits for a branch.
        let is_full = |fence: &PrintedInstruction| match fence.order {
            Some(Order::Tagged(tags)) => tags.is_full_fence(),
            _ => false,
        };
        let says_all = point.what == What::Store && after.iter().all(is_full);
        if !after.is_empty() && !says_all {
            if point.what == What::Store {
                return Err("its loop reads, and a row of a store cannot say that what comes behind depends on that".to_owned());
            }
            control = Some(steps.len());
        }
        steps.extend(after);
    } else {
        steps.extend(fences(behind)?);
    }
    Ok((InstructionSequence { steps, bits: None, control, apart: false }, notes))
}

/// An instruction without its operands.
fn mnemonic(text: &str) -> String {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    match (first, words.next()) {
        ("lock", Some(second)) => format!("lock {second}"),
        _ => first.to_owned(),
    }
}
