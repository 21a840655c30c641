//! The classic shapes and their names (Alglave, Maranget, Tautschnig: Herding cats, TOPLAS 2014,
//! Tables III and IV; Alglave, Maranget, Sarkar, Sewell: Fences in Weak Memory Models, CAV 2010,
//! for those of three and four threads).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::IdentityForm;
use super::shape::Shape;
use crate::test::*;

/// A shape with its name.
#[derive(Debug, Clone, Copy)]
pub struct Classic {
    pub name: &'static str,
    /// The threads: `Wx1` writes 1 to x, `Ry0` reads 0 from y.
    threads: &'static str,
    /// Final values of the locations that are asked about: `x1`.
    finals: &'static str,
}

const fn classic(name: &'static str, threads: &'static str, finals: &'static str) -> Classic {
    Classic { name, threads, finals }
}

/// The shapes that [`crate::shapes`] annotates.
pub const CLASSICS: [Classic; 32] = [
    classic("MP", "Wx1 Wy1 | Ry1 Rx0", ""),
    classic("SB", "Wx1 Ry0 | Wy1 Rx0", ""),
    classic("LB", "Rx1 Wy1 | Ry1 Wx1", ""),
    classic("S", "Wx2 Wy1 | Ry1 Wx1", "x2"),
    classic("R", "Wx1 Wy1 | Wy2 Rx0", "y2"),
    classic("2+2W", "Wx1 Wy2 | Wy1 Wx2", "x1 y1"),
    classic("WRC", "Wx1 | Rx1 Wy1 | Ry1 Rx0", ""),
    classic("RWC", "Wx1 | Rx1 Ry0 | Wy1 Rx0", ""),
    classic("WWC", "Wx2 | Rx2 Wy1 | Ry1 Wx1", "x2"),
    classic("WRR+2W", "Wx1 | Rx1 Ry0 | Wy1 Wx2", "x1"),
    classic("WRW+WR", "Wx1 | Rx1 Wy1 | Wy2 Rx0", "y2"),
    classic("WRW+2W", "Wx2 | Rx2 Wy1 | Wy2 Wx1", "x2 y2"),
    classic("ISA2", "Wx1 Wy1 | Ry1 Wz1 | Rz1 Rx0", ""),
    classic("IRIW", "Wx1 | Rx1 Ry0 | Wy1 | Ry1 Rx0", ""),
    classic("IRRWIW", "Wx2 | Rx2 Ry0 | Wy1 | Ry1 Wx1", "x2"),
    classic("IRWIW", "Wx2 | Rx2 Wy1 | Wy2 | Ry2 Wx1", "x2 y2"),
    classic("3.SB", "Wx1 Ry0 | Wy1 Rz0 | Wz1 Rx0", ""),
    classic("3.LB", "Rx1 Wy1 | Ry1 Wz1 | Rz1 Wx1", ""),
    classic("3.2W", "Wx2 Wy1 | Wy2 Wz1 | Wz2 Wx1", "x2 y2 z2"),
    classic("Z6.0", "Wx1 Wy1 | Ry1 Wz1 | Wz2 Rx0", "z2"),
    classic("Z6.1", "Wx2 Wy1 | Wy2 Wz1 | Rz1 Wx1", "x2 y2"),
    classic("Z6.2", "Wx2 Wy1 | Ry1 Wz1 | Rz1 Wx1", "x2"),
    classic("Z6.3", "Wx1 Wy1 | Wy2 Wz1 | Rz1 Rx0", "y2"),
    classic("Z6.4", "Wx1 Wy1 | Wy2 Rz0 | Wz1 Rx0", "y2"),
    classic("Z6.5", "Wx1 Wy1 | Wy2 Wz1 | Wz2 Rx0", "y2 z2"),
    classic("4.SB", "Wx1 Ry0 | Wy1 Rz0 | Wz1 Rw0 | Ww1 Rx0", ""),
    classic("4.LB", "Rx1 Wy1 | Ry1 Wz1 | Rz1 Ww1 | Rw1 Wx1", ""),
    classic("CoRR", "Wx1 | Rx1 Rx0", ""),
    classic("CoWR", "Wx1 Rx2 | Wx2", "x1"),
    classic("CoRW1", "Rx1 Wx1", ""),
    classic("CoRW2", "Rx2 Wx1 | Wx2", "x2"),
    classic("CoWW", "Wx1 Wx2", "x1"),
];

