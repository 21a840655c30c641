//! Mbarriers, asynchronous operations, and what waits for them (PTX ISA 9.7.9.25, 9.7.13.15).

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Scope;
use margay_models::mbarrier::Mbarrier;

use super::super::qualifier::{Mnemonic, function_from_name, order_from_name, scope_from_name, space_from_name};
use super::Operands;
use crate::test::{
    AccessOrder, Address, AsyncAction, AsyncCompletion, AsyncFamily, AsyncGroupAction, AsyncOperation, AtomFunction,
    AwaitedPhase, MbarrierAction, MbarrierOperation, Operation, Space, TensormapOperation, Type, Value,
};

/// How many bytes a copy by a tensor map is of, where the test does not say.
const BOX: i64 = 16;

/// What an operation completes on.
const COMPLETES: &str = "mbarrier::complete_tx::bytes";

/// Qualifiers of asynchronous operations that are refused: the word, and why.
const REFUSED: [(&str, &str); 7] = [
    ("prefetch", "it changes no value and orders nothing: leave it out"),
    ("cp_mask", "a mask of bytes takes a location apart: write a copy of the bytes that are copied"),
    ("ignore_oob", "bytes outside of the source are not modelled"),
    ("mmio", "asynchronous accesses with memory orders are not modelled"),
    ("release", "asynchronous accesses with memory orders are not modelled"),
    ("noftz", "arithmetic of floating-point numbers is not modelled"),
    ("cta_group::2", "pairs of ctas are not modelled"),
];

