//! `tcgen05`: tensor memory (PTX ISA 9.7.16), as operations that read and write, whatever they
//! compute.

use margay_models::diagnostic::{Diagnostic, Span};

use super::super::qualifier::Mnemonic;
use super::Operands;
use crate::test::{
    Address, AsyncAction, AsyncCompletion, AsyncFamily, AsyncGroupAction, AsyncOperation,
    Operation, Space, TestOperand,
};

/// The instructions that are read. A word may have more behind it: `fence::before_thread_sync`,
/// `wait::ld`.
const NAMES: [&str; 10] = [
    "ld",
    "st",
    "cp",
    "mma",
    "dealloc",
    "commit",
    "fence::before_thread_sync",
    "fence::after_thread_sync",
    "wait::ld",
    "wait::st",
];

/// Instructions and qualifiers that are refused: the word, and why.
const REFUSED: [(&str, &str); 7] = [
    ("alloc", "tensor memory is declared in the initial state, `tensor t=0`"),
    ("relinquish_alloc_permit", "tensor memory is declared in the initial state, `tensor t=0`"),
    ("shift", "what it makes of a row is not modelled"),
    ("cta_group::2", "pairs of ctas are not modelled"),
    ("multicast::cluster", "a commit on several mbarriers is not modelled: write one for each"),
    ("sp", "the metadata of sparse matrices are not modelled"),
    ("red", "what it makes of several columns is not modelled"),
];

impl Operands<'_, '_> {
    /// An instruction of `tcgen05`.
    pub(super) fn tensor(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        let refused = m.qualifiers.iter().find_map(|(word, span)| {
            let (_, why) = REFUSED.iter().find(|(name, _)| name == word)?;
            Some(self.cursor.error(
                format!("a `tcgen05` with `.{word}` is not modelled"),
                *span,
                *why,
            ))
        });
        if let Some(error) = refused {
            return Err(error);
        }
        let Some((name, place)) = m.qualifiers.first().copied() else {
            let label = format!("write one of .{}", NAMES.join(", ."));
            return Err(self.cursor.error("`tcgen05` needs an operation", m.span, label));
        };
        if !NAMES.contains(&name) {
            return Err(self.cursor.unknown("operation of tensor memory", name, place, NAMES));
        }
        m.qualifiers.remove(0);
        match name {
            "fence::before_thread_sync" | "fence::after_thread_sync" => {
                m.finish(self.cursor, &[])?;
                Ok(Operation::TensorFence { after: name == "fence::after_thread_sync" })
            }
            "wait::ld" | "wait::st" => {
                m.take_word(&["sync"]);
                m.take_word(&["aligned"]);
                m.finish(self.cursor, &["sync", "aligned"])?;
                let family = if name == "wait::ld" {
                    AsyncFamily::TensorLoad
                } else {
                    AsyncFamily::TensorStore
                };
                Ok(Operation::AsyncGroup { family, action: AsyncGroupAction::WaitAll })
            }
            "commit" => {
                m.take_word(&["cta_group::1"]);
                let arrives = m.take_word(&["mbarrier::arrive::one"]).is_some();
                self.space_of_mbarrier(m)?;
                m.take_word(&["b64"]);
                m.finish(
                    self.cursor,
                    &["cta_group::1", "mbarrier::arrive::one", "shared::cluster", "b64"],
                )?;
                if !arrives {
                    let label = "write `.mbarrier::arrive::one`";
                    return Err(self.cursor.error(
                        "`tcgen05.commit` needs its completion mechanism",
                        m.span,
                        label,
                    ));
                }
                Ok(Operation::AsyncArrive {
                    family: AsyncFamily::TensorCore,
                    address: self.address()?,
                    counted: true,
                })
            }
            _ => {
                // Shapes, kinds and types: what is computed is not looked at.
                let whole = m.span;
                m.qualifiers.clear();
                let action = self.tensor_action(name, whole)?;
                let (family, to_space, from_space) = match name {
                    "ld" => (AsyncFamily::TensorLoad, Space::Tensor, Some(Space::Tensor)),
                    "st" => (AsyncFamily::TensorStore, Space::Tensor, None),
                    "dealloc" => (AsyncFamily::TensorFree, Space::Tensor, None),
                    _ => (AsyncFamily::TensorCore, Space::Tensor, Some(Space::Shared)),
                };
                Ok(Operation::Async(AsyncOperation {
                    family,
                    to_space,
                    from_space,
                    action,
                    completion: AsyncCompletion::Group,
                }))
            }
        }
    }

    fn tensor_action(&mut self, name: &str, whole: Span) -> Result<AsyncAction, Diagnostic> {
        match name {
            "ld" => {
                let to = self.in_braces(Self::destination)?;
                self.comma()?;
                Ok(AsyncAction::TensorLoad { to, from: self.address()? })
            }
            "st" => {
                let to = self.address()?;
                self.comma()?;
                Ok(AsyncAction::TensorStore { to, value: self.in_braces(Self::value)? })
            }
            "dealloc" => {
                let to = self.address()?;
                if self.cursor.eat(',') {
                    // How many columns: a location stands for all of them.
                    self.value()?;
                }
                Ok(AsyncAction::TensorFree { to })
            }
            "cp" => {
                let to = self.address()?;
                self.comma()?;
                Ok(AsyncAction::TensorCompute {
                    to,
                    from: vec![self.address()?],
                    accumulates: false,
                })
            }
            _ => {
                let mut addresses: Vec<Address> = vec![self.address()?];
                while addresses.len() < 3 && self.cursor.eat(',') {
                    addresses.push(self.address()?);
                }
                if addresses.len() < 3 {
                    let error = self.cursor.error(
                        "`tcgen05.mma` needs three addresses",
                        whole,
                        "the accumulator and two matrices",
                    );
                    return Err(error.help(
                        "write the accumulator in tensor memory, the matrices in shared memory, and 1 if what is there is added: \
                         `tcgen05.mma.cta_group::1.kind::f16 d, x, y, 1`",
                    ));
                }
                let (mut last, mut span) = (TestOperand::Integer(0), whole);
                while self.cursor.eat(',') {
                    span = self.cursor.span();
                    last = self.value()?;
                }
                let accumulates = match last {
                    TestOperand::Integer(0) => false,
                    TestOperand::Integer(1) => true,
                    _ => {
                        let message = "whether a `tcgen05.mma` adds what is there is written as 0 or 1, its last operand";
                        return Err(self.cursor.error(message, span, "this operand"));
                    }
                };
                let to = addresses.remove(0);
                Ok(AsyncAction::TensorCompute { to, from: addresses, accumulates })
            }
        }
    }

    /// `r0` or `{r0}`
    fn in_braces<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let braces = self.cursor.eat('{');
        let one = read(self)?;
        if braces {
            if self.cursor.is(',') {
                let error = self.cursor.error(
                    "a `tcgen05` of several registers",
                    self.cursor.span(),
                    "one is read here",
                );
                return Err(error.help("write one instruction for each location of tensor memory"));
            }
            self.cursor.expect('}')?;
        }
        Ok(one)
    }
}
