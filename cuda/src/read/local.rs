//! What functions declare within: types, lambdas, pointers to functions, and loops over ranges.

use std::rc::Rc;

use super::declaration_scope::{DeclarationScope, ScopedName};
use super::specifiers::{DeclarationSpecifiers, plain_specifiers};
use super::{MAX_CHAIN, ProgramReader};
use crate::lex::{CudaRefusal, CudaSpan, Lexeme};
use crate::tree::{
    CaptureTree, CudaBinary, CudaExpression, CudaStatement, CudaStatementKind, CudaUnary,
    ExpressionKind, FunctionRole, FunctionTree, InitialTree, LambdaTree, NamePart, NamePath,
    ObjectTree, ParameterTree, RangeTree, Storage, TemplateParameter, TypeTree, VariableTree,
};

fn plain_name(name: &Rc<str>, at: CudaSpan) -> NamePath {
    NamePath { parts: vec![NamePart { name: name.clone(), arguments: None }], at }
}

impl ProgramReader {
    /// Is a type defined behind `struct`, and not named?
    pub(super) fn is_type_defined_here(&self) -> bool {
        let mut n = self.next + 1;
        while !matches!(
            self.tokens[n].lexeme,
            Lexeme::Sign(";" | "(" | ")" | "=" | "," | "*" | "&" | "<") | Lexeme::End
        ) {
            if self.tokens[n].is_sign("{") {
                return true;
            }
            n += 1;
        }
        false
    }

    /// A type that is defined within a function, with the variables behind it. Others may have one
    /// of that name: it is of a namespace of its own.
    pub(super) fn local_type(&mut self) -> Result<CudaStatementKind, CudaRefusal> {
        let start = self.at();
        let of = self.fresh();
        let before = self.enumerations.len();
        self.namespace.push(of.clone());
        let specifiers = self.specifiers(true);
        self.namespace.pop();
        let specifiers = specifiers?;
        let at = self.since(start);
        let mut all = Vec::new();
        if let TypeTree::Named(path) = &specifiers.ty {
            let name = path.last().name.clone();
            self.scoped_type(name.clone());
            all.push(CudaStatement {
                what: CudaStatementKind::Alias(name, specifiers.ty.clone()),
                at,
            });
        }
        let mut variables = Vec::new();
        // The constants of an enumeration are the function's own.
        for enumeration in self.enumerations.split_off(before.min(self.enumerations.len())) {
            for (name, _) in &enumeration.constants {
                self.scoped_value(name.clone(), at, true)?;
                let parts =
                    [&of, name].map(|name| NamePart { name: name.clone(), arguments: None });
                let value = CudaExpression {
                    what: ExpressionKind::Name(NamePath { parts: parts.to_vec(), at }),
                    at,
                };
                variables.push(VariableTree {
                    name: name.clone(),
                    ty: TypeTree::Auto,
                    initial: Some(InitialTree::Value(value)),
                    storage: Storage::Automatic,
                    is_extern: false,
                    is_constant: true,
                    is_mutable: false,
                    is_computed: true,
                    alignment: None,
                    bits: None,
                    template: None,
                    at,
                });
            }
        }
        while !self.is(";") {
            let ty = self.pointers(specifiers.ty.clone())?;
            let start = self.at();
            let name = self.name("the name of a variable")?;
            let ty = self.arrays(ty)?;
            self.scoped_value(name.clone(), start, specifiers.is_extern)?;
            variables.push(self.variable(&specifiers, name, ty, start)?);
            if !self.eat(",") && !self.is(";") {
                return Err(self.expected("`,` or `;` behind a variable"));
            }
        }
        self.advance();
        if !variables.is_empty() {
            all.push(CudaStatement { what: CudaStatementKind::Variables(variables), at });
        }
        Ok(CudaStatementKind::Together(all))
    }

