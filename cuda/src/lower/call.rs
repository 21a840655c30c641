//! Calls: which function is meant, and its code in the place of the call.

use std::rc::Rc;

use super::closure::is_function;
use super::function_value::FoundMethod;
use super::{
    InlinedCall, KernelLowering, KnownSpace, LoweringResult, MAX_CALLS, MAX_PLACED, TypedValue,
    ValueForm, ValuePlace,
};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{
    CudaExpression, ExpressionKind, FunctionRole, FunctionTree, NamePath, ObjectTree,
    TemplateArgument, TypeTree,
};
use crate::types::{CudaType, ReferenceKind, TemplateBinding, TemplateBindings, TypeShape};

impl KernelLowering {
    pub(super) fn call(
        &mut self,
        callee: &CudaExpression,
        arguments: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        match &callee.what {
            ExpressionKind::Name(path) => self.call_by_name(path, arguments, at),
            ExpressionKind::Member(of, part, is_arrow) => {
                if !is_arrow {
                    self.asks_for_place(of);
                }
                let base =
                    if *is_arrow { self.object(of, true, at)? } else { self.lower_argument(of)? };
                let Some(number) = base.ty.structure() else {
                    let text = format!(
                        "`{}` of a value of the type {}",
                        part.name,
                        self.type_text(&base.ty)
                    );
                    return self.refuse(at, text, "only structures have members");
                };
                let found = self.methods_of(number, &part.name)?;
                if found.is_empty() {
                    // A member that can be called.
                    let (ValueForm::Place(place)
                    | ValueForm::Expiring(place)
                    | ValueForm::Temporary(place)) = base.form.clone()
                    else {
                        return self.refuse(
                            at,
                            "a member of what is no variable",
                            "put it into a variable",
                        );
                    };
                    if let Some(member) = self.member_of(&base.ty, &place, &part.name)? {
                        return self.call_of_value(member, arguments, at);
                    }
                    let text = format!(
                        "`{}` has no function `{}` that is known here",
                        self.structures[number].tree.name, part.name
                    );
                    return self.refuse(
                        at,
                        text,
                        "a function of the GPU is `__device__`; what is known of the library is in docs/kernels.md",
                    );
                }
                self.ask_for_places(&found, arguments);
                let values = self.arguments(arguments)?;
                let explicit = part.arguments.clone();
                self.set_position(at);
                self.method_called(base, found, explicit.as_deref(), values, at)
            }
            _ => {
                let base = self.lower(callee)?;
                if base.ty.structure().is_some() {
                    let values = self.arguments(arguments)?;
                    return self.operator_method(base, "operator()", values, at);
                }
                if is_function(&base.ty) {
                    let values = self.arguments(arguments)?;
                    return self.call_by_address(base, values, at);
                }
                self.not_callable(&base, at)
            }
        }
    }

    /// A call of a structure that has an `operator()`, or of a function by its address.
    fn call_of_value(
        &mut self,
        base: TypedValue,
        arguments: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let values = self.arguments(arguments)?;
        match base.ty.structure() {
            Some(_) => self.operator_method(base, "operator()", values, at),
            None if is_function(&base.ty) => self.call_by_address(base, values, at),
            None => self.not_callable(&base, at),
        }
    }

    fn not_callable(&self, base: &TypedValue, at: CudaSpan) -> LoweringResult<TypedValue> {
        let text = format!("a call of a value of the type {}", self.type_text(&base.ty));
        self.refuse(at, text, "call a function, a lambda, or a structure with an `operator()`")
    }

    /// Methods with a body, those that are defined outside of their structure as well.
    fn methods_of(&mut self, number: usize, name: &str) -> LoweringResult<Vec<FoundMethod>> {
        let found = self.methods(number, &|m| &*m.name == name && m.role == FunctionRole::Plain);
        self.all_defined(found)
    }

