//! The base relations of one level of a problem (the source, the target, a weaker test), and what
//! each name stands for among them.

use margay_models::execution::Scope;
use margay_models::lower::Interpretation;
use margay_models::signature::{BaseRelation, RelationKind};
use margay_solver::Expr;

use super::sets::{find, without};

/// The relations that each level has. Those that follow from others the lowering makes.
#[derive(Debug, Clone)]
pub struct LevelRelations {
    pub po: Expr,
    pub rf: Expr,
    pub co: Expr,
    pub loc: Expr,
    /// `loc` where no location has several addresses.
    pub vloc: Expr,
    pub int: Expr,
    pub rmw: Expr,
    pub sr: Expr,
    /// By their numbers in [`BaseRelation::DEPENDENCIES`].
    pub dependencies: [Expr; 3],
    /// `None` where no execution orders fences.
    pub sync_fence: Option<Expr>,
    /// Events at one barrier, and who waits for whom there; `None` where nobody meets at barriers.
    pub barriers: Option<BarrierRelations>,
    /// Why nobody does.
    pub without_barriers: &'static str,
    /// The threads of both events share each scope.
    pub placed: Vec<(Scope, Expr)>,
}

/// Who meets at barriers.
#[derive(Debug, Clone, Copy)]
pub struct BarrierRelations {
    pub one_barrier: Expr,
    /// From each arrival to the waits that it releases.
    pub meets: Expr,
}

impl LevelRelations {
    pub fn interpretation(&self, relation: BaseRelation) -> Interpretation {
        Interpretation::Is(match relation.kind() {
            RelationKind::Po => self.po,
            RelationKind::Rf => self.rf,
            RelationKind::Co => self.co,
            RelationKind::Place if relation.is_of_addresses() => self.vloc,
            RelationKind::Place => self.loc,
            RelationKind::Int => self.int,
            RelationKind::Rmw => self.rmw,
            RelationKind::Sr => self.sr,
            RelationKind::Dependency(number) => self.dependencies[number],
            RelationKind::Level(scope) => {
                return Interpretation::of(find(&self.placed, scope), without::LEVEL);
            }
            RelationKind::SyncFence => {
                return Interpretation::of(self.sync_fence, without::ORDER_OF_FENCES);
            }
            RelationKind::Derived(_) => return Interpretation::Follows,
            RelationKind::Barrier => {
                let which = |of: BarrierRelations| {
                    if relation.is_stored() { of.meets } else { of.one_barrier }
                };
                return Interpretation::of(self.barriers.map(which), self.without_barriers);
            }
            RelationKind::Asynchronous => return Interpretation::Empty(without::ASYNCHRONOUS),
        })
    }
}
