//! The programs of published tests, from what their names say: a shape, a variant, the blocks of
//! threads, and two scopes.
//!
//! Atomics are libcu++'s, so a sequentially consistent store is `fence.sc` and a relaxed store, and
//! a sequentially consistent load is `fence.sc` and an acquire load (ASPLOS 2019, Fig. 11). Fences
//! have the fence's scope, all else that of the atomics. A variant names the threads with a fence;
//! in the others an order stands in its place.

use margay_models::execution::{Placement, Scope};

use crate::test::*;

/// A shape: what published names call it, and the variants that it comes in.
#[derive(Debug)]
pub struct PublishedShape {
    /// As the names of tests begin.
    pub word: &'static str,
    /// As it is called elsewhere: `3.2W`.
    pub title: &'static str,
    /// The number of threads.
    pub threads: usize,
    /// The variants with fences.
    pub fenced: &'static [&'static str],
    /// The variants without.
    pub unfenced: &'static [&'static str],
}

const fn shape(
    word: &'static str,
    title: &'static str,
    threads: usize,
    fenced: &'static [&'static str],
    unfenced: &'static [&'static str],
) -> PublishedShape {
    PublishedShape { word, title, threads, fenced, unfenced }
}

const MIDDLE: [&[&str]; 2] = [
    &["BOTH_FENCE", "THREAD_1_FENCE", "THREAD_2_FENCE_ACQ", "THREAD_2_FENCE_REL"],
    &["ACQUIRE", "RELAXED", "RELEASE"],
];

const THREE: &[&str] =
    &["ALL_FENCE", "FENCE_0", "FENCE_01", "FENCE_02", "FENCE_1", "FENCE_12", "FENCE_2"];

/// The nine shapes and the two examples of cuda-litmus.
pub const SHAPES: [PublishedShape; 11] = [
    shape(
        "iriw",
        "IRIW",
        4,
        &["BOTH_FENCE", "THREAD_1_FENCE", "THREAD_3_FENCE"],
        &["ACQUIRE", "RELAXED"],
    ),
    shape(
        "isa2",
        "ISA2",
        3,
        &[
            "ALL_FENCE",
            "THREAD_0_1_FENCE",
            "THREAD_0_2_FENCE_ACQ",
            "THREAD_0_2_FENCE_REL",
            "THREAD_0_FENCE_ACQ",
            "THREAD_0_FENCE_REL",
            "THREAD_1_2_FENCE",
            "THREAD_1_FENCE",
            "THREAD_2_FENCE_ACQ",
            "THREAD_2_FENCE_REL",
        ],
        &["ACQUIRE", "RELAXED", "RELEASE"],
    ),
    shape(
        "rwc",
        "RWC",
        3,
        &["BOTH_FENCE", "THREAD_1_FENCE_LOAD_SC", "THREAD_1_FENCE_STORE_SC", "THREAD_2_FENCE"],
        &["LOAD_SC", "RELAXED", "STORE_SC"],
    ),
    shape("three_2w", "3.2W", 3, THREE, &["RELAXED", "RELEASE"]),
    shape("two_2w", "2+2W", 2, &["BOTH_FENCE", "FENCE_0", "FENCE_1"], &["RELAXED", "RELEASE"]),
    shape("wrc", "WRC", 3, MIDDLE[0], MIDDLE[1]),
    shape("wrw_2w", "WRW+2W", 3, MIDDLE[0], MIDDLE[1]),
    shape(
        "wwc",
        "WWC",
        3,
        &[
            "BOTH_FENCE",
            "THREAD_1_FENCE_ACQ",
            "THREAD_1_FENCE_REL",
            "THREAD_2_FENCE_ACQ",
            "THREAD_2_FENCE_REL",
        ],
        &["ACQ_ACQ", "ACQ_REL", "RELAXED", "REL_ACQ", "REL_REL"],
    ),
    shape("z6_3", "Z6.3", 3, THREE, &["ACQ_REL", "RELAXED"]),
    shape("paper_example1", "first example", 4, &[], &["DISALLOWED", "RELAXED"]),
    shape("paper_example2", "second example", 4, &[], &["DISALLOWED", "RELAXED"]),
];

/// What two scopes a test's atomics and fences have.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtomicsAndFences {
    pub(super) atomics: Scope,
    pub(super) fences: Scope,
}

