//! A strict order that is partly known: coherence order of all locations, or fence order.

use margay_models::evaluate::operate::close;

/// What is known of a strict order. Pairs in neither bound's way are open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartialOrder {
    /// Pairs that are in it; transitive.
    pub must: Vec<u64>,
    /// Pairs that may be in it.
    pub may: Vec<u64>,
    /// Pairs that are related in one direction or the other; symmetric.
    pub related: Vec<u64>,
}

/// An open pair, `a < b`.
pub(super) type Pair = (usize, usize);

/// What can be decided of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// `a` before `b`
    Forward,
    /// `b` before `a`
    Backward,
    /// Neither.
    Unrelated,
}

impl PartialOrder {
    /// Draws the consequences of what is known; `false` if there is no such order.
    pub fn settle(&mut self) -> bool {
        let n = self.must.len();
        loop {
            close(&mut self.must);
            let mut changed = false;
            for a in 0..n {
                if self.must[a] & !self.may[a] != 0 || self.must[a] >> a & 1 == 1 {
                    return false;
                }
                let mut rest = self.must[a];
                while rest != 0 {
                    let b = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    self.may[b] &= !(1 << a);
                }
                let mut rest = self.related[a] & !self.must[a];
                while rest != 0 {
                    let b = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let (forward, backward) =
                        (self.may[a] >> b & 1 == 1, self.may[b] >> a & 1 == 1);
                    match (forward, backward) {
                        (false, false) => return false,
                        (true, false) => {
                            self.must[a] |= 1 << b;
                            changed = true;
                        }
                        _ => {}
                    }
                }
            }
            if !changed {
                // Exclusions may have come behind inclusions of the same round.
                return (0..n).all(|a| self.must[a] & !self.may[a] == 0);
            }
        }
    }

    /// The pairs that are not decided.
    pub fn open(&self) -> Vec<Pair> {
        let mut open = Vec::new();
        for a in 0..self.must.len() {
            for b in a + 1..self.must.len() {
                if !self.options(a, b).is_empty() {
                    open.push((a, b));
                }
            }
        }
        open
    }

    /// What can still be decided of a pair; nothing if it is decided.
    pub fn options(&self, a: usize, b: usize) -> Vec<Decision> {
        let must = self.must[a] >> b & 1 == 1 || self.must[b] >> a & 1 == 1;
        let (forward, backward) = (self.may[a] >> b & 1 == 1, self.may[b] >> a & 1 == 1);
        if must || !forward && !backward {
            return Vec::new();
        }
        let mut options = Vec::with_capacity(3);
        if self.related[a] >> b & 1 == 0 {
            options.push(Decision::Unrelated);
        }
        if forward {
            options.push(Decision::Forward);
        }
        if backward {
            options.push(Decision::Backward);
        }
        options
    }

    /// Decides a pair; consequences are for [`PartialOrder::settle`].
    pub fn decide(&mut self, (a, b): Pair, decision: Decision) {
        match decision {
            Decision::Forward => self.must[a] |= 1 << b,
            Decision::Backward => self.must[b] |= 1 << a,
            Decision::Unrelated => {
                self.may[a] &= !(1 << b);
                self.may[b] &= !(1 << a);
            }
        }
    }

    /// Decides that a pair is not decided that way.
    pub fn exclude(&mut self, (a, b): Pair, decision: Decision) {
        match decision {
            Decision::Forward => self.may[a] &= !(1 << b),
            Decision::Backward => self.may[b] &= !(1 << a),
            Decision::Unrelated => {
                self.related[a] |= 1 << b;
                self.related[b] |= 1 << a;
            }
        }
    }

    /// Some order within the bounds in which pairs stay unrelated where they can; `None` if the
    /// simple way to one fails.
    pub fn complete(&self) -> Option<PartialOrder> {
        let mut order = self.clone();
        for (a, b) in self.open() {
            if order.related[a] >> b & 1 == 1 && !order.options(a, b).is_empty() {
                let direction =
                    if order.may[a] >> b & 1 == 1 { Decision::Forward } else { Decision::Backward };
                order.decide((a, b), direction);
                if !order.settle() {
                    return None;
                }
            }
        }
        order.may.clone_from(&order.must);
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of three may be related and must be.
    fn total() -> PartialOrder {
        let pairs = vec![0b110, 0b101, 0b011];
        PartialOrder { must: vec![0; 3], may: pairs.clone(), related: pairs }
    }

    #[test]
    fn consequences_of_transitivity_and_totality() {
        let mut order = total();
        order.decide((0, 1), Decision::Forward);
        order.decide((1, 2), Decision::Forward);
        assert!(order.settle());
        assert_eq!(order.must, [0b110, 0b100, 0]);
        assert_eq!(order.may, order.must);
        order.decide((0, 2), Decision::Backward);
        assert!(!order.settle(), "a cycle");
    }

    #[test]
    fn an_excluded_direction_leaves_the_other() {
        let mut order = total();
        order.exclude((0, 1), Decision::Forward);
        assert!(order.settle());
        assert_eq!(order.must, [0, 0b001, 0]);
        order.exclude((0, 1), Decision::Backward);
        assert!(!order.settle());
    }

    #[test]
    fn completion_relates_only_what_must_be() {
        let mut order = total();
        order.related = vec![0b010, 0b001, 0];
        let complete = order.complete().unwrap();
        assert_eq!(complete.must, [0b010, 0, 0]);
        assert_eq!(total().complete().unwrap().must, [0b110, 0b100, 0]);
    }
}
