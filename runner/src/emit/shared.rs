//! Shared memory: which cta has each location, and where among the cells of a cta it lies.
//!
//! A location in shared memory is in that of one cta of the test. A test does not say in which;
//! what is done to it does: some instructions access that of their own cta alone (PTX ISA 9.7.9.25,
//! 9.7.13.15). Threads of other ctas of its cluster reach it by an address that `mapa` makes.

use margay_litmus::test::{
    Address, AsyncAction, AsyncCompletion, AsyncFamily, AsyncOperation, Base, ClusterBarrier,
    InitialValue, MbarrierAction, MbarrierOperation, Operation, Place, Space, Test, ThreadId,
};

use super::EmissionError;
use super::address::LocationOffset;
use super::layout::EmissionLayout;

/// How an instruction accesses a location in shared memory, the weakest claim to have it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SharedUse {
    /// As one that may be in another cta of the cluster.
    Cluster,
    /// By a load, a store or an arrival, which exist for both.
    Either,
    /// As one of its own cta: the instruction has no other form.
    OwnCta,
}

/// What an instruction on mbarriers or an asynchronous one accesses in shared memory, whatever is
/// declared.
pub(super) fn operands(operation: &Operation) -> Vec<(&Address, SharedUse)> {
    match operation {
        Operation::Mbarrier(MbarrierOperation { address, is_remote, action }) => {
            let own = match action {
                MbarrierAction::Initialise { .. }
                | MbarrierAction::Invalidate
                | MbarrierAction::Wait { .. } => true,
                // An arrival at one of another cta returns no state.
                MbarrierAction::Arrive { token, incomplete, .. } => token.is_some() || *incomplete,
                MbarrierAction::Expect { .. } | MbarrierAction::Transfer { .. } => false,
            };
            let either = if *is_remote { SharedUse::Cluster } else { SharedUse::Either };
            vec![(address, if own { SharedUse::OwnCta } else { either })]
        }
        Operation::AsyncArrive { address, .. } | Operation::BulkStore { address, .. } => {
            vec![(address, SharedUse::OwnCta)]
        }
        Operation::Async(operation) => of_asynchronous(operation),
        _ => Vec::new(),
    }
}

fn of_asynchronous(operation: &AsyncOperation) -> Vec<(&Address, SharedUse)> {
    let AsyncOperation { family, to_space, from_space, action, completion } = operation;
    let to_use =
        if *family == AsyncFamily::Element { SharedUse::OwnCta } else { SharedUse::Cluster };
    let from = |from| (from, SharedUse::OwnCta);
    let mut all = Vec::new();
    match action {
        AsyncAction::Copy { to, from: source, .. } => {
            all.extend(to.iter().filter(|_| *to_space == Space::Shared).map(|to| (to, to_use)));
            all.extend((*from_space == Some(Space::Shared)).then(|| from(source)));
        }
        AsyncAction::ReduceFrom { to, from: source, .. } => {
            all.extend((*to_space == Space::Shared).then_some((to, to_use)));
            all.extend((*from_space == Some(Space::Shared)).then(|| from(source)));
        }
        AsyncAction::Store { to, .. } | AsyncAction::Reduce { to, .. } => {
            all.push((to, SharedUse::Cluster))
        }
        AsyncAction::Multiply { from: all_from, .. }
        | AsyncAction::TensorCompute { from: all_from, .. } => {
            all.extend(all_from.iter().map(from));
        }
        // A test with tensor maps is refused before.
        AsyncAction::TensorLoad { .. }
        | AsyncAction::TensorStore { .. }
        | AsyncAction::TensorFree { .. }
        | AsyncAction::Tile { .. } => {}
    }
    if let AsyncCompletion::Mbarriers(mbarriers) = completion {
        all.extend(mbarriers.iter().map(|m| (m, SharedUse::Cluster)));
    }
    all
}

/// Where a location in shared memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedPlace {
    /// The cta of the test that has it.
    pub cta: u32,
    /// Which of the cells of each cta it is in.
    pub cell: u32,
}