impl Operands<'_, '_> {
    /// `mbarrier.init`, `.inval`, `.arrive`, `.arrive_drop`, `.expect_tx`, `.complete_tx`, `.test_wait`, `.try_wait`, `.pending_count`
    pub(super) fn mbarrier(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        const NAMES: [&str; 9] =
            ["init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count"];
        let Some((name, place)) = m.qualifiers.first().copied() else {
            return Err(self.cursor.error(
                "`mbarrier` needs an operation",
                m.span,
                format!("write one of .{}", NAMES.join(", .")),
            ));
        };
        if !NAMES.contains(&name) {
            return Err(self.cursor.unknown("operation on an mbarrier", name, place, NAMES));
        }
        m.qualifiers.remove(0);
        m.take_word(&["b64"]);
        if name == "pending_count" {
            m.finish(self.cursor, &["b64"])?;
            let destination = self.destination()?;
            self.comma()?;
            return Ok(Operation::PendingCount { destination, token: self.value()? });
        }
        let (is_remote, _) = self.space_of_mbarrier(m)?;
        let waits = matches!(name, "test_wait" | "try_wait");
        let ordered = waits || matches!(name, "arrive" | "arrive_drop");
        let expects = name.starts_with("arrive") && m.take_word(&["expect_tx"]).is_some();
        let incomplete = name.starts_with("arrive") && m.take_word(&["noComplete"]).is_some();
        let parity = waits && m.take_word(&["parity"]).is_some();
        let order_place = m.qualifiers.iter().find(|(w, _)| order_from_name(w).is_some()).map_or(m.span, |(_, span)| *span);
        let order = m.take(self.cursor, "memory order", order_from_name)?;
        let scope_place = m.qualifiers.iter().find(|(w, _)| scope_from_name(w).is_some()).map_or(m.span, |(_, span)| *span);
        let scope = m.take(self.cursor, "scope", scope_from_name)?;
        m.finish(
            self.cursor,
            &["parity", "expect_tx", "noComplete", "acquire", "release", "relaxed", "cta", "cluster", "shared", "b64"],
        )?;
        let strongest = if waits { AccessOrder::Acquire } else { AccessOrder::Release };
        let allowed: &[AccessOrder] = match name {
            "init" | "inval" => &[],
            _ if ordered => &[strongest, AccessOrder::Relaxed],
            _ => &[AccessOrder::Relaxed],
        };
        if let Some(order) = order.filter(|order| !allowed.contains(order)) {
            let orders: Vec<String> = allowed.iter().map(|order| format!("`.{}`", order.name())).collect();
            let label = if orders.is_empty() { "it has no order".to_owned() } else { format!("it is {}", orders.join(" or ")) };
            return Err(self.cursor.error(format!("`mbarrier.{name}` cannot be `.{}`", order.name()), order_place, label));
        }
        if let Some(scope) = scope.filter(|scope| allowed.is_empty() || !matches!(scope, Scope::Cta | Scope::Cluster)) {
            let message = format!("`mbarrier.{name}` cannot be of scope `.{}`", scope.name());
            return Err(self.cursor.error(message, scope_place, "an mbarrier is in shared memory: `.cta` or `.cluster`"));
        }
        if order == Some(AccessOrder::Relaxed) && scope.is_none() {
            return Err(self.cursor.error(
                format!("`mbarrier.{name}.relaxed` needs a scope"),
                m.span,
                "write `.cta` or `.cluster`",
            ));
        }
        let (order, scope) = (order.unwrap_or(strongest), scope.unwrap_or(Scope::Cta));
        match name {
            "init" => {
                let address = self.address()?;
                self.comma()?;
                let count = self.count("the number of arrivals", 1, Mbarrier::MOST_ARRIVALS)?;
                Ok(operation(address, is_remote, MbarrierAction::Initialise { count }))
            }
            "inval" => Ok(operation(self.address()?, is_remote, MbarrierAction::Invalidate)),
            "expect_tx" | "complete_tx" => {
                let address = self.address()?;
                self.comma()?;
                let bytes = self.count("the number of bytes", 0, Mbarrier::MOST_BYTES)?;
                let action = match name {
                    "expect_tx" => MbarrierAction::Expect { scope, bytes },
                    _ => MbarrierAction::Transfer { scope, bytes },
                };
                Ok(operation(address, is_remote, action))
            }
            _ if waits => {
                let destination = self.destination()?;
                self.comma()?;
                let address = self.address()?;
                self.comma()?;
                let start = self.cursor.span();
                let value = self.value()?;
                if parity && matches!(value, Value::Integer(n) if !matches!(n, 0 | 1)) {
                    return Err(self.cursor.error("a parity is 0 or 1", start, "this number"));
                }
                // A hint how long the thread may be suspended.
                if name == "try_wait" && self.cursor.eat(',') {
                    self.value()?;
                }
                let phase = if parity { AwaitedPhase::Parity(value) } else { AwaitedPhase::Token(value) };
                let action = MbarrierAction::Wait { suspends: name == "try_wait", destination, order, scope, phase };
                Ok(operation(address, is_remote, action))
            }
            _ => {
                let token = match self.cursor.eat_word("_") {
                    true => None,
                    false => Some(self.destination()?),
                };
                self.comma()?;
                let address = self.address()?;
                let (mut count, mut bytes) = (1, None);
                if expects {
                    self.comma()?;
                    bytes = Some(self.count("the number of bytes", 0, Mbarrier::MOST_BYTES)?);
                } else if self.cursor.eat(',') {
                    count = self.count("the number of arrivals", 1, Mbarrier::MOST_ARRIVALS)?;
                }
                let drops = name == "arrive_drop";
                Ok(operation(address, is_remote, MbarrierAction::Arrive { token, order, scope, count, bytes, drops, incomplete }))
            }
        }
    }

    /// `.shared`, `.shared::cta` or `.shared::cluster`: may the mbarrier be in another cta?
    pub(super) fn space_of_mbarrier(&self, m: &mut Mnemonic<'_>) -> Result<(bool, Option<Space>), Diagnostic> {
        let is_remote = m.qualifiers.iter().any(|(word, _)| *word == "shared::cluster");
        let place = m.qualifiers.iter().find(|(word, _)| space_from_name(word).is_some()).map_or(m.span, |(_, span)| *span);
        let space = m.take(self.cursor, "state space", space_from_name)?;
        if space == Some(Space::Global) {
            return Err(self.cursor.error("an mbarrier in global memory", place, "mbarriers are in shared memory"));
        }
        Ok((is_remote, space))
    }

