//! The specification that a kernel carries with it: instructions after the last access of each
//! thread, whose constants say what the accesses were (Alglave et al., ASPLOS 2015, section 4.4).

use super::dependency::EffectDependencies;
use super::effect::SassEffect;
use super::listing::SassInstruction;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SassAccessKind {
    Load = 0,
    Store = 1,
    /// A read-modify-write whose old value is kept.
    Atom = 2,
    Reduction = 3,
}

impl SassAccessKind {
    fn of(effect: &SassEffect) -> Option<Self> {
        match effect {
            SassEffect::Load { .. } | SassEffect::ProxyLoad(_) => Some(Self::Load),
            SassEffect::Store { .. } | SassEffect::SurfaceStore => Some(Self::Store),
            SassEffect::Atom { reduction: false, .. } => Some(Self::Atom),
            SassEffect::Atom { reduction: true, .. } => Some(Self::Reduction),
            _ => None,
        }
    }
}

/// What tells these constants from others: the paper's.
const MARK: u32 = 0x07f3;

/// The constant of an access: the thread, the position among its accesses, and what it is. `None`
/// for more threads or accesses than there is room for.
pub(crate) fn constant(thread: usize, position: usize, kind: SassAccessKind) -> Option<u32> {
    (thread < 16 && position < 256)
        .then_some(MARK << 16 | (thread as u32) << 12 | (position as u32) << 4 | kind as u32)
}

/// What is wrong with the specification of a thread: `found` are the effects of its machine code,
/// in order, and `after` the code behind them. Each access has one constant, of its kind, and what
/// a load or atom brought is the other operand.
pub(super) fn differences(
    thread: usize,
    found: &[SassEffect],
    after: &[SassInstruction],
    known: &mut EffectDependencies,
) -> Vec<String> {
    let accesses: Vec<(usize, SassAccessKind)> = found
        .iter()
        .enumerate()
        .filter_map(|(i, e)| SassAccessKind::of(e).map(|kind| (i, kind)))
        .collect();
    let mut said = vec![0usize; accesses.len()];
    let mut out = Vec::new();
    for i in after {
        known.arrive(i);
        if let Some((position, kind)) = said_by(i, thread) {
            match accesses.get(position) {
                Some(&(effect, is)) if is as u32 == kind => {
                    said[position] += 1;
                    let brings = matches!(is, SassAccessKind::Load | SassAccessKind::Atom);
                    let from =
                        known.sources(i.operands.iter().skip(1), super::operands::registers(i));
                    if brings && !from.contains(&effect) {
                        out.push(format!(
                            "its specification: `{}` has not the value of access {}",
                            i.text(),
                            position + 1
                        ));
                    }
                }
                Some((_, is)) => {
                    out.push(format!(
                        "its specification has another kind of access {}: the code has {is:?}",
                        position + 1
                    ));
                }
                None => out.push(format!(
                    "its specification has an access {} that the code has not",
                    position + 1
                )),
            }
        }
        known.step(i, None);
    }
    for (position, &times) in said.iter().enumerate() {
        if times != 1 && constant(thread, position, SassAccessKind::Load).is_some() {
            out.push(format!(
                "its specification has access {} {times} times, not once",
                position + 1
            ));
        }
    }
    out
}

/// The position and kind that an instruction of the specification states.
fn said_by(i: &SassInstruction, thread: usize) -> Option<(usize, u32)> {
    if !matches!(i.base(), "LOP3" | "LOP" | "LOP32I") {
        return None;
    }
    let constants =
        i.operands.iter().filter_map(|o| u32::from_str_radix(o.strip_prefix("0x")?, 16).ok());
    let mut stated = constants.filter(|c| c >> 16 == MARK && (c >> 12 & 15) as usize == thread);
    stated.next().map(|c| ((c >> 4 & 255) as usize, c & 15))
}
