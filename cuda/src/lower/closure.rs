//! Lambdas, and functions by address. What is called is put in place, so a lambda is the names that
//! it sees and its body, and the address of a function is the number of the function; where that is
//! not constant each of those whose address is taken is compared with.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::function_value::{AddressedFunction, FoundMethod, LambdaScope};
use super::{
    KernelLowering, KnownSpace, LocalNames, LoweringResult, LoweringStop, NameBinding, TypedValue,
    ValueForm, ValuePlace,
};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{CudaExpression, ExpressionKind, LambdaTree, NamePart, NamePath, StructureTree};
use crate::types::{
    CudaType, FieldLayout, ReferenceKind, StructureLayout, TemplateBindings, TypeShape,
};

/// Is it the address of a function?
pub(super) fn is_function(ty: &CudaType) -> bool {
    ty.shape == TypeShape::Function
        || ty.element().is_some_and(|of| of.shape == TypeShape::Function)
}

impl KernelLowering {
    /// A lambda, as a structure of its own type.
    pub(super) fn lambda(
        &mut self,
        tree: &Rc<LambdaTree>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let mut names: FxHashMap<Rc<str>, NameBinding> = FxHashMap::default();
        for scope in &self.current().scopes {
            names.extend(scope.names.iter().map(|(name, binding)| (name.clone(), binding.clone())));
        }
        let mut copied: Vec<Rc<str>> = Vec::new();
        if tree.copies {
            for word in &tree.words {
                match names.get(word).cloned() {
                    Some(NameBinding::Value(value)) => {
                        let copy = self.kept(
                            value,
                            self.is_declared_reference(word),
                            tree.is_mutable,
                            at,
                        )?;
                        copied.push(word.clone());
                        names.insert(word.clone(), NameBinding::Value(copy));
                    }
                    Some(NameBinding::Pack(all)) => {
                        let is_reference = self.is_declared_reference(word);
                        let keep = |value| self.kept(value, is_reference, tree.is_mutable, at);
                        let all = all.into_iter().map(keep).collect::<LoweringResult<_>>()?;
                        names.insert(word.clone(), NameBinding::Pack(all));
                    }
                    _ => {}
                }
            }
        }
        for capture in &tree.captures {
            if let (Some(NameBinding::Pack(all)), None) =
                (names.get(&capture.name).cloned(), &capture.value)
            {
                let is_reference = self.is_declared_reference(&capture.name);
                let keep = |value| {
                    if capture.is_reference {
                        Ok(value)
                    } else {
                        self.kept(value, is_reference, tree.is_mutable, at)
                    }
                };
                let all = all.into_iter().map(keep).collect::<LoweringResult<_>>()?;
                names.insert(capture.name.clone(), NameBinding::Pack(all));
                continue;
            }
            let path = NamePath {
                parts: vec![NamePart { name: capture.name.clone(), arguments: None }],
                at,
            };
            let named = CudaExpression { what: ExpressionKind::Name(path), at };
            let value = self.lower(capture.value.as_ref().unwrap_or(&named))?;
            let value = match capture.is_reference {
                true => value,
                false => {
                    copied.push(capture.name.clone());
                    let is_copied =
                        capture.value.is_some() || self.is_declared_reference(&capture.name);
                    self.kept(value, is_copied, tree.is_mutable, at)?
                }
            };
            names.insert(capture.name.clone(), NameBinding::Value(value));
        }
        let this = match (self.current().this.clone(), self.current().owner) {
            (Some(this), Some(owner)) if tree.copies_this => {
                let ty = self.type_of_object(owner);
                let (bytes, align) = self.size_of(&ty, at)?;
                let copy = self.local("object", bytes, align, at)?;
                self.copy(&this, &ty, &copy, &ty, at)?;
                Some(copy)
            }
            (this, _) => this,
        };
        // What a `mutable` one has copies of are its members: each copy of it has its own.
        let mut members = Vec::new();
        if tree.is_mutable {
            copied.dedup();
            for name in copied {
                if let Some(NameBinding::Value(value)) = names.get(&name).cloned()
                    && !value.ty.is_void()
                    && self.is_own(&value)
                {
                    members.push((name, value));
                }
            }
        }
        let frame = self.current();
        let namespaces =
            frame.scopes.iter().flat_map(|scope| scope.namespaces.iter().cloned()).collect();
        let of = |scope: &LocalNames| scope.aliases_of_namespaces.clone();
        let aliases_of_namespaces = frame.scopes.iter().flat_map(of).collect();
        // What is copied is a variable of its own.
        let is_seen = |(name, _): &(&Rc<str>, &ReferenceKind)| {
            !tree.captures.iter().any(|c| !c.is_reference && c.name == **name)
        };
        let all = frame.scopes.iter().flat_map(|scope| scope.references.iter()).filter(is_seen);
        let references =
            all.filter(|_| !tree.copies).map(|(name, kind)| (name.clone(), *kind)).collect();
        let (owner, object) = (frame.owner, frame.object.clone());
        let is_plain = tree.is_plain;
        let scope = LambdaScope {
            names,
            namespaces,
            aliases_of_namespaces,
            references,
            owner,
            this,
            object,
            is_plain,
        };
        let bindings = frame.bindings.clone();
        let layout = StructureTree {
            name: "(lambda)".into(),
            namespace: frame.namespace.clone(),
            template: None,
            is_union: false,
            bases: Vec::new(),
            fields: Vec::new(),
            constants: Vec::new(),
            methods: vec![tree.function.clone()],
            aliases: Vec::new(),
            taken: Vec::new(),
            enumerations: Vec::new(),
            alignment: None,
            virtual_at: None,
            specialises: None,
            constraints: Rc::default(),
            at,
        };
        let number = self.new_structure(Rc::new(layout), bindings, at)?;
        let (mut size, mut align, mut fields) = (0, 1, Vec::new());
        for (name, value) in &members {
            let (bytes, alignment) = self.size_of(&value.ty, at)?;
            let offset = u64::next_multiple_of(size, alignment);
            (size, align) = (offset + bytes, align.max(alignment));
            let ty = value.ty.value();
            fields.push(FieldLayout {
                name: name.clone(),
                ty,
                offset,
                is_reference: false,
                bits: None,
                is_mutable: false,
                initial: None,
            });
        }
        let layout = &mut self.structures[number];
        (layout.size, layout.align) = (size.max(1), align);
        layout.fields.clone_from(&fields);
        self.lambdas.insert(number, scope);
        let place = self.local("lambda", size.max(1), align, at)?;
        for (field, (_, value)) in fields.iter().zip(members) {
            let to = TypedValue::place(field.ty.clone(), Self::field_place(&place, field));
            match (&value.ty.shape, &value.form) {
                (
                    TypeShape::Structure(_) | TypeShape::Array(..),
                    ValueForm::Place(from) | ValueForm::Temporary(from),
                ) => {
                    let (from, to_place) = (from.clone(), Self::field_place(&place, field));
                    self.copy(&from, &value.ty, &to_place, &field.ty, at)?;
                }
                _ => self.put(&to, value, at)?,
            }
        }
        Ok(TypedValue {
            ty: CudaType::plain(TypeShape::Structure(number)),
            form: ValueForm::Temporary(place),
        })
    }

