//! Types with their pointers, references and arrays, where no name is declared.

use super::{MAX_CHAIN, ProgramReader};
use crate::lex::{CudaRefusal, Lexeme};
use crate::tree::TypeTree;

impl ProgramReader {
    /// A type with its pointers and arrays, without a name.
    pub(super) fn type_name(&mut self) -> Result<TypeTree, CudaRefusal> {
        let specifiers = self.specifiers(false)?;
        let ty = self.pointers(specifiers.ty)?;
        // A pointer to a function or to an array, or a reference to one.
        if self.is("(") && (self.after(1).is_sign("*") || self.after(1).is_sign("&")) {
            let is_reference = self.after(1).is_sign("&");
            self.skip_brackets()?;
            let of = match self.is("[") {
                true => self.arrays(ty)?,
                false => TypeTree::Function,
            };
            if self.is("(") {
                self.skip_brackets()?;
            }
            return Ok(match is_reference {
                true => TypeTree::Reference(Box::new(of)),
                false => TypeTree::Pointer(Box::new(of)),
            });
        }
        self.arrays(ty)
    }

    /// `*`, `&` and what stands between them.
    pub(super) fn pointers(&mut self, mut ty: TypeTree) -> Result<TypeTree, CudaRefusal> {
        let mut count = 0;
        loop {
            count += 1;
            if count > MAX_CHAIN / 4 {
                return Err(self.too_long());
            }
            ty = match &self.token().lexeme {
                Lexeme::Sign("*") => TypeTree::Pointer(Box::new(ty)),
                Lexeme::Sign("&") => TypeTree::Reference(Box::new(ty)),
                Lexeme::Sign("&&") => TypeTree::Reference(Box::new(TypeTree::Rvalue(Box::new(ty)))),
                Lexeme::Word(word) => match &**word {
                    "const" => TypeTree::Constant(Box::new(ty)),
                    "volatile" => TypeTree::Volatile(Box::new(ty)),
                    "__restrict__" | "__restrict" | "restrict" | "__grid_constant__" => ty,
                    _ => return Ok(ty),
                },
                _ => return Ok(ty),
            };
            self.advance();
        }
    }

    /// The sizes of an array behind a name.
    pub(super) fn arrays(&mut self, ty: TypeTree) -> Result<TypeTree, CudaRefusal> {
        let mut sizes = Vec::new();
        while self.is("[") && !self.after(1).is_sign("[") {
            self.advance();
            let outer = std::mem::replace(&mut self.is_in_arguments, false);
            let size = if self.is("]") { None } else { Some(Box::new(self.choice()?)) };
            self.is_in_arguments = outer;
            self.expect("]", "behind the size of an array")?;
            sizes.push(size);
            if sizes.len() > 16 {
                return Err(self.too_long());
            }
        }
        Ok(sizes.into_iter().rev().fold(ty, |ty, size| TypeTree::Array(Box::new(ty), size)))
    }
}
