//! Which operations are weaker than which: the steps by which programs, mappings and tests are
//! weakened and strengthened, declared once for every kind of instruction. `check` prefers weak
//! counterexamples by them, `weaken` and `repair` change rows, `diff` shows weakest differences,
//! and `synth` asks that every step makes its test allowed.
//!
//! The steps are those of Lustig, Wright, Papakonstantinou, Giroux: Automated Synthesis of
//! Comprehensive Memory Model Litmus Test Suites (ASPLOS 2017): remove an instruction (RI), demote
//! an order (DMO) or a fence (DF), demote a scope (DS), split a read-modify-write (DRMW), remove a
//! dependency (RD; `mappings/src/encode/relaxed`).

use super::Signature;
use super::construct::{Construct, Operation, constructs};
use crate::execution::{Order, Scope};

impl Order {
    /// How far the order is above [`Order::Plain`], in steps.
    pub fn rank(self) -> u32 {
        match self {
            Self::Plain => 0,
            Self::Rlx => 1,
            Self::Acq | Self::Rel => 2,
            Self::AcqRel => 3,
            Self::Sc => 4,
            Self::Tagged(tags) => tags.rank(),
        }
    }

    /// A number for each order, to tell them apart and to list them in a fixed order.
    pub fn number(self) -> u64 {
        match self {
            Self::Plain => 0,
            Self::Rlx => 1,
            Self::Acq => 2,
            Self::Rel => 3,
            Self::AcqRel => 4,
            Self::Sc => 5,
            Self::Tagged(tags) => 5 + tags.number(),
        }
    }

    /// Is this order weaker than the other? Acquire and release are not comparable.
    pub fn is_weaker_than(self, other: Order) -> bool {
        match (self, other) {
            (Self::Tagged(a), Self::Tagged(b)) => a != b && a.is_at_most(b),
            // Without tags: the empty set of them.
            (Self::Plain, Self::Tagged(b)) => b.none().is_at_most(b),
            (Self::Tagged(_), _) => false,
            _ => self.rank() < other.rank(),
        }
    }

    /// Is it the same or weaker?
    pub fn is_at_most(self, other: Order) -> bool {
        self == other || self.is_weaker_than(other)
    }
}

impl Construct {
    /// Is it, by what the text of the signature says of its tags, weaker than the other?
    fn is_weaker_than(self, other: Construct, signature: Signature) -> bool {
        let (mine, others) = (signature.tags_of(self), signature.tags_of(other));
        self.operation == other.operation && mine != others && mine.is_at_most(others)
    }

    /// The operations of a signature that are weaker by one step: nothing lies between. Empty for
    /// the weakest.
    pub fn weaker(self, signature: Signature) -> Vec<Construct> {
        let below: Vec<Construct> = constructs(signature)
            .into_iter()
            .filter(|c| c.is_weaker_than(self, signature))
            .collect();
        below
            .iter()
            .copied()
            .filter(|a| !below.iter().any(|b| a.is_weaker_than(*b, signature)))
            .collect()
    }

    /// The operations of a signature that are stronger by one step. Empty for the strongest.
    pub fn stronger(self, signature: Signature) -> Vec<Construct> {
        let above: Vec<Construct> = constructs(signature)
            .into_iter()
            .filter(|c| self.is_weaker_than(*c, signature))
            .collect();
        above
            .iter()
            .copied()
            .filter(|a| !above.iter().any(|b| b.is_weaker_than(*a, signature)))
            .collect()
    }
}

impl Construct {
    /// The load and the store that a read-modify-write becomes when it is no longer one step.
    pub fn split(self) -> Option<(Construct, Construct)> {
        (self.operation == Operation::Rmw).then(|| {
            let half = |operation, order| Construct { operation, order };
            (half(Operation::Read, self.read_order()), half(Operation::Write, self.write_order()))
        })
    }
}

/// The weakest fences of a signature: weaker by one step is no fence at all.
pub fn weakest_fences(signature: Signature) -> Vec<Construct> {
    let fences = constructs(signature).into_iter().filter(|c| c.operation == Operation::Fence);
    fences.filter(|c| c.weaker(signature).is_empty()).collect()
}

