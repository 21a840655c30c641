//! Sets of events under the keys that they are for: orders, scopes, tags.

use margay_models::execution::Order;
use margay_models::signature::Tag;
use margay_solver::{Expr, Formula, Logic};

/// The expression under a key.
pub fn find<K: PartialEq>(list: &[(K, Expr)], key: K) -> Option<Expr> {
    list.iter().find(|(k, _)| *k == key).map(|&(_, e)| e)
}

/// Why a set of events is empty where no event has what it is for.
pub mod without {
    /// A memory order or a tag.
    pub const ORDER: &str = "no operation of the question has this order or tag";
    pub const SCOPE: &str = "no operation of the question has this scope";
    /// A level of threads.
    pub const LEVEL: &str = "neither model speaks of this level, nor has an operation the scope";
    /// What PTX alone has, and only a comparison of two of its models asks about.
    pub const SPECIAL: &str = "the question has no barriers, proxies, reductions, volatile or mmio operations of this kind";
    /// The order of fences that an execution chooses.
    pub const ORDER_OF_FENCES: &str = "the architecture orders no fence, or none of the question";
    /// Asynchronous operations and mbarriers, which only tests have.
    pub const ASYNCHRONOUS: &str = "the question has no asynchronous operations and no mbarriers";
    pub const MBARRIERS: &str = "no row makes an operation on an mbarrier";
    /// What a row of a mapping cannot say.
    pub const ROW: &str = "no row can emit it";
    pub const EXCHANGES: &str = "no check depends on which read-modify-writes are exchanges";
}

/// The sets are disjoint and make up the whole.
pub fn partition(logic: &mut Logic, out: &mut Vec<Formula>, sets: &[Expr], whole: Expr) {
    let all = logic.union_all(1, sets.iter().copied());
    out.push(logic.equal(all, whole));
    for (i, &a) in sets.iter().enumerate() {
        for &b in &sets[i + 1..] {
            let both = logic.intersection(a, b);
            out.push(logic.no(both));
        }
    }
}

/// The events that carry each tag of an architecture that is a text.
pub fn tagged(logic: &mut Logic, orders: &[(Order, Expr)]) -> Vec<(Tag, Expr)> {
    let mut sets: Vec<(Tag, Vec<Expr>)> = Vec::new();
    for &(order, set) in orders {
        let Order::Tagged(tags) = order else { continue };
        for tag in tags.iter() {
            match sets.iter_mut().find(|(t, _)| *t == tag) {
                Some((_, sets)) => sets.push(set),
                None => sets.push((tag, vec![set])),
            }
        }
    }
    sets.into_iter().map(|(tag, sets)| (tag, logic.union_all(1, sets))).collect()
}