/// The order of an atomic load or store of libcu++.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtomicOrder {
    Relaxed,
    Acquire,
    Release,
    Sc,
}

use AtomicOrder::{Acquire, Relaxed, Release, Sc};

/// What a test's instructions are made of.
struct ProgramWriter<'a> {
    variant: &'a str,
    scopes: AtomicsAndFences,
    /// Which threads have a fence.
    fenced: [bool; 4],
}

impl ProgramWriter<'_> {
    fn fence_of(scope: Scope, order: FenceOrder) -> Operation {
        Operation::Fence { order: Some(order), scope: Some(scope) }
    }

    fn access(&self, order: AccessOrder) -> Access {
        Access { order: Some(order), scope: Some(self.scopes.atomics), ..Access::default() }
    }

    /// What stands before a sequentially consistent access.
    fn leading(&self, order: AtomicOrder) -> Option<Operation> {
        (order == Sc).then(|| Self::fence_of(self.scopes.atomics, FenceOrder::Sc))
    }

    fn load(&self, order: AtomicOrder, register: &str, location: &str) -> Vec<Operation> {
        let annotated =
            if matches!(order, Acquire | Sc) { AccessOrder::Acquire } else { AccessOrder::Relaxed };
        let (access, address) = (self.access(annotated), Address::location(location.to_owned()));
        let load = Operation::Load { access, destination: register.to_owned(), address };
        self.leading(order).into_iter().chain([load]).collect()
    }

    fn store(&self, order: AtomicOrder, location: &str, value: i64) -> Vec<Operation> {
        let annotated = if order == Release { AccessOrder::Release } else { AccessOrder::Relaxed };
        let (access, address) = (self.access(annotated), Address::location(location.to_owned()));
        let store = Operation::Store { access, address, value: TestOperand::Integer(value) };
        self.leading(order).into_iter().chain([store]).collect()
    }

    /// The fence of a thread, if it has one.
    fn fence(&self, thread: usize) -> Vec<Operation> {
        let order = FenceOrder::AcqRel;
        if self.fenced[thread] {
            vec![Self::fence_of(self.scopes.fences, order)]
        } else {
            Vec::new()
        }
    }

    /// The order of an access beside which a fence may stand: none is needed then.
    fn unless_fenced(&self, thread: usize, order: AtomicOrder) -> AtomicOrder {
        if self.fenced[thread] || self.variant == "RELAXED" { Relaxed } else { order }
    }

    /// The orders of the load and the store of the middle thread of `ISA2`, `WRC` and `WRW+2W`.
    fn middle(&self) -> (AtomicOrder, AtomicOrder) {
        let acquires = self.variant == "ACQUIRE" || self.variant.ends_with("_ACQ");
        match (self.fenced[1] || self.variant == "RELAXED", acquires) {
            (true, _) => (Relaxed, Relaxed),
            (false, true) => (Acquire, Relaxed),
            (false, false) => (Relaxed, Release),
        }
    }

    /// A thread that loads and stores, with its fence between them.
    fn passes_on(
        &self,
        thread: usize,
        orders: (AtomicOrder, AtomicOrder),
        register: &str,
        from: &str,
        to: &str,
    ) -> Vec<Operation> {
        [self.load(orders.0, register, from), self.fence(thread), self.store(orders.1, to, 1)]
            .concat()
    }
}

/// Which threads of a variant have a fence.
fn fenced(shape: &str, variant: &str) -> [bool; 4] {
    let threads: Vec<usize> = match (variant, shape) {
        _ if !variant.contains("FENCE") => Vec::new(),
        ("ALL_FENCE", _) => vec![0, 1, 2, 3],
        ("BOTH_FENCE", "iriw") => vec![1, 3],
        ("BOTH_FENCE", "two_2w") => vec![0, 1],
        ("BOTH_FENCE", _) => vec![1, 2],
        _ => variant.chars().filter_map(|c| c.to_digit(10)).map(|digit| digit as usize).collect(),
    };
    std::array::from_fn(|thread| threads.contains(&thread))
}

/// `thread:register == value`
fn holds(thread: u16, register: &str, value: i64) -> Proposition {
    Proposition::equals(
        Variable::Register { thread: ThreadId(thread), name: register.to_owned() },
        value,
    )
}

