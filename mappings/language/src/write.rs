//! Mappings and their rows as text, in the syntax that [`super::parse`] reads.

use std::fmt;

use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation, Signature};

use super::about::MappingDescription;
use super::assemble;
use super::instruction::is_ptx;
use super::kind::{ConstructUse, KindSet, OPERATIONS, RowUses, TYPES};
use super::{Lowering, LoweringForm, LoweringStep, Mapping, Row, ScopePattern, StepScope};

/// The right-hand side of what does not exist, and the beginning of that of what no row can say.
const ABSENT: &str = "absent";
const OTHER: &str = "other ";

impl LoweringStep {
    /// The instruction as the target's programmers write it; `variable` is the row's scope
    /// variable.
    pub fn text(&self, target: Signature, variable: &str) -> String {
        let scope = match self.scope {
            StepScope::None => None,
            StepScope::Same => Some(variable),
            StepScope::Named(scope) => Some(target.scope_name(scope)),
        };
        if !is_ptx(target) {
            let name = match (self.failed, target.tabular()) {
                // There is its read alone.
                (true, Some(architecture)) => architecture
                    .failed(self.order)
                    .map_or_else(|| Operation::Rmw.to_string(), |c| c.name(target)),
                (true, _) => {
                    Construct { operation: Operation::Rmw, order: self.order }.name(target)
                }
                (false, _) => {
                    Construct { operation: self.operation, order: self.order }.name(target)
                }
            };
            return scope.map_or(name.clone(), |s| format!("{name}.{s}"));
        }
        let mnemonic = match self.operation {
            Operation::Read if self.mbarrier => "mbarrier.try_wait",
            Operation::Rmw if self.mbarrier => "mbarrier.arrive",
            Operation::Read if self.failed => "atom",
            Operation::Read => "ld",
            Operation::Write => "st",
            Operation::Rmw => "atom",
            Operation::Fence => "fence",
        };
        if self.volatile {
            return format!("{mnemonic}.volatile");
        }
        let order = self.order.name();
        match scope {
            Some(scope) => format!("{mnemonic}.{order}.{scope}"),
            None => format!("{mnemonic}.{order}"),
        }
    }
}

impl Lowering {
    /// The instructions, separated by ` ; `.
    pub fn text(&self, target: Signature, variable: &str) -> String {
        if self.steps.is_empty() {
            return "nothing".to_owned();
        }
        let width = |s: &LoweringStep| match self.bits {
            Some(bits) if s.operation != Operation::Fence => format!(".b{bits}"),
            _ => String::new(),
        };
        let access = self.access().unwrap_or(0);
        let mut words: Vec<String> = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            let unused = if step.unused { "unused " } else { "" };
            words.push(format!("{unused}{}{}", step.text(target, variable), width(step)));
            let here = self.dependencies.iter().filter(|&(_, behind)| access + behind == i);
            words.extend(here.map(|(dependency, _)| dependency.word().to_owned()));
        }
        words.join(" ; ")
    }
}

impl Row {
    /// The left-hand side: `R.SC.s`, `CAS.SC.s`.
    pub fn head(&self, source: Signature, form: LoweringForm) -> String {
        let mut name = self.construct.name(source);
        if let Some(operation) = form.name() {
            let suffix = name.find('.').map_or("", |dot| &name[dot..]).to_owned();
            name = format!("{operation}{suffix}");
        }
        match &self.scope {
            ScopePattern::Any(None) => name,
            ScopePattern::Any(Some(variable)) => format!("{name}.{variable}"),
            ScopePattern::Named(scope) => format!("{name}.{}", source.scope_name(*scope)),
        }
    }

    /// The left-hand side for some uses: `RMW.SC.s nand b8`, `CAS.REL/ACQ.s`.
    pub fn head_for(&self, source: Signature, form: LoweringForm, when: RowUses) -> String {
        let scope = match &self.scope {
            ScopePattern::Any(None) => String::new(),
            ScopePattern::Any(Some(variable)) => format!(".{variable}"),
            ScopePattern::Named(scope) => format!(".{}", source.scope_name(*scope)),
        };
        let order = |o: Order| {
            Construct { operation: Operation::Rmw, order: o }.name(source).replace("RMW", "")
        };
        let head = match (form.name(), when.partner) {
            (Some(name), Some(partner)) => {
                let (own, other) = (order(self.construct.order), order(partner));
                let (success, failure) =
                    if form == LoweringForm::CompareExchange { (own, other) } else { (other, own) };
                format!("{name}{success}/{}{scope}", failure.trim_start_matches('.'))
            }
            _ => self.head(source, form),
        };
        format!("{head}{}", when.words())
    }

