//! What names stand for, and the layouts of types.

use std::rc::Rc;

use super::{KernelLowering, KnownSpace, LoweringResult, NameBinding, TypedValue, ValueForm, ValuePlace};
use crate::lex::{CudaRefusal, CudaSpan};
use crate::preprocess::is_known_header;
use crate::read::DeclaredItem;
use crate::tree::{
    CudaExpression, EnumerationTree, NamePart, NamePath, StructureTree, TemplateArgument, TemplateParameter, TypeTree,
    VariableTree,
};
use crate::types::{BitsLayout, CudaType, FieldLayout, StructureLayout, TemplateBinding, TemplateBindings, TypeShape};

impl KernelLowering {
    /// A type in words.
    pub(super) fn type_text(&self, ty: &CudaType) -> String {
        let volatile = if ty.is_volatile { "volatile " } else { "" };
        let constant = if ty.is_constant { "const " } else { "" };
        let text = match &ty.shape {
            TypeShape::Void => "void".to_owned(),
            TypeShape::Bool => "bool".to_owned(),
            TypeShape::Integer { bytes, is_signed, is_second } => {
                let word = match (bytes, is_second) {
                    (1, _) => "char",
                    (2, _) => "short",
                    (4, _) => "int",
                    (_, false) => "long",
                    (_, true) => "long long",
                };
                let sign = match (is_signed, bytes, is_second) {
                    (false, ..) => "unsigned ",
                    (true, 1, true) => "signed ",
                    _ => "",
                };
                format!("{sign}{word}")
            }
            TypeShape::Real(8) => "double".to_owned(),
            TypeShape::Real(_) => "float".to_owned(),
            TypeShape::Pointer(to) => format!("{}*", self.type_text(to)),
            TypeShape::Array(of, Some(n)) => format!("{}[{n}]", self.type_text(of)),
            TypeShape::Array(of, None) => format!("{}[]", self.type_text(of)),
            TypeShape::Structure(n) => self.structures[*n].tree.name.to_string(),
            TypeShape::Function => "a function".to_owned(),
            TypeShape::Null => "nullptr".to_owned(),
        };
        constant.to_owned() + volatile + &text
    }

    /// The type of the values of what a tree of a type says.
    pub(super) fn resolved(&mut self, tree: &TypeTree) -> LoweringResult<CudaType> {
        Ok(match tree {
            TypeTree::Void | TypeTree::Auto | TypeTree::AutoAsIs => CudaType::VOID,
            TypeTree::Bool => CudaType::BOOL,
            TypeTree::Integer(bytes, is_signed, is_second) => {
                CudaType::plain(TypeShape::Integer { bytes: *bytes, is_signed: *is_signed, is_second: *is_second })
            }
            TypeTree::Real(bytes) => CudaType::plain(TypeShape::Real(*bytes)),
            TypeTree::Constant(_) | TypeTree::Volatile(_) => self.resolved_argument(tree)?.referred(),
            TypeTree::Reference(of) | TypeTree::Rvalue(of) => self.resolved(of)?,
            TypeTree::Pointer(of) => CudaType::pointer(self.resolved(of)?),
            TypeTree::Array(of, size) => {
                let of = self.resolved(of)?;
                let size = match size {
                    Some(e) => {
                        let value = self.constant(e, "the size of an array")?;
                        let count = value.known().unwrap_or(0);
                        if !value.ty.is_integer() || count > 1 << 40 {
                            return self.refuse(e.at, "an array of so many elements", "give a size that fits into memory");
                        }
                        Some(count)
                    }
                    None => None,
                };
                CudaType::plain(TypeShape::Array(Rc::new(of), size))
            }
            TypeTree::OfExpression(e) => {
                let before = (self.body.len(), self.instructions);
                let made = self.current().temporaries.len();
                let value = self.lower(e)?;
                self.frame().temporaries.truncate(made);
                self.body.truncate(before.0);
                self.instructions = before.1;
                value.ty
            }
            TypeTree::Function => CudaType::plain(TypeShape::Function),
            TypeTree::Pack(of) => self.element_type(of)?.referred(),
            TypeTree::Named(path) => self.named_type(path)?.referred(),
        })
    }

