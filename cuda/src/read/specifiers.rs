//! What stands in front of a declared name: its type, and what else is said of it.

use std::rc::Rc;

use super::ProgramReader;
use crate::lex::{CudaRefusal, Lexeme};
use crate::tree::{CudaExpression, Storage, TemplateParameter, TypeTree};

/// What stands in front of a name: its type, and what else is said.
#[derive(Debug, Clone)]
pub(super) struct DeclarationSpecifiers {
    pub ty: TypeTree,
    pub is_constant: bool,
    /// `constexpr`.
    pub is_computed: bool,
    pub is_typedef: bool,
    pub is_static: bool,
    pub is_explicit: bool,
    pub is_mutable: bool,
    pub is_extern: bool,
    pub is_kernel: bool,
    pub is_device: bool,
    pub storage: Storage,
    pub alignment: Option<CudaExpression>,
    pub most_threads: Option<CudaExpression>,
    pub cluster: Vec<CudaExpression>,
    /// Was a type written?
    pub has_type: bool,
}

impl ProgramReader {
    pub(super) fn specifiers_of(
        &mut self,
        template: Option<Rc<[TemplateParameter]>>,
    ) -> Result<DeclarationSpecifiers, CudaRefusal> {
        if template.is_some() && !self.is_word("enum") {
            // A template of a structure: nothing stands in front of it, and it has no variables.
            let ty = self.structure(template)?;
            return Ok(DeclarationSpecifiers { ty, ..plain_specifiers() });
        }
        self.specifiers(true)
    }

