//! Which locations have accesses of two sizes, and in which cells each access is.

use margay_models::execution::Proxy;

use crate::refused::UnfoldError;
use crate::test::{
    Access, AccessOrder, Address, Base, Body, Dialect, InitialValue, Operation, Place, Test,
    TestOperand, Type, element,
};

/// A location, or an array, with accesses of two sizes.
#[derive(Debug)]
pub(super) struct CellMemory {
    /// The name, without an index.
    pub name: String,
    /// Is it declared as an array? Its elements are the cells.
    pub array: bool,
    /// How wide a cell is, in bits: as the narrowest access.
    pub bits: u8,
    /// How wide the widest access is.
    widest: u8,
    /// The number of cells.
    pub cells: usize,
    /// Do several threads access it?
    pub is_shared: bool,
    /// The first access that is of another size than the first one.
    pub second: Place,
}

/// An access to a location by its name.
struct CellUse<'a> {
    thread: usize,
    operation: &'a Operation,
    access: &'a Access,
    address: &'a Address,
    /// The element that the address names.
    index: usize,
    place: Place,
}

impl CellUse<'_> {
    /// The width of each scalar that it accesses.
    fn bits(&self) -> Option<u8> {
        self.access.ty.map(|ty| ty.bits)
    }
}

/// The name of a location, or of the array that an element is of.
pub(super) fn root(name: &str) -> &str {
    element(name).map_or(name, |(array, _)| array)
}

fn uses<'a>(test: &'a Test, name: &str) -> Vec<CellUse<'a>> {
    let mut found = Vec::new();
    for (thread, t) in test.threads.iter().enumerate() {
        let Body::Instructions(instructions) = &t.body else { continue };
        for i in instructions {
            let Some((access, address)) = i.operation.memory() else { continue };
            if let Base::Location(of) = &address.base
                && root(of) == name
            {
                let index = element(of).map_or(0, |(_, index)| index);
                found.push(CellUse {
                    thread,
                    operation: &i.operation,
                    access,
                    address,
                    index,
                    place: i.place,
                });
            }
        }
    }
    found
}

/// The locations that have accesses of two sizes.
pub(super) fn of_two_sizes(test: &Test) -> Result<Vec<CellMemory>, UnfoldError> {
    let mut found: Vec<CellMemory> = Vec::new();
    if test.dialect != Dialect::Ptx {
        return Ok(found);
    }
    for declared in &test.locations {
        let name = root(&declared.name);
        // Aliases that are of two sizes are refused where all accesses of the memory are known.
        let aliased = |l: &crate::test::LocationDeclaration| {
            l.alias.as_ref().is_some_and(|alias| root(&l.name) == name || root(&alias.of) == name)
        };
        if found.iter().any(|m| m.name == name) || test.locations.iter().any(aliased) {
            continue;
        }
        if let Some(memory) = memory(test, name)? {
            found.push(memory);
        }
    }
    if let (Some(memory), Some(place)) = (found.first(), address_in_register(test)) {
        return Err(UnfoldError::at(
            format!(
                "{}: such a test is not answered if an address is in a register, where it may be that of `{}`",
                memory.sizes(),
                memory.name
            ),
            place,
        ));
    }
    Ok(found)
}

/// The first access whose address the text does not say.
fn address_in_register(test: &Test) -> Option<Place> {
    let instructions = test.threads.iter().filter_map(|t| match &t.body {
        Body::Instructions(instructions) => Some(instructions),
        Body::Statements(_) => None,
    });
    let unknown = |a: &Address| {
        matches!(a.base, Base::Register(_)) || matches!(a.offset, Some(TestOperand::Register(_)))
    };
    instructions
        .flatten()
        .find(|i| i.operation.memory().is_some_and(|(_, address)| unknown(address)))
        .map(|i| i.place)
}

/// The location of that name as cells; `None` if all its accesses are of one size.
fn memory(test: &Test, name: &str) -> Result<Option<CellMemory>, UnfoldError> {
    let uses = uses(test, name);
    let Some(first) = uses.iter().find_map(CellUse::bits) else { return Ok(None) };
    let Some(second) = uses.iter().find(|u| u.bits().is_some_and(|bits| bits != first)) else {
        return Ok(None);
    };
    let widths = || uses.iter().filter_map(CellUse::bits);
    let (bits, widest) = (widths().min().unwrap_or(first), widths().max().unwrap_or(first));
    let elements = test.locations.iter().filter(|l| root(&l.name) == name).count();
    let array = test.locations.iter().any(|l| element(&l.name).is_some_and(|(of, _)| of == name));
    let memory = CellMemory {
        name: name.to_owned(),
        array,
        bits,
        widest,
        cells: if array { elements } else { usize::from(widest / bits) },
        is_shared: uses.iter().any(|u| u.thread != uses[0].thread),
        second: second.place,
    };
    let strong = |u: &&CellUse| u.access.order.is_some_and(|order| order != AccessOrder::Weak);
    for u in &uses {
        memory.check(u)?;
    }
    if let (true, Some(strong)) = (memory.is_shared, uses.iter().find(strong)) {
        return Err(UnfoldError::at(
            format!(
                "{}, by two threads: a strong access among them is not answered, since only operations that overlap completely are \
                 morally strong (PTX ISA 8.7)",
                memory.sizes()
            ),
            strong.place,
        ));
    }
    Ok(Some(memory))
}

