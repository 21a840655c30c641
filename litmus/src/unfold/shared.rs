//! What all candidates of a test share: its locations with their addresses and initial values, and
//! who names them.

use std::sync::Arc;

use margay_models::execution::{EventData, Kind, Location, Order, Placement, Spaces};
use margay_models::signature::Signature;

use super::address::{FIRST_ADDRESS, LocationAddress, STRIDE};
use super::barriers::{self, Counted};
use super::lanes::LaneCells;
use super::launches::Meetings;
use super::{UnfoldError, asynchronous};
use crate::test::{
    AskedCondition, Base, Body, Dialect, InitialValue, Integer, Operation, Test, TestOperand,
    ThreadId, element,
};

/// Which threads name a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamingThreads {
    None,
    /// One alone.
    One(usize),
    /// Several, or some access may be to any location.
    Any,
}

/// What all candidates of a test share.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub signature: Signature,
    pub locations: Vec<Location>,
    /// For each location the one whose generic address it has.
    pub generic: Vec<u16>,
    /// For each location its address.
    pub addresses: Arc<[LocationAddress]>,
    /// For each location the distance to the next element, if it is one of an array; else how wide
    /// its accesses are.
    pub widths: Vec<LocationAddress>,
    /// For each location how wide its declaration says that it is.
    pub declared_bits: Vec<Option<u8>>,
    /// For each location its initial value.
    pub initial: Vec<i64>,
    /// For each location the type of its values; `None`: they are 64 bits wide.
    pub integers: Vec<Option<Integer>>,
    /// For each location the threads that name it.
    pub named_by: Vec<NamingThreads>,
    /// For each location: is it an mbarrier?
    pub mbarriers: Vec<bool>,
    /// For each location the state spaces that it may be in, where that matters.
    pub spaces: Vec<Spaces>,
    /// For each location how many bytes wide its accesses are, where their types say it.
    pub typed: Vec<Option<LocationAddress>>,
    /// What the test asks of final states.
    pub asked: Arc<AskedCondition>,
    /// The instances of barriers that the test names, ascending.
    pub instances: Vec<u32>,
    /// The barriers that have a count of threads.
    pub counted: Vec<Counted>,
    /// Meetings of warps and orders of launches.
    pub meetings: Meetings,
    /// Where lanes leave what they give each other: the last of the locations.
    pub lanes: LaneCells,
    pub threads: Vec<Placement>,
}

