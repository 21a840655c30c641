//! Type suffixes of PTX (PTX ISA 5.2).

use std::fmt;

use super::Integer;

/// What the values of a type are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `.b32`: bits, as an unsigned number.
    Bits,
    /// `.s32`
    Signed,
    /// `.u32`
    Unsigned,
    /// `.f32`: the bits of a floating-point number; there is no arithmetic with them.
    Float,
    /// `.bf16`: likewise.
    BrainFloat,
    /// `.pred`, without a width.
    Predicate,
}

impl TypeKind {
    pub const ALL: [TypeKind; 6] =
        [Self::Bits, Self::Signed, Self::Unsigned, Self::Float, Self::BrainFloat, Self::Predicate];

    /// The name before the width.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Bits => "b",
            Self::Signed => "s",
            Self::Unsigned => "u",
            Self::Float => "f",
            Self::BrainFloat => "bf",
            Self::Predicate => "pred",
        }
    }

    /// Is it one of floating-point numbers?
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::BrainFloat)
    }
}

/// A type suffix, `.s32` (PTX ISA 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type {
    /// What its values are.
    pub kind: TypeKind,
    /// The width in bits, of one of the two elements of a packed type; 0 for `.pred`.
    pub bits: u8,
    /// `x2`: two elements in adjacent locations, and in one register (PTX ISA 8.2.5).
    pub packed: bool,
}

impl Type {
    /// A scalar type.
    pub const fn new(kind: TypeKind, bits: u8) -> Self {
        Self { kind, bits, packed: false }
    }

    /// `.pred`
    pub const PREDICATE: Type = Type::new(TypeKind::Predicate, 0);

    /// The integers that the bits of a value (of an element, where it is packed) are taken as;
    /// `None` for predicates, and where they are as wide as all values or wider.
    pub fn integer(self) -> Option<Integer> {
        let signed = self.kind == TypeKind::Signed;
        match self.bits {
            0 | 65.. => None,
            64 if signed => None,
            bits => Some(Integer { bits, signed }),
        }
    }

    /// The scalar type of an element.
    pub fn element(self) -> Type {
        Type { packed: false, ..self }
    }

    /// The width of a value in bits, both elements of a packed type together.
    pub fn width(self) -> u32 {
        u32::from(self.bits) * if self.packed { 2 } else { 1 }
    }

    /// The type of that name without its point: `s32`, `f16x2`, `pred`.
    pub fn from_name(name: &str) -> Option<Self> {
        let kinds: &[(TypeKind, &[u8])] = &[
            (TypeKind::Bits, &[8, 16, 32, 64, 128]),
            (TypeKind::Signed, &[8, 16, 32, 64]),
            (TypeKind::Unsigned, &[8, 16, 32, 64]),
            (TypeKind::Float, &[16, 32, 64]),
            (TypeKind::BrainFloat, &[16]),
            (TypeKind::Predicate, &[0]),
        ];
        let all = kinds
            .iter()
            .flat_map(|&(kind, widths)| widths.iter().map(move |&bits| Type::new(kind, bits)));
        let pairs =
            all.clone().filter(|t| matches!(t.bits, 16 | 32)).map(|t| Type { packed: true, ..t });
        all.chain(pairs).find(|t| t.to_string() == name)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.prefix())?;
        if self.bits > 0 {
            write!(f, "{}", self.bits)?;
        }
        f.write_str(if self.packed { "x2" } else { "" })
    }
}
