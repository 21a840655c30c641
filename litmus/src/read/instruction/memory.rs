//! Loads, stores and atomics of PTX and of CUDA's proxies.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Proxy;

use super::super::qualifier::{AccessKind, Mnemonic, access};
use super::Operands;
use crate::test::{
    Access, AccessOrder, AtomFunction, AtomInstruction, Dialect, LocalFunction, Operation,
    TestOperand,
};

impl Operands<'_, '_> {
    /// `ld` is also the load of a constant in some tests: `ld.const`. `ld r0, 1` is a move in
    /// Dartagnan's tests.
    pub(super) fn load(
        &mut self,
        m: &mut Mnemonic<'_>,
        proxy: Proxy,
    ) -> Result<Operation, Diagnostic> {
        let bare = m.qualifiers.is_empty();
        let proxy = if m.name == "ld" && m.take_word(&["const"]).is_some() {
            Proxy::Constant
        } else {
            proxy
        };
        let vector = if proxy == Proxy::Generic { self.vector(m)? } else { None };
        let hint = m.has_cache_hint();
        let (access, _) = access(self.cursor, m, AccessKind::Load, self.names.dialect)?;
        self.only_weak(m, access, proxy)?;
        let operation = if let Some(count) = vector {
            let destinations = self.braced(count, Self::destination)?;
            self.comma()?;
            Operation::VectorLoad { access, destinations, address: self.address()? }
        } else {
            let destination = self.destination()?;
            self.comma()?;
            if let Some(value) = self.moved(bare)? {
                let warning = format!(
                    "`{}` of a value is a move: `mov {destination}, {}`",
                    m.name,
                    self.cursor.text(value.1)
                );
                let warning = self.warning(
                    warning,
                    value.1,
                    "no address: those are in brackets, or names of locations",
                );
                self.names.warnings.push(warning);
                let (function, operands) = (LocalFunction::Move, vec![value.0]);
                return Ok(Operation::Local { function, ty: access.ty, destination, operands });
            }
            Operation::Load {
                access: Access { proxy, ..access },
                destination,
                address: self.address()?,
            }
        };
        self.cache_policy(hint)?;
        Ok(operation)
    }

    /// A value where an address would be: a number, or a register without brackets (`bare`: after
    /// `ld` alone, which PTX has not).
    pub(super) fn moved(&mut self, bare: bool) -> Result<Option<(TestOperand, Span)>, Diagnostic> {
        let start = self.cursor.span();
        let is_register =
            |word: &str| !self.names.is_location(word) && self.names.is_register(word, self.thread);
        let register = bare
            && self.names.dialect == Dialect::Ptx
            && self.cursor.peek_word().is_some_and(is_register);
        if !self.cursor.is_integer() && !register {
            return Ok(None);
        }
        let value = self.value()?;
        Ok(Some((value, start.to(self.cursor.previous()))))
    }

    pub(super) fn warning(&self, message: String, span: Span, label: &str) -> Diagnostic {
        Diagnostic::warning(message).at(self.cursor.file, span, label)
    }

    /// The operand of `.L2::cache_hint`, which changes no value.
    pub(super) fn cache_policy(&mut self, hint: bool) -> Result<(), Diagnostic> {
        if hint && self.cursor.eat(',') {
            self.cursor.word("the register with the cache policy")?;
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        m: &mut Mnemonic<'_>,
        proxy: Proxy,
    ) -> Result<Operation, Diagnostic> {
        let vector = if proxy == Proxy::Generic { self.vector(m)? } else { None };
        let hint = m.has_cache_hint();
        let (access, _) = access(self.cursor, m, AccessKind::Store, self.names.dialect)?;
        self.only_weak(m, access, proxy)?;
        let address = self.address()?;
        self.comma()?;
        let operation = match vector {
            Some(count) => {
                Operation::VectorStore { access, address, values: self.braced(count, Self::value)? }
            }
            None => Operation::Store {
                access: Access { proxy, ..access },
                address,
                value: self.value()?,
            },
        };
        self.cache_policy(hint)?;
        Ok(operation)
    }

    /// Accesses through other proxies have no orders.
    pub(super) fn only_weak(
        &self,
        m: &Mnemonic<'_>,
        access: Access,
        proxy: Proxy,
    ) -> Result<(), Diagnostic> {
        match access.order {
            Some(order) if order != AccessOrder::Weak && proxy != Proxy::Generic => {
                Err(self.cursor.error(
                    format!("`{}` cannot be `.{}`", m.name, order.name()),
                    m.span,
                    "only weak accesses go through this proxy",
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn atom(
        &mut self,
        m: &mut Mnemonic<'_>,
        returns: bool,
        proxy: Proxy,
    ) -> Result<Operation, Diagnostic> {
        let name = m.name;
        let acquire = m.place_of("acquire").to(m.place_of("acq_rel"));
        let hint = m.has_cache_hint();
        let (access, function) = access(self.cursor, m, AccessKind::Atomic, self.names.dialect)?;
        let Some(function) = function else {
            let help = "one of exch, cas, add, and, or, xor, inc, dec, min, max; of Dartagnan's also sub, mul, div";
            return Err(self
                .cursor
                .error(format!("`{name}` needs a function"), m.span, "no function")
                .help(help));
        };
        if !returns {
            if matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap) {
                return Err(self.cursor.error(
                    format!("`{name}` has no `.{}`", function.name()),
                    m.span,
                    "needs a result: use `atom`",
                ));
            }
            if matches!(access.order, Some(AccessOrder::Acquire | AccessOrder::AcqRel)) {
                return Err(self.cursor.error(
                    "a `red` cannot acquire: it returns nothing",
                    acquire,
                    "write `.relaxed` or `.release`, or use `atom`",
                ));
            }
        }
        let destination = if returns {
            let destination = self.destination()?;
            self.comma()?;
            Some(destination)
        } else {
            None
        };
        let address = self.address()?;
        self.comma()?;
        let operand = self.value()?;
        let replacement = if function == AtomFunction::CompareAndSwap {
            self.comma()?;
            Some(self.value()?)
        } else {
            None
        };
        self.cache_policy(hint)?;
        let access = Access { proxy, ..access };
        Ok(Operation::Atom(AtomInstruction {
            access,
            function,
            destination,
            address,
            operand,
            replacement,
        }))
    }
}
