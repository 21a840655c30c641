//! Types, with the layouts that nvcc gives them.

use std::rc::Rc;

use crate::tree::{InitialTree, StructureTree};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CudaType {
    pub shape: TypeShape,
    pub is_volatile: bool,
    pub is_constant: bool,
    /// Which enumeration it is; its numbers are of the shape.
    pub enumeration: Option<EnumerationIdentity>,
    /// Is it a reference to this? Names and arguments of templates are; a value is of the type
    /// without it.
    pub reference: Option<ReferenceKind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    /// `T&`
    Left,
    /// `T&&`
    Right,
}

/// An enumeration, by where its tree is, and whether it is `enum class`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EnumerationIdentity {
    pub tree: usize,
    pub is_scoped: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TypeShape {
    Void,
    Bool,
    Integer {
        bytes: u8,
        is_signed: bool,
        /// Of two types that are alike in both, is it the second one: `long long` beside `long`,
        /// `signed char` beside `char`?
        is_second: bool,
    },
    Real(u8),
    Pointer(Rc<CudaType>),
    Array(Rc<CudaType>, Option<u64>),
    /// A structure, by its number.
    Structure(usize),
    Function,
    /// `nullptr`.
    Null,
}

/// What a parameter of a template stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TemplateBinding {
    Type(CudaType),
    Value(CudaType, u64),
    /// A structure, by its bytes.
    Bytes(CudaType, Rc<[u8]>),
    /// A template, by its namespaces and its name.
    Template(Rc<[Rc<str>]>),
    Pack(Vec<TemplateBinding>),
}

pub(crate) type TemplateBindings = Vec<(Rc<str>, TemplateBinding)>;

/// A member of a structure.
#[derive(Debug, Clone)]
pub(crate) struct FieldLayout {
    pub name: Rc<str>,
    pub ty: CudaType,
    pub offset: u64,
    /// Is it a reference, which is kept as an address?
    pub is_reference: bool,
    pub bits: Option<BitsLayout>,
    /// May it change where the structure does not (`mutable`)?
    pub is_mutable: bool,
    pub initial: Option<InitialTree>,
}

/// Where the bits of a member are that has only some of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BitsLayout {
    /// The first of them in the word of its type, which begins where the member does.
    pub first: u32,
    pub count: u32,
    /// The smallest word that has them, and no part of another member's: how many bytes behind the
    /// other one it begins, and how many it has. In memory of the thread alone nothing else is
    /// accessed, so that members beside it are accessed in one width.
    pub least: (u64, u64),
}

#[derive(Debug, Clone)]
pub(crate) struct StructureLayout {
    pub tree: Rc<StructureTree>,
    pub bindings: Rc<TemplateBindings>,
    /// The arguments of the template that it is made of; of a specialisation they are not what its
    /// own parameters are.
    pub arguments: Rc<TemplateBindings>,
    pub fields: Vec<FieldLayout>,
    /// The structures that it is made from, and where they begin.
    pub bases: Vec<(usize, u64)>,
    pub size: u64,
    pub align: u64,
}

impl CudaType {
    pub const fn plain(shape: TypeShape) -> Self {
        Self { shape, is_volatile: false, is_constant: false, enumeration: None, reference: None }
    }

    pub const VOID: Self = Self::plain(TypeShape::Void);
    pub const BOOL: Self = Self::plain(TypeShape::Bool);
    pub const INT: Self = Self::integer(4, true);
    pub const UNSIGNED: Self = Self::integer(4, false);

    pub const fn integer(bytes: u8, is_signed: bool) -> Self {
        Self::plain(TypeShape::Integer { bytes, is_signed, is_second: false })
    }

    pub fn pointer(to: Self) -> Self {
        Self::plain(TypeShape::Pointer(Rc::new(to)))
    }

    /// It as it is, and no reference to it.
    pub fn referred(&self) -> Self {
        Self { reference: None, ..self.clone() }
    }

    /// Neither a reference nor `const` nor `volatile`.
    pub fn value(&self) -> Self {
        Self { enumeration: self.enumeration, ..Self::plain(self.shape.clone()) }
    }

    /// The type of a part of what is of another one: what is volatile, or constant, is so in all of
    /// its parts.
    pub fn within(self, whole: &Self) -> Self {
        let (is_volatile, is_constant) =
            (self.is_volatile || whole.is_volatile, self.is_constant || whole.is_constant);
        Self { is_volatile, is_constant, ..self }
    }

