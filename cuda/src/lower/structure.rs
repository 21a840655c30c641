//! Structures: how they are made, copied and destroyed.

use std::rc::Rc;

use super::copying::{CopyKind, element_structure};
use super::function_value::FoundMethod;
use super::{KernelLowering, KnownSpace, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{FunctionRole, FunctionTree, InitialTree};
use crate::types::{CudaType, FieldLayout, StructureLayout, TypeShape};
impl KernelLowering {
    /// The methods of a structure with a name, those of its bases where it has none.
    pub(super) fn methods(
        &self,
        number: usize,
        is: &dyn Fn(&FunctionTree) -> bool,
    ) -> Vec<FoundMethod> {
        let StructureLayout { tree, bases, .. } = &self.structures[number];
        let own: Vec<FoundMethod> =
            tree.methods.iter().filter(|m| is(m)).map(|m| (m.clone(), number, 0)).collect();
        let is_hidden = !own.is_empty();
        let of_bases = bases.iter().flat_map(|&(base, offset)| {
            self.methods(base, is)
                .into_iter()
                .map(move |(method, owner, further)| (method, owner, offset + further))
        });
        // Of bases there are those that it takes beside its own (`using B::f`).
        let is_taken = |m: &FunctionTree| tree.taken.iter().any(|path| path.last().name == m.name);
        let seen: Vec<FoundMethod> = of_bases.filter(|(m, ..)| !is_hidden || is_taken(m)).collect();
        own.into_iter().chain(seen).collect()
    }

    /// The base of a structure that says what a type is which the structure itself does not.
    pub(super) fn base_with_type(&self, number: usize, name: &str) -> Option<usize> {
        let has =
            |of: usize| self.structures[of].tree.aliases.iter().any(|(known, _)| &**known == name);
        if has(number) {
            return None;
        }
        self.structures[number].bases.iter().find_map(|&(base, _)| match has(base) {
            true => Some(base),
            false => self.base_with_type(base, name),
        })
    }

    pub(super) fn has_method(&self, number: usize, name: &str) -> bool {
        !self.methods(number, &|m| &*m.name == name && m.role == FunctionRole::Plain).is_empty()
    }

    /// Has it an operator of so many operands beside itself?
    pub(super) fn has_operator(&self, number: usize, name: &str, count: usize) -> bool {
        let is_one = |m: &FunctionTree| {
            &*m.name == name && m.role == FunctionRole::Plain && m.takes(count) && !m.is_defaulted
        };
        !self.methods(number, &is_one).is_empty()
    }

    /// Does it say itself how one of it is assigned to another?
    pub(super) fn has_own_assignment(&self, number: usize) -> bool {
        let tree = &self.structures[number].tree;
        let is_own = |m: &Rc<FunctionTree>| {
            let parameter = m.parameters.first().map(|p| &p.ty);
            let of = |ty: &crate::tree::TypeTree| {
                let mut ty = ty;
                while let crate::tree::TypeTree::Reference(of)
                | crate::tree::TypeTree::Constant(of) = ty
                {
                    ty = of;
                }
                matches!(ty, crate::tree::TypeTree::Named(path) if path.last().name == tree.name)
            };
            &*m.name == "operator="
                && !m.is_defaulted
                && self.has_body(m, number)
                && parameter.is_some_and(of)
        };
        tree.methods.iter().any(is_own)
    }

    /// Where a base begins in a structure.
    pub(super) fn base_at(&self, number: usize, base: usize) -> Option<u64> {
        let bases = &self.structures[number].bases;
        bases.iter().find_map(|&(of, offset)| match of == base {
            true => Some(offset),
            false => self.base_at(of, base).map(|further| offset + further),
        })
    }

    /// A call of a method by its name, as an operator does.
    pub(super) fn operator_method(
        &mut self,
        base: TypedValue,
        name: &str,
        arguments: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let Some(number) = base.ty.structure() else {
            let text = format!("`{name}` of a value of the type {}", self.type_text(&base.ty));
            return self.refuse(at, text, "this is not understood");
        };
        // `x++` has a parameter that `++x` has not.
        let found = self.methods(number, &|m| &*m.name == name && m.role == FunctionRole::Plain);
        if found.is_empty() {
            let text = format!(
                "`{}` has no `{name}` that is known here",
                self.structures[number].tree.name
            );
            return self.refuse(at, text, "what is known of the library is in docs/kernels.md");
        }
        let found = self.all_defined(found)?;
        self.method_called(base, found, None, arguments, at)
    }

    /// A new structure in memory of the thread.
    pub(super) fn constructed(
        &mut self,
        number: usize,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let ty = CudaType::plain(TypeShape::Structure(number));
        let (bytes, align) = self.size_of(&ty, at)?;
        let name = self.structures[number].tree.name.clone();
        let place = self.local(&name, bytes, align, at)?;
        self.construct_at(&place, number, values, at)?;
        Ok(TypedValue { ty, form: ValueForm::Temporary(place) })
    }

    /// Makes a structure at a place.
    pub(super) fn construct_at(
        &mut self,
        place: &ValuePlace,
        number: usize,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let StructureLayout { tree, bindings, fields, bases, .. } = self.structures[number].clone();
        self.clear_bits(place, number)?;
        let declared = tree
            .methods
            .iter()
            .filter(|m| m.role == FunctionRole::Constructor && self.has_body(m, number));
        let constructors: Vec<FoundMethod> = declared.map(|m| (m.clone(), number, 0)).collect();
        let constructors = self.all_defined(constructors)?;
        // One of its own kind is copied.
        if let [one] = values.as_slice()
            && (one.ty.structure() == Some(number)
                || one.ty.structure().is_some_and(|n| self.base_at(n, number).is_some()))
            && (matches!(one.form, ValueForm::Temporary(_)) && one.ty.structure() == Some(number)
                || !constructors
                    .iter()
                    .any(|(m, ..)| m.parameters.len() == 1 && self.takes_own(m, &tree.name)))
        {
            let ty = CudaType::plain(TypeShape::Structure(number));
            if let (ValueForm::Temporary(made), true) =
                (&one.form, one.ty.structure() == Some(number))
            {
                self.taken_over(made);
            }
            let is_made =
                matches!(one.form, ValueForm::Temporary(_)) && one.ty.structure() == Some(number);
            let is_expiring = matches!(one.form, ValueForm::Expiring(_) | ValueForm::Temporary(_));
            let value = self.converted(one.clone(), &ty, at)?;
            if let ValueForm::Place(from) | ValueForm::Temporary(from) = value.form {
                // What nobody else has becomes this one, and is no copy.
                if is_made {
                    return self.copy(&from, &value.ty, place, &ty, at);
                }
                let to = TypedValue::place(ty, place.clone());
                return self.copied_by_parts(
                    (&from, is_expiring),
                    &value.ty,
                    &to,
                    CopyKind::Made,
                    at,
                );
            }
        }
        // Groups of threads have no members: one is as good as another.
        let is_kin = |n: usize| {
            Rc::ptr_eq(&self.structures[n].tree, &tree) && fields.is_empty() && bases.is_empty()
        };
        if let [one] = values.as_slice()
            && one.ty.structure().is_some_and(is_kin)
        {
            return Ok(());
        }
        if let Some((taken, start)) = self.base_whose_constructors_are(number)
            && !values.is_empty()
            && !constructors.iter().any(|(m, ..)| m.takes(values.len()))
        {
            self.construct_at(&Self::behind(place, start as i64), taken, values, at)?;
            for (base, offset) in bases.into_iter().filter(|&(base, _)| base != taken) {
                self.construct_at(&Self::behind(place, offset as i64), base, Vec::new(), at)?;
            }
            for field in
                fields.iter().filter(|field| tree.fields.iter().any(|f| f.name == field.name))
            {
                self.default_field(
                    &Self::field_place(place, field),
                    number,
                    field,
                    bindings.clone(),
                    at,
                )?;
            }
            return Ok(());
        }
        if constructors.iter().any(|(m, ..)| m.takes(values.len())) {
            let (index, bindings) =
                self.chosen(&constructors, None, &values, None, (&tree.name, at))?;
            let function = constructors[index].0.clone();
            self.invoked(&function, Some(number), Some(place.clone()), bindings, values, at)?;
            return Ok(());
        }
        if tree.methods.iter().any(|m| self.is_unknown(m, number) && m.takes(values.len())) {
            let text = format!(
                "a constructor of `{}` is declared, and no file that was read says what it does",
                tree.name
            );
            return self.refuse(
                at,
                text,
                "define it, in this file or in one that it includes in quotation marks",
            );
        }
        if !values.is_empty() {
            if !constructors.is_empty() || values.len() > fields.len().max(1) {
                let text = format!("`{}` is not made of {} values", tree.name, values.len());
                return self.refuse(at, text, "give what one of its constructors takes");
            }
            return self.initialise_by_values(place, number, values, at);
        }
        for (base, offset) in bases {
            self.construct_at(&Self::behind(place, offset as i64), base, Vec::new(), at)?;
        }
        let own: Vec<_> = fields
            .into_iter()
            .filter(|f| f.initial.is_some() || element_structure(&f.ty).is_some())
            .collect();
        for field in own {
            let target = Self::field_place(place, &field);
            self.default_field(&target, number, &field, bindings.clone(), at)?;
        }
        Ok(())
    }

    /// The base whose constructors a structure has as well (`using B::B`), and where it begins.
    pub(super) fn base_whose_constructors_are(&self, number: usize) -> Option<(usize, u64)> {
        let StructureLayout { tree, bases, .. } = &self.structures[number];
        let of = |base: usize| &self.structures[base].tree.name;
        let is_taken = |base: usize| {
            tree.taken.iter().any(|path| path.parts.len() > 1 && path.last().name == *of(base))
                || tree.taken.iter().any(|path| match path.parts.as_slice() {
                    [.., front, last] => front.name == last.name && bases.len() == 1,
                    _ => false,
                })
        };
        bases.iter().copied().find(|&(base, _)| is_taken(base))
    }

    pub(super) fn takes_own(&self, function: &FunctionTree, name: &str) -> bool {
        let mut ty = &function.parameters[0].ty;
        while let crate::tree::TypeTree::Reference(of) | crate::tree::TypeTree::Constant(of) = ty {
            ty = of;
        }
        matches!(ty, crate::tree::TypeTree::Named(path) if &*path.last().name == name)
    }

    /// A member as it is where a constructor says nothing of it.
    pub(super) fn default_field(
        &mut self,
        target: &ValuePlace,
        number: usize,
        field: &FieldLayout,
        bindings: Rc<crate::types::TemplateBindings>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        match (&field.initial, element_structure(&field.ty).filter(|_| !field.is_reference)) {
            (Some(initial), _) => {
                let namespace = self.structures[number].tree.namespace.clone();
                let initial = initial.clone();
                let ty = field.ty.clone();
                // Others of the structure may be named.
                let whole = match target {
                    ValuePlace::Bits { word, .. } => {
                        let further = field.bits.map_or(0, |bits| bits.least.0 as i64);
                        let by = if matches!(
                            **word,
                            ValuePlace::Memory { space: KnownSpace::Local, .. }
                        ) {
                            further
                        } else {
                            0
                        };
                        Self::behind(word, -(field.offset as i64) - by)
                    }
                    place => Self::behind(place, -(field.offset as i64)),
                };
                self.outside(namespace, bindings, Some(number), |this| {
                    this.frame().this = Some(whole);
                    this.initialise(target, &ty, &initial, at)
                })
            }
            (None, Some((inner, count))) => {
                let step = self.structures[inner].size;
                if count > super::MAX_PARTS {
                    return self.refuse(
                        at,
                        format!(
                            "an array of more than {} structures that are made",
                            super::MAX_PARTS
                        ),
                        "make it smaller",
                    );
                }
                (0..count).try_for_each(|n| {
                    self.construct_at(
                        &Self::behind(target, (n * step) as i64),
                        inner,
                        Vec::new(),
                        at,
                    )
                })
            }
            (None, None) => Ok(()),
        }
    }

    /// Puts a value to a member, or the address of a place to one that is a reference.
    pub(super) fn initialised_by(
        &mut self,
        target: &TypedValue,
        is_reference: bool,
        value: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let ValueForm::Place(place) = &target.form else { return Ok(()) };
        if is_reference {
            let (ValueForm::Place(from) | ValueForm::Temporary(from) | ValueForm::Expiring(from)) =
                value.form
            else {
                return self.refuse(
                    at,
                    "a reference to what is no variable",
                    "put it into a variable",
                );
            };
            let address = self.address_of(value.ty, from)?;
            let ty = address.ty.clone();
            return self.store(place, &ty, address);
        }
        match target.ty.structure() {
            Some(number) => self.construct_at(&place.clone(), number, vec![value], at),
            None => self.put(target, value, at),
        }
    }

    /// What a constructor does in front of its body, in its frame.
    pub(super) fn initialise_members(
        &mut self,
        function: &Rc<FunctionTree>,
        number: usize,
        place: &ValuePlace,
    ) -> LoweringResult<()> {
        let StructureLayout { tree, bindings, fields, bases, .. } = self.structures[number].clone();
        let initialisers = self.program.initialisers(function, Some(&tree))?;
        if let [(name, initial, at)] = initialisers.as_slice()
            && *name == tree.name
        {
            // Another constructor does it.
            let ty = CudaType::plain(TypeShape::Structure(number));
            return self.initialise(place, &ty, initial, *at);
        }
        for &(base, offset) in &bases {
            let name = self.structures[base].tree.name.clone();
            let place = Self::behind(place, offset as i64);
            match initialisers.iter().find(|(of, ..)| *of == name) {
                Some((_, initial, at)) => {
                    let ty = CudaType::plain(TypeShape::Structure(base));
                    self.initialise(&place, &ty, initial, *at)?;
                }
                None => self.construct_at(&place, base, Vec::new(), function.at)?,
            }
        }
        for field in &fields {
            let target = Self::field_place(place, field);
            match initialisers.iter().find(|(of, ..)| *of == field.name) {
                Some((_, initial, at)) if field.is_reference => {
                    let (InitialTree::Arguments(values) | InitialTree::List(values)) = initial
                    else {
                        continue;
                    };
                    let [value] = values.as_slice() else {
                        return self.refuse(*at, "a reference is of one variable", "give one");
                    };
                    let value = self.lower(value)?;
                    self.initialised_by(
                        &TypedValue::place(field.ty.clone(), target),
                        true,
                        value,
                        *at,
                    )?;
                }
                Some((_, initial, at)) => self.initialise(&target, &field.ty, initial, *at)?,
                // Those of a base are the base's.
                None if tree.fields.iter().any(|f| f.name == field.name) => {
                    self.default_field(&target, number, field, bindings.clone(), function.at)?;
                }
                None => {}
            }
        }
        let known = |name: &Rc<str>| {
            fields.iter().any(|f| f.name == *name)
                || bases.iter().any(|(b, _)| self.structures[*b].tree.name == *name)
        };
        if let Some((name, _, at)) = initialisers.iter().find(|(name, ..)| !known(name)) {
            let (text, at) = (format!("`{}` has no member `{name}`", tree.name), *at);
            return self.refuse(at, text, "name a member");
        }
        Ok(())
    }

    /// The scalars of a type, and where each begins.
    pub(super) fn parts(
        &mut self,
        ty: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<Vec<(u64, CudaType)>> {
        let mut found = Vec::new();
        self.parts_into(ty, 0, &mut found, at)?;
        Ok(found)
    }

    fn parts_into(
        &mut self,
        ty: &CudaType,
        start: u64,
        found: &mut Vec<(u64, CudaType)>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        if found.len() as u64 > MAX {
            return self.refuse(
                at,
                format!("a copy of more than {MAX} numbers at once"),
                "copy it in a loop",
            );
        }
        match &ty.shape {
            TypeShape::Array(of, count) => {
                let step = self.size_of(of, at)?.0;
                for n in 0..count.unwrap_or(0) {
                    self.parts_into(of, start + n * step, found, at)?;
                }
            }
            TypeShape::Structure(number) => {
                let StructureLayout { tree, fields, size, align, .. } =
                    self.structures[*number].clone();
                if tree.is_union {
                    let bytes = align.min(8);
                    let part = CudaType {
                        is_volatile: ty.is_volatile,
                        ..CudaType::integer(bytes as u8, false)
                    };
                    found.extend((0..size / bytes).map(|n| (start + n * bytes, part.clone())));
                    return Ok(());
                }
                for (n, field) in fields.iter().enumerate() {
                    // Of members of some bits each word is one part.
                    if let Some((offset, bytes)) = word_of_bits(field) {
                        if !fields[..n]
                            .iter()
                            .any(|before| word_of_bits(before) == Some((offset, bytes)))
                        {
                            let is_volatile = ty.is_volatile || field.ty.is_volatile;
                            found.push((
                                start + offset,
                                CudaType { is_volatile, ..CudaType::integer(bytes as u8, false) },
                            ));
                        }
                        continue;
                    }
                    let field = field.clone();
                    let mut of =
                        if field.is_reference { CudaType::pointer(field.ty) } else { field.ty };
                    of.is_volatile |= ty.is_volatile;
                    self.parts_into(&of, start + field.offset, found, at)?;
                }
            }
            TypeShape::Void | TypeShape::Function => {}
            _ => found.push((start, ty.clone())),
        }
        Ok(())
    }

    /// Clears the words of members of some bits, in memory of the thread alone: each is read before
    /// it is changed.
    pub(super) fn clear_bits(&mut self, place: &ValuePlace, number: usize) -> LoweringResult<()> {
        if !matches!(place, ValuePlace::Memory { space: KnownSpace::Local, .. }) {
            return Ok(());
        }
        let mut words: Vec<(u64, u64)> =
            self.structures[number].fields.iter().filter_map(word_of_bits).collect();
        words.dedup();
        for (offset, bytes) in words {
            let ty = CudaType::integer(bytes as u8, false);
            self.store(
                &Self::behind(place, offset as i64),
                &ty,
                TypedValue::constant(ty.clone(), 0),
            )?;
        }
        Ok(())
    }

    /// Copies a structure part by part.
    pub(super) fn copy(
        &mut self,
        from: &ValuePlace,
        from_ty: &CudaType,
        to: &ValuePlace,
        to_ty: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        if from == to {
            return Ok(());
        }
        let align = self.size_of(&to_ty.value(), at)?.1;
        let mut parts = self.parts(&to_ty.value(), at)?;
        for (_, ty) in &mut parts {
            ty.is_volatile |= from_ty.is_volatile;
        }
        let values = self.load_parts(from, &parts, align, "")?;
        for (_, ty) in &mut parts {
            ty.is_volatile = to_ty.is_volatile;
        }
        self.store_parts(to, &parts, align, values, "")
    }

    pub(super) fn clear(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        for (offset, ty) in self.parts(&ty.value(), at)? {
            let zero = TypedValue { ty: ty.clone(), form: ValueForm::Constant(0) };
            self.store(&Self::behind(place, offset as i64), &ty, zero)?;
        }
        Ok(())
    }

    fn destructor(&self, number: usize) -> Option<Rc<FunctionTree>> {
        let tree = &self.structures[number].tree;
        tree.methods
            .iter()
            .find(|m| {
                m.role == FunctionRole::Destructor && !m.is_defaulted && self.has_body(m, number)
            })
            .cloned()
    }

    /// Is something done when it goes?
    pub(super) fn has_destructor(&self, number: usize) -> bool {
        let StructureLayout { fields, bases, .. } = &self.structures[number];
        self.destructor(number).is_some()
            || fields
                .iter()
                .filter(|f| !f.is_reference)
                .filter_map(|f| element_structure(&f.ty))
                .any(|(n, _)| self.has_destructor(n))
            || bases.iter().any(|(n, _)| self.has_destructor(*n))
    }

    pub(super) fn destroy(
        &mut self,
        place: &ValuePlace,
        number: usize,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let StructureLayout { bindings, fields, bases, .. } = self.structures[number].clone();
        if let Some(function) = self.destructor(number) {
            let function = self.defined(function, number)?;
            self.invoked(&function, Some(number), Some(place.clone()), bindings, Vec::new(), at)?;
        }
        // Members of bases are theirs.
        let inherited: usize =
            bases.iter().map(|(base, _)| self.structures[*base].fields.len()).sum();
        for field in fields[inherited..].iter().rev().filter(|f| !f.is_reference) {
            if let Some((inner, count)) =
                element_structure(&field.ty).filter(|&(n, _)| self.has_destructor(n))
            {
                let step = self.structures[inner].size;
                for n in (0..count).rev() {
                    self.destroy(
                        &Self::behind(place, (field.offset + n * step) as i64),
                        inner,
                        at,
                    )?;
                }
            }
        }
        for (base, offset) in bases.into_iter().rev() {
            if self.has_destructor(base) {
                self.destroy(&Self::behind(place, offset as i64), base, at)?;
            }
        }
        Ok(())
    }
}

const MAX: u64 = super::MAX_PARTS;

/// The word that a member of some bits is in: where it begins in its structure, and how many bytes
/// it has.
fn word_of_bits(field: &FieldLayout) -> Option<(u64, u64)> {
    field.bits.map(|bits| (field.offset + bits.least.0, bits.least.1))
}
