//! Functions: their parameters, what stands behind those, and the places of their bodies.

use super::ProgramReader;
use super::local::{name_of_type, parameters_of_auto};
use super::scope::are_parameters_apart;
use super::specifiers::DeclarationSpecifiers;
use crate::lex::{CudaRefusal, Lexeme};
use crate::tree::{
    FunctionRole, FunctionTree, ObjectTree, ParameterTree, TemplateParameter, TypeTree,
};
use std::rc::Rc;

impl ProgramReader {
    /// The parameters of a function, from `(` to behind `)`.
    pub(super) fn parameters(&mut self) -> Result<Vec<ParameterTree>, CudaRefusal> {
        self.expect("(", "in front of parameters")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            if self.is_word("void") && self.after(1).is_sign(")") {
                self.advance();
                break;
            }
            let start = self.at();
            if self.eat("...") {
                // Whatever is given is taken, if nothing else takes it.
                parameters.push(ParameterTree {
                    name: self.fresh(),
                    ty: TypeTree::Auto,
                    default: None,
                    is_pack: true,
                    is_grid_constant: false,
                    concept: None,
                    is_any: true,
                    at: self.since(start),
                });
                break;
            }
            let first = self.next;
            let concept = match self.path_ahead().filter(|(name, _)| self.concepts.contains(name)) {
                Some(_) => Some(self.path()?),
                None => None,
            };
            let of = self.specifiers(false)?;
            let ty = self.pointers(of.ty)?;
            let is_grid_constant = self.tokens[first..self.next]
                .iter()
                .any(|t| t.word().is_some_and(|w| &**w == "__grid_constant__"));
            let is_pack = self.eat("...");
            let (name, ty) = match self.token().lexeme {
                Lexeme::Sign("(") => {
                    // A pointer to a function or to an array, or a reference to an array.
                    let is_reference = self.after(1).is_sign("&");
                    self.advance();
                    self.advance();
                    let name = if self.is(")") {
                        self.fresh()
                    } else {
                        self.name("the name of a parameter")?
                    };
                    self.expect(")", "behind the name of a parameter")?;
                    match is_reference {
                        true => (name, TypeTree::Reference(Box::new(self.arrays(ty)?))),
                        false if self.is("[") => {
                            (name, TypeTree::Pointer(Box::new(self.arrays(ty)?)))
                        }
                        false => {
                            self.skip_brackets()?;
                            (name, TypeTree::Pointer(Box::new(TypeTree::Function)))
                        }
                    }
                }
                Lexeme::Word(_) => (self.name("the name of a parameter")?, self.arrays(ty)?),
                _ => {
                    let name = self.fresh();
                    (name, self.arrays(ty)?)
                }
            };
            let default = if self.eat("=") { Some(self.assignment()?) } else { None };
            let at = self.since(start);
            parameters.push(ParameterTree {
                name,
                ty,
                default,
                is_pack,
                is_grid_constant,
                concept,
                is_any: false,
                at,
            });
            if is_pack && !self.is(")") {
                let help = "put it behind all others";
                return Err(CudaRefusal::new(
                    start,
                    "parameters behind any number of them are not understood",
                    help,
                ));
            }
            if !self.eat(",") && !self.is(")") {
                return Err(self.expected("`,` or `)` behind a parameter"));
            }
        }
        self.advance();
        Ok(parameters)
    }

    /// A function from its parameters on.
    pub(super) fn function(
        &mut self,
        specifiers: &DeclarationSpecifiers,
        name: Rc<str>,
        result: TypeTree,
        template: Option<Rc<[TemplateParameter]>>,
        role: FunctionRole,
    ) -> Result<FunctionTree, CudaRefusal> {
        let at = self.tokens[self.next.saturating_sub(1)].at;
        let mut parameters = self.parameters()?;
        are_parameters_apart(&parameters)?;
        // `f(auto x)` is a template.
        let of_auto = parameters_of_auto(&mut parameters, || self.fresh());
        for parameter in &parameters {
            if let (Some(concept), Some(name)) = (&parameter.concept, name_of_type(&parameter.ty)) {
                self.constrain(concept.clone(), &name, parameter.is_pack);
            }
        }
        let template = match of_auto.is_empty() {
            true => template,
            false => Some(template.iter().flat_map(|all| all.to_vec()).chain(of_auto).collect()),
        };
        let mut is_defaulted = false;
        let mut object = ObjectTree::default();
        let mut result = result;
        loop {
            self.skip_attributes()?;
            match &self.token().lexeme {
                Lexeme::Word(word)
                    if matches!(
                        &**word,
                        "const" | "volatile" | "override" | "final" | "constexpr" | "mutable"
                    ) =>
                {
                    object.is_constant |= &**word == "const";
                    object.is_volatile |= &**word == "volatile";
                    self.advance()
                }
                Lexeme::Word(word) if &**word == "noexcept" => {
                    self.advance();
                    if self.is("(") {
                        self.skip_brackets()?;
                    }
                }
                Lexeme::Word(word) if &**word == "requires" => self.requirement()?,
                Lexeme::Sign(sign @ ("&" | "&&")) => {
                    (object.is_left, object.is_right) = (*sign == "&", *sign == "&&");
                    self.advance();
                }
                Lexeme::Sign("->") => {
                    self.advance();
                    result = self.type_name()?;
                }
                Lexeme::Sign("=") => {
                    self.advance();
                    is_defaulted = self.is_word("default");
                    self.advance();
                }
                _ => break,
            }
        }
        let mut initialisers = None;
        if self.eat(":") {
            let start = self.next;
            loop {
                self.path()?;
                self.skip_brackets()?;
                if !self.eat(",") {
                    break;
                }
            }
            initialisers = Some((start, self.next));
        }
        let mut body = None;
        if self.is("{") {
            let start = self.next;
            self.skip_brackets()?;
            body = Some((start, self.next));
        } else if !self.eat(";") {
            return Err(self.expected("`{` or `;` behind the parameters of a function"));
        }
        Ok(FunctionTree {
            name,
            namespace: self.namespace.clone().into(),
            template,
            is_kernel: specifiers.is_kernel,
            is_device: specifiers.is_device,
            is_static: specifiers.is_static,
            is_explicit: specifiers.is_explicit,
            object,
            role,
            result,
            parameters,
            initialisers,
            body,
            is_defaulted,
            most_threads: specifiers.most_threads.clone(),
            cluster: specifiers.cluster.clone(),
            specialises: None,
            of_owner: None,
            names_of_owners: Rc::default(),
            constraints: std::mem::take(&mut self.constraints).into(),
            at,
        })
    }
}
