//! Calls: which function is meant, and its code in the place of the call.

use std::rc::Rc;

use super::closure::is_function;
use super::structure::FoundMethod;
use super::{InlinedCall, KernelLowering, LoweringResult, LoweringStop, MAX_CALLS, TypedValue, ValueForm, ValuePlace};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{
    CudaExpression, ExpressionKind, FunctionRole, FunctionTree, NamePath, ParameterTree, TemplateArgument, TemplateParameter,
    TypeTree,
};
use crate::types::{CudaType, TemplateBinding, TemplateBindings, TypeShape};

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
                let base = self.object(of, *is_arrow, at)?;
                let Some(number) = base.ty.structure() else {
                    let text = format!("`{}` of a value of the type {}", part.name, self.type_text(&base.ty));
                    return self.refuse(at, text, "only structures have members");
                };
                let found = self.methods_of(number, &part.name);
                if found.is_empty() {
                    // A member that can be called.
                    let (ValueForm::Place(place) | ValueForm::Temporary(place)) = base.form.clone() else {
                        return self.refuse(at, "a member of what is no variable", "put it into a variable");
                    };
                    if let Some(member) = self.member_of(number, &place, base.ty.is_volatile, &part.name)? {
                        return self.call_of_value(member, arguments, at);
                    }
                    let text =
                        format!("`{}` has no function `{}` that is known here", self.structures[number].tree.name, part.name);
                    return self.refuse(
                        at,
                        text,
                        "a function of the GPU is `__device__`; what is known of the library is in docs/kernels.md",
                    );
                }
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
    fn call_of_value(&mut self, base: TypedValue, arguments: &[CudaExpression], at: CudaSpan) -> LoweringResult<TypedValue> {
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
    fn methods_of(&self, number: usize, name: &str) -> Vec<FoundMethod> {
        let found = self.methods(number, &|m| &*m.name == name && m.role == FunctionRole::Plain);
        let with_body = |(method, owner, offset): FoundMethod| -> FoundMethod {
            if method.body.is_some() {
                return (method, owner, offset);
            }
            let tree = &self.structures[owner].tree;
            let namespace: Vec<Rc<str>> = tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
            let defined = self.program.items.get(name).into_iter().flatten().find_map(|entry| match &entry.item {
                DeclaredItem::Function(f)
                    if f.namespace[..] == namespace[..] && f.parameters.len() == method.parameters.len() =>
                {
                    Some(f.clone())
                }
                _ => None,
            });
            // The parameters of the structure's template stand in front of it once more.
            let defined = defined.map(|f| match (&method.template, &f.template) {
                (None, Some(_)) => Rc::new(FunctionTree { template: None, is_static: method.is_static, ..(*f).clone() }),
                _ => f,
            });
            (defined.unwrap_or(method), owner, offset)
        };
        found.into_iter().map(with_body).collect()
    }

    pub(super) fn arguments(&mut self, arguments: &[CudaExpression]) -> LoweringResult<Vec<TypedValue>> {
        let arguments = self.unpacked(arguments)?;
        let mut found = Vec::new();
        for (n, e) in arguments.iter().enumerate() {
            let mut value = self.lower(e)?;
            // What a later argument changes is read before.
            let is_later = arguments[n + 1..]
                .iter()
                .any(|e| matches!(e.what, ExpressionKind::Assign(..) | ExpressionKind::Behind(..) | ExpressionKind::Call(..)));
            if is_later && !matches!(value.form, ValueForm::Place(_) | ValueForm::List(_)) {
                value = self.fixed(value)?;
            }
            found.push(value);
        }
        Ok(found)
    }

    pub(super) fn method_called(
        &mut self,
        base: TypedValue,
        found: Vec<FoundMethod>,
        explicit: Option<&[TemplateArgument]>,
        values: Vec<TypedValue>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let name = found[0].0.name.clone();
        let (index, bindings) = self.chosen(&found, explicit, &values, (&name, at))?;
        let (function, owner, offset) = found[index].clone();
        let (ValueForm::Place(place) | ValueForm::Temporary(place)) = base.form else {
            return self.refuse(at, "a call of a member of what is no variable", "put it into a variable");
        };
        let place = self.fixed_place(place)?;
        let this = Self::behind(&place, offset as i64);
        self.invoked(&function, Some(owner), Some(this), bindings, values, at)
    }

    fn call_by_name(&mut self, path: &NamePath, arguments: &[CudaExpression], at: CudaSpan) -> LoweringResult<TypedValue> {
        let last = path.last().clone();
        let arguments = &*self.unpacked(arguments)?;
        if path.parts.len() == 1 {
            let is_variable =
                self.current().scopes.iter().rev().any(|s| matches!(s.names.get(&last.name), Some(super::NameBinding::Value(_))));
            if is_variable {
                let base = self.named(path)?;
                return self.call_of_value(base, arguments, at);
            }
        }
        // An argument of the template: the address of a function.
        if path.parts.len() == 1
            && let Some(TemplateBinding::Value(ty, value)) = self.binding_of(&last.name).filter(|_| last.arguments.is_none())
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
            let found = self.methods_of(owner, &last.name);
            if !found.is_empty() {
                let values = self.arguments(arguments)?;
                self.set_position(at);
                let (index, bindings) = self.chosen(&found, last.arguments.as_deref(), &values, (&last.name, at))?;
                let (function, of, offset) = found[index].clone();
                let this = self.current().this.clone().filter(|_| !function.is_static);
                let this = this.map(|place| Self::behind(&place, offset as i64));
                return self.invoked(&function, Some(of), this, bindings, values, at);
            }
            // A member, or a constant of all, that can be called.
            let this = self.current().this.clone().filter(|_| path.parts.len() == 1);
            let member = match this {
                Some(this) => self.member_of(owner, &this, false, &last.name)?,
                None => None,
            };
            if let Some(base) = member {
                return self.call_of_value(base, arguments, at);
            }
        }
        let entries = self.entries(path);
        let functions: Vec<FoundMethod> = entries
            .iter()
            .filter_map(|i| if let DeclaredItem::Function(f) = i { Some((f.clone(), usize::MAX, 0)) } else { None })
            .collect();
        let is_own = functions.iter().any(|(f, ..)| f.at.file > 0);
        if !is_own && let Some(found) = self.builtin(path, arguments, at)? {
            return Ok(found);
        }
        if let Some(DeclaredItem::Broken(refusal)) = entries.iter().find(|i| matches!(i, DeclaredItem::Broken(_))) {
            return Err(refusal.clone().into());
        }
        if functions.is_empty() {
            if let Some(ty) = self.find_type(path)? {
                let values = self.arguments(arguments)?;
                return match (ty.structure(), values.as_slice()) {
                    (Some(number), _) => self.constructed(number, values, at),
                    (None, [one]) => self.converted(one.clone(), &ty, at),
                    _ => self.refuse(at, "several values for what is a number", "give one"),
                };
            }
            if let Some(DeclaredItem::Variable(tree)) = entries.iter().find(|i| matches!(i, DeclaredItem::Variable(_))) {
                let base = self.global(&tree.clone())?;
                return self.call_of_value(base, arguments, at);
            }
            if entries.iter().any(|i| matches!(i, DeclaredItem::OfHost)) {
                let text = format!("`{}` is a function of the host", path.words());
                return self.refuse(path.at, text, "a function that a kernel calls is `__device__`");
            }
            if matches!(&*last.name, "malloc" | "free" | "tex1Dfetch" | "tex2D" | "tex1D" | "surf1Dwrite" | "surf2Dwrite") {
                let text = format!("`{}` is not modelled", last.name);
                return self.refuse(path.at, text, "give the kernel an array in its place");
            }
            return Err(self.undeclared(path, "function").into());
        }
        let values = self.arguments(arguments)?;
        self.set_position(at);
        let functions = if path.parts.len() == 1 { self.with_associated(functions, &last.name, &values) } else { functions };
        let (index, bindings) = self.chosen(&functions, last.arguments.as_deref(), &values, (&last.name, at))?;
        let function = functions[index].0.clone();
        if function.is_kernel {
            let text = format!("`{}` is a kernel, and is called by one", function.name);
            return self.refuse(at, text, "kernels that start kernels are not understood");
        }
        self.invoked(&function, None, None, bindings, values, at)
    }

    /// Functions with those of the namespaces that the types of values are of (C++ [basic.lookup.argdep]).
    pub(super) fn with_associated(&self, mut found: Vec<FoundMethod>, name: &str, values: &[TypedValue]) -> Vec<FoundMethod> {
        let of_type = |value: &TypedValue| value.ty.structure().or_else(|| value.ty.element()?.structure());
        let namespaces: Vec<_> = values.iter().filter_map(of_type).map(|n| self.structures[n].tree.namespace.clone()).collect();
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

    /// Which of several functions takes these values best, and what the parameters of its template are.
    pub(super) fn chosen(
        &mut self,
        all: &[FoundMethod],
        explicit: Option<&[TemplateArgument]>,
        values: &[TypedValue],
        (name, at): (&str, CudaSpan),
    ) -> LoweringResult<(usize, Rc<TemplateBindings>)> {
        let mut best: Option<(u32, usize, Rc<TemplateBindings>)> = None;
        let mut unmade = None;
        for (n, (function, owner, _)) in all.iter().enumerate() {
            // Of what is declared and defined the definition counts.
            let is_declared = function.body.is_none()
                && all.iter().any(|(f, ..)| {
                    f.body.is_some()
                        && f.specialises.is_none()
                        && f.parameters.len() == function.parameters.len()
                        && f.takes_any_number() == function.takes_any_number()
                });
            if is_declared && !function.is_defaulted || function.specialises.is_some() {
                continue;
            }
            if !function.takes(values.len()) {
                continue;
            }
            let owner = (*owner != usize::MAX).then_some(*owner);
            let (depth, frames) = (self.depth, self.frames.len());
            let (cost, bindings) = match self.cost(function, owner, explicit, values, at) {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                // A template that cannot be made of these is not meant (`std::enable_if_t`).
                Err(LoweringStop::Refused(refusal)) if function.template.is_some() => {
                    self.depth = depth;
                    self.frames.truncate(frames);
                    unmade = unmade.or(Some(refusal));
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            // Of equals the last one counts, which is the program's own.
            let is_template = u32::from(function.template.is_some());
            let is_open = u32::from(function.template.is_some() && function.constraints.is_empty());
            let cost = 8 * cost + 4 * is_template + 2 * u32::from(function.takes_any_number()) + is_open;
            if best.as_ref().is_none_or(|(least, ..)| cost <= *least) {
                best = Some((cost, n, Rc::new(bindings)));
            }
        }
        match best {
            Some((_, n, bindings)) => match self.special_function(all, n, &bindings, at)? {
                Some(special) => Ok((special, Rc::default())),
                None => Ok((n, bindings)),
            },
            None => {
                // What is not understood of the only one is said.
                if let (Some(refusal), [_]) = (unmade, all) {
                    return Err(LoweringStop::Refused(refusal));
                }
                let types: Vec<String> = values.iter().map(|v| self.type_text(&v.ty)).collect();
                let text = format!("no `{name}` that is known here takes ({})", types.join(", "));
                self.refuse(at, text, "give what it takes, or write the arguments of the template in `<..>`")
            }
        }
    }

    /// How much values have to be changed to be a function's parameters.
    fn cost(
        &mut self,
        function: &Rc<FunctionTree>,
        owner: Option<usize>,
        explicit: Option<&[TemplateArgument]>,
        values: &[TypedValue],
        at: CudaSpan,
    ) -> LoweringResult<Option<(u32, TemplateBindings)>> {
        let mut bindings: TemplateBindings = owner.map_or_else(Vec::new, |o| (*self.structures[o].bindings).clone());
        if let Some(parameters) = function.template.clone() {
            let mut deduced: TemplateBindings = Vec::new();
            let explicit = self.unpacked_arguments(explicit.unwrap_or(&[]), at)?;
            if explicit.len() > parameters.len() && !parameters.last().is_some_and(TemplateParameter::is_pack) {
                return Ok(None);
            }
            for (n, (parameter, argument)) in parameters.iter().zip(&explicit).enumerate() {
                let binding = match parameter.is_pack() {
                    true => self.pack_binding(parameter, &explicit[n..], &deduced, at)?,
                    false => self.template_binding(parameter, argument, &deduced, at)?,
                };
                deduced.push((parameter.name().clone(), binding));
            }
            let passed = |value: &TypedValue, tree: &TypeTree| match (&value.ty.shape, is_reference(tree)) {
                (TypeShape::Array(of, _), false) => CudaType::pointer((**of).clone()),
                (_, false) => value.ty.value(),
                _ => value.ty.clone(),
            };
            let single = function.parameters.iter().filter(|p| !p.is_pack);
            for (parameter, value) in single.clone().zip(values) {
                let ty = passed(value, &parameter.ty);
                self.deduce(&parameter.ty, &ty, &parameters, &mut deduced);
            }
            if let Some(parameter) = function.parameters.last().filter(|p| p.is_pack) {
                let types: Vec<CudaType> = values.iter().skip(single.count()).map(|value| passed(value, &parameter.ty)).collect();
                self.deduce_pack(&parameter.ty, &types, &parameters, &mut deduced);
            }
            let mut sorted: TemplateBindings = bindings.clone();
            for parameter in parameters.iter() {
                let found = deduced.iter().find(|(name, _)| name == parameter.name()).map(|(_, b)| b.clone());
                let binding = match found {
                    Some(binding) => Some(binding),
                    // Of what nothing is said there are none.
                    None if parameter.is_pack() => Some(TemplateBinding::Pack(Vec::new())),
                    None => self.default_binding(parameter, &sorted)?,
                };
                let Some(binding) = binding else { return Ok(None) };
                sorted.push((parameter.name().clone(), binding));
            }
            bindings = sorted;
        } else if explicit.is_some() {
            return Ok(None);
        }
        let namespace = match owner {
            Some(owner) => self.structures[owner].tree.namespace.clone(),
            None => function.namespace.clone(),
        };
        if !self.are_true(&function.constraints, &namespace, &bindings)? {
            return Ok(None);
        }
        let shared = Rc::new(bindings.clone());
        let single = function.parameters.iter().filter(|p| !p.is_pack).count();
        let parameters: Vec<_> = (0..values.len()).filter_map(|n| function.parameters.get(n.min(single))).collect();
        let types = self.outside(namespace, shared, owner, |this| {
            let of = |(n, p): (usize, &&ParameterTree)| this.type_of_parameter(p, n.checked_sub(single));
            let types = parameters.iter().enumerate().map(of).collect::<LoweringResult<Vec<_>>>()?;
            // What it returns may say that it is not meant.
            if function.template.is_some() && matches!(function.result, TypeTree::Named(_)) {
                this.resolved(&function.result)?;
            }
            Ok(types)
        })?;
        let mut sum = 0;
        for ((ty, value), parameter) in types.iter().zip(values).zip(&parameters) {
            let Some(cost) = self.conversion_cost(value, ty) else { return Ok(None) };
            // A reference that may change what it is of takes no other type.
            let is_plain_reference = matches!(&parameter.ty, TypeTree::Reference(of) if !matches!(**of, TypeTree::Constant(_)));
            if is_plain_reference && cost > 1 {
                return Ok(None);
            }
            sum += cost;
        }
        Ok(Some((sum, bindings)))
    }

    /// The type of a parameter, of one of a pack by its number there.
    pub(super) fn type_of_parameter(&mut self, parameter: &ParameterTree, number: Option<usize>) -> LoweringResult<CudaType> {
        match number.filter(|_| parameter.is_pack) {
            Some(number) => self.with_element(&super::pack::words_of(&parameter.ty), number, |this| this.resolved(&parameter.ty)),
            None => self.resolved(&parameter.ty),
        }
    }

    pub(super) fn conversion_cost(&self, value: &TypedValue, to: &CudaType) -> Option<u32> {
        use TypeShape as T;
        if let ValueForm::List(list) = &value.form {
            return self.cost_of_list(list, to);
        }
        let from = &value.ty;
        Some(match (&from.shape, &to.shape) {
            (a, b) if a == b => u32::from(from.is_volatile != to.is_volatile && !to.is_volatile),
            (T::Integer { .. } | T::Bool, T::Integer { .. } | T::Bool) => {
                let is_promoted = from.promoted().shape == to.shape;
                if is_promoted { 1 } else { 3 }
            }
            (T::Real(4), T::Real(8)) => 1,
            (a, b)
                if matches!(a, T::Integer { .. } | T::Bool | T::Real(_))
                    && matches!(b, T::Integer { .. } | T::Bool | T::Real(_)) =>
            {
                4
            }
            (T::Array(of, _) | T::Pointer(of), T::Pointer(to)) => {
                if of.shape == to.shape {
                    u32::from(of.is_volatile != to.is_volatile)
                } else if to.is_void() {
                    3
                } else if let (Some(a), Some(b)) = (of.structure(), to.structure()) {
                    self.base_at(a, b).map(|_| 2)?
                } else {
                    return None;
                }
            }
            (T::Array(a, _), T::Array(b, _)) if a.shape == b.shape => 0,
            (T::Null, T::Pointer(_)) => 0,
            (T::Integer { .. }, T::Pointer(_)) if value.known() == Some(0) => 3,
            (T::Pointer(_) | T::Null, T::Bool) => 6,
            (T::Structure(a), T::Structure(b)) => self.base_at(*a, *b).map(|_| 2)?,
            (T::Structure(n), _) => {
                if self.methods(*n, &|m| m.role == FunctionRole::Conversion).is_empty() {
                    return None;
                }
                7
            }
            (_, T::Structure(n)) => {
                let tree = &self.structures[*n].tree;
                let takes = |m: &Rc<FunctionTree>| m.role == FunctionRole::Constructor && m.parameters.len() == 1;
                if !tree.methods.iter().any(takes) {
                    return None;
                }
                8
            }
            _ => return None,
        })
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
            f.function.as_ref().is_some_and(|g| Rc::ptr_eq(g, function)) && f.bindings == bindings && f.owner == owner
        };
        // What is computed of constants ends, or is nested too deep.
        let is_constant = !values.is_empty() && values.iter().all(|v| v.known().is_some() || is_fixed(v));
        let depth = self.frames.iter().filter(|f| is_same(f)).count();
        if depth > 0 && (!is_constant || depth > MAX_CONSTANT_CALLS) {
            return self.recursion(function, bindings, namespace, at);
        }
        if self.frames.len() > MAX_CALLS {
            return self.refuse(at, format!("calls are nested more than {MAX_CALLS} deep"), "make fewer of them");
        }
        let end = self.label();
        let mut frame = InlinedCall::outside(namespace);
        (frame.function, frame.owner, frame.this, frame.bindings, frame.end) =
            (Some(function.clone()), owner, this.clone(), bindings, end);
        self.enter_lambda(&mut frame);
        self.frames.push(frame);
        let result = self.resolved(&function.result)?;
        let is_reference = is_reference(&function.result);
        {
            let frame = self.frame();
            (frame.result, frame.is_reference) = (result.clone(), is_reference);
        }
        for (n, parameter) in function.parameters.iter().enumerate() {
            if parameter.is_pack {
                let mut all = Vec::new();
                for (number, value) in values.iter().skip(n).enumerate() {
                    let ty = self.type_of_parameter(parameter, Some(number))?;
                    all.push(self.passed(
                        value.clone(),
                        ty,
                        crate::lower::call::is_reference(&parameter.ty),
                        parameter.at,
                        at,
                    )?);
                }
                self.bind_pack(parameter.name.clone(), all);
                continue;
            }
            let value = match (values.get(n), &parameter.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => self.lower(default)?,
                (None, None) => return self.refuse(at, "an argument is missing", "give it"),
            };
            let ty = self.resolved(&parameter.ty)?;
            let bound = self.passed(value, ty, crate::lower::call::is_reference(&parameter.ty), parameter.at, at)?;
            self.bind(parameter.name.clone(), bound);
        }
        if let (FunctionRole::Constructor, Some(owner), Some(this)) = (function.role, owner, &this) {
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
        let InlinedCall { slot, direct, is_end_used, result, .. } =
            std::mem::replace(&mut self.frames[last], InlinedCall::outside(Rc::from([])));
        self.frames.pop();
        if is_end_used {
            self.put_label(end);
        }
        self.depth -= 1;
        self.set_position(at);
        let value = direct.or(slot);
        let Some(value) = value.filter(|_| !result.is_void()) else {
            return Ok(if result.is_void() { TypedValue::nothing() } else { self.undefined(&result, at)? });
        };
        Ok(match (is_reference, value.form) {
            (true, form) if value.ty.is_pointer() && !result.is_pointer() => {
                self.pointed(TypedValue { ty: value.ty, form }, at)?
            }
            (false, ValueForm::Place(ValuePlace::Register(register))) => TypedValue::register(value.ty.value(), register),
            (false, ValueForm::Place(place)) if value.ty.structure().is_some() => {
                TypedValue { ty: value.ty.value(), form: ValueForm::Temporary(place) }
            }
            (_, form) => TypedValue { ty: value.ty, form },
        })
    }

    /// The body of a lambda sees what stood around it.
    pub(super) fn enter_lambda(&self, frame: &mut InlinedCall) {
        if let Some((number, scope)) = frame.owner.and_then(|number| Some((number, self.lambdas.get(&number)?))) {
            let own = frame.this.take();
            (frame.owner, frame.this) = (scope.owner, scope.this.clone());
            frame.scopes[0].names.clone_from(&scope.names);
            // What it may change is its own.
            for field in &self.structures[number].fields {
                if let Some(place) = &own {
                    let value = TypedValue::place(field.ty.clone(), Self::field_place(place, field));
                    frame.scopes[0].names.insert(field.name.clone(), super::NameBinding::Value(value));
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
        let clean: Rc<str> =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect::<String>().into();
        if !self.recursive.iter().any(|(n, _)| *n == clean) {
            self.recursive.push((clean.clone(), at));
        }
        self.emit(format!("call {clean}"))?;
        let result = self.outside(namespace, bindings, None, |this| this.resolved(&function.result))?;
        self.depth -= 1;
        if result.is_void() { Ok(TypedValue::nothing()) } else { self.undefined(&result, at) }
    }

    /// What is passed for a parameter.
    fn passed(
        &mut self,
        value: TypedValue,
        ty: CudaType,
        is_reference: bool,
        parameter: CudaSpan,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let value = match &value.form {
            ValueForm::List(list) => self.value_of_list(&list.clone(), &ty)?,
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

pub(super) fn is_reference(tree: &TypeTree) -> bool {
    matches!(super::lookup::strip(tree), TypeTree::Reference(_))
}