    /// Notes which arguments a function may change: of what `c ? a : b` chooses it gets the
    /// variable, and no copy.
    fn ask_for_places(&mut self, functions: &[FoundMethod], arguments: &[CudaExpression]) {
        for (n, e) in arguments.iter().enumerate() {
            let is_changing = |p: &TypeTree| matches!(p, TypeTree::Reference(of) if !matches!(**of, TypeTree::Constant(_)));
            if functions
                .iter()
                .any(|(f, ..)| f.parameters.get(n).is_some_and(|p| is_changing(&p.ty)))
            {
                self.asks_for_place(e);
            }
        }
    }

    pub(super) fn arguments(
        &mut self,
        arguments: &[CudaExpression],
    ) -> LoweringResult<Vec<TypedValue>> {
        let arguments = self.unpacked(arguments)?;
        let mut found = Vec::new();
        for (n, e) in arguments.iter().enumerate() {
            let mut value = self.lower_argument(e)?;
            // What a later argument changes is read before.
            let is_later = arguments[n + 1..].iter().any(|e| {
                matches!(
                    e.what,
                    ExpressionKind::Assign(..)
                        | ExpressionKind::Behind(..)
                        | ExpressionKind::Call(..)
                )
            });
            // A constant is a variable, too.
            if let (ExpressionKind::Name(path), ValueForm::Constant(_)) = (&e.what, &value.form)
                && self.entries(path).iter().any(|i| matches!(i, DeclaredItem::Variable(_)))
            {
                let form = ValueForm::Place(ValuePlace::Fixed(Box::new(value.form), e.at));
                value = TypedValue { ty: CudaType { is_constant: true, ..value.ty }, form };
            }
            if is_later
                && !matches!(
                    value.form,
                    ValueForm::Place(_) | ValueForm::Expiring(..) | ValueForm::List(_)
                )
            {
                value = self.fixed(value)?;
            }
            found.push(value);
        }
        Ok(found)
    }

    pub(super) fn method_called(
        &mut self,
        mut base: TypedValue,
        found: Vec<FoundMethod>,
        explicit: Option<&[TemplateArgument]>,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let name = found[0].0.name.clone();
        let is_left = super::conversion::is_left(&base);
        if let ValueForm::Expiring(place) = base.form {
            base.form = ValueForm::Place(place);
        }
        let object = Some((&base.ty, is_left));
        let (index, bindings) = self.chosen(&found, explicit, &values, object, (&name, at))?;
        let (function, owner, offset) = found[index].clone();
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = base.form else {
            return self.refuse(
                at,
                "a call of a member of what is no variable",
                "put it into a variable",
            );
        };
        let place = self.fixed_place(place)?;
        let this = Self::behind(&place, offset as i64);
        self.invoked(&function, Some(owner), Some(this), bindings, values, at)
    }

