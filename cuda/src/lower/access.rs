//! Accesses to memory, and addresses.

use std::rc::Rc;

use super::{
    KernelLowering, KnownSpace, LoweringResult, LoweringStop, TypedValue, ValueForm, ValuePlace,
};
use crate::lex::CudaSpan;
use crate::types::{CudaType, TypeShape};

impl KernelLowering {
    /// What a place holds, as a value; an array is the address of its first element.
    pub(super) fn rvalue(&mut self, value: TypedValue) -> LoweringResult<TypedValue> {
        let place = match &value.form {
            ValueForm::Place(place) | ValueForm::Expiring(place) | ValueForm::Temporary(place) => {
                place.clone()
            }
            ValueForm::List(list) => {
                return self.refuse(
                    list.at,
                    "a list in braces where its type is not known",
                    "write the type in front of it",
                );
            }
            _ => return Ok(value),
        };
        match (&value.ty.shape, place) {
            (_, ValuePlace::Fixed(form, _)) => Ok(TypedValue { ty: value.ty.value(), form: *form }),
            (TypeShape::Structure(_), place) => Ok(match value.form {
                ValueForm::Expiring(..) => TypedValue::place(value.ty, place),
                _ => value,
            }),
            (TypeShape::Array(of, _), place) => {
                let of = (**of).clone().within(&value.ty);
                let form = ValueForm::Address(Box::new(place));
                Ok(TypedValue { ty: CudaType::pointer(of), form })
            }
            (_, ValuePlace::Register(register)) => {
                Ok(TypedValue::register(value.ty.value(), register))
            }
            (_, ValuePlace::Bits { word, bytes, first, count }) => {
                self.load_bits(&word, bytes, &value.ty, (first, count))
            }
            (_, place) => self.load(&place, &value.ty),
        }
    }

    fn address_text(place: &ValuePlace) -> (String, KnownSpace) {
        match place {
            ValuePlace::Memory { base, offset: 0, space } => (format!("[{base}]"), *space),
            ValuePlace::Memory { base, offset, space } => {
                (format!("[{base}+{offset}]").replace("+-", "-"), *space)
            }
            _ => (String::new(), KnownSpace::Any),
        }
    }

    /// The address of a place in memory for an instruction, and its space.
    pub(super) fn addressed(&mut self, place: &ValuePlace) -> LoweringResult<(String, KnownSpace)> {
        self.in_memory_place(place)?;
        Ok(Self::address_text(&self.place_in_memory(place)))
    }

    /// A constant in memory; other places are where they are.
    fn place_in_memory(&mut self, place: &ValuePlace) -> ValuePlace {
        match place {
            ValuePlace::Known(known, offset) => self.place_of_known(known, *offset),
            other => other.clone(),
        }
    }

    fn in_memory_place(&mut self, place: &ValuePlace) -> LoweringResult<()> {
        match place {
            ValuePlace::Memory { .. } | ValuePlace::Known(..) => Ok(()),
            ValuePlace::Register(register) => match self.mutable.get(register).copied() {
                Some(at) => self.needs_memory(at),
                None => self.refuse(self.position, "this has no address", "put it into a variable"),
            },
            ValuePlace::Fixed(_, at) => {
                self.changed.insert(*at);
                self.needs_memory(*at)
            }
            ValuePlace::Bits { .. } => self.refuse(
                self.position,
                "a member of some bits has no address",
                "copy it into a variable",
            ),
        }
    }

    /// A member of some bits, out of the word of its type.
    fn load_bits(
        &mut self,
        word: &ValuePlace,
        bytes: u8,
        ty: &CudaType,
        (first, count): (u32, u32),
    ) -> LoweringResult<TypedValue> {
        let unsigned = CudaType { is_volatile: ty.is_volatile, ..CudaType::integer(bytes, false) };
        let value = self.load(word, &unsigned)?;
        let value =
            self.converted(value, &CudaType::integer(ty.bytes() as u8, false), self.position)?;
        if let Some(known) = value.known() {
            let high = known << (64 - first - count);
            let low = if ty.is_signed() {
                (high as i64 >> (64 - count)) as u64
            } else {
                high >> (64 - count)
            };
            return Ok(TypedValue::constant(ty.value(), low));
        }
        let bits = 8 * ty.bytes().max(4) as u32;
        let text = self.operand(&value)?;
        let (high, low) = (self.new_register(ty), self.new_register(ty));
        self.emit(format!("shl.b{bits} {high}, {text}, {}", bits - first - count))?;
        let sign = if ty.is_signed() { 's' } else { 'u' };
        self.emit(format!("shr.{sign}{bits} {low}, {high}, {}", bits - count))?;
        Ok(TypedValue::register(ty.value(), low))
    }

