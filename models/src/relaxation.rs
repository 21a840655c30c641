//! One step weaker: the ways in which an instruction, a dependency or the placement of threads can ask for less, declared once
//! for every kind of instruction.
//!
//! The steps are those of Lustig, Wright, Papakonstantinou, Giroux: Automated Synthesis of Comprehensive Memory Model Litmus Test
//! Suites (ASPLOS 2017): remove an instruction (RI), demote an order (DMO) or a fence (DF), demote a scope (DS), remove a
//! dependency (RD), split a read-modify-write (DRMW); and, for scopes, let threads run further apart.

use crate::execution::{Order, Scope};
use crate::signature::{Construct, Operation, Signature, constructs};

impl Order {
    /// Is everything that this order asks for asked for by the other one too? ACQ and REL are not comparable.
    pub fn is_at_most(self, other: Order) -> bool {
        use Order::{Acq, AcqRel, Plain, Rel, Rlx, Sc};
        match self {
            Plain => true,
            Rlx => other != Plain,
            Acq => matches!(other, Acq | AcqRel | Sc),
            Rel => matches!(other, Rel | AcqRel | Sc),
            AcqRel => matches!(other, AcqRel | Sc),
            Sc => other == Sc,
        }
    }

    /// How far the order is above [`Order::Plain`], in steps.
    pub fn rank(self) -> u32 {
        match self {
            Order::Plain => 0,
            Order::Rlx => 1,
            Order::Acq | Order::Rel => 2,
            Order::AcqRel => 3,
            Order::Sc => 4,
        }
    }
}

impl Scope {
    /// How far the scope is above the narrowest one, in steps.
    pub fn rank(self) -> u32 {
        match self {
            Scope::Cta => 0,
            Scope::Cluster => 1,
            Scope::Gpu => 2,
            Scope::Sys => 3,
        }
    }

    /// The next narrower one of the given scopes.
    pub fn narrower(self, scopes: &[Scope]) -> Option<Scope> {
        scopes.iter().copied().filter(|&s| s < self).max()
    }
}

impl Construct {
    /// The same operation with an order one step weaker, where the signature has it. Of a fence without a weaker order, and of every
    /// instruction, what is weaker still is that it is not there.
    pub fn demoted(self, signature: Signature) -> Vec<Construct> {
        let below = |c: &Construct| c.operation == self.operation && c.order != self.order && c.order.is_at_most(self.order);
        let weaker: Vec<Construct> = constructs(signature).into_iter().filter(below).collect();
        let next = |c: &&Construct| !weaker.iter().any(|d| d.order != c.order && c.order.is_at_most(d.order));
        weaker.iter().filter(next).copied().collect()
    }

    /// The load and the store that a read-modify-write becomes when it is no longer one step.
    pub fn split(self) -> Option<(Construct, Construct)> {
        (self.operation == Operation::Rmw).then(|| {
            let half = |operation, order| Construct { operation, order };
            (half(Operation::Read, self.read_order()), half(Operation::Write, self.write_order()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(operation: Operation, order: Order, signature: Signature) -> Vec<String> {
        Construct { operation, order }.demoted(signature).iter().map(|c| c.name(signature)).collect()
    }

    #[test]
    fn steps_of_orders() {
        use Operation::{Fence, Read, Rmw, Write};
        assert_eq!(names(Fence, Order::Sc, Signature::Ptx), ["F.ACQ_REL"]);
        assert_eq!(names(Fence, Order::AcqRel, Signature::Ptx), ["F.ACQ", "F.REL"]);
        assert!(names(Fence, Order::Acq, Signature::Ptx).is_empty());
        assert_eq!(names(Rmw, Order::AcqRel, Signature::C), ["RMW.ACQ", "RMW.REL"]);
        assert_eq!(names(Read, Order::Sc, Signature::C), ["R.ACQ"]);
        assert_eq!(names(Read, Order::Rlx, Signature::C), ["R.NA"]);
        assert_eq!(names(Write, Order::Rel, Signature::Ptx), ["W.RLX"]);
        assert!(names(Write, Order::Plain, Signature::Plain).is_empty());
    }

    #[test]
    fn steps_go_down_in_rank_by_one() {
        for signature in [Signature::Plain, Signature::C, Signature::Ptx] {
            for construct in constructs(signature) {
                for weaker in construct.demoted(signature) {
                    assert!(weaker.order.is_at_most(construct.order) && weaker.order.rank() < construct.order.rank());
                }
            }
        }
        assert_eq!(Scope::Sys.narrower(&[Scope::Cta, Scope::Gpu, Scope::Sys]), Some(Scope::Gpu));
        assert_eq!(Scope::Cta.narrower(&Scope::ALL), None);
    }

    #[test]
    fn halves_of_a_read_modify_write() {
        let whole = Construct { operation: Operation::Rmw, order: Order::AcqRel };
        let (read, write) = whole.split().unwrap();
        assert_eq!((read.order, write.order), (Order::Acq, Order::Rel));
        assert_eq!(read.split(), None);
    }
}
