//! What a compiler is asked: one construct with its orders, its scope, its operation and the type
//! of its object.

use std::fmt;

use margay_mappings::language::LoweringForm;
use margay_mappings::language::kind::{ConstructUse, OPERATIONS, TYPES};
use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation};

/// One question to a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// What is done.
    pub what: What,
    /// The order; of a compare-exchange that for success.
    pub order: Order,
    /// The scope; plain accesses have none.
    pub scope: Option<Scope>,
    /// The type of the object (an index into [`TYPES`]); fences have none.
    pub data: Option<usize>,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    Load,
    Store,
    /// A read-modify-write (an index into [`OPERATIONS`]).
    Rmw(usize),
    /// A compare-exchange, with its order for failure.
    Swap(Order),
    Fence,
}

impl What {
    /// The operation in a mapping.
    pub fn operation(self) -> Operation {
        match self {
            What::Load => Operation::Read,
            What::Store => Operation::Write,
            What::Rmw(_) | What::Swap(_) => Operation::Rmw,
            What::Fence => Operation::Fence,
        }
    }
}

/// A place in a table: what a lowering is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableSlot {
    pub construct: Construct,
    pub form: LoweringForm,
    /// The scope of the operation; `None` for plain ones.
    pub scope: Option<Scope>,
    pub cell: ConstructUse,
}

impl Point {
    /// The places of a table that it fills: one, and two by a compare-exchange.
    pub fn slots(&self) -> Vec<TableSlot> {
        let operation = self.operation();
        let slot = |operation_of: Operation,
                    order: Order,
                    form: LoweringForm,
                    partner: Option<Order>| TableSlot {
            construct: Construct { operation: operation_of, order },
            form,
            scope: self.scope,
            cell: ConstructUse { partner, operation, data: self.data },
        };
        match self.what {
            What::Swap(failure) => vec![
                slot(Operation::Rmw, self.order, LoweringForm::CompareExchange, Some(failure)),
                slot(
                    Operation::Read,
                    failure,
                    LoweringForm::FailedCompareExchange,
                    Some(self.order),
                ),
            ],
            what => vec![slot(what.operation(), self.order, LoweringForm::Usual, None)],
        }
    }

    /// The operation of a read-modify-write.
    pub fn operation(&self) -> Option<usize> {
        match self.what {
            What::Rmw(i) => Some(i),
            _ => None,
        }
    }

    /// The number of bits of the object.
    pub fn bits(&self) -> Option<u16> {
        self.data.map(margay_mappings::language::kind::bits)
    }
}

/// The short name of an order in mappings: `ACQ_REL`.
pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::Plain => "NA",
        Order::Rlx => "RLX",
        Order::Acq => "ACQ",
        Order::Rel => "REL",
        Order::AcqRel => "ACQ_REL",
        Order::Sc => "SC",
        Order::Tagged(tags) => tags.name(),
    }
}

impl fmt::Display for Point {
    /// `RMW.ACQ.gpu nand b8`, `CAS.REL/ACQ.sys b32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.what {
            What::Load => "R",
            What::Store => "W",
            What::Rmw(_) => "RMW",
            What::Swap(_) => "CAS",
            What::Fence => "F",
        };
        write!(f, "{name}.{}", order_name(self.order))?;
        if let What::Swap(failure) = self.what {
            write!(f, "/{}", order_name(failure))?;
        }
        if let Some(scope) = self.scope {
            write!(f, ".{}", scope.name())?;
        }
        if let What::Rmw(i) = self.what {
            write!(f, " {}", OPERATIONS[i])?;
        }
        if let Some(i) = self.data {
            write!(f, " {}", TYPES[i])?;
        }
        Ok(())
    }
}

impl fmt::Display for TableSlot {
    /// `CAS_FAIL.REL/ACQ.sys b32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (own, partner) = (order_name(self.construct.order), self.cell.partner.map(order_name));
        let name = match (self.form, self.construct.operation) {
            (LoweringForm::CompareExchange, _) => "CAS",
            (LoweringForm::FailedCompareExchange, _) => "CAS_FAIL",
            (_, Operation::Read) => "R",
            (_, Operation::Write) => "W",
            (_, Operation::Rmw) => "RMW",
            (_, Operation::Fence) => "F",
        };
        match (self.form, partner) {
            (LoweringForm::FailedCompareExchange, Some(success)) => {
                write!(f, "{name}.{success}/{own}")?
            }
            (_, Some(failure)) => write!(f, "{name}.{own}/{failure}")?,
            _ => write!(f, "{name}.{own}")?,
        }
        if let Some(scope) = self.scope {
            write!(f, ".{}", scope.name())?;
        }
        if let Some(i) = self.cell.operation {
            write!(f, " {}", OPERATIONS[i])?;
        }
        if let Some(i) = self.cell.data {
            write!(f, " {}", TYPES[i])?;
        }
        Ok(())
    }
}
