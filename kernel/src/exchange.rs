//! What the threads of a warp exchange: votes, shuffles, matches, reductions, and the election of
//! one of them (PTX ISA 9.7.9.6 and 9.7.13).
//!
//! They are not taken to go in step. Each thread of the mask waits for the others and gets what
//! they bring; the n-th exchange of a mask is that of all its threads. What is brought is learnt
//! round by round, as what threads share is; where all of it is constant, the result is. Else a
//! value goes from lane to lane through a place of its own. The ISA says of none of these
//! instructions that it orders memory (`bar.warp.sync` does), and so nothing is ordered by them
//! here.

use std::collections::BTreeMap;

use margay_ptx::effect::{Computation, Half, Meeting, NumberComparison, Update};
use margay_ptx::exchange::{Exchange, LaneValues};
use margay_ptx::{Operand, RegisterId, ScalarKind, ScalarType};

use crate::brought::{Brought, ExchangeKey};
use crate::layout::{LOCAL, Object};
use crate::residue::{CodePiece, Line, MemoryCell};
use crate::thread::{
    FollowedThread, Key, KnownValue, OPAQUE, OPEN, State, StepEnd, Value, constant,
};

/// After so many exchanges of one mask a thread is not followed.
const MOST: u64 = 256;

/// The most threads of a block.
const MOST_THREADS: u32 = 1024;

/// Of so many threads of a block the predicates at a barrier are followed that are not constant: in
/// most loops one of them asks for all.
const MOST_OPEN: usize = 4;

/// What says in a place of an exchange that a value is there.
pub(crate) const IS_THERE: u64 = 1 << 32;