/// `location == value` at the end
fn ends(location: &str, value: i64) -> Proposition {
    Proposition::equals(Variable::Location(location.to_owned()), value)
}

/// The threads' instructions, and what is asked; `None` for a shape that is not one of [`SHAPES`].
fn program(
    shape: &str,
    variant: &str,
    scopes: AtomicsAndFences,
) -> Option<(Vec<Vec<Operation>>, Vec<Proposition>)> {
    let writer = ProgramWriter { variant, scopes, fenced: fenced(shape, variant) };
    let fence = |thread: usize| writer.fence(thread);
    let order = |thread: usize, order| writer.unless_fenced(thread, order);
    let ld = |order, register: &str, location: &str| writer.load(order, register, location);
    let st = |order, location: &str, value: i64| writer.store(order, location, value);
    Some(match shape {
        "iriw" => (
            vec![
                st(Relaxed, "x", 1),
                [ld(order(1, Acquire), "r0", "x"), fence(1), ld(Relaxed, "r1", "y")].concat(),
                st(Relaxed, "y", 1),
                [ld(order(3, Acquire), "r2", "y"), fence(3), ld(Relaxed, "r3", "x")].concat(),
            ],
            vec![holds(1, "r0", 1), holds(1, "r1", 0), holds(3, "r2", 1), holds(3, "r3", 0)],
        ),
        "isa2" => (
            vec![
                [st(Relaxed, "x", 1), fence(0), st(order(0, Release), "y", 1)].concat(),
                writer.passes_on(1, writer.middle(), "r0", "y", "z"),
                [ld(order(2, Acquire), "r1", "z"), fence(2), ld(Relaxed, "r2", "x")].concat(),
            ],
            vec![holds(1, "r0", 1), holds(2, "r1", 1), holds(2, "r2", 0)],
        ),
        "rwc" => {
            // The fence of the last thread is sequentially consistent: only this orders its store
            // before its load.
            let last: Vec<Operation> = writer.fenced[2]
                .then(|| ProgramWriter::fence_of(scopes.fences, FenceOrder::Sc))
                .into_iter()
                .collect();
            let sc = |access: &str| if variant.ends_with(access) { Sc } else { Relaxed };
            (
                vec![
                    st(Relaxed, "x", 1),
                    [ld(order(1, Acquire), "r0", "x"), fence(1), ld(Relaxed, "r1", "y")].concat(),
                    [st(sc("STORE_SC"), "y", 1), last, ld(sc("LOAD_SC"), "r2", "x")].concat(),
                ],
                vec![holds(1, "r0", 1), holds(1, "r1", 0), holds(2, "r2", 0)],
            )
        }
        "wrc" => (
            vec![
                st(Relaxed, "x", 1),
                writer.passes_on(1, writer.middle(), "r0", "x", "y"),
                [ld(order(2, Acquire), "r1", "y"), fence(2), ld(Relaxed, "r2", "x")].concat(),
            ],
            vec![holds(1, "r0", 1), holds(2, "r1", 1), holds(2, "r2", 0)],
        ),
        "wrw_2w" => (
            vec![
                st(Relaxed, "x", 2),
                writer.passes_on(1, writer.middle(), "r0", "x", "y"),
                [st(Relaxed, "y", 2), fence(2), st(order(2, Release), "x", 1)].concat(),
            ],
            vec![holds(1, "r0", 2), ends("x", 2), ends("y", 2)],
        ),
        "wwc" => {
            // Without fences the two words are the orders of the two threads; with one fence the
            // word is that of the other thread.
            let words: Vec<&str> =
                variant.split('_').filter(|word| matches!(*word, "ACQ" | "REL")).collect();
            let orders = |thread: usize| match (
                writer.fenced[thread],
                words.get(if words.len() == 2 { thread - 1 } else { 0 }),
            ) {
                (false, Some(&"ACQ")) => (Acquire, Relaxed),
                (false, Some(&"REL")) => (Relaxed, Release),
                _ => (Relaxed, Relaxed),
            };
            (
                vec![
                    st(Relaxed, "x", 2),
                    writer.passes_on(1, orders(1), "r0", "x", "y"),
                    writer.passes_on(2, orders(2), "r1", "y", "x"),
                ],
                vec![holds(1, "r0", 2), holds(2, "r1", 1), ends("x", 2)],
            )
        }
        "z6_3" => (
            vec![
                [st(Relaxed, "x", 1), fence(0), st(order(0, Release), "y", 1)].concat(),
                [st(Relaxed, "y", 2), fence(1), st(order(1, Release), "z", 1)].concat(),
                [ld(order(2, Acquire), "r0", "z"), fence(2), ld(Relaxed, "r1", "x")].concat(),
            ],
            vec![ends("y", 2), holds(2, "r0", 1), holds(2, "r1", 0)],
        ),
        "three_2w" | "two_2w" => {
            let locations: &[&str] = if shape == "two_2w" { &["x", "y"] } else { &["x", "y", "z"] };
            let thread = |t: usize| {
                let (from, to) = (locations[t], locations[(t + 1) % locations.len()]);
                [st(Relaxed, from, 2), fence(t), st(order(t, Release), to, 1)].concat()
            };
            (
                (0..locations.len()).map(thread).collect(),
                locations.iter().map(|location| ends(location, 2)).collect(),
            )
        }
        "paper_example1" => (
            vec![
                [st(order(0, Release), "x", 1), st(order(0, Release), "y", 1)].concat(),
                [ld(order(1, Acquire), "r0", "y"), st(order(1, Release), "z", 1)].concat(),
                [st(order(2, Release), "z", 2), st(order(2, Release), "a", 1)].concat(),
                [ld(order(3, Acquire), "r1", "a"), ld(order(3, Acquire), "r2", "x")].concat(),
            ],
            vec![holds(1, "r0", 1), ends("z", 2), holds(3, "r1", 1), holds(3, "r2", 0)],
        ),
        "paper_example2" => (
            vec![
                [st(order(0, Release), "x", 1), st(order(0, Release), "y", 1)].concat(),
                [ld(order(1, Acquire), "r0", "y"), ld(order(1, Acquire), "r1", "z")].concat(),
                [st(order(2, Release), "z", 1), st(order(2, Release), "a", 1)].concat(),
                [ld(order(3, Acquire), "r2", "a"), ld(order(3, Acquire), "r3", "x")].concat(),
            ],
            vec![holds(1, "r0", 1), holds(1, "r1", 0), holds(3, "r2", 1), holds(3, "r3", 0)],
        ),
        _ => return None,
    })
}

