//! Lambdas, and functions whose address is taken, as values.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{NameBinding, ValuePlace};
use crate::tree::FunctionTree;
use crate::types::{CudaType, ReferenceKind, TemplateBindings};

/// What the body of a lambda sees beside its parameters.
#[derive(Debug, Clone)]
pub(super) struct LambdaScope {
    pub names: FxHashMap<Rc<str>, NameBinding>,
    pub namespaces: Vec<Vec<Rc<str>>>,
    pub aliases_of_namespaces: FxHashMap<Rc<str>, Vec<Rc<str>>>,
    pub references: FxHashMap<Rc<str>, ReferenceKind>,
    pub owner: Option<usize>,
    pub this: Option<ValuePlace>,
    pub object: CudaType,
    /// Does it capture nothing?
    pub is_plain: bool,
}

/// A function whose address is taken.
#[derive(Debug, Clone)]
pub(super) struct AddressedFunction {
    pub(super) overloads: Vec<FoundMethod>,
    pub(super) bindings: Option<Rc<TemplateBindings>>,
}

/// A method, the structure that has it, and where that begins in the one it was looked for in.
pub(super) type FoundMethod = (Rc<FunctionTree>, usize, u64);
