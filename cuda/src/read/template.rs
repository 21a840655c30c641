//! Templates: their parameters, what must hold of them, and with which arguments kernels that are
//! templates are launched.

use std::rc::Rc;

use super::declaration_scope::{DeclarationScope, ScopedName};
use super::specifiers::plain_specifiers;
use super::{DeclaredItem, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan, CudaToken, Lexeme};
use crate::tree::{
    CudaBinary, CudaExpression, ExpressionKind, FoldTree, FunctionRole, NamePart, NamePath,
    PackPattern, RequirementTree, RequirementsTree, TemplateArgument, TemplateParameter, TypeTree,
};

impl ProgramReader {
    pub(super) fn template_parameters(&mut self) -> Result<Vec<TemplateParameter>, CudaRefusal> {
        self.expect("<", "behind `template`")?;
        let outer = std::mem::replace(&mut self.is_in_arguments, true);
        let mut all = Vec::new();
        while !self.is_list_closed() {
            let at = self.at();
            // A concept says something of a type.
            let concept = match self.path_ahead().filter(|(name, _)| self.concepts.contains(name)) {
                Some(_) => Some(self.path()?),
                None => None,
            };
            if self.is_word("template") {
                all.push(self.parameter_that_is_a_template(at)?);
                if !self.eat(",") && !self.is_list_closed() {
                    return Err(self.expected("`,` or `>` behind a parameter of a template"));
                }
                continue;
            }
            // `typename T::type = 0` is a number.
            let is_number = self.is_word("typename")
                && (self.after(2).is_sign("::") || self.after(2).is_sign("<"));
            let is_type = concept.is_some()
                || self.is_word("typename") && !is_number
                || self.is_word("class");
            if is_type {
                if concept.is_none() {
                    self.advance();
                }
                let is_pack = self.eat("...");
                let name = if self.is(",") || self.is(">") || self.is("=") {
                    self.fresh()
                } else {
                    self.name("the name of a type")?
                };
                let default = if self.eat("=") { Some(self.type_name()?) } else { None };
                // What follows may be of that type.
                let mut scope = DeclarationScope::default();
                scope.add(name.clone(), ScopedName::Type);
                self.scopes.push(scope);
                if let Some(concept) = concept {
                    self.constrain(concept, &name, is_pack);
                }
                all.push(if is_pack {
                    TemplateParameter::Types(name)
                } else {
                    TemplateParameter::Type(name, default)
                });
            } else {
                let ty = self.specifiers(false)?.ty;
                let ty = self.pointers(ty)?;
                let is_pack = self.eat("...");
                // A function, or a pointer to one: `int (*F)(int)`.
                let is_function = self.is("(") && self.after(1).is_sign("*");
                if is_function {
                    self.advance();
                    self.advance();
                }
                let is_unnamed = self.is(",") || self.is(">") || self.is("=") || self.is(")");
                let name =
                    if is_unnamed { self.fresh() } else { self.name("the name of a number")? };
                if is_function {
                    self.expect(")", "behind the name of a pointer to a function")?;
                }
                let is_function = is_function || self.is("(");
                if is_function {
                    self.skip_brackets()?;
                }
                let ty =
                    if is_function { TypeTree::Pointer(Box::new(TypeTree::Function)) } else { ty };
                let default = if self.eat("=") { Some(self.choice()?) } else { None };
                all.push(match is_pack {
                    true => TemplateParameter::Values(name, ty),
                    false => TemplateParameter::Value(name, ty, default),
                });
            }
            if !self.eat(",") && !self.is_list_closed() {
                return Err(self.expected("`,` or `>` behind a parameter of a template"));
            }
        }
        self.is_in_arguments = outer;
        self.advance();
        Ok(all)
    }

