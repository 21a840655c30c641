//! Arithmetic: computed where it is constant, and left as code where it is not.

use margay_ptx::effect::{Computation, Half, NumberComparison};
use margay_ptx::float::{self, FloatFunction};
use margay_ptx::{Operand, RegisterId, ScalarKind, ScalarType};

use super::memory::object_of;
use super::value::{Key, KnownValue, OPAQUE, Value, constant, uninterpreted};
use super::value_range::range_of;
use super::{FollowedThread, State, StepEnd};
use crate::layout::Object;
use crate::omission::OmissionReason;
use crate::residue::CodePiece;
use crate::spelling::{bits_name, relation_name, typed, unsigned};

/// How far from an address that is in memory an access may be.
const FURTHEST: i64 = 4_096;

impl FollowedThread<'_, '_> {
    /// Floating-point arithmetic on constants, where the ISA leaves no choice of its result: no
    /// approximation, no number below the normal ones, and no NaN, whose bits are not said. A
    /// product without a rounding may be joined with a sum (PTX ISA 9.7.3, `mul`), which makes no
    /// difference if it is exact.
    pub(super) fn constant_float(
        &mut self,
        state: &State,
        to: &[RegisterId],
        operands: &[&Operand],
    ) -> Option<(RegisterId, u64)> {
        let [to] = to else { return None };
        let instruction =
            &self.prepared.module.functions[state.function].body.as_deref()?[state.at];
        let (function, ty) = float::of(instruction)?;
        let is_open = ["approx", "full"].iter().any(|q| instruction.has(q));
        let arity = match function {
            FloatFunction::Fused => 3,
            FloatFunction::Add
            | FloatFunction::Subtract
            | FloatFunction::Multiply
            | FloatFunction::Divide => 2,
            FloatFunction::Min | FloatFunction::Max | FloatFunction::Compare(_) => 2,
            FloatFunction::Sine
            | FloatFunction::Cosine
            | FloatFunction::Exponential
            | FloatFunction::Logarithm => return None,
            FloatFunction::ReciprocalRoot => return None,
            _ => 1,
        };
        if is_open || operands.len() != arity {
            return None;
        }
        let values =
            operands.iter().map(|o| self.value(state, o)?.bits()).collect::<Option<Vec<u64>>>()?;
        let of = match function {
            FloatFunction::Convert(from) | FloatFunction::ToInteger(from, _) => from,
            _ => ty,
        };
        // Of zeros with two signs the positive one is the larger, which the host's arithmetic need
        // not say.
        if matches!(function, FloatFunction::Min | FloatFunction::Max)
            && values[0] != values[1]
            && values.iter().all(|&v| is_zero(ty, v))
        {
            return None;
        }
        let result = function.value(ty, &values)?;
        let is_plain =
            |ty: ScalarType, bits: u64| ty.kind != ScalarKind::Float || is_zero_or_normal(ty, bits);
        let of_numbers = values.iter().all(|&bits| is_plain(of, bits));
        let is_number = matches!(function, FloatFunction::Compare(_)) || is_plain(ty, result);
        let is_exact = function != FloatFunction::Multiply
            || instruction.has("rn")
            || is_exact_product(ty, &values, result);
        (of_numbers && is_number && is_exact).then_some((*to, result))
    }

