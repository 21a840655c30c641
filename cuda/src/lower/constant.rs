//! Constants: sizes of arrays, arguments of templates, initial values.

use std::rc::Rc;

use super::{InlinedCall, KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, EnumerationTree, ExpressionKind, FunctionRole, FunctionTree, InitialTree, VariableTree};
use crate::types::{BitsLayout, CudaType, FieldLayout, StructureLayout, TemplateBindings, TypeShape};

impl KernelLowering {
    /// Does something outside of functions, or in another one's place: names are those of a namespace and the parameters of a template.
    pub(super) fn outside<T>(
        &mut self,
        namespace: Rc<[Rc<str>]>,
        bindings: Rc<TemplateBindings>,
        owner: Option<usize>,
        act: impl FnOnce(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<T> {
        if self.frames.len() > super::MAX_CALLS {
            return self.refuse(self.position, "constants and types are nested too deep", "write it flatter");
        }
        let mut frame = InlinedCall { bindings, owner, ..InlinedCall::outside(namespace) };
        self.enter_lambda(&mut frame);
        self.frames.push(frame);
        let done = act(self);
        self.frames.pop();
        done
    }

    /// The value of an expression that is constant.
    pub(super) fn constant(&mut self, e: &CudaExpression, what: &str) -> LoweringResult<TypedValue> {
        let before = (self.body.len(), self.instructions);
        let value = self.lower(e)?;
        let value = self.rvalue(value)?;
        if value.known().is_none() || self.body.len() != before.0 {
            return self.refuse(
                e.at,
                format!("{what} is not constant"),
                "it must be a number that is known when the program is compiled",
            );
        }
        Ok(value)
    }

    /// The value of a constant of an enumeration.
    pub(super) fn enumerator(&mut self, tree: &Rc<EnumerationTree>, number: usize) -> LoweringResult<TypedValue> {
        let ty = match &tree.base {
            Some(base) => self.resolved(base)?,
            None => CudaType::INT,
        };
        // From the last one whose value is written.
        let written = (0..=number).rev().find_map(|n| Some((n, tree.constants[n].1.as_ref()?)));
        let value = match written {
            Some((n, e)) => {
                let value = self.constant(e, "the value of a constant")?;
                value.known().unwrap_or(0).wrapping_add((number - n) as u64)
            }
            None => number as u64,
        };
        Ok(TypedValue::constant(ty, value))
    }

    /// The value of a constant variable: nothing where it is none that is a number.
    pub(super) fn constant_variable(&mut self, tree: &VariableTree) -> LoweringResult<Option<TypedValue>> {
        let value = match &tree.initial {
            Some(InitialTree::Value(e)) => e,
            Some(InitialTree::Arguments(all) | InitialTree::List(all)) if all.len() == 1 => &all[0],
            _ => return Ok(None),
        };
        if matches!(tree.ty, crate::tree::TypeTree::Array(..)) {
            return Ok(None);
        }
        self.enter(tree.at)?;
        let ty = self.resolved(&tree.ty)?;
        if ty.is_volatile || ty.structure().is_some() {
            self.depth -= 1;
            return Ok(None);
        }
        let value = self.constant(value, &format!("`{}`", tree.name))?;
        self.depth -= 1;
        // `auto`
        if ty.is_void() {
            return Ok(Some(value));
        }
        self.converted(value, &ty, tree.at).map(Some)
    }

    /// The bytes that a variable begins with.
    pub(super) fn initial_bytes(
        &mut self,
        initial: &InitialTree,
        ty: &CudaType,
        bytes: &mut Vec<u8>,
        offset: u64,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        match initial {
            InitialTree::Value(e) => {
                if let crate::tree::ExpressionKind::List(all) = &e.what {
                    return self.initial_bytes(&InitialTree::List(all.clone()), ty, bytes, offset, at);
                }
                if let crate::tree::ExpressionKind::Construct(_, all) = &e.what {
                    return self.initial_bytes(&InitialTree::List(all.clone()), ty, bytes, offset, at);
                }
                if ty.structure().is_some() {
                    return self.initial_bytes(&InitialTree::List(vec![e.clone()]), ty, bytes, offset, at);
                }
                let value = self.constant(e, "what a variable begins with")?;
                let value = self.converted(value, ty, e.at)?;
                let ValueForm::Constant(bits) = value.form else {
                    return self.refuse(
                        e.at,
                        "what a variable begins with is not constant",
                        "set it in the kernel, or by the host",
                    );
                };
                let size = ty.bytes() as usize;
                let from = offset as usize;
                if from + size > bytes.len() {
                    return self.refuse(e.at, "more values than the variable has room for", "give fewer values");
                }
                bytes[from..from + size].copy_from_slice(&bits.to_le_bytes()[..size]);
                Ok(())
            }
            InitialTree::Arguments(all) | InitialTree::List(all) if self.has_constructor(ty) => {
                let mut values = Vec::new();
                for e in all {
                    values.push(self.constant(e, "what a variable begins with")?);
                }
                self.constructed_bytes(ty, values, bytes, offset, at)
            }
            InitialTree::Arguments(all) | InitialTree::List(all) => {
                if let std::borrow::Cow::Owned(all) = self.unpacked(all)? {
                    return self.initial_bytes(&InitialTree::List(all), ty, bytes, offset, at);
                }
                if let TypeShape::Structure(number) = ty.shape {
                    let fields = self.structures[number].fields.clone();
                    if let Some(field) = self.only_array(number, all) {
                        return self.field_bytes(&InitialTree::List(all.clone()), &field, bytes, offset, at);
                    }
                    if all.len() > fields.len() {
                        return self.refuse(at, "more values than the variable has room for", "give fewer values");
                    }
                    let mut given = Vec::new();
                    for (e, field) in all.iter().zip(&fields) {
                        match &e.what {
                            ExpressionKind::Designated(name, value) => match fields.iter().find(|f| f.name == *name) {
                                Some(field) => given.push((field, (**value).clone())),
                                None => return self.refuse(e.at, format!("there is no member `{name}`"), "name a member"),
                            },
                            _ => given.push((field, e.clone())),
                        }
                    }
                    let named: Vec<Rc<str>> = given.iter().map(|(field, _)| field.name.clone()).collect();
                    self.default_members(number, &named, bytes, offset, at)?;
                    for (field, value) in given {
                        self.field_bytes(&InitialTree::Value(value), field, bytes, offset, at)?;
                    }
                    return Ok(());
                }
                let parts: Vec<(CudaType, u64)> = match &ty.shape {
                    TypeShape::Array(of, _) => {
                        let step = self.size_of(of, at)?.0;
                        (0..all.len() as u64).map(|n| ((**of).clone(), n * step)).collect()
                    }
                    _ => vec![(ty.clone(), 0)],
                };
                if all.len() > parts.len() {
                    return self.refuse(at, "more values than the variable has room for", "give fewer values");
                }
                for (e, (ty, further)) in all.iter().zip(parts) {
                    self.initial_bytes(&InitialTree::Value(e.clone()), &ty, bytes, offset + further, at)?;
                }
                Ok(())
            }
        }
    }

    /// The bytes that a member begins with, in a structure that begins at an offset.
    fn field_bytes(
        &mut self,
        initial: &InitialTree,
        field: &FieldLayout,
        bytes: &mut Vec<u8>,
        offset: u64,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let start = offset + field.offset;
        let Some(BitsLayout { first, count, .. }) = field.bits else {
            return self.initial_bytes(initial, &field.ty, bytes, start, at);
        };
        let mut whole = vec![0; field.ty.bytes() as usize];
        self.initial_bytes(initial, &field.ty, &mut whole, 0, at)?;
        whole.resize(8, 0);
        let value = whole.iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
        let moved = (value & u64::MAX >> (64 - count)) << first;
        for (n, byte) in moved.to_le_bytes().into_iter().enumerate() {
            if let Some(to) = bytes.get_mut(start as usize + n) {
                *to |= byte;
            }
        }
        Ok(())
    }

    /// Does a structure say itself how it is made?
    fn has_constructor(&self, ty: &CudaType) -> bool {
        let is_one = |m: &Rc<FunctionTree>| m.role == FunctionRole::Constructor && m.body.is_some();
        ty.structure().is_some_and(|n| self.structures[n].tree.methods.iter().any(is_one))
    }

    /// What a constructor makes of constants, as far as it says so in front of its body.
    fn constructed_bytes(
        &mut self,
        ty: &CudaType,
        values: Vec<TypedValue>,
        bytes: &mut Vec<u8>,
        offset: u64,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let Some(number) = ty.structure() else { return Ok(()) };
        let StructureLayout { tree, bindings, fields, .. } = self.structures[number].clone();
        let is_one = |m: &&Rc<FunctionTree>| {
            m.role == FunctionRole::Constructor && m.body.is_some() && m.takes(values.len()) && !m.takes_any_number()
        };
        let Some(constructor) = tree.methods.iter().find(is_one).cloned() else {
            if values.is_empty() {
                return self.default_members(number, &[], bytes, offset, at);
            }
            return self.refuse(
                at,
                format!("`{}` is not made of {} values", tree.name, values.len()),
                "give what its constructor takes",
            );
        };
        let initialisers = self.program.initialisers(&constructor, Some(&tree))?;
        let named: Vec<Rc<str>> = initialisers.iter().map(|(name, ..)| name.clone()).collect();
        self.default_members(number, &named, bytes, offset, at)?;
        self.outside(tree.namespace.clone(), bindings, Some(number), |this| {
            for (n, parameter) in constructor.parameters.iter().enumerate() {
                let of = this.resolved(&parameter.ty)?;
                let value = match (values.get(n), &parameter.default) {
                    (Some(value), _) => value.clone(),
                    (None, Some(default)) => this.constant(default, "what a variable begins with")?,
                    (None, None) => continue,
                };
                let value = this.converted(value, &of, at)?;
                this.bind(parameter.name.clone(), value);
            }
            for (name, all, at) in &initialisers {
                let Some(field) = fields.iter().find(|f| f.name == *name) else { continue };
                this.field_bytes(&InitialTree::List(all.clone()), field, bytes, offset, *at)?;
            }
            Ok(())
        })
    }

    /// What members begin with where nothing else is said; those that are named are left out.
    fn default_members(
        &mut self,
        number: usize,
        named: &[Rc<str>],
        bytes: &mut Vec<u8>,
        offset: u64,
        at: CudaSpan,
    ) -> LoweringResult<()> {
        let StructureLayout { tree, bindings, fields, .. } = self.structures[number].clone();
        for field in fields.iter().filter(|f| !f.is_reference && !named.contains(&f.name)) {
            match &field.initial {
                Some(initial) => self.outside(tree.namespace.clone(), bindings.clone(), Some(number), |this| {
                    this.field_bytes(initial, field, bytes, offset, at)
                })?,
                None => self.default_bytes(&field.ty, bytes, offset + field.offset, at)?,
            }
        }
        Ok(())
    }

    /// The bytes that a variable without a value begins with.
    pub(super) fn default_bytes(&mut self, ty: &CudaType, bytes: &mut Vec<u8>, offset: u64, at: CudaSpan) -> LoweringResult<()> {
        match &ty.shape {
            TypeShape::Array(of, count) if of.structure().is_some() => {
                let step = self.size_of(of, at)?.0;
                for n in 0..count.unwrap_or(0) {
                    self.default_bytes(of, bytes, offset + n * step, at)?;
                }
                Ok(())
            }
            TypeShape::Structure(_) => self.constructed_bytes(ty, Vec::new(), bytes, offset, at),
            _ => Ok(()),
        }
    }
}
