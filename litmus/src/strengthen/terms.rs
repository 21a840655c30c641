//! What may be changed, and at what price.

use super::cost::Costs;
use super::site::Means;
use crate::print::CLanguage;

/// What may be changed, and at what price.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// Which strengthenings are tried.
    pub means: Means,
    pub costs: &'a Costs,
    /// Which C the program is written in; C++ has no scopes, also where the model has.
    pub language: CLanguage,
}

impl<'a> Terms<'a> {
    /// Everything, at these costs, in C with scopes.
    pub fn all(costs: &'a Costs) -> Self {
        Self { means: Means::ALL, costs, language: CLanguage::C }
    }
}