    /// A structure among what a path begins with: `Lock<4>::kind`.
    pub(super) fn qualifying_structure(&mut self, path: &NamePath) -> LoweringResult<Option<usize>> {
        if path.parts.len() < 2 || path.parts.len() == 2 && path.is_of_all() {
            return Ok(None);
        }
        let front = NamePath { parts: path.parts[..path.parts.len() - 1].to_vec(), at: path.at };
        Ok(self.find_type(&front)?.and_then(|ty| ty.structure()))
    }

    pub(super) fn named_type(&mut self, path: &NamePath) -> LoweringResult<CudaType> {
        match self.find_type(path)? {
            Some(ty) => Ok(ty),
            None => {
                let entries = self.entries(path);
                if let Some(DeclaredItem::Broken(refusal)) = entries.iter().find(|i| matches!(i, DeclaredItem::Broken(_))) {
                    return Err(refusal.clone().into());
                }
                if entries.iter().any(|i| matches!(i, DeclaredItem::Declared)) {
                    let text = format!("`{}` is declared, and not defined in what was read", path.words());
                    return self.refuse(path.at, text, "define it, or include the file that does with #include \"..\"");
                }
                Err(self.undeclared(path, "type").into())
            }
        }
    }

    /// The error for a name that nothing is declared under.
    pub(super) fn undeclared(&self, path: &NamePath, what: &str) -> CudaRefusal {
        let unread: Vec<String> = self.program.headers.iter().filter(|h| !is_known_header(h)).map(|h| format!("<{h}>")).collect();
        let help = match unread.len() {
            0 => "what kernels may use without nvcc is in docs/kernels.md; `--compiler nvcc` reads all of CUDA C++".to_owned(),
            _ => format!(
                "headers were not read: {}; put what is used of them into the file, or use `--compiler nvcc`",
                unread.join(", ")
            ),
        };
        CudaRefusal::new(path.at, format!("the {what} `{}` is not known here", path.words()), help)
    }