    /// `(*f)(int, int)` and `(&a)[4]`: a pointer to a function, or to an array, or a reference to
    /// one, with its name.
    pub(super) fn behind_parenthesis(
        &mut self,
        ty: TypeTree,
    ) -> Result<(Rc<str>, TypeTree), CudaRefusal> {
        self.expect("(", "in front of `*`")?;
        if !self.is("*") && !self.is("&") {
            let name = self.name("the name of a variable")?;
            self.expect(")", "behind the name of a variable")?;
            return Ok((name, self.arrays(ty)?));
        }
        let is_reference = self.is("&");
        self.advance();
        while self.eat_word("const") {}
        let name = self.name("the name of a pointer")?;
        let mut sizes = Vec::new();
        while self.is("[") {
            let of = self.arrays(TypeTree::Void)?;
            sizes.push(of);
        }
        self.expect(")", "behind the name of a pointer")?;
        let of = match self.is("(") {
            true => {
                self.skip_brackets()?;
                TypeTree::Function
            }
            false => self.arrays(ty)?,
        };
        let mut of = if is_reference {
            TypeTree::Reference(Box::new(of))
        } else {
            TypeTree::Pointer(Box::new(of))
        };
        // An array of pointers.
        for size in sizes.into_iter().rev() {
            if let TypeTree::Array(_, size) = size {
                of = TypeTree::Array(Box::new(of), size);
            }
        }
        Ok((name, of))
    }

