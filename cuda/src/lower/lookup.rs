//! What names stand for as values.

use std::rc::Rc;

use super::{KernelLowering, LoweringResult, NameBinding, TypedValue, ValueForm};
use crate::lex::{CudaRefusal, CudaSpan};
use crate::preprocess::is_known_header;
use crate::read::DeclaredItem;
use crate::tree::{EnumerationTree, NamePath, TemplateParameter, VariableTree};
use crate::types::{CudaType, StructureLayout, TypeShape};

impl KernelLowering {
    /// A structure among what a path begins with: `Lock<4>::kind`.
    pub(super) fn qualifying_structure(
        &mut self,
        path: &NamePath,
    ) -> LoweringResult<Option<usize>> {
        if path.parts.len() < 2 || path.parts.len() == 2 && path.is_of_all() {
            return Ok(None);
        }
        let front = NamePath { parts: path.parts[..path.parts.len() - 1].to_vec(), at: path.at };
        Ok(self.find_type(&front)?.and_then(|ty| ty.structure()))
    }

    /// The error for a name that nothing is declared under.
    pub(super) fn undeclared(&self, path: &NamePath, what: &str) -> CudaRefusal {
        let unread: Vec<String> = self
            .program
            .headers
            .iter()
            .filter(|h| !is_known_header(h))
            .map(|h| format!("<{h}>"))
            .collect();
        let help = match unread.len() {
            0 => "what kernels may use without nvcc is in docs/kernels.md; `--compiler nvcc` reads all of CUDA C++".to_owned(),
            _ => format!(
                "headers were not read: {}; put what is used of them into the file, or use `--compiler nvcc`",
                unread.join(", ")
            ),
        };
        CudaRefusal::new(path.at, format!("the {what} `{}` is not known here", path.words()), help)
    }

    /// What a name stands for as a value.
    pub(super) fn named(&mut self, path: &NamePath) -> LoweringResult<TypedValue> {
        let last = path.last().clone();
        if path.parts.len() == 1 {
            for scope in self.current().scopes.iter().rev() {
                match scope.names.get(&last.name) {
                    Some(NameBinding::Value(value)) => return Ok(value.clone()),
                    Some(NameBinding::Pack(_)) => {
                        let text = format!(
                            "`{}` is any number of values, and stands where one should",
                            last.name
                        );
                        return self.refuse(
                            path.at,
                            text,
                            "write `...` behind what is done with each",
                        );
                    }
                    _ => {}
                }
            }
            if let Some(binding) = self.binding_of(&last.name).cloned()
                && let Some(value) = self.value_of_binding(&last.name, &binding, path.at)?
            {
                return Ok(value);
            }
            if let (Some(owner), Some(this)) = (self.current().owner, self.current().this.clone())
                && let Some(found) =
                    self.member_of(&self.type_of_object(owner), &this, &last.name)?
            {
                return Ok(found);
            }
        }
        let owner = match path.parts.len() {
            1 => self.current().owner,
            _ => self.qualifying_structure(path)?,
        };
        // `Base::v` is a member of the base that the object has.
        if let (Some(base), Some(own), Some(this), true) =
            (owner, self.current().owner, self.current().this.clone(), path.parts.len() > 1)
            && let Some(offset) = if base == own { Some(0) } else { self.base_at(own, base) }
        {
            let ty = CudaType::plain(TypeShape::Structure(base)).within(&self.current().object);
            if let Some(found) =
                self.member_of(&ty, &Self::behind(&this, offset as i64), &last.name)?
            {
                return Ok(found);
            }
        }
        if let Some(owner) = owner
            && let Some(found) = self.constant_of(owner, &last.name)?
        {
            return Ok(found);
        }
        let entries = self.entries(path);
        for item in &entries {
            match item {
                DeclaredItem::Variable(tree) => {
                    let tree = tree.clone();
                    return match tree.template.clone() {
                        Some(parameters) => self.constant_template(&tree, &parameters, path),
                        None => self.global(&tree),
                    };
                }
                DeclaredItem::Enumerator(tree, number) => {
                    return self.enumerator(&tree.clone(), *number);
                }
                DeclaredItem::Concept(parameters, condition) => {
                    let is_true = self.is_concept_true(parameters, condition, path)?;
                    return Ok(TypedValue::constant(CudaType::BOOL, u64::from(is_true)));
                }
                DeclaredItem::Broken(refusal) => return Err(refusal.clone().into()),
                _ => {}
            }
        }
        if path.parts.len() == 1
            && let Some(register) = special_variable(&last.name)
        {
            return self.special_structure(register, path.at);
        }
        if entries.iter().any(|i| matches!(i, DeclaredItem::Function(_))) {
            return self.address_of_function(path, &entries);
        }
        if entries.iter().any(|i| matches!(i, DeclaredItem::OfHost)) {
            let text = format!("`{}` is a variable or a function of the host", path.words());
            return self.refuse(path.at, text, "make it `__device__`, or a constant (`constexpr`)");
        }
        if entries.iter().any(|i| !matches!(i, DeclaredItem::Declared)) {
            return self.refuse(
                path.at,
                format!("`{}` is a type, and stands where a value should", path.words()),
                "write a value",
            );
        }
        Err(self.undeclared(path, "name").into())
    }