    /// `template <class> class F`, from `template` on.
    fn parameter_that_is_a_template(
        &mut self,
        at: CudaSpan,
    ) -> Result<TemplateParameter, CudaRefusal> {
        self.advance();
        let scopes = self.scopes.len();
        // What its own parameters are its arguments say.
        self.template_parameters()?;
        self.scopes.truncate(scopes);
        self.is_in_arguments = true;
        if !self.eat_word("class") && !self.eat_word("typename") {
            return Err(
                self.expected("`class` behind the parameters of a parameter that is a template")
            );
        }
        if self.is("...") {
            return Err(CudaRefusal::new(
                at,
                "any number of templates as parameters are not understood",
                "name each",
            ));
        }
        let name = if self.is(",") || self.is(">") || self.is("=") {
            self.fresh()
        } else {
            self.name("the name of a template")?
        };
        let default = if self.eat("=") { Some(self.path()?) } else { None };
        let mut scope = DeclarationScope::default();
        scope.add(name.clone(), ScopedName::Template);
        self.scopes.push(scope);
        Ok(TemplateParameter::Template(name, default))
    }

    /// Adds that a concept is true of a type, or of each of a pack.
    pub(super) fn constrain(&mut self, mut concept: NamePath, of: &Rc<str>, is_pack: bool) {
        let at = concept.at;
        let named = TypeTree::Named(NamePath {
            parts: vec![NamePart { name: of.clone(), arguments: None }],
            at,
        });
        if let Some(last) = concept.parts.last_mut() {
            last.arguments.get_or_insert_default().insert(0, TemplateArgument::Type(named));
        }
        let one = CudaExpression { what: ExpressionKind::Name(concept), at };
        let words: Rc<[Rc<str>]> = [of.clone()].into();
        self.constraints.push(match is_pack {
            true => {
                let pack = PackPattern { pattern: Rc::new(one), words, number: None };
                let operator = Some(CudaBinary::BothTrue);
                CudaExpression {
                    what: ExpressionKind::Fold(FoldTree {
                        pack,
                        operator,
                        first: None,
                        is_from_right: true,
                    }),
                    at,
                }
            }
            false => one,
        });
    }

    /// What must hold of the arguments of a template, from `requires` on.
    pub(super) fn requirement(&mut self) -> Result<(), CudaRefusal> {
        self.advance();
        let condition = self.choice()?;
        self.constraints.push(condition);
        Ok(())
    }

    /// `concept C = ..;`, from its name on.
    pub(super) fn concept(
        &mut self,
        parameters: Vec<TemplateParameter>,
    ) -> Result<(), CudaRefusal> {
        let name = self.name("the name of a concept")?;
        self.templates.insert(name.clone());
        self.concepts.insert(name.clone());
        self.expect("=", "behind the name of a concept")?;
        self.scopes.push(DeclarationScope::of_template(&parameters));
        let condition = self.choice()?;
        self.declare(name, DeclaredItem::Concept(parameters.into(), Rc::new(condition)));
        Ok(())
    }

    /// `requires (T x) { .. }` as a value, from `requires` on.
    pub(super) fn requirements(&mut self) -> Result<CudaExpression, CudaRefusal> {
        let start = self.at();
        self.enter()?;
        self.advance();
        let parameters = if self.is("(") { self.parameters()? } else { Vec::new() };
        let mut scope = DeclarationScope::default();
        scope.add_parameters(&parameters);
        self.scopes.push(scope);
        let outer = std::mem::replace(&mut self.is_in_arguments, false);
        self.expect("{", "in front of what is required")?;
        let mut all = Vec::new();
        while !self.eat("}") {
            all.push(self.one_requirement()?);
            self.expect(";", "behind what is required")?;
        }
        self.is_in_arguments = outer;
        self.scopes.pop();
        self.leave();
        let tree = RequirementsTree { parameters, all };
        Ok(CudaExpression { what: ExpressionKind::Requires(Rc::new(tree)), at: self.since(start) })
    }