impl FollowedThread<'_, '_> {
    /// Does an exchange.
    pub(crate) fn exchange(
        &mut self,
        state: &mut State,
        (exchange, ty): (Exchange, ScalarType),
        to: [Option<RegisterId>; 2],
        operands: &[&Operand],
        mask: &Operand,
    ) -> Option<StepEnd> {
        let Some(mask) = self.value(state, mask)?.bits() else {
            return Some(
                self.unknown(state, "who takes part in an exchange of a warp depends on memory"),
            );
        };
        let (warp, lane) = (self.thread / 32, self.thread % 32);
        let there = (self.launch.threads - warp * 32).min(32);
        let mask = mask as u32 & ((1u64 << there) - 1) as u32;
        if mask >> lane & 1 == 0 {
            return Some(
                self.unknown(
                    state,
                    "an exchange of a warp by a thread that its mask does not name",
                ),
            );
        }
        let number = state
            .known
            .get(&Key::Met(mask))
            .map_or(0, |known| if let KnownValue::Bits(n) = known { *n } else { 0 });
        if number >= MOST {
            return Some(self.unknown(state, format!("more than {MOST} exchanges of a warp")));
        }
        let key = ExchangeKey {
            warp: self.block * self.launch.threads.div_ceil(32) + warp,
            mask,
            number: number as u32,
        };
        let values = operands.iter().map(|o| self.value(state, o)).collect::<Option<Vec<_>>>()?;
        let ty = if exchange.is_vote() {
            ScalarType { kind: ScalarKind::Unsigned, bits: 1 }
        } else {
            ty
        };
        let is_match = matches!(exchange, Exchange::MatchAny | Exchange::MatchAll);
        if ty.bits > 32 && !is_match {
            return Some(self.unknown(state, "an exchange of more than 32 bits"));
        }
        let own = values.first().cloned().unwrap_or_else(|| constant(0));
        // The upper half of such an address, and no number that looks like one: a shuffle is of 32
        // bits. A `match` may be of the whole.
        let is_of_local = match ty.bits {
            33.. => own.bits().is_some_and(|bits| {
                bits >> LOCAL.trailing_zeros() == LOCAL >> LOCAL.trailing_zeros()
            }),
            _ => own.bits() == Some(LOCAL >> 32),
        };
        if is_of_local && operands.first().is_some_and(|o| self.is_made_of_own(state, o)) {
            let why = "the address of a variable of one thread, brought to others of its warp: what they reach with it is not modelled";
            return Some(self.unknown(state, why));
        }
        // One that is there alone exchanges with nobody: what it brings is what it gets, however
        // often.
        let is_alone = mask == 1 << lane;
        let all = if is_alone {
            Some(BTreeMap::from([(lane, Brought::new(exchange, ty, &own))]))
        } else {
            self.bring(key, lane, exchange, ty, &own);
            let comes = |all: &&BTreeMap<u32, Brought>| {
                (0..there).all(|l| mask >> l & 1 == 0 || all.contains_key(&l))
            };
            self.facts.exchanges.get(&key).filter(comes).cloned()
        };
        let Some(all) = all else {
            if self.facts.are_settled {
                return Some(self.unknown(
                    state,
                    "a thread that the mask names does not come to this exchange of its warp",
                ));
            }
            // What the others bring is known in the next round.
            self.push(state, CodePiece::End);
            return Some(StepEnd::Left);
        };
        if all.values().any(|b| b.exchange != exchange) {
            return Some(self.unknown(state, "threads of a warp exchange in different ways here"));
        }
        // A place of an exchange holds 32 bits, and the mark that they are there.
        if ty.bits > 32 && all.values().any(|b| b.bits.is_none() && !b.opaque) {
            return Some(self.unknown(
                state,
                "lanes of a warp compare more than 32 bits that depend on memory",
            ));
        }
        if !is_alone {
            state.known.insert(Key::Met(mask), KnownValue::Bits(number + 1));
        }
        if !is_alone && all.get(&lane).is_some_and(|b| b.bits.is_none() && !b.opaque) {
            self.publish(state, cell(key, lane), &own);
        }
        let word = ScalarType { kind: ScalarKind::Unsigned, bits: 32 };
        let predicate = ScalarType { kind: ScalarKind::Predicate, bits: 1 };
        let lanes = || (0..there).filter(|l| mask >> l & 1 == 1);
        let known: Option<Vec<(u32, u64)>> =
            lanes().map(|l| Some((l, all.get(&l)?.bits?))).collect();
        let is_opaque = lanes().any(|l| all.get(&l).is_some_and(|b| b.opaque));
        let (result, beside) = match (exchange, known) {
            (Exchange::Shuffle(mode), _) => {
                let (Some(b), Some(c)) = (values.get(1)?.bits(), values.get(2)?.bits()) else {
                    return Some(
                        self.unknown(state, "the lane that a shuffle reads depends on memory"),
                    );
                };
                let (source, is_inside) = mode.source(lane, b as u32, c as u32);
                let value = match all.get(&source) {
                    // The ISA does not define what a lane brings that takes no part.
                    None => Value { known: OPAQUE, text: "0".to_owned() },
                    Some(_) if source == lane => own,
                    Some(brought) => self.fetch(state, cell(key, source), *brought),
                };
                (value, Some(constant(u64::from(is_inside))))
            }
            (_, Some(known)) => combined(exchange, ty, lane, &known)?,
            (..) if is_opaque => {
                let open = || Value { known: OPAQUE, text: "0".to_owned() };
                (open(), Some(open()))
            }
            (_, None) => {
                let mut values = Vec::new();
                for l in lanes() {
                    let brought = *all.get(&l)?;
                    values.push((
                        l,
                        if l == lane {
                            own.clone()
                        } else {
                            self.fetch(state, cell(key, l), brought)
                        },
                    ));
                }
                let [value, beside] = exchange.result(
                    &mut ThreadValues { thread: self, state },
                    ty,
                    lane,
                    &values,
                )?;
                (value, (exchange == Exchange::MatchAll).then_some(beside))
            }
        };
        let of_result = if matches!(exchange, Exchange::All | Exchange::Any | Exchange::Uniform) {
            predicate
        } else {
            word
        };
        self.copy(state, to[0], &result, of_result);
        if let Some(beside) = beside {
            self.copy(state, to[1], &beside, predicate);
        }
        Some(StepEnd::Next)
    }

