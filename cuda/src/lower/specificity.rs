//! Which of two patterns says more: of templates of functions that take the same values, and of
//! specialisations (C++ [temp.func.order]).

use std::cmp::Ordering;
use std::rc::Rc;

use super::KernelLowering;
use crate::read::DeclaredItem;
use crate::tree::{
    CudaBinary, CudaExpression, ExpressionKind, FunctionTree, NamePath, TemplateArgument,
    TemplateParameter, TypeTree,
};

/// How deep concepts are looked into.
const MAX_CONCEPTS: usize = 64;

/// What the parameters of a pattern are, as they are written in another one.
type PatternBindings = Vec<(Rc<str>, TemplateArgument)>;

/// A pattern with the parameters that are open in it.
#[derive(Clone, Copy)]
struct OpenPattern<'p> {
    parameters: &'p [TemplateParameter],
    arguments: &'p [TemplateArgument],
}

impl OpenPattern<'_> {
    fn opens(&self, name: &str) -> bool {
        self.parameters.iter().any(|p| &**p.name() == name)
    }
}

/// The only name of a path without arguments.
fn plain_name(path: &NamePath) -> Option<&Rc<str>> {
    match path.parts.as_slice() {
        [only] if only.arguments.is_none() => Some(&only.name),
        _ => None,
    }
}

pub(super) fn name_of(argument: &TemplateArgument) -> Option<&Rc<str>> {
    match argument {
        TemplateArgument::Type(TypeTree::Named(path))
        | TemplateArgument::Value(CudaExpression { what: ExpressionKind::Name(path), .. }) => {
            plain_name(path)
        }
        _ => None,
    }
}

/// A type without the reference to it, and what that is of.
fn referred(tree: &TypeTree) -> (&TypeTree, Option<bool>) {
    match tree {
        TypeTree::Reference(of) => match &**of {
            TypeTree::Rvalue(of) => (of, Some(false)),
            of => (of, Some(true)),
        },
        other => (other, None),
    }
}

/// A type without what is said of the whole of it, and how much that is.
fn unqualified(mut tree: &TypeTree) -> (&TypeTree, [bool; 2]) {
    let mut found = [false; 2];
    loop {
        match tree {
            TypeTree::Constant(of) => (tree, found[0]) = (of, true),
            TypeTree::Volatile(of) => (tree, found[1]) = (of, true),
            other => return (other, found),
        }
    }
}

/// The pattern of a pack, if it is one.
fn pattern_of_pack(argument: &TemplateArgument) -> Option<TemplateArgument> {
    match argument {
        TemplateArgument::Type(TypeTree::Pack(of)) => {
            Some(TemplateArgument::Type((*of.pattern).clone()))
        }
        TemplateArgument::Value(CudaExpression { what: ExpressionKind::Pack(of), .. }) => {
            Some(TemplateArgument::Value((*of.pattern).clone()))
        }
        _ => None,
    }
}

impl KernelLowering {
    /// Which of two templates says more of so many values (less: the first one does); nothing where
    /// neither does.
    pub(super) fn specificity(
        &self,
        (first, second): (&FunctionTree, &FunctionTree),
        count: usize,
    ) -> Option<Ordering> {
        let trees = |function: &FunctionTree| -> Vec<TemplateArgument> {
            let of = |p: &crate::tree::ParameterTree| {
                let ty = unqualified(referred(&p.ty).0).0.clone();
                match p.is_pack {
                    true => {
                        let words = super::pack::words_of(&ty).into();
                        TypeTree::Pack(crate::tree::PackPattern {
                            pattern: Rc::new(ty),
                            words,
                            number: None,
                        })
                    }
                    false => ty,
                }
            };
            function
                .parameters
                .iter()
                .take(count.max(1))
                .map(|p| TemplateArgument::Type(of(p)))
                .collect()
        };
        let (a, b) = (trees(first), trees(second));
        let of = |function: &FunctionTree| function.template.clone().unwrap_or_default();
        let (of_a, of_b) = (of(first), of(second));
        let a = OpenPattern { parameters: &of_a, arguments: &a };
        let b = OpenPattern { parameters: &of_b, arguments: &b };
        match (self.is_case_of(a, b), self.is_case_of(b, a)) {
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (false, false) => None,
            (true, true) => Some(by_references(first, second, count)),
        }
    }

    /// Which of two specialisations says more (less: the first one does); nothing where neither
    /// does.
    pub(super) fn specificity_of_structures(
        &self,
        first: (&[TemplateParameter], &[TemplateArgument]),
        second: (&[TemplateParameter], &[TemplateArgument]),
    ) -> Option<Ordering> {
        let of = |(parameters, arguments)| OpenPattern { parameters, arguments };
        let (a, b) = (of(first), of(second));
        match (self.is_case_of(a, b), self.is_case_of(b, a)) {
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (true, true) => Some(Ordering::Equal),
            (false, false) => None,
        }
    }

