//! Floating-point arithmetic, for whoever computes with it: what an instruction that
//! [`Effect::Opaque`](crate::effect::Effect) leaves open makes of numbers (PTX ISA 9.7.3, 9.7.7,
//! 9.7.8 and 9.7.9.22). Of the types there are `.f32` and `.f64`, of the roundings those of whole
//! numbers and to the nearest.

use crate::tree::{Instruction, ScalarKind, ScalarType};

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatFunction {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The product of the first two and the third, rounded once.
    Fused,
    /// The quotient.
    Divide,
    /// The smaller one; a number if one of the two is.
    Min,
    /// The larger one; a number if one of the two is.
    Max,
    /// The other sign.
    Negate,
    /// Without its sign.
    Absolute,
    /// The square root.
    Root,
    /// `1 / a`
    Reciprocal,
    /// `1 / sqrt(a)`
    ReciprocalRoot,
    Sine,
    Cosine,
    /// `2^a`
    Exponential,
    /// The logarithm to the base 2.
    Logarithm,
    /// From the type, in another format.
    Convert(ScalarType),
    /// From a float of the type to a whole number, rounded this way.
    ToInteger(ScalarType, Rounding),
    /// A whole number in the same format.
    Round(Rounding),
    /// 1 if the relation holds, else 0.
    Compare(FloatRelation),
}

/// How a float becomes a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// `.rni`: to the nearest, of two the even one.
    Nearest,
    /// `.rzi`: towards zero.
    Zero,
    /// `.rmi`: down.
    Down,
    /// `.rpi`: up.
    Up,
}

/// A comparison of floats. `unordered` says what it is if one of them is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatRelation {
    /// Holds it when the first is smaller, equal, larger?
    pub holds: [bool; 3],
    /// Holds it when one is no number?
    pub unordered: bool,
}

impl FloatRelation {
    /// The relation of a qualifier, `ltu`.
    pub fn from_name(name: &str) -> Option<Self> {
        let of = |holds: [u8; 3], unordered| Some(Self { holds: holds.map(|h| h == 1), unordered });
        match name {
            "eq" => of([0, 1, 0], false),
            "ne" => of([1, 0, 1], false),
            "lt" => of([1, 0, 0], false),
            "le" => of([1, 1, 0], false),
            "gt" => of([0, 0, 1], false),
            "ge" => of([0, 1, 1], false),
            "equ" => of([0, 1, 0], true),
            "neu" => of([1, 0, 1], true),
            "ltu" => of([1, 0, 0], true),
            "leu" => of([1, 1, 0], true),
            "gtu" => of([0, 0, 1], true),
            "geu" => of([0, 1, 1], true),
            "num" => of([1, 1, 1], false),
            "nan" => of([0, 0, 0], true),
            _ => None,
        }
    }

    fn of(self, a: f64, b: f64) -> bool {
        match a.partial_cmp(&b) {
            Some(order) => self.holds[(order as i8 + 1) as usize],
            None => self.unordered,
        }
    }
}

/// What an instruction computes, in which type, if this is known here.
pub fn of(i: &Instruction) -> Option<(FloatFunction, ScalarType)> {
    let known = |ty: ScalarType| ty.kind != ScalarKind::Float || matches!(ty.bits, 32 | 64);
    let ty = i.ty().filter(|ty| known(*ty))?;
    let is_scalar =
        !i.qualifiers.iter().any(|q| matches!(q.as_str(), "f16x2" | "bf16x2" | "f32x2" | "tf32"));
    let rounds_to_nearest = !["rz", "rm", "rp"].iter().any(|q| i.has(q)) && !i.has("sat");
    let rounding = || match (i.has("rni"), i.has("rzi"), i.has("rmi"), i.has("rpi")) {
        (true, ..) => Some(Rounding::Nearest),
        (_, true, ..) => Some(Rounding::Zero),
        (_, _, true, _) => Some(Rounding::Down),
        (.., true) => Some(Rounding::Up),
        _ => None,
    };
    if i.opcode == "cvt" {
        let mut types = i.qualifiers.iter().filter_map(|q| ScalarType::from_name(q));
        let (to, from) = (types.next()?, types.next()?);
        if !known(to) || !known(from) || i.has("sat") {
            return None;
        }
        let function = match (from.kind, to.kind) {
            (ScalarKind::Float, ScalarKind::Float) if from == to => match rounding() {
                Some(rounding) => FloatFunction::Round(rounding),
                None => FloatFunction::Convert(from),
            },
            (ScalarKind::Float, ScalarKind::Float) if rounds_to_nearest => {
                FloatFunction::Convert(from)
            }
            (ScalarKind::Float, _) => FloatFunction::ToInteger(from, rounding()?),
            (_, ScalarKind::Float) if rounds_to_nearest => FloatFunction::Convert(from),
            _ => return None,
        };
        return Some((function, to));
    }
    if ty.kind != ScalarKind::Float || !is_scalar || !rounds_to_nearest {
        return None;
    }
    let function = match i.opcode.as_str() {
        "add" => FloatFunction::Add,
        "sub" => FloatFunction::Subtract,
        "mul" => FloatFunction::Multiply,
        "fma" | "mad" => FloatFunction::Fused,
        "div" => FloatFunction::Divide,
        "min" if !i.has("NaN") => FloatFunction::Min,
        "max" if !i.has("NaN") => FloatFunction::Max,
        "neg" => FloatFunction::Negate,
        "abs" => FloatFunction::Absolute,
        "sqrt" => FloatFunction::Root,
        "rcp" => FloatFunction::Reciprocal,
        "rsqrt" => FloatFunction::ReciprocalRoot,
        "sin" => FloatFunction::Sine,
        "cos" => FloatFunction::Cosine,
        "ex2" => FloatFunction::Exponential,
        "lg2" => FloatFunction::Logarithm,
        "setp" => {
            FloatFunction::Compare(i.qualifiers.iter().find_map(|q| FloatRelation::from_name(q))?)
        }
        _ => return None,
    };
    Some((function, ty))
}