    pub(super) fn count(&mut self, what: &str, least: i64, most: i64) -> Result<i64, Diagnostic> {
        let start = self.cursor.span();
        if !self.cursor.is_integer() {
            return Err(self.cursor.error(format!("{what} is written as a number here"), start, "no number"));
        }
        let count = self.cursor.integer(what)?;
        if !(least..=most).contains(&count) {
            return Err(self.cursor.error(format!("{what} is {least} to {most}"), start, "this number"));
        }
        Ok(count)
    }

    /// `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`, their groups, and `cp.async.mbarrier.arrive`
    pub(super) fn copy(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        self.refuse_asynchronous(m)?;
        let reduces = m.take_word(&["reduce"]).is_some();
        if m.take_word(&["async"]).is_none() {
            return Err(self.cursor.error("`cp` needs `.async`", m.span, "PTX has `cp.async` and `cp.async.bulk`"));
        }
        let bulk = m.take_word(&["bulk"]).is_some();
        if reduces && !bulk {
            return Err(self.cursor.error("`cp.reduce.async` needs `.bulk`", m.span, "only bulk copies reduce"));
        }
        if m.take_word(&["mbarrier"]).is_some() {
            let arrives = m.take_word(&["arrive"]).is_some();
            let counted = m.take_word(&["noinc"]).is_some();
            self.space_of_mbarrier(m)?;
            m.take_word(&["b64"]);
            m.finish(self.cursor, &["arrive", "noinc", "shared", "b64"])?;
            if !arrives || bulk {
                return Err(self.cursor.error("expected `cp.async.mbarrier.arrive`", m.span, "not this"));
            }
            return Ok(Operation::AsyncArrive { family: AsyncFamily::Element, address: self.address()?, counted });
        }
        if let Some(word) = m.take_word(&["commit_group", "wait_group", "wait_all"]) {
            let reads = bulk && word == "wait_group" && m.take_word(&["read"]).is_some();
            m.finish(self.cursor, &["read"])?;
            let action = match word {
                "commit_group" => AsyncGroupAction::Commit,
                "wait_all" if bulk => {
                    return Err(self.cursor.error("there is no `cp.async.bulk.wait_all`", m.span, "write `.wait_group 0`"));
                }
                "wait_all" => AsyncGroupAction::WaitAll,
                _ => AsyncGroupAction::Wait { left: self.count("the number of groups", 0, 64)? as u32, reads },
            };
            return Ok(Operation::AsyncGroup { family: family(bulk), action });
        }
        let hint = m.has_cache_hint();
        m.qualifiers.retain(|(w, _)| !w.starts_with("L2::"));
        if !bulk {
            m.take_word(&["ca", "cg"]);
        }
        let tensor = bulk && m.take_word(&["tensor"]).is_some();
        if tensor {
            // How coordinates are counted, and how a box lies in memory: a box is one location here.
            let shapes = ["1d", "2d", "3d", "4d", "5d", "cta_group::1"];
            m.qualifiers
                .retain(|(w, _)| !shapes.contains(w) && *w != "tile" && !w.starts_with("tile::") && !w.starts_with("im2col"));
        }
        let by_group = m.take_word(&["bulk_group"]).is_some();
        let by_mbarrier = m.take_word(&[COMPLETES]).is_some();
        let multicast = m.take_word(&["multicast::cluster"]).is_some();
        let function = if reduces { m.take(self.cursor, "function", function_from_name)? } else { None };
        // The type of what a tensor map names is in the map.
        let ty = if reduces && !tensor { m.take(self.cursor, "type", Type::from_name)? } else { None };
        let (to_space, from_space) = self.spaces(m, bulk, reduces)?;
        m.finish(self.cursor, &["shared::cluster", "shared::cta", "global", COMPLETES, "bulk_group", "multicast::cluster"])?;
        if bulk && by_group == by_mbarrier {
            let label = format!("write `.{COMPLETES}` or `.bulk_group`");
            return Err(self.cursor.error("a bulk operation needs one completion mechanism", m.span, label));
        }
        if bulk && by_group != (to_space == Space::Global) {
            let message = "only an operation into global memory completes in a group, and it does nothing else";
            let label = if by_group { format!("write `.{COMPLETES}`") } else { "write `.bulk_group`".to_owned() };
            return Err(self.cursor.error(message, m.span, label));
        }
        let start = self.cursor.span();
        let most = Mbarrier::MOST_BYTES;
        if tensor {
            let is_function = |f: &AtomFunction| !matches!(f, AtomFunction::Exchange | AtomFunction::CompareAndSwap);
            if reduces && !function.as_ref().is_some_and(is_function) {
                return Err(self.cursor.error("`cp.reduce.async.bulk.tensor` needs a function", m.span, "write e.g. `.add`"));
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
            (true, Some(function)) if !matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap) => {
                AsyncAction::ReduceFrom { function, ty, to: only(to), from, bytes }
            }
            (true, _) => return Err(self.cursor.error("`cp.reduce.async.bulk` needs a function", m.span, "write e.g. `.add`")),
        };
        let family = family(bulk);
        Ok(Operation::Async(AsyncOperation { family, to_space, from_space: Some(from_space), action, completion }))
    }