    /// Puts a value to a member of some bits: its word is read, changed and written.
    fn store_bits(
        &mut self,
        word: &ValuePlace,
        bytes: u8,
        (ty, first, count): (&CudaType, u32, u32),
        value: TypedValue,
    ) -> LoweringResult<()> {
        let unsigned = CudaType { is_volatile: ty.is_volatile, ..CudaType::integer(bytes, false) };
        let bits = 8 * u32::from(bytes.max(4));
        let mask = u64::MAX >> (64 - count);
        let value = self.converted(value, &unsigned.value(), self.position)?;
        let text = self.in_register(value)?;
        let old = self.load(word, &unsigned)?;
        let old = self.operand(&old)?;
        let [cut, moved, kept, new] = std::array::from_fn(|_| self.new_register(&unsigned));
        self.emit(format!("and.b{bits} {cut}, {text}, {mask}"))?;
        self.emit(format!("shl.b{bits} {moved}, {cut}, {first}"))?;
        let others = !(mask << first) & (u64::MAX >> (64 - bits));
        self.emit(format!("and.b{bits} {kept}, {old}, {others}"))?;
        self.emit(format!("or.b{bits} {new}, {kept}, {moved}"))?;
        self.store(word, &unsigned, TypedValue::register(unsigned.value(), new))
    }

    /// A parameter of the kernel has one only where it is `__grid_constant__`, or has a copy.
    pub(super) fn address_of(
        &mut self,
        ty: CudaType,
        place: ValuePlace,
    ) -> LoweringResult<TypedValue> {
        self.in_memory_place(&place)?;
        if let ValuePlace::Memory { space: KnownSpace::Parameter, base, offset } = &place {
            if self.grid_constants.contains(base) {
                let word = CudaType::integer(8, false);
                let [own, generic] = std::array::from_fn(|_| self.new_register(&word));
                self.emit(format!("mov.b64 {own}, {base}"))?;
                self.emit(format!("cvta.param.u64 {generic}, {own}"))?;
                let place =
                    ValuePlace::Memory { base: generic, offset: *offset, space: KnownSpace::Any };
                return Ok(TypedValue {
                    ty: CudaType::pointer(ty),
                    form: ValueForm::Address(Box::new(place)),
                });
            }
            // What is passed by value is copied, so that it has an address.
            return match self.mutable.get(base).copied() {
                Some(at) => self.needs_memory(at),
                None => self.refuse(
                    self.position,
                    "a parameter of the kernel has no address here",
                    "copy it into a variable",
                ),
            };
        }
        Ok(TypedValue { ty: CudaType::pointer(ty), form: ValueForm::Address(Box::new(place)) })
    }

    /// The place that a pointer points to.
    pub(super) fn pointed(
        &mut self,
        pointer: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let pointer = self.rvalue(pointer)?;
        let Some(to) = pointer.ty.element().map(|t| (**t).clone()) else {
            let text = format!(
                "expected a pointer, found a value of the type {}",
                self.type_text(&pointer.ty)
            );
            return self.refuse(
                at,
                text,
                "only what a pointer points to can be named by `*`, `[]` and `->`",
            );
        };
        if to.is_void() {
            return self.refuse(
                at,
                "what a `void*` points to has no type",
                "cast it to a pointer to a type",
            );
        }
        let place = match pointer.form {
            ValueForm::Address(place) => *place,
            form => {
                let base = self.in_register(TypedValue { ty: pointer.ty, form })?;
                ValuePlace::Memory { base, offset: 0, space: KnownSpace::Any }
            }
        };
        Ok(TypedValue::place(to, place))
    }

    /// A scalar value in a register.
    pub(super) fn in_register(&mut self, value: TypedValue) -> LoweringResult<Rc<str>> {
        let value = self.rvalue(value)?;
        match &value.form {
            ValueForm::Register(register) => Ok(register.clone()),
            _ => {
                let text = self.operand(&value)?;
                if text.starts_with('%') {
                    return Ok(text);
                }
                let register = self.new_register(&value.ty);
                let ty = value.ty.of_register().replace('s', "u");
                self.emit(format!("mov.{ty} {register}, {text}"))?;
                Ok(register)
            }
        }
    }