    /// A constant that is a template, with its arguments.
    fn constant_template(
        &mut self,
        tree: &VariableTree,
        parameters: &[TemplateParameter],
        path: &NamePath,
    ) -> LoweringResult<TypedValue> {
        let bindings =
            Rc::new(self.bound(parameters, path.last().arguments.as_deref(), path.at)?);
        let namespace = self.current().namespace.clone();
        self.enter(path.at)?;
        let found = self.outside(namespace, bindings, None, |this| this.constant_variable(tree))?;
        self.depth -= 1;
        match found {
            Some(value) => Ok(value),
            None => self.refuse(
                path.at,
                format!("`{}` is no constant number", path.words()),
                "make it `constexpr` of a number",
            ),
        }
    }

    /// `blockIdx` as a whole.
    fn special_structure(&mut self, register: &str, at: CudaSpan) -> LoweringResult<TypedValue> {
        if register == "32" {
            return Ok(TypedValue::constant(CudaType::INT, 32));
        }
        let name: Rc<str> =
            if register.contains("nt") || register.contains("nct") { "dim3" } else { "uint3" }
                .into();
        let path = NamePath { parts: vec![crate::tree::NamePart { name, arguments: None }], at };
        let ty = self.named_type(&path)?;
        let place = self.local(register.trim_start_matches('%'), 12, 4, at)?;
        for (n, dimension) in ["x", "y", "z"].into_iter().enumerate() {
            let value = self.special(register, dimension)?;
            let place = Self::behind(&place, 4 * n as i64);
            self.store(&place, &CudaType::UNSIGNED, value)?;
        }
        Ok(TypedValue { ty, form: ValueForm::Temporary(place) })
    }

    /// `%tid.x` and its like: 32 bits each (PTX ISA, Special Registers).
    pub(super) fn special(
        &mut self,
        register: &str,
        dimension: &str,
    ) -> LoweringResult<TypedValue> {
        let to = self.new_register_of(2);
        self.emit(format!("mov.u32 {to}, {register}.{dimension}"))?;
        Ok(TypedValue::register(CudaType::UNSIGNED, to))
    }

    /// A member of a structure that is a constant of all.
    pub(super) fn constant_of(
        &mut self,
        owner: usize,
        name: &Rc<str>,
    ) -> LoweringResult<Option<TypedValue>> {
        let StructureLayout { tree, bindings, bases, .. } = self.structures[owner].clone();
        if let Some(constant) = tree.constants.iter().find(|c| c.name == *name) {
            let namespace = tree.namespace.clone();
            self.enter(constant.at)?;
            let found = self.outside(namespace, bindings, Some(owner), |this| {
                this.constant_variable(constant)
            })?;
            self.depth -= 1;
            if found.is_none() {
                return self.refuse(
                    constant.at,
                    format!("`{name}` is no constant number"),
                    "make it `static constexpr` of a number",
                );
            }
            return Ok(found);
        }
        let of_enumeration = |e: &Rc<EnumerationTree>| {
            Some((e.clone(), e.constants.iter().position(|(constant, _)| constant == name)?))
        };
        if let Some((enumeration, number)) = tree.enumerations.iter().find_map(of_enumeration) {
            self.enter(tree.at)?;
            let namespace: Rc<[Rc<str>]> =
                tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
            let found = self.outside(namespace, bindings, Some(owner), |this| {
                this.enumerator(&enumeration, number)
            })?;
            self.depth -= 1;
            return Ok(Some(found));
        }
        if let Some((_, binding)) = bindings.iter().find(|(n, _)| n == name)
            && let Some(value) = self.value_of_binding(name, binding, tree.at)?
        {
            return Ok(Some(value));
        }
        for (base, _) in bases {
            if let Some(found) = self.constant_of(base, name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// The special register behind a name.
pub(super) fn special_variable(name: &str) -> Option<&'static str> {
    Some(match name {
        "threadIdx" => "%tid",
        "blockIdx" => "%ctaid",
        "blockDim" => "%ntid",
        "gridDim" => "%nctaid",
        "warpSize" => "32",
        _ => return None,
    })
}
