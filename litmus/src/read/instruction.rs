//! A cell of the table: a label, or one instruction.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::{Proxy, Scope};
use margay_models::signature::{self, Architecture};

use super::cursor::Cursor;
use super::head::State;
use super::qualifier::{AccessKind, Mnemonic, access, mnemonic, scope_from_name};
use super::{barrier, refused};
use crate::test::{
    Access, AccessOrder, Address, Atom, AtomFunction, Base, Comparison, Dialect, FenceOrder, Guard, Instruction, LocalFunction,
    MembarLevel, Operation, Place, ProxyFenceKind, ThreadId, Type, TypeKind, Value, element,
};

/// What names mean in the program.
pub(super) struct Names {
    dialect: Dialect,
    locations: Vec<String>,
    /// Registers of the initial state, with their threads.
    registers: Vec<(ThreadId, String)>,
    /// Locations that are used but not declared, with the first use.
    pub undeclared: Vec<(String, Span)>,
    /// Barriers as they are written, until all are read and say whose spelling it is.
    pub barriers: Vec<barrier::Written>,
    /// What is probably not meant.
    pub warnings: Vec<Diagnostic>,
}

impl Names {
    /// From the initial state.
    pub fn new(dialect: Dialect, state: &State) -> Self {
        Self {
            dialect,
            locations: state.locations.iter().map(|l| l.name.clone()).collect(),
            registers: state.registers.iter().map(|r| (r.thread, r.name.clone())).collect(),
            undeclared: Vec::new(),
            barriers: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// More locations.
    pub fn add_locations(&mut self, names: Vec<String>) {
        self.locations.extend(names);
    }

    fn is_location(&self, name: &str) -> bool {
        self.locations.iter().any(|l| l == name || element(l).is_some_and(|(array, _)| array == name))
    }

    /// The location that a name means; that of an array is its first element.
    fn location(&self, name: &str) -> String {
        let declared = self.locations.iter().any(|l| l == name);
        if !declared && self.is_location(name) { format!("{name}[0]") } else { name.to_string() }
    }

    /// A name in an address that is no declared location: a register if it is declared as one or looks like one (`r0`, `%p1`).
    fn is_register(&self, name: &str, thread: ThreadId) -> bool {
        let looks_like_one = name.starts_with('%') || {
            let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            !digits.is_empty()
                && digits.len() < name.len()
                && digits.chars().all(|c| c.is_ascii_digit())
                && name.starts_with(['r', 'p', 't'])
        };
        looks_like_one || self.registers.iter().any(|(t, r)| *t == thread && r == name)
    }
}

/// The names of all instructions, for the nearest one to a wrong one.
const KNOWN: [&str; 50] = [
    "ld", "st", "atom", "red", "fence", "membar", "bar", "barrier", "mov", "cvt", "add", "sub", "mul", "div", "rem", "and", "or",
    "xor", "not", "neg", "shl", "shr", "min", "max", "setp", "goto", "bra", "beq", "bne", "blt", "ble", "bgt", "bge", "suld",
    "sust", "sld", "sst", "tld", "tex", "cld", "cold", "ldc", "suatom", "sured", "mfence", "mbarrier", "cp", "exit", "mad",
    "selp",
];

/// Those of them that access no memory: every architecture has them.
const KNOWN_LOCAL: [&str; 28] = [
    "mov", "cvt", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "not", "neg", "shl", "shr", "min", "max", "setp",
    "goto", "bra", "beq", "bne", "blt", "ble", "bgt", "bge", "exit", "mad", "selp",
];

/// Reads a cell, which may be a label and an instruction.
pub(super) fn cell(
    cursor: &mut Cursor<'_>,
    thread: ThreadId,
    names: &mut Names,
    out: &mut Vec<Instruction>,
) -> Result<(), Diagnostic> {
    let start = cursor.span();
    if cursor.peek_word().is_some() && cursor.is_at(1, ':') {
        let (label, span) = cursor.word("a label")?;
        cursor.advance();
        out.push(Instruction { guard: None, operation: Operation::Label(label.to_string()), place: Place(span) });
        if cursor.at_end() {
            return Ok(());
        }
    }
    let guard = if cursor.eat('@') {
        let negated = cursor.eat('!');
        Some(Guard { negated, register: cursor.word("a predicate register")?.0.to_string() })
    } else {
        None
    };
    let barriers = names.barriers.len();
    let operation = operation(cursor, thread, names)?;
    if let Some(written) = names.barriers.get_mut(barriers) {
        written.position = out.len();
    }
    out.push(Instruction { guard, operation, place: Place(start.to(cursor.previous())) });
    Ok(())
}

fn operation(cursor: &mut Cursor<'_>, thread: ThreadId, names: &mut Names) -> Result<Operation, Diagnostic> {
    let mut m = mnemonic(cursor)?;
    let m = &mut m;
    let mut reader = Operands { cursor, thread, names };
    if let Dialect::Text(architecture) = reader.names.dialect
        && let Some(operation) = reader.of_text(m, architecture)?
    {
        return Ok(operation);
    }
    match m.name {
        "ld" => reader.load(m, Proxy::Generic),
        "suld" | "sld" => reader.load(m, Proxy::Surface),
        "tld" | "tex" => reader.load(m, Proxy::Texture),
        // `cold` is Dartagnan's name.
        "cld" | "ldc" | "cold" => reader.load(m, Proxy::Constant),
        "st" => reader.store(m, Proxy::Generic),
        "sust" | "sst" => reader.store(m, Proxy::Surface),
        "atom" => reader.atom(m, true, Proxy::Generic),
        "red" => reader.atom(m, false, Proxy::Generic),
        // `suatom` is Dartagnan's name: the surface atomics of PTX return nothing.
        "suatom" => reader.atom(m, true, Proxy::Surface),
        "sured" => reader.atom(m, false, Proxy::Surface),
        "fence" | "mfence" => reader.fence(m),
        "membar" => reader.membar(m),
        "bar" | "barrier" => barrier::read(&mut reader, m),
        "goto" | "bra" => {
            m.take_word(&["uni"]);
            m.finish(reader.cursor, &["uni"])?;
            Ok(Operation::Goto(reader.cursor.word("a label")?.0.to_string()))
        }
        "exit" | "ret" => {
            m.take_word(&["uni"]);
            m.finish(reader.cursor, &["uni"])?;
            Ok(Operation::Exit)
        }
        "setp" => {
            let comparison = m.take(reader.cursor, "comparison", comparison_from_name)?;
            let comparison = comparison.ok_or_else(|| {
                reader.cursor.error("`setp` needs a comparison", m.span, "write `setp.eq`, `.ne`, `.lt`, `.le`, `.gt` or `.ge`")
            })?;
            reader.local(m, LocalFunction::Compare(comparison))
        }
        "cvt" => reader.conversion(m),
        name => {
            if let Some(comparison) = name.strip_prefix('b').and_then(comparison_from_name) {
                return reader.branch(m, comparison);
            }
            if let Some(function) = LocalFunction::ARITHMETIC.into_iter().find(|f| f.name() == name) {
                return reader.local(m, function);
            }
            if let Some(error) = refused::instruction(cursor, m) {
                return Err(error);
            }
            Err(cursor.unknown("instruction", name, m.span, KNOWN))
        }
    }
}

fn comparison_from_name(word: &str) -> Option<Comparison> {
    Comparison::ALL.into_iter().find(|c| c.mnemonic() == word)
}

/// Reads what follows the mnemonic.
pub(super) struct Operands<'c, 'a> {
    pub cursor: &'c mut Cursor<'a>,
    pub thread: ThreadId,
    pub names: &'c mut Names,
}

impl Operands<'_, '_> {
    fn comma(&mut self) -> Result<(), Diagnostic> {
        self.cursor.expect(',')
    }

    fn destination(&mut self) -> Result<String, Diagnostic> {
        let (name, span) = self.cursor.word("a register")?;
        if self.names.is_location(name) {
            return Err(self.cursor.error(format!("`{name}` is a location, not a register"), span, "expected a register"));
        }
        Ok(name.to_string())
    }

    /// `r0`, `1`, `-1`, `0f3F800000`, `x`
    pub fn value(&mut self) -> Result<Value, Diagnostic> {
        if self.cursor.is_integer() {
            return Ok(Value::Integer(self.cursor.integer("a number")?));
        }
        self.cursor.eat('&');
        let (name, _) = self.cursor.word("a register or a number")?;
        if let Some(bits) = float_bits(name) {
            return Ok(Value::Integer(bits));
        }
        if !self.names.is_location(name) {
            return Ok(Value::Register(name.to_string()));
        }
        let location = match self.index()? {
            Some(index) => format!("{name}[{index}]"),
            None => self.names.location(name),
        };
        Ok(Value::AddressOf(location))
    }

    /// `[1]` after the name of an array.
    fn index(&mut self) -> Result<Option<i64>, Diagnostic> {
        if !(self.cursor.is('[') && self.cursor.is_integer_at(1)) {
            return Ok(None);
        }
        self.cursor.advance();
        let index = self.cursor.integer("the number of an element")?;
        self.cursor.expect(']')?;
        Ok(Some(index))
    }

    /// `.v2`, `.v4`, `.v8`: the number of elements. A vector has 256 bits at most (PTX ISA 9.7.9.8).
    fn vector(&self, m: &mut Mnemonic<'_>) -> Result<Option<usize>, Diagnostic> {
        let Some((word, span)) = m.qualifiers.iter().copied().find(|(w, _)| matches!(*w, "v2" | "v4" | "v8")) else {
            return Ok(None);
        };
        m.take_word(&[word]);
        let count = match word {
            "v2" => 2,
            "v4" => 4,
            _ => 8,
        };
        let ty = m.qualifiers.iter().find_map(|(w, _)| Type::from_name(w));
        match ty.map(|ty| ty.width() * count as u32) {
            Some(bits @ 257..) => Err(self.cursor.error(format!("a vector of {bits} bits"), span, "256 are the most")),
            _ => Ok(Some(count)),
        }
    }

    /// `{a, b}`, with as many elements as the instruction says.
    fn braced<T>(&mut self, count: usize, read: impl Fn(&mut Self) -> Result<T, Diagnostic>) -> Result<Vec<T>, Diagnostic> {
        let open = self.cursor.span();
        if !self.cursor.eat('{') {
            return Err(self
                .cursor
                .expected("`{`")
                .help(format!("`.v{count}` takes {count} elements in braces, e.g. `{{r0, r1}}`")));
        }
        let mut elements = vec![read(self)?];
        while self.cursor.eat(',') {
            elements.push(read(self)?);
        }
        self.cursor.expect('}')?;
        if elements.len() != count {
            let message = format!("{} elements where `.v{count}` has {count}", elements.len());
            return Err(self.cursor.error(message, open.to(self.cursor.previous()), format!("expected {count}")));
        }
        Ok(elements)
    }

    /// `x`, `[x]`, `x[1]`, `[r0]`, `[x+r1]`, `[r0+4]`
    fn address(&mut self) -> Result<Address, Diagnostic> {
        let bracket = self.cursor.eat('[');
        let (name, span) = self.cursor.word("an address")?;
        let base = if let Some(index) = self.index()? {
            let element = format!("{name}[{index}]");
            if !self.names.is_location(&element) {
                let near = self.names.locations.iter().map(String::as_str);
                return Err(self.cursor.unknown("location", &element, span.to(self.cursor.previous()), near));
            }
            Base::Location(element)
        } else if self.names.is_location(name) {
            Base::Location(self.names.location(name))
        } else if self.names.is_register(name, self.thread) {
            Base::Register(name.to_string())
        } else {
            if !self.names.undeclared.iter().any(|(n, _)| n == name) {
                self.names.undeclared.push((name.to_string(), span));
            }
            Base::Location(name.to_string())
        };
        let mut offset = None;
        if bracket {
            if self.cursor.eat('+') {
                offset = Some(self.value()?);
            } else if self.cursor.is('-') {
                offset = Some(Value::Integer(self.cursor.integer("an offset")?));
            }
            self.cursor.expect(']')?;
        }
        Ok(Address { base, offset })
    }

    /// `ld` is also the load of a constant in some tests: `ld.const`. `ld r0, 1` is a move in Dartagnan's tests.
    fn load(&mut self, m: &mut Mnemonic<'_>, proxy: Proxy) -> Result<Operation, Diagnostic> {
        let bare = m.qualifiers.is_empty();
        let proxy = if m.name == "ld" && m.take_word(&["const"]).is_some() { Proxy::Constant } else { proxy };
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
                let warning = format!("`{}` of a value is a move: `mov {destination}, {}`", m.name, self.cursor.text(value.1));
                let warning = self.warning(warning, value.1, "no address: those are in brackets, or names of locations");
                self.names.warnings.push(warning);
                let (function, operands) = (LocalFunction::Move, vec![value.0]);
                return Ok(Operation::Local { function, ty: access.ty, destination, operands });
            }
            Operation::Load { access: Access { proxy, ..access }, destination, address: self.address()? }
        };
        self.cache_policy(hint)?;
        Ok(operation)
    }