    /// A scalar value as an operand: a register or a number.
    pub(super) fn operand(&mut self, value: &TypedValue) -> LoweringResult<Rc<str>> {
        match &value.form {
            ValueForm::Register(register) => Ok(register.clone()),
            ValueForm::Constant(bits) => Ok(match value.ty.shape {
                TypeShape::Real(8) => format!("0d{bits:016X}").into(),
                TypeShape::Real(_) => format!("0f{:08X}", *bits as u32).into(),
                _ if value.ty.is_signed() => (*bits as i64).to_string().into(),
                _ => bits.to_string().into(),
            }),
            ValueForm::Address(place) => self.generic(place),
            ValueForm::Place(ValuePlace::Fixed(form, _)) => {
                self.operand(&TypedValue { ty: value.ty.clone(), form: (**form).clone() })
            }
            ValueForm::Text(text) => {
                let symbol = self.symbol("text");
                let bytes: Vec<String> = text.bytes().chain([0]).map(|b| b.to_string()).collect();
                let declared = format!(
                    ".global .align 1 .b8 {symbol}[{}] = {{{}}};\n",
                    bytes.len(),
                    bytes.join(", ")
                );
                self.declarations.push_str(&declared);
                self.generic(&ValuePlace::Memory {
                    base: symbol,
                    offset: 0,
                    space: KnownSpace::Global,
                })
            }
            _ => self.refuse(
                self.position,
                format!("expected a number or an address, found {}", self.type_text(&value.ty)),
                "a structure is used by its members",
            ),
        }
    }

    /// The generic address of a place, in a register.
    fn generic(&mut self, place: &ValuePlace) -> LoweringResult<Rc<str>> {
        self.in_memory_place(place)?;
        let ValuePlace::Memory { base, offset, space } = self.place_in_memory(place) else {
            return self.refuse(self.position, "this has no address", "put it into a variable");
        };
        let mut register = base.clone();
        if !base.starts_with('%') {
            register = self.new_register_of(3);
            self.emit(format!("mov.u64 {register}, {base}"))?;
        }
        if space != KnownSpace::Any {
            let to = self.new_register_of(3);
            self.emit(format!("cvta{}.u64 {to}, {register}", space.qualifier()))?;
            register = to;
        }
        if offset != 0 {
            let to = self.new_register_of(3);
            self.emit(format!("add.s64 {to}, {register}, {offset}"))?;
            register = to;
        }
        Ok(register)
    }

    /// The place so many bytes behind another one; the distance is a register of 64 bits.
    pub(super) fn moved(&mut self, place: &ValuePlace, by: &str) -> LoweringResult<ValuePlace> {
        self.in_memory_place(place)?;
        let ValuePlace::Memory { base, offset, space } = self.place_in_memory(place) else {
            return self.refuse(self.position, "this has no address", "put it into a variable");
        };
        let mut register = base.clone();
        if !base.starts_with('%') {
            register = self.new_register_of(3);
            self.emit(format!("mov.u64 {register}, {base}"))?;
        }
        let to = self.new_register_of(3);
        self.emit(format!("add.s64 {to}, {register}, {by}"))?;
        Ok(ValuePlace::Memory { base: to, offset, space })
    }

    /// The place a constant number of bytes behind another one.
    pub(super) fn behind(place: &ValuePlace, by: i64) -> ValuePlace {
        match place {
            ValuePlace::Memory { base, offset, space } => ValuePlace::Memory {
                base: base.clone(),
                offset: offset.wrapping_add(by),
                space: *space,
            },
            ValuePlace::Known(known, offset) => {
                ValuePlace::Known(known.clone(), offset.wrapping_add(by))
            }
            other => other.clone(),
        }
    }

    /// A place whose address does not change when variables do.
    pub(super) fn fixed_place(&mut self, place: ValuePlace) -> LoweringResult<ValuePlace> {
        match place {
            ValuePlace::Memory { base, offset, space }
                if self.mutable.contains_key(&base) && base.starts_with('%') =>
            {
                let to = self.new_register_of(3);
                self.emit(format!("mov.u64 {to}, {base}"))?;
                Ok(ValuePlace::Memory { base: to, offset, space })
            }
            ValuePlace::Bits { word, bytes, first, count } => Ok(ValuePlace::Bits {
                word: Box::new(self.fixed_place(*word)?),
                bytes,
                first,
                count,
            }),
            other => Ok(other),
        }
    }

    /// A value that does not change when variables do.
    pub(super) fn fixed(&mut self, value: TypedValue) -> LoweringResult<TypedValue> {
        let value = self.rvalue(value)?;
        let form = match value.form {
            ValueForm::Register(register) if self.mutable.contains_key(&register) => {
                let to = self.new_register(&value.ty);
                let ty = value.ty.of_register().replace('s', "u");
                self.emit(format!("mov.{ty} {to}, {register}"))?;
                ValueForm::Register(to)
            }
            ValueForm::Address(place) => ValueForm::Address(Box::new(self.fixed_place(*place)?)),
            form => form,
        };
        Ok(TypedValue { ty: value.ty, form })
    }

