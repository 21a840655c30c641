//! Mbarriers: what threads do with them, and how they wait for their phases (PTX ISA 9.7.13.15).

use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Scope;
use margay_models::mbarrier::Mbarrier;

use super::super::qualifier::{Mnemonic, order_from_name, scope_from_name, space_from_name};
use super::Operands;
use crate::test::{
    AccessOrder, Address, AwaitedPhase, MbarrierAction, MbarrierOperation, Operation, Space,
    TestOperand,
};

/// The qualifiers of an operation on an mbarrier.
struct MbarrierQualifiers {
    /// It may be one of another cta.
    is_remote: bool,
    /// `.test_wait`, `.try_wait`
    waits: bool,
    /// `.expect_tx`, of an arrival
    expects: bool,
    /// `.noComplete`
    incomplete: bool,
    /// `.parity`
    parity: bool,
    order: AccessOrder,
    scope: Scope,
}

impl Operands<'_, '_> {
    /// `mbarrier.init`, `.inval`, `.arrive`, `.arrive_drop`, `.expect_tx`, `.complete_tx`,
    /// `.test_wait`, `.try_wait`, `.pending_count`
    pub(super) fn mbarrier(&mut self, m: &mut Mnemonic<'_>) -> Result<Operation, Diagnostic> {
        const NAMES: [&str; 9] = [
            "init",
            "inval",
            "arrive",
            "arrive_drop",
            "expect_tx",
            "complete_tx",
            "test_wait",
            "try_wait",
            "pending_count",
        ];
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
        let qualifiers = self.mbarrier_qualifiers(m, name)?;
        self.mbarrier_operands(name, qualifiers)
    }

    /// What stands between the name of an operation on an mbarrier and its operands.
    fn mbarrier_qualifiers(
        &self,
        m: &mut Mnemonic<'_>,
        name: &str,
    ) -> Result<MbarrierQualifiers, Diagnostic> {
        let (is_remote, _) = self.space_of_mbarrier(m)?;
        let waits = matches!(name, "test_wait" | "try_wait");
        let ordered = waits || matches!(name, "arrive" | "arrive_drop");
        let expects = name.starts_with("arrive") && m.take_word(&["expect_tx"]).is_some();
        let incomplete = name.starts_with("arrive") && m.take_word(&["noComplete"]).is_some();
        let parity = waits && m.take_word(&["parity"]).is_some();
        let order_place = m
            .qualifiers
            .iter()
            .find(|(w, _)| order_from_name(w).is_some())
            .map_or(m.span, |(_, span)| *span);
        let order = m.take(self.cursor, "memory order", order_from_name)?;
        let scope_place = m
            .qualifiers
            .iter()
            .find(|(w, _)| scope_from_name(w).is_some())
            .map_or(m.span, |(_, span)| *span);
        let scope = m.take(self.cursor, "scope", scope_from_name)?;
        m.finish(
            self.cursor,
            &[
                "parity",
                "expect_tx",
                "noComplete",
                "acquire",
                "release",
                "relaxed",
                "cta",
                "cluster",
                "shared",
                "b64",
            ],
        )?;
        let strongest = if waits { AccessOrder::Acquire } else { AccessOrder::Release };
        let allowed: &[AccessOrder] = match name {
            "init" | "inval" => &[],
            _ if ordered => &[strongest, AccessOrder::Relaxed],
            _ => &[AccessOrder::Relaxed],
        };
        if let Some(order) = order.filter(|order| !allowed.contains(order)) {
            let orders: Vec<String> =
                allowed.iter().map(|order| format!("`.{}`", order.name())).collect();
            let label = if orders.is_empty() {
                "it has no order".to_owned()
            } else {
                format!("it is {}", orders.join(" or "))
            };
            return Err(self.cursor.error(
                format!("`mbarrier.{name}` cannot be `.{}`", order.name()),
                order_place,
                label,
            ));
        }
        if let Some(scope) = scope
            .filter(|scope| allowed.is_empty() || !matches!(scope, Scope::Cta | Scope::Cluster))
        {
            let message = format!("`mbarrier.{name}` cannot be of scope `.{}`", scope.name());
            return Err(self.cursor.error(
                message,
                scope_place,
                "an mbarrier is in shared memory: `.cta` or `.cluster`",
            ));
        }
        if order == Some(AccessOrder::Relaxed) && scope.is_none() {
            return Err(self.cursor.error(
                format!("`mbarrier.{name}.relaxed` needs a scope"),
                m.span,
                "write `.cta` or `.cluster`",
            ));
        }
        let (order, scope) = (order.unwrap_or(strongest), scope.unwrap_or(Scope::Cta));
        Ok(MbarrierQualifiers { is_remote, waits, expects, incomplete, parity, order, scope })
    }

    fn mbarrier_operands(
        &mut self,
        name: &str,
        qualifiers: MbarrierQualifiers,
    ) -> Result<Operation, Diagnostic> {
        let MbarrierQualifiers { is_remote, waits, expects, incomplete, parity, order, scope } =
            qualifiers;
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
                if parity && matches!(value, TestOperand::Integer(n) if !matches!(n, 0 | 1)) {
                    return Err(self.cursor.error("a parity is 0 or 1", start, "this number"));
                }
                // A hint how long the thread may be suspended.
                if name == "try_wait" && self.cursor.eat(',') {
                    self.value()?;
                }
                let phase =
                    if parity { AwaitedPhase::Parity(value) } else { AwaitedPhase::Token(value) };
                let action = MbarrierAction::Wait {
                    suspends: name == "try_wait",
                    destination,
                    order,
                    scope,
                    phase,
                };
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
                Ok(operation(
                    address,
                    is_remote,
                    MbarrierAction::Arrive { token, order, scope, count, bytes, drops, incomplete },
                ))
            }
        }
    }

    /// `.shared`, `.shared::cta` or `.shared::cluster`: may the mbarrier be in another cta?
    pub(super) fn space_of_mbarrier(
        &self,
        m: &mut Mnemonic<'_>,
    ) -> Result<(bool, Option<Space>), Diagnostic> {
        let is_remote = m.qualifiers.iter().any(|(word, _)| *word == "shared::cluster");
        let place = m
            .qualifiers
            .iter()
            .find(|(word, _)| space_from_name(word).is_some())
            .map_or(m.span, |(_, span)| *span);
        let space = m.take(self.cursor, "state space", space_from_name)?;
        if space == Some(Space::Global) {
            return Err(self.cursor.error(
                "an mbarrier in global memory",
                place,
                "mbarriers are in shared memory",
            ));
        }
        Ok((is_remote, space))
    }

    /// A number that is written as one, from `least` to `most`.
    pub(super) fn count(&mut self, what: &str, least: i64, most: i64) -> Result<i64, Diagnostic> {
        let start = self.cursor.span();
        if !self.cursor.is_integer() {
            return Err(self.cursor.error(
                format!("{what} is written as a number here"),
                start,
                "no number",
            ));
        }
        let count = self.cursor.integer(what)?;
        if !(least..=most).contains(&count) {
            return Err(self.cursor.error(
                format!("{what} is {least} to {most}"),
                start,
                "this number",
            ));
        }
        Ok(count)
    }
}

fn operation(address: Address, is_remote: bool, action: MbarrierAction) -> Operation {
    Operation::Mbarrier(MbarrierOperation { address, is_remote, action })
}