impl CellMemory {
    /// The sizes, in words.
    pub(super) fn sizes(&self) -> String {
        format!("accesses of {} and of {} bits to `{}`", self.widest, self.bits, self.name)
    }

    /// The name of a cell.
    pub(super) fn cell(&self, number: usize) -> String {
        format!("{}[{number}]", self.name)
    }

    /// The cells of a scalar of the type at an address.
    pub(super) fn cells_at(&self, ty: Type, address: &Address) -> std::ops::Range<usize> {
        let index = match &address.base {
            Base::Location(name) => element(name).map_or(0, |(_, index)| index),
            Base::Register(_) => 0,
        };
        let offset = match address.offset {
            Some(TestOperand::Integer(n)) => usize::try_from(n).unwrap_or(0),
            _ => 0,
        };
        let first = index + offset / usize::from(self.bits / 8);
        first..first + usize::from(ty.bits / self.bits)
    }

    /// Is the access one that can be taken apart?
    fn check(&self, u: &CellUse) -> Result<(), UnfoldError> {
        let refused =
            |why: String| Err(UnfoldError::at(format!("{}: {why}", self.sizes()), u.place));
        let Some(ty) = u.access.ty else {
            return refused("write the type of this access, which says how wide it is".to_owned());
        };
        if self.widest > 64 {
            return refused("accesses of 128 bits are not taken apart".to_owned());
        }
        if matches!(u.operation, Operation::Atom(_)) {
            return refused(
                "read-modify-writes of such a location are not answered; that two which overlap are atomic is all that PTX ISA 8.7.2 says"
                    .to_owned(),
            );
        }
        if u.access.proxy != Proxy::Generic {
            return refused("only the generic proxy's accesses are taken apart".to_owned());
        }
        let scalar =
            matches!(u.operation, Operation::Load { .. } | Operation::Store { .. }) && !ty.packed;
        if !scalar && ty.bits != self.bits {
            return refused(
                "vectors and packed types whose elements are not the narrowest are not taken apart"
                    .to_owned(),
            );
        }
        let offset = match u.address.offset {
            Some(TestOperand::Integer(n)) => n,
            _ => 0,
        };
        let start = (u.index * usize::from(self.bits / 8)) as i64 + offset;
        let (size, end) =
            (i64::from(ty.bits / 8), (self.cells * usize::from(self.bits / 8)) as i64);
        let elements = match u.operation {
            Operation::VectorLoad { destinations, .. } => destinations.len(),
            Operation::VectorStore { values, .. } => values.len(),
            _ => 1,
        } as i64
            * if ty.packed { 2 } else { 1 };
        if start % size != 0 {
            return refused(format!(
                "an access of {} bits is not aligned at byte {start}",
                ty.bits
            ));
        }
        if start < 0 || start + elements * size > end {
            let elements = if self.array {
                format!(", each element {} bits, as its narrowest access", self.bits)
            } else {
                String::new()
            };
            return refused(format!(
                "`{}` has {end} bytes{elements}, and this access is not in them",
                self.name
            ));
        }
        Ok(())
    }
}

/// The initial value of each cell.
pub(super) fn initial(
    memory: &CellMemory,
    value: Option<&InitialValue>,
    place: Place,
) -> Result<Vec<Option<InitialValue>>, UnfoldError> {
    let part = |n: i64, cell: usize| part(n, cell, memory.bits);
    match value {
        None => Ok(vec![None; memory.cells]),
        Some(InitialValue::Integer(n)) => {
            Ok((0..memory.cells).map(|cell| Some(InitialValue::Integer(part(*n, cell)))).collect())
        }
        Some(InitialValue::AddressOf(_)) => Err(UnfoldError::at(
            format!("{}: an address is not taken apart", memory.sizes()),
            place,
        )),
    }
}

/// The bits of a number that are in a cell.
pub(super) fn part(n: i64, cell: usize, bits: u8) -> i64 {
    let all = 1i64.checked_shl(u32::from(bits)).map_or(-1, |above| above - 1);
    n.checked_shr(cell as u32 * u32::from(bits)).unwrap_or(0) & all
}
