//! Constants: sizes of arrays, arguments of templates, initial values.

use std::rc::Rc;

use super::{InlinedCall, KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, EnumerationTree, InitialTree, VariableTree};
use crate::types::{CudaType, TemplateBindings, TypeShape};

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
        self.frames.push(InlinedCall { bindings, owner, ..InlinedCall::outside(namespace) });
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
            InitialTree::Arguments(all) | InitialTree::List(all) => {
                let parts: Vec<(CudaType, u64)> = match &ty.shape {
                    TypeShape::Array(of, _) => {
                        let step = self.size_of(of, at)?.0;
                        (0..all.len() as u64).map(|n| ((**of).clone(), n * step)).collect()
                    }
                    TypeShape::Structure(number) => {
                        self.structures[*number].fields.iter().map(|f| (f.ty.clone(), f.offset)).collect()
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
}