    /// `auto [a, b] = of;`, from `[`: a variable without a name, and names for its members or
    /// elements.
    pub(super) fn named_parts(
        &mut self,
        specifiers: &DeclarationSpecifiers,
        ty: TypeTree,
    ) -> Result<Vec<VariableTree>, CudaRefusal> {
        let start = self.at();
        self.advance();
        let mut names = Vec::new();
        loop {
            let at = self.at();
            names.push((self.name("the name of a member")?, at));
            if names.len() > MAX_CHAIN {
                return Err(self.too_long());
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]", "behind the names of members")?;
        let whole = self.fresh();
        let mut found = vec![self.variable(specifiers, whole.clone(), ty, start)?];
        let count = names.len();
        for (n, (name, at)) in names.into_iter().enumerate() {
            self.scoped_value(name.clone(), at, false)?;
            let of = CudaExpression { what: ExpressionKind::Name(plain_name(&whole, at)), at };
            let part = CudaExpression { what: ExpressionKind::Part(Box::new(of), n, count), at };
            let reference = TypeTree::Reference(Box::new(TypeTree::Auto));
            found.push(VariableTree {
                initial: Some(InitialTree::Value(part)),
                ..self.variable_of(specifiers, name, reference, at)
            });
        }
        Ok(found)
    }

    /// `for (T x : range)`, from behind `:`, as a loop over the elements of an array.
    pub(super) fn loop_over_range(
        &mut self,
        mut variables: Vec<VariableTree>,
        at: CudaSpan,
    ) -> Result<CudaStatementKind, CudaRefusal> {
        if self.is("{") {
            return Err(CudaRefusal::new(
                self.at(),
                "a loop over a list in braces is not understood",
                "name an array",
            ));
        }
        let range = self.expression()?;
        self.expect(")", "behind the range of `for`")?;
        let body = self.statement()?;
        self.scopes.pop();
        // Names of members follow the variable that has these.
        let is_one =
            variables.len() == 1 || variables.first().is_some_and(|v| v.name.starts_with('('));
        let Some(variable) = variables.first_mut().filter(|_| is_one) else {
            return Err(CudaRefusal::new(at, "a loop over a range has one variable", "name one"));
        };
        let (all, index) = (self.fresh(), self.fresh());
        let here = range.at;
        let made = |what: ExpressionKind| CudaExpression { what, at: here };
        let named = |name: &Rc<str>| made(ExpressionKind::Name(plain_name(name, here)));
        let element =
            |of: CudaExpression| made(ExpressionKind::Index(Box::new(named(&all)), Box::new(of)));
        let zero =
            made(ExpressionKind::Integer { value: 0, bytes: 4, is_signed: true, is_second: false });
        let count = made(ExpressionKind::CountOfArray(Box::new(named(&all))));
        variable.initial = Some(InitialTree::Value(element(named(&index))));
        let over = |variables: &[VariableTree]| {
            let all = vec![
                CudaStatement { what: CudaStatementKind::Variables(variables.to_vec()), at },
                body.clone(),
            ];
            Box::new(CudaStatement { what: CudaStatementKind::Block(all), at })
        };
        let by_index = over(&variables);
        let iterator = |name: &Rc<str>| made(ExpressionKind::Name(plain_name(name, here)));
        let (first, last) = (self.fresh(), self.fresh());
        if let Some(variable) = variables.first_mut() {
            let content = ExpressionKind::Unary(CudaUnary::Content, Box::new(iterator(&first)));
            variable.initial = Some(InitialTree::Value(made(content)));
        }
        let by_iterator = over(&variables);
        let method = |name: &str| {
            let part = NamePart { name: name.into(), arguments: None };
            let member = made(ExpressionKind::Member(Box::new(named(&all)), part, false));
            made(ExpressionKind::Call(Box::new(member), Vec::new()))
        };
        let hidden = |name: &Rc<str>, ty: TypeTree, value: CudaExpression, at: CudaSpan| {
            let variable = VariableTree {
                name: name.clone(),
                ty,
                initial: Some(InitialTree::Value(value)),
                storage: Storage::Automatic,
                is_extern: false,
                is_constant: false,
                is_mutable: false,
                is_computed: false,
                alignment: None,
                bits: None,
                template: None,
                at,
            };
            CudaStatement { what: CudaStatementKind::Variables(vec![variable]), at }
        };
        // Each has a place of its own.
        let beside = CudaSpan { end: here.start, ..here };
        let reference = TypeTree::Reference(Box::new(TypeTree::Auto));
        let by_index = CudaStatementKind::For {
            first: Some(Box::new(hidden(&index, TypeTree::Integer(8, false, false), zero, beside))),
            condition: Some(made(ExpressionKind::Binary(
                CudaBinary::Less,
                Box::new(named(&index)),
                Box::new(count),
            ))),
            step: Some(made(ExpressionKind::Unary(CudaUnary::Increment, Box::new(named(&index))))),
            body: by_index,
        };
        let behind = CudaSpan { start: here.end, ..here };
        let iterators = vec![
            hidden(&first, TypeTree::Auto, method("begin"), beside),
            hidden(&last, TypeTree::Auto, method("end"), behind),
        ];
        let differ = ExpressionKind::Binary(
            CudaBinary::NotEqual,
            Box::new(iterator(&first)),
            Box::new(iterator(&last)),
        );
        let by_iterator = CudaStatementKind::For {
            first: Some(Box::new(CudaStatement {
                what: CudaStatementKind::Together(iterators),
                at: here,
            })),
            condition: Some(made(differ)),
            step: Some(made(ExpressionKind::Unary(
                CudaUnary::Increment,
                Box::new(iterator(&first)),
            ))),
            body: by_iterator,
        };
        let boxed = |what| Box::new(CudaStatement { what, at });
        let tree = RangeTree {
            range: named(&all),
            by_index: boxed(by_index),
            by_iterator: boxed(by_iterator),
        };
        let loops = CudaStatement { what: CudaStatementKind::Range(tree), at };
        Ok(CudaStatementKind::Block(vec![hidden(&all, reference, range, here), loops]))
    }

    /// A lambda, from `[`.
    pub(super) fn lambda(&mut self) -> Result<CudaExpression, CudaRefusal> {
        self.enter()?;
        let start = self.at();
        self.advance();
        let (mut captures, mut copies, mut copies_this, mut has_default) =
            (Vec::new(), false, false, false);
        while !self.is("]") {
            let is_reference = self.eat("&");
            has_default |= is_reference && self.token().word().is_none();
            if self.eat("=") {
                copies = true;
            } else if self.is("*") || self.is_word("this") {
                copies_this |= self.eat("*");
                has_default |= self.eat_word("this");
            } else if !is_reference || self.token().word().is_some() {
                let name = self.name("a variable that the lambda uses")?;
                // All of a pack are named by its name.
                self.eat("...");
                let value = if self.eat("=") { Some(self.assignment()?) } else { None };
                captures.push(CaptureTree { name, is_reference, value });
            }
            if !self.eat(",") && !self.is("]") {
                return Err(self.expected("`,` or `]` behind a variable that a lambda uses"));
            }
        }
        self.advance();
        // `[=] __device__ (int i)`
        while self.eat_word("__device__") || self.eat_word("__host__") {}
        let outer = std::mem::replace(&mut self.is_in_arguments, false);
        let scopes = self.scopes.len();
        let mut template = if self.is("<") { self.template_parameters()? } else { Vec::new() };
        let name: Rc<str> = "operator()".into();
        let head = self.next;
        // Its parameters, with `auto` as the parameter of a template.
        let (mut function, is_mutable) = match self.is("(") {
            true => self.lambda_function(&name)?,
            false => {
                let body = self.next;
                if !self.is("{") {
                    return Err(self.expected("`(` or `{` of a lambda"));
                }
                self.skip_brackets()?;
                let function = self.function_without_parameters((body, self.next), start);
                (function, false)
            }
        };
        template.extend(function.template.iter().flat_map(|all| all.to_vec()));
        function.object.is_constant = !is_mutable;
        function.template = (!template.is_empty()).then(|| template.into());
        let end = self.next;
        let words = self.tokens[head..end].iter().filter_map(|t| t.word().cloned()).collect();
        // The body is read at once, where what stands around it is known.
        if let Some((at, _)) = function.body {
            let mut scope = DeclarationScope::default();
            captures.iter().for_each(|c| scope.add(c.name.clone(), ScopedName::Value));
            scope.add_parameters(&function.parameters);
            self.scopes.push(scope);
            (self.next, self.is_half) = (at, false);
            let body = self.statement();
            self.scopes.pop();
            self.bodies.insert(at, Rc::new(body?));
        }
        (self.next, self.is_half) = (end, false);
        self.scopes.truncate(scopes);
        self.is_in_arguments = outer;
        self.leave();
        let is_plain = captures.is_empty() && !copies && !has_default;
        let tree = LambdaTree {
            function: Rc::new(function),
            captures,
            is_plain,
            is_mutable,
            copies,
            copies_this,
            words,
        };
        Ok(CudaExpression { what: ExpressionKind::Lambda(Rc::new(tree)), at: self.since(start) })
    }

    /// Statements in parentheses, from `{`: `({ int a = x; a * a; })`, which GCC and clang know.
    /// They are a lambda that is called, and its result what the last one computes.
    pub(super) fn statements_as_value(&mut self) -> Result<CudaExpression, CudaRefusal> {
        self.enter()?;
        let (start, at) = (self.next, self.at());
        let mut body = self.statement()?;
        let span = self.since(at);
        let CudaStatementKind::Block(all) = &mut body.what else {
            return Err(self.expected("statements in braces"));
        };
        if all.iter().any(leaves) {
            let help = "let the last statement compute the value";
            return Err(CudaRefusal::new(
                at,
                "a `return`, or a jump, out of statements in parentheses is not understood",
                help,
            ));
        }
        if let Some(last) = all.last_mut()
            && let CudaStatementKind::Expression(value) = &last.what
        {
            last.what = CudaStatementKind::Return(Some(value.clone()));
        }
        let words =
            self.tokens[start..self.next].iter().filter_map(|t| t.word().cloned()).collect();
        self.bodies.insert(start, Rc::new(body));
        let mut function = self.function_without_parameters((start, self.next), at);
        function.object.is_constant = true;
        let tree = LambdaTree {
            function: Rc::new(function),
            captures: Vec::new(),
            is_plain: false,
            is_mutable: false,
            copies: false,
            copies_this: false,
            words,
        };
        self.leave();
        let lambda = CudaExpression { what: ExpressionKind::Lambda(Rc::new(tree)), at: span };
        Ok(CudaExpression { what: ExpressionKind::Call(Box::new(lambda), Vec::new()), at: span })
    }

    /// The function of a lambda that has nothing but a body, which stands between two tokens.
    fn function_without_parameters(&mut self, body: (usize, usize), at: CudaSpan) -> FunctionTree {
        FunctionTree {
            name: "operator()".into(),
            namespace: self.namespace.clone().into(),
            template: None,
            is_kernel: false,
            is_device: true,
            is_static: false,
            is_explicit: false,
            object: ObjectTree::default(),
            role: FunctionRole::Plain,
            result: TypeTree::Auto,
            parameters: Vec::new(),
            initialisers: None,
            body: Some(body),
            is_defaulted: false,
            most_threads: None,
            cluster: plain_specifiers().cluster,
            specialises: None,
            of_owner: None,
            names_of_owners: Rc::default(),
            constraints: std::mem::take(&mut self.constraints).into(),
            at,
        }
    }

    /// The function of a lambda, from its parameters on, and whether it is `mutable`.
    fn lambda_function(&mut self, name: &Rc<str>) -> Result<(FunctionTree, bool), CudaRefusal> {
        let mut is_mutable = false;
        let mut n = match self.closing(self.next) {
            Some(n) => n + 1,
            None => return Err(self.expected("`)` behind the parameters of a lambda")),
        };
        while self.tokens[n]
            .word()
            .is_some_and(|w| matches!(&**w, "mutable" | "__device__" | "__host__" | "constexpr"))
        {
            is_mutable |= self.tokens[n].word().is_some_and(|w| &**w == "mutable");
            n += 1;
        }
        let function = self.function(
            &plain_specifiers(),
            name.clone(),
            TypeTree::Auto,
            None,
            FunctionRole::Plain,
        )?;
        Ok((function, is_mutable))
    }
}

/// Does a statement lead out of those around it?
fn leaves(s: &CudaStatement) -> bool {
    use CudaStatementKind as K;
    let leaves_loop = |body: &CudaStatement| {
        goes(body, &|s| matches!(s.what, K::Return(_) | K::Goto(_) | K::Label(_)))
    };
    match &s.what {
        K::Block(all) | K::Together(all) => all.iter().any(leaves),
        K::If { then, otherwise, .. } => leaves(then) || otherwise.as_deref().is_some_and(leaves),
        K::While(_, body) | K::DoWhile(body, _) | K::For { body, .. } | K::Switch(_, body) => {
            leaves_loop(body)
        }
        K::Range(tree) => leaves_loop(&tree.by_index),
        K::Return(_)
        | K::Goto(_)
        | K::Label(_)
        | K::Break
        | K::Continue
        | K::Case(_)
        | K::Default => true,
        _ => false,
    }
}

/// Is a statement, or one within it, of a kind?
fn goes(s: &CudaStatement, is_kind: &dyn Fn(&CudaStatement) -> bool) -> bool {
    use CudaStatementKind as K;
    is_kind(s)
        || match &s.what {
            K::Block(all) | K::Together(all) => all.iter().any(|s| goes(s, is_kind)),
            K::If { then, otherwise, .. } => {
                goes(then, is_kind) || otherwise.as_deref().is_some_and(|s| goes(s, is_kind))
            }
            K::While(_, body) | K::DoWhile(body, _) | K::For { body, .. } | K::Switch(_, body) => {
                goes(body, is_kind)
            }
            K::Range(tree) => goes(&tree.by_index, is_kind),
            _ => false,
        }
}

/// Parameters of a template in the place of `auto` among the parameters of a function.
pub(super) fn parameters_of_auto(
    parameters: &mut [ParameterTree],
    mut fresh: impl FnMut() -> Rc<str>,
) -> Vec<TemplateParameter> {
    let mut found = Vec::new();
    for parameter in parameters {
        let name = fresh();
        if replaced_auto(&mut parameter.ty, &plain_name(&name, parameter.at)) {
            found.push(match parameter.is_pack {
                true => TemplateParameter::Types(name),
                false => TemplateParameter::Type(name, None),
            });
        }
    }
    found
}

/// The last name of a type, behind what says that it is constant, or a pointer.
pub(super) fn name_of_type(ty: &TypeTree) -> Option<Rc<str>> {
    match ty {
        TypeTree::Named(path) => Some(path.last().name.clone()),
        TypeTree::Constant(of)
        | TypeTree::Volatile(of)
        | TypeTree::Pointer(of)
        | TypeTree::Reference(of)
        | TypeTree::Rvalue(of) => name_of_type(of),
        _ => None,
    }
}

/// Puts a name in the place of `auto`; `false` where there is none.
fn replaced_auto(ty: &mut TypeTree, name: &NamePath) -> bool {
    match ty {
        TypeTree::Auto => {
            *ty = TypeTree::Named(name.clone());
            true
        }
        TypeTree::Constant(of)
        | TypeTree::Volatile(of)
        | TypeTree::Pointer(of)
        | TypeTree::Reference(of)
        | TypeTree::Rvalue(of) => replaced_auto(of, name),
        _ => false,
    }
}
