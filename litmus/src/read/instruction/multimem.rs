//! `multimem.ld_reduce`, `multimem.st`, `multimem.red` (PTX ISA 9.7.9.14): the multimem address is
//! written as its replicas.

use margay_models::diagnostic::Diagnostic;

use super::super::qualifier::{AccessKind, Mnemonic, access, function_from_name};
use super::Operands;
use crate::test::{AtomFunction, Dialect, MultimemAction, MultimemOperation, Operation};

/// What may be done, and how it accesses memory.
const ACTIONS: [(&str, AccessKind); 3] =
    [("ld_reduce", AccessKind::Load), ("st", AccessKind::Store), ("red", AccessKind::Atomic)];

/// The functions of PTX's reductions of several locations.
const FUNCTIONS: [AtomFunction; 6] = [
    AtomFunction::Add,
    AtomFunction::Min,
    AtomFunction::Max,
    AtomFunction::And,
    AtomFunction::Or,
    AtomFunction::Xor,
];

impl Operands<'_, '_> {
    pub(super) fn multimem(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        let names = ACTIONS.map(|(name, _)| name);
        let (name, kind) = match m.qualifiers.first().copied() {
            None => {
                let label = "write `.ld_reduce`, `.st` or `.red`";
                return Err(self.cursor.error("`multimem` needs an operation", m.span, label));
            }
            Some((word, span)) => {
                ACTIONS.into_iter().find(|(name, _)| *name == word).ok_or_else(|| {
                    self.cursor.unknown("operation on a multimem address", word, span, names)
                })?
            }
        };
        m.qualifiers.remove(0);
        let function_place = m
            .qualifiers
            .iter()
            .find(|(w, _)| function_from_name(w).is_some())
            .map_or(m.span, |(_, span)| *span);
        let of_load = if name == "ld_reduce" {
            m.take(self.cursor, "function", function_from_name)?
        } else {
            None
        };
        let (access, of_atom) = access(self.cursor, m, kind, Dialect::Ptx)?;
        let function = of_load.or(of_atom);
        if name != "st" {
            let write = "write `.add`, `.min`, `.max`, `.and`, `.or` or `.xor`";
            match function {
                None => {
                    return Err(self.cursor.error(
                        format!("`multimem.{name}` needs a function"),
                        m.span,
                        write,
                    ));
                }
                Some(function) if !FUNCTIONS.contains(&function) => {
                    let message = format!("`multimem.{name}` has no `.{}`", function.name());
                    return Err(self.cursor.error(message, function_place, write));
                }
                Some(_) => {}
            }
            if access.ty.is_some_and(|ty| ty.kind.is_float() || ty.packed || ty.bits > 64) {
                let error = self.cursor.error(
                    format!("a `multimem.{name}` of this type is not modelled"),
                    m.span,
                    "its type",
                );
                return Err(error.help("values are integers of up to 64 bits: write e.g. `.u32`"));
            }
        }
        if name == "red"
            && access.order.is_some_and(|order| !["relaxed", "release"].contains(&order.name()))
        {
            return Err(self.cursor.error(
                "a `multimem.red` cannot acquire: it returns nothing",
                m.span,
                "write `.relaxed` or `.release`",
            ));
        }
        let destination = if name == "ld_reduce" {
            let destination = self.destination()?;
            self.comma()?;
            Some(destination)
        } else {
            None
        };
        let start = self.cursor.span();
        if !self.cursor.eat('{') {
            let error = self.cursor.expected("`{`");
            return Err(error.help(
                "a multimem address is written as what it points to: the replicas in braces, each a name that `@ generic aliases` the memory \
                 of one device, e.g. `multimem.st.relaxed.sys.u32 {mx, my}, 1`",
            ));
        }
        let mut replicas = vec![self.address()?];
        while self.cursor.eat(',') {
            replicas.push(self.address()?);
        }
        self.cursor.expect('}')?;
        if replicas.len() > MultimemOperation::MOST_REPLICAS {
            let message = format!("a multimem address with {} replicas", replicas.len());
            let label = format!("{} are the most here", MultimemOperation::MOST_REPLICAS);
            return Err(self.cursor.error(message, start.to(self.cursor.previous()), label));
        }
        let action = match (destination, function) {
            (Some(destination), Some(function)) => {
                MultimemAction::LoadReduce { function, destination }
            }
            (_, function) => {
                self.comma()?;
                let value = self.value()?;
                match function {
                    Some(function) => MultimemAction::Reduce { function, operand: value },
                    None => MultimemAction::Store { value },
                }
            }
        };
        Ok(Operation::Multimem(MultimemOperation { access, replicas, action }))
    }

    /// `st.bulk.weak.shared::cta [a], size, 0`
    pub(super) fn store_bulk(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        m.take_word(&["bulk"]);
        m.take_word(&["weak"]);
        let place = m.place_of("global");
        let space = m.take(self.cursor, "state space", super::super::qualifier::space_from_name)?;
        m.finish(self.cursor, &["bulk", "weak", "shared::cta"])?;
        if space == Some(crate::test::Space::Global) {
            return Err(self.cursor.error(
                "`st.bulk` into global memory",
                place,
                "it initialises shared memory",
            ));
        }
        let address = self.address()?;
        self.comma()?;
        let start = self.cursor.span();
        let bytes = self.count("the number of bytes", 8, 16_777_216)?;
        if bytes % 8 != 0 {
            let message = "a `st.bulk` of a number of bytes that is no multiple of 8 is undefined (PTX ISA, st.bulk)";
            return Err(self.cursor.error(message, start, "this number"));
        }
        self.comma()?;
        let start = self.cursor.span();
        if self.value()? != crate::test::TestOperand::Integer(0) {
            return Err(self.cursor.error(
                "`st.bulk` writes 0 and nothing else",
                start,
                "this value",
            ));
        }
        Ok(Operation::BulkStore { address, bytes })
    }
}