impl Shared {
    /// From the declarations of a test.
    pub fn new(test: &Test, signature: Signature) -> Result<Self, UnfoldError> {
        let meetings = Meetings::of(test)?;
        let (test, lanes) = LaneCells::of(test, &|meeting| meetings.number(meeting));
        let test = test.as_ref();
        let index = |name: &str| test.location(name);
        let integers = test.location_integers();
        let widths: Vec<LocationAddress> =
            test.locations.iter().map(|l| width(test, &l.name)).collect();
        let addresses: Arc<[LocationAddress]> = (test.locations.iter().enumerate())
            .map(|(l, declared)| match element(&declared.name) {
                Some((array, n)) => {
                    FIRST_ADDRESS
                        + STRIDE * index(array).unwrap_or(l) as LocationAddress
                        + widths[l] * n as LocationAddress
                }
                None => FIRST_ADDRESS + STRIDE * l as LocationAddress,
            })
            .collect();
        let mut shared = Self {
            signature,
            locations: Vec::new(),
            generic: Vec::new(),
            addresses: addresses.clone(),
            widths,
            declared_bits: test.locations.iter().map(|l| l.width.0).collect(),
            initial: Vec::new(),
            integers: integers.clone(),
            named_by: {
                let mut named_by = named_by(test);
                let own = named_by.len() - lanes.len();
                named_by[own..].fill(NamingThreads::Any);
                named_by
            },
            mbarriers: test.locations.iter().map(|l| l.mbarrier).collect(),
            spaces: asynchronous::spaces(test)?,
            typed: test.locations.iter().map(|l| typed_width(test, &l.name)).collect(),
            asked: Arc::new(test.asked()),
            instances: barriers::instances(test)?,
            counted: barriers::check(test)?,
            meetings,
            lanes,
            threads: (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16))).collect(),
        };
        for (l, declared) in test.locations.iter().enumerate() {
            let missing = |name: &str| {
                UnfoldError::at(format!("there is no location `{name}`"), declared.place)
            };
            let Some(named) = test.named(l) else {
                return Err(UnfoldError::at(
                    format!("`{}` is another name for no memory", declared.name),
                    declared.place,
                ));
            };
            let name = element(&declared.name).map_or(declared.name.as_str(), |(array, _)| array);
            let atomic = test
                .threads
                .iter()
                .flat_map(|t| &t.parameters)
                .any(|p| p.name == name && p.ty.atomic);
            shared.locations.push(Location {
                name: declared.name.clone(),
                physical: named.physical as u16,
                atomic,
            });
            shared.generic.push(named.generic as u16);
            shared.initial.push(match &declared.value {
                Some(InitialValue::Integer(count)) if declared.mbarrier => {
                    asynchronous::initial_contents(Some(*count))
                }
                Some(InitialValue::Integer(n)) => integers[l].map_or(*n, |i| i.wrap(*n)),
                Some(InitialValue::AddressOf(name)) => {
                    addresses[index(name).ok_or_else(|| missing(name))?]
                }
                None => 0,
            });
        }
        Ok(shared)
    }

    /// Does a thread other than this one access the memory of a location?
    pub fn is_observed(&self, location: u16, thread: usize) -> bool {
        let physical = self.locations[usize::from(location)].physical;
        let names =
            self.locations.iter().zip(&self.named_by).filter(|(l, _)| l.physical == physical);
        let mut names = names.map(|(_, threads)| *threads);
        names.any(|threads| match threads {
            NamingThreads::None => false,
            NamingThreads::One(named) => named != thread,
            NamingThreads::Any => true,
        })
    }

    /// The physical locations with their initial values.
    pub fn initial_writes(&self) -> impl Iterator<Item = (u16, i64)> + '_ {
        let physical = self
            .locations
            .iter()
            .enumerate()
            .filter(|(l, location)| usize::from(location.physical) == *l);
        physical.map(|(l, _)| (l as u16, self.initial[l]))
    }

    /// The initial write of a physical location.
    pub fn initial_event(&self, location: u16, value: i64) -> EventData {
        EventData {
            location: Some(location),
            value: Some(value),
            spaces: self.spaces[usize::from(location)],
            mbarrier: self.mbarriers[usize::from(location)],
            ..EventData::new(Kind::Init, None, Order::Plain)
        }
    }

    /// The address of a location by its index.
    pub fn address(&self, location: usize) -> LocationAddress {
        self.addresses[location]
    }

    /// The address of a location by its name; that of an array is its first element's.
    pub fn address_of(&self, name: &str) -> Result<LocationAddress, UnfoldError> {
        let first = || self.locations.iter().position(|l| element(&l.name) == Some((name, 0)));
        let location = self.locations.iter().position(|l| l.name == name).or_else(first);
        location
            .map(|l| self.address(l))
            .ok_or_else(|| UnfoldError::new(format!("there is no location `{name}`")))
    }

    /// How many locations a program may access: all but those where lanes leave what they give each
    /// other.
    pub fn accessible(&self) -> usize {
        self.locations.len() - self.lanes.len()
    }

    pub fn location_at(&self, address: LocationAddress) -> Option<u16> {
        self.addresses[..self.accessible()].iter().position(|&a| a == address).map(|l| l as u16)
    }

    /// Why an address is that of no location.
    pub fn no_location_at(&self, address: LocationAddress) -> String {
        let near = (0..self.accessible())
            .filter(|&l| self.addresses[l] < address)
            .max_by_key(|&l| self.addresses[l]);
        match near.map(|l| (&self.locations[l].name, address - self.addresses[l], self.widths[l])) {
            Some((name, distance, width)) if distance < width => format!(
                "an access {distance} bytes behind the start of `{name}` overlaps it partially: the model does not apply{}",
                if Dialect::of(self.signature) == Dialect::Ptx { " (PTX ISA 8.7.2)" } else { "" }
            ),
            Some((name, distance, _)) if distance < STRIDE && Dialect::of(self.signature) == Dialect::C => {
                let elements = if distance == 1 { "element" } else { "elements" };
                format!("there is no location {distance} {elements} behind `{name}`; arrays are declared by `x[2]={{0,0}}`")
            }
            Some((name, distance, _)) if distance < STRIDE => {
                format!(
                    "there is no location {distance} bytes behind `{name}`; elements of arrays are declared by `x[2]={{0,0}}`"
                )
            }
            _ if Dialect::of(self.signature) == Dialect::Ptx => format!("{address} is not the address of a location"),
            _ => "the address is not that of a location: the register holds none here, or an offset leads out of all".to_owned(),
        }
    }
}

