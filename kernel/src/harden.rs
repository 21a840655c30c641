//! Which fences a kernel needs: from a fence behind every access down to a least set (Sorensen and
//! Donaldson, PLDI 2016, Algorithm 1), with the model in place of hours of testing, and then to a
//! smallest one.
//!
//! The listing of the paper runs A + F1 and takes F1 away (lines 16 to 19); its text runs A + (F \
//! F1), which is what is done here.

use std::collections::BTreeSet;
use std::time::Instant;

use margay_litmus::test::{FenceOrder, Operation, TestInstruction};
use margay_models::execution::Scope;
use margay_ptx::Module;

use crate::answer::{HardeningAnswer, HardeningFence, Spot};
use crate::obligation::Obligations;
use crate::repair::is_fence;
use crate::residue::Origin;

/// A place where a fence may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FenceSite {
    /// Is it a fence that the kernel has? Otherwise it is behind an access.
    own: bool,
    /// The fence, or the access.
    at: Origin,
}

/// Sites by number: the accesses, and then the kernel's own fences, each in the order of the text.
type SiteSet = BTreeSet<usize>;

struct FenceSearch<'a> {
    obligations: &'a Obligations,
    sites: Vec<FenceSite>,
    deadline: Option<Instant>,
    asked: usize,
}

impl FenceSearch<'_> {
    fn rewrite(
        &self,
        of: &SiteSet,
        origin: Option<Origin>,
        instruction: &TestInstruction,
        new: &mut Vec<TestInstruction>,
    ) {
        let has = |own: bool| {
            let site = origin.map(|at| FenceSite { own, at });
            self.sites.iter().position(|s| Some(*s) == site).is_some_and(|n| of.contains(&n))
        };
        if is_fence(&instruction.operation) {
            if origin.is_none() || has(true) {
                new.push(instruction.clone());
            }
            return;
        }
        new.push(instruction.clone());
        if instruction.operation.memory().is_some() && has(false) {
            let fence = Operation::Fence { order: Some(FenceOrder::Sc), scope: Some(Scope::Gpu) };
            // A fence behind an access that is executed under a predicate is executed under the
            // same.
            new.push(TestInstruction {
                guard: instruction.guard.clone(),
                ..TestInstruction::from(fence)
            });
        }
    }

    /// Is the kernel right with these fences, and no others?
    fn is_right(&mut self, with: &SiteSet) -> Result<bool, String> {
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err("it was stopped by a limit or by Ctrl-C".to_owned());
        }
        self.asked += 1;
        let this = &*self;
        this.obligations
            .hold(&|origin, instruction, new| this.rewrite(with, origin, instruction, new))
    }

    /// Binary reduction: takes away halves of `of` as long as the kernel is right without one.
    fn halve(&mut self, set: &mut SiteSet, mut of: Vec<usize>) -> Result<Vec<usize>, String> {
        while of.len() > 1 {
            let second = of.split_off(of.len() / 2);
            let without = |half: &[usize], set: &SiteSet| {
                set.iter().copied().filter(|n| !half.contains(n)).collect::<SiteSet>()
            };
            let (one, two) = (without(&of, set), without(&second, set));
            if self.is_right(&one)? {
                (*set, of) = (one, second);
            } else if self.is_right(&two)? {
                *set = two;
            } else {
                of.extend(second);
                break;
            }
        }
        Ok(of)
    }

    /// Linear reduction: takes away one at a time.
    fn thin(&mut self, set: &mut SiteSet, of: &[usize]) -> Result<(), String> {
        for n in of {
            let mut without = set.clone();
            without.remove(n);
            if self.is_right(&without)? {
                *set = without;
            }
        }
        Ok(())
    }

    /// A least set: none of its fences can go. The fences that are not the kernel's own go first.
    fn reduced(&mut self, all: &SiteSet) -> Result<SiteSet, String> {
        let (own, added): (Vec<usize>, Vec<usize>) = all.iter().partition(|n| self.sites[**n].own);
        let mut set = all.clone();
        let alone: SiteSet = own.iter().copied().collect();
        if self.is_right(&alone)? {
            set = alone;
        } else {
            let left = self.halve(&mut set, added)?;
            self.thin(&mut set, &left)?;
        }
        let left = self.halve(&mut set, own)?;
        self.thin(&mut set, &left)?;
        Ok(set)
    }

    /// A set with as few fences as can be, and of these with as many of the kernel's own: the
    /// smallest set that has a fence of each group of which one is needed, until such a set is
    /// enough. A group is what is missing from a set to which no fence can be added so that it is
    /// still not enough.
    fn smallest(&mut self, all: &SiteSet, least: SiteSet) -> Result<SiteSet, String> {
        let mut groups: Vec<SiteSet> = Vec::new();
        let cost = |set: &SiteSet, sites: &[FenceSite]| {
            (set.len(), set.iter().filter(|n| !sites[**n].own).count())
        };
        let most = cost(&least, &self.sites);
        loop {
            let hitting = smallest_hitting(&groups, &|set| cost(set, &self.sites), most);
            let Some(hitting) = hitting else { return Ok(least) };
            if self.is_right(&hitting)? {
                return Ok(hitting);
            }
            let mut set = hitting;
            for &n in all {
                if set.insert(n) && self.is_right(&set)? {
                    set.remove(&n);
                }
            }
            groups.push(all.difference(&set).copied().collect());
        }
    }
}