    /// Is it another type, but for what says that something does not change?
    pub fn is_similar(&self, other: &Self) -> bool {
        match (&self.shape, &other.shape) {
            (TypeShape::Pointer(a), TypeShape::Pointer(b)) => {
                a.is_volatile == b.is_volatile && a.is_similar(b)
            }
            (TypeShape::Array(a, n), TypeShape::Array(b, m)) => {
                n == m && a.is_volatile == b.is_volatile && a.is_similar(b)
            }
            (a, b) => a == b && self.enumeration == other.enumeration,
        }
    }

    /// Is it an `enum class`?
    pub fn is_scoped(&self) -> bool {
        self.enumeration.is_some_and(|of| of.is_scoped)
    }

    pub fn is_integer(&self) -> bool {
        matches!(self.shape, TypeShape::Bool | TypeShape::Integer { .. })
    }

    pub fn is_real(&self) -> bool {
        matches!(self.shape, TypeShape::Real(_))
    }

    pub fn is_arithmetic(&self) -> bool {
        self.is_integer() || self.is_real()
    }

    pub fn is_pointer(&self) -> bool {
        matches!(self.shape, TypeShape::Pointer(_) | TypeShape::Null)
    }

    pub fn is_scalar(&self) -> bool {
        self.is_arithmetic() || self.is_pointer()
    }

    pub fn is_signed(&self) -> bool {
        matches!(self.shape, TypeShape::Integer { is_signed: true, .. })
    }

    pub fn is_void(&self) -> bool {
        self.shape == TypeShape::Void
    }

    pub fn structure(&self) -> Option<usize> {
        if let TypeShape::Structure(n) = self.shape { Some(n) } else { None }
    }

    /// What a pointer points to, or an array is of.
    pub fn element(&self) -> Option<&Rc<Self>> {
        match &self.shape {
            TypeShape::Pointer(to) | TypeShape::Array(to, _) => Some(to),
            _ => None,
        }
    }

    /// How many bytes a scalar has.
    pub fn bytes(&self) -> u64 {
        match self.shape {
            TypeShape::Bool => 1,
            TypeShape::Integer { bytes, .. } | TypeShape::Real(bytes) => u64::from(bytes),
            TypeShape::Pointer(_) | TypeShape::Null | TypeShape::Function => 8,
            _ => 0,
        }
    }

    /// The type that C++ computes in instead of a small one.
    pub fn promoted(&self) -> Self {
        match self.shape {
            TypeShape::Bool => Self::INT,
            TypeShape::Integer { bytes, .. } if bytes < 4 => Self::INT,
            _ => Self::plain(self.shape.clone()),
        }
    }

    /// The type that two numbers are computed in.
    pub fn common(&self, other: &Self) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        match (&a.shape, &b.shape) {
            (TypeShape::Real(x), TypeShape::Real(y)) => Self::plain(TypeShape::Real(*x.max(y))),
            (TypeShape::Real(_), _) => a,
            (_, TypeShape::Real(_)) => b,
            (
                TypeShape::Integer { bytes, is_second: x, .. },
                TypeShape::Integer { bytes: other, is_second: y, .. },
            ) if bytes == other => Self::plain(TypeShape::Integer {
                bytes: *bytes,
                is_signed: a.is_signed() && b.is_signed(),
                is_second: *x || *y,
            }),
            _ if a.bytes() > b.bytes() => a,
            _ => b,
        }
    }

    /// The name of its type in PTX for computing, as `s32`.
    pub fn of_register(&self) -> &'static str {
        match self.shape {
            TypeShape::Real(8) => "f64",
            TypeShape::Real(_) => "f32",
            TypeShape::Integer { bytes: 8, is_signed: true, .. } => "s64",
            TypeShape::Integer { is_signed: true, .. } => "s32",
            TypeShape::Integer { bytes: 8, .. }
            | TypeShape::Pointer(_)
            | TypeShape::Null
            | TypeShape::Function => "u64",
            _ => "u32",
        }
    }

    /// The name of its type in memory, as `u8`.
    pub fn of_memory(&self) -> &'static str {
        match self.bytes() {
            1 => "u8",
            2 => "u16",
            _ => match self.of_register() {
                "s32" => "u32",
                "s64" => "u64",
                other => other,
            },
        }
    }

    /// A value of so many bits as the type has it, with its sign in all 64.
    pub fn cut(&self, value: u64) -> u64 {
        match self.shape {
            TypeShape::Bool => u64::from(value != 0),
            TypeShape::Integer { bytes, is_signed, .. } if bytes < 8 => {
                let shift = 64 - 8 * u32::from(bytes);
                match is_signed {
                    true => ((value << shift) as i64 >> shift) as u64,
                    false => value << shift >> shift,
                }
            }
            _ => value,
        }
    }
}
