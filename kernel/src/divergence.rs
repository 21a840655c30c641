//! Barriers that the threads of a block do not come to together.

use margay_ptx::effect::{Effect, Window};

use crate::answer::{Finding, FindingKind, RepairAnswer};
use crate::inquiry::{Inquiry, LaunchFindings, shown};
use crate::meeting::{
    Barriers, Company, Sequence, WARP, company, company_of_lanes, has_count, is_past, stuck,
};
use crate::omission::Omission;
use crate::program::Executed;
use crate::residue::Origin;

impl Inquiry<'_, '_> {
    pub fn barriers(&self, executed: &Executed, found: &mut LaunchFindings) {
        let all = &executed.barriers;
        for block in 0..self.launch.blocks as usize {
            let of_block =
                block * self.launch.threads as usize..(block + 1) * self.launch.threads as usize;
            let mut fixed: Vec<(usize, &Sequence)> = Vec::new();
            for thread in of_block {
                match &all[thread] {
                    Barriers::Open(origin) => {
                        let why = "which barriers a thread comes to depends on memory: whether all threads of its block do is not looked into";
                        self.unclear(*origin, why, found);
                    }
                    Barriers::Fixed(order) => fixed.push((thread, order)),
                }
            }
            let of_block: Vec<Sequence> = fixed.iter().map(|(_, all)| all.of_block()).collect();
            let of_block: Vec<(usize, &Sequence)> =
                fixed.iter().map(|(thread, _)| *thread).zip(&of_block).collect();
            let apart = self.apart(executed, &fixed, &of_block, found);
            let wrong =
                apart.map(|(stands, why)| (FindingKind::Barriers, stands, why)).or_else(|| {
                    let (stands, why) = self.stuck(&of_block, found)?;
                    Some((FindingKind::Wait, vec![stands], why))
                });
            if let Some((kind, stands, why)) = wrong {
                found.findings.push(Finding {
                    kind,
                    stands: stands
                        .into_iter()
                        .map(|(thread, at)| self.stands((thread, thread), self.spot(at), None))
                        .collect(),
                    why: vec![why.to_owned()],
                    litmus: shown(executed, &self.name(), "exists (true)"),
                    with_races: false,
                    first_rounds: None,
                    reading: self.question.reading,
                    repair: RepairAnswer::Open("what mends a barrier is not looked for".to_owned()),
                });
                return;
            }
        }
    }

    /// Something at an instruction that leaves the answer open.
    fn unclear(&self, origin: Option<Origin>, why: &str, found: &mut LaunchFindings) {
        found.undecided = true;
        found.not_looked.push(self.not_looked(&Omission::in_part(origin, why)));
    }

    /// Two threads of a block that come to barriers that do not go together, and where they stand;
    /// they are given with all barriers, and with those of the block.
    fn apart(
        &self,
        executed: &Executed,
        fixed: &[(usize, &Sequence)],
        of_block: &[(usize, &Sequence)],
        found: &mut LaunchFindings,
    ) -> Option<(Vec<(usize, Origin)>, &'static str)> {
        let is_aligned = |o: Origin| {
            let body = self.question.module.functions[o.function].body.as_deref();
            body.and_then(|b| b.get(o.instruction))
                .is_some_and(|i| i.opcode == "bar" || i.has("aligned"))
        };
        let is_behind = |access: Origin, barrier: Origin| self.is_behind(access, barrier);
        let is_in_loop = |o: Origin| self.prepared.is_in_loop(o.function, o.instruction);
        let warp = |thread: usize| thread % self.launch.threads as usize / WARP;
        let lane = |thread: usize| thread % self.launch.threads as usize % WARP;
        let (mut ended, mut ended_in_warp) = (None, None);
        for (i, ((a, all_of_a), (_, first))) in fixed.iter().zip(of_block).enumerate() {
            for ((b, all_of_b), (_, second)) in fixed.iter().zip(of_block).skip(i + 1) {
                // Two that stand at different barriers of the block hold each other up.
                let at =
                    first.order.iter().zip(second.order.iter()).position(|(x, y)| {
                        x.0 != y.0 && !x.0.contains(", ") && !y.0.contains(", ")
                    });
                if let Some(at) = at {
                    let stands = vec![(*a, first.order[at].1), (*b, second.order[at].1)];
                    return Some((stands, "They wait at different barriers, each for the other."));
                }
                if warp(*a) != warp(*b) {
                    let (short, long) =
                        (first.order.len().min(second.order.len()), [first, second]);
                    let more = long
                        .iter()
                        .find_map(|s| s.order.get(short))
                        .filter(|(text, _)| !text.contains(", "));
                    if let Some((_, at)) = more
                        && is_past(first, second, &is_behind)
                    {
                        let who = if second.order.len() > first.order.len() { *b } else { *a };
                        let why = "A thread of another warp goes past this barrier without it, and a barrier without a count of threads is for all threads of the block (PTX ISA, `barrier`).";
                        return Some((vec![(who, *at)], why));
                    }
                    ended = ended.or(more.map(|(_, at)| *at));
                    continue;
                }
                match company_of_lanes(
                    all_of_a,
                    all_of_b,
                    1 << lane(*a) | 1 << lane(*b),
                    &is_behind,
                ) {
                    Company::Past(at) => {
                        let why = "Another lane of its warp that the mask names goes past this barrier without it, and a barrier of a warp waits for all lanes of its mask (PTX ISA, `bar.warp.sync`).";
                        let met = |s: &Sequence| s.order.iter().filter(|(_, of)| *of == at).count();
                        return Some((
                            vec![(if met(all_of_b) > met(all_of_a) { *b } else { *a }, at)],
                            why,
                        ));
                    }
                    Company::Ended(at) => ended = ended.or(Some(at)),
                    Company::Same | Company::Apart(..) | Company::Fewer(_) => {}
                }
                match company(
                    first,
                    second,
                    [&executed.skipped[*a], &executed.skipped[*b]],
                    &is_aligned,
                    &is_behind,
                    &is_in_loop,
                ) {
                    Company::Same => {}
                    Company::Apart(x, y) => {
                        let why = "They are of one warp, and all threads of a warp must execute the same aligned barrier (PTX ISA, `barrier.sync.aligned`, which `bar.sync` is).";
                        return Some((vec![(*a, x), (*b, y)], why));
                    }
                    Company::Past(at) => {
                        let who = if second.order.len() > first.order.len() { *b } else { *a };
                        let why = "Another thread of its warp goes past this barrier without it, and all threads of a warp must execute the same aligned barrier (PTX ISA, `barrier.sync.aligned`, which `bar.sync` is).";
                        return Some((vec![(who, at)], why));
                    }
                    Company::Fewer(at) => {
                        let who = if second.order.len() > first.order.len() { *b } else { *a };
                        let why = "Another thread of its warp left the loop of this barrier in an earlier round, and all threads of a warp must execute the same aligned barrier (PTX ISA, `barrier.sync.aligned`, which `bar.sync` is).";
                        return Some((vec![(who, at)], why));
                    }
                    Company::Ended(at) if is_aligned(at) => {
                        ended_in_warp = ended_in_warp.or(Some(at))
                    }
                    Company::Ended(at) => ended = ended.or(Some(at)),
                }
            }
        }
        // Of the aligned one the ISA says both: it waits for those of its warp that have not
        // exited, and all threads of a warp must execute it.
        let in_warp = "a thread ends without this barrier, which others of its warp execute: it is taken to have ended before, and to hold nobody up. PTX lets them pass \
                       (`exit`, `barrier`), though it has all threads of a warp execute a barrier that is aligned; CUDA's guide has all threads of the block \
                       come to `__syncthreads()`";
        let in_block = "a thread ends without this barrier, at which others of its block wait: it is taken to have ended before, and to hold nobody up";
        let ended =
            ended_in_warp.map(|at| (at, in_warp)).or_else(|| ended.map(|at| (at, in_block)));
        if let Some((at, why)) = ended {
            found.not_looked.push(self.not_looked(&Omission::in_part(Some(at), why)));
        }
        None
    }

