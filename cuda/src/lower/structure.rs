//! Structures: how they are made, copied and destroyed.

use std::rc::Rc;

use super::{KernelLowering, KnownSpace, LoweringResult, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, ExpressionKind, FunctionRole, FunctionTree, InitialTree};
use crate::types::{CudaType, FieldLayout, StructureLayout, TypeShape};

/// A method, the structure that has it, and where that begins in the one it was looked for in.
pub(super) type FoundMethod = (Rc<FunctionTree>, usize, u64);

impl KernelLowering {
    /// The methods of a structure with a name, those of its bases where it has none.
    pub(super) fn methods(&self, number: usize, is: &dyn Fn(&FunctionTree) -> bool) -> Vec<FoundMethod> {
        let StructureLayout { tree, bases, .. } = &self.structures[number];
        let own: Vec<FoundMethod> = tree.methods.iter().filter(|m| is(m)).map(|m| (m.clone(), number, 0)).collect();
        if !own.is_empty() {
            return own;
        }
        let of_bases = bases.iter().flat_map(|&(base, offset)| {
            self.methods(base, is).into_iter().map(move |(method, owner, further)| (method, owner, offset + further))
        });
        of_bases.collect()
    }

    pub(super) fn has_method(&self, number: usize, name: &str) -> bool {
        !self.methods(number, &|m| &*m.name == name && m.role == FunctionRole::Plain).is_empty()
    }

    /// Has it an operator of so many operands beside itself?
    pub(super) fn has_operator(&self, number: usize, name: &str, count: usize) -> bool {
        !self.methods(number, &|m| &*m.name == name && m.role == FunctionRole::Plain && m.takes(count)).is_empty()
    }