    /// What stands in front of a name.
    pub(super) fn specifiers(
        &mut self,
        is_declaration: bool,
    ) -> Result<DeclarationSpecifiers, CudaRefusal> {
        let mut found = plain_specifiers();
        let (mut bytes, mut sign, mut base): (Option<u8>, Option<bool>, Option<TypeTree>) =
            (None, None, None);
        let (mut is_const, mut is_volatile, mut longs) = (false, false, 0);
        let start = self.at();
        loop {
            self.skip_attributes()?;
            let Some(word) = self.token().word().cloned() else {
                if self.is("::")
                    && base.is_none()
                    && bytes.is_none()
                    && sign.is_none()
                    && self.is_at_type()
                {
                    base = Some(TypeTree::Named(self.path()?));
                    continue;
                }
                break;
            };
            match &*word {
                "const" => is_const = true,
                "volatile" => is_volatile = true,
                "constexpr" | "consteval" if is_declaration => {
                    found.is_computed = true;
                    found.is_constant = true;
                    found.is_device = true;
                }
                "typedef" if is_declaration => found.is_typedef = true,
                "static" if is_declaration => found.is_static = true,
                "extern" if is_declaration => {
                    found.is_extern = true;
                    if matches!(self.after(1).lexeme, Lexeme::Text(_)) {
                        found.is_extern = false;
                        self.advance();
                    }
                }
                "explicit" if is_declaration => found.is_explicit = true,
                "mutable" if is_declaration => found.is_mutable = true,
                "inline" | "__inline__" | "__forceinline__" | "__noinline__" | "__host__"
                | "register" | "virtual" | "friend" | "thread_local" | "constinit"
                    if is_declaration => {}
                "typename" | "__restrict__" | "__grid_constant__" | "__extension__" => {}
                "__global__" if is_declaration => {
                    found.is_kernel = true;
                    found.is_device = true;
                }
                "__device__" if is_declaration => {
                    found.is_device = true;
                    if found.storage == Storage::Automatic {
                        found.storage = Storage::Device;
                    }
                }
                "__managed__" if is_declaration => found.storage = Storage::Device,
                "__shared__" if is_declaration => found.storage = Storage::Shared,
                "__constant__" if is_declaration => found.storage = Storage::Constant,
                "alignas" | "__align__" => {
                    self.advance();
                    self.expect("(", "behind an alignment")?;
                    found.alignment = Some(match self.is_at_type() {
                        true => {
                            let at = self.at();
                            CudaExpression {
                                what: crate::tree::ExpressionKind::SizeOfType(self.type_name()?),
                                at,
                            }
                        }
                        false => self.choice()?,
                    });
                    if !self.is(")") {
                        return Err(self.expected("`)` behind an alignment"));
                    }
                }
                "__launch_bounds__" if is_declaration => {
                    self.advance();
                    found.most_threads = self.arguments()?.into_iter().next();
                    continue;
                }
                "__cluster_dims__" if is_declaration => {
                    self.advance();
                    found.cluster = self.arguments()?;
                    continue;
                }
                "void" => base = Some(TypeTree::Void),
                "bool" => base = Some(TypeTree::Bool),
                "float" => base = Some(TypeTree::Real(4)),
                "double" => base = Some(TypeTree::Real(8)),
                "auto" => base = Some(TypeTree::Auto),
                "char" => bytes = Some(1),
                "short" => bytes = Some(2),
                "int" => bytes = bytes.or(Some(4)),
                "long" => {
                    longs += 1;
                    bytes = Some(8);
                }
                "unsigned" => sign = Some(false),
                "signed" => sign = Some(true),
                "__int128" => {
                    return Err(CudaRefusal::new(
                        self.at(),
                        "numbers of 128 bits are not understood",
                        "use two of 64 bits",
                    ));
                }
                "decltype" => {
                    self.advance();
                    self.expect("(", "behind `decltype`")?;
                    let outer = std::mem::replace(&mut self.is_in_arguments, false);
                    base = Some(match self.eat_word("auto") {
                        true => TypeTree::AutoAsIs,
                        false => TypeTree::OfExpression(Box::new(self.expression()?)),
                    });
                    self.is_in_arguments = outer;
                    if !self.is(")") {
                        return Err(self.expected("`)` behind `decltype`"));
                    }
                }
                "struct" | "class" | "union" | "enum" if base.is_none() => {
                    base = Some(match &*word {
                        "enum" => self.enumeration()?,
                        _ => self.structure(None)?,
                    });
                    continue;
                }
                _ if is_declaration
                    && base.is_none()
                    && bytes.is_none()
                    && sign.is_none()
                    && self.is_member_without_type_ahead() =>
                {
                    break;
                }
                _ if base.is_none() && bytes.is_none() && sign.is_none() && self.is_at_type() => {
                    base = Some(TypeTree::Named(self.path()?));
                    continue;
                }
                _ => break,
            }
            self.advance();
        }
        if longs == 2 && matches!(base, Some(TypeTree::Real(_))) || longs > 2 {
            return Err(CudaRefusal::new(
                self.since(start),
                "this is no type",
                "write a type as `unsigned long long`",
            ));
        }
        found.has_type = base.is_some() || bytes.is_some() || sign.is_some();
        let mut ty = match (base, bytes) {
            (Some(base), _) => base,
            (None, Some(bytes)) => TypeTree::Integer(
                bytes,
                sign.unwrap_or(true),
                bytes == 8 && longs > 1 || bytes == 1 && sign == Some(true),
            ),
            (None, None) if sign.is_some() => TypeTree::Integer(4, sign.unwrap_or(true), false),
            // A constructor has none.
            (None, None) if is_declaration => TypeTree::Void,
            (None, None) => return Err(self.unknown_type()),
        };
        if is_volatile {
            ty = TypeTree::Volatile(Box::new(ty));
        }
        if is_const {
            found.is_constant = true;
            ty = TypeTree::Constant(Box::new(ty));
        }
        found.ty = ty;
        Ok(found)
    }

    /// Does `S::S(`, `S::~S(` or `S::operator` begin here: a member without a type in front of it,
    /// defined outside of its structure?
    pub(super) fn is_member_without_type_ahead(&self) -> bool {
        let mut n = self.next;
        loop {
            let Some(owner) = self.tokens[n].word() else { return false };
            n += 1;
            if self.tokens[n].is_sign("<") && self.is_template(owner) {
                let Some(behind) = self.behind_arguments(n) else { return false };
                n = behind;
            }
            if !self.tokens[n].is_sign("::") {
                return false;
            }
            n += 1;
            let next = &self.tokens[n];
            let is_own = next.word().is_some_and(|w| w == owner) && self.tokens[n + 1].is_sign("(");
            if is_own || next.is_sign("~") || next.word().is_some_and(|w| &**w == "operator") {
                return true;
            }
        }
    }
}

pub(super) fn plain_specifiers() -> DeclarationSpecifiers {
    DeclarationSpecifiers {
        ty: TypeTree::Void,
        is_constant: false,
        is_computed: false,
        is_typedef: false,
        is_static: false,
        is_explicit: false,
        is_mutable: false,
        is_extern: false,
        is_kernel: false,
        is_device: false,
        storage: Storage::Automatic,
        alignment: None,
        most_threads: None,
        cluster: Vec::new(),
        has_type: false,
    }
}