    pub(super) fn load(&mut self, place: &ValuePlace, ty: &CudaType) -> LoweringResult<TypedValue> {
        self.load_by(place, ty, "")
    }

    /// A load with qualifiers, as `.nc` or `.acquire.gpu`.
    pub(super) fn load_by(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        how: &str,
    ) -> LoweringResult<TypedValue> {
        if !ty.is_scalar() {
            return self.refuse(
                self.position,
                format!("a value of the type {} cannot be read at once", self.type_text(ty)),
                "read its members",
            );
        }
        if let ValuePlace::Known(known, offset) = place
            && ty.is_arithmetic()
            && let Some(bits) = known.number(*offset, ty.bytes())
        {
            let form = ValueForm::Constant(if ty.is_real() { bits } else { ty.cut(bits) });
            return Ok(TypedValue { ty: ty.value(), form });
        }
        let (address, space) = self.addressed(place)?;
        let volatile = Self::volatility(ty, space);
        let register = self.new_register(ty);
        let how = if how.is_empty() { volatile } else { how };
        // The cache's qualifiers stand behind the space, orders in front of it.
        let is_cache = matches!(how, ".nc" | ".cg" | ".ca" | ".cs" | ".cv" | ".lu");
        let (front, behind) = if is_cache { ("", how) } else { (how, "") };
        let space = if how == ".nc" { ".global" } else { space.qualifier() };
        self.emit(format!("ld{front}{space}{behind}.{} {register}, {address}", ty.of_memory()))?;
        self.extended(TypedValue::register(ty.value(), register), ty)
    }

    /// What is in the parts of a structure, in as few accesses as its alignment lets it be.
    pub(super) fn load_parts(
        &mut self,
        place: &ValuePlace,
        parts: &[(u64, CudaType)],
        align: u64,
        how: &str,
    ) -> LoweringResult<Vec<TypedValue>> {
        let mut found = Vec::with_capacity(parts.len());
        for row in rows(place, parts, align) {
            let (offset, ty) = &row[0];
            let from = Self::behind(place, *offset as i64);
            match row.len() {
                1 => found.push(self.load_by(&from, ty, how)?),
                _ => found.extend(self.load_row(&from, ty, row.len(), how)?),
            }
        }
        Ok(found)
    }

    /// Puts values to the parts of a structure, as [`Self::load_parts`] reads them.
    pub(super) fn store_parts(
        &mut self,
        place: &ValuePlace,
        parts: &[(u64, CudaType)],
        align: u64,
        values: Vec<TypedValue>,
        how: &str,
    ) -> LoweringResult<()> {
        let mut values = values.into_iter();
        for row in rows(place, parts, align) {
            let (offset, ty) = &row[0];
            let to = Self::behind(place, *offset as i64);
            let brought: Vec<TypedValue> = values.by_ref().take(row.len()).collect();
            if let [value] = &brought[..] {
                self.store_by(&to, ty, value.clone(), how)?;
                continue;
            }
            let texts =
                brought.iter().map(|v| self.operand(v)).collect::<LoweringResult<Vec<_>>>()?;
            let (address, space) = self.addressed(&to)?;
            let (space, of, count) = (space.qualifier(), ty.of_memory(), row.len());
            self.emit(format!("st{space}{how}.v{count}.{of} {address}, {{{}}}", texts.join(", ")))?;
        }
        Ok(())
    }

    fn load_row(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        count: usize,
        how: &str,
    ) -> LoweringResult<Vec<TypedValue>> {
        let (address, space) = self.addressed(place)?;
        let registers: Vec<Rc<str>> = (0..count).map(|_| self.new_register(ty)).collect();
        let space = if how == ".nc" { ".global" } else { space.qualifier() };
        self.emit(format!(
            "ld{space}{how}.v{count}.{} {{{}}}, {address}",
            ty.of_memory(),
            registers.join(", ")
        ))?;
        registers
            .into_iter()
            .map(|register| self.extended(TypedValue::register(ty.value(), register), ty))
            .collect()
    }