    /// Does it say itself how one of it is assigned to another?
    pub(super) fn has_own_assignment(&self, number: usize) -> bool {
        let tree = &self.structures[number].tree;
        let is_own = |m: &Rc<FunctionTree>| {
            let parameter = m.parameters.first().map(|p| &p.ty);
            let of = |ty: &crate::tree::TypeTree| {
                let mut ty = ty;
                while let crate::tree::TypeTree::Reference(of) | crate::tree::TypeTree::Constant(of) = ty {
                    ty = of;
                }
                matches!(ty, crate::tree::TypeTree::Named(path) if path.last().name == tree.name)
            };
            &*m.name == "operator=" && !m.is_defaulted && m.body.is_some() && parameter.is_some_and(of)
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

    /// The type that a structure turns into where a number is expected.
    pub(super) fn conversion_type(&mut self, number: usize) -> LoweringResult<Option<CudaType>> {
        let found = self.methods(number, &|m| m.role == FunctionRole::Conversion);
        let Some((method, owner, _)) = found.into_iter().next() else { return Ok(None) };
        let StructureLayout { tree, bindings, .. } = self.structures[owner].clone();
        self.outside(tree.namespace.clone(), bindings, Some(owner), |this| this.resolved(&method.result)).map(Some)
    }

    /// A structure as a value of another type, by its conversion.
    pub(super) fn converted_by_method(
        &mut self,
        value: TypedValue,
        number: usize,
        to: &CudaType,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let found = self.methods(number, &|m| m.role == FunctionRole::Conversion);
        let Some((method, owner, offset)) = found.into_iter().next() else {
            let text = format!("a value of the type {} is no {}", self.type_text(&value.ty), self.type_text(to));
            return self.refuse(at, text, "use its members");
        };
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = value.form else {
            return self.refuse(at, "a conversion of what is no variable", "put it into a variable");
        };
        let this = Self::behind(&place, offset as i64);
        let bindings = self.structures[owner].bindings.clone();
        let found = self.invoked(&method, Some(owner), Some(this), bindings, Vec::new(), at)?;
        self.converted(found, to, at)
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
            let text = format!("`{}` has no `{name}` that is known here", self.structures[number].tree.name);
            return self.refuse(at, text, "what is known of the library is in docs/kernels.md");
        }
        self.method_called(base, found, None, arguments, at)
    }

    /// A new structure in memory of the thread.
    pub(super) fn constructed(&mut self, number: usize, values: Vec<TypedValue>, at: CudaSpan) -> LoweringResult<TypedValue> {
        let ty = CudaType::plain(TypeShape::Structure(number));
        let (bytes, align) = self.size_of(&ty, at)?;
        let name = self.structures[number].tree.name.clone();
        let place = self.local(&name, bytes, align, at)?;
        self.construct_at(&place, number, values, at)?;
        Ok(TypedValue { ty, form: ValueForm::Temporary(place) })
    }

    pub(super) fn constructed_by_list(
        &mut self,
        number: usize,
        all: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let ty = CudaType::plain(TypeShape::Structure(number));
        let (bytes, align) = self.size_of(&ty, at)?;
        let name = self.structures[number].tree.name.clone();
        let place = self.local(&name, bytes, align, at)?;
        self.initialise(&place, &ty, &InitialTree::List(all.to_vec()), at)?;
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
        let constructors: Vec<FoundMethod> = tree
            .methods
            .iter()
            .filter(|m| m.role == FunctionRole::Constructor && m.body.is_some())
            .map(|m| (m.clone(), number, 0))
            .collect();
        // One of its own kind is copied.
        if let [one] = values.as_slice()
            && (one.ty.structure() == Some(number) || one.ty.structure().is_some_and(|n| self.base_at(n, number).is_some()))
            && !constructors.iter().any(|(m, ..)| m.parameters.len() == 1 && self.takes_own(m, &tree.name))
        {
            let ty = CudaType::plain(TypeShape::Structure(number));
            let value = self.converted(one.clone(), &ty, at)?;
            if let ValueForm::Place(from) | ValueForm::Temporary(from) = value.form {
                return self.copy(&from, &value.ty, place, &ty, at);
            }
        }
        // Groups of threads have no members: one is as good as another.
        let is_kin = |n: usize| Rc::ptr_eq(&self.structures[n].tree, &tree) && fields.is_empty() && bases.is_empty();
        if let [one] = values.as_slice()
            && one.ty.structure().is_some_and(is_kin)
        {
            return Ok(());
        }
        if constructors.iter().any(|(m, ..)| m.takes(values.len())) {
            let (index, bindings) = self.chosen(&constructors, None, &values, (&tree.name, at))?;
            let function = constructors[index].0.clone();
            self.invoked(&function, Some(number), Some(place.clone()), bindings, values, at)?;
            return Ok(());
        }
        if !values.is_empty() {
            // The members in their order.
            if !constructors.is_empty() || values.len() > fields.len() {
                let text = format!("`{}` is not made of {} values", tree.name, values.len());
                return self.refuse(at, text, "give what one of its constructors takes");
            }
            for (field, value) in fields.iter().zip(values) {
                let target = TypedValue::place(field.ty.clone(), Self::field_place(place, field));
                self.initialised_by(&target, field.is_reference, value, at)?;
            }
            return Ok(());
        }
        for (base, offset) in bases {
            self.construct_at(&Self::behind(place, offset as i64), base, Vec::new(), at)?;
        }
        let own: Vec<_> = fields.into_iter().filter(|f| f.initial.is_some() || f.ty.structure().is_some()).collect();
        for field in own {
            let target = Self::field_place(place, &field);
            self.default_field(&target, number, &field, bindings.clone(), at)?;
        }
        Ok(())
    }

    fn takes_own(&self, function: &FunctionTree, name: &str) -> bool {
        let mut ty = &function.parameters[0].ty;
        while let crate::tree::TypeTree::Reference(of) | crate::tree::TypeTree::Constant(of) = ty {
            ty = of;
        }
        matches!(ty, crate::tree::TypeTree::Named(path) if &*path.last().name == name)
    }

    /// A member as it is where a constructor says nothing of it.
    fn default_field(
        &mut self,
        target: &ValuePlace,
        number: usize,
        field: &FieldLayout,
        bindings: Rc<crate::types::TemplateBindings>,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        match (&field.initial, field.ty.structure()) {
            (Some(initial), _) => {
                let namespace = self.structures[number].tree.namespace.clone();
                let initial = initial.clone();
                let target = target.clone();
                let ty = field.ty.clone();
                self.outside(namespace, bindings, Some(number), |this| this.initialise(&target, &ty, &initial, at))
            }
            (None, Some(inner)) => self.construct_at(target, inner, Vec::new(), at),
            (None, None) => Ok(()),
        }
    }

    /// Puts a value to a member, or the address of a place to one that is a reference.
    fn initialised_by(&mut self, target: &TypedValue, is_reference: bool, value: TypedValue, at: CudaSpan) -> LoweringResult<()> {
        let ValueForm::Place(place) = &target.form else { return Ok(()) };
        if is_reference {
            let (ValueForm::Place(from) | ValueForm::Temporary(from)) = value.form else {
                return self.refuse(at, "a reference to what is no variable", "put it into a variable");
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
        if let [(name, values, at)] = initialisers.as_slice()
            && *name == tree.name
        {
            // Another constructor does it.
            let values = values.iter().map(|e| self.lower(e)).collect::<LoweringResult<Vec<_>>>()?;
            return self.construct_at(place, number, values, *at);
        }
        for &(base, offset) in &bases {
            let name = self.structures[base].tree.name.clone();
            let values = match initialisers.iter().find(|(of, ..)| *of == name) {
                Some((_, values, _)) => values.iter().map(|e| self.lower(e)).collect::<LoweringResult<Vec<_>>>()?,
                None => Vec::new(),
            };
            self.construct_at(&Self::behind(place, offset as i64), base, values, function.at)?;
        }
        for field in &fields {
            let target = Self::field_place(place, field);
            match initialisers.iter().find(|(of, ..)| *of == field.name) {
                Some((_, values, at)) if field.is_reference => {
                    let [value] = values.as_slice() else {
                        return self.refuse(*at, "a reference is of one variable", "give one");
                    };
                    let value = self.lower(value)?;
                    self.initialised_by(&TypedValue::place(field.ty.clone(), target), true, value, *at)?;
                }
                Some((_, values, at)) => {
                    self.initialise(&target, &field.ty, &InitialTree::Arguments(values.clone()), *at)?;
                }
                // Those of a base are the base's.
                None if tree.fields.iter().any(|f| f.name == field.name) => {
                    self.default_field(&target, number, field, bindings.clone(), function.at)?;
                }
                None => {}
            }
        }
        let known = |name: &Rc<str>| {
            fields.iter().any(|f| f.name == *name) || bases.iter().any(|(b, _)| self.structures[*b].tree.name == *name)
        };
        if let Some((name, _, at)) = initialisers.iter().find(|(name, ..)| !known(name)) {
            let (text, at) = (format!("`{}` has no member `{name}`", tree.name), *at);
            return self.refuse(at, text, "name a member");
        }
        Ok(())
    }

    /// Gives a place what its declaration says.
    pub(super) fn initialise(
        &mut self,
        place: &ValuePlace,
        ty: &CudaType,
        initial: &InitialTree,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let target = TypedValue::place(ty.value(), place.clone());
        if let InitialTree::Arguments(all) | InitialTree::List(all) = initial
            && let std::borrow::Cow::Owned(all) = self.unpacked(all)?
        {
            let one_by_one = match initial {
                InitialTree::List(_) => InitialTree::List(all),
                _ => InitialTree::Arguments(all),
            };
            return self.initialise(place, ty, &one_by_one, at);
        }
        match initial {
            InitialTree::Value(e) => {
                if let ExpressionKind::List(all) = &e.what {
                    return self.initialise(place, ty, &InitialTree::List(all.clone()), at);
                }
                let value = self.lower(e)?;
                match ty.structure() {
                    Some(number) => self.construct_at(place, number, vec![value], e.at),
                    None => self.put(&target, value, e.at),
                }
            }
            InitialTree::Arguments(all) => match ty.structure() {
                Some(number) => {
                    let values = all.iter().map(|e| self.lower(e)).collect::<LoweringResult<Vec<_>>>()?;
                    self.construct_at(place, number, values, at)
                }
                None if all.len() == 1 => self.initialise(place, ty, &InitialTree::Value(all[0].clone()), at),
                None if all.is_empty() => self.clear(place, ty, at),
                None => self.refuse(at, "several values for what is a number", "give one"),
            },
            InitialTree::List(all) => match &ty.shape {
                TypeShape::Array(of, count) => {
                    let step = self.size_of(of, at)?.0;
                    if all.len() as u64 > count.unwrap_or(0) {
                        return self.refuse(at, "more values than the array has elements", "give fewer");
                    }
                    for (n, e) in all.iter().enumerate() {
                        let place = Self::behind(place, (n as u64 * step) as i64);
                        self.initialise(&place, of, &InitialTree::Value(e.clone()), at)?;
                    }
                    for n in all.len() as u64..count.unwrap_or(0) {
                        let place = Self::behind(place, (n * step) as i64);
                        self.clear(&place, of, at)?;
                    }
                    Ok(())
                }
                TypeShape::Structure(number) => {
                    let StructureLayout { tree, fields, .. } = self.structures[*number].clone();
                    self.clear_bits(place, *number)?;
                    let has_constructor =
                        tree.methods.iter().any(|m| m.role == FunctionRole::Constructor && !m.is_defaulted && m.body.is_some());
                    let lists = all.iter().any(|e| matches!(e.what, ExpressionKind::List(_)));
                    if has_constructor || all.is_empty() && fields.iter().any(|f| f.initial.is_some()) {
                        if lists {
                            return self.refuse(at, "a list in a list for a constructor", "write the type in front of it");
                        }
                        let values = all.iter().map(|e| self.lower(e)).collect::<LoweringResult<Vec<_>>>()?;
                        return self.construct_at(place, *number, values, at);
                    }
                    if let Some(field) = self.only_array(*number, all) {
                        let target = Self::field_place(place, &field);
                        return self.initialise(&target, &field.ty, initial, at);
                    }
                    if all.len() > fields.len() {
                        return self.refuse(at, "more values than the structure has members", "give fewer");
                    }
                    if all.iter().any(|e| matches!(e.what, ExpressionKind::Designated(..))) {
                        return self.initialise_by_name(place, *number, all, at);
                    }
                    // A copy of another one.
                    if let [one] = all.as_slice()
                        && !matches!(one.what, ExpressionKind::List(_))
                    {
                        let value = self.lower(one)?;
                        if value.ty.structure() == Some(*number) {
                            return self.construct_at(place, *number, vec![value], at);
                        }
                        let target = TypedValue::place(fields[0].ty.clone(), Self::field_place(place, &fields[0]));
                        self.initialised_by(&target, fields[0].is_reference, value, at)?;
                    } else {
                        for (e, field) in all.iter().zip(&fields) {
                            let place = Self::field_place(place, field);
                            match field.is_reference {
                                true => {
                                    let value = self.lower(e)?;
                                    self.initialised_by(&TypedValue::place(field.ty.clone(), place), true, value, at)?;
                                }
                                false => self.initialise(&place, &field.ty, &InitialTree::Value(e.clone()), at)?,
                            }
                        }
                    }
                    if !tree.is_union {
                        for field in &fields[all.len()..] {
                            let place = Self::field_place(place, field);
                            self.clear(&place, &field.ty, at)?;
                        }
                    }
                    Ok(())
                }
                _ => match all.as_slice() {
                    [] => self.clear(place, ty, at),
                    [one] => self.initialise(place, ty, &InitialTree::Value(one.clone()), at),
                    _ => self.refuse(at, "several values for what is a number", "give one"),
                },
            },
        }
    }

    /// The array that is the only member of a structure, where values in braces are of its elements: `array<int, 2> a{1, 2}`.
    pub(super) fn only_array(&self, number: usize, all: &[CudaExpression]) -> Option<FieldLayout> {
        let [field] = self.structures[number].fields.as_slice() else { return None };
        let is_nested = all.iter().any(|e| matches!(e.what, ExpressionKind::List(_) | ExpressionKind::Designated(..)));
        (matches!(field.ty.shape, TypeShape::Array(..)) && !is_nested && all.len() > 1).then(|| field.clone())
    }

    /// `{.x = 1, .y = 2}`: members that are not named are as they are by default.
    fn initialise_by_name(
        &mut self,
        place: &ValuePlace,
        number: usize,
        all: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let StructureLayout { tree, fields, bindings, .. } = self.structures[number].clone();
        let mut given: Vec<(&Rc<str>, &CudaExpression)> = Vec::new();
        for e in all {
            let ExpressionKind::Designated(name, value) = &e.what else {
                return self.refuse(e.at, "a value without the name of its member among others with theirs", "name all of them");
            };
            if !fields.iter().any(|f| f.name == *name) {
                return self.refuse(e.at, format!("`{}` has no member `{name}`", tree.name), "name a member");
            }
            given.push((name, &**value));
        }
        for field in &fields {
            let target = Self::field_place(place, field);
            match given.iter().find(|(name, _)| **name == field.name) {
                Some((_, value)) if field.is_reference => {
                    let value = self.lower(value)?;
                    self.initialised_by(&TypedValue::place(field.ty.clone(), target), true, value, at)?;
                }
                Some((_, value)) => self.initialise(&target, &field.ty, &InitialTree::Value((*value).clone()), at)?,
                None if tree.is_union => {}
                None if field.initial.is_some() => self.default_field(&target, number, field, bindings.clone(), at)?,
                None => self.clear(&target, &field.ty, at)?,
            }
        }
        Ok(())
    }

    /// The scalars of a type, and where each begins.
    pub(super) fn parts(&mut self, ty: &CudaType, at: CudaSpan) -> LoweringResult<Vec<(u64, CudaType)>> {
        let mut found = Vec::new();
        self.parts_into(ty, 0, &mut found, at)?;
        Ok(found)
    }

    fn parts_into(&mut self, ty: &CudaType, start: u64, found: &mut Vec<(u64, CudaType)>, at: CudaSpan) -> LoweringResult<()> {
        if found.len() as u64 > MAX {
            return self.refuse(at, format!("a copy of more than {MAX} numbers at once"), "copy it in a loop");
        }
        match &ty.shape {
            TypeShape::Array(of, count) => {
                let step = self.size_of(of, at)?.0;
                for n in 0..count.unwrap_or(0) {
                    self.parts_into(of, start + n * step, found, at)?;
                }
            }
            TypeShape::Structure(number) => {
                let StructureLayout { tree, fields, size, align, .. } = self.structures[*number].clone();
                if tree.is_union {
                    let bytes = align.min(8);
                    let part = CudaType { is_volatile: ty.is_volatile, ..CudaType::integer(bytes as u8, false) };
                    found.extend((0..size / bytes).map(|n| (start + n * bytes, part.clone())));
                    return Ok(());
                }
                for (n, field) in fields.iter().enumerate() {
                    // Of members of some bits each word is one part.
                    if let Some((offset, bytes)) = word_of_bits(field) {
                        if !fields[..n].iter().any(|before| word_of_bits(before) == Some((offset, bytes))) {
                            let is_volatile = ty.is_volatile || field.ty.is_volatile;
                            found.push((start + offset, CudaType { is_volatile, ..CudaType::integer(bytes as u8, false) }));
                        }
                        continue;
                    }
                    let field = field.clone();
                    let mut of = if field.is_reference { CudaType::pointer(field.ty) } else { field.ty };
                    of.is_volatile |= ty.is_volatile;
                    self.parts_into(&of, start + field.offset, found, at)?;
                }
            }
            TypeShape::Void | TypeShape::Function => {}
            _ => found.push((start, ty.clone())),
        }
        Ok(())
    }

    /// Clears the words of members of some bits, in memory of the thread alone: each is read before it is changed.
    fn clear_bits(&mut self, place: &ValuePlace, number: usize) -> LoweringResult<()> {
        if !matches!(place, ValuePlace::Memory { space: KnownSpace::Local, .. }) {
            return Ok(());
        }
        let mut words: Vec<(u64, u64)> = self.structures[number].fields.iter().filter_map(word_of_bits).collect();
        words.dedup();
        for (offset, bytes) in words {
            let ty = CudaType::integer(bytes as u8, false);
            self.store(&Self::behind(place, offset as i64), &ty, TypedValue::constant(ty.clone(), 0))?;
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
        let mut values = Vec::new();
        for (offset, mut ty) in self.parts(&to_ty.value(), at)? {
            ty.is_volatile |= from_ty.is_volatile;
            let value = self.load(&Self::behind(from, offset as i64), &ty)?;
            ty.is_volatile = to_ty.is_volatile;
            values.push((offset, ty, value));
        }
        for (offset, ty, value) in values {
            self.store(&Self::behind(to, offset as i64), &ty, value)?;
        }
        Ok(())
    }

    fn clear(&mut self, place: &ValuePlace, ty: &CudaType, at: CudaSpan) -> LoweringResult<()> {
        for (offset, ty) in self.parts(&ty.value(), at)? {
            let zero = TypedValue { ty: ty.clone(), form: ValueForm::Constant(0) };
            self.store(&Self::behind(place, offset as i64), &ty, zero)?;
        }
        Ok(())
    }

    fn destructor(&self, number: usize) -> Option<Rc<FunctionTree>> {
        let tree = &self.structures[number].tree;
        tree.methods.iter().find(|m| m.role == FunctionRole::Destructor && !m.is_defaulted && m.body.is_some()).cloned()
    }

    /// Is something done when it goes?
    pub(super) fn has_destructor(&self, number: usize) -> bool {
        let StructureLayout { fields, bases, .. } = &self.structures[number];
        self.destructor(number).is_some()
            || fields.iter().filter(|f| !f.is_reference).filter_map(|f| f.ty.structure()).any(|n| self.has_destructor(n))
            || bases.iter().any(|(n, _)| self.has_destructor(*n))
    }

    pub(super) fn destroy(&mut self, place: &ValuePlace, number: usize, at: CudaSpan) -> LoweringResult<()> {
        let StructureLayout { bindings, fields, bases, .. } = self.structures[number].clone();
        if let Some(function) = self.destructor(number) {
            self.invoked(&function, Some(number), Some(place.clone()), bindings, Vec::new(), at)?;
        }
        for field in fields.iter().rev().filter(|f| !f.is_reference) {
            if let Some(inner) = field.ty.structure().filter(|&n| self.has_destructor(n)) {
                self.destroy(&Self::behind(place, field.offset as i64), inner, at)?;
            }
        }
        for (base, offset) in bases {
            if self.has_destructor(base) {
                self.destroy(&Self::behind(place, offset as i64), base, at)?;
            }
        }
        Ok(())
    }
}

const MAX: u64 = super::MAX_PARTS;

/// The word that a member of some bits is in: where it begins in its structure, and how many bytes it has.
fn word_of_bits(field: &FieldLayout) -> Option<(u64, u64)> {
    field.bits.map(|bits| (field.offset + bits.least.0, bits.least.1))
}
