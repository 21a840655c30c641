//! Copies that go on while their thread does: `cp.async`, `cp.async.bulk`, those by a tensor map,
//! and their groups (PTX ISA 9.7.9.25).

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::mbarrier::Mbarrier;

use super::super::qualifier::{Mnemonic, function_from_name, space_from_name};
use super::Operands;
use super::asynchronous::COMPLETES;
use crate::test::{
    Address, AsyncAction, AsyncCompletion, AsyncFamily, AsyncGroupAction, AsyncOperation,
    AtomFunction, Operation, Space, TestOperand, Type,
};

/// How many bytes a copy by a tensor map is of, where the test does not say.
const BOX: i64 = 16;

impl Operands<'_, '_> {
    /// `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`, their groups, and
    /// `cp.async.mbarrier.arrive`
    pub(super) fn copy(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        self.refuse_asynchronous(m)?;
        let reduces = m.take_word(&["reduce"]).is_some();
        if m.take_word(&["async"]).is_none() {
            return Err(self.cursor.error(
                "`cp` needs `.async`",
                m.span,
                "PTX has `cp.async` and `cp.async.bulk`",
            ));
        }
        let bulk = m.take_word(&["bulk"]).is_some();
        if reduces && !bulk {
            return Err(self.cursor.error(
                "`cp.reduce.async` needs `.bulk`",
                m.span,
                "only bulk copies reduce",
            ));
        }
        if m.take_word(&["mbarrier"]).is_some() {
            return self.arrive_of_copies(m, bulk);
        }
        if let Some(word) = m.take_word(&["commit_group", "wait_group", "wait_all"]) {
            return self.group_of_copies(m, bulk, word);
        }
        let hint = m.has_cache_hint();
        m.qualifiers.retain(|(w, _)| !w.starts_with("L2::"));
        if !bulk {
            m.take_word(&["ca", "cg"]);
        }
        let tensor = bulk && m.take_word(&["tensor"]).is_some();
        if tensor {
            // How coordinates are counted, and how a box lies in memory: a box is one location
            // here.
            let shapes = ["1d", "2d", "3d", "4d", "5d", "cta_group::1"];
            m.qualifiers.retain(|(w, _)| {
                !shapes.contains(w)
                    && *w != "tile"
                    && !w.starts_with("tile::")
                    && !w.starts_with("im2col")
            });
        }
        let by_group = m.take_word(&["bulk_group"]).is_some();
        let by_mbarrier = m.take_word(&[COMPLETES]).is_some();
        let multicast = m.take_word(&["multicast::cluster"]).is_some();
        let function =
            if reduces { m.take(self.cursor, "function", function_from_name)? } else { None };
        // The type of what a tensor map names is in the map.
        let ty =
            if reduces && !tensor { m.take(self.cursor, "type", Type::from_name)? } else { None };
        let (to_space, from_space) = self.spaces(m, bulk, reduces)?;
        m.finish(
            self.cursor,
            &[
                "shared::cluster",
                "shared::cta",
                "global",
                COMPLETES,
                "bulk_group",
                "multicast::cluster",
            ],
        )?;
        if bulk && by_group == by_mbarrier {
            let label = format!("write `.{COMPLETES}` or `.bulk_group`");
            return Err(self.cursor.error(
                "a bulk operation needs one completion mechanism",
                m.span,
                label,
            ));
        }
        if bulk && by_group != (to_space == Space::Global) {
            let message = "only an operation into global memory completes in a group, and it does nothing else";
            let label = if by_group {
                format!("write `.{COMPLETES}`")
            } else {
                "write `.bulk_group`".to_owned()
            };
            return Err(self.cursor.error(message, m.span, label));
        }
        let start = self.cursor.span();
        let most = Mbarrier::MOST_BYTES;
        if tensor {
            let is_function = |f: &AtomFunction| {
                !matches!(f, AtomFunction::Exchange | AtomFunction::CompareAndSwap)
            };
            if reduces && !function.as_ref().is_some_and(is_function) {
                return Err(self.cursor.error(
                    "`cp.reduce.async.bulk.tensor` needs a function",
                    m.span,
                    "write e.g. `.add`",
                ));
            }
            return self.tile((to_space, from_space), function, by_mbarrier, multicast, hint);
        }
        let to = self.destinations(multicast)?;
        self.comma()?;
        let from = self.address()?;
        self.comma()?;
        let bytes = self.count("the number of bytes", 1, most)?;
        let completion = match by_mbarrier {
            true => {
                self.comma()?;
                AsyncCompletion::Mbarriers(self.destinations(multicast)?)
            }
            false => AsyncCompletion::Group,
        };
        if multicast && self.cursor.eat(',') {
            // The mask of ctas: the destinations say which.
            self.value()?;
        }
        self.cache_policy(hint)?;
        self.one_mbarrier_each(&to, &completion, start)?;
        if !bulk && !self.cursor.at_end() {
            let error = self.cursor.error(
                "a `cp.async` that copies less than it writes is not modelled",
                self.cursor.span(),
                "this operand",
            );
            return Err(error.help("write the copy without a source size and without a predicate that ignores the source"));
        }
        let action = match (reduces, function) {
            (false, _) => AsyncAction::Copy { to, from, bytes },
            (true, Some(function))
                if !matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap) =>
            {
                AsyncAction::ReduceFrom { function, ty, to: only(to), from, bytes }
            }
            (true, _) => {
                return Err(self.cursor.error(
                    "`cp.reduce.async.bulk` needs a function",
                    m.span,
                    "write e.g. `.add`",
                ));
            }
        };
        let family = family(bulk);
        Ok(Operation::Async(AsyncOperation {
            family,
            to_space,
            from_space: Some(from_space),
            action,
            completion,
        }))
    }

    /// `cp.async.mbarrier.arrive`, behind `mbarrier`
    fn arrive_of_copies(
        &mut self,
        m: &mut Mnemonic<'_>,
        bulk: bool,
    ) -> Result<Operation, Diagnostic> {
        let arrives = m.take_word(&["arrive"]).is_some();
        let counted = m.take_word(&["noinc"]).is_some();
        self.space_of_mbarrier(m)?;
        m.take_word(&["b64"]);
        m.finish(self.cursor, &["arrive", "noinc", "shared", "b64"])?;
        if !arrives || bulk {
            return Err(self.cursor.error(
                "expected `cp.async.mbarrier.arrive`",
                m.span,
                "not this",
            ));
        }
        Ok(Operation::AsyncArrive {
            family: AsyncFamily::Element,
            address: self.address()?,
            counted,
        })
    }

    /// `cp.async.commit_group`, `.wait_group`, `.wait_all`, and those of bulk copies
    fn group_of_copies(
        &mut self,
        m: &mut Mnemonic<'_>,
        bulk: bool,
        word: &str,
    ) -> Result<Operation, Diagnostic> {
        let reads = bulk && word == "wait_group" && m.take_word(&["read"]).is_some();
        m.finish(self.cursor, &["read"])?;
        let action = match word {
            "commit_group" => AsyncGroupAction::Commit,
            "wait_all" if bulk => {
                return Err(self.cursor.error(
                    "there is no `cp.async.bulk.wait_all`",
                    m.span,
                    "write `.wait_group 0`",
                ));
            }
            "wait_all" => AsyncGroupAction::WaitAll,
            _ => AsyncGroupAction::Wait {
                left: self.count("the number of groups", 0, 64)? as u32,
                reads,
            },
        };
        Ok(Operation::AsyncGroup { family: family(bulk), action })
    }

    /// With `.multicast::cluster`: are there as many mbarriers as destinations?
    fn one_mbarrier_each(
        &self,
        to: &[Address],
        completion: &AsyncCompletion,
        start: Span,
    ) -> Result<(), Diagnostic> {
        match completion {
            AsyncCompletion::Mbarriers(mbarriers) if mbarriers.len() != to.len() => {
                let message =
                    format!("{} destinations and {} mbarriers", to.len(), mbarriers.len());
                Err(self.cursor.error(
                    message,
                    start.to(self.cursor.previous()),
                    "each destination has its own mbarrier",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The operands of `cp.async.bulk.tensor`. PTX has the number of bytes in the map; here it may
    /// stand where a bulk copy has it.
    fn tile(
        &mut self,
        (to_space, from_space): (Space, Space),
        function: Option<AtomFunction>,
        by_mbarrier: bool,
        multicast: bool,
        hint: bool,
    ) -> Result<Operation, Diagnostic> {
        let start = self.cursor.span();
        let into_shared = to_space == Space::Shared;
        let (shared, (map, global)) = if into_shared {
            let shared = self.destinations(multicast)?;
            self.comma()?;
            (shared, self.map_and_box()?)
        } else {
            let tile = self.map_and_box()?;
            self.comma()?;
            (vec![self.address()?], tile)
        };
        let mut bytes = BOX;
        let mut mbarriers = Vec::new();
        if self.cursor.is(',') && self.cursor.is_integer_at(1) {
            self.comma()?;
            bytes = self.count("the number of bytes", 1, Mbarrier::MOST_BYTES)?;
        }
        if by_mbarrier {
            self.comma()?;
            mbarriers = self.destinations(multicast)?;
        }
        if multicast && self.cursor.eat(',') {
            // The mask of ctas: the destinations say which.
            self.value()?;
        }
        self.cache_policy(hint)?;
        let completion = if by_mbarrier {
            AsyncCompletion::Mbarriers(mbarriers)
        } else {
            AsyncCompletion::Group
        };
        self.one_mbarrier_each(&shared, &completion, start)?;
        let action = AsyncAction::Tile { function, map, into_shared, shared, global, bytes };
        let family = AsyncFamily::Bulk;
        Ok(Operation::Async(AsyncOperation {
            family,
            to_space,
            from_space: Some(from_space),
            action,
            completion,
        }))
    }

    /// `[t, {0, 0}]`: the map, and the box at the address that it holds; `[t, x]`: the box is `x`,
    /// whatever the map holds; `[{t[0], t[1]}, x]`: the map is in several places.
    fn map_and_box(&mut self) -> Result<(Vec<Address>, Option<Address>), Diagnostic> {
        let start = self.cursor.span();
        if !self.cursor.eat('[') {
            let error = self.cursor.expected("`[`");
            return Err(error.help(
                "a tensor map stands with its coordinates, `[t, {0}]`: what is at the address that it holds; or with what is copied, `[t, x]`",
            ));
        }
        let map = self.destinations(true)?;
        let mut global = None;
        if self.cursor.eat(',') {
            if self.cursor.eat('{') {
                loop {
                    let place = self.cursor.span();
                    if self.value()? != TestOperand::Integer(0) {
                        let error = self.cursor.error(
                            "which box a tensor map makes of coordinates is not modelled",
                            place,
                            "not 0",
                        );
                        return Err(error.help(
                            "write 0 for each of them, which is the location whose address the map holds, or that location itself: `[t, x]`",
                        ));
                    }
                    if !self.cursor.eat(',') {
                        break;
                    }
                }
                self.cursor.expect('}')?;
            } else {
                global = Some(self.address()?);
            }
        }
        self.cursor.expect(']')?;
        if map.len() > 1 && global.is_none() {
            let error = self.cursor.error(
                "a tensor map in several places holds no address",
                start.to(self.cursor.previous()),
                "here",
            );
            return Err(error.help("write the location that is copied: `[{t[0], t[1]}, x]`"));
        }
        Ok((map, global))
    }

    /// `[x]`, or with `.multicast::cluster` `{x, y}`.
    fn destinations(&mut self, multicast: bool) -> Result<Vec<Address>, Diagnostic> {
        if !(multicast && self.cursor.eat('{')) {
            return Ok(vec![self.address()?]);
        }
        let mut all = vec![self.address()?];
        while self.cursor.eat(',') {
            all.push(self.address()?);
        }
        self.cursor.expect('}')?;
        Ok(all)
    }

    /// The state spaces written to and read from, in the order in which they stand.
    fn spaces(
        &self,
        m: &mut Mnemonic<'_>,
        bulk: bool,
        reduces: bool,
    ) -> Result<(Space, Space), Diagnostic> {
        let written: Vec<(&str, Span)> =
            m.qualifiers.iter().copied().filter(|(w, _)| space_from_name(w).is_some()).collect();
        let [(to, _), (from, _)] = written.as_slice() else {
            let example = if bulk {
                "cp.async.bulk.shared::cluster.global"
            } else {
                "cp.async.ca.shared.global"
            };
            return Err(self.cursor.error(
                "expected two state spaces",
                m.span,
                format!("where to and where from, e.g. `{example}`"),
            ));
        };
        let (to, from) = (*to, *from);
        m.qualifiers.retain(|(w, _)| space_from_name(w).is_none());
        let spaces = (
            space_from_name(to).unwrap_or(Space::Global),
            space_from_name(from).unwrap_or(Space::Global),
        );
        let exists = match spaces {
            (Space::Shared, Space::Global) => !reduces,
            (Space::Global, Space::Shared) => bulk,
            (Space::Shared, Space::Shared) => {
                bulk && to == "shared::cluster" && from == "shared::cta"
            }
            _ => false,
        };
        if exists {
            return Ok(spaces);
        }
        Err(self.cursor.error(
            format!("PTX has no such copy from `.{from}` to `.{to}`"),
            m.span,
            "these two state spaces",
        ))
    }
}

/// That of `cp.async`, or of `cp.async.bulk`.
fn family(bulk: bool) -> AsyncFamily {
    if bulk { AsyncFamily::Bulk } else { AsyncFamily::Element }
}

/// The one destination of what is not multicast.
fn only(mut all: Vec<Address>) -> Address {
    all.swap_remove(0)
}
