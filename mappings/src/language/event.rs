//! The event that a target instruction makes.

use margay_models::execution::{EventData, Kind, Order, Scope};
use margay_models::signature::{Construct, Operation};

use super::{Form, Step, StepScope};

impl Step {
    /// Kind and order of the event; of a read-modify-write those of its write half if `is_write_half`, else of its read half.
    pub fn kind(&self, is_write_half: bool) -> (Kind, Order) {
        let whole = Construct { operation: self.operation, order: self.order };
        match self.operation {
            Operation::Read => (Kind::Read, self.order),
            Operation::Write => (Kind::Write, self.order),
            Operation::Fence => (Kind::Fence, self.order),
            Operation::Rmw if is_write_half => (Kind::Write, whole.write_order()),
            Operation::Rmw => (Kind::Read, whole.read_order()),
        }
    }

    /// The event, without location and value, in the lowering of an operation of `scope` and `form`.
    pub fn event(&self, is_write_half: bool, thread: Option<u8>, scope: Option<Scope>, form: Form) -> EventData {
        let (kind, order) = self.kind(is_write_half);
        let mut data = EventData::new(kind, thread, order);
        data.scope = match self.scope {
            StepScope::None => None,
            StepScope::Named(scope) => Some(scope),
            StepScope::Same => Some(scope.unwrap_or(Scope::Sys)),
        };
        data.volatile = self.volatile;
        data.compare = self.failed || (self.operation == Operation::Rmw && form == Form::CompareExchange);
        data
    }
}
