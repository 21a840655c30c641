//! Which structure of a template is meant where its arguments are not written: `pair p(1, 2.0f)`
//! (C++ [over.match.class.deduct]).

use std::rc::Rc;

use super::function_value::FoundMethod;
use super::{KernelLowering, LoweringResult, TypedValue, ValueForm};
use crate::lex::CudaSpan;
use crate::read::DeclaredItem;
use crate::tree::{
    CudaExpression, ExpressionKind, FunctionRole, FunctionTree, InitialTree, NamePart, NamePath,
    ObjectTree, ParameterTree, StructureTree, TypeTree,
};
use crate::types::CudaType;

impl KernelLowering {
    /// The template of structures that a type names without arguments.
    pub(super) fn template_of_class(
        &self,
        tree: &TypeTree,
    ) -> Option<(Rc<StructureTree>, NamePath)> {
        let TypeTree::Named(path) = super::typename::strip(tree) else { return None };
        let last = path.last();
        if last.arguments.is_some()
            || path.parts.iter().rev().skip(1).any(|part| part.arguments.is_some())
        {
            return None;
        }
        let is_local = path.parts.len() == 1
            && (self.current().scopes.iter().any(|scope| scope.names.contains_key(&last.name))
                || self.binding_of(&last.name).is_some());
        // Its own name within a structure is that structure.
        let mut around =
            self.current().owner.map(|owner| self.structures[owner].tree.clone()).into_iter();
        if is_local
            || around.any(|tree| tree.name == last.name || tree.namespace.contains(&last.name))
        {
            return None;
        }
        let found = self.entries(path).into_iter().find_map(|item| match item {
            DeclaredItem::Structure(tree)
                if tree.template.is_some() && tree.specialises.is_none() =>
            {
                Some(tree)
            }
            _ => None,
        });
        Some((found?, path.clone()))
    }

    /// The structure of a template that is made of values.
    pub(super) fn class_of_values(
        &mut self,
        (tree, path): (Rc<StructureTree>, NamePath),
        values: &[TypedValue],
        at: CudaSpan,
    ) -> LoweringResult<CudaType> {
        // One of its own kind is copied.
        if let [one] = values
            && let Some(number) = one.ty.structure()
            && (self.structures[number].tree.name == tree.name
                && self.structures[number].tree.namespace == tree.namespace)
        {
            return Ok(one.ty.value());
        }
        let parameters = tree.template.clone().unwrap_or_default();
        let arguments = parameters.iter().map(|p| p.as_argument(at)).collect();
        let names = tree.namespace.iter().cloned().map(|name| NamePart { name, arguments: None });
        let own = NamePart { name: tree.name.clone(), arguments: Some(arguments) };
        let itself = TypeTree::Named(NamePath { parts: names.chain([own]).collect(), at });
        let made = |of: Option<&FunctionTree>, all: Vec<ParameterTree>| {
            let more = of.and_then(|f| f.template.as_deref()).unwrap_or_default();
            let function = FunctionTree {
                name: tree.name.clone(),
                namespace: tree.namespace.iter().cloned().chain([tree.name.clone()]).collect(),
                template: Some(parameters.iter().chain(more).cloned().collect()),
                is_kernel: false,
                is_device: true,
                is_static: true,
                is_explicit: false,
                object: ObjectTree::default(),
                role: FunctionRole::Plain,
                result: itself.clone(),
                parameters: all,
                initialisers: None,
                body: None,
                is_defaulted: true,
                most_threads: None,
                cluster: Vec::new(),
                specialises: None,
                of_owner: None,
                names_of_owners: Rc::default(),
                constraints: of.map_or_else(Rc::default, |f| f.constraints.clone()),
                at: tree.at,
            };
            (Rc::new(function), usize::MAX, 0)
        };
        let parameter =
            |name: &Rc<str>, ty: TypeTree, default: Option<CudaExpression>| ParameterTree {
                name: name.clone(),
                ty,
                default,
                is_pack: false,
                is_grid_constant: false,
                concept: None,
                is_any: false,
                at: tree.at,
            };
        let mut candidates: Vec<FoundMethod> = Vec::new();
        let constructors = || tree.methods.iter().filter(|m| m.role == FunctionRole::Constructor);
        candidates.extend(constructors().map(|m| made(Some(m), m.parameters.clone())));
        if constructors().next().is_none() {
            let bases = tree
                .bases
                .iter()
                .enumerate()
                .map(|(n, base)| (Rc::from(format!("(base {n})")), base.clone(), None));
            let fields = tree.fields.iter().map(|field| {
                let zero = ExpressionKind::List(Vec::new());
                let default = match &field.initial {
                    Some(InitialTree::Value(e)) => e.clone(),
                    _ => CudaExpression { what: zero, at },
                };
                (field.name.clone(), field.ty.clone(), Some(default))
            });
            let all = bases.chain(fields).map(|(name, ty, default)| match ty {
                TypeTree::Pack(of) => {
                    ParameterTree { is_pack: true, ..parameter(&name, (*of.pattern).clone(), None) }
                }
                ty => parameter(&name, ty, default),
            });
            candidates.push(made(None, all.collect()));
        }
        candidates.push(made(None, vec![parameter(&tree.name, itself.clone(), None)]));
        // What guides say comes before what constructors do.
        candidates.extend(self.entries(&path).into_iter().filter_map(|item| match item {
            DeclaredItem::Guide(function) => Some((
                Rc::new(FunctionTree { is_defaulted: true, ..(*function).clone() }),
                usize::MAX,
                0,
            )),
            _ => None,
        }));
        let (index, bindings) = self.chosen(&candidates, None, values, None, (&tree.name, at))?;
        let function = candidates[index].0.clone();
        self.outside(function.namespace.clone(), bindings, None, |this| {
            this.resolved(&function.result)
        })
    }

    /// `T(x, y)` and `T{x, y}` where the arguments of the template `T` are not written; nothing
    /// where they are.
    pub(super) fn constructed_of_template(
        &mut self,
        tree: &TypeTree,
        all: &[CudaExpression],
        is_list: bool,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        let Some(class) = self.template_of_class(tree) else { return Ok(None) };
        let values = self.arguments(all)?;
        let ty = self.class_of_values(class, &values, at)?;
        let Some(number) = ty.structure() else { return Ok(None) };
        let (bytes, align) = self.size_of(&ty, at)?;
        let name = self.structures[number].tree.name.clone();
        let place = self.local(&name, bytes, align, at)?;
        match is_list && self.is_aggregate(number) {
            true => self.initialise_by_values(&place, number, values, at)?,
            false => self.construct_at(&place, number, values, at)?,
        }
        Ok(Some(TypedValue { ty, form: ValueForm::Temporary(place) }))
    }

    /// The first value of a variable whose type is a template without arguments; nothing where it
    /// is none.
    pub(super) fn initial_of_template(
        &mut self,
        tree: &TypeTree,
        initial: Option<&InitialTree>,
        at: CudaSpan,
    ) -> LoweringResult<Option<TypedValue>> {
        match initial {
            Some(InitialTree::List(all)) => self.constructed_of_template(tree, all, true, at),
            Some(InitialTree::Value(CudaExpression {
                what: ExpressionKind::List(all), ..
            })) => self.constructed_of_template(tree, all, true, at),
            Some(InitialTree::Arguments(all)) => self.constructed_of_template(tree, all, false, at),
            Some(InitialTree::Value(e)) => {
                self.constructed_of_template(tree, std::slice::from_ref(e), false, at)
            }
            None => self.constructed_of_template(tree, &[], false, at),
        }
    }
}