    /// The type under a name, if there is one.
    pub(super) fn find_type(&mut self, path: &NamePath) -> LoweringResult<Option<CudaType>> {
        let last = path.last().clone();
        if path.parts.len() == 1 && last.arguments.is_none() {
            for scope in self.current().scopes.iter().rev() {
                match scope.names.get(&last.name) {
                    Some(NameBinding::Type(ty)) => return Ok(Some(ty.clone())),
                    Some(NameBinding::Value(_) | NameBinding::Pack(_)) => return Ok(None),
                    Some(NameBinding::Taken(_)) => break,
                    None => {}
                }
            }
            if let Some(TemplateBinding::Type(ty)) = self.binding_of(&last.name) {
                return Ok(Some(ty.clone()));
            }
        }
        // A template that is a parameter of a template.
        if path.parts.len() == 1
            && let Some(TemplateBinding::Template(names)) = self.binding_of(&last.name).cloned()
        {
            let mut parts: Vec<NamePart> = names.iter().map(|name| NamePart { name: name.clone(), arguments: None }).collect();
            if let Some(of) = parts.last_mut() {
                of.arguments.clone_from(&last.arguments);
            }
            return self.find_type(&NamePath { parts, at: path.at });
        }
        if path.parts.len() == 1
            && let Some(arguments) = &last.arguments
            && let Some(ty) = self.type_of_pack(&last.name, arguments, path.at)?
        {
            return Ok(Some(ty));
        }
        // A type of a structure.
        let owner = match path.parts.len() {
            1 => self.current().owner,
            _ => self.qualifying_structure(path)?,
        };
        if let Some(owner) = owner {
            let StructureLayout { tree, bindings, .. } = self.structures[owner].clone();
            if path.parts.len() == 1 && last.arguments.is_none() && tree.name == last.name {
                return Ok(Some(CudaType::plain(TypeShape::Structure(owner))));
            }
            if let Some((_, alias)) = tree.aliases.iter().find(|(name, _)| *name == last.name) {
                self.enter(path.at)?;
                let found = self.outside(tree.namespace.clone(), bindings, Some(owner), |this| this.resolved_argument(alias));
                self.depth -= 1;
                return found.map(Some);
            }
            if let Some((_, TemplateBinding::Type(ty))) = bindings.iter().find(|(n, _)| *n == last.name) {
                return Ok(Some(ty.clone()));
            }
            // One of a structure that it is made from.
            if path.parts.len() > 1
                && let Some(base) = self.base_with_type(owner, &last.name)
            {
                let tree = &self.structures[base].tree;
                let (namespace, bindings) = (tree.namespace.clone(), self.structures[base].bindings.clone());
                let front = tree.namespace.iter().chain([&tree.name]).map(|n| NamePart { name: n.clone(), arguments: None });
                let alias = tree.aliases.iter().find(|(name, _)| *name == last.name).map(|(_, alias)| alias.clone());
                let within = NamePath { parts: front.chain([last.clone()]).collect(), at: path.at };
                self.enter(path.at)?;
                let found = self.outside(namespace, bindings, Some(base), |this| match &alias {
                    Some(alias) => this.resolved_argument(alias),
                    None => this.named_type(&within),
                });
                self.depth -= 1;
                return found.map(Some);
            }
        }
        // What an alias stands for has a path of its own.
        let of_owner = owner.filter(|_| path.parts.len() > 1).map(|owner| {
            let tree = &self.structures[owner].tree;
            let front = tree.namespace.iter().chain([&tree.name]).map(|n| NamePart { name: n.clone(), arguments: None });
            self.entries(&NamePath { parts: front.chain([last.clone()]).collect(), at: path.at })
        });
        let entries = of_owner.filter(|found| !found.is_empty()).unwrap_or_else(|| self.entries(path));
        for item in entries {
            match item {
                DeclaredItem::Structure(tree) if tree.specialises.is_none() => {
                    let number = self.instance(&tree, last.arguments.as_deref(), owner, path.at)?;
                    return Ok(Some(CudaType::plain(TypeShape::Structure(number))));
                }
                DeclaredItem::Enumeration(tree) => {
                    return self.type_of_enumeration(&tree).map(Some);
                }
                DeclaredItem::Alias(template, tree) => {
                    self.enter(path.at)?;
                    let namespace = self.current().namespace.clone();
                    let owner = self.current().owner;
                    let bindings = match template {
                        Some(parameters) => Rc::new(self.bound(&parameters, last.arguments.as_deref(), path.at)?),
                        None => self.current().bindings.clone(),
                    };
                    let found = self.outside(namespace, bindings, owner, |this| this.resolved_argument(&tree));
                    self.depth -= 1;
                    return found.map(Some);
                }
                _ => {}
            }
        }
        // A template that is declared, and whose specialisations are defined.
        if let Some(arguments) = &last.arguments {
            let arguments = self.plain_arguments(arguments)?;
            if let Some((tree, bindings)) = self.specialisation(path, &arguments, path.at)? {
                let number = self.laid_out(tree, bindings, arguments, path.at)?;
                return Ok(Some(CudaType::plain(TypeShape::Structure(number))));
            }
        }
        Ok(None)
    }

