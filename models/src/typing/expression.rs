//! Expressions: each becomes a node of the arena, as a set or as a relation.

use super::Typing;
use super::scope::NameScope;
use super::value::{TypedExpr, TypedMeaning, outer};
use crate::cat::ast::{CatExpr, ExprKind};
use crate::diagnostic::SourcePlace;
use crate::model::{Definition, DefinitionOrigin, ExprId, Node, Sort};
use crate::signature::{BaseRelation, BaseSet};

/// A list this long is folded in two halves, so that nodes do not nest deeper than need be.
const LONG: usize = 16;

impl Typing<'_> {
    pub(super) fn value(&mut self, expr: &CatExpr, scope: &NameScope) -> TypedMeaning {
        self.steps += 1;
        if self.exhausted.is_some() {
            return TypedMeaning::Unknown(None);
        }
        if self.steps > super::MAX_STEPS {
            self.exhaust(
                expr.span,
                "the model is too large once its functions are expanded".into(),
            );
            return TypedMeaning::Unknown(None);
        }
        if self.depth >= super::MAX_DEPTH {
            let message =
                format!("nested more than {} deep once functions are expanded", super::MAX_DEPTH);
            self.exhaust(expr.span, message);
            return TypedMeaning::Unknown(None);
        }
        self.depth += 1;
        let value = self.value_of_kind(expr, scope);
        self.depth -= 1;
        if let TypedMeaning::Typed(typed) = &value
            && [typed.set, typed.relation]
                .into_iter()
                .flatten()
                .any(|id| self.arena.height(id) > super::MAX_HEIGHT)
        {
            let message =
                format!("definitions build on each other more than {} deep", super::MAX_HEIGHT);
            self.exhaust(expr.span, message);
        }
        value
    }

    fn value_of_kind(&mut self, expr: &CatExpr, scope: &NameScope) -> TypedMeaning {
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, expr, scope),
            ExprKind::Empty => self.either(Node::Empty),
            ExprKind::Universe => self.universe(),
            ExprKind::Tag(tag) => self.tag(tag, expr.span),
            ExprKind::List(es) => self.listed(es, scope),
            ExprKind::Tuple(es) => {
                let members: Vec<TypedMeaning> = es.iter().map(|e| self.value(e, scope)).collect();
                TypedMeaning::Tuple(members.into())
            }
            ExprKind::Add(es) => self.added(es, scope),
            ExprKind::Match(e, arms) => self.match_expression(e, arms, scope),
            ExprKind::Union(es) => self.same_sort("|", es, Node::Union, scope),
            ExprKind::Intersection(es) => self.same_sort("&", es, Node::Intersection, scope),
            ExprKind::Difference(es) => self.same_sort("\\", es, Node::Difference, scope),
            ExprKind::Sequence(es) => self.sequence(es, scope),
            ExprKind::Product(a, b) => self.product(a, b, scope),
            ExprKind::Complement(e) => self.complement(e, scope),
            ExprKind::Diagonal(e) => self.unary("[..]", e, Sort::Set, Self::diagonal, scope),
            ExprKind::Inverse(e) => {
                self.unary("^-1", e, Sort::Relation, |t, r| t.relation(Node::Inverse(r)), scope)
            }
            ExprKind::Closure(e) => {
                self.unary("+", e, Sort::Relation, |t, r| t.relation(Node::Closure(r)), scope)
            }
            ExprKind::ReflexiveClosure(e) => {
                self.unary("*", e, Sort::Relation, Self::reflexive_closure, scope)
            }
            ExprKind::Optional(e) => self.unary("?", e, Sort::Relation, Self::optional, scope),
            ExprKind::Apply(function, arguments) => {
                self.application(expr, function, arguments, scope)
            }
            ExprKind::Function(parameters, body) => {
                let place = self.place(expr.span);
                TypedMeaning::Function(self.closure(
                    "fun".into(),
                    parameters,
                    body,
                    scope,
                    place,
                    false,
                ))
            }
            ExprKind::LetIn(bindings, body) => {
                let mut inner = scope.inner();
                let origin = std::mem::replace(&mut self.origin, DefinitionOrigin::Local);
                self.bind_all(bindings, &mut inner);
                self.origin = origin;
                self.value(body, &inner)
            }
            ExprKind::If(condition, then, otherwise) => {
                let chosen = if self.holds(condition, scope) { then } else { otherwise };
                self.value(chosen, scope)
            }
            ExprKind::Try(first, second) => {
                let before = self.checkpoint();
                self.quiet += 1;
                let value = self.value(first, scope);
                self.quiet -= 1;
                if self.errors.len() == before.errors {
                    return value;
                }
                self.rollback(&before);
                self.value(second, scope)
            }
        }
    }

    fn name(&mut self, name: &str, expr: &CatExpr, scope: &NameScope) -> TypedMeaning {
        if let Some(mut value) = scope.get(name) {
            if let TypedMeaning::Typed(TypedExpr { depends: Some(depends), .. }) = &mut value
                && *depends.name == *name
            {
                depends.place = self.place(expr.span);
            }
            return value;
        }
        if let Some(base) = self.base(name) {
            return TypedMeaning::Typed(base);
        }
        self.unknown_name(name, expr.span, scope);
        TypedMeaning::Unknown(None)
    }

    /// What a name means that is defined nowhere.
    pub(super) fn base(&mut self, name: &str) -> Option<TypedExpr> {
        if self.origin == DefinitionOrigin::StandardLibrary || self.architecture.knows(name) {
            return self.margay_base(name);
        }
        let sort = self.architecture.sort_of_absent(name)?;
        if !self.file.name.starts_with(crate::shipped::BUILT_IN_FOLDER)
            && !self.absent.contains(name)
        {
            self.absent.insert(name.to_owned());
        }
        Some(TypedExpr::new(sort, self.intern(Node::Empty(sort), sort)))
    }

    /// What a name means in the signature.
    fn margay_base(&mut self, name: &str) -> Option<TypedExpr> {
        if let Some(set) = BaseSet::from_name(name, self.signature) {
            return Some(TypedExpr::new(Sort::Set, self.intern(Node::Set(set), Sort::Set)));
        }
        let relation = BaseRelation::from_name(name, self.signature)?;
        Some(TypedExpr::new(Sort::Relation, self.intern(Node::Relation(relation), Sort::Relation)))
    }

    /// A constant of either sort.
    fn either(&mut self, node: fn(Sort) -> Node) -> TypedMeaning {
        let set = self.intern(node(Sort::Set), Sort::Set);
        let relation = self.intern(node(Sort::Relation), Sort::Relation);
        TypedMeaning::Typed(TypedExpr { set: Some(set), relation: Some(relation), depends: None })
    }

    fn universe(&mut self) -> TypedMeaning {
        let set = self.intern(Node::Set(BaseSet::Universe), Sort::Set);
        let relation = self.intern(Node::Product(set, set), Sort::Relation);
        TypedMeaning::Typed(TypedExpr { set: Some(set), relation: Some(relation), depends: None })
    }

    /// The meaning of an expression that must be a set or a relation; `None` if nothing is known
    /// but perhaps the sort.
    pub(super) fn operand(
        &mut self,
        expr: &CatExpr,
        scope: &NameScope,
    ) -> Result<TypedExpr, Option<Sort>> {
        let value = self.value(expr, scope);
        self.as_operand(expr, value)
    }

    /// A value that must be a set or a relation.
    fn as_operand(
        &mut self,
        expr: &CatExpr,
        value: TypedMeaning,
    ) -> Result<TypedExpr, Option<Sort>> {
        match value {
            TypedMeaning::Typed(typed) => Ok(typed),
            TypedMeaning::Unknown(sort) => Err(sort),
            other => {
                self.not_a_value(expr, &other);
                Err(None)
            }
        }
    }

    /// Operands that must all be sets or all be relations.
    fn same_sort(
        &mut self,
        operator: &str,
        exprs: &[CatExpr],
        node: fn(ExprId, ExprId) -> Node,
        scope: &NameScope,
    ) -> TypedMeaning {
        let values: Vec<TypedMeaning> = exprs.iter().map(|e| self.value(e, scope)).collect();
        if values.iter().any(|v| matches!(v, TypedMeaning::List(_))) {
            return self.listed_together(operator, exprs, &values);
        }
        let mut operands = Vec::with_capacity(exprs.len());
        let mut known = true;
        let mut sort: Option<(&CatExpr, Sort)> = None;
        for (i, (expr, value)) in exprs.iter().zip(values).enumerate() {
            let found = match self.as_operand(expr, value) {
                Ok(typed) => {
                    if operator == "\\" && i > 0 && typed.depends.is_some() {
                        self.not_monotone(operator, expr, &typed);
                    }
                    let found = typed.sort();
                    operands.push(typed);
                    found
                }
                Err(found) => {
                    known = false;
                    found
                }
            };
            match (sort, found) {
                (None, Some(found)) => sort = Some((expr, found)),
                (Some((first, wanted)), Some(found)) if wanted != found => {
                    self.mixed(operator, (first, wanted), (expr, found));
                    known = false;
                }
                _ => {}
            }
        }
        if !known {
            return TypedMeaning::Unknown(sort.map(|(_, s)| s));
        }
        let depends = operands.iter_mut().fold(None, |d, o| outer(d, o.depends.take()));
        let mut fold = |s: Sort| -> Option<ExprId> {
            let ids: Option<Vec<ExprId>> = operands.iter().map(|o| o.of(s)).collect();
            ids.map(|ids| self.fold(&ids, s, node))
        };
        let (set, relation) = (fold(Sort::Set), fold(Sort::Relation));
        if let (Some(union), "|") = (relation, operator) {
            let places: Vec<SourcePlace> = exprs.iter().map(|e| self.place(e.span)).collect();
            let branches = operands.iter().filter_map(|o| o.relation).zip(places);
            self.branches.extend(branches.map(|(operand, place)| (union, operand, place)));
        }
        TypedMeaning::Typed(TypedExpr { set, relation, depends })
    }

    /// `a op b op c`, from the left.
    fn fold(&mut self, ids: &[ExprId], sort: Sort, node: fn(ExprId, ExprId) -> Node) -> ExprId {
        if let [id] = ids {
            return *id;
        }
        if ids.len() <= LONG {
            return ids[1..]
                .iter()
                .fold(ids[0], |left, &right| self.intern(node(left, right), sort));
        }
        // `a \ b \ c` is `a \ (b | c)`; the others are associative.
        if matches!(node(ids[0], ids[0]), Node::Difference(..)) {
            let removed = self.fold(&ids[1..], sort, Node::Union);
            return self.intern(Node::Difference(ids[0], removed), sort);
        }
        let (left, right) = ids.split_at(ids.len() / 2);
        let (left, right) = (self.fold(left, sort, node), self.fold(right, sort, node));
        self.intern(node(left, right), sort)
    }

    /// An operand that must have a sort; reports what is wrong with it.
    fn operand_of(
        &mut self,
        operator: &str,
        expr: &CatExpr,
        sort: Sort,
        scope: &NameScope,
    ) -> Option<TypedExpr> {
        match self.operand(expr, scope) {
            Ok(typed) if typed.of(sort).is_some() => Some(typed),
            Ok(typed) => {
                self.wrong_sort(operator, sort, expr, typed.sort().unwrap_or(sort));
                None
            }
            // Whatever is wrong with it was reported.
            Err(_) => None,
        }
    }

    fn sequence(&mut self, exprs: &[CatExpr], scope: &NameScope) -> TypedMeaning {
        let operands: Vec<Option<TypedExpr>> =
            exprs.iter().map(|e| self.operand_of(";", e, Sort::Relation, scope)).collect();
        let Some(mut operands) = operands.into_iter().collect::<Option<Vec<TypedExpr>>>() else {
            return TypedMeaning::Unknown(Some(Sort::Relation));
        };
        let depends = operands.iter_mut().fold(None, |d, o| outer(d, o.depends.take()));
        let ids: Vec<ExprId> = operands.iter().filter_map(|o| o.relation).collect();
        let id = self.fold(&ids, Sort::Relation, Node::Sequence);
        TypedMeaning::Typed(TypedExpr { depends, ..TypedExpr::new(Sort::Relation, id) })
    }

    fn relation(&mut self, node: Node) -> ExprId {
        self.intern(node, Sort::Relation)
    }

    /// `[S]`
    fn diagonal(&mut self, set: ExprId) -> ExprId {
        let Some(identity) = self.identity else { return self.relation(Node::Diagonal(set)) };
        let both = self.relation(Node::Product(set, set));
        self.relation(Node::Intersection(identity, both))
    }

    /// `r?`
    fn optional(&mut self, relation: ExprId) -> ExprId {
        let Some(identity) = self.identity else { return self.relation(Node::Optional(relation)) };
        self.relation(Node::Union(identity, relation))
    }

    /// `r*`
    fn reflexive_closure(&mut self, relation: ExprId) -> ExprId {
        let Some(identity) = self.identity else {
            return self.relation(Node::ReflexiveClosure(relation));
        };
        let closure = self.relation(Node::Closure(relation));
        self.relation(Node::Union(identity, closure))
    }

    fn product(&mut self, a: &CatExpr, b: &CatExpr, scope: &NameScope) -> TypedMeaning {
        let (left, right) =
            (self.operand_of("*", a, Sort::Set, scope), self.operand_of("*", b, Sort::Set, scope));
        let (Some(left), Some(right)) = (left, right) else {
            return TypedMeaning::Unknown(Some(Sort::Relation));
        };
        let (Some(a), Some(b)) = (left.set, right.set) else {
            return TypedMeaning::Unknown(Some(Sort::Relation));
        };
        let id = self.intern(Node::Product(a, b), Sort::Relation);
        TypedMeaning::Typed(TypedExpr {
            depends: outer(left.depends, right.depends),
            ..TypedExpr::new(Sort::Relation, id)
        })
    }

    fn complement(&mut self, expr: &CatExpr, scope: &NameScope) -> TypedMeaning {
        match self.operand(expr, scope) {
            Ok(typed) => {
                self.not_monotone("~", expr, &typed);
                let set = typed.set.map(|s| self.intern(Node::Complement(s), Sort::Set));
                let relation =
                    typed.relation.map(|r| self.intern(Node::Complement(r), Sort::Relation));
                TypedMeaning::Typed(TypedExpr { set, relation, depends: typed.depends })
            }
            Err(sort) => TypedMeaning::Unknown(sort),
        }
    }

    /// An operator on a set or a relation that makes a relation.
    fn unary(
        &mut self,
        operator: &str,
        expr: &CatExpr,
        sort: Sort,
        make: fn(&mut Self, ExprId) -> ExprId,
        scope: &NameScope,
    ) -> TypedMeaning {
        let Some(typed) = self.operand_of(operator, expr, sort, scope) else {
            return TypedMeaning::Unknown(Some(Sort::Relation));
        };
        let Some(inner) = typed.of(sort) else {
            return TypedMeaning::Unknown(Some(Sort::Relation));
        };
        let id = make(self, inner);
        TypedMeaning::Typed(TypedExpr {
            depends: typed.depends,
            ..TypedExpr::new(Sort::Relation, id)
        })
    }

    /// `domain r` and `range r`.
    pub(super) fn projection(
        &mut self,
        operator: &str,
        expr: &CatExpr,
        node: fn(ExprId) -> Node,
        scope: &NameScope,
    ) -> TypedMeaning {
        let Some(typed) = self.operand_of(operator, expr, Sort::Relation, scope) else {
            return TypedMeaning::Unknown(Some(Sort::Set));
        };
        let Some(inner) = typed.relation else { return TypedMeaning::Unknown(Some(Sort::Set)) };
        let id = self.intern(node(inner), Sort::Set);
        TypedMeaning::Typed(TypedExpr { depends: typed.depends, ..TypedExpr::new(Sort::Set, id) })
    }

    /// Gives an expression a name: a definition and the node that refers to it. What can be of
    /// either sort stays as it is.
    pub(super) fn define(
        &mut self,
        name: &str,
        origin: DefinitionOrigin,
        typed: TypedExpr,
        place: SourcePlace,
    ) -> TypedExpr {
        let Some(sort) = typed.sort() else { return typed };
        let Some(body) = typed.of(sort) else { return typed };
        let id = crate::model::DefId::from(self.definitions.len());
        self.definitions.push(Definition {
            name: name.to_owned(),
            origin,
            sort,
            body,
            group: None,
            place,
        });
        if let Some(depends) = &typed.depends {
            self.open[depends.level].push(id);
        }
        let node = self.intern(Node::Definition(id), sort);
        self.arena.set_body(node, body);
        TypedExpr { depends: typed.depends, ..TypedExpr::new(sort, node) }
    }
}
