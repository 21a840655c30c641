//! A test in cells: declarations, instructions, conditions.

use super::memory::{CellMemory, initial, part, root};
use crate::refused::UnfoldError;
use crate::test::{
    Access, Address, Base, ConditionOperand, LocalFunction, LocationDeclaration, NumberComparison,
    Operation, Place, Proposition, TestInstruction, TestOperand, Type, TypeKind, Variable,
};

/// The location of two sizes that a name is of.
fn memory_of<'m>(name: &str, memories: &'m [CellMemory]) -> Option<&'m CellMemory> {
    memories.iter().find(|m| m.name == root(name))
}

/// The same for a name of all its cells: no array, whose elements are its cells.
fn scalar_of<'m>(name: &str, memories: &'m [CellMemory]) -> Option<&'m CellMemory> {
    memory_of(name, memories).filter(|m| !m.array)
}

/// Cells in place of each location.
pub(super) fn locations(
    declared: &mut Vec<LocationDeclaration>,
    memories: &[CellMemory],
) -> Result<(), UnfoldError> {
    let mut found = Vec::with_capacity(declared.len());
    for location in declared.drain(..) {
        let Some(memory) = scalar_of(&location.name, memories) else {
            found.push(location);
            continue;
        };
        for (cell, value) in
            initial(memory, location.value.as_ref(), location.place)?.into_iter().enumerate()
        {
            found.push(LocationDeclaration { name: memory.cell(cell), value, ..location.clone() });
        }
    }
    *declared = found;
    Ok(())
}

/// Accesses to cells in place of wider ones.
pub(super) fn instructions(
    of_thread: &[TestInstruction],
    memories: &[CellMemory],
) -> Result<Vec<TestInstruction>, UnfoldError> {
    let mut found = Vec::with_capacity(of_thread.len());
    for (number, instruction) in of_thread.iter().enumerate() {
        let operations = operations(&instruction.operation, memories, number, instruction.place)?;
        found.extend(
            operations
                .into_iter()
                .map(|operation| TestInstruction { operation, ..instruction.clone() }),
        );
    }
    Ok(found)
}

/// An operation as operations on cells; `number` is that of the instruction.
fn operations(
    operation: &Operation,
    memories: &[CellMemory],
    number: usize,
    place: Place,
) -> Result<Vec<Operation>, UnfoldError> {
    let known = operation.memory().and_then(|(access, address)| match &address.base {
        Base::Location(name) => Some((access, address, access.ty?, memory_of(name, memories)?)),
        Base::Register(_) => None,
    });
    let Some((access, address, ty, memory)) = known else { return Ok(vec![operation.clone()]) };
    let cells = memory.cells_at(ty, address);
    let mut operation = operation.clone();
    if ty.bits == memory.bits {
        if let Some(address) = operation.address_mut() {
            *address = Address::location(memory.cell(cells.start));
        }
        return Ok(vec![operation]);
    }
    let access = Access { ty: Some(Type::new(TypeKind::Bits, memory.bits)), ..*access };
    let at = |cell: usize| Address::location(memory.cell(cell));
    // No register of a text has a blank in its name.
    let register = |cell: usize, what: &str| format!("{what} {number} {cell}");
    let mut found = Vec::new();
    match operation {
        Operation::Load { destination, .. } => {
            let mut value = TestOperand::Integer(0);
            for (nth, cell) in cells.enumerate() {
                let (loaded, shifted, sum) =
                    (register(nth, "cell"), register(nth, "shifted"), register(nth, "bits"));
                let by = TestOperand::Integer(i64::from(memory.bits) * nth as i64);
                found.push(Operation::Load {
                    access,
                    destination: loaded.clone(),
                    address: at(cell),
                });
                found.push(local(
                    LocalFunction::ShiftLeft,
                    WHOLE,
                    &shifted,
                    vec![TestOperand::Register(loaded), by],
                ));
                found.push(local(
                    LocalFunction::Or,
                    WHOLE,
                    &sum,
                    vec![value, TestOperand::Register(shifted)],
                ));
                value = TestOperand::Register(sum);
            }
            found.push(local(LocalFunction::Move, ty, &destination, vec![value]));
        }
        Operation::Store { value, .. } => {
            for (nth, cell) in cells.enumerate() {
                let value = match &value {
                    TestOperand::Integer(n) => TestOperand::Integer(part(*n, nth, memory.bits)),
                    TestOperand::Register(_) => {
                        let by = TestOperand::Integer(i64::from(memory.bits) * nth as i64);
                        let shifted = register(nth, "shifted");
                        found.push(local(
                            LocalFunction::ShiftRight,
                            WHOLE,
                            &shifted,
                            vec![value.clone(), by],
                        ));
                        TestOperand::Register(shifted)
                    }
                    TestOperand::AddressOf(_) => {
                        return Err(UnfoldError::at(
                            format!("{}: an address is not taken apart", memory.sizes()),
                            place,
                        ));
                    }
                };
                found.push(Operation::Store { access, address: at(cell), value });
            }
        }
        other => found.push(other),
    }
    Ok(found)
}

