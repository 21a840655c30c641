//! Tests in the form of 2015 (ASPLOS 2015, section 4.1 and Fig. 12): warps and ctas in a scope
//! tree, state spaces in a memory map, cache operators on accesses, and `membar`. A location in
//! shared memory is one location only for threads of one cta.

use std::ops::ControlFlow;

use margay_models::execution::{Order, Placement, Scope};

use super::annotate::{Annotated, Language, Variations, product};
use super::edge::{Direction, Edge, LinkKind, MEMBARS};
use super::memory_path::MemoryPath;
use super::{Cycle, build};
use crate::render::{self, RenderError, Rendered};
use crate::test::*;

/// The thread of each access of a cycle.
fn thread_of(cycle: &Cycle) -> Vec<usize> {
    let before = |i: usize| cycle.edges()[..i].iter().filter(|e| e.external()).count();
    (0..cycle.edges().len()).map(before).collect()
}

/// Is the access half of a read-modify-write?
fn is_half(cycle: &Cycle, access: usize) -> bool {
    let edges = cycle.edges();
    edges[access].is_rmw() || edges[(access + edges.len() - 1) % edges.len()].is_rmw()
}

/// What a cycle leaves open about memory, under a scope tree.
struct MemoryChoices {
    /// For each location the state spaces that it may be in.
    spaces: Vec<Vec<Space>>,
    /// For each access its location.
    locations: Vec<usize>,
    /// For each access the cache operators that it may have.
    caches: Vec<Vec<CacheOperator>>,
}

impl MemoryChoices {
    /// The way of each access, with everything chosen.
    fn paths(&self, spaces: &[Space], caches: &[CacheOperator]) -> Vec<MemoryPath> {
        let path = |(&location, &cache): (&usize, &CacheOperator)| MemoryPath {
            cache,
            space: spaces[location],
        };
        self.locations.iter().zip(caches).map(path).collect()
    }
}

impl Variations {
    /// What a cycle leaves open. `None` if the form cannot say the cycle: the order of three writes
    /// to a location is seen by threads that read it, and such reads are not ordered in 2015.
    fn memory_choices(&self, cycle: &Cycle, threads: &[Placement]) -> Option<MemoryChoices> {
        let (chains, thread_of) = (cycle.chains(), thread_of(cycle));
        let locations = 1 + chains.iter().map(|access| access.location).max().unwrap_or(0);
        if chains.iter().any(|access| access.direction == Direction::W && access.version > 2) {
            return None;
        }
        let spaces = |location: usize| -> Vec<Space> {
            let mut places = (0..chains.len())
                .filter(|&i| chains[i].location == location)
                .map(|i| threads[thread_of[i]]);
            let first = places.next();
            let in_one_cta =
                places.all(|place| first.is_some_and(|first| first.shares(Scope::Cta, place)));
            self.spaces
                .iter()
                .copied()
                .filter(|&space| space != Space::Shared || in_one_cta)
                .collect()
        };
        let caches = |i: usize| match is_half(cycle, i) {
            true => vec![CacheOperator::Cg],
            false => self
                .caches
                .iter()
                .copied()
                .filter(|&cache| MemoryPath::has(chains[i].direction, cache))
                .collect(),
        };
        Some(MemoryChoices {
            spaces: (0..locations).map(spaces).collect(),
            locations: chains.iter().map(|access| access.location).collect(),
            caches: (0..chains.len()).map(caches).collect(),
        })
    }

