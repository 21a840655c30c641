//! A list in braces whose type is not known yet.

use std::rc::Rc;

use crate::lex::CudaSpan;
use crate::tree::CudaExpression;

/// A list in braces whose type is not known yet, and the frame in which its values are.
#[derive(Debug, Clone)]
pub(super) struct BracedList {
    pub(super) all: Rc<[CudaExpression]>,
    pub(super) frame: usize,
    pub at: CudaSpan,
}

impl PartialEq for BracedList {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.all, &other.all) && self.frame == other.frame
    }
}

impl BracedList {
    /// How many values are in it.
    pub fn len(&self) -> usize {
        self.all.len()
    }
}
