//! Accesses by multimem addresses: a memory operation at each location, in every order.

use margay_models::execution::{Proxy, Scope};

use super::UnfoldError;
use super::asynchronous::instructions;
use super::compile_ptx::{PtxCompiler, applied};
use super::program::{Step, Term};
use crate::test::{
    Access, Address, AtomInstruction, Base, MultimemAction, MultimemOperation, Operation, Place,
};

/// All orders of so many things, the given one first.
fn orders(number: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for next in 0..number {
        let longer = |order: &Vec<usize>| {
            (0..=order.len())
                .rev()
                .map(|at| {
                    let mut order = order.clone();
                    order.insert(at, next);
                    order
                })
                .collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}

impl PtxCompiler<'_> {
    /// Nothing says in which order the locations are accessed: each order is a way of its own.
    pub(super) fn multimem(
        &mut self,
        operation: &MultimemOperation,
        place: Place,
    ) -> Result<(), UnfoldError> {
        let MultimemOperation { access, replicas, action } = operation;
        for replica in replicas {
            self.is_alias(replica, place)?;
        }
        let read: Vec<_> = match action {
            MultimemAction::LoadReduce { .. } => {
                replicas.iter().map(|_| self.program.fresh()).collect()
            }
            _ => Vec::new(),
        };
        let mut ends = Vec::new();
        let orders = orders(replicas.len());
        for (n, order) in orders.iter().enumerate() {
            let other = (n + 1 < orders.len()).then(|| self.program.push(Step::Fork(0), place));
            for &at in order {
                let step = match action {
                    MultimemAction::LoadReduce { .. } => Step::Load {
                        to: read[at],
                        address: self.address(&replicas[at])?,
                        attributes: self.attributes(access),
                    },
                    MultimemAction::Store { value } => {
                        let (address, value) = (self.address(&replicas[at])?, self.value(value)?);
                        Step::Store { address, value, attributes: self.attributes(access) }
                    }
                    MultimemAction::Reduce { function, operand } => {
                        self.atom(&AtomInstruction {
                            // "If the .scope qualifier is not specified for multimem.red then .sys
                            // scope is assumed by default."
                            access: Access { scope: access.scope.or(Some(Scope::Sys)), ..*access },
                            function: *function,
                            destination: None,
                            address: replicas[at].clone(),
                            operand: operand.clone(),
                            replacement: None,
                        })?
                    }
                };
                self.program.push(step, place);
            }
            if let Some(other) = other {
                ends.push(self.program.push(Step::Jump(0), place));
                self.program.patch(other);
            }
        }
        ends.into_iter().for_each(|end| self.program.patch(end));
        if let MultimemAction::LoadReduce { function, destination } = action {
            let integer = access.ty.and_then(crate::test::Type::integer);
            let values = read.into_iter().map(Term::Register);
            let all = values.reduce(|a, b| match applied(*function) {
                Some(operator) => Term::typed(operator, a, b, integer),
                None => b,
            });
            let to = self.program.register(destination);
            self.program.push(Step::Assign(to, all.unwrap_or(Term::Constant(0))), place);
        }
        Ok(())
    }

    /// A multimem address is another address of the memory that it points to (PTX ISA 8.2.2,
    /// 8.2.3): the name must say so.
    fn is_alias(&self, replica: &Address, place: Place) -> Result<(), UnfoldError> {
        let Base::Location(name) = &replica.base else { return Ok(()) };
        let declared = self.test.location(name).and_then(|l| self.test.locations[l].alias.as_ref());
        if declared.is_some_and(|alias| alias.proxy == Proxy::Generic) {
            return self.no_other_accesses(name);
        }
        Err(UnfoldError::at(
            format!(
                "`{name}` is no other address of a location, as a multimem address is one: declare it as `{name} @ generic aliases ..`, where \
                 the location is what the memory is called on its own device (PTX ISA 8.2.3)"
            ),
            place,
        ))
    }

    /// "Only multimem.* operations are valid on multimem addresses" (PTX ISA 8.2.3).
    fn no_other_accesses(&self, name: &str) -> Result<(), UnfoldError> {
        let names = |a: &Address| matches!(&a.base, Base::Location(n) if n == name);
        let is_other = |operation: &Operation| match operation {
            Operation::Multimem(_) => false,
            other => {
                other.memory().is_some_and(|(_, a)| names(a))
                    || other.further_addresses().into_iter().any(names)
            }
        };
        match instructions(self.test).find(|(_, i)| is_other(&i.operation)) {
            None => Ok(()),
            Some((_, other)) => Err(UnfoldError::at(
                format!(
                    "`{name}` is a multimem address here, which only `multimem` instructions access: this is undefined (PTX ISA 8.2.3). The name of the \
                     memory on its own device is the one that it aliases"
                ),
                other.place,
            )),
        }
    }
}
