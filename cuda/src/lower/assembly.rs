//! Inline PTX, and the functions that are none of C++: atomics, cached accesses, assertions.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::tree::{AssemblyTree, CudaExpression, NamePart, NamePath};
use crate::types::{CudaType, TypeShape};

/// The kinds of operands of inline PTX: the letter, the class of registers, the type of `mov`.
const KINDS: [(char, usize, &str); 5] =
    [('h', 1, "u16"), ('r', 2, "u32"), ('l', 3, "u64"), ('f', 4, "f32"), ('d', 5, "f64")];

impl KernelLowering {
    pub(super) fn assembly(&mut self, tree: &AssemblyTree, at: CudaSpan) -> LoweringResult<()> {
        self.set_position(at);
        let mut names: Vec<Rc<str>> = Vec::new();
        let mut results = Vec::new();
        for (constraint, e) in &tree.outputs {
            let target = self.lower(e)?;
            let Some(&(_, class, ty)) = KINDS.iter().find(|(c, ..)| constraint.ends_with(*c))
            else {
                return self.refuse(
                    e.at,
                    format!("an operand `{constraint}` of `asm`"),
                    "known are h, r, l, f, d and n",
                );
            };
            self.fits_operand(&target.ty, (constraint, class), e.at)?;
            let register = self.new_register_of(class);
            if constraint.starts_with('+') {
                let value = self.rvalue(target.clone())?;
                let text = self.operand(&value)?;
                self.moved_to_class(&register, (class, ty), &value.ty, &text)?;
            }
            names.push(register.clone());
            results.push((target, register, class, e.at));
        }
        for (constraint, e) in &tree.inputs {
            let value = self.value(e)?;
            let value = self.plain(value, e.at)?;
            if &**constraint == "n" {
                let Some(number) = value.known() else {
                    return self.refuse(
                        e.at,
                        "an operand `n` of `asm` that is not constant",
                        "give a number that is known when the program is compiled",
                    );
                };
                names.push((number as i64).to_string().into());
                continue;
            }
            // `"0"` is the first operand, which is read as well.
            if let Ok(number) = constraint.parse::<usize>() {
                let Some((_, register, class, _)) = results.get(number).cloned() else {
                    return self.refuse(
                        e.at,
                        format!("there is no operand {number}"),
                        "name one that is written",
                    );
                };
                let text = self.operand(&value)?;
                let ty = KINDS.iter().find(|(_, c, _)| *c == class).map_or("u32", |k| k.2);
                self.moved_to_class(&register, (class, ty), &value.ty, &text)?;
                names.push(register);
                continue;
            }
            let Some(&(_, class, ty)) = KINDS.iter().find(|(c, ..)| constraint.ends_with(*c))
            else {
                return self.refuse(
                    e.at,
                    format!("an operand `{constraint}` of `asm`"),
                    "known are h, r, l, f, d and n",
                );
            };
            // A pointer to shared memory is turned into a number by the program; that into 32 bits
            // is cut here.
            let value = match (value.ty.is_pointer(), class) {
                (true, 2) => {
                    return self.refuse(
                        e.at,
                        "an address for an operand `r` of `asm`",
                        "use `l`, or `__cvta_generic_to_shared`",
                    );
                }
                _ => value,
            };
            self.fits_operand(&value.ty, (constraint, class), e.at)?;
            let text = self.operand(&value)?;
            let register = self.new_register_of(class);
            self.moved_to_class(&register, (class, ty), &value.ty, &text)?;
            names.push(register);
        }
        self.set_position(at);
        let mut text = String::new();
        let unique = self.label();
        let written = without_comments(&tree.text);
        let mut rest = written.chars().peekable();
        while let Some(c) = rest.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            match rest.peek().copied() {
                Some('%') => {
                    rest.next();
                    text.push('%');
                }
                Some('=') => {
                    rest.next();
                    text.push_str(&unique.to_string());
                }
                Some(digit) if digit.is_ascii_digit() => {
                    let mut number = 0usize;
                    while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                        number = number.saturating_mul(10).saturating_add(digit as usize);
                        rest.next();
                    }
                    let Some(name) = names.get(number) else {
                        return self.refuse(
                            at,
                            format!("`asm` has no operand %{number}"),
                            "operands are counted from 0",
                        );
                    };
                    text.push_str(name);
                }
                // Of a register of PTX: `%laneid`.
                Some(letter) if letter.is_ascii_alphabetic() => text.push('%'),
                _ => {
                    return self.refuse(
                        at,
                        "a `%` in `asm` that names no operand",
                        "operands are %0, %1 and so on; a sign `%` is `%%`",
                    );
                }
            }
        }
        let text = text.replace(['\n', '\t', '\r'], " ");
        let text = text.trim();
        if !text.is_empty() {
            self.checked(text, at)?;
            let text = text.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
            self.emit(text)?;
        }
        for (target, register, class, at) in results {
            let ty = match class {
                1 => CudaType::integer(2, false),
                3 => CudaType::integer(8, false),
                4 => CudaType::plain(TypeShape::Real(4)),
                5 => CudaType::plain(TypeShape::Real(8)),
                _ => CudaType::UNSIGNED,
            };
            let register = match class {
                1 => {
                    let wide = self.new_register_of(2);
                    self.emit(format!("cvt.u32.u16 {wide}, {register}"))?;
                    wide
                }
                _ => register,
            };
            self.put(&target, TypedValue::register(ty, register), at)?;
        }
        Ok(())
    }

    /// An operand of `asm` has the size, and is a whole number or a fraction, as its letter says.
    /// The library's own are not asked.
    fn fits_operand(
        &self,
        ty: &CudaType,
        (constraint, class): (&str, usize),
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let (bytes, is_real) = match class {
            1 => (2, false),
            2 => (4, false),
            3 => (8, false),
            4 => (4, true),
            _ => (8, true),
        };
        if at.file == 0 || !ty.is_scalar() || (ty.bytes(), ty.is_real()) == (bytes, is_real) {
            return Ok(());
        }
        let kind = if is_real { "floating-point number" } else { "whole number" };
        let text = format!(
            "an operand `{constraint}` of `asm` is a {kind} of {bytes} bytes, and this is of the type {}",
            self.type_text(ty)
        );
        self.refuse(
            at,
            text,
            "give it the letter of its type (h, r, l, f and d are 2, 4 and 8 bytes, float and double), or convert it",
        )
    }

    /// Inline PTX must be whole: brackets closed, and no end of the function in it.
    fn checked(&self, text: &str, at: CudaSpan) -> LoweringResult<()> {
        let mut depth = 0i64;
        for c in text.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                break;
            }
        }
        if depth != 0
            || text.contains(".entry")
            || text.contains(".func")
            || text.contains(".version")
        {
            return self.refuse(
                at,
                "the PTX of this `asm` is not whole",
                "close its braces; it is put into the kernel as it is",
            );
        }
        Ok(())
    }

    fn moved_to_class(
        &mut self,
        register: &str,
        (class, ty): (usize, &str),
        of: &CudaType,
        text: &str,
    ) -> LoweringResult<()> {
        match (class, of.bytes()) {
            (1, _) => {
                let from = if of.bytes() == 8 { "u64" } else { "u32" };
                self.emit(format!("cvt.u16.{from} {register}, {text}"))
            }
            (2, 8) if !of.is_real() => self.emit(format!("cvt.u32.u64 {register}, {text}")),
            (3, 0..=4) if !of.is_real() && text.starts_with('%') => {
                let sign = if of.is_signed() { 's' } else { 'u' };
                self.emit(format!("cvt.{sign}64.{sign}32 {register}, {text}"))
            }
            _ => self.emit(format!("mov.{ty} {register}, {text}")),
        }
    }

    /// A function that no C++ says: `atomicAdd`, `__ldg`, `assert`.
    pub(super) fn builtin(
        &mut self,
        path: &NamePath,
        arguments: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        let name = path.last().name.clone();
        if let Some(found) = self.atomic_function(&name, arguments, at)? {
            return Ok(Some(found));
        }
        let cache = match &*name {
            "__ldg" => Some(".nc"),
            "__ldca" => Some(".ca"),
            "__ldcg" => Some(".cg"),
            "__ldcs" => Some(".cs"),
            "__ldcv" => Some(".cv"),
            "__ldlu" => Some(".lu"),
            "__stwb" => Some(".wb"),
            "__stcg" => Some(".cg"),
            "__stcs" => Some(".cs"),
            "__stwt" => Some(".wt"),
            _ => None,
        };
        if let Some(cache) = cache {
            let is_store = name.starts_with("__st");
            if arguments.len() != 1 + usize::from(is_store) {
                return self.refuse(
                    at,
                    format!("`{name}` gets {} arguments", arguments.len()),
                    "it takes an address, and a value if it stores",
                );
            }
            let pointer = self.value(&arguments[0])?;
            let target = self.pointed(pointer, at)?;
            let ValueForm::Place(place) = target.form else { return Ok(None) };
            if is_store {
                let value = self.value(&arguments[1])?;
                let value = self.converted(value, &target.ty, at)?;
                self.set_position(at);
                if let (Some(_), ValueForm::Place(from) | ValueForm::Temporary(from)) =
                    (target.ty.structure(), &value.form)
                {
                    let (parts, align) =
                        (self.parts(&target.ty.value(), at)?, self.size_of(&target.ty, at)?.1);
                    let values = self.load_parts(from, &parts, align, "")?;
                    self.store_parts(&place, &parts, align, values, cache)?;
                    return Ok(Some(TypedValue::nothing()));
                }
                self.store_by(&place, &target.ty.value(), value, cache)?;
                return Ok(Some(TypedValue::nothing()));
            }
            if target.ty.structure().is_some() {
                let (bytes, align) = self.size_of(&target.ty, at)?;
                let copy = self.local("loaded", bytes, align, at)?;
                let parts = self.parts(&target.ty.value(), at)?;
                let values = self.load_parts(&place, &parts, align, cache)?;
                self.store_parts(&copy, &parts, align, values, "")?;
                return Ok(Some(TypedValue {
                    ty: target.ty.value(),
                    form: ValueForm::Temporary(copy),
                }));
            }
            return self.load_by(&place, &target.ty.value(), cache).map(Some);
        }
        Ok(match &*name {
            "memcpy" | "__builtin_memcpy" => self.copied_memory(arguments, at)?,
            "printf" => {
                for e in arguments {
                    let value = self.value(e)?;
                    if value.ty.is_scalar() {
                        self.rvalue(value)?;
                    }
                }
                Some(TypedValue::constant(CudaType::INT, 0))
            }
            "assert" | "__assert" | "__global_assert" => {
                let [condition] = arguments else {
                    return self.refuse(at, "`assert` is of one condition", "give one");
                };
                let holds = self.label();
                match self.condition(condition, holds, true)? {
                    Some(true) => {}
                    Some(false) => self.failed_assertion()?,
                    None => {
                        self.set_position(at);
                        self.failed_assertion()?;
                        self.put_label(holds);
                    }
                }
                Some(TypedValue::nothing())
            }
            "__assert_fail" | "__assertfail" => {
                self.failed_assertion()?;
                Some(TypedValue::nothing())
            }
            "__builtin_expect" if arguments.len() == 2 => Some(self.value(&arguments[0])?),
            "__builtin_assume" | "__builtin_prefetch" => Some(TypedValue::nothing()),
            "__builtin_assume_aligned" if !arguments.is_empty() => Some(self.value(&arguments[0])?),
            // What verifiers of kernels suppose: a thread of which it is not so ends.
            "__requires" | "__assume" if arguments.len() == 1 => {
                let holds = self.label();
                if self.condition(&arguments[0], holds, true)? != Some(true) {
                    self.set_position(at);
                    self.emit("exit")?;
                }
                self.put_label(holds);
                Some(TypedValue::nothing())
            }
            // Is the thread there? They ask it of all threads at once.
            "__enabled" if arguments.is_empty() => Some(TypedValue::constant(CudaType::INT, 1)),
            "__builtin_unreachable" => {
                self.emit("exit")?;
                Some(TypedValue::nothing())
            }
            "__cvta_generic_to_shared" | "__cvta_generic_to_global" if arguments.len() == 1 => {
                let value = self.value(&arguments[0])?;
                let register = self.in_register(value)?;
                let to = self.new_register_of(3);
                let space = if name.ends_with("shared") { "shared" } else { "global" };
                self.emit(format!("cvta.to.{space}.u64 {to}, {register}"))?;
                Some(TypedValue::register(CudaType::integer(8, false), to))
            }
            // `std::move`, `std::forward`
            "move" | "forward" if path.parts.len() > 1 && arguments.len() == 1 => {
                let of = path
                    .last()
                    .arguments
                    .as_deref()
                    .and_then(<[_]>::first)
                    .filter(|_| &*name == "forward")
                    .cloned();
                Some(self.expiring(of.as_ref(), &arguments[0])?)
            }
            "__margay_grid_word" => {
                let name: Rc<str> = "grid_barrier".into();
                if self.grid_barriers == 0 {
                    use std::fmt::Write as _;
                    self.grid_barriers = 1;
                    self.symbols.insert(name.clone());
                    let _ = writeln!(self.declarations, ".global .align 4 .u32 grid_barrier;");
                }
                let place = super::ValuePlace::Memory {
                    base: name,
                    offset: 0,
                    space: super::KnownSpace::Global,
                };
                Some(self.address_of(CudaType::UNSIGNED, place)?)
            }
            _ => None,
        })
    }

    fn failed_assertion(&mut self) -> LoweringResult<()> {
        self.needs_assertions = true;
        self.emit("call __assertfail")
    }

    /// Atomics: CUDA's functions, and those that the library's are made of here.
    fn atomic_function(
        &mut self,
        name: &str,
        arguments: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        if let Some(operation) = name.strip_prefix("__margay_atomic_") {
            return self.library_atomic(operation, arguments, at).map(Some);
        }
        let (base, scope) = match name {
            _ if name.ends_with("_block") => (&name[..name.len() - 6], ".cta"),
            _ if name.ends_with("_system") => (&name[..name.len() - 7], ".sys"),
            _ => (name, ""),
        };
        let operation = match base {
            "atomicAdd" => "add",
            "atomicSub" => "sub",
            "atomicExch" => "exch",
            "atomicMin" => "min",
            "atomicMax" => "max",
            "atomicInc" => "inc",
            "atomicDec" => "dec",
            "atomicCAS" => "cas",
            "atomicAnd" => "and",
            "atomicOr" => "or",
            "atomicXor" => "xor",
            _ => return Ok(None),
        };
        let expected = if operation == "cas" { 3 } else { 2 };
        if arguments.len() != expected {
            return self.refuse(
                at,
                format!("`{name}` gets {} arguments, and takes {expected}", arguments.len()),
                "give what it takes",
            );
        }
        let pointer = self.value(&arguments[0])?;
        let target = self.pointed(pointer.clone(), at)?;
        // Those of structures, as of numbers of 16 bits, are functions of the library.
        if target.ty.structure().is_some() {
            let mut values = vec![pointer];
            values.extend(self.arguments(&arguments[1..])?);
            let path =
                NamePath { parts: vec![NamePart { name: name.into(), arguments: None }], at };
            let found = self.free_function(&path, values, at)?;
            return match found {
                Some(found) => Ok(Some(found)),
                None => {
                    let text =
                        format!("`{name}` of a value of the type {}", self.type_text(&target.ty));
                    self.refuse(
                        at,
                        text,
                        "known are those of numbers, and the additions of numbers of 16 bits",
                    )
                }
            };
        }
        let mut values = Vec::new();
        for e in &arguments[1..] {
            let value = self.value(e)?;
            values.push(self.converted(value, &target.ty.value(), e.at)?);
        }
        self.set_position(at);
        self.modified(target, operation, values, ("", scope), at).map(Some)
    }

    /// A read-modify-write; what it returns is the old value.
    fn modified(
        &mut self,
        target: TypedValue,
        operation: &str,
        values: Vec<TypedValue>,
        (order, scope): (&str, &str),
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let ty = target.ty.value();
        let ValueForm::Place(place) = target.form else {
            return self.refuse(
                at,
                "an atomic operation on what is no variable",
                "give the address of a variable",
            );
        };
        let (real, bytes) = (ty.is_real(), ty.bytes());
        let is_bits = matches!(operation, "exch" | "cas" | "and" | "or" | "xor");
        let is_known =
            ty.is_scalar() && (matches!(bytes, 4 | 8) || bytes == 2 && operation == "cas");
        if !is_known || real && !matches!(operation, "add" | "exch" | "cas") {
            let text =
                format!("an atomic `{operation}` of a value of the type {}", self.type_text(&ty));
            return self.refuse(at, text, "known are those of numbers of 32 and 64 bits");
        }
        let bits = 8 * bytes;
        let of = match operation {
            _ if is_bits => format!("b{bits}"),
            "add" | "sub" if real => format!("f{bits}"),
            "min" | "max" if ty.is_signed() => format!("s{bits}"),
            _ => format!("u{bits}"),
        };
        let (operation, values) = match operation {
            "sub" => {
                let negated = values
                    .into_iter()
                    .map(|v| self.negated(v, false, at))
                    .collect::<LoweringResult<Vec<_>>>()?;
                ("add", negated)
            }
            other => (other, values),
        };
        let mut texts = Vec::new();
        for value in values {
            let bare = if real && is_bits { self.bits_of(value)? } else { self.operand(&value)? };
            texts.push(bare.to_string());
        }
        let (address, space) = self.addressed(&place)?;
        let raw = match (real && is_bits, bytes) {
            (true, 8) => CudaType::integer(8, false),
            (true, _) => CudaType::UNSIGNED,
            _ => ty.clone(),
        };
        let to = self.new_register(&raw);
        let space = space.qualifier();
        self.emit(format!(
            "atom{order}{scope}{space}.{operation}.{of} {to}, {address}, {}",
            texts.join(", ")
        ))?;
        let mut found = TypedValue::register(raw, to);
        if real && is_bits {
            let text = self.operand(&found)?;
            let as_real = self.new_register(&ty);
            self.emit(format!("mov.b{bits} {as_real}, {text}"))?;
            found = TypedValue::register(ty, as_real);
        }
        Ok(found)
    }

    /// The bits of a floating-point number.
    fn bits_of(&mut self, value: TypedValue) -> LoweringResult<Rc<str>> {
        if let Some(bits) = value.known() {
            return Ok(bits.to_string().into());
        }
        let text = self.operand(&value)?;
        let bytes = value.ty.bytes();
        let to = self.new_register_of(if bytes == 8 { 3 } else { 2 });
        self.emit(format!("mov.b{} {to}, {text}", 8 * bytes))?;
        Ok(to)
    }

    /// An order or a scope, which has to be known.
    fn known_number(&mut self, e: &CudaExpression, what: &str) -> LoweringResult<u64> {
        let value = self.value(e)?;
        match value.known() {
            Some(number) => Ok(number),
            None => self.refuse(
                self.position,
                format!("{what} is not known when the program is compiled"),
                "write it as a constant",
            ),
        }
    }

    fn scope_word(&mut self, e: &CudaExpression, at: CudaSpan) -> LoweringResult<&'static str> {
        Ok(match self.known_number(e, "the scope")? {
            0 => "sys",
            1 => "gpu",
            2 => "cta",
            4 => "cluster",
            _ => {
                return self.refuse(
                    at,
                    "an atomic object of one thread alone (`thread_scope_thread`)",
                    "use a variable, or a wider scope",
                );
            }
        })
    }

    /// What libcu++ makes of an atomic operation (mappings/compilers/libcudacxx-3.5.map).
    fn library_atomic(
        &mut self,
        operation: &str,
        arguments: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let at = if at.file == 0 { self.position } else { at };
        if matches!(operation, "fence" | "nv_fence") {
            let [order, scope] = arguments else {
                return self.refuse(at, "a fence has an order and a scope", "give both");
            };
            let order = self.known_number(order, "the order of a fence")?;
            // One of the thread alone orders nothing for others.
            if self.known_number(scope, "the scope")? == SCOPE_OF_THREAD {
                return Ok(TypedValue::nothing());
            }
            let scope = self.scope_word(scope, at)?;
            match order {
                RELAXED => {}
                SEQ_CST => self.emit(format!("fence.sc.{scope}"))?,
                CONSUME | ACQUIRE if operation == "nv_fence" => {
                    self.emit(format!("fence.acquire.{scope}"))?
                }
                RELEASE if operation == "nv_fence" => {
                    self.emit(format!("fence.release.{scope}"))?
                }
                _ => self.emit(format!("fence.acq_rel.{scope}"))?,
            }
            return Ok(TypedValue::nothing());
        }
        let Some((pointer, rest)) = arguments.split_first() else {
            return self.refuse(at, "an atomic operation of nothing", "give an address");
        };
        let pointer = self.value(pointer)?;
        let mut target = self.pointed(pointer, at)?;
        let asked = target.ty.value();
        if !asked.is_scalar() {
            let text = format!("an atomic object of the type {}", self.type_text(&asked));
            return self.refuse(at, text, "known are numbers and pointers");
        }
        if asked.is_pointer() && matches!(operation, "add" | "sub") {
            return self.refuse(
                at,
                "arithmetic on an atomic pointer is not understood",
                "keep an index, or use a compare-and-swap",
            );
        }
        // A small object is kept in 32 bits, which are accessed as a whole.
        if asked.bytes() < 4 {
            target.ty = CudaType::UNSIGNED;
        }
        let kept = target.ty.value();
        let is_of_nv = operation == "nv_cas";
        let operation = if is_of_nv { "cas" } else { operation };
        let is_cas = operation == "cas";
        if operation == "wide" {
            if asked.bytes() < 4 {
                let text = format!("an `atomic_ref` of the type {}", self.type_text(&asked));
                return self.refuse(
                    at,
                    text,
                    "the library makes loops of it; use a number of 32 bits, or `cuda::atomic`",
                );
            }
            return Ok(TypedValue::nothing());
        }
        let values = match operation {
            "load" => 0,
            "cas" => 2,
            _ => 1,
        };
        if rest.len() != values + if is_cas { 3 } else { 2 } {
            return self.refuse(
                at,
                "an atomic operation with too few or too many arguments",
                "give what it takes",
            );
        }
        let mut brought = Vec::new();
        for e in &rest[..values] {
            let value = self.value(e)?;
            let value = self.converted(value, &asked, e.at)?;
            brought.push(TypedValue {
                ty: if asked.bytes() < 4 { kept.clone() } else { value.ty.clone() },
                form: value.form,
            });
        }
        let mut order = self.known_number(&rest[values], "the memory order")?;
        let scope = self.scope_word(&rest[rest.len() - 1], at)?;
        if is_cas {
            let failing = self.known_number(&rest[values + 1], "the memory order")?;
            let joined = both(order, failing);
            if is_of_nv && joined != order {
                let text = "a compare-and-swap by `__nv_atomic_compare_exchange` whose order where it fails is not part of the other one";
                return self.refuse(
                    at,
                    text,
                    "nvcc drops the order where it fails: give one order that is enough for both",
                );
            }
            order = joined;
        }
        self.position = at;
        let ValueForm::Place(place) = target.form.clone() else {
            return self.refuse(
                at,
                "an atomic operation on what is no variable",
                "give the address of a variable",
            );
        };
        let found = match operation {
            "load" => {
                let how = match order {
                    RELAXED => "relaxed",
                    CONSUME | ACQUIRE | SEQ_CST => "acquire",
                    _ => {
                        return self.refuse(
                            at,
                            "a load that releases",
                            "use `memory_order_acquire`, `_relaxed` or `_seq_cst`",
                        );
                    }
                };
                if order == SEQ_CST {
                    self.emit(format!("fence.sc.{scope}"))?;
                }
                self.load_by(&place, &kept, &format!(".{how}.{scope}"))?
            }
            "store" => {
                let how = match order {
                    RELAXED | SEQ_CST => "relaxed",
                    RELEASE => "release",
                    _ => {
                        return self.refuse(
                            at,
                            "a store that acquires",
                            "use `memory_order_release`, `_relaxed` or `_seq_cst`",
                        );
                    }
                };
                if order == SEQ_CST {
                    self.emit(format!("fence.sc.{scope}"))?;
                }
                let value = brought.remove(0);
                self.store_by(&place, &kept, value, &format!(".{how}.{scope}"))?;
                return Ok(TypedValue::nothing());
            }
            _ => {
                let how = match order {
                    RELAXED => ".relaxed",
                    CONSUME | ACQUIRE | SEQ_CST => ".acquire",
                    RELEASE => ".release",
                    _ => ".acq_rel",
                };
                if order == SEQ_CST {
                    self.emit(format!("fence.sc.{scope}"))?;
                }
                self.modified(target, operation, brought, (how, &format!(".{scope}")), at)?
            }
        };
        if asked.bytes() < 4 {
            let narrow = TypedValue { ty: CudaType::UNSIGNED, form: found.form };
            return self.converted(narrow, &asked, at);
        }
        Ok(TypedValue { ty: asked, form: found.form })
    }
}