    /// The left-hand side for the uses of one of its lowerings: it names the pair of orders, the
    /// operations and the types by which the lowering differs from the others of its form.
    pub fn head_of(&self, source: Signature, lowering: &Lowering) -> String {
        let of_form: Vec<RowUses> = self
            .alternatives
            .iter()
            .filter(|l| l.form == lowering.form)
            .flat_map(|l| &l.uses)
            .map(|u| u.when)
            .collect();
        let own: Vec<RowUses> = lowering.uses.iter().map(|u| u.when).collect();
        let all = |of: &[RowUses], pick: &dyn Fn(&RowUses) -> Option<KindSet>| {
            of.iter().filter_map(pick).fold(KindSet::default(), KindSet::union)
        };
        let (types, operations) = (all(&of_form, &|u| u.data), all(&of_form, &|u| u.operations));
        // What is said of every pair of orders, of all types or of all operations is not named.
        let of_pair = |partner: Option<Order>| -> Vec<RowUses> {
            own.iter()
                .filter(|u| u.partner == partner)
                .map(|u| RowUses { partner: None, ..*u })
                .collect()
        };
        let shared = of_form.iter().all(|u| of_pair(u.partner) == of_pair(of_form[0].partner));
        let mut heads: Vec<String> = Vec::new();
        for when in &own {
            let when = RowUses {
                partner: when.partner.filter(|_| !shared),
                operations: when.operations.filter(|o| *o != operations),
                data: when.data.filter(|d| *d != types),
            };
            let head = self.head_for(source, lowering.form, when);
            if !heads.contains(&head) {
                heads.push(head);
            }
        }
        match heads.as_slice() {
            [] => self.head(source, lowering.form),
            [first, second, third, _, rest @ ..] => {
                format!("{first}, {second}, {third} and {} more", rest.len() + 1)
            }
            few => few.join(", "),
        }
    }

    /// The forms that the row has lowerings for.
    pub fn forms(&self) -> Vec<LoweringForm> {
        let mut forms: Vec<LoweringForm> = self.alternatives.iter().map(|l| l.form).collect();
        forms.sort_unstable();
        forms.dedup();
        forms
    }

    /// A lowering as a right-hand side of this row.
    pub fn lowering_text(&self, target: Signature, lowering: &Lowering) -> String {
        let variable = match &self.scope {
            ScopePattern::Any(Some(variable)) => variable.as_str(),
            _ => "s",
        };
        lowering.text(target, variable)
    }

    /// The right-hand side for a form.
    pub fn body(&self, target: Signature, form: LoweringForm) -> String {
        let lowerings = self.alternatives.iter().filter(|l| l.form == form);
        lowerings.map(|l| self.lowering_text(target, l)).collect::<Vec<_>>().join(" or ")
    }
}

impl fmt::Display for Mapping {
    /// The whole mapping as a text that reads back as the same rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "mapping \"{}\" from {} to {}",
            self.title, self.source.name, self.target.name
        )?;
        self.about.write((self.source.signature, self.target.signature), f)?;
        let lines: Vec<[String; 3]> = self.rows.iter().flat_map(|row| self.lines(row)).collect();
        let width = lines.iter().map(|[head, ..]| head.len()).max().unwrap_or(0);
        for [head, body, from] in lines {
            writeln!(f, "{}", format!("{head:width$} => {body}{from}").trim_end())?;
        }
        Ok(())
    }
}