impl Scope {
    /// How far the scope is above the narrowest one, in steps.
    ///
    /// (Of scopes of an architecture's own: above the narrowest of PTX; the one below that counts
    /// as much.)
    pub fn rank(self) -> u32 {
        match self {
            Self::Warp | Self::Cta => 0,
            Self::Cluster => 1,
            Self::Gpu => 2,
            Self::Sys => 3,
        }
    }

    /// The next narrower scope of those of a signature.
    pub fn narrower(self, scopes: &[Scope]) -> Option<Scope> {
        scopes.windows(2).find(|pair| pair[1] == self).map(|pair| pair[0])
    }

    /// The next wider scope of those of a signature.
    pub fn wider(self, scopes: &[Scope]) -> Option<Scope> {
        scopes.windows(2).find(|pair| pair[0] == self).map(|pair| pair[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: Vec<Construct>, signature: Signature) -> String {
        found.into_iter().map(|c| c.name(signature)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn halves_of_a_read_modify_write() {
        let whole = Construct { operation: Operation::Rmw, order: Order::AcqRel };
        let (read, write) = whole.split().expect("it has two halves");
        assert_eq!((read.order, write.order), (Order::Acq, Order::Rel));
        assert_eq!(read.split(), None);
    }

    #[test]
    fn every_step_goes_down() {
        for signature in Signature::FRONT_ENDS {
            for construct in constructs(signature) {
                for weaker in construct.weaker(signature) {
                    assert!(
                        weaker.order.is_at_most(construct.order)
                            && !construct.order.is_at_most(weaker.order)
                    );
                }
            }
        }
        assert!(!Order::Acq.is_at_most(Order::Rel) && !Order::Rel.is_at_most(Order::Acq));
    }

    /// What the code says of memory orders, the texts of PTX and C say of their tags.
    #[test]
    fn orders_are_ordered_as_the_texts_say() {
        let all = [Order::Plain, Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc];
        for signature in [Signature::C, Signature::PTX] {
            let tags = |order| signature.tags_of(Construct { operation: Operation::Rmw, order });
            for whole in constructs(signature).into_iter().filter(|c| c.operation == Operation::Rmw)
            {
                let (read, write) = (tags(whole.order).of_read(), tags(whole.order).of_write());
                assert_eq!((read, write), (whole.read_order(), whole.write_order()), "{whole:?}");
            }
            for order in all {
                assert_eq!(tags(order).order(), order);
                for other in all {
                    assert_eq!(
                        tags(order).is_at_most(tags(other)),
                        order.is_at_most(other),
                        "{order:?} {other:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn steps_skip_nothing() {
        let at = |operation, order| Construct { operation, order };
        let ptx = Signature::PTX;
        assert_eq!(names(at(Operation::Rmw, Order::AcqRel).weaker(ptx), ptx), "RMW.ACQ RMW.REL");
        assert_eq!(names(at(Operation::Rmw, Order::Rlx).stronger(ptx), ptx), "RMW.ACQ RMW.REL");
        assert_eq!(names(at(Operation::Read, Order::Acq).weaker(ptx), ptx), "R.RLX");
        assert_eq!(
            names(at(Operation::Write, Order::Sc).weaker(Signature::C), Signature::C),
            "W.REL"
        );
        assert_eq!(
            names(at(Operation::Rmw, Order::Rlx).weaker(ptx), ptx),
            "",
            "there is no weak atom"
        );
        assert_eq!(names(weakest_fences(ptx), ptx), "F.ACQ F.REL");
        assert_eq!(names(weakest_fences(Signature::PLAIN), Signature::PLAIN), "F");
        assert_eq!(Scope::Gpu.narrower(ptx.scopes(false)), Some(Scope::Cta));
        assert_eq!(Scope::Gpu.narrower(ptx.scopes(true)), Some(Scope::Cluster));
        assert_eq!((Scope::Sys.wider(&Scope::ALL), Scope::Cta.narrower(&Scope::ALL)), (None, None));
    }
}
