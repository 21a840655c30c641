//! The base relations that sentences, arguments and the search speak of, each by a method: nobody
//! else in proofs names one.

use std::ops::Index;

use margay_models::signature::{BaseRelation, BaseSet};
use rustc_hash::FxHashMap;

use super::{Pred, TheorySymbols};

/// What stands for each base relation of a level: an expression, a symbol.
#[derive(Debug, Clone)]
pub struct RelationMap<T>(FxHashMap<BaseRelation, T>);

impl<T> Default for RelationMap<T> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<T: Copy> RelationMap<T> {
    pub fn get(&self, relation: BaseRelation) -> Option<T> {
        self.0.get(&relation).copied()
    }

    pub fn insert(&mut self, relation: BaseRelation, value: T) {
        self.0.insert(relation, value);
    }
}

impl<T> Index<BaseRelation> for RelationMap<T> {
    type Output = T;

    /// # Panics
    /// If it has no meaning here. That a name meant nothing would be taken for a sentence about
    /// executions.
    fn index(&self, relation: BaseRelation) -> &T {
        self.0.get(&relation).unwrap_or_else(|| {
            panic!("the base relation `{}` has no meaning in a proof", relation.name())
        })
    }
}

macro_rules! by_methods {
    ($($method:ident: $relation:expr,)*) => {
        impl<T: Copy> RelationMap<T> {
            $(pub fn $method(&self) -> T {
                self[$relation]
            })*
        }

        impl TheorySymbols {
            $(pub fn $method(&self) -> Option<Pred> {
                self.named($relation.name())
            })*
        }
    };
}

by_methods! {
    po: BaseRelation::Po,
    rf: BaseRelation::Rf,
    co: BaseRelation::Co,
    loc: BaseRelation::Loc,
    int: BaseRelation::Int,
    rmw: BaseRelation::Rmw,
    sr: BaseRelation::Sr,
    sync_fence: BaseRelation::SyncFence,
}

/// The symbols of base sets, of the level that lemmas are about.
impl TheorySymbols {
    pub fn reads(&self) -> Option<Pred> {
        self.named(BaseSet::R.name())
    }

    pub fn writes(&self) -> Option<Pred> {
        self.named(BaseSet::W.name())
    }

    pub fn fences(&self) -> Option<Pred> {
        self.named(BaseSet::F.name())
    }

    pub fn initial_writes(&self) -> Option<Pred> {
        self.named(BaseSet::Iw.name())
    }
}

impl<T: Copy> RelationMap<T> {
    /// The coherence order of a level that has one of its own.
    pub fn set_co(&mut self, order: T) {
        self.insert(BaseRelation::Co, order);
    }

    /// Which scopes include each other's thread, on a level that has other scopes.
    pub fn set_sr(&mut self, inclusion: T) {
        self.insert(BaseRelation::Sr, inclusion);
    }
}