    /// The structure that a tree of one is with these arguments.
    pub(super) fn instance(
        &mut self,
        tree: &Rc<StructureTree>,
        arguments: Option<&[TemplateArgument]>,
        owner: Option<usize>,
        at: CudaSpan,
    ) -> LoweringResult<usize> {
        let bindings = match &tree.template {
            Some(parameters) => {
                // Its own name within it is itself.
                let is_own = |of: &StructureTree| of.name == tree.name && of.namespace == tree.namespace;
                if let Some(owner) = self.current().owner.filter(|_| arguments.is_none()) {
                    let of = &self.structures[owner];
                    if is_own(&of.tree) {
                        return Ok(owner);
                    }
                    // Within a structure within it it is the one around.
                    let own = of.tree.template.as_ref().map_or(0, |parameters| parameters.len());
                    let known = &of.bindings[..of.bindings.len().saturating_sub(own)];
                    let is_around = |s: &StructureLayout| Rc::ptr_eq(&s.tree, tree) && **s.bindings == *known;
                    let path = of.tree.namespace.split_last();
                    if path.is_some_and(|(last, front)| *last == tree.name && *front == *tree.namespace)
                        && let Some(around) = self.structures.iter().position(is_around)
                    {
                        return Ok(around);
                    }
                }
                // In a friend that it defines it is the one of the friend's arguments.
                let of_friend = self.current().function.as_ref().and_then(|f| f.template.as_ref());
                let is_in_friend = arguments.is_none() && of_friend.is_some_and(|of| Rc::ptr_eq(of, parameters));
                let own: TemplateBindings = match is_in_friend {
                    true => self.current().bindings.to_vec(),
                    false => TemplateBindings::new(),
                };
                let bindings = match own.len() == parameters.len() {
                    true => own,
                    false => self.bound(&parameters.clone(), arguments, at)?,
                };
                if !self.are_true(&tree.constraints, &tree.namespace, &bindings)? {
                    let text = format!("the arguments of `{}` are not what it requires", tree.name);
                    return self.refuse(at, text, "give arguments for which its conditions are true");
                }
                bindings
            }
            None => TemplateBindings::new(),
        };
        if tree.template.is_some() {
            let parts = tree.namespace.iter().chain([&tree.name]).map(|n| NamePart { name: n.clone(), arguments: None });
            let path = NamePath { parts: parts.collect(), at };
            if let Some((special, own)) = self.specialisation(&path, &bindings, at)? {
                let all = [self.bindings_around(&special, owner), own].concat();
                return self.laid_out(special, all, bindings, at);
            }
        }
        let all = [self.bindings_around(tree, owner), bindings.clone()].concat();
        self.laid_out(tree.clone(), all, bindings, at)
    }