    /// The barrier of a block, and what its threads make of their predicates there. What is not
    /// constant goes through a place of each thread, which it writes in front of the barrier; where
    /// that is so of more than a few threads, nobody interprets the result.
    pub(crate) fn reduce_at_barrier(
        &mut self,
        state: &mut State,
        to: Option<RegisterId>,
        barrier: &Operand,
        predicate: &Operand,
    ) -> Option<StepEnd> {
        let at = self.origin(state);
        let instruction =
            self.prepared.module.functions[at.function].body.as_ref()?.get(at.instruction)?;
        let exchange = match (instruction.has("popc"), instruction.has("and")) {
            (true, _) => Exchange::Ballot,
            (_, true) => Exchange::All,
            _ => Exchange::Any,
        };
        let own = self.value(state, predicate)?;
        let is_count = exchange == Exchange::Ballot;
        let ty = ScalarType {
            kind: if is_count { ScalarKind::Unsigned } else { ScalarKind::Predicate },
            bits: if is_count { 32 } else { 1 },
        };
        // One that is there alone gets what it brings, however often.
        if self.launch.threads == 1 {
            self.copy(state, to, &own, ty);
            return Some(StepEnd::Next);
        }
        // Warps are counted from 0, and the mask of an exchange names somebody.
        let number = state
            .known
            .get(&Key::Met(0))
            .map_or(0, |known| if let KnownValue::Bits(n) = known { *n } else { 0 });
        if number >= MOST {
            return Some(
                self.unknown(state, format!("more than {MOST} barriers with a reduction")),
            );
        }
        let key = ExchangeKey { warp: u32::MAX - self.block, mask: 0, number: number as u32 };
        let bit = ScalarType { kind: ScalarKind::Unsigned, bits: 1 };
        self.bring(key, self.thread, exchange, bit, &own);
        let all = self
            .facts
            .exchanges
            .get(&key)
            .filter(|all| all.len() == self.launch.threads as usize)
            .cloned();
        let is_early = all.is_none() && !self.facts.are_settled;
        let followed = all.filter(|all| {
            let is_open = |b: &&Brought| b.bits.is_none();
            all.values().all(|b| b.exchange == exchange && !b.opaque)
                && all.values().filter(is_open).count() <= MOST_OPEN
        });
        if let Some(all) = &followed
            && all.get(&self.thread).is_some_and(|b| b.bits.is_none())
        {
            self.publish(state, cell(key, self.thread), &own);
        }
        match self.barrier(state, Meeting::Reduce, barrier, None)? {
            StepEnd::Next => {}
            step => return Some(step),
        }
        if is_early {
            // What the others bring is known in the next round.
            self.push(state, CodePiece::End);
            return Some(StepEnd::Left);
        }
        state.known.insert(Key::Met(0), KnownValue::Bits(number + 1));
        let function = match exchange {
            Exchange::Ballot => Computation::Add,
            Exchange::All => Computation::And,
            _ => Computation::Or,
        };
        let value = match followed {
            None => Value { known: OPAQUE, text: "0".to_owned() },
            Some(all) => {
                let (known, open): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(|(_, b)| b.bits.is_some());
                if open.is_empty() {
                    state.known.insert(Key::Settled, KnownValue::Bits(number + 1));
                }
                let bits = known.iter().filter_map(|(_, b)| b.bits);
                let mut sum = constant(match exchange {
                    Exchange::Ballot => bits.sum::<u64>(),
                    Exchange::All => u64::from(bits.into_iter().all(|b| b == 1)),
                    _ => u64::from(bits.into_iter().any(|b| b == 1)),
                });
                for (thread, brought) in open {
                    let of = if thread == self.thread {
                        own.clone()
                    } else {
                        self.fetch(state, cell(key, thread), brought)
                    };
                    sum = self.computed(state, function, ty, &[of, sum], None);
                }
                sum
            }
        };
        self.copy(state, to, &value, ty);
        Some(StepEnd::Next)
    }

    /// Which threads are there together: itself alone, as it always may be. Where its warp has
    /// others, they may be there with it, which leaves open what is not found.
    pub(crate) fn active_mask(&mut self, state: &mut State, to: RegisterId) -> StepEnd {
        let (warp, lane) = (self.thread / 32, self.thread % 32);
        let word = ScalarType { kind: ScalarKind::Unsigned, bits: 32 };
        if self.launch.threads - warp * 32 > 1 {
            self.note(
                state,
                "each thread is taken to be alone there: what a warp does whose threads are there together is not looked at",
            );
        }
        self.copy(state, Some(to), &constant(1 << lane), word);
        StepEnd::Next
    }

    fn bring(
        &mut self,
        key: ExchangeKey,
        lane: u32,
        exchange: Exchange,
        ty: ScalarType,
        own: &Value,
    ) {
        let brought = Brought::new(exchange, ty, own);
        let known = self.exchanges.entry(key).or_default().entry(lane).or_insert(brought);
        if *known != brought {
            // Another way through the thread brings something else.
            known.bits = None;
            known.opaque |= brought.opaque;
        }
    }

    fn publish(&mut self, state: &State, cell: MemoryCell, own: &Value) {
        let (low, whole) = (self.temporary(), self.temporary());
        self.emit(state, format!("and.b64 {low}, {}, {}", own.text, IS_THERE - 1));
        self.emit(state, format!("or.b64 {whole}, {low}, {IS_THERE}"));
        let operation = "st.relaxed.cta.u64".to_owned();
        self.push(state, CodePiece::Write { operation, cell, operands: whole, idle: None });
    }