/// What an instruction compares, or takes of the sign, where the bits of the operands are all that
/// is needed: the type, and the bits of its infinity. Nothing where subnormal numbers are zeros
/// (`.ftz`), or a number that is none is handed on (`.NaN`).
pub fn by_bits(i: &Instruction) -> Option<(FloatFunction, ScalarType, u64)> {
    let ty = i.ty().filter(|ty| ty.kind == ScalarKind::Float)?;
    let is_other = ["f16x2", "bf16x2", "f32x2", "tf32", "ftz", "NaN", "xorsign", "abs"]
        .iter()
        .any(|q| i.has(q));
    let infinity = match (i.has("bf16"), ty.bits) {
        (true, 16) => 0x7f80,
        (_, 16) => 0x7c00,
        (_, 32) => 0x7f80_0000,
        (_, 64) => 0x7ff0_0000_0000_0000,
        _ => return None,
    };
    let function = match i.opcode.as_str() {
        "min" => FloatFunction::Min,
        "max" => FloatFunction::Max,
        "neg" => FloatFunction::Negate,
        "abs" => FloatFunction::Absolute,
        "setp" => {
            FloatFunction::Compare(i.qualifiers.iter().find_map(|q| FloatRelation::from_name(q))?)
        }
        _ => return None,
    };
    (!is_other).then_some((function, ty, infinity))
}

/// The number that bits of a type stand for: an integer, too.
fn number(ty: ScalarType, bits: u64) -> f64 {
    match (ty.kind, ty.bits) {
        (ScalarKind::Float, 32) => f64::from(f32::from_bits(bits as u32)),
        (ScalarKind::Float, _) => f64::from_bits(bits),
        (ScalarKind::Signed, _) => ty.signed(bits) as f64,
        _ => ty.cut(bits) as f64,
    }
}

fn bits(ty: ScalarType, value: f64) -> u64 {
    match ty.bits {
        32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

impl FloatFunction {
    /// The bits of the result in the type.
    pub fn value(self, ty: ScalarType, operands: &[u64]) -> Option<u64> {
        let raw = |n: usize| operands.get(n).copied();
        let get = |n: usize| raw(n).map(|bits| number(ty, bits));
        // A product or quotient of two f32 in f64, rounded to f32, is the one rounded at once; so
        // are sums and square roots.
        let out = |value: f64| Some(bits(ty, value));
        match self {
            Self::Add => out(get(0)? + get(1)?),
            Self::Subtract => out(get(0)? - get(1)?),
            Self::Multiply => out(get(0)? * get(1)?),
            Self::Divide => out(get(0)? / get(1)?),
            Self::Fused if ty.bits == 32 => {
                let of = |n: usize| raw(n).map(|bits| f32::from_bits(bits as u32));
                Some(u64::from(of(0)?.mul_add(of(1)?, of(2)?).to_bits()))
            }
            Self::Fused => out(get(0)?.mul_add(get(1)?, get(2)?)),
            Self::Min => out(get(0)?.min(get(1)?)),
            Self::Max => out(get(0)?.max(get(1)?)),
            Self::Negate => raw(0).map(|bits| ty.cut(bits ^ 1 << (ty.bits - 1))),
            Self::Absolute => raw(0).map(|bits| ty.cut(bits & !(1 << (ty.bits - 1)))),
            Self::Root => out(get(0)?.sqrt()),
            Self::Reciprocal => out(1.0 / get(0)?),
            Self::ReciprocalRoot => out(1.0 / get(0)?.sqrt()),
            Self::Sine => out(get(0)?.sin()),
            Self::Cosine => out(get(0)?.cos()),
            Self::Exponential => out(get(0)?.exp2()),
            Self::Logarithm => out(get(0)?.log2()),
            Self::Convert(from) if from.kind != ScalarKind::Float && ty.bits == 32 => {
                // At once: through f64 a number of more than 53 bits would be rounded twice.
                let raw = raw(0)?;
                let value = if from.kind == ScalarKind::Signed {
                    from.signed(raw) as f32
                } else {
                    from.cut(raw) as f32
                };
                Some(u64::from(value.to_bits()))
            }
            Self::Convert(from) => out(number(from, raw(0)?)),
            Self::Round(rounding) => out(rounding.of(get(0)?)),
            Self::ToInteger(from, rounding) => {
                let value = rounding.of(number(from, raw(0)?));
                // `as` holds to the ends of the type and makes 0 of what is no number, as `cvt`
                // does.
                Some(ty.cut(match (ty.kind, ty.bits) {
                    (ScalarKind::Signed, 8) => value as i8 as u64,
                    (ScalarKind::Signed, 16) => value as i16 as u64,
                    (ScalarKind::Signed, 32) => value as i32 as u64,
                    (ScalarKind::Signed, _) => value as i64 as u64,
                    (_, 8) => u64::from(value as u8),
                    (_, 16) => u64::from(value as u16),
                    (_, 32) => u64::from(value as u32),
                    _ => value as u64,
                }))
            }
            Self::Compare(relation) => Some(u64::from(relation.of(get(0)?, get(1)?))),
        }
    }
}

impl Rounding {
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Nearest => value.round_ties_even(),
            Self::Zero => value.trunc(),
            Self::Down => value.floor(),
            Self::Up => value.ceil(),
        }
    }
}