    /// Calls `found` with every way of the accesses to memory: once, with none, in other languages.
    pub(super) fn each_memory(
        &self,
        cycle: &Cycle,
        threads: &[Placement],
        found: &mut impl FnMut(Vec<MemoryPath>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.language != Language::Ptx2015 {
            return found(Vec::new());
        }
        let Some(choices) = self.memory_choices(cycle, threads) else {
            return ControlFlow::Continue(());
        };
        product(&choices.spaces, &mut |spaces: &[Space]| {
            product(&choices.caches, &mut |caches: &[CacheOperator]| {
                found(choices.paths(spaces, caches))
            })
        })
    }

    /// One way of the accesses to memory, drawn at random; `None` if there is none.
    pub(super) fn random_memory(
        &self,
        cycle: &Cycle,
        threads: &[Placement],
        rng: &mut fastrand::Rng,
    ) -> Option<Vec<MemoryPath>> {
        if self.language != Language::Ptx2015 {
            return Some(Vec::new());
        }
        let choices = self.memory_choices(cycle, threads)?;
        let spaces: Option<Vec<Space>> =
            choices.spaces.iter().map(|spaces| rng.choice(spaces).copied()).collect();
        let caches: Option<Vec<CacheOperator>> =
            choices.caches.iter().map(|caches| rng.choice(caches).copied()).collect();
        Some(choices.paths(&spaces?, &caches?))
    }
}

impl Annotated {
    /// A test of today's PTX that is isomorphic to that of another cycle exactly if both are in the
    /// form of 2015. Canonical forms do not count cache operators, state spaces and warps: orders,
    /// scopes and gpus stand for them here.
    pub(super) fn stand_in(&self) -> Self {
        let place = |p: &Placement| Placement {
            gpu: p.cta,
            cluster: p.warp,
            cta: p.warp,
            ..Placement::default()
        };
        let scope = |cache: CacheOperator| match cache {
            CacheOperator::Ca | CacheOperator::Wb => Scope::Cta,
            CacheOperator::Cv | CacheOperator::Wt => Scope::Sys,
            _ => Scope::Gpu,
        };
        let access = |(i, direction): (usize, Direction)| {
            let MemoryPath { cache, space } = self.memory[i];
            let order = match (space, direction) {
                // A read-modify-write has no cache operator, so that its scope is free.
                _ if is_half(&self.cycle, i) => {
                    return (
                        Order::Rlx,
                        Some(if space == Space::Shared { Scope::Cta } else { Scope::Gpu }),
                    );
                }
                (Space::Shared, Direction::R) => Order::Acq,
                (Space::Shared, Direction::W) => Order::Rel,
                _ => Order::Rlx,
            };
            (order, Some(scope(cache)))
        };
        Self {
            accesses: self.cycle.accesses().enumerate().map(access).collect(),
            threads: self.threads.iter().map(place).collect(),
            ..self.clone()
        }
    }

    /// The test in the form of 2015.
    pub(super) fn in_2015(&self, name: &str) -> Result<Test, RenderError> {
        let cycle = self.cycle.written(Language::Ptx2015);
        let Rendered { mut test, lines, .. } =
            render::render(&self.execution(Language::Ptx2015), name, Some(&cycle), &[])?;
        let chains = self.cycle.chains();
        for (i, event) in build::events_of(&self.cycle).into_iter().enumerate() {
            let Some(line) = lines[event.index()] else { continue };
            let Some(Body::Instructions(body)) =
                test.threads.get_mut(line.thread.index()).map(|t| &mut t.body)
            else {
                continue;
            };
            if let Operation::Load { access, .. } | Operation::Store { access, .. } =
                &mut body[line.line].operation
            {
                access.cache = Some(self.memory[i].cache);
            }
        }
        for (thread, place) in test.threads.iter_mut().zip(numbered(&self.threads)) {
            thread.placement = Some(place);
            if let Body::Instructions(body) = &mut thread.body {
                let mut predicates = (0..).map(|n| format!("p{n}"));
                let instructions = std::mem::take(body).into_iter();
                *body = instructions
                    .flat_map(|instruction| as_in_2015(instruction, &mut predicates))
                    .collect();
            }
        }
        for (i, access) in chains.iter().enumerate() {
            test.locations[access.location].space = Some(self.memory[i].space);
        }
        test.registers =
            (0..test.threads.len()).flat_map(|t| registers(&test, ThreadId(t as u16))).collect();
        test.dialect = Dialect::GpuPtx;
        Ok(test)
    }

    /// Where the threads run, as names of tests say it: those of one warp stand together, `+` is
    /// between warps, `,` between ctas.
    pub(super) fn tree(&self) -> String {
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        let first = |keep: &dyn Fn(&Placement) -> bool| self.threads.iter().position(keep);
        order.sort_by_key(|&t| {
            let place = self.threads[t];
            (first(&|p| p.cta == place.cta), first(&|p| *p == place), t)
        });
        let mut out = String::new();
        let mut last: Option<Placement> = None;
        for t in order {
            let place = self.threads[t];
            match last {
                Some(last) if last.cta != place.cta => out.push(','),
                Some(last) if last != place => out.push('+'),
                _ => {}
            }
            out.push_str(&format!("P{t}"));
            last = Some(place);
        }
        out
    }

