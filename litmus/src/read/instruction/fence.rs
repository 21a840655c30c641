//! Fences: `fence`, `membar`, and both with a proxy.

use margay_models::diagnostic::Diagnostic;

use super::super::qualifier::{Mnemonic, scope_from_name, space_from_name};
use super::super::refused;
use super::Operands;
use crate::test::{Dialect, FenceOrder, MembarLevel, Operation, ProxyFenceKind, Space};

impl Operands<'_, '_> {
    /// `.proxy.alias` and its kin, after `fence` or `membar`.
    pub(super) fn proxy_fence(
        &mut self,
        m: &mut Mnemonic<'_>,
    ) -> Result<Option<Operation>, Diagnostic> {
        if m.take_word(&["proxy"]).is_none() {
            return Ok(None);
        }
        if m.take_word(&["tensormap::generic"]).is_some() {
            return self.tensormap_fence(m).map(Some);
        }
        let to_async = m.take_word(&["async::generic"]);
        if to_async.is_some() {
            let fence = self.shared_fence(m, true)?;
            let error = || {
                let error = self.cursor.error(
                    "a fence from the generic proxy to the async one",
                    m.span,
                    "for which memory?",
                );
                error.help(
                    "write `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster` or \
                     `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster`",
                )
            };
            return fence.map(Some).ok_or_else(error);
        }
        let kinds = ProxyFenceKind::ALL.map(ProxyFenceKind::name);
        let kind = m.take(self.cursor, "proxy", |w| {
            ProxyFenceKind::ALL.into_iter().find(|k| k.name() == w)
        })?;
        let space = if kind == Some(ProxyFenceKind::Async) {
            m.take(self.cursor, "state space", space_from_name)?
        } else {
            None
        };
        let kind = match space {
            Some(Space::Global) => Some(ProxyFenceKind::AsyncGlobal),
            Some(Space::Shared) => Some(ProxyFenceKind::AsyncShared),
            Some(Space::Tensor) | None => kind,
        };
        m.finish(self.cursor, &kinds)?;
        let write = "write `.alias`, `.surface`, `.texture`, `.constant` or `.async`";
        let missing = || self.cursor.error("a proxy fence needs a proxy", m.span, write);
        kind.map(|kind| Some(Operation::ProxyFence(kind))).ok_or_else(missing)
    }

    pub(super) fn fence(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        if let Some(error) = refused::fence(self.cursor, m) {
            return Err(error);
        }
        if let Some(fence) = self.proxy_fence(m)? {
            return Ok(fence);
        }
        if let Some(fence) = self.shared_fence(m, false)? {
            return Ok(fence);
        }
        if m.take_word(&["mbarrier_init"]).is_some() {
            let whole = m.take_word(&["release"]).is_some() && m.take_word(&["cluster"]).is_some();
            m.finish(self.cursor, &["release", "cluster"])?;
            let error = || {
                self.cursor.error(
                    "a fence for the initialisation of mbarriers",
                    m.span,
                    "write `fence.mbarrier_init.release.cluster`",
                )
            };
            return if whole { Ok(Operation::MbarrierInitFence) } else { Err(error()) };
        }
        if self.names.dialect == Dialect::Generic {
            m.finish(self.cursor, &[])?;
            return Ok(Operation::Fence { order: None, scope: None });
        }
        let orders = [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::Sc];
        let order =
            m.take(self.cursor, "memory order", |w| orders.into_iter().find(|o| o.name() == w))?;
        let scope = m.take(self.cursor, "scope", scope_from_name)?;
        m.finish(
            self.cursor,
            &["sc", "acq_rel", "acquire", "release", "cta", "cluster", "gpu", "sys", "proxy"],
        )?;
        if m.name == "mfence" || scope.is_none() {
            let error =
                self.cursor.error(format!("`{}` needs a scope", m.name), m.span, "no scope");
            return Err(error.help("PTX has no default here: write e.g. `fence.sc.gpu`"));
        }
        Ok(Operation::Fence { order, scope })
    }

    /// `fence.release.sync_restrict::shared::cta.cluster`,
    /// `fence.acquire.sync_restrict::shared::cluster.cluster`: PTX has these two, and the same of
    /// `fence.proxy.async::generic`.
    fn shared_fence(
        &self,
        m: &mut Mnemonic<'_>,
        to_async: bool,
    ) -> Result<Option<Operation>, Diagnostic> {
        let Some((word, place)) =
            m.qualifiers.iter().copied().find(|(word, _)| word.starts_with("sync_restrict"))
        else {
            return Ok(None);
        };
        if word == "sync_restrict::shared::cluster::read" {
            let error = self.cursor.error(
                "a fence of reads alone is not modelled",
                place,
                "this restriction",
            );
            return Err(error.help(
                "it orders reads before asynchronous writes, and is not transitive (PTX ISA 9.4); `fence.proxy.async` is stronger",
            ));
        }
        m.take_word(&[word]);
        let acquires = m.take_word(&["acquire"]).is_some();
        let releases = m.take_word(&["release"]).is_some();
        let cluster = m.take_word(&["cluster"]).is_some();
        m.finish(self.cursor, &["acquire", "release", "cluster"])?;
        let is_known = match (acquires, releases) {
            (true, false) => word == "sync_restrict::shared::cluster",
            (false, true) => word == "sync_restrict::shared::cta",
            _ => false,
        };
        if is_known && cluster {
            return Ok(Some(Operation::SharedFence { acquires, to_async }));
        }
        let fence = if to_async { "fence.proxy.async::generic" } else { "fence" };
        let error = self.cursor.error(
            "PTX has no such fence of one state space",
            place,
            "this restriction",
        );
        Err(error.help(format!(
            "write `{fence}.release.sync_restrict::shared::cta.cluster` or `{fence}.acquire.sync_restrict::shared::cluster.cluster`",
        )))
    }

    pub(super) fn membar(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        if let Some(fence) = self.proxy_fence(m)? {
            return Ok(fence);
        }
        let levels = [MembarLevel::Cta, MembarLevel::Gl, MembarLevel::Sys];
        let level = m.take(self.cursor, "level", |w| levels.into_iter().find(|l| l.name() == w))?;
        m.finish(self.cursor, &["cta", "gl", "sys"])?;
        level.map(Operation::Membar).ok_or_else(|| {
            self.cursor.error("`membar` needs a level", m.span, "write `.cta`, `.gl` or `.sys`")
        })
    }
}