    /// A comparison of floating-point numbers, the smaller or the larger of two, a sign that is
    /// turned or taken off: these need no arithmetic but that of the bits. Nothing where the
    /// numbers themselves are of arithmetic that nobody interprets, or subnormal ones are zeros.
    pub(super) fn float_by_its_bits(
        &mut self,
        state: &State,
        to: &[RegisterId],
        operands: &[&Operand],
    ) -> Option<(RegisterId, Value)> {
        let [to] = to else { return None };
        let instruction =
            &self.prepared.module.functions[state.function].body.as_deref()?[state.at];
        let (function, ty, infinity) = float::by_bits(instruction)?;
        let arity =
            if matches!(function, FloatFunction::Negate | FloatFunction::Absolute) { 1 } else { 2 };
        if operands.len() != arity {
            return None;
        }
        let values =
            operands.iter().map(|o| self.value(state, o)).collect::<Option<Vec<Value>>>()?;
        if values.iter().any(|v| v.known.is_opaque()) {
            return None;
        }
        let word = ScalarType { kind: ScalarKind::Unsigned, bits: ty.bits };
        let signed = ScalarType { kind: ScalarKind::Signed, bits: ty.bits };
        let predicate = ScalarType { kind: ScalarKind::Predicate, bits: 1 };
        let sign = 1u64 << (ty.bits - 1);
        let mut of = |function: Computation, ty: ScalarType, all: &[Value]| {
            self.computed(state, function, ty, all, None)
        };
        let (first, magnitude) = (values[0].clone(), constant(sign - 1));
        match function {
            FloatFunction::Negate => {
                return Some((*to, of(Computation::Xor, word, &[first, constant(sign)])));
            }
            FloatFunction::Absolute => {
                return Some((*to, of(Computation::And, word, &[first, magnitude])));
            }
            _ => {}
        }
        // Whether it is no number, and a whole number with a sign that is as large as it is; zeros
        // differ by 1.
        let mut parts = |value: &Value| {
            let size = of(Computation::And, word, &[value.clone(), magnitude.clone()]);
            let is_none = of(
                Computation::Compare(NumberComparison::Greater),
                word,
                &[size.clone(), constant(infinity)],
            );
            let is_zero =
                of(Computation::Compare(NumberComparison::Equal), word, &[size, constant(0)]);
            let spread = of(
                Computation::ShiftRight,
                signed,
                &[value.clone(), constant(u64::from(ty.bits) - 1)],
            );
            let turned = of(Computation::And, word, &[spread, magnitude.clone()]);
            let rank = of(Computation::Xor, word, &[value.clone(), turned]);
            (is_none, is_zero, rank)
        };
        let ((no_first, zero_first, a), (no_second, zero_second, b)) =
            (parts(&values[0]), parts(&values[1]));
        let result = match function {
            FloatFunction::Compare(relation) => {
                let [a, b] = [(zero_first, a), (zero_second, b)]
                    .map(|(zero, rank)| of(Computation::Select, word, &[constant(0), rank, zero]));
                let is_none = of(Computation::Or, predicate, &[no_first, no_second]);
                let mut holds = constant(0);
                for (holds_then, relation) in relation.holds.into_iter().zip([
                    NumberComparison::Less,
                    NumberComparison::Equal,
                    NumberComparison::Greater,
                ]) {
                    if holds_then {
                        let one =
                            of(Computation::Compare(relation), signed, &[a.clone(), b.clone()]);
                        holds = of(Computation::Or, predicate, &[holds, one]);
                    }
                }
                match relation.unordered {
                    true => of(Computation::Or, predicate, &[holds, is_none]),
                    false => {
                        let is_one = of(Computation::Xor, predicate, &[is_none, constant(1)]);
                        of(Computation::And, predicate, &[holds, is_one])
                    }
                }
            }
            _ => {
                let relation = if function == FloatFunction::Min {
                    NumberComparison::Less
                } else {
                    NumberComparison::Greater
                };
                let is_first = of(Computation::Compare(relation), signed, &[a, b]);
                let of_both =
                    of(Computation::Select, word, &[first.clone(), values[1].clone(), is_first]);
                let or_first = of(Computation::Select, word, &[first, of_both, no_second.clone()]);
                let or_second =
                    of(Computation::Select, word, &[values[1].clone(), or_first, no_first.clone()]);
                // Of two that are none: the one that the ISA says.
                let neither = of(Computation::And, predicate, &[no_first, no_second]);
                of(Computation::Select, word, &[constant(sign - 1), or_second, neither])
            }
        };
        Some((*to, result))
    }

