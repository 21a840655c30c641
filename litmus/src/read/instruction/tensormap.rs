//! Tensor maps that a kernel changes: `tensormap.replace` and `.cp_fenceproxy`, and the fences of
//! their proxy (PTX ISA 9.7.9, 9.7.13).

use margay_models::diagnostic::Diagnostic;

use super::super::qualifier::{Mnemonic, scope_from_name, space_from_name};
use super::Operands;
use crate::test::{Operation, TensormapOperation};

impl Operands<'_, '_> {
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
            let whole = ["global", "shared::cta", "tensormap::generic", "release"]
                .into_iter()
                .all(|w| m.take_word(&[w]).is_some());
            let scope = m.take(self.cursor, "scope", scope_from_name)?;
            m.take_word(&["sync"]);
            m.take_word(&["aligned"]);
            m.finish(self.cursor, &["sync", "aligned", "cta", "cluster", "gpu", "sys"])?;
            let (true, Some(scope)) = (whole, scope) else {
                let label = "write e.g. `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned`";
                return Err(self.cursor.error(
                    "a copy of a tensor map with a fence",
                    m.span,
                    label,
                ));
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
        m.qualifiers
            .retain(|(w, _)| !["tile", "b1024", "b64", "b32", "swizzle_atomicity"].contains(w));
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

    /// `fence.proxy.tensormap::generic.release.gpu`,
    /// `fence.proxy.tensormap::generic.acquire.gpu [t], 128`
    pub(super) fn tensormap_fence(
        &mut self,
        m: &mut Mnemonic<'_>,
    ) -> Result<Operation, Diagnostic> {
        let acquires = m.take_word(&["acquire"]).is_some();
        let releases = m.take_word(&["release"]).is_some();
        let scope = m.take(self.cursor, "scope", scope_from_name)?;
        m.finish(self.cursor, &["acquire", "release", "cta", "cluster", "gpu", "sys"])?;
        let (true, Some(scope)) = (acquires != releases, scope) else {
            let error = self.cursor.error(
                "a fence of the tensormap proxy is of one direction and of a scope",
                m.span,
                "here",
            );
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
}
