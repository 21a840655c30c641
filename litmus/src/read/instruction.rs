//! A cell of the table: a label, or one instruction.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Proxy;

use super::cursor::Cursor;
use super::head::State;
use super::qualifier::{AccessKind, Mnemonic, access, mnemonic, scope_from_name, type_from_name};
use crate::test::{
    Access, AccessOrder, Address, Atom, AtomFunction, BarrierMode, Base, ClusterBarrier, Comparison, Dialect, FenceOrder, Guard,
    Instruction, LocalFunction, MembarLevel, Operation, Place, ProxyFenceKind, ThreadId, Value, element,
};

/// What names mean in the program.
pub(super) struct Names {
    dialect: Dialect,
    locations: Vec<String>,
    /// Registers of the initial state, with their threads.
    registers: Vec<(ThreadId, String)>,
    /// Locations that are used but not declared, with the first use.
    pub undeclared: Vec<(String, Span)>,
}

impl Names {
    /// From the initial state.
    pub fn new(dialect: Dialect, state: &State) -> Self {
        Self {
            dialect,
            locations: state.locations.iter().map(|l| l.name.clone()).collect(),
            registers: state.registers.iter().map(|r| (r.thread, r.name.clone())).collect(),
            undeclared: Vec::new(),
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
const KNOWN: [&str; 47] = [
    "ld", "st", "atom", "red", "fence", "membar", "bar", "barrier", "mov", "cvt", "add", "sub", "mul", "div", "rem", "and", "or",
    "xor", "not", "neg", "shl", "shr", "min", "max", "setp", "goto", "bra", "beq", "bne", "blt", "ble", "bgt", "bge", "suld",
    "sust", "sld", "sst", "tld", "tex", "cld", "mfence", "ldu", "cp", "mbarrier", "exit", "mad", "selp",
];

/// Instructions of PTX with effects on memory or control that no model here speaks of.
const NOT_MODELLED: [&str; 12] =
    ["cp", "mbarrier", "multimem", "wgmma", "ldu", "prefetch", "prefetchu", "discard", "applypriority", "vote", "shfl", "call"];

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
    let operation = operation(cursor, thread, names)?;
    out.push(Instruction { guard, operation, place: Place(start.to(cursor.previous())) });
    Ok(())
}

fn operation(cursor: &mut Cursor<'_>, thread: ThreadId, names: &mut Names) -> Result<Operation, Diagnostic> {
    let mut m = mnemonic(cursor)?;
    let m = &mut m;
    let mut reader = Operands { cursor, thread, names };
    match m.name {
        "ld" => reader.load(m, Proxy::Generic),
        "suld" | "sld" => reader.load(m, Proxy::Surface),
        "tld" | "tex" => reader.load(m, Proxy::Texture),
        "cld" | "ldc" => reader.load(m, Proxy::Constant),
        "st" => reader.store(m, Proxy::Generic),
        "sust" | "sst" => reader.store(m, Proxy::Surface),
        "atom" => reader.atom(m, true),
        "red" => reader.atom(m, false),
        "fence" | "mfence" => reader.fence(m),
        "membar" => reader.membar(m),
        "bar" | "barrier" => reader.barrier(m),
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
        "cvt" => reader.local(m, LocalFunction::Move),
        name => {
            if let Some(comparison) = name.strip_prefix('b').and_then(comparison_from_name) {
                return reader.branch(m, comparison);
            }
            if let Some(function) = LocalFunction::ARITHMETIC.into_iter().find(|f| f.name() == name) {
                return reader.local(m, function);
            }
            if NOT_MODELLED.contains(&name) {
                let error = cursor.error(
                    format!("`{name}` is not modelled"),
                    m.span,
                    "an instruction of PTX that Margay has no semantics for",
                );
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
struct Operands<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    thread: ThreadId,
    names: &'c mut Names,
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

    /// `r0`, `1`, `-1`, `x`
    fn value(&mut self) -> Result<Value, Diagnostic> {
        if self.cursor.is_integer() {
            return Ok(Value::Integer(self.cursor.integer("a number")?));
        }
        self.cursor.eat('&');
        let (name, _) = self.cursor.word("a register or a number")?;
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

    /// `.v2`, `.v4`: the number of elements.
    fn vector(m: &mut Mnemonic<'_>) -> Option<usize> {
        m.take_word(&["v2", "v4"]).map(|w| if w == "v2" { 2 } else { 4 })
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

    /// `ld` is also the load of a constant in some tests: `ld.const`.
    fn load(&mut self, m: &mut Mnemonic<'_>, proxy: Proxy) -> Result<Operation, Diagnostic> {
        let constant = m.name == "ld" && m.take_word(&["const", "param"]).is_some();
        let proxy = if constant { Proxy::Constant } else { proxy };
        let vector = if proxy == Proxy::Generic { Self::vector(m) } else { None };
        let (access, _) = access(self.cursor, m, AccessKind::Load, self.names.dialect)?;
        self.only_weak(m, access, proxy)?;
        if let Some(count) = vector {
            let destinations = self.braced(count, Self::destination)?;
            self.comma()?;
            return Ok(Operation::VectorLoad { access, destinations, address: self.address()? });
        }
        let destination = self.destination()?;
        self.comma()?;
        Ok(Operation::Load { access: Access { proxy, ..access }, destination, address: self.address()? })
    }

    fn store(&mut self, m: &mut Mnemonic<'_>, proxy: Proxy) -> Result<Operation, Diagnostic> {
        let vector = if proxy == Proxy::Generic { Self::vector(m) } else { None };
        let (access, _) = access(self.cursor, m, AccessKind::Store, self.names.dialect)?;
        self.only_weak(m, access, proxy)?;
        let address = self.address()?;
        self.comma()?;
        if let Some(count) = vector {
            return Ok(Operation::VectorStore { access, address, values: self.braced(count, Self::value)? });
        }
        Ok(Operation::Store { access: Access { proxy, ..access }, address, value: self.value()? })
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

    fn atom(&mut self, m: &mut Mnemonic<'_>, returns: bool) -> Result<Operation, Diagnostic> {
        let name = m.name;
        let acquire = m.place_of("acquire").to(m.place_of("acq_rel"));
        let (access, function) = access(self.cursor, m, AccessKind::Atomic, self.names.dialect)?;
        let Some(function) = function else {
            let help = "one of exch, cas, add, and, or, xor, inc, dec, min, max";
            return Err(self.cursor.error(format!("`{name}` needs a function"), m.span, "no function").help(help));
        };
        if !returns {
            if matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap) {
                return Err(self.cursor.error(
                    format!("`red` has no `.{}`", function.name()),
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
        Ok(Operation::Atom(Atom { access, function, destination, address, operand, replacement }))
    }

    fn fence(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        if m.take_word(&["proxy"]).is_some() {
            let kinds = ProxyFenceKind::ALL.map(ProxyFenceKind::name);
            let kind = m.take(self.cursor, "proxy", |w| ProxyFenceKind::ALL.into_iter().find(|k| k.name() == w))?;
            m.finish(self.cursor, &kinds)?;
            return kind.map(Operation::ProxyFence).ok_or_else(|| {
                self.cursor.error("a proxy fence needs a proxy", m.span, "write `.alias`, `.surface`, `.texture` or `.constant`")
            });
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
        if m.take_word(&["proxy"]).is_some() {
            let kinds = ProxyFenceKind::ALL.map(ProxyFenceKind::name);
            let kind = m.take(self.cursor, "proxy", |w| ProxyFenceKind::ALL.into_iter().find(|k| k.name() == w))?;
            m.finish(self.cursor, &kinds)?;
            return kind
                .map(Operation::ProxyFence)
                .ok_or_else(|| self.cursor.error("a proxy fence needs a proxy", m.span, "write `.alias`"));
        }
        let levels = [MembarLevel::Cta, MembarLevel::Gl, MembarLevel::Sys];
        let level = m.take(self.cursor, "level", |w| levels.into_iter().find(|l| l.name() == w))?;
        m.finish(self.cursor, &["cta", "gl", "sys"])?;
        level
            .map(Operation::Membar)
            .ok_or_else(|| self.cursor.error("`membar` needs a level", m.span, "write `.cta`, `.gl` or `.sys`"))
    }

    fn barrier(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        if let Some((_, span)) = m.qualifiers.iter().find(|(w, _)| *w == "warp") {
            let error = self.cursor.error("barriers of warps are not modelled", *span, "a warp");
            return Err(error.help("chapter 8 of the PTX ISA has barriers of ctas and clusters (8.9.4)"));
        }
        m.take_word(&["aligned"]);
        if m.name == "barrier" && m.take_word(&["cluster"]).is_some() {
            let arrive = m.take_word(&["arrive", "wait"]).map(|w| w == "arrive");
            let order = m.take_word(&["release", "relaxed", "acquire"]);
            m.finish(self.cursor, &["arrive", "wait", "release", "relaxed", "acquire", "aligned"])?;
            return match (arrive, order) {
                (Some(true), None | Some("release")) => Ok(Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed: false })),
                (Some(true), Some("relaxed")) => Ok(Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed: true })),
                (Some(false), None | Some("acquire")) => Ok(Operation::ClusterBarrier(ClusterBarrier::Wait)),
                (Some(_), Some(order)) => Err(self.cursor.error(
                    format!("a cluster barrier cannot be `.{order}` here"),
                    m.span,
                    "arrive releases, wait acquires",
                )),
                (None, _) => Err(self.cursor.error("`barrier.cluster` needs `.arrive` or `.wait`", m.span, "neither of them")),
            };
        }
        m.take_word(&["cta"]);
        let modes = [BarrierMode::Sync, BarrierMode::Arrive, BarrierMode::Reduce];
        let mode = m.take(self.cursor, "mode", |w| modes.into_iter().find(|k| k.name() == w))?;
        m.take_word(&["popc", "and", "or"]);
        m.take(self.cursor, "type", type_from_name)?;
        m.finish(self.cursor, &["cta", "cluster", "sync", "arrive", "red", "aligned"])?;
        let mode = mode.ok_or_else(|| {
            self.cursor.error(format!("`{}` needs a mode", m.name), m.span, "write `.sync`, `.arrive` or `.red`")
        })?;
        if mode == BarrierMode::Reduce
            && let Some(register) = self.cursor.peek_word()
        {
            let error = format!("the result of a reduction is not modelled, `{register}` would take it");
            let help =
                "write `bar.cta.red` and the number of the barrier: it synchronises as `bar.cta.sync` does (PTX ISA 8.9.4)";
            return Err(self.cursor.error(error, self.cursor.span(), "a register here").help(help));
        }
        let barrier = if self.cursor.is_integer() { self.cursor.small("the number of the barrier")? } else { 0 };
        let mut count = None;
        if self.cursor.eat(',') {
            let n = self.cursor.integer("the number of threads")?;
            count = Some(u32::try_from(n).map_err(|_| {
                self.cursor.error("the number of threads is not between 0 and 4294967295", self.cursor.previous(), "this number")
            })?);
        }
        Ok(Operation::Barrier { mode, barrier, count })
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
        m.take_word(&["lo", "wide"]);
        let mut ty = None;
        while let Some(place) = m.qualifiers.iter().position(|(w, _)| type_from_name(w).is_some()) {
            let found = type_from_name(m.qualifiers.remove(place).0);
            ty = ty.or(found);
        }
        m.finish(self.cursor, &["s32", "u32", "b32", "s64", "u64", "b64", "pred", "lo"])?;
        let destination = self.destination()?;
        let mut operands = Vec::new();
        for _ in 0..function.arity() {
            self.comma()?;
            operands.push(self.value()?);
        }
        Ok(Operation::Local { function, ty, destination, operands })
    }
}