    /// A structure without members yet.
    pub(super) fn new_structure(
        &mut self,
        tree: Rc<StructureTree>,
        bindings: Rc<TemplateBindings>,
        at: CudaSpan,
    ) -> LoweringResult<usize> {
        if self.structures.len() > 4000 {
            return self.refuse(
                at,
                "more than 4000 structures are made of templates and lambdas",
                "make fewer",
            );
        }
        let arguments = bindings.clone();
        let (fields, bases) = (Vec::new(), Vec::new());
        self.structures.push(StructureLayout {
            tree,
            bindings,
            arguments,
            fields,
            bases,
            size: 0,
            align: 0,
        });
        Ok(self.structures.len() - 1)
    }

    /// Was a name that is seen here declared as a reference?
    pub(super) fn is_declared_reference(&self, name: &Rc<str>) -> bool {
        let scope = self.current().scopes.iter().rev().find(|s| s.names.contains_key(name));
        scope.is_some_and(|scope| {
            scope.references.contains_key(name) || scope.references_of_packs.contains_key(name)
        })
    }

    /// A copy of a variable, which only a `mutable` lambda may change. What threads share is no
    /// variable of the block and stays where it is, but where a reference leads to it, or it is
    /// what a capture begins as.
    fn kept(
        &mut self,
        value: TypedValue,
        is_copied: bool,
        is_mutable: bool,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = &value.form else {
            return Ok(value);
        };
        let is_shared = !is_copied
            && matches!(
                place,
                ValuePlace::Memory {
                    space: KnownSpace::Shared
                        | KnownSpace::Global
                        | KnownSpace::Constant
                        | KnownSpace::Any,
                    ..
                }
            );
        match &value.ty.shape {
            TypeShape::Structure(number) if !is_shared && self.has_destructor(*number) => {
                let help = "capture it by reference, or make it within the lambda";
                self.refuse(
                    at,
                    "a lambda with a copy of what has a destructor is not understood",
                    help,
                )
            }
            TypeShape::Structure(number) if !is_shared => {
                let ty = CudaType {
                    is_constant: value.ty.is_constant || !is_mutable,
                    ..value.ty.clone()
                };
                let made = self.constructed(
                    *number,
                    vec![TypedValue::place(value.ty.clone(), place.clone())],
                    at,
                )?;
                match made.form {
                    ValueForm::Temporary(copy) => Ok(TypedValue::place(ty, copy)),
                    form => Ok(TypedValue { ty, form }),
                }
            }
            TypeShape::Array(..) if !is_shared => {
                let (bytes, align) = self.size_of(&value.ty, at)?;
                let copy = self.local("kept", bytes, align, at)?;
                self.copy(&place.clone(), &value.ty, &copy, &value.ty, at)?;
                let ty = CudaType { is_constant: value.ty.is_constant || !is_mutable, ..value.ty };
                Ok(TypedValue::place(ty, copy))
            }
            _ if value.ty.is_scalar() && !is_shared => {
                let value = self.fixed(value)?;
                let form = ValueForm::Place(ValuePlace::Fixed(Box::new(value.form), at));
                Ok(TypedValue {
                    ty: CudaType { is_constant: !is_mutable, ..value.ty.value() },
                    form,
                })
            }
            _ => Ok(value),
        }
    }