    /// Which of two functions asks for more of the arguments of its template (less: the first one
    /// does).
    pub(super) fn order_of_conditions(
        &self,
        first: &FunctionTree,
        second: &FunctionTree,
    ) -> Ordering {
        let of = |function: &FunctionTree| {
            let parameters = function.template.iter().flat_map(|all| all.iter());
            let names = parameters
                .enumerate()
                .map(|(n, p)| (p.name().clone(), format!("#{n}")))
                .collect::<Vec<_>>();
            let mut found = Vec::new();
            function
                .constraints
                .iter()
                .for_each(|condition| self.atoms(condition, &names, 0, &mut found));
            found
        };
        let (a, b) = (of(first), of(second));
        let has_all = |a: &[String], b: &[String]| b.iter().all(|one| a.contains(one));
        match (has_all(&a, &b), has_all(&b, &a)) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }

    /// The conditions that all have to be true for one to be: each is where it is written, with
    /// what its names stand for.
    fn atoms(
        &self,
        condition: &CudaExpression,
        names: &[(Rc<str>, String)],
        depth: usize,
        found: &mut Vec<String>,
    ) {
        match &condition.what {
            _ if depth > MAX_CONCEPTS => found.push(format!("{:?}", condition.at)),
            ExpressionKind::Binary(CudaBinary::BothTrue, a, b) => {
                self.atoms(a, names, depth + 1, found);
                self.atoms(b, names, depth + 1, found);
            }
            ExpressionKind::Name(path) => {
                let concept = self.entries(path).into_iter().find_map(|item| match item {
                    DeclaredItem::Concept(parameters, condition) => Some((parameters, condition)),
                    _ => None,
                });
                let Some((parameters, inner)) = concept else {
                    return found.push(format!("{:?} {names:?}", condition.at));
                };
                let given = path.last().arguments.as_deref().unwrap_or_default();
                let of = |argument: &TemplateArgument| {
                    let known = name_of(argument)
                        .and_then(|name| names.iter().find(|(known, _)| known == name));
                    known
                        .map_or_else(|| format!("{argument:?} {names:?}"), |(_, text)| text.clone())
                };
                let names: Vec<_> =
                    parameters.iter().map(|p| p.name().clone()).zip(given.iter().map(of)).collect();
                self.atoms(&inner, &names, depth + 1, found);
            }
            _ => found.push(format!("{:?} {names:?}", condition.at)),
        }
    }

    /// Is all that fits the first pattern a case of the second one?
    fn is_case_of(&self, special: OpenPattern<'_>, general: OpenPattern<'_>) -> bool {
        let mut found = PatternBindings::new();
        self.are_cases((special, special.arguments), (general, general.arguments), &mut found)
    }

