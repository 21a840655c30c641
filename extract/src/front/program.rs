//! Programs to extract from: one function for each point.

use margay_mappings::language::kind::{TYPES, exists};
use margay_models::execution::{Order, Scope};

use crate::assembly::TrialLayout;
use crate::point::{Point, What};

use super::template::{FrontEnd, TemplateStatement, fill};

/// A program, and which function is for which point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointProgram {
    /// What the compiler is given.
    pub text: String,
    /// Of each point the name of its function and its lines (from 1, the last one included).
    pub functions: Vec<(Point, String, (usize, usize))>,
}

impl FrontEnd {
    /// Every point that the language can be asked about: each construct at each order (pair),
    /// scope, type and operation.
    pub fn points(&self) -> Vec<Point> {
        // A language without scopes has operations without one.
        let scopes: Vec<Option<Scope>> = match self.scopes() {
            none if none.is_empty() => vec![None],
            all => all.into_iter().map(Some).collect(),
        };
        let types = self.types();
        let mut out = Vec::new();
        let mut add = |what: What, order: Order, scope: Option<Scope>, data: Option<usize>| {
            let point = Point { what, order, scope, data };
            let with =
                TemplateStatement { pointer: "", result: "", out: "", value: "", expected: "" };
            if self.statement(&point, &with).is_some() {
                out.push(point);
            }
        };
        for &data in &types {
            add(What::Load, Order::Plain, None, Some(data));
            add(What::Store, Order::Plain, None, Some(data));
        }
        const ORDERS: [Order; 5] = [Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc];
        for &scope in &scopes {
            for order in ORDERS {
                if order != Order::Rlx {
                    add(What::Fence, order, scope, None);
                }
                for &data in &types {
                    if ![Order::Rel, Order::AcqRel].contains(&order) {
                        add(What::Load, order, scope, Some(data));
                    }
                    if ![Order::Acq, Order::AcqRel].contains(&order) {
                        add(What::Store, order, scope, Some(data));
                    }
                    for operation in self.operations().into_iter().filter(|&o| exists(o, data)) {
                        add(What::Rmw(operation), order, scope, Some(data));
                    }
                    for failure in [Order::Rlx, Order::Acq, Order::Sc] {
                        add(What::Swap(failure), order, scope, Some(data));
                    }
                }
            }
        }
        out.sort();
        out
    }
}

/// What the functions of a program do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FunctionBody {
    /// What the point says.
    Statement,
    /// Nothing, to an object of the point's type and scope.
    Object,
    /// The same operation, with orders that are parameters of the function.
    AnyOrder,
}

/// The names of the parameters for orders: for success and for failure.
const ANY_ORDERS: [&str; 2] = ["success", "failure"];

impl FrontEnd {
    /// Does the front end say how such functions are written?
    pub fn has(&self, body: FunctionBody) -> bool {
        match body {
            FunctionBody::Statement => true,
            FunctionBody::Object => self.object.is_some(),
            FunctionBody::AnyOrder => self.order_parameter.is_some(),
        }
    }

    /// What stands in front of the statement of a function.
    fn begin(&self, name: &str, point: &Point, body: FunctionBody) -> String {
        let wrap = &self.function;
        let data = self.type_of(point);
        let mut parameters: Vec<String> =
            ["p", "out", "flag"].iter().map(|p| fill(&wrap.pointer, &[("pointer", p)])).collect();
        if point.data.is_some() {
            parameters.extend(wrap.values.as_ref().map(|v| fill(v, &[("type", data)])));
        }
        if let Some(order) =
            self.order_parameter.as_ref().filter(|_| body == FunctionBody::AnyOrder)
        {
            parameters.extend(ANY_ORDERS.iter().map(|name| fill(order, &[("name", name)])));
        }
        fill(&wrap.begin, &[("name", name), ("parameters", &parameters.join(", ")), ("type", data)])
    }

    /// The statement of a function; `None` if the front end has none.
    fn body(&self, point: &Point, body: FunctionBody) -> Option<String> {
        let [value, expected] = &self.function.names;
        let with = TemplateStatement { pointer: "p", result: "r", out: "out", value, expected };
        match body {
            FunctionBody::Statement => self.statement(point, &with),
            FunctionBody::Object => self.put(self.object.as_ref()?, point, &with, None),
            FunctionBody::AnyOrder => {
                self.put(self.template(point)?, point, &with, Some(ANY_ORDERS))
            }
        }
    }

    /// What the front end says of the memory of a function of a point.
    pub(crate) fn trial_layout(&self, point: &Point) -> TrialLayout {
        let success = self.template(point).is_some_and(|text| text.contains("flag"));
        TrialLayout { own_word: self.own_word, value: self.observe.is_some(), success }
    }

    fn type_of(&self, point: &Point) -> &str {
        point.data.map_or("", |i| self.types.get(TYPES[i]).map_or("", String::as_str))
    }
}

/// What the name of a function ends with that does not use the result of its operation.
pub const UNUSED: &str = "_unused";

/// Writes a program with one function for each point. The number of a function is that of its point
/// among `all`.
pub fn write(front: &FrontEnd, points: &[(usize, Point)]) -> PointProgram {
    program(front, FunctionBody::Statement, points)
}

/// The same with functions of one kind. Points for which the front end has none are left out.
pub fn program(front: &FrontEnd, body: FunctionBody, points: &[(usize, Point)]) -> PointProgram {
    let mut text = front.head.clone();
    let mut functions = Vec::new();
    for &(number, point) in points {
        let name = format!("f{number}");
        let Some(statement) = front.body(&point, body) else { continue };
        let from = text.matches('\n').count() + 1;
        text.push_str(&front.begin(&name, &point, body));
        text.push_str(&statement);
        if body != FunctionBody::Object
            && matches!(point.what, What::Load | What::Rmw(_) | What::Swap(_))
            && let Some(observe) = &front.observe
        {
            text.push_str(&fill(
                observe,
                &[("result", "r"), ("out", "out"), ("type", front.type_of(&point))],
            ));
        }
        text.push_str(&fill(&front.function.end, &[("name", &name)]));
        if front.prints_assembly()
            && body == FunctionBody::Statement
            && matches!(point.what, What::Rmw(_))
            && front.observe.is_some()
        {
            // The same, and nobody uses the result.
            let name = format!("{name}{UNUSED}");
            text.push_str(&front.begin(&name, &point, body));
            text.push_str(&statement);
            text.push_str(&fill(&front.function.end, &[("name", &name)]));
        }
        functions.push((point, name, (from, text.matches('\n').count())));
    }
    text.push_str(&front.tail);
    PointProgram { text, functions }
}