    /// A value where an address would be: a number, or a register without brackets (`bare`: after `ld` alone, which PTX has not).
    fn moved(&mut self, bare: bool) -> Result<Option<(Value, Span)>, Diagnostic> {
        let start = self.cursor.span();
        let is_register = |word: &str| !self.names.is_location(word) && self.names.is_register(word, self.thread);
        let register = bare && self.names.dialect == Dialect::Ptx && self.cursor.peek_word().is_some_and(is_register);
        if !self.cursor.is_integer() && !register {
            return Ok(None);
        }
        let value = self.value()?;
        Ok(Some((value, start.to(self.cursor.previous()))))
    }

    fn warning(&self, message: String, span: Span, label: &str) -> Diagnostic {
        Diagnostic::warning(message).at(self.cursor.file, span, label)
    }

    /// The operand of `.L2::cache_hint`, which changes no value.
    fn cache_policy(&mut self, hint: bool) -> Result<(), Diagnostic> {
        if hint && self.cursor.eat(',') {
            self.cursor.word("the register with the cache policy")?;
        }
        Ok(())
    }

    fn store(&mut self, m: &mut Mnemonic<'_>, proxy: Proxy) -> Result<Operation, Diagnostic> {
        let vector = if proxy == Proxy::Generic { self.vector(m)? } else { None };
        let hint = m.has_cache_hint();
        let (access, _) = access(self.cursor, m, AccessKind::Store, self.names.dialect)?;
        self.only_weak(m, access, proxy)?;
        let address = self.address()?;
        self.comma()?;
        let operation = match vector {
            Some(count) => Operation::VectorStore { access, address, values: self.braced(count, Self::value)? },
            None => Operation::Store { access: Access { proxy, ..access }, address, value: self.value()? },
        };
        self.cache_policy(hint)?;
        Ok(operation)
    }