    /// Is an instruction an access to memory from which no way leads to a barrier of its function?
    fn is_behind(&self, access: Origin, barrier: Origin) -> bool {
        let effects = &self.prepared.effects[access.function];
        let is_access = |e: &Effect<'_>| match e {
            Effect::Load { access, .. }
            | Effect::Store { access, .. }
            | Effect::Modify { access, .. } => {
                matches!(access.window, Window::Generic | Window::Global | Window::Shared)
            }
            Effect::Matrix { .. } => true,
            Effect::Async(effect) => !effect.addresses().is_empty(),
            _ => false,
        };
        if access.function != barrier.function
            || !effects.get(access.instruction).is_some_and(is_access)
        {
            return false;
        }
        let body = self.question.module.functions[access.function].body.as_deref().unwrap_or(&[]);
        let mut seen = vec![false; body.len()];
        let mut todo = vec![access.instruction];
        while let Some(at) = todo.pop() {
            if at == barrier.instruction {
                return false;
            }
            if at >= body.len() || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            let ends = match &effects[at] {
                Effect::Jump(to) => {
                    todo.push(*to);
                    true
                }
                Effect::Return | Effect::Exit | Effect::Trap => true,
                // Where it goes is not known.
                Effect::Unknown(_) => return false,
                _ => false,
            };
            if !ends || body[at].guard.is_some() {
                todo.push(at + 1);
            }
        }
        true
    }

    /// A thread that waits for ever at a barrier with a count, and where.
    fn stuck(
        &self,
        fixed: &[(usize, &Sequence)],
        found: &mut LaunchFindings,
    ) -> Option<((usize, Origin), &'static str)> {
        let counted = fixed.iter().flat_map(|(_, s)| &s.order).find(|(text, _)| has_count(text))?.1;
        let open =
            "whether as many threads come to this barrier as it waits for is not looked into";
        if fixed.len() != self.launch.threads as usize {
            self.unclear(Some(counted), open, found);
            return None;
        }
        let mut warps: Vec<&[(String, Origin)]> = Vec::new();
        for warp in fixed.chunks(WARP) {
            let longest =
                warp.iter().map(|(_, s)| s.order.as_slice()).max_by_key(|o| o.len()).unwrap_or(&[]);
            let agrees = |s: &Sequence| s.order.iter().zip(longest).all(|(x, y)| x.0 == y.0);
            if !warp.iter().all(|(_, s)| agrees(s)) {
                self.unclear(Some(counted), open, found);
                return None;
            }
            warps.push(longest);
        }
        let stuck = stuck(&warps)?;
        if !stuck.certain {
            self.unclear(Some(stuck.at), open, found);
            return None;
        }
        let why = "It waits for ever: fewer threads arrive at this barrier than it waits for. Each warp of the block counts as 32.";
        Some(((fixed[stuck.warp * WARP].0, stuck.at), why))
    }
}