/// The test of that name; `block[thread]` is the number of the thread's block, all on one gpu.
/// `None` for a shape that is not one of [`SHAPES`].
pub(super) fn test(
    name: &str,
    shape: &str,
    variant: &str,
    scopes: AtomicsAndFences,
    block: &[u16],
) -> Option<Test> {
    let (threads, asked) = program(shape, variant, scopes)?;
    let mut locations: Vec<String> = Vec::new();
    for operation in threads.iter().flatten() {
        let (Operation::Load { address, .. } | Operation::Store { address, .. }) = operation else {
            continue;
        };
        let Base::Location(name) = &address.base else { continue };
        if !locations.contains(name) {
            locations.push(name.clone());
        }
    }
    locations.sort_by_key(|name| (name == "a", name.clone()));
    let declared = |name: String| LocationDeclaration {
        width: AssemblyWidth::default(),
        name,
        value: Some(InitialValue::Integer(0)),
        alias: None,
        space: None,
        mbarrier: false,
        place: Place::default(),
    };
    let thread = |(operations, &block): (Vec<Operation>, &u16)| Thread {
        placement: Some(Placement { cluster: block, cta: block, ..Placement::default() }),
        parameters: Vec::new(),
        body: Body::Instructions(operations.into_iter().map(TestInstruction::from).collect()),
        place: Place::default(),
    };
    Some(Test {
        dialect: Dialect::Ptx,
        sequencing: Sequencing::default(),
        name: name.to_owned(),
        description: None,
        locations: locations.into_iter().map(declared).collect(),
        registers: Vec::new(),
        threads: threads.into_iter().zip(block).map(thread).collect(),
        observed: Vec::new(),
        filter: None,
        condition: Condition {
            quantifier: Quantifier::Exists,
            proposition: Proposition::all(asked),
        },
    })
}