    fn call_by_name(
        &mut self,
        path: &NamePath,
        arguments: &[CudaExpression],
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let last = path.last().clone();
        let arguments = &*self.unpacked(arguments)?;
        if path.parts.len() == 1 {
            let is_variable = self
                .current()
                .scopes
                .iter()
                .rev()
                .any(|s| matches!(s.names.get(&last.name), Some(super::NameBinding::Value(_))));
            if is_variable {
                let base = self.named(path)?;
                return self.call_of_value(base, arguments, at);
            }
        }
        // An argument of the template: the address of a function.
        if path.parts.len() == 1
            && let Some(TemplateBinding::Value(ty, value)) =
                self.binding_of(&last.name).filter(|_| last.arguments.is_none())
            && is_function(ty)
        {
            let base = TypedValue::constant(ty.clone(), *value);
            return self.call_of_value(base, arguments, at);
        }
        // A member of the structure whose function this is.
        let owner = match path.parts.len() {
            1 => self.current().owner,
            _ => self.qualifying_structure(path)?,
        };
        if let Some(owner) = owner {
            let found = self.methods_of(owner, &last.name)?;
            if !found.is_empty() {
                self.ask_for_places(&found, arguments);
                let values = self.arguments(arguments)?;
                self.set_position(at);
                let object = self.current().this.is_some().then(|| self.type_of_object(owner));
                let object = object.as_ref().map(|ty| (ty, true));
                let (index, bindings) = self.chosen(
                    &found,
                    last.arguments.as_deref(),
                    &values,
                    object,
                    (&last.name, at),
                )?;
                let (function, of, offset) = found[index].clone();
                let this = self.current().this.clone().filter(|_| !function.is_static);
                let this = this.map(|place| Self::behind(&place, offset as i64));
                return self.invoked(&function, Some(of), this, bindings, values, at);
            }
            // A member, or a constant of all, that can be called.
            let this = self.current().this.clone().filter(|_| path.parts.len() == 1);
            let member = match this {
                Some(this) => self.member_of(&self.type_of_object(owner), &this, &last.name)?,
                None => None,
            };
            if let Some(base) = member {
                return self.call_of_value(base, arguments, at);
            }
        }
        let entries = self.entries(path);
        let functions: Vec<FoundMethod> = entries
            .iter()
            .filter_map(|i| {
                if let DeclaredItem::Function(f) = i {
                    Some((f.clone(), usize::MAX, 0))
                } else {
                    None
                }
            })
            .filter(|(f, ..): &FoundMethod| f.role == FunctionRole::Plain)
            .collect();
        let is_own = functions.iter().any(|(f, ..)| f.at.file > 0);
        if !is_own && let Some(found) = self.builtin(path, arguments, at)? {
            return Ok(found);
        }
        if let Some(DeclaredItem::Broken(refusal)) =
            entries.iter().find(|i| matches!(i, DeclaredItem::Broken(_)))
        {
            return Err(refusal.clone().into());
        }
        if functions.is_empty() {
            if let Some(ty) = self.find_type(path)?.map(|ty| ty.referred()) {
                let values = self.arguments(arguments)?;
                return match (ty.structure(), values.as_slice()) {
                    (Some(number), []) if self.is_aggregate(number) => {
                        self.constructed_by_list(&ty, &[], at)
                    }
                    (Some(number), _) => self.constructed(number, values, at),
                    (None, [one]) => self.converted(one.clone(), &ty, at),
                    _ => self.refuse(at, "several values for what is a number", "give one"),
                };
            }
            if let Some(DeclaredItem::Variable(tree)) =
                entries.iter().find(|i| matches!(i, DeclaredItem::Variable(_)))
            {
                let base = self.global(&tree.clone())?;
                return self.call_of_value(base, arguments, at);
            }
            if entries.iter().any(|i| matches!(i, DeclaredItem::OfHost)) {
                let text = format!("`{}` is a function of the host", path.words());
                return self.refuse(
                    path.at,
                    text,
                    "a function that a kernel calls is `__device__`",
                );
            }
            let is_of_images = [
                "tex1D",
                "tex2D",
                "tex3D",
                "texCubemap",
                "surf1D",
                "surf2D",
                "surf3D",
                "surfCubemap",
            ]
            .into_iter()
            .any(|family| last.name.starts_with(family));
            if is_of_images || matches!(&*last.name, "malloc" | "free") {
                let text = format!("`{}` is not modelled", last.name);
                return self.refuse(path.at, text, "give the kernel an array in its place");
            }
            return Err(self.undeclared(path, "function").into());
        }
        self.ask_for_places(&functions, arguments);
        let values = self.arguments(arguments)?;
        self.set_position(at);
        let functions = if path.parts.len() == 1 {
            self.with_associated(functions, &last.name, &values)
        } else {
            functions
        };
        let (index, bindings) =
            self.chosen(&functions, last.arguments.as_deref(), &values, None, (&last.name, at))?;
        let function = functions[index].0.clone();
        if function.is_kernel {
            let text = format!("`{}` is a kernel, and is called by one", function.name);
            return self.refuse(at, text, "kernels that start kernels are not understood");
        }
        self.invoked(&function, None, None, bindings, values, at)
    }

