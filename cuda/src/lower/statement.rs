//! Statements.

use std::rc::Rc;

use super::copying::CopyKind;
use super::{
    JumpTargets, KernelLowering, LocalNames, LoweringResult, NameBinding, TypedValue, ValueForm,
    ValuePlace,
};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, CudaStatement, CudaStatementKind, ExpressionKind, TypeTree};
use crate::types::CudaType;

/// May a statement be come to from elsewhere than from the one in front of it?
fn has_label(s: &CudaStatement) -> bool {
    use CudaStatementKind as K;
    match &s.what {
        K::Label(_) | K::Case(_) | K::Default => true,
        K::Block(all) | K::Together(all) => all.iter().any(has_label),
        K::If { then, otherwise, .. } => {
            has_label(then) || otherwise.as_deref().is_some_and(has_label)
        }
        K::While(_, body) | K::DoWhile(body, _) | K::For { body, .. } | K::Switch(_, body) => {
            has_label(body)
        }
        K::Range(tree) => has_label(&tree.by_index),
        _ => false,
    }
}

impl KernelLowering {
    pub(super) fn statement(&mut self, s: &CudaStatement) -> LoweringResult<()> {
        self.enter(s.at)?;
        self.set_position(s.at);
        let is_last = std::mem::replace(&mut self.frame().is_last, false);
        let made = self.current().temporaries.len();
        self.frame().is_left = false;
        self.statement_within(s, is_last)?;
        self.frame().is_left &= matches!(
            s.what,
            CudaStatementKind::Return(_)
                | CudaStatementKind::Block(_)
                | CudaStatementKind::Together(_)
                | CudaStatementKind::If { .. }
        );
        match s.what {
            CudaStatementKind::Expression(_) => self.destroy_temporaries(made, s.at)?,
            _ => self.has_no_temporaries(made, s.at)?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn statement_within(&mut self, s: &CudaStatement, is_last: bool) -> LoweringResult<()> {
        match &s.what {
            CudaStatementKind::Empty => Ok(()),
            CudaStatementKind::Block(all) => self.block(all, is_last),
            CudaStatementKind::Variables(all) => all.iter().try_for_each(|v| {
                let made = self.current().temporaries.len();
                self.local_variable(v)?;
                self.destroy_temporaries(made, v.at)
            }),
            CudaStatementKind::Expression(e) => {
                let value = self.lower(e)?;
                // `volatile int x; x;` reads.
                if value.ty.is_volatile
                    && value.ty.is_scalar()
                    && matches!(
                        e.what,
                        ExpressionKind::Name(_)
                            | ExpressionKind::Index(..)
                            | ExpressionKind::Member(..)
                            | ExpressionKind::Unary(crate::tree::CudaUnary::Content, _)
                    )
                {
                    self.rvalue(value)?;
                }
                Ok(())
            }
            CudaStatementKind::If { is_computed, first, condition, then, otherwise } => self
                .scoped(|this| {
                    if let Some(first) = first {
                        this.statement(first)?;
                    }
                    if *is_computed {
                        let value = this.constant(condition, "the condition of `if constexpr`")?;
                        let taken = if value.known() == Some(0) {
                            otherwise.as_deref()
                        } else {
                            Some(&**then)
                        };
                        return taken.map_or(Ok(()), |s| this.nested(s));
                    }
                    let (no, end) = (this.label(), this.label());
                    match this.condition(condition, no, false)? {
                        Some(true) => this.nested(then),
                        Some(false) => otherwise.as_ref().map_or(Ok(()), |s| this.nested(s)),
                        None => {
                            this.nested(then)?;
                            if let Some(otherwise) = otherwise {
                                this.jump(end)?;
                                this.put_label(no);
                                this.nested(otherwise)?;
                                this.put_label(end);
                            } else {
                                this.put_label(no);
                            }
                            this.frame().is_left = false;
                            Ok(())
                        }
                    }
                }),
            CudaStatementKind::While(condition, body) => {
                let (again, leave) = (self.label(), self.label());
                self.put_label(again);
                // A loop that only waits has one branch.
                let is_empty = match &body.what {
                    CudaStatementKind::Empty => true,
                    CudaStatementKind::Block(all) => {
                        all.iter().all(|s| matches!(s.what, CudaStatementKind::Empty))
                    }
                    _ => false,
                };
                if is_empty {
                    if self.condition(condition, again, true)? == Some(true) {
                        self.jump(again)?;
                    }
                    return Ok(());
                }
                if self.condition(condition, leave, false)? == Some(false) {
                    return Ok(());
                }
                self.in_loop(leave, again, body)?;
                self.set_position(condition.at);
                self.jump(again)?;
                self.put_label(leave);
                Ok(())
            }
            CudaStatementKind::DoWhile(body, condition) => {
                let (top, again, leave) = (self.label(), self.label(), self.label());
                self.put_label(top);
                self.in_loop(leave, again, body)?;
                self.put_label(again);
                self.set_position(condition.at);
                if self.condition(condition, top, true)? == Some(true) {
                    self.jump(top)?;
                }
                self.put_label(leave);
                Ok(())
            }
            CudaStatementKind::For { first, condition, step, body } => self.scoped(|this| {
                if let Some(first) = first {
                    this.statement(first)?;
                }
                let (top, again, leave) = (this.label(), this.label(), this.label());
                this.put_label(top);
                if let Some(condition) = condition {
                    this.set_position(condition.at);
                    if this.condition(condition, leave, false)? == Some(false) {
                        this.put_label(leave);
                        return Ok(());
                    }
                }
                this.in_loop(leave, again, body)?;
                this.put_label(again);
                if let Some(step) = step {
                    this.set_position(step.at);
                    this.lower(step)?;
                }
                this.jump(top)?;
                this.put_label(leave);
                Ok(())
            }),
            CudaStatementKind::Switch(value, body) => self.switch(value, body),
            CudaStatementKind::Range(tree) => {
                let range = self.lower(&tree.range)?;
                let is_container = range
                    .ty
                    .structure()
                    .is_some_and(|n| self.has_method(n, "begin") && self.has_method(n, "end"));
                self.statement(if is_container { &tree.by_iterator } else { &tree.by_index })
            }
            CudaStatementKind::Case(_) | CudaStatementKind::Default => self.refuse(
                s.at,
                "a case that stands not directly in its `switch`",
                "put it into the braces of `switch`",
            ),
            CudaStatementKind::Break | CudaStatementKind::Continue => {
                let is_break = matches!(s.what, CudaStatementKind::Break);
                let targets = self.current().targets.clone();
                let target = targets.iter().rev().find(|t| is_break || t.again.is_some());
                let Some(target) = target.cloned() else {
                    return self.refuse(s.at, "this stands in no loop", "put it into a loop");
                };
                self.leave_scopes(target.scopes, s.at)?;
                self.jump(if is_break {
                    target.leave
                } else {
                    target.again.unwrap_or(target.leave)
                })
            }
            CudaStatementKind::Taken(path) => {
                if let Some(scope) = self.frame().scopes.last_mut() {
                    scope
                        .names
                        .insert(path.last().name.clone(), super::NameBinding::Taken(path.clone()));
                }
                Ok(())
            }
            CudaStatementKind::NamespaceTaken(names) => {
                let names = self.real_namespace(names);
                if let Some(scope) = self.frame().scopes.last_mut() {
                    scope.namespaces.push(names);
                }
                Ok(())
            }
            CudaStatementKind::NamespaceNamed(name, of) => {
                let of = self.real_namespace(of);
                if let Some(scope) = self.frame().scopes.last_mut() {
                    scope.aliases_of_namespaces.insert(name.clone(), of);
                }
                Ok(())
            }
            CudaStatementKind::Return(value) => {
                self.returned(value.as_ref(), is_last, s.at)?;
                self.frame().is_left = true;
                Ok(())
            }
            CudaStatementKind::Assembly(tree) => self.assembly(tree, s.at),
            // What is not understood of it is not looked at. If it is false, something of the
            // program is read wrongly, or it is no program.
            CudaStatementKind::Asserted(condition) => {
                match self
                    .if_possible(|this| this.constant(condition, "what `static_assert` says"))?
                {
                    Some(value) if value.known() == Some(0) => {
                        let help = "nvcc refuses it as well, or a type is not the one of the library: `--compiler nvcc` asks it";
                        self.refuse(condition.at, "what `static_assert` says is not so", help)
                    }
                    _ => Ok(()),
                }
            }
            CudaStatementKind::Together(all) => all.iter().try_for_each(|s| self.statement(s)),
            CudaStatementKind::Goto(name) => {
                if self.current().scopes.iter().any(|scope| !scope.destroyed.is_empty()) {
                    return self.refuse(
                        s.at,
                        "`goto` where variables are destroyed",
                        "put what has a destructor into a block of its own",
                    );
                }
                let label = self.named_label(name, s.at);
                self.jump(label)
            }
            CudaStatementKind::Label(name) => {
                let label = self.named_label(name, s.at);
                if let Some(known) = self.frame().labels.get_mut(name) {
                    known.2 = true;
                }
                self.put_label(label);
                Ok(())
            }
            CudaStatementKind::Alias(name, tree) => {
                let ty = self.resolved_argument(tree)?;
                if let Some(scope) = self.frame().scopes.last_mut() {
                    scope.names.insert(name.clone(), NameBinding::Type(ty));
                }
                Ok(())
            }
        }
    }

    /// The label of a name in the function that is put in place.
    fn named_label(&mut self, name: &Rc<str>, at: CudaSpan) -> u32 {
        let fresh = self.label();
        self.frame().labels.entry(name.clone()).or_insert((fresh, at, false)).0
    }

    /// Is each label there that a `goto` of the function goes to?
    pub(super) fn all_labels_are_there(&self) -> LoweringResult<()> {
        let labels = &self.current().labels;
        let mut missing: Vec<_> = labels.iter().filter(|(_, (_, _, there))| !there).collect();
        missing.sort_by_key(|(_, (_, at, _))| at.start);
        match missing.first() {
            Some((name, (_, at, _))) => {
                let text = format!(
                    "there is no label `{name}` for this `goto`, or none that a condition leads to"
                );
                self.refuse(
                    *at,
                    text,
                    "put it into the function, outside of what is never executed",
                )
            }
            None => Ok(()),
        }
    }

    fn scoped(&mut self, act: impl FnOnce(&mut Self) -> LoweringResult<()>) -> LoweringResult<()> {
        self.frame().scopes.push(LocalNames::default());
        act(self)?;
        let scopes = self.current().scopes.len() - 1;
        let at = self.position;
        self.leave_scopes(scopes, at)?;
        self.frame().scopes.pop();
        Ok(())
    }

    fn nested(&mut self, s: &CudaStatement) -> LoweringResult<()> {
        self.scoped(|this| this.statement(s))
    }

    pub(super) fn block(&mut self, all: &[CudaStatement], is_last: bool) -> LoweringResult<()> {
        self.scoped(|this| {
            for (n, s) in all.iter().enumerate() {
                this.frame().is_last = is_last && n + 1 == all.len();
                this.statement(s)?;
                // No thread comes to the rest, where a function of constants may call itself
                // without end.
                if this.current().is_left && !all[n + 1..].iter().any(has_label) {
                    break;
                }
            }
            this.frame().is_last = false;
            Ok(())
        })
    }

    /// Destroys what the scopes from a number on have.
    fn leave_scopes(&mut self, from: usize, at: CudaSpan) -> LoweringResult<()> {
        let all: Vec<(ValuePlace, usize)> = self.current().scopes[from..]
            .iter()
            .rev()
            .flat_map(|s| s.destroyed.iter().rev().cloned())
            .collect();
        all.into_iter().try_for_each(|(place, number)| self.destroy(&place, number, at))
    }

    fn in_loop(&mut self, leave: u32, again: u32, body: &CudaStatement) -> LoweringResult<()> {
        let scopes = self.current().scopes.len();
        self.frame().targets.push(JumpTargets { leave, again: Some(again), scopes });
        self.nested(body)?;
        self.frame().targets.pop();
        Ok(())
    }

    fn switch(&mut self, value: &CudaExpression, body: &CudaStatement) -> LoweringResult<()> {
        let value = self.value(value)?;
        let value = self.plain(value, body.at)?;
        let value = self.fixed(value)?;
        let CudaStatementKind::Block(all) = &body.what else {
            return self.refuse(body.at, "a `switch` without braces", "put its cases into braces");
        };
        let leave = self.label();
        let mut labels = Vec::new();
        let mut default = leave;
        let mut known = None;
        for s in all {
            match &s.what {
                CudaStatementKind::Case(e) => {
                    let case = self.constant(e, "a case")?;
                    let label = self.label();
                    labels.push(label);
                    self.set_position(s.at);
                    match self.compared(
                        crate::tree::CudaBinary::Equal,
                        value.clone(),
                        case,
                        e.at,
                    )? {
                        Ok(true) => known = known.or(Some(label)),
                        Ok(false) => {}
                        Err(predicate) => self.emit(format!("@{predicate} bra $L_{label}"))?,
                    }
                }
                CudaStatementKind::Default => {
                    default = self.label();
                    labels.push(default);
                }
                _ => {}
            }
        }
        self.jump(known.unwrap_or(default))?;
        let scopes = self.current().scopes.len();
        self.frame().targets.push(JumpTargets { leave, again: None, scopes });
        let mut labels = labels.into_iter();
        self.scoped(|this| {
            for s in all {
                if matches!(s.what, CudaStatementKind::Case(_) | CudaStatementKind::Default) {
                    if let Some(label) = labels.next() {
                        this.put_label(label);
                    }
                } else {
                    this.statement(s)?;
                }
            }
            Ok(())
        })?;
        self.frame().targets.pop();
        self.put_label(leave);
        Ok(())
    }

    fn returned(
        &mut self,
        value: Option<&CudaExpression>,
        is_last: bool,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let (result, e) = (self.current().result.clone(), value);
        let has_destructors = self.current().scopes.iter().any(|s| !s.destroyed.is_empty());
        let is_kernel = self.current().function.as_ref().is_some_and(|f| f.is_kernel);
        let value = match value {
            None => None,
            Some(CudaExpression { what: ExpressionKind::List(all), at }) => {
                Some(self.constructed_by_list(&result, all, *at)?)
            }
            Some(e) => Some(self.lower_argument(e)?),
        };
        if let Some(TypedValue { form: ValueForm::Temporary(place), .. }) = &value {
            let place = place.clone();
            self.taken_over(&place);
        }
        if let (Some(e), Some(value)) = (e, &value)
            && self.current().is_auto
            && self
                .current()
                .function
                .as_ref()
                .is_some_and(|f| matches!(f.result, TypeTree::AutoAsIs))
        {
            self.is_known_as_it_is(e, value)?;
            self.frame().is_reference = self.is_reference_as_it_is(e, value)?;
        }
        let is_reference = self.current().is_reference;
        let value = match (e, value) {
            (Some(e), Some(value)) if !is_reference => Some(self.result_copied(e, value, at)?),
            (_, value) => value,
        };
        let value = value.map(|value| match value.form {
            ValueForm::Expiring(place) => TypedValue::place(value.ty, place),
            form => TypedValue { ty: value.ty, form },
        });
        self.set_position(at);
        let (value, result) = match value {
            // The first `return` says the type.
            Some(value) if self.current().is_auto => {
                self.frame().is_auto = false;
                let value = if is_reference || value.ty.structure().is_some() {
                    value
                } else {
                    self.rvalue(value)?
                };
                self.frame().result =
                    if is_reference { value.ty.clone() } else { value.ty.value() };
                (Some(value), self.current().result.clone())
            }
            value => (value, result),
        };
        if let Some(value) = value.filter(|_| !result.is_void()) {
            let value = match is_reference {
                true => value,
                false => match value.ty.structure() {
                    Some(_) if value.ty.structure() == result.structure() => value,
                    _ => self.converted(value, &result, at)?,
                },
            };
            let is_direct = is_last
                && !self.current().is_end_used
                && !has_destructors
                && self.current().slot.is_none();
            if is_direct {
                let form = match value.form {
                    // What is returned is a copy, and read here: the variable may be somebody
                    // else's, and change.
                    ValueForm::Place(place) if !is_reference && value.ty.structure().is_some() => {
                        let (bytes, align) = self.size_of(&result, at)?;
                        let copy = self.local("result", bytes, align, at)?;
                        self.copy(&place, &value.ty, &copy, &result, at)?;
                        ValueForm::Place(copy)
                    }
                    form => form,
                };
                self.frame().direct = Some(TypedValue { ty: value.ty, form });
                return self.destroy_temporaries(0, at);
            }
            self.put_result(value, &result, is_reference, at)?;
        }
        self.destroy_temporaries(0, at)?;
        self.leave_scopes(0, at)?;
        if is_kernel && self.frames.len() == 1 {
            return self.emit("ret");
        }
        if is_last && !has_destructors {
            return Ok(());
        }
        self.frame().is_end_used = true;
        let end = self.current().end;
        self.jump(end)
    }

    /// What a function returns that is no variable of its own, where the structure says itself how
    /// it is copied.
    fn result_copied(
        &mut self,
        e: &CudaExpression,
        value: TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let Some(number) = value.ty.structure() else { return Ok(value) };
        let is_own = match &e.what {
            ExpressionKind::Name(path) => {
                let name = &path.last().name;
                let is_local = self.current().scopes.iter().any(|s| s.names.contains_key(name));
                path.parts.len() == 1 && is_local && self.declared_reference(name).is_none()
            }
            _ => false,
        };
        let says = self.copies_itself(number, CopyKind::Made)
            || self.has_copying_parts(number, CopyKind::Made);
        match value.form {
            ValueForm::Place(_) | ValueForm::Expiring(_) if says && !is_own => {
                self.constructed(number, vec![value], at)
            }
            _ => Ok(value),
        }
    }

    fn put_result(
        &mut self,
        value: TypedValue,
        result: &CudaType,
        is_reference: bool,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let slot = match self.current().slot.clone() {
            Some(slot) => slot,
            None => {
                let ty =
                    if is_reference { CudaType::pointer(result.clone()) } else { result.clone() };
                let place = match ty.structure() {
                    Some(_) => {
                        let (bytes, align) = self.size_of(&ty, at)?;
                        self.local("result", bytes, align, at)?
                    }
                    None => ValuePlace::Register(self.new_register(&ty)),
                };
                let slot = TypedValue::place(ty, place);
                self.frame().slot = Some(slot.clone());
                slot
            }
        };
        let value = match (is_reference, value.form) {
            (true, ValueForm::Place(place) | ValueForm::Temporary(place)) => {
                self.address_of(value.ty, place)?
            }
            (_, form) => TypedValue { ty: value.ty, form },
        };
        let ValueForm::Place(place) = &slot.form else { return Ok(()) };
        match slot.ty.structure() {
            Some(_) => {
                let (ValueForm::Place(from) | ValueForm::Temporary(from)) = value.form else {
                    return Ok(());
                };
                self.copy(&from, &value.ty, &place.clone(), &slot.ty, at)
            }
            None => self.put(&slot, value, at),
        }
    }
}