    /// Is it memory, or a value, of the thread's own, and not what threads share?
    fn is_own(&self, value: &TypedValue) -> bool {
        !matches!(
            &value.form,
            ValueForm::Place(ValuePlace::Memory {
                space: KnownSpace::Shared
                    | KnownSpace::Global
                    | KnownSpace::Constant
                    | KnownSpace::Any,
                ..
            })
        )
    }

    /// The address of the functions that a name stands for.
    pub(super) fn address_of_function(
        &mut self,
        path: &NamePath,
        entries: &[DeclaredItem],
    ) -> LoweringResult<TypedValue> {
        let overloads: Vec<FoundMethod> = entries
            .iter()
            .filter_map(|i| {
                if let DeclaredItem::Function(f) = i {
                    Some((f.clone(), usize::MAX, 0))
                } else {
                    None
                }
            })
            .collect();
        let explicit = path.last().arguments.clone();
        let bindings = match (overloads.iter().find_map(|(f, ..)| f.template.clone()), explicit) {
            (Some(parameters), Some(arguments)) => {
                Some(Rc::new(self.bound(&parameters, Some(&arguments), path.at)?))
            }
            _ => None,
        };
        let is_same = |f: &AddressedFunction| {
            f.bindings == bindings
                && f.overloads
                    .first()
                    .zip(overloads.first())
                    .is_some_and(|(a, b)| Rc::ptr_eq(&a.0, &b.0))
        };
        let number = match self.functions.iter().position(is_same) {
            Some(number) => number,
            None => {
                self.functions.push(AddressedFunction { overloads, bindings });
                self.functions.len() - 1
            }
        };
        let ty = CudaType::pointer(CudaType::plain(TypeShape::Function));
        Ok(TypedValue::constant(ty, number as u64 + 1))
    }

    /// Is it a lambda without captures, which a pointer to a function may lead to?
    pub(super) fn is_plain_lambda(&self, ty: &CudaType) -> bool {
        ty.structure()
            .and_then(|number| self.lambdas.get(&number))
            .is_some_and(|lambda| lambda.is_plain)
    }

    /// The address of a lambda without captures, as a function. One that is made again is the same
    /// function, and sees what the last one sees.
    pub(super) fn address_of_lambda(&mut self, number: usize) -> TypedValue {
        let function = self.structures[number].tree.methods[0].clone();
        let bindings = &self.structures[number].bindings;
        let is_same = |f: &AddressedFunction| {
            f.overloads.first().is_some_and(|(of, owner, _)| {
                Rc::ptr_eq(of, &function)
                    && self.structures.get(*owner).is_some_and(|s| s.bindings == *bindings)
            })
        };
        let known = self.functions.iter().position(is_same);
        let made = AddressedFunction { overloads: vec![(function, number, 0)], bindings: None };
        let place = match known {
            Some(place) => {
                self.functions[place] = made;
                place
            }
            None => {
                self.functions.push(made);
                self.functions.len() - 1
            }
        };
        let ty = CudaType::pointer(CudaType::plain(TypeShape::Function));
        TypedValue::constant(ty, place as u64 + 1)
    }