/// All locations in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharedMemory {
    /// For each location its place; none if it is in global memory.
    places: Vec<Option<SharedPlace>>,
    /// How many cells a cta has.
    pub cells: u32,
    /// For each cluster of the test, whether a thread accesses shared memory of another cta of it.
    crossed: Vec<bool>,
}

/// Groups of locations: each leads to another one of its group, or to itself.
struct LocationGroups(Vec<usize>);

impl LocationGroups {
    fn of(&self, mut n: usize) -> usize {
        while self.0[n] != n {
            n = self.0[n];
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// A use of a location by a thread.
struct ThreadUse {
    thread: usize,
    location: usize,
    how: SharedUse,
    place: Place,
}

impl SharedMemory {
    /// Finds a cta for each location. Where none fits all that is done to it, the error says why.
    pub(super) fn new(
        test: &Test,
        spaces: &[Space],
        locations: &[LocationOffset],
        layout: &EmissionLayout,
    ) -> Result<Self, EmissionError> {
        let owner = |name: &str| {
            test.location(name).filter(|l| spaces[*l] == Space::Shared).map(|l| locations[l].owner)
        };
        let named =
            |a: &Address| if let Base::Location(name) = &a.base { owner(name) } else { None };
        let uses = uses(test, named, owner);
        let (mut homes, mut cells) = (
            LocationGroups((0..spaces.len()).collect()),
            LocationGroups((0..spaces.len()).collect()),
        );
        for t in 0..test.threads.len() {
            for i in test.instructions(ThreadId(t as u16)) {
                let Operation::Async(AsyncOperation {
                    action,
                    completion: AsyncCompletion::Mbarriers(mbarriers),
                    ..
                }) = &i.operation
                else {
                    continue;
                };
                let to = match action {
                    AsyncAction::Copy { to, .. } => to.as_slice(),
                    AsyncAction::ReduceFrom { to, .. }
                    | AsyncAction::Store { to, .. }
                    | AsyncAction::Reduce { to, .. } => std::slice::from_ref(to),
                    _ => &[],
                };
                // An mbarrier is in the cta whose memory is written, and a multicast writes the
                // same place in each of several.
                for (to, mbarrier) in to.iter().zip(mbarriers) {
                    if let (Some(to), Some(mbarrier)) = (named(to), named(mbarrier)) {
                        homes.join(to, mbarrier);
                    }
                }
                for all in [to, mbarriers.as_slice()] {
                    for pair in all.windows(2) {
                        if let (Some(a), Some(b)) = (named(&pair[0]), named(&pair[1])) {
                            cells.join(a, b);
                        }
                    }
                }
            }
        }
        let cta = |t: usize| layout.roles[t].cta;
        let unit = |cta: u32| cta / layout.cluster;
        let mut ctas: Vec<Option<u32>> = vec![None; spaces.len()];
        let mut crossed = vec![false; layout.units.len()];
        for one in &uses {
            let group = homes.of(one.location);
            let of_group = || uses.iter().filter(|u| homes.of(u.location) == group);
            let strongest = of_group().map(|u| u.how).max();
            let Some(first) = of_group().find(|u| Some(u.how) == strongest) else { continue };
            let home = cta(first.thread);
            let name = &test.locations[one.location].name;
            let at = |message: String| EmissionError {
                place: Some(one.place.0),
                ..EmissionError::test(message)
            };
            if unit(cta(one.thread)) != unit(home) {
                return Err(at(format!(
                    "`{name}` is in shared memory, but P{} and P{}, which access it, are in different clusters",
                    first.thread, one.thread
                )));
            }
            if one.how == SharedUse::OwnCta && cta(one.thread) != home {
                return Err(at(format!(
                    "`{name}` would have to be in the shared memory of two ctas: PTX has this instruction for that of the own cta alone, \
                     and P{} and P{} are in different ones",
                    first.thread, one.thread
                )));
            }
            crossed[unit(home) as usize] |= cta(one.thread) != home;
            ctas[one.location] = Some(home);
        }
        for t in 0..test.threads.len() {
            let number = cluster_barriers(test, t);
            let other = (0..t)
                .find(|u| unit(cta(*u)) == unit(cta(t)) && cluster_barriers(test, *u) != number);
            if let Some(other) = other.filter(|_| crossed[unit(cta(t)) as usize]) {
                return Err(EmissionError::test(format!(
                    "P{other} and P{t} come to the barrier of their cluster a different number of times; threads access the shared memory of other \
                     ctas, and the kernel has to meet there once more before a cta ends"
                )));
            }
        }
        let mut shared = Self { places: vec![None; spaces.len()], cells: 0, crossed };
        let mut numbers = vec![None; spaces.len()];
        for l in (0..spaces.len()).filter(|l| spaces[*l] == Space::Shared) {
            let owner = locations[l].owner;
            let number = &mut numbers[cells.of(owner)];
            let cell = *number.get_or_insert_with(|| (shared.cells, shared.cells += 1).0);
            let place = SharedPlace { cta: ctas[owner].unwrap_or(cta(0)), cell };
            let other =
                (0..l).find(|k| shared.places[*k] == Some(place) && locations[*k].owner != owner);
            if let Some(other) = other {
                return Err(EmissionError::test(format!(
                    "`{}` and `{}` would be one place: a multicast writes the same place in each cta, and they are in one cta",
                    test.locations[other].name, test.locations[l].name
                )));
            }
            shared.places[l] = Some(place);
        }
        Ok(shared)
    }

    /// Where a location is, if it is in shared memory.
    pub(super) fn place(&self, location: usize) -> Option<SharedPlace> {
        self.places[location]
    }

    /// Is it in the shared memory of another cta?
    pub(super) fn is_remote(&self, location: usize, cta: u32) -> bool {
        self.places[location].is_some_and(|place| place.cta != cta)
    }

    /// The locations that a cta has.
    pub(super) fn of_cta(&self, cta: u32) -> impl Iterator<Item = usize> + '_ {
        self.places
            .iter()
            .enumerate()
            .filter(move |(_, p)| p.is_some_and(|p| p.cta == cta))
            .map(|(l, _)| l)
    }

    /// Do threads of a cluster of the test access shared memory of another cta of it?
    pub(super) fn is_crossed(&self, unit: u32) -> bool {
        self.crossed[unit as usize]
    }
}

/// How often a thread arrives at the barrier of its cluster, as its text stands.
fn cluster_barriers(test: &Test, thread: usize) -> usize {
    let arrives =
        |o: &Operation| matches!(o, Operation::ClusterBarrier(ClusterBarrier::Arrive { .. }));
    test.instructions(ThreadId(thread as u16)).iter().filter(|i| arrives(&i.operation)).count()
}

fn uses(
    test: &Test,
    named: impl Fn(&Address) -> Option<usize>,
    owner: impl Fn(&str) -> Option<usize>,
) -> Vec<ThreadUse> {
    let mut uses = Vec::new();
    for t in 0..test.threads.len() {
        for i in test.instructions(ThreadId(t as u16)) {
            let mut push = |location: Option<usize>, how| {
                uses.extend(location.map(|location| ThreadUse {
                    thread: t,
                    location,
                    how,
                    place: i.place,
                }));
            };
            for (address, how) in operands(&i.operation) {
                push(named(address), how);
            }
            if let Some((_, address)) = i.operation.memory() {
                push(named(address), SharedUse::Either);
            }
        }
        // A generic address in a register may be used for anything that has one.
        for r in test.registers.iter().filter(|r| r.thread.index() == t) {
            if let Some(InitialValue::AddressOf(name)) = &r.value {
                uses.extend(owner(name).map(|location| ThreadUse {
                    thread: t,
                    location,
                    how: SharedUse::Either,
                    place: Place::default(),
                }));
            }
        }
    }
    uses
}
