//! What the threads of a warp exchange: which instruction does what, and what each lane gets (PTX
//! ISA 9.7.9.6, 9.7.13).

use crate::effect::{Effect, Update, target, unknown, update};
use crate::{Instruction, Operand, ScalarKind, ScalarType};

/// What the threads of a warp make of what each of them brings (PTX ISA 9.7.13, 9.7.9.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// `vote.sync.all`
    All,
    /// `vote.sync.any`
    Any,
    /// `vote.sync.uni`: do all bring the same?
    Uniform,
    /// `vote.sync.ballot`: a bit for each.
    Ballot,
    /// `shfl.sync`: what another lane brings.
    Shuffle(ShuffleMode),
    /// `match.any.sync`: who brings the same.
    MatchAny,
    /// `match.all.sync`: all, if they bring the same; else nobody.
    MatchAll,
    /// `redux.sync`: all together.
    Reduce(Update),
    /// `elect.sync`: one of them.
    Elect,
}

impl Exchange {
    /// The exchange of an instruction, by its opcode and its qualifiers.
    pub fn named(opcode: &str, qualifiers: &[&str]) -> Option<Self> {
        let has = |q: &str| qualifiers.contains(&q);
        Some(match opcode {
            "vote" => match (has("all"), has("any"), has("uni"), has("ballot")) {
                (true, ..) => Self::All,
                (_, true, ..) => Self::Any,
                (_, _, true, _) => Self::Uniform,
                (.., true) => Self::Ballot,
                _ => return None,
            },
            "shfl" => Self::Shuffle(match (has("up"), has("down"), has("bfly"), has("idx")) {
                (true, ..) => ShuffleMode::Up,
                (_, true, ..) => ShuffleMode::Down,
                (_, _, true, _) => ShuffleMode::Butterfly,
                (.., true) => ShuffleMode::Index,
                _ => return None,
            }),
            "match" if has("any") => Self::MatchAny,
            "match" if has("all") => Self::MatchAll,
            "redux" => Self::Reduce(qualifiers.iter().find_map(|q| update(q))?),
            "elect" => Self::Elect,
            _ => return None,
        })
    }

    /// How many operands a lane brings.
    pub fn brought(self) -> usize {
        match self {
            Self::Elect => 0,
            Self::Shuffle(_) => 3,
            _ => 1,
        }
    }

    /// Is it a vote? Its lanes bring predicates.
    pub fn is_vote(self) -> bool {
        matches!(self, Self::All | Self::Any | Self::Uniform | Self::Ballot)
    }

    /// What a lane gets, and the predicate beside it, where all that is brought are numbers
    /// ([`Exchange::result`]).
    pub fn value(self, ty: ScalarType, lane: u32, all: &[(u32, u64)]) -> Option<[u64; 2]> {
        self.result(&mut KnownLaneValues, ty, lane, all)
    }

    /// What a lane gets, and the predicate beside it, of what all lanes bring that take part: each
    /// lane and its value, in the order of the lanes (PTX ISA 9.7.9.6, 9.7.13). A vote looks at the
    /// lowest bit. Nothing for a shuffle, whose lanes name another one ([`ShuffleMode::source`]),
    /// for what is no reduction, and for a lane that brings nothing.
    pub fn result<L: LaneValues>(
        self,
        values: &mut L,
        ty: ScalarType,
        lane: u32,
        all: &[(u32, L::Value)],
    ) -> Option<[L::Value; 2]> {
        let own = all.iter().find(|(l, _)| *l == lane)?.1.clone();
        let bit = ScalarType { kind: ScalarKind::Predicate, bits: 1 };
        let word = ScalarType { kind: ScalarKind::Bits, bits: 32 };
        let join = |values: &mut L, update: Update, ty: ScalarType, parts: Vec<L::Value>| {
            let mut parts = parts.into_iter();
            let first = parts.next()?;
            parts.try_fold(first, |before, part| values.join(update, ty, &before, &part))
        };
        let brought = || all.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>();
        let same = |values: &mut L, ty: ScalarType| {
            all.iter().map(|(_, v)| values.equal(ty, v, &own)).collect::<Vec<_>>()
        };
        let zero = values.number(0);
        Some(match self {
            Self::All => [join(values, Update::And, bit, brought())?, zero],
            Self::Any => [join(values, Update::Or, bit, brought())?, zero],
            Self::Uniform => {
                let same = same(values, bit);
                [join(values, Update::And, bit, same)?, zero]
            }
            Self::Ballot => {
                let bits = all.iter().map(|(l, v)| values.choose(v, 1 << l)).collect();
                [join(values, Update::Or, word, bits)?, zero]
            }
            Self::MatchAny => {
                let same = same(values, ty);
                let bits = all
                    .iter()
                    .zip(&same)
                    .map(|((l, _), same)| values.choose(same, 1 << l))
                    .collect();
                [join(values, Update::Or, word, bits)?, zero]
            }
            Self::MatchAll => {
                let same = same(values, ty);
                let same = join(values, Update::And, bit, same)?;
                [values.choose(&same, all.iter().fold(0, |bits, (l, _)| bits | 1 << l)), same]
            }
            Self::Reduce(
                update @ (Update::Add
                | Update::And
                | Update::Or
                | Update::Xor
                | Update::Min
                | Update::Max),
            ) if ty.kind != ScalarKind::Float => [join(values, update, ty, brought())?, zero],
            // Always the same one of these lanes.
            Self::Elect => {
                let leader = all.iter().map(|(l, _)| *l).min()?;
                [values.number(u64::from(leader)), values.number(u64::from(leader == lane))]
            }
            Self::Shuffle(_) | Self::Reduce(_) => return None,
        })
    }
}

