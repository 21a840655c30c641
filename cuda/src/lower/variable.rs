//! Variables: of functions, of blocks, and of the module.

use std::fmt::Write as _;
use std::rc::Rc;

use super::{
    KernelLowering, KnownSpace, LoweringResult, NameBinding, TypedValue, ValueForm, ValuePlace,
};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, ExpressionKind, InitialTree, Storage, TypeTree, VariableTree};
use crate::types::{CudaType, ReferenceKind, TypeShape};

impl KernelLowering {
    pub(super) fn bind(&mut self, name: Rc<str>, value: TypedValue) {
        let frame = self.frame();
        if let Some(scope) = frame.scopes.last_mut() {
            scope.names.insert(name, NameBinding::Value(value));
        }
    }

    pub(super) fn local_variable(&mut self, tree: &VariableTree) -> LoweringResult<()> {
        let at = tree.at;
        self.set_position(at);
        if tree.storage == Storage::Shared {
            return self.shared_variable(tree);
        }
        if tree.storage != Storage::Automatic {
            return self.static_variable(tree);
        }
        let mut inner = &tree.ty;
        while let TypeTree::Constant(of) | TypeTree::Volatile(of) = inner {
            inner = of;
        }
        // A reference is another name.
        let of = match inner {
            TypeTree::Reference(of) => Some(&**of),
            _ if self.is_reference_type(inner)? => Some(inner),
            _ => None,
        };
        if let Some(of) = of {
            let e = match &tree.initial {
                Some(InitialTree::Value(e)) => e,
                Some(InitialTree::Arguments(all) | InitialTree::List(all)) if all.len() == 1 => {
                    &all[0]
                }
                _ => return self.refuse(at, "a reference is of one variable", "say of which"),
            };
            self.asks_for_place(e);
            let value = self.lower_argument(e)?;
            let is_auto = matches!(super::typename::strip(of), TypeTree::Auto);
            let is_constant = matches!(of, TypeTree::Constant(_));
            let ty = if is_auto { value.ty.clone() } else { self.resolved(of)? };
            let ty = CudaType { is_constant: is_constant || ty.is_constant, ..ty };
            let kind = match inner {
                TypeTree::Reference(of) if is_auto => match **of {
                    TypeTree::Rvalue(_) if !super::conversion::is_left(&value) => {
                        ReferenceKind::Right
                    }
                    _ => ReferenceKind::Left,
                },
                _ => self.resolved_argument(inner)?.reference.unwrap_or(ReferenceKind::Left),
            };
            self.may_be_referred(
                tree,
                &value,
                &CudaType { reference: Some(kind), ..ty.clone() },
                e.at,
            )?;
            let value = match value.form {
                ValueForm::Expiring(place) => TypedValue::place(value.ty, place),
                form => TypedValue { ty: value.ty, form },
            };
            // What it refers to lives as long as it does.
            if let (ValueForm::Temporary(place), Some(number)) = (&value.form, value.ty.structure())
                && self.taken_over(place)
                && let Some(scope) = self.frame().scopes.last_mut()
            {
                scope.destroyed.push((place.clone(), number));
            }
            let bound = self.referred(value, ty, at)?;
            self.bind_reference(tree.name.clone(), bound, kind);
            return Ok(());
        }
        if is_auto(inner) {
            let e = match &tree.initial {
                Some(InitialTree::Value(e)) => e,
                Some(InitialTree::Arguments(all) | InitialTree::List(all)) if all.len() == 1 => {
                    &all[0]
                }
                _ => return self.refuse(at, "`auto` without a value", "write the type"),
            };
            let value =
                if tree.is_computed { self.value_or_constant(e)? } else { self.lower_argument(e)? };
            if matches!(inner, TypeTree::AutoAsIs) {
                self.is_known_as_it_is(e, &value)?;
            }
            if matches!(inner, TypeTree::AutoAsIs) && self.is_reference_as_it_is(e, &value)? {
                let ty = value.ty.clone();
                let bound = self.referred(value, ty, at)?;
                self.bind_reference(tree.name.clone(), bound, ReferenceKind::Left);
                return Ok(());
            }
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
            let ty = said_of_auto(&tree.ty, value.ty.value());
            let ty = CudaType { is_constant: ty.is_constant || tree.is_computed, ..ty };
            return self.declared(tree, ty, Some(value));
        }
        if let Some(value) = self.initial_of_template(&tree.ty, tree.initial.as_ref(), at)? {
            return self.declared(tree, value.ty.value(), Some(value));
        }
        let ty = self.type_of_variable(tree)?;
        if ty.is_scalar() {
            let e = match &tree.initial {
                None => None,
                Some(InitialTree::Value(e)) => Some(e),
                Some(InitialTree::Arguments(all) | InitialTree::List(all)) => {
                    match all.as_slice() {
                        [] => {
                            let zero = TypedValue { ty: ty.value(), form: ValueForm::Constant(0) };
                            return self.declared(tree, ty, Some(zero));
                        }
                        [one] => Some(one),
                        _ => {
                            return self.refuse(
                                at,
                                "several values for what is a number",
                                "give one",
                            );
                        }
                    }
                }
            };
            let value = match e {
                None => None,
                Some(CudaExpression { what: ExpressionKind::List(all), at }) => {
                    Some(self.constructed_by_list(&ty, all, *at)?)
                }
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
            let value = self.lower_argument(e)?;
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
                } else if let Some((number, count)) = super::copying::element_structure(&ty) {
                    let step = self.structures[number].size;
                    for n in 0..count.min(super::MAX_PARTS) {
                        self.construct_at(
                            &Self::behind(&place, (n * step) as i64),
                            number,
                            Vec::new(),
                            at,
                        )?;
                    }
                }
            }
        }
        self.own(tree.name.clone(), ty, place);
        Ok(())
    }

    /// Binds a name to a structure or an array that the scope destroys.
    fn own(&mut self, name: Rc<str>, ty: CudaType, place: ValuePlace) {
        if let Some((number, count)) =
            super::copying::element_structure(&ty).filter(|&(n, _)| self.has_destructor(n))
        {
            let step = self.structures[number].size;
            let all = (0..count.min(super::MAX_PARTS))
                .map(|n| (Self::behind(&place, (n * step) as i64), number));
            if let Some(scope) = self.frame().scopes.last_mut() {
                scope.destroyed.extend(all);
            }
        }
        self.bind(name, TypedValue::place(ty, place));
    }

    /// A variable of a type with its first value.
    fn declared(
        &mut self,
        tree: &VariableTree,
        ty: CudaType,
        value: Option<TypedValue>,
    ) -> LoweringResult<()> {
        let at = tree.at;
        if let Some(number) = ty.structure() {
            let Some(value) = value else { return Ok(()) };
            let place = match value.form {
                ValueForm::Temporary(place) if value.ty.structure() == Some(number) => {
                    self.taken_over(&place);
                    place
                }
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

    fn bind_reference(&mut self, name: Rc<str>, value: TypedValue, kind: ReferenceKind) {
        self.refers(name.clone(), kind);
        self.bind(name, value);
    }

    /// An error where `decltype(auto)` would be `T&&`.
    pub(super) fn is_known_as_it_is(
        &self,
        e: &CudaExpression,
        value: &TypedValue,
    ) -> LoweringResult<()> {
        match value.form {
            ValueForm::Expiring(_) => self.refuse(
                e.at,
                "`decltype(auto)` of what `std::move` gives is not understood",
                "write the type",
            ),
            _ => Ok(()),
        }
    }

    /// Is what an expression says a reference (`decltype(auto)`)? A name is what it was declared
    /// as; in parentheses it is a variable.
    pub(super) fn is_reference_as_it_is(
        &mut self,
        e: &CudaExpression,
        value: &TypedValue,
    ) -> LoweringResult<bool> {
        if !matches!(value.form, ValueForm::Place(_)) {
            return Ok(false);
        }
        let is_whole = self.is_in_parentheses(e);
        let of_member = |this: &Self, owner: usize, name: &str| {
            this.structures[owner]
                .fields
                .iter()
                .rfind(|f| &*f.name == name)
                .is_some_and(|f| f.is_reference)
        };
        match &e.what {
            _ if is_whole => Ok(true),
            ExpressionKind::Name(path) => {
                let name = &path.last().name;
                let is_local = self.current().scopes.iter().any(|s| s.names.contains_key(name));
                Ok(match self.current().owner {
                    Some(owner) if !is_local => of_member(self, owner, name),
                    _ => self.is_declared_reference(name),
                })
            }
            ExpressionKind::Member(of, part, is_arrow) => {
                let owner = self
                    .if_possible(|this| {
                        this.only_for_type(|this| this.object(of, *is_arrow, e.at))
                    })?
                    .and_then(|base| base.ty.structure());
                Ok(owner.is_some_and(|owner| of_member(self, owner, &part.name)))
            }
            _ => Ok(true),
        }
    }

    /// Another name for a value.
    pub(super) fn referred(
        &mut self,
        value: TypedValue,
        ty: CudaType,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let is_same = value.ty.is_similar(&ty) || ty.is_void();
        match value.form {
            ValueForm::Place(place) | ValueForm::Temporary(place) if is_same => {
                let place = self.fixed_place(place)?;
                // A type that is said counts, with the size of an array that it leaves open.
                let is_open = ty.is_void() || matches!(ty.shape, TypeShape::Array(_, None));
                let ty = if is_open { value.ty.within(&ty) } else { ty.within(&value.ty) };
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
                        // What the reference leads to is nobody else's, and may change, or have an
                        // address.
                        if let Some(place) = self.place_of_reference(&value, at)? {
                            return Ok(TypedValue::place(ty, place));
                        }
                        let value = self.fixed(value)?;
                        let form = ValueForm::Place(ValuePlace::Fixed(Box::new(value.form), at));
                        Ok(TypedValue { ty: ty.within(&value.ty), form })
                    }
                }
            }
        }
    }

    /// Where the value lives that a reference is given and that has no name; nothing while it is
    /// only read.
    fn place_of_reference(
        &mut self,
        value: &TypedValue,
        at: CudaSpan,
    ) -> LoweringResult<Option<ValuePlace>> {
        let place = if !value.ty.is_scalar() {
            return Ok(None);
        } else if self.in_memory.contains(&at) || self.are_all_in_memory {
            self.local("referred", value.ty.bytes(), value.ty.bytes().max(1), at)?
        } else if self.changed.contains(&at) {
            let register = self.new_register(&value.ty);
            self.mutable.insert(register.clone(), at);
            ValuePlace::Register(register)
        } else {
            return Ok(None);
        };
        self.store(&place, &value.ty.value(), value.clone())?;
        Ok(Some(place))
    }

    /// A variable of a function that is there once, and not once for each thread.
    fn static_variable(&mut self, tree: &VariableTree) -> LoweringResult<()> {
        let key = (tree.at, format!("{:?}", self.current().bindings));
        if let Some(found) = self.placed.get(&key).cloned() {
            self.bind(tree.name.clone(), found);
            return Ok(());
        }
        let ty = self.type_of_variable(tree)?;
        let constant = match (&tree.initial, tree.is_constant && !ty.is_volatile) {
            (Some(initial), true) => self.constant_of_type(tree, ty.clone(), initial)?,
            _ => None,
        };
        let value = match constant {
            Some(value) => value,
            None if ty.is_void() => {
                return self.refuse(
                    tree.at,
                    "`auto` for a variable that is no constant",
                    "write its type",
                );
            }
            None => self.module_variable(tree, ty, None)?,
        };
        self.placed.insert(key, value.clone());
        self.bind(tree.name.clone(), value);
        Ok(())
    }

    fn shared_variable(&mut self, tree: &VariableTree) -> LoweringResult<()> {
        let at = tree.at;
        let bindings = format!("{:?}", self.current().bindings);
        let key = (at, bindings);
        if let Some(found) = self.placed.get(&key).cloned() {
            self.bind(tree.name.clone(), found);
            return Ok(());
        }
        let ty = self.resolved(&tree.ty)?;
        let (bytes, mut align) = self.size_of(&ty, at)?;
        if let Some(e) = &tree.alignment {
            align =
                align.max(self.constant(e, "an alignment")?.known().unwrap_or(1).clamp(1, 1 << 12));
        }
        let is_open = tree.is_extern || matches!(ty.shape, TypeShape::Array(_, None));
        let symbol = match is_open {
            true => {
                // All of them begin at one place. What else has the name is another variable.
                let is_known = self
                    .module_variables()
                    .any(|(line, name)| line.starts_with(".extern .shared") && *name == *tree.name);
                let name = if is_known { tree.name.clone() } else { self.symbol(&tree.name) };
                if !is_known {
                    let _ = writeln!(
                        self.declarations,
                        ".extern .shared .align {} .b8 {name}[];",
                        align.max(16)
                    );
                }
                name
            }
            false => {
                let symbol = self.symbol(&tree.name);
                let _ = match ty.is_scalar() {
                    true => writeln!(
                        self.variables,
                        "\t.shared .align {align} .{} {symbol};",
                        ty.of_memory()
                    ),
                    false => {
                        writeln!(self.variables, "\t.shared .align {align} .b8 {symbol}[{bytes}];")
                    }
                };
                symbol
            }
        };
        let value = TypedValue::place(
            ty,
            ValuePlace::Memory { base: symbol, offset: 0, space: KnownSpace::Shared },
        );
        self.placed.insert(key, value.clone());
        self.bind(tree.name.clone(), value);
        Ok(())
    }

    /// A variable of the module.
    pub(super) fn global(&mut self, tree: &Rc<VariableTree>) -> LoweringResult<TypedValue> {
        let key = Rc::as_ptr(tree) as usize;
        if let Some(found) = self.globals.get(&key) {
            return Ok(found.clone());
        }
        // Its type and value are of where it is declared, and not of where it is used.
        let namespace = self.current().namespace.clone();
        let found =
            self.outside(namespace, Rc::default(), None, |this| this.global_within(tree, key));
        if found.is_err() {
            // Whoever asks again is told again: it is not declared.
            self.globals.remove(&key);
        }
        found
    }

    fn global_within(&mut self, tree: &Rc<VariableTree>, key: usize) -> LoweringResult<TypedValue> {
        let is_number = |this: &mut Self| {
            this.type_of_variable(tree).is_ok_and(|ty| ty.is_arithmetic() && !ty.is_volatile)
        };
        if (tree.storage == Storage::Automatic
            || tree.is_computed
            || tree.is_constant && tree.initial.is_some() && is_number(self))
            && let Some(value) = self.constant_variable(tree)?
        {
            return Ok(value);
        }
        let ty = self.type_of_variable(tree)?;
        self.module_variable(tree, ty, Some(key))
    }

    /// Declares a variable in the module, in the space that its declaration names.
    fn module_variable(
        &mut self,
        tree: &VariableTree,
        ty: CudaType,
        key: Option<usize>,
    ) -> LoweringResult<TypedValue> {
        let (size, mut align) = self.size_of(&ty, tree.at)?;
        if let Some(e) = &tree.alignment {
            align = align.max(self.alignment(e)?);
        }
        let space = match tree.storage {
            Storage::Shared => KnownSpace::Shared,
            Storage::Constant | Storage::Automatic => KnownSpace::Constant,
            Storage::Device => KnownSpace::Global,
        };
        let symbol = self.symbol(&tree.name);
        let value = TypedValue::place(
            ty.clone(),
            ValuePlace::Memory { base: symbol.clone(), offset: 0, space },
        );
        if let Some(key) = key {
            self.globals.insert(key, value.clone());
        }
        let qualifier = space.qualifier();
        if tree.is_extern && tree.storage == Storage::Shared && size == 0 {
            let _ = writeln!(
                self.declarations,
                ".extern .shared .align {} .b8 {symbol}[];",
                align.max(16)
            );
            return Ok(value);
        }
        let mut text = match ty.is_scalar() {
            true => format!("{qualifier} .align {align} .{} {symbol}", ty.of_memory()),
            false => format!("{qualifier} .align {align} .b8 {symbol}[{size}]"),
        };
        if tree.storage != Storage::Shared {
            if size > 1 << 20 && tree.initial.is_some() {
                let text = "a variable of more than 1 MiB with initial values";
                return self.refuse(tree.at, text, "set it in the kernel, or by the host");
            }
            let bytes = self.initial_bytes(tree, &ty)?.unwrap_or_default();
            if bytes.iter().any(|&b| b != 0) {
                if ty.is_scalar() {
                    let mut wide = [0u8; 8];
                    wide[..bytes.len()].copy_from_slice(&bytes);
                    let bits = u64::from_le_bytes(wide);
                    let _ = match ty.shape {
                        TypeShape::Real(8) => write!(text, " = 0d{bits:016X}"),
                        TypeShape::Real(_) => write!(text, " = 0f{bits:08X}"),
                        _ => write!(text, " = {bits}"),
                    };
                } else {
                    let all: Vec<String> = bytes.iter().map(u8::to_string).collect();
                    let _ = write!(text, " = {{{}}}", all.join(", "));
                }
            }
        }
        let visible = if tree.is_extern && tree.initial.is_none() { ".extern " } else { "" };
        let _ = writeln!(self.declarations, "{visible}{text};");
        Ok(value)
    }
}

/// The type of a value, with what a declaration of `auto` says of it.
fn said_of_auto(tree: &TypeTree, ty: CudaType) -> CudaType {
    match (tree, &ty.shape) {
        (TypeTree::Constant(of), _) => CudaType { is_constant: true, ..said_of_auto(of, ty) },
        (TypeTree::Volatile(of), _) => CudaType { is_volatile: true, ..said_of_auto(of, ty) },
        (TypeTree::Pointer(of), TypeShape::Pointer(to)) => {
            CudaType::pointer(said_of_auto(of, (**to).clone()))
        }
        _ => ty,
    }
}

pub(super) fn is_auto(tree: &TypeTree) -> bool {
    match tree {
        TypeTree::Auto | TypeTree::AutoAsIs => true,
        TypeTree::Constant(of)
        | TypeTree::Volatile(of)
        | TypeTree::Pointer(of)
        | TypeTree::Reference(of)
        | TypeTree::Rvalue(of) => is_auto(of),
        _ => false,
    }
}