    /// A choice of two addresses in different arrays by what memory says: both ways are followed.
    pub(super) fn select_pointer(
        &mut self,
        state: &mut State,
        operands: &[&Operand],
    ) -> Option<StepEnd> {
        let &[first, second, Operand::Register(register)] = operands else { return None };
        let (first, second) = (self.value(state, first)?, self.value(state, second)?);
        let (a, b) = (self.points_into(&first), self.points_into(&second));
        let key = Key::Register(state.calls.len() as u16, *register);
        let value = self.register(state, key);
        if value.bits().is_some() || a == b {
            return None;
        }
        self.depends_on_opaque(state, value.known.is_opaque(), OmissionReason::OpaqueChoice);
        let mut other = state.clone();
        other.known.insert(key, KnownValue::Bits(0));
        state.known.insert(key, KnownValue::Bits(1));
        let origin = self.origin(state);
        let label = self.later(other);
        self.code.push((CodePiece::Jump(Some((value.text, false)), label), Some(origin)));
        Some(StepEnd::Again)
    }

    /// The array that a value points into, if it is an address.
    pub(super) fn points_into(&self, value: &Value) -> Option<Object> {
        match value.known {
            KnownValue::Open { into, .. } => into,
            KnownValue::Bits(bits) => self
                .layout
                .generic(bits, self.block)
                .or_else(|| self.layout.shared(bits, self.block))
                .and_then(object_of),
        }
    }

    pub(super) fn compute(
        &mut self,
        state: &mut State,
        function: Computation,
        ty: ScalarType,
        to: Option<RegisterId>,
        values: &[Value],
    ) {
        let target = to.map(|register| Key::Register(state.calls.len() as u16, register));
        let value = self.computed(state, function, ty, values, target);
        let result = function.result(ty);
        let result = if result.kind == ScalarKind::Predicate {
            ScalarType { kind: ScalarKind::Unsigned, bits: 32 }
        } else {
            result
        };
        self.copy(state, to, &value, result);
    }

    /// A sum or a difference with what the one before carried or borrowed, and what it carries or
    /// borrows itself (PTX ISA 9.7.2).
    pub(super) fn carry(
        &mut self,
        state: &mut State,
        (function, ty): (Computation, ScalarType),
        to: Option<RegisterId>,
        values: &[Value],
        (takes, leaves): (bool, bool),
    ) {
        let word = ScalarType { kind: ScalarKind::Unsigned, bits: ty.bits };
        let predicate = ScalarType { kind: ScalarKind::Predicate, bits: 1 };
        let less = Computation::Compare(NumberComparison::Less);
        let (a, b) = match (function, values) {
            (Computation::MultiplyAdd(half), [a, b, c]) => (
                self.computed(
                    state,
                    Computation::Multiply(half),
                    ty,
                    &[a.clone(), b.clone()],
                    None,
                ),
                c.clone(),
            ),
            (_, [a, b, ..]) => (a.clone(), b.clone()),
            _ => return,
        };
        let is_difference = function == Computation::Subtract;
        let step = if is_difference { Computation::Subtract } else { Computation::Add };
        // A sum that is less than a part of it has carried, and a difference has borrowed where
        // less was there.
        let sum = |thread: &mut Self, first: Value, second: Value| {
            let sum = thread.computed(state, step, word, &[first.clone(), second.clone()], None);
            let compared = if is_difference { [first, second] } else { [sum.clone(), first] };
            let carried = thread.computed(state, less, word, &compared, None);
            (sum, carried)
        };
        let (mut result, mut carried) = sum(self, a, b);
        if takes {
            let before = self.register(state, Key::Carry);
            let (with, again) = sum(self, result, before);
            result = with;
            carried = self.computed(state, Computation::Or, predicate, &[carried, again], None);
        }
        if leaves {
            state.known.insert(Key::Carry, carried.known);
            if carried.bits().is_none() {
                let name = self.name(Key::Carry);
                self.emit(state, format!("mov.u32 {name}, {}", carried.text));
            }
        }
        self.copy(state, to, &result, word);
    }