    fn are_cases(
        &self,
        (special, arguments): (OpenPattern<'_>, &[TemplateArgument]),
        (general, patterns): (OpenPattern<'_>, &[TemplateArgument]),
        found: &mut PatternBindings,
    ) -> bool {
        for (n, pattern) in patterns.iter().enumerate() {
            if let Some(pattern) = pattern_of_pack(pattern) {
                // Each of the rest for itself.
                return arguments.get(n..).unwrap_or_default().iter().all(|argument| {
                    let argument = pattern_of_pack(argument).unwrap_or_else(|| argument.clone());
                    self.is_case((special, &argument), (general, &pattern), &mut found.clone())
                });
            }
            let Some(argument) = arguments.get(n) else { return false };
            if pattern_of_pack(argument).is_some()
                || !self.is_case((special, argument), (general, pattern), found)
            {
                return false;
            }
        }
        arguments.len() <= patterns.len()
    }

    fn is_case(
        &self,
        (special, argument): (OpenPattern<'_>, &TemplateArgument),
        (general, pattern): (OpenPattern<'_>, &TemplateArgument),
        found: &mut PatternBindings,
    ) -> bool {
        if let Some(name) = name_of(pattern).filter(|name| general.opens(name)) {
            return match found.iter().find(|(known, _)| known == name) {
                Some((_, known)) => is_same_argument(known, argument),
                None => {
                    found.push((name.clone(), argument.clone()));
                    true
                }
            };
        }
        match (argument, pattern) {
            (TemplateArgument::Type(argument), TemplateArgument::Type(pattern)) => {
                self.is_case_of_type((special, argument), (general, pattern), found)
            }
            _ => {
                name_of(argument).is_none_or(|name| !special.opens(name))
                    && is_same_argument(argument, pattern)
            }
        }
    }

    fn is_case_of_type(
        &self,
        (special, tree): (OpenPattern<'_>, &TypeTree),
        (general, pattern): (OpenPattern<'_>, &TypeTree),
        found: &mut PatternBindings,
    ) -> bool {
        use TypeTree as T;
        let mut inner = |tree: &TypeTree, pattern: &TypeTree| {
            let (tree, pattern) =
                (TemplateArgument::Type(tree.clone()), TemplateArgument::Type(pattern.clone()));
            self.is_case((special, &tree), (general, &pattern), found)
        };
        match (tree, pattern) {
            (T::Constant(a), T::Constant(b))
            | (T::Volatile(a), T::Volatile(b))
            | (T::Pointer(a), T::Pointer(b))
            | (T::Reference(a), T::Reference(b))
            | (T::Rvalue(a), T::Rvalue(b)) => inner(a, b),
            (T::Array(a, n), T::Array(b, m)) => {
                if !inner(a, b) {
                    return false;
                }
                match (n, m) {
                    (None, None) => true,
                    (Some(n), Some(m)) => {
                        let (n, m) = (
                            TemplateArgument::Value((**n).clone()),
                            TemplateArgument::Value((**m).clone()),
                        );
                        self.is_case((special, &n), (general, &m), found)
                    }
                    _ => false,
                }
            }
            (T::Named(a), T::Named(b)) => {
                if plain_name(a).is_some_and(|name| special.opens(name)) {
                    return false;
                }
                let (last, of) = (a.last(), b.last());
                let front = |path: &NamePath| {
                    path.parts[..path.parts.len() - 1]
                        .iter()
                        .map(|p| p.name.clone())
                        .collect::<Vec<_>>()
                };
                let is_open = b.parts[..b.parts.len() - 1]
                    .iter()
                    .any(|part| part.arguments.is_some() || general.opens(&part.name));
                let is_of_template = general.opens(&of.name) && b.parts.len() == 1;
                if is_open || !is_of_template && (last.name != of.name || front(a) != front(b)) {
                    return false;
                }
                match (&last.arguments, &of.arguments) {
                    (None, None) => !is_of_template,
                    (Some(a), Some(b)) => self.are_cases((special, a), (general, b), found),
                    _ => false,
                }
            }
            _ => is_same_type(tree, pattern),
        }
    }
}

/// Which of two that are alike but for references says more: `T&` more than `T&&`, `const T&` more
/// than `T&`.
fn by_references(first: &FunctionTree, second: &FunctionTree, count: usize) -> Ordering {
    let mut found = Ordering::Equal;
    for (p, q) in first.parameters.iter().zip(&second.parameters).take(count) {
        let ((a, of_a), (b, of_b)) = (referred(&p.ty), referred(&q.ty));
        let ((_, a), (_, b)) = (unqualified(a), unqualified(b));
        let order = match (of_a, of_b) {
            (Some(true), Some(false)) => Ordering::Less,
            (Some(false), Some(true)) => Ordering::Greater,
            (Some(_), Some(_)) => b.cmp(&a),
            _ => Ordering::Equal,
        };
        match (found, order) {
            (Ordering::Equal, order) => found = order,
            (_, Ordering::Equal) => {}
            (known, order) if known != order => return Ordering::Equal,
            _ => {}
        }
    }
    if found == Ordering::Equal {
        return first.takes_any_number().cmp(&second.takes_any_number());
    }
    found
}

/// Are two arguments written alike? What is not understood is not.
pub(super) fn is_same_argument(a: &TemplateArgument, b: &TemplateArgument) -> bool {
    match (a, b) {
        (TemplateArgument::Type(a), TemplateArgument::Type(b)) => is_same_type(a, b),
        (TemplateArgument::Value(a), TemplateArgument::Value(b)) => match (&a.what, &b.what) {
            (
                ExpressionKind::Integer { value: x, .. },
                ExpressionKind::Integer { value: y, .. },
            ) => x == y,
            (ExpressionKind::Truth(x), ExpressionKind::Truth(y)) => x == y,
            (ExpressionKind::Name(x), ExpressionKind::Name(y)) => is_same_path(x, y),
            _ => false,
        },
        _ => match (name_of(a), name_of(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

fn is_same_path(a: &NamePath, b: &NamePath) -> bool {
    let own = |path: &NamePath| usize::from(path.is_of_all());
    let (a, b) = (&a.parts[own(a)..], &b.parts[own(b)..]);
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.name == b.name
                && match (&a.arguments, &b.arguments) {
                    (None, None) => true,
                    (Some(a), Some(b)) => {
                        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_argument(a, b))
                    }
                    _ => false,
                }
        })
}

/// Are two types written alike?
pub(super) fn is_same_type(a: &TypeTree, b: &TypeTree) -> bool {
    use TypeTree as T;
    match (a, b) {
        (T::Void, T::Void) | (T::Bool, T::Bool) | (T::Function, T::Function) => true,
        (T::Integer(n, x, p), T::Integer(m, y, q)) => n == m && x == y && p == q,
        (T::Real(n), T::Real(m)) => n == m,
        (T::Constant(a), T::Constant(b))
        | (T::Volatile(a), T::Volatile(b))
        | (T::Pointer(a), T::Pointer(b))
        | (T::Reference(a), T::Reference(b))
        | (T::Rvalue(a), T::Rvalue(b)) => is_same_type(a, b),
        (T::Array(a, n), T::Array(b, m)) => {
            let of = |e: &Option<Box<CudaExpression>>| {
                e.as_ref().map(|e| TemplateArgument::Value((**e).clone()))
            };
            is_same_type(a, b)
                && match (of(n), of(m)) {
                    (None, None) => true,
                    (Some(n), Some(m)) => is_same_argument(&n, &m),
                    _ => false,
                }
        }
        (T::Named(a), T::Named(b)) => is_same_path(a, b),
        _ => false,
    }
}
