//! The event that a target instruction makes.

use margay_models::execution::{EventData, Kind, Order, Scope, Spaces};
use margay_models::signature::{Construct, Operation};

use super::{Lowering, LoweringForm, LoweringStep, StepScope};

/// Which event of the source operation an event of the target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventHalf {
    /// Its only one, or the read of a read-modify-write.
    First,
    /// The write of a read-modify-write.
    Write,
}

impl Lowering {
    /// The events that an operation with a thread and a scope becomes, in program order, without
    /// location and value, and which event of the source each is: `None` for fences, for reads
    /// whose value nobody uses, and for what a load writes back.
    pub fn events(
        &self,
        operation: Operation,
        thread: Option<u16>,
        scope: Option<Scope>,
    ) -> Vec<(EventData, Option<EventHalf>)> {
        let mut out = Vec::new();
        let access = self.access();
        for (k, step) in self.steps.iter().enumerate() {
            let event = |write_half: bool| step.event(write_half, thread, scope, self.form);
            if Some(k) != access {
                out.push((event(false), None));
            } else if self.stores_by_exchange(operation) {
                out.push((EventData { unused: true, ..event(false) }, None));
                out.push((event(true), Some(EventHalf::First)));
            } else if self.writes_back(operation) {
                out.push((event(false), Some(EventHalf::First)));
                out.push((EventData { writes_back: true, ..event(true) }, None));
            } else {
                out.push((event(false), Some(EventHalf::First)));
                if operation == Operation::Rmw {
                    out.push((event(true), Some(EventHalf::Write)));
                }
            }
        }
        out
    }
}

impl LoweringStep {
    /// Kind and order of the event; of a read-modify-write those of its write half if
    /// `is_write_half`, else of its read half.
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

    /// The event, without location and value, in the lowering of an operation of `scope` and
    /// `form`.
    pub fn event(
        &self,
        is_write_half: bool,
        thread: Option<u16>,
        scope: Option<Scope>,
        form: LoweringForm,
    ) -> EventData {
        let (kind, order) = self.kind(is_write_half);
        let mut data = EventData::new(kind, thread, order);
        data.scope = match self.scope {
            StepScope::None => None,
            StepScope::Named(scope) => Some(scope),
            StepScope::Same => Some(scope.unwrap_or(Scope::Sys)),
        };
        data.volatile = self.volatile;
        data.unused = self.unused;
        data.mbarrier = self.mbarrier;
        data.spaces = if self.mbarrier { Spaces::SHARED } else { Spaces::NONE };
        data.compare = self.failed
            || (self.operation == Operation::Rmw && form == LoweringForm::CompareExchange);
        data
    }
}