    /// The structure of a template for what its parameters are.
    pub(super) fn structure_of_bindings(
        &mut self,
        path: &NamePath,
        bindings: TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<CudaType> {
        let found = self.entries(path).into_iter().find_map(|item| match item {
            DeclaredItem::Structure(tree) if tree.specialises.is_none() => Some(tree),
            _ => None,
        });
        match found {
            Some(tree) => Ok(CudaType::plain(TypeShape::Structure(self.laid_out(tree, bindings.clone(), bindings, at)?))),
            None => Err(self.undeclared(path, "type").into()),
        }
    }

    /// What the parameters of the templates are within which a structure is defined, seen from a structure around it or beside it.
    fn bindings_around(&self, tree: &StructureTree, owner: Option<usize>) -> TemplateBindings {
        let Some(of) = owner.map(|owner| &self.structures[owner]) else { return TemplateBindings::new() };
        let own = of.tree.template.as_ref().map_or(0, |parameters| parameters.len());
        let is_within =
            tree.namespace.split_last().is_some_and(|(last, front)| *last == of.tree.name && *front == *of.tree.namespace);
        let known = if is_within {
            of.bindings.len()
        } else if tree.namespace == of.tree.namespace {
            of.bindings.len().saturating_sub(own)
        } else {
            0
        };
        of.bindings[..known].to_vec()
    }

    /// The structure that a tree of one is where its parameters are known, with the arguments of its template.
    fn laid_out(
        &mut self,
        tree: Rc<StructureTree>,
        bindings: TemplateBindings,
        arguments: TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<usize> {
        let same = |s: &StructureLayout| Rc::ptr_eq(&s.tree, &tree) && *s.bindings == bindings;
        if let Some(found) = self.structures.iter().position(same) {
            return Ok(found);
        }
        let bindings = Rc::new(bindings);
        let number = self.new_structure(tree.clone(), bindings.clone(), at)?;
        self.structures[number].arguments = Rc::new(arguments);
        self.enter(at)?;
        let namespace: Rc<[Rc<str>]> = tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
        let frames = self.frames.len();
        if let Err(stop) = self.outside(namespace, bindings, Some(number), |this| this.lay_out(number)) {
            // It is looked at again where it is used.
            self.structures.truncate(number);
            self.lambdas.retain(|&of, _| of < number);
            self.frames.truncate(frames);
            return Err(stop);
        }
        self.depth -= 1;
        Ok(number)
    }

    fn lay_out(&mut self, number: usize) -> LoweringResult<()> {
        let tree = self.structures[number].tree.clone();
        if let Some(at) = tree.virtual_at {
            let help = "which function a call means is only known when it is made; `--compiler nvcc` reads all of CUDA C++";
            return self.refuse(at, "virtual functions are not understood", help);
        }
        let (mut fields, mut bases) = (Vec::<FieldLayout>::new(), Vec::new());
        let (mut size, mut align) = (0u64, 1u64);
        let of_base = |base: &TypeTree| TemplateArgument::Type(base.clone());
        let all: Vec<TemplateArgument> = tree.bases.iter().map(of_base).collect();
        for base in self.unpacked_arguments(&all, tree.at)? {
            let TemplateArgument::Type(base) = base else { continue };
            let ty = self.resolved(&base)?;
            let Some(base) = ty.structure() else {
                return self.refuse(tree.at, "a structure is made from what is none", "name a structure behind `:`");
            };
            let (bytes, alignment) = self.size_of(&ty, tree.at)?;
            align = align.max(alignment);
            let is_empty = self.structures[base].fields.is_empty();
            let start = if is_empty { 0 } else { size.next_multiple_of(alignment) };
            bases.push((base, start));
            let inherited: Vec<FieldLayout> = self.structures[base].fields.clone();
            fields.extend(inherited.into_iter().map(|f| FieldLayout { offset: f.offset + start, initial: None, ..f }));
            if !is_empty {
                size = start + bytes;
            }
        }
        // Where the last member ends, in bits.
        let mut end = 8 * size;
        for field in &tree.fields {
            let is_reference = self.is_reference_type(&field.ty)?;
            let ty = self.resolved(&field.ty)?;
            let (bytes, mut alignment) = match is_reference {
                true => (8, 8),
                false => self.size_of(&ty, field.at)?,
            };
            if let Some(e) = &field.alignment {
                alignment = self.alignment(e)?;
            }
            let mut bits = None;
            let start = match &field.bits {
                Some(count) => {
                    if !ty.is_integer() {
                        return self.refuse(
                            field.at,
                            "a member of some bits that is no whole number",
                            "give it a type of whole numbers",
                        );
                    }
                    let most = 8 * bytes;
                    let count = self.constant(count, "how many bits a member has")?.known().unwrap_or(0);
                    if count > most || count == 0 && !field.name.starts_with('(') {
                        let text = format!("a member of {count} bits of a type of {most}");
                        return self.refuse(field.at, text, "give at least one bit, and no more than the type has");
                    }
                    // It does not lie across two words of its type.
                    let first = if tree.is_union { 0 } else { end };
                    let first = match first / most != (first + count).saturating_sub(1) / most || count == 0 {
                        true => first.next_multiple_of(most),
                        false => first,
                    };
                    if !tree.is_union {
                        end = first + count;
                    }
                    size = size.max((first + count).div_ceil(8));
                    let within = first % most;
                    // The smallest aligned word that has them.
                    let sizes = [1u64, 2, 4, 8]
                        .into_iter()
                        .filter(|size| within / (8 * size) == (within + count.max(1) - 1) / (8 * size));
                    let size = sizes.min().unwrap_or(bytes).min(bytes);
                    let least = (within / (8 * size) * size, size);
                    bits = Some(BitsLayout { first: within as u32, count: count as u32, least });
                    if field.name.starts_with('(') {
                        continue;
                    }
                    first / most * bytes
                }
                None => {
                    let start = if tree.is_union { 0 } else { size.next_multiple_of(alignment) };
                    size = size.max(start + bytes);
                    end = 8 * size;
                    start
                }
            };
            align = align.max(alignment);
            let path = |name: &Rc<str>| FieldLayout {
                name: name.clone(),
                ty: ty.clone(),
                offset: start,
                is_reference,
                bits,
                is_mutable: field.is_mutable,
                initial: field.initial.clone(),
            };
            fields.push(path(&field.name));
            // What has no name gives its members to this one.
            if field.name.is_empty()
                && let Some(inner) = ty.structure()
            {
                let members: Vec<FieldLayout> = self.structures[inner].fields.clone();
                fields.pop();
                fields.extend(members.into_iter().map(|f| FieldLayout { offset: f.offset + start, ..f }));
            }
        }
        if let Some(e) = &tree.alignment {
            align = align.max(self.alignment(e)?);
        }
        widened(&mut fields);
        let of = &mut self.structures[number];
        of.fields = fields;
        of.bases = bases;
        of.size = size.max(1).next_multiple_of(align);
        of.align = align;
        Ok(())
    }

    pub(super) fn alignment(&mut self, e: &CudaExpression) -> LoweringResult<u64> {
        let value = self.constant(e, "an alignment")?.known().unwrap_or(0);
        if !value.is_power_of_two() || value > 1 << 12 {
            return self.refuse(e.at, format!("an alignment of {value} bytes"), "an alignment is a power of two");
        }
        Ok(value)
    }

    /// How many bytes a type has, and what its addresses are multiples of.
    pub(super) fn size_of(&mut self, ty: &CudaType, at: CudaSpan) -> LoweringResult<(u64, u64)> {
        match &ty.shape {
            TypeShape::Array(of, count) => {
                let (bytes, align) = self.size_of(&of.clone(), at)?;
                match bytes.checked_mul(count.unwrap_or(0)).filter(|&n| n < 1 << 40) {
                    Some(bytes) => Ok((bytes, align)),
                    None => self.refuse(at, "a variable of so many bytes", "make it smaller"),
                }
            }
            TypeShape::Structure(n) => {
                let StructureLayout { size, align, tree, .. } = &self.structures[*n];
                if *align == 0 {
                    let text = format!("`{}` has itself as a member", tree.name);
                    return self.refuse(at, text, "use a pointer to it");
                }
                Ok((*size, *align))
            }
            TypeShape::Void => self.refuse(at, "`void` is no type of a value", "name the type"),
            _ => Ok((ty.bytes(), ty.bytes())),
        }
    }

    /// What a name stands for as a value.
    pub(super) fn named(&mut self, path: &NamePath) -> LoweringResult<TypedValue> {
        let last = path.last().clone();
        if path.parts.len() == 1 {
            for scope in self.current().scopes.iter().rev() {
                match scope.names.get(&last.name) {
                    Some(NameBinding::Value(value)) => return Ok(value.clone()),
                    Some(NameBinding::Pack(_)) => {
                        let text = format!("`{}` is any number of values, and stands where one should", last.name);
                        return self.refuse(path.at, text, "write `...` behind what is done with each");
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
                && let Some(found) = self.member_of(&self.type_of_object(owner), &this, &last.name)?
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
            if let Some(found) = self.member_of(&ty, &Self::behind(&this, offset as i64), &last.name)? {
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
                DeclaredItem::Enumerator(tree, number) => return self.enumerator(&tree.clone(), *number),
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
        let bindings = Rc::new(self.bound(parameters, path.last().arguments.as_deref(), path.at)?);
        let namespace = self.current().namespace.clone();
        self.enter(path.at)?;
        let found = self.outside(namespace, bindings, None, |this| this.constant_variable(tree))?;
        self.depth -= 1;
        match found {
            Some(value) => Ok(value),
            None => self.refuse(path.at, format!("`{}` is no constant number", path.words()), "make it `constexpr` of a number"),
        }
    }

    /// `blockIdx` as a whole.
    fn special_structure(&mut self, register: &str, at: CudaSpan) -> LoweringResult<TypedValue> {
        if register == "32" {
            return Ok(TypedValue::constant(CudaType::INT, 32));
        }
        let name: Rc<str> = if register.contains("nt") || register.contains("nct") { "dim3" } else { "uint3" }.into();
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

    /// A special register.
    pub(super) fn special(&mut self, register: &str, dimension: &str) -> LoweringResult<TypedValue> {
        let to = self.new_register_of(2);
        self.emit(format!("mov.u32 {to}, {register}.{dimension}"))?;
        Ok(TypedValue::register(CudaType::UNSIGNED, to))
    }

    /// A member of a structure that is a constant of all.
    pub(super) fn constant_of(&mut self, owner: usize, name: &Rc<str>) -> LoweringResult<Option<TypedValue>> {
        let StructureLayout { tree, bindings, bases, .. } = self.structures[owner].clone();
        if let Some(constant) = tree.constants.iter().find(|c| c.name == *name) {
            let namespace = tree.namespace.clone();
            self.enter(constant.at)?;
            let found = self.outside(namespace, bindings, Some(owner), |this| this.constant_variable(constant))?;
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
        let of_enumeration =
            |e: &Rc<EnumerationTree>| Some((e.clone(), e.constants.iter().position(|(constant, _)| constant == name)?));
        if let Some((enumeration, number)) = tree.enumerations.iter().find_map(of_enumeration) {
            self.enter(tree.at)?;
            let namespace: Rc<[Rc<str>]> = tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
            let found = self.outside(namespace, bindings, Some(owner), |this| this.enumerator(&enumeration, number))?;
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

    /// The type of the object that a method is called for.
    pub(super) fn type_of_object(&self, owner: usize) -> CudaType {
        CudaType::plain(TypeShape::Structure(owner)).within(&self.current().object)
    }

    /// A member of a structure at a place.
    pub(super) fn member_of(&mut self, of: &CudaType, place: &ValuePlace, name: &str) -> LoweringResult<Option<TypedValue>> {
        let Some(owner) = of.structure() else { return Ok(None) };
        let found = self.structures[owner].fields.iter().rposition(|f| &*f.name == name);
        found.map(|number| self.field_at(of, owner, number, place)).transpose()
    }

    /// A member by its number.
    pub(super) fn field_at(
        &mut self,
        of: &CudaType,
        owner: usize,
        number: usize,
        place: &ValuePlace,
    ) -> LoweringResult<TypedValue> {
        let field = self.structures[owner].fields[number].clone();
        let place = Self::field_place(place, &field);
        if field.is_reference {
            let pointer = self.load(&place, &CudaType::pointer(field.ty.clone()))?;
            return self.pointed(pointer, self.position);
        }
        let is_constant = of.is_constant && !field.is_mutable;
        let ty = field.ty.within(&CudaType { is_constant, ..of.clone() });
        Ok(TypedValue::place(ty, place))
    }

    /// Where a member of a structure at a place is.
    pub(super) fn field_place(place: &ValuePlace, field: &FieldLayout) -> ValuePlace {
        let word = Self::behind(place, field.offset as i64);
        match (field.bits, place) {
            (Some(BitsLayout { first, count, least: (further, bytes) }), ValuePlace::Memory { space: KnownSpace::Local, .. }) => {
                let word = Box::new(Self::behind(&word, further as i64));
                ValuePlace::Bits { word, bytes: bytes as u8, first: first - 8 * further as u32, count }
            }
            (Some(BitsLayout { first, count, .. }), _) => {
                ValuePlace::Bits { word: Box::new(word), bytes: field.ty.bytes() as u8, first, count }
            }
            (None, _) => word,
        }
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

/// Members of some bits whose smallest words are part of another's have that one.
fn widened(fields: &mut [FieldLayout]) {
    let words: Vec<(u64, u64)> =
        fields.iter().filter_map(|f| f.bits.map(|bits| (f.offset + bits.least.0, bits.least.1))).collect();
    for field in fields {
        let Some(bits) = &mut field.bits else { continue };
        let own = (field.offset + bits.least.0, bits.least.1);
        let around =
            words.iter().filter(|(start, size)| *start <= own.0 && own.0 + own.1 <= start + size && *start >= field.offset);
        if let Some(&(start, size)) = around.max_by_key(|(_, size)| *size) {
            bits.least = (start - field.offset, size);
        }
    }
}

/// A type without what says that it does not change.
pub(super) fn strip(tree: &TypeTree) -> &TypeTree {
    match tree {
        TypeTree::Constant(of) | TypeTree::Rvalue(of) => strip(of),
        other => other,
    }
}