    /// Functions with those of the namespaces that the types of values are of (C++
    /// [basic.lookup.argdep]).
    pub(super) fn with_associated(
        &self,
        mut found: Vec<FoundMethod>,
        name: &str,
        values: &[TypedValue],
    ) -> Vec<FoundMethod> {
        let of_type =
            |value: &TypedValue| value.ty.structure().or_else(|| value.ty.element()?.structure());
        let namespaces: Vec<_> = values
            .iter()
            .filter_map(of_type)
            .map(|n| self.structures[n].tree.namespace.clone())
            .collect();
        for entry in self.program.items.get(name).into_iter().flatten() {
            if let DeclaredItem::Function(function) = &entry.item
                && namespaces.contains(&entry.namespace)
                && !found.iter().any(|(known, ..)| Rc::ptr_eq(known, function))
            {
                found.insert(0, (function.clone(), usize::MAX, 0));
            }
        }
        found
    }

    /// The code of a function in the place of its call.
    pub(super) fn invoked(
        &mut self,
        function: &Rc<FunctionTree>,
        owner: Option<usize>,
        this: Option<ValuePlace>,
        bindings: Rc<TemplateBindings>,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        self.enter(at)?;
        let namespace = match owner {
            Some(owner) => {
                let tree = &self.structures[owner].tree;
                tree.namespace.iter().cloned().chain([tree.name.clone()]).collect()
            }
            None => function.namespace.clone(),
        };
        let is_same = |f: &InlinedCall| {
            f.function.as_ref().is_some_and(|g| Rc::ptr_eq(g, function))
                && f.bindings == bindings
                && f.owner == owner
        };
        // What is computed of constants ends, or is nested too deep.
        let is_constant =
            !values.is_empty() && values.iter().all(|v| v.known().is_some() || is_fixed(v));
        let depth = self.frames.iter().filter(|f| is_same(f)).count();
        if depth > 0 && (!is_constant || depth > MAX_CONSTANT_CALLS) {
            return self.recursion(function, bindings, namespace, at);
        }
        self.placed_calls += 1;
        if self.placed_calls > MAX_PLACED {
            let what = format!("calls are put in place more than {MAX_PLACED} times");
            return self.refuse(
                at,
                what,
                "make fewer of them, or let a function call itself less often",
            );
        }
        if self.frames.len() > MAX_CALLS {
            return self.refuse(
                at,
                format!("calls are nested more than {MAX_CALLS} deep"),
                "make fewer of them",
            );
        }
        let end = self.label();
        let mut frame = InlinedCall::outside(namespace);
        (frame.function, frame.owner, frame.this, frame.bindings, frame.end) =
            (Some(function.clone()), owner, this.clone(), bindings, end);
        let ObjectTree { is_constant, is_volatile, .. } = function.object;
        frame.object = CudaType { is_constant, is_volatile, ..CudaType::VOID };
        self.enter_lambda(&mut frame);
        self.frames.push(frame);
        for (n, parameter) in function.parameters.iter().enumerate() {
            if parameter.is_pack {
                let (mut all, mut kinds) = (Vec::new(), Vec::new());
                for (number, value) in values.iter().skip(n).enumerate() {
                    let ty = self.type_of_parameter(parameter, Some(number))?;
                    all.push(self.passed(value.clone(), &ty, parameter.at, at)?);
                    kinds.push(ty.reference);
                }
                self.bind_pack(parameter.name.clone(), all, kinds);
                continue;
            }
            let value = match (values.get(n), &parameter.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => self.lower(default)?,
                (None, None) => return self.refuse(at, "an argument is missing", "give it"),
            };
            let ty = self.resolved_argument(&parameter.ty)?;
            let bound = self.passed(value, &ty, parameter.at, at)?;
            self.bind(parameter.name.clone(), bound);
            if let Some(kind) = ty.reference {
                self.refers(parameter.name.clone(), kind);
            }
        }
        // Which may name its parameters.
        let result = self.resolved(&function.result)?;
        let kind = match &function.result {
            // What is not read yet is asked at the `return`.
            TypeTree::Auto | TypeTree::AutoAsIs => None,
            tree => self.resolved_argument(tree)?.reference,
        };
        if self.is_type_asked && !matches!(function.result, TypeTree::Auto | TypeTree::AutoAsIs) {
            self.frames.pop();
            self.depth -= 1;
            return self.of_result(&result, kind, at);
        }
        self.frame().result = result;
        self.frame().is_reference = kind.is_some();
        if let (FunctionRole::Constructor, Some(owner), Some(this)) = (function.role, owner, &this)
        {
            self.initialise_members(function, owner, this)?;
        }
        if !function.is_defaulted {
            let tree = owner.map(|o| self.structures[o].tree.clone());
            let body = self.program.body(function, tree.as_deref())?;
            self.set_position(at);
            self.frame().is_auto = super::variable::is_auto(&function.result);
            self.frame().is_last = true;
            self.statement(&body)?;
            self.all_labels_are_there()?;
        }
        let last = self.frames.len() - 1;
        let InlinedCall { slot, direct, is_end_used, result, is_reference, temporaries, .. } =
            std::mem::replace(&mut self.frames[last], InlinedCall::outside(Rc::from([])));
        self.frames.pop();
        if let Some(frame) = self.frames.last_mut() {
            frame.temporaries.extend(temporaries);
        }
        if is_end_used {
            self.put_label(end);
        }
        self.depth -= 1;
        self.set_position(at);
        let value = direct.or(slot);
        let Some(value) = value.filter(|_| !result.is_void()) else {
            return Ok(if result.is_void() {
                TypedValue::nothing()
            } else {
                self.undefined(&result, at)?
            });
        };
        // What a reference of its kind leads to goes.
        let is_expiring = kind == Some(ReferenceKind::Right);
        Ok(match (is_reference, value.form) {
            (true, ValueForm::Place(place))
                if is_expiring && (result.is_pointer() || !value.ty.is_pointer()) =>
            {
                TypedValue { ty: value.ty, form: ValueForm::Expiring(place) }
            }
            (true, form) if value.ty.is_pointer() && !result.is_pointer() => {
                self.pointed(TypedValue { ty: value.ty, form }, at)?
            }
            (false, ValueForm::Place(ValuePlace::Register(register))) => {
                TypedValue::register(value.ty.value(), register)
            }
            (false, ValueForm::Place(place)) if value.ty.structure().is_some() => {
                TypedValue { ty: value.ty.value(), form: ValueForm::Temporary(place) }
            }
            (_, form) => TypedValue { ty: value.ty, form },
        })
    }