/// For each location the threads that name it. A test that keeps addresses in registers or memory
/// may access any location from anywhere.
fn named_by(test: &Test) -> Vec<NamingThreads> {
    let everyone = vec![NamingThreads::Any; test.locations.len()];
    let mut found = vec![NamingThreads::None; test.locations.len()];
    for (t, thread) in test.threads.iter().enumerate() {
        let Body::Instructions(instructions) = &thread.body else { return everyone };
        for i in instructions {
            if !i.operation.further_addresses().is_empty() {
                return everyone;
            }
            let Some((access, address)) = i.operation.memory() else { continue };
            let Base::Location(name) = &address.base else { return everyone };
            let elements = match &i.operation {
                Operation::VectorLoad { destinations, .. } => destinations.len(),
                Operation::VectorStore { values, .. } => values.len(),
                _ => 1,
            } * if access.ty.is_some_and(|ty| ty.packed) { 2 } else { 1 };
            let (array, first) =
                element(name).map_or((name.as_str(), None), |(array, n)| (array, Some(n)));
            let range = first.unwrap_or(0)..first.unwrap_or(0) + elements;
            for (l, declared) in test.locations.iter().enumerate() {
                let named = match (element(&declared.name), &address.offset) {
                    _ if declared.name == *name => true,
                    // An offset leads to another element, and never out of the array.
                    (Some((of, _)), Some(TestOperand::Integer(_))) => of == array,
                    (Some((of, n)), None) => of == array && range.contains(&n),
                    (None, None | Some(TestOperand::Integer(_))) => false,
                    (_, Some(_)) => return everyone,
                };
                if named {
                    found[l] = match found[l] {
                        NamingThreads::None => NamingThreads::One(t),
                        NamingThreads::One(other) if other == t => NamingThreads::One(t),
                        NamingThreads::One(_) | NamingThreads::Any => NamingThreads::Any,
                    };
                }
            }
        }
    }
    found
}

/// How wide a location is: as the accesses to it are, by their types, or 4 bytes. In C the unit of
/// addresses is the element.
fn width(test: &Test, name: &str) -> LocationAddress {
    if test.dialect == Dialect::C { 1 } else { typed_width(test, name).unwrap_or(4) }
}

/// How wide the accesses to a location are, if their types or its declaration say it.
fn typed_width(test: &Test, name: &str) -> Option<LocationAddress> {
    if let Some(bits) = test.locations.iter().find(|l| l.name == name).and_then(|l| l.width.0) {
        return Some(LocationAddress::from(bits) / 8);
    }
    let array = |name: &str| element(name).map_or(name.to_string(), |(array, _)| array.to_string());
    let bits = test.threads.iter().flat_map(|t| match &t.body {
        Body::Instructions(instructions) => instructions.as_slice(),
        Body::Statements(_) => &[],
    });
    let mut bits = bits.filter_map(|i| match i.operation.memory()? {
        (access, crate::test::Address { base: Base::Location(base), .. })
            if array(base) == array(name) =>
        {
            access.ty.map(|ty| ty.bits)
        }
        _ => None,
    });
    bits.next().map(|bits| LocationAddress::from(bits) / 8)
}