    /// Accesses through other proxies have no orders.
    fn only_weak(&self, m: &Mnemonic<'_>, access: Access, proxy: Proxy) -> Result<(), Diagnostic> {
        match access.order {
            Some(order) if order != AccessOrder::Weak && proxy != Proxy::Generic => Err(self.cursor.error(
                format!("`{}` cannot be `.{}`", m.name, order.name()),
                m.span,
                "only weak accesses go through this proxy",
            )),
            _ => Ok(()),
        }
    }

    fn atom(&mut self, m: &mut Mnemonic<'_>, returns: bool, proxy: Proxy) -> Result<Operation, Diagnostic> {
        let name = m.name;
        let acquire = m.place_of("acquire").to(m.place_of("acq_rel"));
        let hint = m.has_cache_hint();
        let (access, function) = access(self.cursor, m, AccessKind::Atomic, self.names.dialect)?;
        let Some(function) = function else {
            let help = "one of exch, cas, add, and, or, xor, inc, dec, min, max; of Dartagnan's also sub, mul, div";
            return Err(self.cursor.error(format!("`{name}` needs a function"), m.span, "no function").help(help));
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
        Ok(Operation::Atom(Atom { access, function, destination, address, operand, replacement }))
    }

    /// The scope behind the mnemonic of an architecture that is a text.
    fn scope_of_text(&self, m: &mut Mnemonic<'_>, architecture: Architecture) -> Result<Scope, Diagnostic> {
        let signature = signature::Signature::Text(architecture);
        let names = signature.scope_names();
        let Some(&(word, span)) = m.qualifiers.first() else {
            let error = self.cursor.error("the instruction needs a scope", m.span, "no scope behind it");
            return Err(
                error.help(format!("append one, e.g. `.{}`; {architecture} has {names}", architecture.scope_name(Scope::Sys)))
            );
        };
        let Some(scope) = signature.scope_named(word) else {
            let known: Vec<&str> = architecture.levels().map(signature::Level::name).collect();
            let error = self.cursor.unknown("scope", word, span, known);
            return Err(if error.help.is_some() { error } else { error.help(format!("{architecture} has {names}")) });
        };
        m.qualifiers.remove(0);
        Ok(scope)
    }

    /// An instruction of an architecture that is a text; `None` for those that access no memory.
    fn of_text(&mut self, m: &mut Mnemonic<'_>, architecture: Architecture) -> Result<Option<Operation>, Diagnostic> {
        let words: Vec<&str> = std::iter::once(m.name).chain(m.qualifiers.iter().map(|(w, _)| *w)).collect();
        let named = |n: usize| architecture.instruction(&words[..n].join("."));
        let Some((construct, length)) = (1..=words.len()).rev().find_map(|n| Some((named(n)?, n))) else {
            return match KNOWN_LOCAL.contains(&m.name) || m.name.strip_prefix('b').and_then(comparison_from_name).is_some() {
                true => Ok(None),
                false => {
                    let known: Vec<&str> =
                        architecture.constructs().into_iter().filter_map(|c| architecture.mnemonic(c)).collect();
                    let error = self.cursor.unknown(
                        "instruction",
                        &words.join("."),
                        m.span,
                        known.iter().copied().chain(KNOWN_LOCAL).collect::<Vec<_>>(),
                    );
                    Err(match error.help {
                        Some(_) => error,
                        None => error.help(format!("{architecture} has {}", known.join(", "))),
                    })
                }
            };
        };
        m.qualifiers.drain(..length - 1);
        let tags = architecture.tags_of(construct);
        let scope = match architecture.takes_scope(construct) {
            true => Some(self.scope_of_text(m, architecture)?),
            false => None,
        };
        let access = Access { order: Some(AccessOrder::Text(tags)), scope, ..Access::default() };
        Ok(Some(match construct.operation {
            signature::Operation::Read => {
                m.finish(self.cursor, &[])?;
                let destination = self.destination()?;
                self.comma()?;
                Operation::Load { access, destination, address: self.address()? }
            }
            signature::Operation::Write => {
                m.finish(self.cursor, &[])?;
                let address = self.address()?;
                self.comma()?;
                Operation::Store { access, address, value: self.value()? }
            }
            signature::Operation::Fence => {
                m.finish(self.cursor, &[])?;
                Operation::Fence { order: Some(FenceOrder::Text(tags)), scope }
            }
            signature::Operation::Rmw => {
                let functions = AtomFunction::ALL;
                let function = m.take(self.cursor, "function", |w| functions.into_iter().find(|f| f.name() == w))?;
                m.finish(self.cursor, &functions.map(AtomFunction::name))?;
                let function = function.unwrap_or(AtomFunction::Exchange);
                let destination = self.destination()?;
                self.comma()?;
                let address = self.address()?;
                self.comma()?;
                let operand = self.value()?;
                let replacement = match function {
                    AtomFunction::CompareAndSwap => {
                        self.comma()?;
                        Some(self.value()?)
                    }
                    _ => None,
                };
                Operation::Atom(Atom { access, function, destination: Some(destination), address, operand, replacement })
            }
        }))
    }

    /// `.proxy.alias` and its kin, after `fence` or `membar`.
    fn proxy_fence(&mut self, m: &mut Mnemonic<'_>) -> Result<Option<Operation>, Diagnostic> {
        if m.take_word(&["proxy"]).is_none() {
            return Ok(None);
        }
        let kinds = ProxyFenceKind::ALL.map(ProxyFenceKind::name);
        let kind = m.take(self.cursor, "proxy", |w| ProxyFenceKind::ALL.into_iter().find(|k| k.name() == w))?;
        m.finish(self.cursor, &kinds)?;
        let write = "write `.alias`, `.surface`, `.texture` or `.constant`";
        let missing = || self.cursor.error("a proxy fence needs a proxy", m.span, write);
        kind.map(|kind| Some(Operation::ProxyFence(kind))).ok_or_else(missing)
    }

    fn fence(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        if let Some(error) = refused::fence(self.cursor, m) {
            return Err(error);
        }
        if let Some(fence) = self.proxy_fence(m)? {
            return Ok(fence);
        }
        if self.names.dialect == Dialect::Generic {
            m.finish(self.cursor, &[])?;
            return Ok(Operation::Fence { order: None, scope: None });
        }
        let orders = [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::Sc];
        let order = m.take(self.cursor, "memory order", |w| orders.into_iter().find(|o| o.name() == w))?;
        let scope = m.take(self.cursor, "scope", scope_from_name)?;
        m.finish(self.cursor, &["sc", "acq_rel", "acquire", "release", "cta", "cluster", "gpu", "sys", "proxy"])?;
        if m.name == "mfence" || scope.is_none() {
            let error = self.cursor.error(format!("`{}` needs a scope", m.name), m.span, "no scope");
            return Err(error.help("PTX has no default here: write e.g. `fence.sc.gpu`"));
        }
        Ok(Operation::Fence { order, scope })
    }

    fn membar(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        if let Some(fence) = self.proxy_fence(m)? {
            return Ok(fence);
        }
        let levels = [MembarLevel::Cta, MembarLevel::Gl, MembarLevel::Sys];
        let level = m.take(self.cursor, "level", |w| levels.into_iter().find(|l| l.name() == w))?;
        m.finish(self.cursor, &["cta", "gl", "sys"])?;
        level
            .map(Operation::Membar)
            .ok_or_else(|| self.cursor.error("`membar` needs a level", m.span, "write `.cta`, `.gl` or `.sys`"))
    }

    fn branch(&mut self, m: &mut Mnemonic<'_>, comparison: Comparison) -> Result<Operation, Diagnostic> {
        m.finish(self.cursor, &[])?;
        let left = self.value()?;
        self.comma()?;
        let right = self.value()?;
        self.comma()?;
        let target = self.cursor.word("a label")?.0.to_string();
        Ok(Operation::BranchIf { comparison, left, right, target })
    }

    fn local(&mut self, m: &mut Mnemonic<'_>, function: LocalFunction) -> Result<Operation, Diagnostic> {
        let wide = m.take_word(&["wide"]).is_some();
        m.take_word(&["lo"]);
        let function = match function {
            LocalFunction::Multiply if wide => LocalFunction::MultiplyWide,
            LocalFunction::MultiplyAdd if wide => LocalFunction::MultiplyAddWide,
            other => other,
        };
        let place = m.qualifiers.iter().find(|(w, _)| Type::from_name(w).is_some()).map_or(m.span, |(_, span)| *span);
        let ty = m.take(self.cursor, "type", Type::from_name)?;
        m.finish(self.cursor, &["s32", "u32", "b32", "s64", "u64", "b64", "pred", "lo", "wide"])?;
        if let Some(ty) = ty {
            self.computes(m, function, ty, place)?;
        }
        self.computed(function, ty)
    }

    /// `cvt.u64.u32 r1, r0`
    fn conversion(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        let mut types = Vec::new();
        m.qualifiers.retain(|(word, span)| {
            let ty = Type::from_name(word);
            types.extend(ty.map(|ty| (ty, *span)));
            ty.is_none()
        });
        m.finish(self.cursor, &["s32", "u32", "s64", "u64", "s16", "u16", "s8", "u8"])?;
        let [(to, _), (from, place)] = types[..] else {
            let error = self.cursor.error("`cvt` needs two types", m.span, format!("{} here", types.len()));
            return Err(error.help("that of the result and that of the operand: `cvt.u64.u32`"));
        };
        self.computes(m, LocalFunction::Convert(from), to, place)?;
        if from != to {
            self.computes(m, LocalFunction::Convert(from), from, place)?;
        }
        self.computed(LocalFunction::Convert(from), Some(to))
    }

    /// An error where the type is none that is computed with.
    fn computes(&self, m: &Mnemonic<'_>, function: LocalFunction, ty: Type, place: Span) -> Result<(), Diagnostic> {
        let moves = matches!(function, LocalFunction::Move | LocalFunction::Select);
        let compares = matches!(function, LocalFunction::Compare(_));
        if moves || !ty.kind.is_float() && !ty.packed && ty.bits <= 64 && (ty.kind != TypeKind::Predicate || !compares) {
            return Ok(());
        }
        let what = if ty.packed { "both elements at once" } else { "no integers" };
        let error = self.cursor.error(format!("`{}` with `.{ty}` is not modelled", m.name), place, what);
        Err(error.help("values are integers of up to 64 bits; `mov`, `selp`, loads and stores take any type"))
    }

    fn computed(&mut self, function: LocalFunction, ty: Option<Type>) -> Result<Operation, Diagnostic> {
        let destination = self.destination()?;
        let mut operands = Vec::new();
        for _ in 0..function.arity() {
            self.comma()?;
            operands.push(self.value()?);
        }
        Ok(Operation::Local { function, ty, destination, operands })
    }
}

/// The bits of a floating-point number in hexadecimal, `0f3F800000` or `0d3FF0000000000000` (PTX ISA 4.5.2).
fn float_bits(word: &str) -> Option<i64> {
    let digits = word.strip_prefix("0f").or(word.strip_prefix("0F")).filter(|d| d.len() == 8);
    let digits = digits.or(word.strip_prefix("0d").or(word.strip_prefix("0D")).filter(|d| d.len() == 16))?;
    u64::from_str_radix(digits, 16).ok().map(|bits| bits as i64)
}