    fn one_requirement(&mut self) -> Result<RequirementTree, CudaRefusal> {
        if self.is_word("typename") {
            return Ok(RequirementTree::Type(self.type_name()?));
        }
        if self.eat_word("requires") {
            return Ok(RequirementTree::Condition(self.choice()?));
        }
        if !self.eat("{") {
            return Ok(RequirementTree::Expression(self.expression()?));
        }
        let of = self.expression()?;
        self.expect("}", "behind what is computed")?;
        self.eat_word("noexcept");
        match self.eat("->") {
            true => Ok(RequirementTree::Typed(of, self.path()?)),
            false => Ok(RequirementTree::Expression(of)),
        }
    }

    /// The closing brace of `requires (T x) { .. }` that begins at a token; nothing where
    /// `requires` says what must hold of a function.
    pub(super) fn end_of_requirements(&self, start: usize) -> Option<usize> {
        self.tokens[start].word().filter(|w| &***w == "requires")?;
        let before = &self.tokens[start.checked_sub(1)?];
        let is_value = before.word().is_some_and(|w| matches!(&**w, "requires" | "return"))
            || matches!(
                before.lexeme,
                Lexeme::Sign("=" | "&&" | "||" | "!" | "(" | "," | "{" | ";")
            );
        let next = self.tokens.get(start + 1)?;
        let open = if next.is_sign("(") { self.closing(start + 1)? + 1 } else { start + 1 };
        (is_value && self.tokens.get(open)?.is_sign("{")).then(|| self.closing(open))?
    }

    /// Does `S(T) -> S<T>;` begin here?
    pub(super) fn is_guide_ahead(&self) -> bool {
        let skipped = (self.next..).take_while(|&n| {
            self.tokens
                .get(n)
                .and_then(CudaToken::word)
                .is_some_and(|w| matches!(&**w, "explicit" | "__host__" | "__device__"))
        });
        let n = self.next + skipped.count();
        let is_named = self
            .tokens
            .get(n)
            .and_then(CudaToken::word)
            .is_some_and(|w| self.templates.contains(w));
        let open =
            self.tokens.get(n + 1).filter(|t| t.is_sign("(")).and_then(|_| self.closing(n + 1));
        is_named
            && open.is_some_and(|close| self.tokens.get(close + 1).is_some_and(|t| t.is_sign("->")))
    }

    /// Which structure of a template is made of values of some types.
    pub(super) fn guide(
        &mut self,
        template: Option<Rc<[TemplateParameter]>>,
    ) -> Result<(), CudaRefusal> {
        while self.eat_word("explicit") || self.eat_word("__host__") || self.eat_word("__device__")
        {
        }
        let name = self.name("the name of a template")?;
        let function = self.function(
            &plain_specifiers(),
            name.clone(),
            TypeTree::Auto,
            template,
            FunctionRole::Plain,
        )?;
        self.declare(name, DeclaredItem::Guide(Rc::new(function)));
        Ok(())
    }

    /// Does the list of a template's parameters end here? The first half of `>>` may have ended the
    /// arguments of another one.
    fn is_list_closed(&self) -> bool {
        self.is(">") || self.is(">>") && self.is_half
    }

    /// Finds with which arguments the host launches kernels that are templates.
    pub(super) fn launched(&mut self) {
        let templates: Vec<Rc<str>> = self
            .kernels
            .iter()
            .flatten()
            .filter(|k| k.template.is_some())
            .map(|k| k.name.clone())
            .collect();
        if templates.is_empty() {
            return;
        }
        for (start, end) in std::mem::take(&mut self.host) {
            let mut n = start;
            while n < end {
                let is_named = self.tokens[n].word().is_some_and(|w| templates.contains(w))
                    && self.tokens[n + 1].is_sign("<");
                if is_named
                    && let (Some(name), Some(_)) =
                        (self.tokens[n].word().cloned(), self.behind_arguments(n + 1))
                {
                    (self.next, self.is_half, self.depth) = (n + 1, false, 0);
                    let arguments = self.template_arguments();
                    self.is_in_arguments = false;
                    self.instances.push((name, arguments));
                }
                n += 1;
            }
        }
    }
}