    /// A number of fewer than 32 bits as its register holds it.
    fn extended(&mut self, value: TypedValue, ty: &CudaType) -> LoweringResult<TypedValue> {
        if !ty.is_signed() || ty.bytes() >= 4 {
            return Ok(value);
        }
        let to = self.new_register(ty);
        let text = self.operand(&value)?;
        self.emit(format!("cvt.s32.s{} {to}, {text}", 8 * ty.bytes()))?;
        Ok(TypedValue::register(ty.value(), to))
    }

    fn volatility(ty: &CudaType, space: KnownSpace) -> &'static str {
        let is_seen = matches!(space, KnownSpace::Any | KnownSpace::Global | KnownSpace::Shared);
        if ty.is_volatile && is_seen { ".volatile" } else { "" }
    }

    pub(super) fn store(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        value: TypedValue,
    ) -> LoweringResult<()> {
        self.store_by(place, ty, value, "")
    }

    /// Puts a value of the same type to a place.
    pub(super) fn store_by(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        value: TypedValue,
        how: &str,
    ) -> LoweringResult<()> {
        match place {
            ValuePlace::Register(register) => {
                let text = self.operand(&value)?;
                let of = ty.of_register().replace('s', "u");
                self.emit(format!("mov.{of} {register}, {text}"))
            }
            ValuePlace::Fixed(_, at) => {
                self.changed.insert(*at);
                Err(LoweringStop::Again)
            }
            ValuePlace::Bits { word, bytes, first, count } => {
                self.store_bits(&word.clone(), *bytes, (ty, *first, *count), value)
            }
            ValuePlace::Known(..) => {
                self.refuse(self.position, "a constant is changed here", "copy it into a variable")
            }
            ValuePlace::Memory { space, base, .. } => {
                if *space == KnownSpace::Parameter {
                    return match self.mutable.get(base).copied() {
                        Some(at) => self.needs_memory(at),
                        None => self.refuse(
                            self.position,
                            "a parameter of the kernel is not written",
                            "copy it into a variable",
                        ),
                    };
                }
                if *space == KnownSpace::Constant {
                    return self.refuse(
                        self.position,
                        "a store to constant memory",
                        "constant memory is written by the host",
                    );
                }
                let text = self.operand(&value)?;
                let (address, space) = self.addressed(place)?;
                let how = if how.is_empty() { Self::volatility(ty, space) } else { how };
                let is_cache = matches!(how, ".cg" | ".wb" | ".cs" | ".wt");
                let (front, behind) = if is_cache { ("", how) } else { (how, "") };
                self.emit(format!(
                    "st{front}{}{behind}.{} {address}, {text}",
                    space.qualifier(),
                    ty.of_memory()
                ))
            }
        }
    }

    /// A new place in memory of the thread's own.
    pub(super) fn local(
        &mut self,
        name: &str,
        bytes: u64,
        align: u64,
        at: CudaSpan,
    ) -> LoweringResult<ValuePlace> {
        use std::fmt::Write as _;
        if bytes > 1 << 20 {
            return self.refuse(
                at,
                format!("a local variable of {bytes} bytes; it may have {}", 1 << 20),
                "make it smaller",
            );
        }
        let name = self.symbol(name);
        let _ = writeln!(self.variables, "\t.local .align {align} .b8 {name}[{}];", bytes.max(1));
        Ok(ValuePlace::Memory { base: name, offset: 0, space: KnownSpace::Local })
    }
}

/// Parts that are accessed at once: two or four of one size behind each other, of a structure whose
/// alignment is that of all of them. PTX asks of the address of such an access that it is aligned,
/// as C++ does of that of the structure.
fn rows<'p>(
    place: &ValuePlace,
    parts: &'p [(u64, CudaType)],
    align: u64,
) -> Vec<&'p [(u64, CudaType)]> {
    let is_seen = matches!(
        place,
        ValuePlace::Memory { space: KnownSpace::Any | KnownSpace::Global | KnownSpace::Shared, .. }
    );
    let mut found = Vec::new();
    let mut rest = parts;
    while let Some((start, ty)) = rest.first() {
        let bytes = ty.bytes();
        let is_row = |count: &u64| {
            let whole = count * bytes;
            let is_next = |n: u64| {
                rest.get(n as usize)
                    .is_some_and(|(o, t)| *o == start + n * bytes && t.shape == ty.shape)
            };
            is_seen
                && !ty.is_volatile
                && whole <= align.min(16)
                && start % whole == 0
                && (1..*count).all(|n| is_next(n) && !rest[n as usize].1.is_volatile)
        };
        let count = [4, 2].into_iter().find(is_row).unwrap_or(1);
        let (row, more) = rest.split_at(count as usize);
        found.push(row);
        rest = more;
    }
    found
}