    /// With `.multicast::cluster`.
    fn one_mbarrier_each(&self, to: &[Address], completion: &AsyncCompletion, start: Span) -> Result<(), Diagnostic> {
        match completion {
            AsyncCompletion::Mbarriers(mbarriers) if mbarriers.len() != to.len() => {
                let message = format!("{} destinations and {} mbarriers", to.len(), mbarriers.len());
                Err(self.cursor.error(message, start.to(self.cursor.previous()), "each destination has its own mbarrier"))
            }
            _ => Ok(()),
        }
    }

    /// The operands of `cp.async.bulk.tensor`. PTX has the number of bytes in the map; here it may stand where a bulk copy has it.
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
        let completion = if by_mbarrier { AsyncCompletion::Mbarriers(mbarriers) } else { AsyncCompletion::Group };
        self.one_mbarrier_each(&shared, &completion, start)?;
        let action = AsyncAction::Tile { function, map, into_shared, shared, global, bytes };
        let family = AsyncFamily::Bulk;
        Ok(Operation::Async(AsyncOperation { family, to_space, from_space: Some(from_space), action, completion }))
    }

    /// `[t, {0, 0}]`: the map, and the box at the address that it holds; `[t, x]`: the box is `x`, whatever the map holds; `[{t[0], t[1]}, x]`:
    /// the map is in several places.
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
                    if self.value()? != Value::Integer(0) {
                        let error =
                            self.cursor.error("which box a tensor map makes of coordinates is not modelled", place, "not 0");
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
            let error =
                self.cursor.error("a tensor map in several places holds no address", start.to(self.cursor.previous()), "here");
            return Err(error.help("write the location that is copied: `[{t[0], t[1]}, x]`"));
        }
        Ok((map, global))
    }

    /// `tensormap.replace`, `tensormap.cp_fenceproxy`
    pub(super) fn tensormap(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        const NAMES: [&str; 2] = ["replace", "cp_fenceproxy"];
        let Some((name, place)) = m.qualifiers.first().copied() else {
            return Err(self.cursor.error(
                "`tensormap` needs an operation",
                m.span,
                format!("write one of .{}", NAMES.join(", .")),
            ));
        };
        if !NAMES.contains(&name) {
            return Err(self.cursor.unknown("operation on a tensor map", name, place, NAMES));
        }
        m.qualifiers.remove(0);
        if name == "cp_fenceproxy" {
            let whole =
                ["global", "shared::cta", "tensormap::generic", "release"].into_iter().all(|w| m.take_word(&[w]).is_some());
            let scope = m.take(self.cursor, "scope", scope_from_name)?;
            m.take_word(&["sync"]);
            m.take_word(&["aligned"]);
            m.finish(self.cursor, &["sync", "aligned", "cta", "cluster", "gpu", "sys"])?;
            let (true, Some(scope)) = (whole, scope) else {
                let label = "write e.g. `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned`";
                return Err(self.cursor.error("a copy of a tensor map with a fence", m.span, label));
            };
            let to = self.address()?;
            self.comma()?;
            let from = self.address()?;
            self.comma()?;
            self.size_of_map()?;
            return Ok(Operation::Tensormap(TensormapOperation::Publish { to, from, scope }));
        }
        const FIELDS: [&str; 10] = [
            "global_address",
            "rank",
            "box_dim",
            "global_dim",
            "global_stride",
            "element_stride",
            "elemtype",
            "interleave_layout",
            "swizzle_mode",
            "fill_mode",
        ];
        m.qualifiers.retain(|(w, _)| !["tile", "b1024", "b64", "b32", "swizzle_atomicity"].contains(w));
        m.take(self.cursor, "state space", space_from_name)?;
        let field = m.take_word(&FIELDS);
        m.finish(self.cursor, &FIELDS)?;
        let Some(field) = field else {
            let label = format!("write one of .{}", FIELDS.join(", ."));
            return Err(self.cursor.error("`tensormap.replace` needs a field", m.span, label));
        };
        let address = self.address()?;
        self.comma()?;
        let mut value = Some(self.value()?).filter(|_| field == "global_address");
        if self.cursor.eat(',') {
            // Behind the number of a dimension.
            self.value()?;
            value = None;
        }
        Ok(Operation::Tensormap(TensormapOperation::Replace { address, value }))
    }

    fn size_of_map(&mut self) -> Result<(), Diagnostic> {
        let bytes = TensormapOperation::BYTES;
        self.count("the size of a tensor map", bytes, bytes).map(drop)
    }

    /// `fence.proxy.tensormap::generic.release.gpu`, `fence.proxy.tensormap::generic.acquire.gpu [t], 128`
    pub(super) fn tensormap_fence(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        let acquires = m.take_word(&["acquire"]).is_some();
        let releases = m.take_word(&["release"]).is_some();
        let scope = m.take(self.cursor, "scope", scope_from_name)?;
        m.finish(self.cursor, &["acquire", "release", "cta", "cluster", "gpu", "sys"])?;
        let (true, Some(scope)) = (acquires != releases, scope) else {
            let error = self.cursor.error("a fence of the tensormap proxy is of one direction and of a scope", m.span, "here");
            return Err(error.help(
                "write e.g. `fence.proxy.tensormap::generic.release.gpu`, or `fence.proxy.tensormap::generic.acquire.gpu [t], 128`",
            ));
        };
        if releases {
            return Ok(Operation::Tensormap(TensormapOperation::Release { scope }));
        }
        let address = self.address()?;
        self.comma()?;
        self.size_of_map()?;
        Ok(Operation::Tensormap(TensormapOperation::Acquire { address, scope }))
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
    fn spaces(&self, m: &mut Mnemonic<'_>, bulk: bool, reduces: bool) -> Result<(Space, Space), Diagnostic> {
        let written: Vec<(&str, Span)> = m.qualifiers.iter().copied().filter(|(w, _)| space_from_name(w).is_some()).collect();
        let [(to, _), (from, _)] = written.as_slice() else {
            let example = if bulk { "cp.async.bulk.shared::cluster.global" } else { "cp.async.ca.shared.global" };
            return Err(self.cursor.error(
                "expected two state spaces",
                m.span,
                format!("where to and where from, e.g. `{example}`"),
            ));
        };
        let (to, from) = (*to, *from);
        m.qualifiers.retain(|(w, _)| space_from_name(w).is_none());
        let spaces = (space_from_name(to).unwrap_or(Space::Global), space_from_name(from).unwrap_or(Space::Global));
        let exists = match spaces {
            (Space::Shared, Space::Global) => !reduces,
            (Space::Global, Space::Shared) => bulk,
            (Space::Shared, Space::Shared) => bulk && to == "shared::cluster" && from == "shared::cta",
            _ => false,
        };
        if exists {
            return Ok(spaces);
        }
        Err(self.cursor.error(format!("PTX has no such copy from `.{from}` to `.{to}`"), m.span, "these two state spaces"))
    }

    fn refuse_asynchronous(&self, m: &Mnemonic<'_>) -> Result<(), Diagnostic> {
        let refused = m.qualifiers.iter().find_map(|(word, span)| {
            let (_, why) = REFUSED.iter().find(|(name, _)| name == word)?;
            Some(self.cursor.error(format!("a `{}` with `.{word}` is not modelled", m.name), *span, *why))
        });
        refused.map_or(Ok(()), Err)
    }

    /// `st.async`
    pub(super) fn store_async(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        self.refuse_asynchronous(m)?;
        let vector = self.vector(m)?;
        m.take_word(&["async"]);
        m.take_word(&["weak"]);
        let ty = self.on_mbarrier(m)?;
        let to = self.address()?;
        self.comma()?;
        let values = match vector {
            Some(count) => self.braced(count, Self::value)?,
            None => vec![self.value()?],
        };
        self.comma()?;
        let completion = AsyncCompletion::Mbarriers(vec![self.address()?]);
        let action = AsyncAction::Store { ty, to, values };
        let (family, to_space) = (AsyncFamily::Element, Space::Shared);
        Ok(Operation::Async(AsyncOperation { family, to_space, from_space: None, action, completion }))
    }

    /// `red.async`
    pub(super) fn reduce_async(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        self.refuse_asynchronous(m)?;
        m.take_word(&["async"]);
        m.take_word(&["relaxed"]);
        m.take_word(&["cluster"]);
        let function = m.take(self.cursor, "function", function_from_name)?;
        let Some(function) = function.filter(|f| !matches!(f, AtomFunction::Exchange | AtomFunction::CompareAndSwap)) else {
            return Err(self.cursor.error("`red.async` needs a function", m.span, "write e.g. `.add`"));
        };
        let ty = self.on_mbarrier(m)?;
        let to = self.address()?;
        self.comma()?;
        let value = self.value()?;
        self.comma()?;
        let completion = AsyncCompletion::Mbarriers(vec![self.address()?]);
        let action = AsyncAction::Reduce { function, ty, to, value };
        let (family, to_space) = (AsyncFamily::Element, Space::Shared);
        Ok(Operation::Async(AsyncOperation { family, to_space, from_space: None, action, completion }))
    }

    /// `wgmma.fence`, `wgmma.mma_async`, `wgmma.commit_group`, `wgmma.wait_group`
    pub(super) fn warpgroup(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        const NAMES: [&str; 4] = ["fence", "mma_async", "commit_group", "wait_group"];
        let Some((name, place)) = m.qualifiers.first().copied() else {
            let label = format!("write one of .{}", NAMES.join(", ."));
            return Err(self.cursor.error("`wgmma` needs an operation", m.span, label));
        };
        if !NAMES.contains(&name) {
            return Err(self.cursor.unknown("operation of a warpgroup", name, place, NAMES));
        }
        m.qualifiers.remove(0);
        m.take_word(&["sync"]);
        m.take_word(&["aligned"]);
        let family = AsyncFamily::Warpgroup;
        if name == "mma_async" {
            // Shape and types: what is computed is not looked at.
            m.qualifiers.clear();
            return self.multiply();
        }
        m.finish(self.cursor, &["sync", "aligned"])?;
        Ok(match name {
            "fence" => Operation::WarpgroupFence,
            "commit_group" => Operation::AsyncGroup { family, action: AsyncGroupAction::Commit },
            _ => {
                let left = self.count("the number of groups", 0, 64)? as u32;
                Operation::AsyncGroup { family, action: AsyncGroupAction::Wait { left, reads: false } }
            }
        })
    }

    /// `{r0, r1}, x, y`: as many matrices in shared memory as registers, each of which takes what is read of one; then numbers, which say how
    /// it is computed.
    fn multiply(&mut self) -> Result<Operation, Diagnostic> {
        let start = self.cursor.span();
        let mut to = Vec::new();
        let braces = self.cursor.eat('{');
        to.push(self.destination()?);
        while braces && self.cursor.eat(',') {
            to.push(self.destination()?);
        }
        if braces {
            self.cursor.expect('}')?;
        }
        let registers = start.to(self.cursor.previous());
        let mut from = Vec::new();
        while from.len() < to.len() && self.cursor.eat(',') {
            from.push(self.address()?);
        }
        while self.cursor.eat(',') {
            self.value()?;
        }
        if from.len() != to.len() {
            let error = self.cursor.error(
                format!("{} registers for {} matrices", to.len(), from.len()),
                registers,
                "each takes what is read of one matrix",
            );
            return Err(error.help(
                "what a `wgmma.mma_async` computes is not looked at: write the matrices in shared memory, and before them as many registers, \
                 e.g. `wgmma.mma_async.sync.aligned {r0, r1}, x, y`",
            ));
        }
        let (space, completion) = (Space::Shared, AsyncCompletion::Group);
        let (family, action) = (AsyncFamily::Warpgroup, AsyncAction::Multiply { to, from });
        Ok(Operation::Async(AsyncOperation { family, to_space: space, from_space: Some(space), action, completion }))
    }

    /// The qualifiers of what completes on an mbarrier in shared memory of the cluster; gives the type.
    fn on_mbarrier(&self, m: &mut Mnemonic<'_>) -> Result<Option<Type>, Diagnostic> {
        let completes = m.take_word(&[COMPLETES]).is_some();
        let place = m.qualifiers.iter().find(|(word, _)| space_from_name(word).is_some()).map_or(m.span, |(_, span)| *span);
        let space = m.take(self.cursor, "state space", space_from_name)?;
        let ty = m.take(self.cursor, "type", Type::from_name)?;
        m.finish(self.cursor, &["async", COMPLETES, "shared::cluster", "b32", "b64", "u32", "s32"])?;
        if !completes {
            return Err(self.cursor.error(format!("`{}.async` needs `.{COMPLETES}`", m.name), m.span, "no completion mechanism"));
        }
        if space == Some(Space::Global) {
            return Err(self.cursor.error("into global memory", place, "it writes shared memory of the cluster"));
        }
        if ty.is_none() {
            return Err(self.cursor.error(
                format!("`{}.async` needs a type", m.name),
                m.span,
                "the mbarrier counts its bytes: e.g. `.b32`",
            ));
        }
        Ok(ty)
    }
}

fn operation(address: Address, is_remote: bool, action: MbarrierAction) -> Operation {
    Operation::Mbarrier(MbarrierOperation { address, is_remote, action })
}

/// That of `cp.async`, or of `cp.async.bulk`.
fn family(bulk: bool) -> AsyncFamily {
    if bulk { AsyncFamily::Bulk } else { AsyncFamily::Element }
}

/// The one destination of what is not multicast.
fn only(mut all: Vec<Address>) -> Address {
    all.swap_remove(0)
}