    /// Where the address is not constant, it is compared with those of the functions whose
    /// addresses are taken and that take these values; any other traps.
    pub(super) fn call_by_address(
        &mut self,
        address: TypedValue,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let address = self.rvalue(address)?;
        if let Some(known) = address.known() {
            return match usize::try_from(known)
                .ok()
                .and_then(|n| n.checked_sub(1))
                .filter(|&n| n < self.functions.len())
            {
                Some(number) => self.call_addressed(number, values, at),
                None => self.refuse(
                    at,
                    "a call of a function at an address that is none",
                    "give it the address of a function",
                ),
            };
        }
        let address = self.in_register(address)?;
        let mut candidates = Vec::new();
        for number in 0..self.functions.len() {
            if self.takes(number, &values, at)? {
                candidates.push(number);
            }
        }
        if candidates.is_empty() {
            let help = "take the address of a function of the program; what is passed from elsewhere is not known";
            return self.refuse(at, "which function this calls is not known", help);
        }
        // Others whose addresses are taken later are compared with when the kernel is begun again.
        self.compared_functions =
            Some(self.compared_functions.unwrap_or(usize::MAX).min(self.functions.len()));
        let values = values
            .into_iter()
            .map(|v| if v.ty.is_scalar() { self.fixed(v) } else { Ok(v) })
            .collect::<LoweringResult<Vec<_>>>()?;
        let end = self.label();
        let mut result: Option<TypedValue> = None;
        for number in candidates {
            let other = self.label();
            let predicate = self.predicate();
            self.emit(format!("setp.ne.u64 {predicate}, {address}, {}", number + 1))?;
            self.emit(format!("@{predicate} bra $L_{other}"))?;
            let found = self.call_addressed(number, values.clone(), at)?;
            if !found.ty.is_void() {
                let found = self.rvalue(found)?;
                if !found.ty.is_scalar() {
                    let text = "a call of one of several functions that returns a structure is not understood";
                    return self.refuse(at, text, "call the function by its name");
                }
                let slot = match &result {
                    Some(slot) => slot.clone(),
                    None => {
                        let register = self.new_register(&found.ty);
                        TypedValue::place(found.ty.value(), ValuePlace::Register(register))
                    }
                };
                self.put(&slot, found, at)?;
                result = Some(slot);
            }
            self.jump(end)?;
            self.put_label(other);
        }
        // An address that is none of a function.
        self.emit("trap")?;
        self.put_label(end);
        Ok(match result {
            Some(TypedValue { ty, form: ValueForm::Place(ValuePlace::Register(register)) }) => {
                TypedValue::register(ty, register)
            }
            _ => TypedValue::nothing(),
        })
    }

    /// Does a function whose address is taken take these values?
    fn takes(
        &mut self,
        number: usize,
        values: &[TypedValue],
        at: CudaSpan,
    ) -> LoweringResult<bool> {
        let AddressedFunction { overloads, bindings } = self.functions[number].clone();
        if bindings.is_some() {
            return Ok(overloads.iter().any(|(f, ..)| f.parameters.len() == values.len()));
        }
        Ok(self.chosen_if_any(&overloads, values, None, ("a function", at))?.is_some())
    }

    fn call_addressed(
        &mut self,
        number: usize,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let AddressedFunction { overloads, bindings } = self.functions[number].clone();
        let name = overloads.first().map_or_else(|| "a function".into(), |(f, ..)| f.name.clone());
        let owner = overloads.first().map(|(_, owner, _)| *owner);
        let (function, found) = match bindings {
            Some(bindings) => {
                let template = overloads.iter().find(|(f, ..)| f.template.is_some());
                let function = template.or(overloads.first()).map(|(f, ..)| f.clone());
                let Some(function) = function else {
                    return self.refuse(at, format!("`{name}` is not known"), "define it");
                };
                (function, bindings)
            }
            None => {
                // Which one the type of the pointer asks for is not kept.
                let mut alike = overloads
                    .iter()
                    .filter(|(f, ..)| f.takes(values.len()) && f.specialises.is_none());
                let first = alike.next().map(|(f, ..)| f.at);
                let other = alike
                    .find(|(f, ..)| f.body.is_some() == overloads[0].0.body.is_some())
                    .map(|(f, ..)| f.at);
                if let (Some(first), Some(second)) = (first, other) {
                    return Err(self.ambiguous(&name, (first, second), at).into());
                }
                let (index, bindings) =
                    self.chosen(&overloads, None, &values, None, (&name, at))?;
                (overloads[index].0.clone(), bindings)
            }
        };
        match owner.filter(|owner| self.lambdas.contains_key(owner)) {
            Some(owner) => {
                let object = self.local("lambda", 1, 1, at)?;
                let around = self.structures[owner].bindings.clone();
                let all = Rc::new(around.iter().chain(found.iter()).cloned().collect());
                self.invoked(&function, Some(owner), Some(object), all, values, at)
            }
            None => self.invoked(&function, None, None, found, values, at),
        }
    }

    /// Is each function that a call may mean compared with?
    pub(super) fn all_are_compared(&self) -> LoweringResult<()> {
        match self.compared_functions.is_some_and(|n| n < self.functions.len()) {
            true => Err(LoweringStop::Again),
            false => Ok(()),
        }
    }
}
