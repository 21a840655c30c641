//! Statements.

use std::rc::Rc;

use super::{
    JumpTargets, KernelLowering, KnownSpace, LocalNames, LoweringResult, NameBinding, TypedValue, ValueForm, ValuePlace,
};
use crate::lex::CudaSpan;
use crate::tree::{
    CudaExpression, CudaStatement, CudaStatementKind, ExpressionKind, InitialTree, Storage, TypeTree, VariableTree,
};
use crate::types::{CudaType, TypeShape};

impl KernelLowering {
    pub(super) fn statement(&mut self, s: &CudaStatement) -> LoweringResult<()> {
        self.enter(s.at)?;
        self.set_position(s.at);
        let is_last = std::mem::replace(&mut self.frame().is_last, false);
        self.statement_within(s, is_last)?;
        self.depth -= 1;
        Ok(())
    }

    fn statement_within(&mut self, s: &CudaStatement, is_last: bool) -> LoweringResult<()> {
        match &s.what {
            CudaStatementKind::Empty => Ok(()),
            CudaStatementKind::Block(all) => self.block(all, is_last),
            CudaStatementKind::Variables(all) => all.iter().try_for_each(|v| self.local_variable(v)),
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
            CudaStatementKind::If { is_computed, first, condition, then, otherwise } => self.scoped(|this| {
                if let Some(first) = first {
                    this.statement(first)?;
                }
                if *is_computed {
                    let value = this.constant(condition, "the condition of `if constexpr`")?;
                    let taken = if value.known() == Some(0) { otherwise.as_deref() } else { Some(&**then) };
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
                    CudaStatementKind::Block(all) => all.iter().all(|s| matches!(s.what, CudaStatementKind::Empty)),
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
                let is_container = range.ty.structure().is_some_and(|n| self.has_method(n, "begin") && self.has_method(n, "end"));
                self.statement(if is_container { &tree.by_iterator } else { &tree.by_index })
            }
            CudaStatementKind::Case(_) | CudaStatementKind::Default => {
                self.refuse(s.at, "a case that stands not directly in its `switch`", "put it into the braces of `switch`")
            }
            CudaStatementKind::Break | CudaStatementKind::Continue => {
                let is_break = matches!(s.what, CudaStatementKind::Break);
                let targets = self.current().targets.clone();
                let target = targets.iter().rev().find(|t| is_break || t.again.is_some());
                let Some(target) = target.cloned() else {
                    return self.refuse(s.at, "this stands in no loop", "put it into a loop");
                };
                self.leave_scopes(target.scopes, s.at)?;
                self.jump(if is_break { target.leave } else { target.again.unwrap_or(target.leave) })
            }
            CudaStatementKind::Return(value) => self.returned(value.as_ref(), is_last, s.at),
            CudaStatementKind::Assembly(tree) => self.assembly(tree, s.at),
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
                let ty = self.resolved(tree)?;
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
                let text = format!("there is no label `{name}` for this `goto`, or none that a condition leads to");
                self.refuse(*at, text, "put it into the function, outside of what is never executed")
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
            }
            this.frame().is_last = false;
            Ok(())
        })
    }