impl MappingDescription {
    /// The lines between the header and the rows.
    fn write(
        &self,
        (source, target): (Signature, Signature),
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        if let Some(architecture) = &self.architecture {
            writeln!(f, "architecture {architecture}")?;
        }
        if let Some(scopes) = &self.scopes {
            // By the names that are read back: the source's, and the target's for what the source
            // does not have.
            let name = |&s: &Scope| {
                if source.scopes(true).contains(&s) {
                    source.scope_name(s)
                } else {
                    target.scope_name(s)
                }
            };
            writeln!(f, "scopes {}", scopes.iter().map(name).collect::<Vec<_>>().join(" "))?;
        }
        if let Some(types) = self.types {
            writeln!(f, "types {}", types.words(&TYPES))?;
        }
        if let Some(operations) = self.operations {
            writeln!(f, "operations {}", operations.words(&OPERATIONS))?;
        }
        for evidence in self
            .evidence
            .iter()
            .filter(|e| !(e.name == e.known.word() && e.words.is_empty() && e.hash.is_none()))
        {
            write!(f, "evidence {} {}", evidence.name, evidence.known.word())?;
            for word in &evidence.words {
                write!(f, " \"{word}\"")?;
            }
            if let Some(hash) = &evidence.hash {
                write!(f, " sha256 {hash}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Mapping {
    /// The lines of a row: left-hand side, right-hand side, where it comes from.
    fn lines(&self, row: &Row) -> Vec<[String; 3]> {
        let (source, target) = (self.source.signature, self.target.signature);
        if row.alternatives.is_empty() {
            let said = self.nothing(row, LoweringForm::Usual, ConstructUse::default());
            return vec![[row.head(source, LoweringForm::Usual), said, String::new()]];
        }
        let mut out = Vec::new();
        let mut forms = row.forms();
        // A construct that is there only as a compare-exchange says that it is not there otherwise.
        let is_special = row.alternatives.iter().any(|l| !l.uses.is_empty());
        if is_special && !forms.contains(&LoweringForm::Usual) {
            forms.insert(0, LoweringForm::Usual);
        }
        for form in forms {
            let of: Vec<&Lowering> = row.alternatives.iter().filter(|l| l.form == form).collect();
            if of.iter().all(|l| l.uses.is_empty()) && !of.is_empty() {
                out.push([row.head(source, form), row.body(target, form), String::new()]);
                continue;
            }
            out.extend(self.special_lines(row, form, &of));
        }
        out
    }

    /// The right-hand side for a use that has no lowering.
    fn nothing(&self, row: &Row, form: LoweringForm, cell: ConstructUse) -> String {
        match self.about.nothing(row, form, cell).filter(|left| left.exists) {
            Some(left) => format!("{OTHER}\"{}\"", left.why),
            None => ABSENT.to_owned(),
        }
    }

    /// The lines of a form whose lowerings are for some uses only.
    fn special_lines(&self, row: &Row, form: LoweringForm, of: &[&Lowering]) -> Vec<[String; 3]> {
        let (source, target) = (self.source.signature, self.target.signature);
        let named = |pick: &dyn Fn(&RowUses) -> Option<KindSet>| {
            let all = self.rows.iter().flat_map(|r| &r.alternatives).flat_map(|l| &l.uses);
            all.filter_map(|u| pick(&u.when)).fold(KindSet::default(), KindSet::union)
        };
        let types = self.about.types.unwrap_or_else(|| named(&|u| u.data));
        let operations = self.about.operations.unwrap_or_else(|| named(&|u| u.operations));
        // Each use with its right-hand side and where it comes from.
        let mut bodies: Vec<[String; 2]> = Vec::new();
        let mut of_cells = Vec::new();
        for cell in assemble::cells(row.construct, form, source, types, operations) {
            let here: Vec<(&Lowering, &super::Used)> = of
                .iter()
                .flat_map(|&l| l.uses.iter().filter(|u| u.when.covers(cell)).map(move |u| (l, u)))
                .collect();
            let text: Vec<String> =
                here.iter().map(|(l, _)| row.lowering_text(target, l)).collect();
            let from =
                here.first().and_then(|(_, u)| u.from.as_ref()).map_or(String::new(), |from| {
                    let hash = from.hash.as_ref().map_or(String::new(), |h| format!(" {h}"));
                    format!(" [{}{hash}]", self.about.evidence[from.evidence].name)
                });
            let body = [
                if text.is_empty() { self.nothing(row, form, cell) } else { text.join(" or ") },
                from,
            ];
            let index = bodies.iter().position(|b| *b == body).unwrap_or_else(|| {
                bodies.push(body);
                bodies.len() - 1
            });
            of_cells.push((cell, index));
        }
        let is_nothing = |body: &[String; 2]| body[0] == ABSENT || body[0].starts_with(OTHER);
        let absent: Vec<usize> = (0..bodies.len()).filter(|&i| is_nothing(&bodies[i])).collect();
        RowUses::rows(&of_cells, &absent)
            .into_iter()
            .map(|(when, body)| {
                [row.head_for(source, form, when), bodies[body][0].clone(), bodies[body][1].clone()]
            })
            .collect()
    }
}