    /// A value of what a function says that it returns, where only its type is of interest.
    fn of_result(
        &mut self,
        result: &CudaType,
        kind: Option<ReferenceKind>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let Some(kind) = kind else {
            return if result.is_void() {
                Ok(TypedValue::nothing())
            } else {
                self.undefined(result, at)
            };
        };
        let place =
            ValuePlace::Memory { base: self.new_register_of(3), offset: 0, space: KnownSpace::Any };
        let form = match kind {
            ReferenceKind::Right => ValueForm::Expiring(place),
            ReferenceKind::Left => ValueForm::Place(place),
        };
        Ok(TypedValue { ty: result.referred(), form })
    }

    /// The body of a lambda sees what stood around it.
    pub(super) fn enter_lambda(&self, frame: &mut InlinedCall) {
        if let Some((number, scope)) =
            frame.owner.and_then(|number| Some((number, self.lambdas.get(&number)?)))
        {
            let own = frame.this.take();
            (frame.owner, frame.this, frame.object) =
                (scope.owner, scope.this.clone(), scope.object.clone());
            frame.scopes[0].names.clone_from(&scope.names);
            frame.scopes[0].namespaces.clone_from(&scope.namespaces);
            frame.scopes[0].aliases_of_namespaces.clone_from(&scope.aliases_of_namespaces);
            frame.scopes[0].references.clone_from(&scope.references);
            // What it may change is its own.
            for field in &self.structures[number].fields {
                if let Some(place) = &own {
                    let value =
                        TypedValue::place(field.ty.clone(), Self::field_place(place, field));
                    frame.scopes[0]
                        .names
                        .insert(field.name.clone(), super::NameBinding::Value(value));
                }
            }
            frame.scopes.push(super::LocalNames::default());
        }
    }