/// Inline PTX without its comments, which may end with its lines: it is put into one line.
fn without_comments(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        found.push_str(before);
        rest = if comment.starts_with("//") {
            comment.find('\n').map_or("", |end| &comment[end..])
        } else if comment.starts_with("/*") {
            found.push(' ');
            comment.find("*/").map_or("", |end| &comment[end + 2..])
        } else {
            found.push('/');
            &comment[1..]
        };
    }
    found + rest
}

/// The number of `cuda::thread_scope_thread`.
const SCOPE_OF_THREAD: u64 = 10;

// The numbers of `cuda::memory_order`.
const RELAXED: u64 = 0;
const CONSUME: u64 = 1;
const ACQUIRE: u64 = 2;
const RELEASE: u64 = 3;
const ACQ_REL: u64 = 4;
const SEQ_CST: u64 = 5;

/// The order of a compare-and-swap that has one for when it fails as well.
fn both(success: u64, failure: u64) -> u64 {
    let acquires = |order: u64| matches!(order, CONSUME | ACQUIRE | ACQ_REL);
    match (success, failure) {
        (SEQ_CST, _) | (_, SEQ_CST) => SEQ_CST,
        (RELEASE, failure) if acquires(failure) => ACQ_REL,
        (RELAXED, failure) => failure,
        (success, _) => success,
    }
}