/// A set that has a member of each group, and costs least, and less than `below`.
fn smallest_hitting(
    groups: &[SiteSet],
    cost: &dyn Fn(&SiteSet) -> (usize, usize),
    below: (usize, usize),
) -> Option<SiteSet> {
    fn extend(
        groups: &[SiteSet],
        cost: &dyn Fn(&SiteSet) -> (usize, usize),
        set: &mut SiteSet,
        best: &mut Option<SiteSet>,
        below: &mut (usize, usize),
    ) {
        if cost(set) >= *below {
            return;
        }
        let Some(open) = groups.iter().find(|g| g.is_disjoint(set)) else {
            *below = cost(set);
            *best = Some(set.clone());
            return;
        };
        for &n in open {
            set.insert(n);
            extend(groups, cost, set, best, below);
            set.remove(&n);
        }
    }
    let (mut best, mut below) = (None, below);
    extend(groups, cost, &mut SiteSet::new(), &mut best, &mut below);
    best
}

/// Which fences a kernel needs.
pub(crate) fn harden(
    obligations: &Obligations,
    (module, source): (&Module, &str),
    deadline: Option<Instant>,
) -> HardeningAnswer {
    let mut sites = BTreeSet::new();
    for (at, instruction) in obligations.instructions() {
        if is_fence(&instruction.operation) {
            sites.insert(FenceSite { own: true, at });
        } else if instruction.operation.memory().is_some() {
            sites.insert(FenceSite { own: false, at });
        }
    }
    let sites: Vec<FenceSite> = sites.into_iter().collect();
    let mut search = FenceSearch { obligations, sites, deadline, asked: 0 };
    let all: SiteSet = (0..search.sites.len()).collect();
    let fence = |n: &usize, sites: &[FenceSite]| HardeningFence {
        own: sites[*n].own,
        spot: Spot::new(module, source, sites[*n].at),
    };
    let list = |set: &SiteSet, sites: &[FenceSite]| {
        set.iter().map(|n| fence(n, sites)).collect::<Vec<_>>()
    };
    let mut answer = HardeningAnswer {
        launches: obligations.launches.clone(),
        accesses: search.sites.iter().filter(|s| !s.own).count(),
        own: search.sites.iter().filter(|s| s.own).count(),
        asked: 0,
        least: None,
        smallest: None,
        superfluous: Vec::new(),
        bounded: false,
        open: None,
    };
    let found = (|| {
        if obligations.goals.is_empty() {
            return Err("there is no launch whose threads were followed".to_owned());
        }
        if !search.is_right(&all)? {
            return Ok(None);
        }
        let least = search.reduced(&all)?;
        answer.least = Some(least.len());
        answer.smallest = Some(list(&least, &search.sites));
        let smallest = search.smallest(&all, least)?;
        Ok::<_, String>(Some(smallest))
    })();
    answer.asked = search.asked;
    match found {
        Ok(Some(smallest)) => {
            let superfluous = all.iter().filter(|n| search.sites[**n].own && !smallest.contains(n));
            answer.superfluous = superfluous.map(|n| fence(n, &search.sites)).collect();
            answer.bounded = obligations.are_bounded(&|origin, instruction, new| {
                search.rewrite(&smallest, origin, instruction, new)
            });
            answer.smallest = Some(list(&smallest, &search.sites));
        }
        Ok(None) => {}
        Err(why) => answer.open = Some(why),
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use margay_litmus::test::Operation;

    use super::{FenceSearch, FenceSite, SiteSet, harden, smallest_hitting};
    use crate::obligation::obligations;
    use crate::question::KernelQuestion;

    /// As few fences as are enough are as few as trying all sets finds, of small programs; and what
    /// is enough stays so with more fences.
    #[test]
    fn no_set_is_smaller() {
        let text = include_str!("../../tests/kernels/papers/cuda_by_example.ptx");
        let module = margay_ptx::read(text).expect("it is read");
        let arguments: Vec<_> = ["1=array:{2,3}", "2=array:{5,7}"]
            .iter()
            .map(|a| a.parse().expect("an argument"))
            .collect();
        for name in ["cbe_dot", "cbe_dot_titan", "cbe_dot_fences"] {
            let question = KernelQuestion {
                launches: &["2x1".parse().expect("a launch")],
                arguments: &arguments,
                finals: &["arg3 == 31".to_owned()],
                ..KernelQuestion::new(text, &module, module.function(name).expect(name))
            };
            let obligations = obligations(&question).expect(name);
            let found = harden(&obligations, (&module, text), None).smallest.expect(name).len();
            let own = |o: &Operation| matches!(o, Operation::Fence { .. });
            let access = |o: &Operation| o.memory().is_some();
            let all: BTreeSet<FenceSite> = obligations
                .instructions()
                .filter(|(_, i)| own(&i.operation) || access(&i.operation))
                .map(|(at, i)| FenceSite { own: own(&i.operation), at })
                .collect();
            let sites: Vec<FenceSite> = all.into_iter().collect();
            let count = sites.len();
            let mut search =
                FenceSearch { obligations: &obligations, sites, deadline: None, asked: 0 };
            let set = |bits: u32| (0..count).filter(|n| bits >> n & 1 == 1).collect::<SiteSet>();
            let right: Vec<bool> = (0..1u32 << count)
                .map(|bits| search.is_right(&set(bits)).expect("an answer"))
                .collect();
            let smallest =
                (0..1u32 << count).filter(|bits| right[*bits as usize]).map(u32::count_ones).min();
            assert_eq!(smallest, Some(found as u32), "{name}");
            for bits in 0..1u32 << count {
                let more = (0..count)
                    .filter(|n| bits >> n & 1 == 0)
                    .all(|n| right[(bits | 1 << n) as usize]);
                assert!(!right[bits as usize] || more, "{name}: {bits:b}");
            }
        }
    }

    /// The smallest hitting set of random groups is the one that trying all sets finds.
    #[test]
    fn hitting_sets_are_smallest() {
        let mut seed = 7u64;
        for _ in 0..300 {
            let mut next = |below: u64| {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) % below
            };
            let groups: Vec<SiteSet> = (0..next(5))
                .map(|_| (0..=next(3)).map(|_| next(6) as usize).collect::<SiteSet>())
                .collect();
            let cost = |set: &SiteSet| (set.len(), set.iter().filter(|n| **n < 3).count());
            let of_bits = |bits: u32| (0..6).filter(|n| bits >> n & 1 == 1).collect::<SiteSet>();
            let all = (0..64).map(of_bits).filter(|set| groups.iter().all(|g| !g.is_disjoint(set)));
            let best = all.map(|set| cost(&set)).min();
            assert_eq!(
                smallest_hitting(&groups, &cost, (9, 9)).map(|set| cost(&set)),
                best,
                "{groups:?}"
            );
        }
    }
}
