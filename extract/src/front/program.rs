//! Programs to extract from: one function for each point.

use margay_mappings::language::kind::{TYPES, exists};
use margay_models::execution::{Order, Scope};

use crate::point::{Point, What};

use super::template::{FrontEnd, Statement, fill};

/// A program, and which function is for which point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The text.
    pub text: String,
    /// Of each point the name of its function and its lines (from 1, the last one included).
    pub functions: Vec<(Point, String, (usize, usize))>,
}

impl FrontEnd {
    /// Every point that the language can be asked about: each construct at each order (pair), scope, type and operation.
    pub fn points(&self) -> Vec<Point> {
        let scopes: Vec<Scope> = self.scopes();
        let types = self.types();
        let mut out = Vec::new();
        let mut add = |what: What, order: Order, scope: Option<Scope>, data: Option<usize>| {
            let point = Point { what, order, scope, data };
            let with = Statement { pointer: "", result: "", out: "", value: "", expected: "" };
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
            let scope = Some(scope);
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

/// The names in a function that is extracted.
fn names(front: &FrontEnd) -> Statement<'_> {
    let [value, expected] = &front.function.names;
    Statement { pointer: "p", result: "r", out: "out", value, expected }
}

/// What stands in front of the statement of a function.
fn begin(front: &FrontEnd, name: &str, point: &Point) -> String {
    let wrap = &front.function;
    let data = point.data.map_or("", |i| front.types.get(TYPES[i]).map_or("", String::as_str));
    let mut parameters: Vec<String> = ["p", "out", "flag"].iter().map(|p| fill(&wrap.pointer, &[("pointer", p)])).collect();
    if point.data.is_some() {
        parameters.extend(wrap.values.as_ref().map(|v| fill(v, &[("type", data)])));
    }
    fill(&wrap.begin, &[("name", name), ("parameters", &parameters.join(", ")), ("type", data)])
}

/// A program with an object of the type and the scope of each point, to which nothing is done; `None` where the front end has none.
pub fn objects(front: &FrontEnd, points: &[Point]) -> Option<String> {
    let template = front.object.as_ref()?;
    let mut text = front.head.clone();
    for (number, point) in points.iter().enumerate() {
        let name = format!("f{number}");
        text.push_str(&begin(front, &name, point));
        text.push_str(&front.put(template, point, &names(front))?);
        text.push_str(&fill(&front.function.end, &[("name", &name)]));
    }
    text.push_str(&front.tail);
    Some(text)
}

/// Writes a program with one function for each point. The number of a function is that of its point among `all`.
pub fn write(front: &FrontEnd, points: &[(usize, Point)]) -> Program {
    let mut text = front.head.clone();
    let mut functions = Vec::new();
    for &(number, point) in points {
        let name = format!("f{number}");
        let Some(statement) = front.statement(&point, &names(front)) else { continue };
        let data = point.data.map_or("", |i| front.types.get(TYPES[i]).map_or("", String::as_str));
        let from = text.matches('\n').count() + 1;
        text.push_str(&begin(front, &name, &point));
        text.push_str(&statement);
        if matches!(point.what, What::Load | What::Rmw(_) | What::Swap(_))
            && let Some(observe) = &front.observe
        {
            text.push_str(&fill(observe, &[("result", "r"), ("out", "out"), ("type", data)]));
        }
        text.push_str(&fill(&front.function.end, &[("name", &name)]));
        functions.push((point, name, (from, text.matches('\n').count())));
    }
    text.push_str(&front.tail);
    Program { text, functions }
}