    /// The value of a function. Code for it goes into the register of a key, or into a new one.
    pub(crate) fn computed(
        &mut self,
        state: &State,
        function: Computation,
        ty: ScalarType,
        values: &[Value],
        to: Option<Key>,
    ) -> Value {
        let bits: Vec<Option<u64>> = values.iter().map(Value::bits).collect();
        if let Some(all) = bits.iter().copied().collect::<Option<Vec<u64>>>() {
            if let Some(value) = function.value(ty, &all) {
                return constant(value);
            }
            // What is not defined is any value.
            return Value { known: OPAQUE, text: "0".to_owned() };
        }
        let bit = |n: usize| bits.get(n).copied().flatten();
        let is_bit = ty.kind == ScalarKind::Predicate || ty.bits == 1;
        let ones = if is_bit { 1 } else { ty.cut(u64::MAX) };
        match (function, bit(0).map(|b| ty.cut(b)), bit(1).map(|b| ty.cut(b))) {
            (Computation::Select, ..) if bit(2).is_some() => {
                return values[usize::from(bit(2).is_some_and(|b| b & 1 == 0))].clone();
            }
            (Computation::And, Some(0), _) | (Computation::And, _, Some(0)) => return constant(0),
            (Computation::Or, Some(n), _) | (Computation::Or, _, Some(n)) if n == ones => {
                return constant(ones);
            }
            (Computation::Multiply(_), Some(0), _) | (Computation::Multiply(_), _, Some(0)) => {
                return constant(0);
            }
            (Computation::And, Some(n), _) if n == ones => return values[1].clone(),
            (Computation::And, _, Some(n)) if n == ones => return values[0].clone(),
            (Computation::Or | Computation::Xor | Computation::Add, Some(0), _) => {
                return values[1].clone();
            }
            (
                Computation::Or
                | Computation::Xor
                | Computation::Add
                | Computation::Subtract
                | Computation::ShiftLeft
                | Computation::ShiftRight,
                _,
                Some(0),
            ) => return values[0].clone(),
            (Computation::Move, ..) => return values[0].clone(),
            (Computation::Convert(from), ..) if from.bits == ty.bits => return values[0].clone(),
            _ => {}
        }
        let opaque =
            values.iter().any(|v| matches!(v.known, KnownValue::Open { opaque: true, .. }));
        let into = values.iter().find_map(|v| match v.known {
            KnownValue::Open { into, .. } => into,
            KnownValue::Bits(bits) if ty.bits == 64 => self
                .layout
                .array_of(bits)
                .or_else(|| self.layout.generic(bits, self.block).and_then(object_of)),
            KnownValue::Bits(bits) if ty.bits == 32 => {
                self.layout.shared(bits, self.block).and_then(object_of)
            }
            KnownValue::Bits(_) => None,
        });
        let is_sum = matches!(
            function,
            Computation::Add
                | Computation::Subtract
                | Computation::MultiplyAdd(_)
                | Computation::Select
                | Computation::Or
        );
        let from = |n: usize| {
            values
                .get(n)
                .map_or(0, |v| if let KnownValue::Open { plus, .. } = v.known { plus } else { 0 })
        };
        let plus = match (function, bit(0), bit(1)) {
            (Computation::Add, None, Some(n)) => from(0).wrapping_add(n as i64),
            (Computation::Add, Some(n), None) => from(1).wrapping_add(n as i64),
            (Computation::Subtract, None, Some(n)) => from(0).wrapping_sub(n as i64),
            _ => 0,
        };
        let plus = if ty.bits == 64 && into.is_none() && (-FURTHEST..=FURTHEST).contains(&plus) {
            plus
        } else {
            0
        };
        let to = match to {
            Some(key) => self.name(key),
            None => self.temporary(),
        };
        let name = typed(ty);
        let operand = |n: usize| values.get(n).map_or("0", |v| v.text.as_str());
        let (a, b, c) = (operand(0), operand(1), operand(2));
        let small = ty.bits < 16;
        let text = match function {
            Computation::Convert(from) => Some(format!("cvt.{name}.{} {to}, {a}", typed(from))),
            Computation::Not if is_bit => Some(format!("xor.u32 {to}, {a}, 1")),
            Computation::And if is_bit => Some(format!("and.u32 {to}, {a}, {b}")),
            Computation::Or if is_bit => Some(format!("or.u32 {to}, {a}, {b}")),
            Computation::Xor if is_bit => Some(format!("xor.u32 {to}, {a}, {b}")),
            _ if small => None,
            Computation::Not => Some(format!("not.{} {to}, {a}", bits_name(ty))),
            Computation::Negate => Some(format!("neg.s{} {to}, {a}", ty.bits)),
            Computation::Add => Some(format!("add.{name} {to}, {a}, {b}")),
            Computation::Subtract => Some(format!("sub.{name} {to}, {a}, {b}")),
            Computation::Multiply(Half::Low) => Some(format!("mul.lo.{name} {to}, {a}, {b}")),
            Computation::Multiply(Half::Wide) => Some(format!("mul.wide.{name} {to}, {a}, {b}")),
            Computation::MultiplyAdd(Half::Low) => {
                Some(format!("mad.lo.{name} {to}, {a}, {b}, {c}"))
            }
            Computation::MultiplyAdd(Half::Wide) => {
                Some(format!("mad.wide.{name} {to}, {a}, {b}, {c}"))
            }
            Computation::Divide if bit(1).is_some_and(|n| ty.cut(n) != 0) => {
                Some(format!("div.{name} {to}, {a}, {b}"))
            }
            Computation::Remainder if bit(1).is_some_and(|n| ty.cut(n) != 0) => {
                Some(format!("rem.{name} {to}, {a}, {b}"))
            }
            Computation::And => Some(format!("and.{} {to}, {a}, {b}", bits_name(ty))),
            Computation::Or => Some(format!("or.{} {to}, {a}, {b}", bits_name(ty))),
            Computation::Xor => Some(format!("xor.{} {to}, {a}, {b}", bits_name(ty))),
            Computation::IsZero => Some(format!("setp.eq.{name} {to}, {a}, 0")),
            Computation::ShiftLeft => Some(format!("shl.{} {to}, {a}, {b}", bits_name(ty))),
            Computation::ShiftRight => Some(format!("shr.{name} {to}, {a}, {b}")),
            Computation::Min => Some(format!("min.{name} {to}, {a}, {b}")),
            Computation::Max => Some(format!("max.{name} {to}, {a}, {b}")),
            Computation::Select => Some(format!("selp.{} {to}, {a}, {b}, {c}", unsigned(ty))),
            Computation::Compare(relation) => {
                Some(format!("setp.{}.{name} {to}, {a}, {b}", relation_name(relation)))
            }
            _ => None,
        };
        match text {
            Some(text) => {
                self.emit(state, text);
                let undefined = values.iter().any(|v| v.known.is_undefined());
                let into = into.filter(|_| is_sum);
                let range =
                    if is_bit { None } else { range_of(function, ty, values, into.is_some()) };
                Value { known: KnownValue::Open { opaque, into, plus, undefined, range }, text: to }
            }
            None => {
                // The value is not known, what it depends on is.
                let open: Vec<String> =
                    values.iter().filter(|v| v.bits().is_none()).map(|v| v.text.clone()).collect();
                let sum = if open.contains(&to) { self.temporary() } else { to };
                // No copy of the one that it depends on: nobody knows what it is.
                match open.first() {
                    Some(first) => self.emit(state, format!("xor.u64 {sum}, {first}, 0")),
                    None => self.emit(state, format!("mov {sum}, 0")),
                }
                for other in open.iter().skip(1) {
                    self.emit(state, format!("xor.u64 {sum}, {sum}, {other}"));
                }
                Value { known: uninterpreted(values.iter()), text: sum }
            }
        }
    }
}

fn is_zero(ty: ScalarType, bits: u64) -> bool {
    ty.cut(bits << 1) == 0
}

/// Is it zero, or a number that is neither NaN nor infinite nor smaller than the normal ones?
fn is_zero_or_normal(ty: ScalarType, bits: u64) -> bool {
    match ty.bits {
        32 => f32::from_bits(bits as u32) == 0.0 || f32::from_bits(bits as u32).is_normal(),
        _ => f64::from_bits(bits) == 0.0 || f64::from_bits(bits).is_normal(),
    }
}

fn is_exact_product(ty: ScalarType, of: &[u64], product: u64) -> bool {
    match ty.bits {
        32 => {
            let [a, b] = [of[0], of[1]].map(|bits| f64::from(f32::from_bits(bits as u32)));
            a * b == f64::from(f32::from_bits(product as u32))
        }
        _ => {
            let [a, b] = [of[0], of[1]].map(f64::from_bits);
            a.mul_add(b, -f64::from_bits(product)) == 0.0
        }
    }
}