    fn fetch(&mut self, state: &State, cell: MemoryCell, brought: Brought) -> Value {
        match brought {
            Brought { bits: Some(bits), .. } => constant(bits),
            Brought { opaque: true, .. } => Value { known: OPAQUE, text: "0".to_owned() },
            _ => {
                let (label, origin) = (self.fresh_label(), self.origin(state));
                let (whole, is_open, low) = (self.temporary(), self.temporary(), self.temporary());
                self.code.push((CodePiece::Label(label), None));
                self.push(
                    state,
                    CodePiece::Read {
                        operation: "ld.relaxed.cta.u64".to_owned(),
                        to: whole.clone(),
                        cell,
                    },
                );
                self.emit(state, format!("setp.eq.u64 {is_open}, {whole}, 0"));
                self.code.push((CodePiece::Jump(Some((is_open, true)), label), Some(origin)));
                self.emit(state, format!("and.b64 {low}, {whole}, {}", IS_THERE - 1));
                Value { known: OPEN, text: low }
            }
        }
    }
}

/// The register that takes what a lane brings, if a jump is the end of the loop that waits for it.
pub(crate) fn fetched(code: &[Line], jump: usize) -> Option<&str> {
    let [
        (CodePiece::Label(label), _),
        (CodePiece::Read { to, cell, .. }, _),
        (CodePiece::Other(_), _),
        (CodePiece::Jump(_, head), _),
    ] = code.get(jump.checked_sub(3)?..=jump)?
    else {
        return None;
    };
    (label == head && matches!(cell.object, Object::Exchange(..))).then_some(to)
}

/// The place through which a value of a lane goes, or of a thread of a block where no mask names
/// lanes.
fn cell(key: ExchangeKey, lane: u32) -> MemoryCell {
    let all = if key.mask == 0 { MOST_THREADS } else { 32 };
    MemoryCell {
        object: Object::Exchange(key.warp, key.mask),
        offset: u64::from(key.number * all + lane) * 8,
        bytes: 8,
    }
}

/// Values of a thread, of which some are not constant.
struct ThreadValues<'s, 't, 'a, 'b> {
    thread: &'t mut FollowedThread<'a, 'b>,
    state: &'s State,
}

impl LaneValues for ThreadValues<'_, '_, '_, '_> {
    type Value = Value;

    fn number(&mut self, number: u64) -> Value {
        constant(number)
    }

    fn join(&mut self, update: Update, ty: ScalarType, a: &Value, b: &Value) -> Option<Value> {
        let function = match update {
            Update::Add => Computation::Add,
            Update::Min => Computation::Min,
            Update::Max => Computation::Max,
            Update::And => Computation::And,
            Update::Or => Computation::Or,
            Update::Xor => Computation::Xor,
            Update::Exchange | Update::CompareAndSwap | Update::Increment | Update::Decrement => {
                return None;
            }
        };
        Some(self.thread.computed(self.state, function, ty, &[a.clone(), b.clone()], None))
    }

    fn equal(&mut self, ty: ScalarType, a: &Value, b: &Value) -> Value {
        if ty.bits == 1 {
            let differ = self.thread.computed(
                self.state,
                Computation::Xor,
                ty,
                &[a.clone(), b.clone()],
                None,
            );
            return self.thread.computed(
                self.state,
                Computation::Xor,
                ty,
                &[differ, constant(1)],
                None,
            );
        }
        self.thread.computed(
            self.state,
            Computation::Compare(NumberComparison::Equal),
            ty,
            &[a.clone(), b.clone()],
            None,
        )
    }

    fn choose(&mut self, truth: &Value, number: u64) -> Value {
        let word = ScalarType { kind: ScalarKind::Unsigned, bits: 32 };
        self.thread.computed(
            self.state,
            Computation::Multiply(Half::Low),
            word,
            &[truth.clone(), constant(number)],
            None,
        )
    }
}

/// What is made of values that are all known, and the predicate beside it, where there is one.
fn combined(
    exchange: Exchange,
    ty: ScalarType,
    lane: u32,
    all: &[(u32, u64)],
) -> Option<(Value, Option<Value>)> {
    let [value, beside] = exchange.value(ty, lane, all)?;
    Some((
        constant(value),
        matches!(exchange, Exchange::MatchAll | Exchange::Elect).then(|| constant(beside)),
    ))
}