/// The type of all that registers hold.
const WHOLE: Type = Type::new(TypeKind::Bits, 64);

fn local(
    function: LocalFunction,
    ty: Type,
    destination: &str,
    operands: Vec<TestOperand>,
) -> Operation {
    Operation::Local { function, ty: Some(ty), destination: destination.to_owned(), operands }
}

/// A condition, where a location equals a number if its cells equal the number's parts.
pub(super) fn proposition(
    p: &Proposition,
    memories: &[CellMemory],
) -> Result<Proposition, UnfoldError> {
    let all = |parts: &[Proposition]| {
        parts.iter().map(|p| proposition(p, memories)).collect::<Result<Vec<_>, _>>()
    };
    Ok(match p {
        Proposition::True | Proposition::False => p.clone(),
        Proposition::Not(p) => Proposition::Not(Box::new(proposition(p, memories)?)),
        Proposition::And(parts) => Proposition::And(all(parts)?),
        Proposition::Or(parts) => Proposition::Or(all(parts)?),
        Proposition::Compare { comparison, left, right } => {
            let of = |side: &ConditionOperand| match side {
                ConditionOperand::Variable(Variable::Location(name)) => scalar_of(name, memories),
                _ => None,
            };
            let (memory, number) = match (of(left), of(right), left, right) {
                (None, None, ..) => return Ok(p.clone()),
                (Some(memory), _, _, ConditionOperand::Integer(n))
                | (_, Some(memory), ConditionOperand::Integer(n), _) => (memory, *n),
                (Some(memory), ..) | (_, Some(memory), ..) => return Err(only_equality(memory)),
            };
            let cells = (0..memory.cells).map(|cell| {
                let value = part(number, cell, memory.bits);
                Proposition::equals(Variable::Location(memory.cell(cell)), value)
            });
            match comparison {
                NumberComparison::Equal => Proposition::all(cells.collect()),
                NumberComparison::NotEqual => {
                    Proposition::Not(Box::new(Proposition::all(cells.collect())))
                }
                _ => return Err(only_equality(memory)),
            }
        }
    })
}

fn only_equality(memory: &CellMemory) -> UnfoldError {
    UnfoldError::new(format!(
        "{}: the condition may ask whether `{}` equals a number, and nothing else",
        memory.sizes(),
        memory.name
    ))
}

/// The cells in place of each location.
pub(super) fn variables(of_test: &[Variable], memories: &[CellMemory]) -> Vec<Variable> {
    let cells = |variable: &Variable| match variable {
        Variable::Location(name) => match scalar_of(name, memories) {
            Some(memory) => {
                (0..memory.cells).map(|cell| Variable::Location(memory.cell(cell))).collect()
            }
            None => vec![variable.clone()],
        },
        Variable::Register { .. } => vec![variable.clone()],
    };
    of_test.iter().flat_map(cells).collect()
}