    /// The ways of the accesses to memory, thread by thread, as names of tests say it:
    /// `cg-ca.shared+cg`. Empty if all are `.cg` to global memory.
    pub(super) fn paths(&self) -> String {
        let usual = MemoryPath { cache: CacheOperator::Cg, space: Space::Global };
        if self.memory.iter().all(|path| *path == usual) {
            return String::new();
        }
        let mut out = String::from("=");
        for ((edge, path), i) in self.cycle.edges().iter().zip(&self.memory).zip(0..) {
            let space = if path.space == Space::Shared { ".shared" } else { "" };
            out.push_str(path.cache.name());
            out.push_str(space);
            if i + 1 < self.memory.len() {
                out.push(if edge.external() { '+' } else { '-' });
            }
        }
        out
    }
}

impl Cycle {
    /// Its edges as they are written for a language: in the form of 2015 fences are `membar`.
    pub fn written(&self, language: Language) -> String {
        let name = |edge: &Edge| {
            let name = edge.to_string();
            let membar = |(membar, fence): &(&str, &str)| {
                Some(format!("{membar}{}", name.strip_prefix(fence)?))
            };
            let membar = MEMBARS.iter().find_map(membar).filter(|_| language == Language::Ptx2015);
            membar.unwrap_or(name)
        };
        self.edges().iter().map(name).collect::<Vec<_>>().join(" ")
    }
}

const S32: Type = Type::new(TypeKind::Signed, 32);
const B32: Type = Type::new(TypeKind::Bits, 32);

/// The same places, numbered in the order in which they come first.
fn numbered(places: &[Placement]) -> Vec<Placement> {
    let mut ctas: Vec<(u16, Vec<u16>)> = Vec::new();
    let number = |place: &Placement| {
        let cta = ctas.iter().position(|(cta, _)| *cta == place.cta).unwrap_or_else(|| {
            ctas.push((place.cta, Vec::new()));
            ctas.len() - 1
        });
        let warps = &mut ctas[cta].1;
        let warp = warps.iter().position(|warp| *warp == place.warp).unwrap_or_else(|| {
            warps.push(place.warp);
            warps.len() - 1
        });
        Placement {
            cluster: cta as u16,
            cta: cta as u16,
            warp: warp as u16,
            ..Placement::default()
        }
    };
    places.iter().map(number).collect()
}

/// An instruction without what later PTX has added, and with types; a branch is a predicate and a
/// jump.
fn as_in_2015(
    mut instruction: TestInstruction,
    predicates: &mut impl Iterator<Item = String>,
) -> Vec<TestInstruction> {
    if let Operation::BranchIf { comparison, left, right, target } = &instruction.operation {
        let register = predicates.next().unwrap_or_default();
        let function = LocalFunction::Compare(*comparison);
        let operands = vec![left.clone(), right.clone()];
        let compares =
            Operation::Local { function, ty: Some(S32), destination: register.clone(), operands };
        let guard = Some(Guard { register, negated: false });
        return vec![
            compares.into(),
            TestInstruction { guard, ..Operation::Goto(target.clone()).into() },
        ];
    }
    match &mut instruction.operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => {
            *access = Access { order: None, scope: None, ty: Some(S32), ..*access };
        }
        Operation::Atom(AtomInstruction { access, .. }) => {
            *access = Access { order: None, scope: None, ty: Some(B32), ..*access }
        }
        Operation::Fence { scope, .. } => {
            instruction.operation = Operation::Membar(match scope.unwrap_or(Scope::Sys) {
                Scope::Warp | Scope::Cta => MembarLevel::Cta,
                Scope::Cluster | Scope::Gpu => MembarLevel::Gl,
                Scope::Sys => MembarLevel::Sys,
            });
        }
        Operation::Local { function, ty, .. } => {
            *ty = Some(match function {
                LocalFunction::Xor => B32,
                // Of what was compared.
                LocalFunction::And => Type::PREDICATE,
                _ => S32,
            });
        }
        _ => {}
    }
    vec![instruction]
}

/// The registers that a thread writes, with their types, in the order of the text.
fn registers(test: &Test, thread: ThreadId) -> Vec<RegisterDeclaration> {
    let mut found: Vec<RegisterDeclaration> = Vec::new();
    for instruction in test.instructions(thread) {
        let (name, ty) = match &instruction.operation {
            Operation::Load { destination, .. }
            | Operation::Atom(AtomInstruction { destination: Some(destination), .. }) => {
                (destination, S32)
            }
            Operation::Local {
                destination,
                function: LocalFunction::Compare(_) | LocalFunction::And,
                ..
            } => (destination, Type::PREDICATE),
            Operation::Local { destination, .. } => (destination, S32),
            _ => continue,
        };
        if found.iter().all(|register| register.name != *name) {
            found.push(RegisterDeclaration {
                thread,
                name: name.clone(),
                ty: Some(ty),
                value: None,
                place: Place::default(),
            });
        }
    }
    found
}

/// Can the form say this edge? Its fences are `membar`.
pub(super) fn has_edge(edge: &Edge) -> bool {
    match edge {
        Edge::Link { kind: LinkKind::Fence(order, scope), .. } => {
            *order == Order::Sc && *scope != Some(Scope::Cluster)
        }
        _ => true,
    }
}