    /// Destroys what the scopes from a number on have.
    fn leave_scopes(&mut self, from: usize, at: CudaSpan) -> LoweringResult<()> {
        let all: Vec<(ValuePlace, usize)> =
            self.current().scopes[from..].iter().rev().flat_map(|s| s.destroyed.iter().rev().cloned()).collect();
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
                    match self.compared(crate::tree::CudaBinary::Equal, value.clone(), case, e.at)? {
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

    fn returned(&mut self, value: Option<&CudaExpression>, is_last: bool, at: CudaSpan) -> LoweringResult<()> {
        let (result, is_reference) = (self.current().result.clone(), self.current().is_reference);
        let has_destructors = self.current().scopes.iter().any(|s| !s.destroyed.is_empty());
        let is_kernel = self.current().function.as_ref().is_some_and(|f| f.is_kernel);
        let value = match value {
            None => None,
            Some(CudaExpression { what: ExpressionKind::List(all), at }) => Some(self.constructed_by_list(&result, all, *at)?),
            Some(e) => Some(self.lower(e)?),
        };
        self.set_position(at);
        let (value, result) = match value {
            // The first `return` says the type.
            Some(value) if self.current().is_auto && result.is_void() && !is_reference => {
                let value = if value.ty.structure().is_some() { value } else { self.rvalue(value)? };
                self.frame().result = value.ty.value();
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
            let is_direct = is_last && !self.current().is_end_used && !has_destructors && self.current().slot.is_none();
            if is_direct {
                let form = match value.form {
                    // What a function made is nobody else's.
                    ValueForm::Place(place) if !is_reference && value.ty.structure().is_some() => {
                        let place = self.fixed_place(place)?;
                        ValueForm::Place(place)
                    }
                    form => form,
                };
                self.frame().direct = Some(TypedValue { ty: value.ty, form });
                return Ok(());
            }
            self.put_result(value, &result, is_reference, at)?;
        }
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

    fn put_result(&mut self, value: TypedValue, result: &CudaType, is_reference: bool, at: CudaSpan) -> LoweringResult<()> {
        let slot = match self.current().slot.clone() {
            Some(slot) => slot,
            None => {
                let ty = if is_reference { CudaType::pointer(result.clone()) } else { result.clone() };
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
            (true, ValueForm::Place(place) | ValueForm::Temporary(place)) => self.address_of(value.ty, place)?,
            (_, form) => TypedValue { ty: value.ty, form },
        };
        let ValueForm::Place(place) = &slot.form else { return Ok(()) };
        match slot.ty.structure() {
            Some(_) => {
                let (ValueForm::Place(from) | ValueForm::Temporary(from)) = value.form else { return Ok(()) };
                self.copy(&from, &value.ty, &place.clone(), &slot.ty, at)
            }
            None => self.put(&slot, value, at),
        }
    }

    fn local_variable(&mut self, tree: &VariableTree) -> LoweringResult<()> {
        let at = tree.at;
        self.set_position(at);
        if tree.storage == Storage::Shared {
            return self.shared_variable(tree);
        }
        if tree.storage != Storage::Automatic {
            return self.refuse(at, "a variable of the device within a function", "put it outside of the function");
        }
        let mut inner = &tree.ty;
        while let TypeTree::Constant(of) | TypeTree::Volatile(of) = inner {
            inner = of;
        }
        // A reference is another name.
        if let TypeTree::Reference(of) = inner {
            let value = match &tree.initial {
                Some(InitialTree::Value(e)) => self.lower(e)?,
                Some(InitialTree::Arguments(all) | InitialTree::List(all)) if all.len() == 1 => self.lower(&all[0])?,
                _ => return self.refuse(at, "a reference is of one variable", "say of which"),
            };
            let is_auto = matches!(super::lookup::strip(of), TypeTree::Auto);
            let ty = if is_auto { value.ty.clone() } else { self.resolved(of)? };
            let bound = self.referred(value, ty, at)?;
            self.bind(tree.name.clone(), bound);
            return Ok(());
        }
        if is_auto(inner) {
            let e = match &tree.initial {
                Some(InitialTree::Value(e)) => e,
                Some(InitialTree::Arguments(all) | InitialTree::List(all)) if all.len() == 1 => &all[0],
                _ => return self.refuse(at, "`auto` without a value", "write the type"),
            };
            let value = if tree.is_computed { self.value_or_constant(e)? } else { self.lower(e)? };
            // `auto [a, b] = of;` has a copy of the whole array.
            if let (TypeShape::Array(..), ValueForm::Place(from)) = (&value.ty.shape, &value.form)
                && tree.name.starts_with('(')
            {
                let (ty, from) = (value.ty.value(), from.clone());
                let (bytes, align) = self.size_of(&ty, at)?;
                let place = self.local("parts", bytes, align, at)?;
                self.copy(&from, &value.ty, &place, &ty, at)?;
                self.own(tree.name.clone(), ty, place);
                return Ok(());
            }
            let value = match value.ty.structure() {
                Some(_) => value,
                None => self.rvalue(value)?,
            };
            let ty = value.ty.value();
            return self.declared(tree, ty, Some(value));
        }
        let ty = self.type_of_variable(tree)?;
        if ty.is_scalar() {
            let e = match &tree.initial {
                None => None,
                Some(InitialTree::Value(e)) => Some(e),
                Some(InitialTree::Arguments(all) | InitialTree::List(all)) => match all.as_slice() {
                    [] => {
                        let zero = TypedValue { ty: ty.value(), form: ValueForm::Constant(0) };
                        return self.declared(tree, ty, Some(zero));
                    }
                    [one] => Some(one),
                    _ => return self.refuse(at, "several values for what is a number", "give one"),
                },
            };
            let value = match e {
                None => None,
                Some(CudaExpression { what: ExpressionKind::List(all), at }) => Some(self.constructed_by_list(&ty, all, *at)?),
                Some(e) if tree.is_constant => Some(self.value_or_constant(e)?),
                Some(e) => Some(self.lower(e)?),
            };
            return self.declared(tree, ty, value);
        }
        if let (true, Some(initial)) = (tree.is_computed, &tree.initial)
            && let Some(bytes) = self.evaluated_initial(&ty, initial, at)?
        {
            let known = self.known_place(&tree.name, ty, bytes, at)?;
            self.bind(tree.name.clone(), known);
            return Ok(());
        }
        if let (Some(_), Some(InitialTree::Value(e))) = (ty.structure(), &tree.initial)
            && !matches!(e.what, ExpressionKind::List(_))
        {
            let value = self.lower(e)?;
            return self.declared(tree, ty, Some(value));
        }
        // An array or a structure.
        let (bytes, align) = self.size_of(&ty, at)?;
        if bytes == 0 && matches!(ty.shape, TypeShape::Array(_, None)) {
            return self.refuse(at, "an array without a size", "give its size");
        }
        let place = self.local(&tree.name, bytes, align, at)?;
        match &tree.initial {
            Some(initial) => self.initialise(&place, &ty, initial, at)?,
            None => {
                if let Some(number) = ty.structure() {
                    self.construct_at(&place, number, Vec::new(), at)?;
                } else if let TypeShape::Array(of, count) = ty.shape.clone()
                    && let Some(number) = of.structure()
                {
                    let step = self.size_of(&of, at)?.0;
                    for n in 0..count.unwrap_or(0).min(super::MAX_PARTS) {
                        self.construct_at(&Self::behind(&place, (n * step) as i64), number, Vec::new(), at)?;
                    }
                }
            }
        }
        self.own(tree.name.clone(), ty, place);
        Ok(())
    }

    /// Binds a name to a structure or an array that the scope destroys.
    fn own(&mut self, name: Rc<str>, ty: CudaType, place: ValuePlace) {
        if let Some(number) = ty.structure().filter(|&n| self.has_destructor(n))
            && let Some(scope) = self.frame().scopes.last_mut()
        {
            scope.destroyed.push((place.clone(), number));
        }
        self.bind(name, TypedValue::place(ty, place));
    }

    /// A variable of a type with its first value.
    fn declared(&mut self, tree: &VariableTree, ty: CudaType, value: Option<TypedValue>) -> LoweringResult<()> {
        let at = tree.at;
        if let Some(number) = ty.structure() {
            let Some(value) = value else { return Ok(()) };
            let place = match value.form {
                ValueForm::Temporary(place) if value.ty.structure() == Some(number) => place,
                form => {
                    let (bytes, align) = self.size_of(&ty, at)?;
                    let place = self.local(&tree.name, bytes, align, at)?;
                    self.construct_at(&place, number, vec![TypedValue { ty: value.ty, form }], at)?;
                    place
                }
            };
            self.own(tree.name.clone(), ty, place);
            return Ok(());
        }
        let value = match value {
            Some(value) => Some(self.converted(value, &ty, at)?),
            None => None,
        };
        self.set_position(at);
        let place = if self.in_memory.contains(&at) || self.are_all_in_memory || ty.is_volatile {
            self.local(&tree.name, ty.bytes(), ty.bytes().max(1), at)?
        } else {
            // What does not change needs no register of its own.
            if tree.is_constant
                && let Some(value) = &value
            {
                let value = self.fixed(value.clone())?;
                let form = ValueForm::Place(ValuePlace::Fixed(Box::new(value.form), at));
                if !self.changed.contains(&at) {
                    self.bind(tree.name.clone(), TypedValue { ty, form });
                    return Ok(());
                }
            }
            let register = self.new_register(&ty);
            self.mutable.insert(register.clone(), at);
            ValuePlace::Register(register)
        };
        if let Some(value) = value {
            self.store(&place, &ty.value(), value)?;
        }
        self.bind(tree.name.clone(), TypedValue::place(ty, place));
        Ok(())
    }

    /// Another name for a value.
    pub(super) fn referred(&mut self, value: TypedValue, ty: CudaType, at: CudaSpan) -> LoweringResult<TypedValue> {
        let is_same = value.ty.value() == ty.value() || ty.is_void();
        match value.form {
            ValueForm::Place(place) | ValueForm::Temporary(place) if is_same => {
                let place = self.fixed_place(place)?;
                let ty = CudaType { is_volatile: value.ty.is_volatile || ty.is_volatile, ..value.ty };
                Ok(TypedValue::place(ty, place))
            }
            form => {
                let value = TypedValue { ty: value.ty, form };
                let value = self.converted(value, &ty, at)?;
                match value.form {
                    ValueForm::Place(place) | ValueForm::Temporary(place) => {
                        let place = self.fixed_place(place)?;
                        Ok(TypedValue::place(value.ty, place))
                    }
                    _ => {
                        let value = self.fixed(value)?;
                        let form = ValueForm::Place(ValuePlace::Fixed(Box::new(value.form), at));
                        Ok(TypedValue { ty: value.ty, form })
                    }
                }
            }
        }
    }

    fn shared_variable(&mut self, tree: &VariableTree) -> LoweringResult<()> {
        use std::fmt::Write as _;
        let at = tree.at;
        let bindings = format!("{:?}", self.current().bindings);
        let key = (at.file as usize, at.start as usize, bindings);
        if let Some(found) = self.shared.get(&key).cloned() {
            self.bind(tree.name.clone(), found);
            return Ok(());
        }
        let ty = self.resolved(&tree.ty)?;
        let (bytes, mut align) = self.size_of(&ty, at)?;
        if let Some(e) = &tree.alignment {
            align = align.max(self.constant(e, "an alignment")?.known().unwrap_or(1).clamp(1, 1 << 12));
        }
        let is_open = tree.is_extern || matches!(ty.shape, TypeShape::Array(_, None));
        let symbol = match is_open {
            true => {
                // All of them begin at one place.
                let name: Rc<str> = tree.name.clone();
                if self.symbols.insert(name.clone()) {
                    let _ = writeln!(self.declarations, ".extern .shared .align {} .b8 {name}[];", align.max(16));
                }
                name
            }
            false => {
                let symbol = self.symbol(&tree.name);
                let _ = match ty.is_scalar() {
                    true => writeln!(self.variables, "\t.shared .align {align} .{} {symbol};", ty.of_memory()),
                    false => writeln!(self.variables, "\t.shared .align {align} .b8 {symbol}[{bytes}];"),
                };
                symbol
            }
        };
        let value = TypedValue::place(ty, ValuePlace::Memory { base: symbol, offset: 0, space: KnownSpace::Shared });
        self.shared.insert(key, value.clone());
        self.bind(tree.name.clone(), value);
        Ok(())
    }
}

fn is_auto(tree: &TypeTree) -> bool {
    match tree {
        TypeTree::Auto => true,
        TypeTree::Constant(of) | TypeTree::Volatile(of) | TypeTree::Pointer(of) => is_auto(of),
        _ => false,
    }
}