    /// A value of a type that nobody knows.
    fn undefined(&mut self, ty: &CudaType, at: CudaSpan) -> LoweringResult<TypedValue> {
        match ty.structure() {
            Some(_) => {
                let (bytes, align) = self.size_of(ty, at)?;
                let place = self.local("undefined", bytes, align, at)?;
                Ok(TypedValue { ty: ty.clone(), form: ValueForm::Temporary(place) })
            }
            None => {
                let register = self.new_register(ty);
                Ok(TypedValue::register(ty.clone(), register))
            }
        }
    }

    /// A function that calls itself: the reader of PTX says that it is not followed.
    fn recursion(
        &mut self,
        function: &Rc<FunctionTree>,
        bindings: Rc<TemplateBindings>,
        namespace: Rc<[Rc<str>]>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let name: Rc<str> = function.name.clone();
        let clean: Rc<str> = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' })
            .collect::<String>()
            .into();
        if !self.recursive.iter().any(|(n, _)| *n == clean) {
            self.recursive.push((clean.clone(), at));
        }
        self.emit(format!("call {clean}"))?;
        let result =
            self.outside(namespace, bindings, None, |this| this.resolved(&function.result))?;
        self.depth -= 1;
        if result.is_void() { Ok(TypedValue::nothing()) } else { self.undefined(&result, at) }
    }

    /// An array becomes a pointer. A structure that nobody else has is not copied.
    fn passed(
        &mut self,
        value: TypedValue,
        ty: &CudaType,
        parameter: CudaSpan,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let (ty, is_reference) = (ty.referred(), ty.reference.is_some());
        let value = match &value.form {
            ValueForm::List(list) => self.value_of_list(&list.clone(), &ty)?,
            ValueForm::Expiring(place) if is_reference || ty.structure().is_none() => {
                TypedValue::place(value.ty.clone(), place.clone())
            }
            _ => value,
        };
        if is_reference {
            // A reference to an array keeps its size.
            return self.referred(value, ty, parameter);
        }
        let ty = match ty.shape {
            TypeShape::Array(of, _) => CudaType::pointer((*of).clone()),
            _ => ty.value(),
        };
        if let Some(number) = ty.structure() {
            if let ValueForm::Temporary(place) = &value.form
                && value.ty.structure() == Some(number)
            {
                return Ok(TypedValue::place(ty, place.clone()));
            }
            let made = self.constructed(number, vec![value], at)?;
            let (ValueForm::Place(place) | ValueForm::Temporary(place)) = made.form else {
                return self.refuse(at, "this structure cannot be passed", "pass its members");
            };
            if self.has_destructor(number) {
                self.frame().scopes[0].destroyed.push((place.clone(), number));
            }
            return Ok(TypedValue::place(ty, place));
        }
        let value = self.converted(value, &ty, at)?;
        if self.in_memory.contains(&parameter) || self.are_all_in_memory {
            let place = self.local("parameter", ty.bytes().max(1), ty.bytes().max(1), at)?;
            self.store(&place, &ty, value)?;
            return Ok(TypedValue::place(ty, place));
        }
        if self.changed.contains(&parameter) {
            let register = self.new_register(&ty);
            self.mutable.insert(register.clone(), parameter);
            let place = ValuePlace::Register(register);
            self.store(&place, &ty, value)?;
            return Ok(TypedValue::place(ty, place));
        }
        let value = self.fixed(value)?;
        let form = ValueForm::Place(ValuePlace::Fixed(Box::new(value.form), parameter));
        Ok(TypedValue { ty, form })
    }
}

/// How deep a function of constants may call itself.
const MAX_CONSTANT_CALLS: usize = 40;

/// Is it a variable that holds a constant and never changes?
fn is_fixed(value: &TypedValue) -> bool {
    matches!(&value.form, ValueForm::Place(ValuePlace::Fixed(form, _)) if matches!(**form, ValueForm::Constant(_)))
}
