//! The scopes of an architecture that is a text: levels of the one hierarchy of threads that all architectures share (warp, cta, cluster,
//! gpu, sys), under the architecture's own names.

use super::{Architecture, Construct, Instruction, Operation, Tags};
use crate::execution::Scope;

/// What a scope is called.
pub(super) struct LevelDescription {
    pub(super) scope: Scope,
    /// In instructions and where threads are placed.
    pub(super) name: &'static str,
    /// In .cat the set of the operations of this scope: the name in capitals.
    pub(super) set: &'static str,
    /// In .cat: the threads of both events share it.
    pub(super) same: &'static str,
}

/// One scope of an architecture; in .cat the set of the operations that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Level {
    architecture: Architecture,
    index: u8,
}

impl Level {
    fn description(self) -> &'static LevelDescription {
        &self.architecture.0.levels[usize::from(self.index)]
    }

    /// Its name in .cat, as a list of one.
    pub fn names(self) -> &'static [&'static str] {
        std::slice::from_ref(&self.description().set)
    }

    /// Its name in instructions and where threads are placed.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// Which level of the hierarchy it is.
    pub fn scope(self) -> Scope {
        self.description().scope
    }

    /// The architecture that has it.
    pub fn architecture(self) -> Architecture {
        self.architecture
    }
}

/// In .cat: the threads of two events share a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SameLevel(pub Level);

impl SameLevel {
    /// Its name in .cat, as a list of one.
    pub fn names(self) -> &'static [&'static str] {
        std::slice::from_ref(&self.0.description().same)
    }

    /// What the level is called.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The level.
    pub fn scope(self) -> Scope {
        self.0.scope()
    }

    /// The architecture that has it.
    pub fn architecture(self) -> Architecture {
        self.0.architecture
    }
}

impl Architecture {
    /// Its scopes, narrowest first; none if its text has no line `scopes`.
    pub fn scopes(self) -> &'static [Scope] {
        &self.0.scopes
    }

    /// Its scopes with their names, narrowest first.
    pub fn levels(self) -> impl Iterator<Item = Level> {
        (0..self.0.levels.len()).map(move |index| Level { architecture: self, index: index as u8 })
    }

    /// What a scope is called; in PTX's words if the architecture does not have it.
    pub fn scope_name(self, scope: Scope) -> &'static str {
        self.levels().find(|level| level.scope() == scope).map_or(scope.name(), Level::name)
    }

    /// Does the instruction take a scope?
    pub fn takes_scope(self, construct: Construct) -> bool {
        let bits = self.bits(construct.order);
        let is = |i: &&Instruction| i.operation == construct.operation && i.bits == bits;
        self.0.instructions.iter().find(is).is_some_and(|i| i.scoped)
    }

    /// How an instruction is written, with its scope behind the mnemonic: that of all threads where none is said.
    pub fn written(self, construct: Construct, scope: Option<Scope>) -> Option<String> {
        self.tags_of(construct).written(construct.operation, scope)
    }
}

impl Tags {
    /// How the instruction of these tags is written, with its scope: that of all threads where none is said.
    pub fn written(self, operation: Operation, scope: Option<Scope>) -> Option<String> {
        let known = &self.architecture.0.instructions;
        let instruction = known.iter().find(|i| i.operation == operation && i.bits == self.bits)?;
        let mnemonic = instruction.mnemonic;
        let scope = || self.architecture.scope_name(scope.unwrap_or(Scope::Sys));
        Some(if instruction.scoped { format!("{mnemonic}.{}", scope()) } else { mnemonic.to_owned() })
    }
}
