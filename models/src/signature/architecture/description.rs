//! What the text of an architecture says.

use std::sync::Arc;

use super::architecture_instruction::ArchitectureInstruction;
use super::assembly::Assembly;
use super::level::{LevelDescription, Optional};
use super::tag::{Tag, TagDescription};
use crate::diagnostic::SourceFile;
use crate::execution::Scope;
use crate::signature::base::NamedBases;
use crate::signature::{BaseRelation, BaseSet};

/// The tags of the operations on barriers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarrierTags {
    /// That of an arrival: a read-modify-write of what the barrier counts.
    pub arrival: Tag,
    /// That of a wait that returns: a read of what the last arrival of the phase left.
    pub wait: Tag,
}

/// What the text says.
pub(super) struct Description {
    /// The word for it: the name of its file without the ending.
    pub(super) word: &'static str,
    pub(super) title: &'static str,
    pub(super) file: Arc<SourceFile>,
    pub(super) tags: Vec<TagDescription>,
    pub(super) instructions: Vec<ArchitectureInstruction>,
    /// The base sets that models may name, each with its names.
    pub(super) sets: NamedBases<BaseSet>,
    /// The base relations that models may name, each with its names.
    pub(super) relations: NamedBases<BaseRelation>,
    /// What pictures call a relation, where that is not its name.
    pub(super) printed: Vec<(BaseRelation, &'static str)>,
    /// Does coherence order leave writes of one location unordered?
    pub(super) partial_coherence: bool,
    /// The tag of the fences that a chosen order relates, if there is one.
    pub(super) ordered_fences: Option<BaseSet>,
    /// The tags of the operations on barriers, if it has such operations.
    pub(super) barrier: Option<BarrierTags>,
    /// Its scopes, narrowest first, and what they are called.
    pub(super) scopes: Vec<Scope>,
    pub(super) levels: Vec<LevelDescription>,
    /// The scope that not every model knows, and the scopes without it.
    pub(super) optional: Option<Optional>,
    /// Who reads its tests, if that is not the reader of tables.
    pub(super) front_end: Option<FrontEndText>,
    /// How its assembly is written.
    pub(super) assembly: Option<Assembly>,
}

/// What a text with a line `front-end` says of the front end's executions.
pub(super) struct FrontEndText {
    pub(super) word: &'static str,
    /// The first words of models that mean the architecture.
    pub(super) words: Vec<&'static str>,
    /// How a model begins that is printed.
    pub(super) header: Option<&'static str>,
    /// The file of signatures/ with the conditions of its executions.
    pub(super) well_formed: &'static str,
}