/// How it is computed what lanes make of what they bring: at once of numbers, else as text or terms
/// of those who ask. A truth value is 0 or 1.
pub trait LaneValues {
    /// What a lane brings.
    type Value: Clone;

    fn number(&mut self, number: u64) -> Self::Value;

    /// Two values, as an atomic operation makes one of them. Nothing where it makes none.
    fn join(
        &mut self,
        update: Update,
        ty: ScalarType,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Option<Self::Value>;

    /// Are two values of a type the same?
    fn equal(&mut self, ty: ScalarType, a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// The number where the lowest bit is 1, else 0.
    fn choose(&mut self, truth: &Self::Value, number: u64) -> Self::Value;
}

struct KnownLaneValues;

impl LaneValues for KnownLaneValues {
    type Value = u64;

    fn number(&mut self, number: u64) -> u64 {
        number
    }

    fn join(&mut self, update: Update, ty: ScalarType, a: &u64, b: &u64) -> Option<u64> {
        update.value(ty, *a, &[*b])
    }

    fn equal(&mut self, ty: ScalarType, a: &u64, b: &u64) -> u64 {
        u64::from(ty.cut(*a) == ty.cut(*b))
    }

    fn choose(&mut self, truth: &u64, number: u64) -> u64 {
        if truth & 1 == 1 { number } else { 0 }
    }
}

/// Which lane a shuffle reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    /// `.up`: so many below.
    Up,
    /// `.down`: so many above.
    Down,
    /// `.bfly`: with these bits turned.
    Butterfly,
    /// `.idx`: this one.
    Index,
}

impl ShuffleMode {
    /// The lane that a lane reads, and whether it is one of its segment; else it reads its own (PTX
    /// ISA, `shfl.sync`).
    pub fn source(self, lane: u32, b: u32, c: u32) -> (u32, bool) {
        let (b, clamp, segment) = (b & 0x1f, c & 0x1f, c >> 8 & 0x1f);
        let top = lane & segment | clamp & !segment;
        let bottom = lane & segment;
        let (at, is_inside) = match self {
            Self::Up => {
                (i64::from(lane) - i64::from(b), i64::from(lane) - i64::from(b) >= i64::from(top))
            }
            Self::Down => (i64::from(lane + b), lane + b <= top),
            Self::Butterfly => (i64::from(lane ^ b), lane ^ b <= top),
            Self::Index => (i64::from(bottom | b & !segment), bottom | b & !segment <= top),
        };
        if is_inside { (at as u32 & 0x1f, true) } else { (lane, false) }
    }
}

/// The effect of an instruction by which lanes exchange something.
pub(crate) fn exchange(i: &Instruction) -> Option<Effect<'_>> {
    let operands = &i.operands;
    if !i.has("sync") {
        return unknown(
            "an exchange of those threads of a warp that happen to be together (without `.sync`)",
        );
    }
    let qualifiers: Vec<&str> = i.qualifiers.iter().map(AsRef::as_ref).collect();
    let exchange = Exchange::named(&i.opcode, &qualifiers)?;
    let to = match operands.first()? {
        Operand::Pair(a, b) => [target(a)?, target(b)?],
        other => [target(other)?, None],
    };
    let brought = exchange.brought();
    (operands.len() == brought + 2).then_some(())?;
    let ty = i.ty().unwrap_or(ScalarType { kind: ScalarKind::Unsigned, bits: 32 });
    Some(Effect::Exchange {
        exchange,
        ty,
        to,
        operands: operands[1..=brought].iter().collect(),
        mask: operands.last()?,
    })
}
