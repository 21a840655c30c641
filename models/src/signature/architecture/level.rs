//! The scopes of an architecture that is a text: levels of the one hierarchy of threads that all
//! architectures share (warp, cta, cluster, gpu, sys), under the architecture's own names.

use super::architecture_instruction::ArchitectureInstruction;
use super::{Architecture, Construct, Operation, Tags};
use crate::execution::Scope;

/// What a scope is called.
pub(super) struct LevelDescription {
    pub(super) scope: Scope,
    /// In instructions and where threads are placed; the first one is the one to show.
    pub(super) words: Vec<&'static str>,
    /// In .cat the set of the operations of this scope: the names in sets.
    pub(super) sets: Vec<&'static str>,
    /// In .cat: the threads of both events share it.
    pub(super) same: &'static str,
}

/// A scope that not every model knows.
pub(super) struct Optional {
    pub(super) scope: Scope,
    /// The scopes without it.
    pub(super) others: Vec<Scope>,
    pub(super) known: ScopeKnowledge,
}

/// Which models know an optional scope. Those that name the set of its operations, or the relation
/// of its threads, always do.
pub(super) enum ScopeKnowledge {
    /// No others.
    IfNamed,
    /// All others but those of these names.
    Except(Vec<&'static str>),
}

/// One scope of an architecture; in .cat the set of the operations that have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeLevel {
    architecture: Architecture,
    index: u8,
}

impl ScopeLevel {
    pub(super) fn new(architecture: Architecture, index: usize) -> Self {
        Self { architecture, index: index as u8 }
    }

    fn description(self) -> &'static LevelDescription {
        &self.architecture.description().levels[usize::from(self.index)]
    }

    /// Its names in .cat; the first one is the one to show.
    pub fn names(self) -> &'static [&'static str] {
        &self.description().sets
    }

    /// Its name in instructions and where threads are placed.
    pub fn name(self) -> &'static str {
        self.description().words[0]
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
pub struct SameLevel(pub ScopeLevel);

impl SameLevel {
    /// Its name in .cat, as a list of one.
    pub fn names(self) -> &'static [&'static str] {
        std::slice::from_ref(&self.0.description().same)
    }

    /// What the level is called.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    pub fn scope(self) -> Scope {
        self.0.scope()
    }

    /// The architecture that has it.
    pub fn architecture(self) -> Architecture {
        self.0.architecture
    }
}

impl Architecture {
    /// Its scopes, narrowest first, with or without the one that not every model knows; none if its
    /// text has no line `scopes`.
    pub fn scopes(self, optional: bool) -> &'static [Scope] {
        match &self.description().optional {
            Some(without) if !optional => &without.others,
            _ => &self.description().scopes,
        }
    }

    /// The scope that not every model knows.
    pub fn optional_scope(self) -> Option<Scope> {
        self.description().optional.as_ref().map(|optional| optional.scope)
    }

    /// Does a model of this name know the optional scope even if it does not name it? True where
    /// there is none.
    pub(crate) fn knows_unnamed(self, model: &str) -> bool {
        match self.description().optional.as_ref().map(|optional| &optional.known) {
            None => true,
            Some(ScopeKnowledge::IfNamed) => false,
            Some(ScopeKnowledge::Except(models)) => !models.contains(&model),
        }
    }

    /// Does it matter where threads run: are there scopes?
    pub fn has_places(self) -> bool {
        !self.scopes(true).is_empty()
    }

    /// Its scopes with their names, narrowest first.
    pub fn levels(self) -> impl Iterator<Item = ScopeLevel> {
        (0..self.description().levels.len()).map(move |index| ScopeLevel::new(self, index))
    }

    /// What a scope is called in mapping rows and tests; in PTX's words if the architecture does
    /// not have it.
    pub fn scope_name(self, scope: Scope) -> &'static str {
        self.levels().find(|level| level.scope() == scope).map_or(scope.name(), ScopeLevel::name)
    }

    /// The scope that a word names, by any of its names; `None` for anything else.
    pub fn scope_named(self, word: &str) -> Option<Scope> {
        self.description()
            .levels
            .iter()
            .find(|level| level.words.contains(&word))
            .map(|level| level.scope)
    }

    /// The names of its scopes, as a list for messages.
    pub fn scope_names(self) -> String {
        self.levels().map(ScopeLevel::name).collect::<Vec<_>>().join(", ")
    }

    /// Does the instruction take a scope? (Of tags that no instruction of the operation has: do
    /// others that have them?)
    pub fn takes_scope(self, construct: Construct) -> bool {
        let bits = self.bits(construct.order);
        let with = |i: &&ArchitectureInstruction| {
            i.bits == bits && (bits != 0 || i.operation == construct.operation)
        };
        let all = self.description().instructions.iter().filter(with);
        let own = all.clone().find(|i| i.operation == construct.operation);
        own.or(all.clone().next()).is_some_and(|i| i.scoped)
    }

    /// How an instruction is written, with its scope behind the mnemonic: that of all threads where
    /// none is said.
    pub fn written(self, construct: Construct, scope: Option<Scope>) -> Option<String> {
        self.tags_of(construct).written(construct.operation, scope)
    }
}

impl Tags {
    /// How the instruction of these tags is written, with its scope: that of all threads where none
    /// is said.
    pub fn written(self, operation: Operation, scope: Option<Scope>) -> Option<String> {
        let known = &self.architecture.description().instructions;
        let instruction = known.iter().find(|i| i.operation == operation && i.bits == self.bits)?;
        let mnemonic = instruction.mnemonic;
        let scope = || self.architecture.scope_name(scope.unwrap_or(Scope::Sys));
        Some(if instruction.scoped {
            format!("{mnemonic}.{}", scope())
        } else {
            mnemonic.to_owned()
        })
    }
}