/// More names.
const MORE: [Classic; 3] = [
    classic("W+RWC", "Wx1 Wy1 | Ry1 Rz0 | Wz1 Rx0", ""),
    classic("4.2W", "Wx2 Wy1 | Wy2 Wz1 | Wz2 Ww1 | Ww2 Wx1", "x2 y2 z2 w2"),
    classic("CoWR0", "Wx1 Rx0", ""),
];

/// One access of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassicAction {
    /// Does it write?
    pub writes: bool,
    pub location: String,
    /// The value written or read.
    pub value: i64,
}

impl Classic {
    /// For each thread its accesses.
    pub fn threads(&self) -> Vec<Vec<ClassicAction>> {
        let action = |word: &str| {
            let (kind, rest) = word.split_at(1);
            let (location, value) = rest.split_at(1);
            ClassicAction {
                writes: kind == "W",
                location: location.to_string(),
                value: value.parse().unwrap_or(0),
            }
        };
        self.threads
            .split('|')
            .map(|thread| thread.split_whitespace().map(action).collect())
            .collect()
    }

    /// The outcome; the reads of a thread are to `r0`, `r1` ..
    pub fn outcome(&self) -> Proposition {
        let mut asked = Vec::new();
        for (t, thread) in self.threads().iter().enumerate() {
            for (r, read) in thread.iter().filter(|a| !a.writes).enumerate() {
                let variable =
                    Variable::Register { thread: ThreadId(t as u16), name: format!("r{r}") };
                asked.push(Proposition::equals(variable, read.value));
            }
        }
        for last in self.finals.split_whitespace() {
            let (location, value) = last.split_at(1);
            asked.push(Proposition::equals(
                Variable::Location(location.to_string()),
                value.parse().unwrap_or(0),
            ));
        }
        Proposition::all(asked)
    }

    /// The test without annotations.
    pub fn test(&self) -> Test {
        let threads = self.threads();
        let mut locations: Vec<&String> = threads.iter().flatten().map(|a| &a.location).collect();
        locations.sort();
        locations.dedup();
        let declared = |name: &String| LocationDeclaration {
            width: crate::test::AssemblyWidth::default(),
            name: name.clone(),
            value: Some(InitialValue::Integer(0)),
            alias: None,
            space: None,
            mbarrier: false,
            place: Place::default(),
        };
        let body = |actions: &Vec<ClassicAction>| {
            let mut registers = 0..;
            let instruction = |action: &ClassicAction| {
                let (access, address) =
                    (Access::default(), Address::location(action.location.clone()));
                TestInstruction::from(if action.writes {
                    Operation::Store { access, address, value: TestOperand::Integer(action.value) }
                } else {
                    Operation::Load {
                        access,
                        address,
                        destination: format!("r{}", registers.next().unwrap_or(0)),
                    }
                })
            };
            Body::Instructions(actions.iter().map(instruction).collect())
        };
        let thread = |actions| Thread {
            placement: None,
            parameters: Vec::new(),
            body: body(actions),
            place: Place::default(),
        };
        Test {
            dialect: Dialect::Generic,
            sequencing: Default::default(),
            name: self.name.to_owned(),
            description: None,
            locations: locations.into_iter().map(declared).collect(),
            registers: Vec::new(),
            threads: threads.iter().map(thread).collect(),
            observed: Vec::new(),
            filter: None,
            condition: Condition { quantifier: Quantifier::Exists, proposition: self.outcome() },
        }
    }
}

/// The name of each classic shape, and for the threads of the shape in canonical order where they
/// stand in the table.
static BY_FORM: LazyLock<FxHashMap<IdentityForm, (&'static str, Vec<usize>)>> =
    LazyLock::new(|| {
        let named = CLASSICS.iter().chain(&MORE).filter_map(|classic| {
            let shape = Shape::of(&classic.test()).ok()?;
            Some((shape.form, (classic.name, shape.threads.iter().map(|t| t.index()).collect())))
        });
        named.collect()
    });

/// The classic name of a shape, and for each thread of the shape's order its position in the table.
pub(super) fn name(form: &IdentityForm) -> Option<(&'static str, &'static [usize])> {
    BY_FORM.get(form).map(|(name, threads)| (*name, threads.as_slice()))
}
