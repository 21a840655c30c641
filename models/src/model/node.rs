//! The nodes of the typed model, shared by hash-consing: equal expressions are one node.

use rustc_hash::FxHashMap;

use crate::signature::{BaseRelation, BaseSet};

/// A node of an [`Arena`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(crate) u32);

/// A definition: an index into [`super::Model::definitions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub(crate) u32);

/// A `let rec`: an index into [`super::Model::groups`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub(crate) u32);

macro_rules! index {
    ($($id:ident),*) => { $(
        impl $id {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $id {
            fn from(index: usize) -> Self {
                $id(u32::try_from(index).expect("models are limited to far fewer nodes than 2^32"))
            }
        }
    )* };
}

index!(ExprId, DefId, GroupId);

/// Set of events, or relation between events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A set of events.
    Set,
    /// A binary relation between events.
    Relation,
}

impl std::fmt::Display for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Set => "set",
            Self::Relation => "relation",
        })
    }
}

/// An expression of the typed model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A base set, `_` among them.
    Set(BaseSet),
    Relation(BaseRelation),
    /// `0`
    Empty(Sort),
    /// A named expression; within the bodies of its own group the current approximation of the
    /// fixpoint.
    Definition(DefId),
    /// `a | b`, of sets or of relations.
    Union(ExprId, ExprId),
    /// `a & b`, of sets or of relations.
    Intersection(ExprId, ExprId),
    /// `a \ b`, of sets or of relations.
    Difference(ExprId, ExprId),
    /// `~a`: every event, or every pair of events, but these.
    Complement(ExprId),
    /// `r; s`
    Sequence(ExprId, ExprId),
    /// `A * B`; the relation `_` is the product of the set `_` with itself.
    Product(ExprId, ExprId),
    /// `[A]`: the identity on a set.
    Diagonal(ExprId),
    /// `r^-1`
    Inverse(ExprId),
    /// `r+`
    Closure(ExprId),
    /// `r*`
    ReflexiveClosure(ExprId),
    /// `r?`
    Optional(ExprId),
    /// `domain r`
    Domain(ExprId),
    /// `range r`
    Range(ExprId),
}

impl Node {
    /// The nodes it is made of, left to right; the body of a definition is not among them.
    pub fn children(self) -> impl Iterator<Item = ExprId> {
        let (a, b) = match self {
            Self::Set(_) | Self::Relation(_) | Self::Empty(_) | Self::Definition(_) => (None, None),
            Self::Union(a, b)
            | Self::Intersection(a, b)
            | Self::Difference(a, b)
            | Self::Sequence(a, b)
            | Self::Product(a, b) => (Some(a), Some(b)),
            Self::Complement(a)
            | Self::Diagonal(a)
            | Self::Inverse(a)
            | Self::Closure(a)
            | Self::ReflexiveClosure(a)
            | Self::Optional(a)
            | Self::Domain(a)
            | Self::Range(a) => (Some(a), None),
        };
        a.into_iter().chain(b)
    }
}

impl Node {
    /// The same operator on other operands.
    pub fn map_children(self, mut to: impl FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Self::Set(_) | Self::Relation(_) | Self::Empty(_) | Self::Definition(_) => self,
            Self::Union(a, b) => Self::Union(to(a), to(b)),
            Self::Intersection(a, b) => Self::Intersection(to(a), to(b)),
            Self::Difference(a, b) => Self::Difference(to(a), to(b)),
            Self::Sequence(a, b) => Self::Sequence(to(a), to(b)),
            Self::Product(a, b) => Self::Product(to(a), to(b)),
            Self::Complement(a) => Self::Complement(to(a)),
            Self::Diagonal(a) => Self::Diagonal(to(a)),
            Self::Inverse(a) => Self::Inverse(to(a)),
            Self::Closure(a) => Self::Closure(to(a)),
            Self::ReflexiveClosure(a) => Self::ReflexiveClosure(to(a)),
            Self::Optional(a) => Self::Optional(to(a)),
            Self::Domain(a) => Self::Domain(to(a)),
            Self::Range(a) => Self::Range(to(a)),
        }
    }
}

/// The nodes of a model.
#[derive(Debug, Clone, Default)]
pub struct Arena {
    /// Each node with its sort.
    nodes: Vec<(Node, Sort)>,
    /// For each node how many nodes are within each other, through definitions.
    heights: Vec<usize>,
    /// Where each node is in `nodes`.
    known: FxHashMap<Node, ExprId>,
}

impl Arena {
    /// The node for an expression of the given sort; an equal one that is there already is used
    /// again.
    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> ExprId {
        let heights = &mut self.heights;
        *self.known.entry(node).or_insert_with(|| {
            heights.push(1 + node.children().map(|c| heights[c.index()]).max().unwrap_or(0));
            self.nodes.push((node, sort));
            ExprId::from(self.nodes.len() - 1)
        })
    }

    /// How many nodes are within each other in an expression, through definitions.
    pub(crate) fn height(&self, id: ExprId) -> usize {
        self.heights[id.index()]
    }

    /// Says what a definition stands for; only its height is of interest here.
    pub(crate) fn set_body(&mut self, definition: ExprId, body: ExprId) {
        self.heights[definition.index()] = self.heights[body.index()] + 1;
    }

    /// Forgets the nodes from the given number on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.heights.truncate(length);
        for (node, _) in self.nodes.drain(length.min(self.nodes.len())..) {
            self.known.remove(&node);
        }
    }

    /// The node for an expression, if there is one.
    pub fn find(&self, node: Node) -> Option<ExprId> {
        self.known.get(&node).copied()
    }

    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.index()].0
    }

    /// Is it a set or a relation?
    pub fn sort(&self, id: ExprId) -> Sort {
        self.nodes[id.index()].1
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Are there no nodes?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
