//! One row: the construct and scope that it is for, conditions, evidence, and its alternatives
//! (`construct => instruction ; instruction or ...`).

use margay_models::diagnostic::{Diagnostic, Span, nearest};
use margay_models::execution::Order;
use margay_models::signature::{Construct, Operation, Signature, constructs};

use super::about::MappingDescription;
use super::instruction;
use super::kind::{OPERATIONS, RowUses, TYPES};
use super::parse::{MAX_ALTERNATIVES, MappingLines, Nothing, WrittenRow};
use super::tokens::MappingToken;
use super::{LoweringForm, Row, RowSource, ScopePattern, Used};

impl MappingLines {
    pub(super) fn row(
        &self,
        line: &[(MappingToken, Span)],
        (source, target): (Signature, Signature),
        about: &MappingDescription,
    ) -> Result<WrittenRow, Diagnostic> {
        const SHAPE: &str = "a row is: CONSTRUCT.scope => instruction ; instruction, e.g. `R.SC.s => fence.sc.s ; ld.acquire.s`";
        let whole =
            line.first().map_or(Span::default(), |f| line.last().map_or(f.1, |l| f.1.to(l.1)));
        let (name, span) = match line.first() {
            Some((MappingToken::Word(w), span)) => (w.as_str(), *span),
            _ => {
                return Err(Diagnostic::error("a row begins with a source construct")
                    .at(&self.file, whole, "no construct here")
                    .help(SHAPE));
            }
        };
        let (name, partner) = self.partner(name, span, source)?;
        let (construct, scope, form) = self.construct(&name, span, source)?;
        let (line, from) = self.source(line, about)?;
        let words =
            line.iter().skip(1).take_while(|(t, _)| matches!(t, MappingToken::Word(_))).count();
        // Without an arrow behind them they are no types: the arrow is what is missing.
        let words =
            if matches!(line.get(1 + words), Some((MappingToken::Arrow, _))) { words } else { 0 };
        let when = RowUses { partner, ..self.uses(&line[1..=words], construct, form)? };
        // The row without what stands between the construct and the arrow.
        let line = &[&line[..1], &line[1 + words..]].concat()[..];
        match line.get(1) {
            Some((MappingToken::Arrow, _)) => {}
            other => {
                let place = other.map_or(Span::new(span.end, span.end), |(_, s)| *s);
                return Err(Diagnostic::error("expected `=>` after the construct")
                    .at(&self.file, place, "expected `=>`")
                    .help(SHAPE));
            }
        }
        let variable = match &scope {
            ScopePattern::Any(v) => v.as_deref(),
            ScopePattern::Named(_) => None,
        };
        let mut alternatives = Vec::new();
        let body = &line[2..];
        // What ends in `or`, `;` or `=>` goes on in the next line, so a row without an end swallows
        // the next one.
        if let Some(arrow) = body.iter().position(|(t, _)| *t == MappingToken::Arrow)
            && let (Some((_, open)), Some((_, next))) = (line.get(arrow), line.get(arrow + 1))
            && self.file.text[open.end..next.start].contains('\n')
        {
            return Err(Diagnostic::error("this row has no end")
                .at(&self.file, *open, "a lowering or an instruction is missing behind this")
                .help("write `nothing` for no instruction, or take away what is too much"));
        }
        match body {
            [(MappingToken::Word(w), _), rest @ ..] if w == "absent" || w == "other" => {
                let why = match rest {
                    [] if w == "absent" => String::new(),
                    [(MappingToken::Quoted(why), _)] => why.clone(),
                    _ => {
                        return Err(Diagnostic::error(format!("expected a reason in quotes after `{w}`"))
                            .at(&self.file, whole, "in this row")
                            .help("write `absent` or `absent \"why\"`; `other \"what is emitted\"` for what no row can say"));
                    }
                };
                let nothing =
                    if w == "absent" { Nothing::Absent(why) } else { Nothing::Other(why) };
                let row =
                    Row { construct, scope, alternatives: Vec::new(), span, failures_apart: false };
                return Ok(WrittenRow { row, form, when, from, nothing: Some(nothing) });
            }
            _ => {}
        }
        for part in body.split(|(t, _)| matches!(t, MappingToken::Word(w) if w == "or")) {
            alternatives.push(self.lowering(part, (construct, form), target, variable, whole)?);
        }
        if alternatives.len() > MAX_ALTERNATIVES {
            return Err(Diagnostic::error(format!(
                "{} alternatives in one row; at most {MAX_ALTERNATIVES} are supported",
                alternatives.len()
            ))
            .at(&self.file, span, "in this row")
            .help("drop alternatives that another one makes redundant, or split the mapping into several files"));
        }
        if !when.is_any() || from.is_some() {
            for lowering in &mut alternatives {
                lowering.uses = vec![Used { when, from: from.clone() }];
            }
        }
        let row = Row { construct, scope, alternatives, span, failures_apart: false };
        Ok(WrittenRow { row, form, when, from, nothing: None })
    }

    /// `CAS.REL/ACQ.s` as `CAS.REL.s` and the order of the other outcome; `CAS_FAIL.REL/ACQ.s` as
    /// `CAS_FAIL.ACQ.s` likewise.
    fn partner(
        &self,
        name: &str,
        span: Span,
        source: Signature,
    ) -> Result<(String, Option<Order>), Diagnostic> {
        let Some((head, tail)) = name.split_once('/') else { return Ok((name.to_owned(), None)) };
        let mut parts = head.splitn(2, '.');
        let (form, success) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (failure, scope) = tail.split_once('.').map_or((tail, None), |(f, s)| (f, Some(s)));
        let wrong = |what: String, help: &str| {
            Err(Diagnostic::error(what).at(&self.file, span, "here").help(help.to_owned()))
        };
        if !instruction::is_c(source) || !["CAS", "CAS_FAIL"].contains(&form) {
            return wrong(
                format!("`{name}`: only a compare-exchange has two orders"),
                "write CAS.SUCCESS/FAILURE.s or CAS_FAIL.SUCCESS/FAILURE.s, e.g. `CAS.REL/ACQ.s`",
            );
        }
        let order = |word: &str| {
            const ORDERS: [(&str, Order); 6] = [
                ("RLX", Order::Rlx),
                ("ACQ", Order::Acq),
                ("REL", Order::Rel),
                ("ACQ_REL", Order::AcqRel),
                ("ACQREL", Order::AcqRel),
                ("SC", Order::Sc),
            ];
            ORDERS.iter().find(|(n, _)| *n == word).map(|&(_, o)| o)
        };
        let (Some(on_success), Some(on_failure)) = (order(success), order(failure)) else {
            return wrong(
                format!("`{name}` does not name two orders"),
                "orders of success: RLX, ACQ, REL, ACQ_REL, SC; of failure: RLX, ACQ, SC",
            );
        };
        if [Order::Rel, Order::AcqRel].contains(&on_failure) {
            return wrong(
                format!("`{failure}` is no order of a failure: it stores nothing"),
                "orders of failure: RLX, ACQ, SC",
            );
        }
        let scope = scope.map_or(String::new(), |s| format!(".{s}"));
        Ok(match form {
            "CAS" => (format!("CAS.{success}{scope}"), Some(on_failure)),
            _ => (format!("CAS_FAIL.{failure}{scope}"), Some(on_success)),
        })
    }

    /// The words between construct and arrow.
    fn uses(
        &self,
        words: &[(MappingToken, Span)],
        construct: Construct,
        form: LoweringForm,
    ) -> Result<RowUses, Diagnostic> {
        let mut when = RowUses::default();
        for (token, span) in words {
            let MappingToken::Word(word) = token else { continue };
            let index = |all: &[&str]| all.iter().position(|a| a == word);
            let set = match (index(&TYPES), index(&OPERATIONS)) {
                (Some(i), _) if construct.operation != Operation::Fence => {
                    when.data = Some(when.data.unwrap_or_default().with(i));
                    continue;
                }
                (_, Some(i))
                    if construct.operation == Operation::Rmw && form == LoweringForm::Usual =>
                {
                    when.operations = Some(when.operations.unwrap_or_default().with(i));
                    continue;
                }
                (Some(_), _) => "a fence has no object, and so no type",
                (_, Some(_)) => {
                    "only a read-modify-write that is no compare-exchange has an operation"
                }
                (None, None) => "neither a type nor an operation",
            };
            let known = TYPES.iter().chain(&OPERATIONS).copied();
            let error = Diagnostic::error(format!("`{word}`: {set}")).at(
                &self.file,
                *span,
                "before the `=>`",
            );
            return Err(match nearest(word, known) {
                Some(near) if near != word => error.help(format!("did you mean `{near}`?")),
                _ => error.help(format!(
                    "types: {}; operations: {}",
                    TYPES.join(", "),
                    OPERATIONS.join(", ")
                )),
            });
        }
        Ok(when)
    }

    /// Where a row comes from: `[NAME]` or `[NAME HASH]` at its end.
    #[allow(clippy::type_complexity, reason = "a line without its end, and what the end says")]
    fn source<'a>(
        &self,
        line: &'a [(MappingToken, Span)],
        about: &MappingDescription,
    ) -> Result<(&'a [(MappingToken, Span)], Option<RowSource>), Diagnostic> {
        let Some(open) = line.iter().position(|(t, _)| *t == MappingToken::Open) else {
            return Ok((line, None));
        };
        let (name, hash, at) = match &line[open + 1..] {
            [(MappingToken::Word(name), at), (MappingToken::Close, _)] => (name, None, *at),
            [
                (MappingToken::Word(name), at),
                (MappingToken::Word(hash), _),
                (MappingToken::Close, _),
            ] => (name, Some(hash.clone()), *at),
            _ => {
                return Err(Diagnostic::error("a row ends with where it comes from, and with nothing else")
                    .at(&self.file, line[open].1, "opened here")
                    .help("write `[ran]`, `[read]`, `[assumed]`, or `[NAME]` or `[NAME HASH]` of an `evidence` line"));
            }
        };
        let evidence = about.find(name).ok_or_else(|| {
            Diagnostic::error(format!("there is no evidence `{name}`"))
                .at(&self.file, at, "not known")
                .help(format!("known are: {}", about.names().join(", ")))
        })?;
        Ok((&line[..open], Some(RowSource { evidence, hash })))
    }

    /// `R.SC.s`, `R.SC.gpu`, `R.NA`, `CAS.SC.s`.
    fn construct(
        &self,
        name: &str,
        span: Span,
        source: Signature,
    ) -> Result<(Construct, ScopePattern, LoweringForm), Diagnostic> {
        let all = constructs(source);
        let names: Vec<String> = all.iter().map(|c| c.name(source)).collect();
        // An instruction of a text may have a name that forms have elsewhere.
        let is_known = |n: &String| {
            name.strip_prefix(n.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let own_name = names.iter().any(is_known);
        let mut canonical =
            if own_name { name.to_owned() } else { name.replace("ACQREL", "ACQ_REL") };
        let mut form = LoweringForm::Usual;
        for other in [LoweringForm::CompareExchange, LoweringForm::FailedCompareExchange]
            .into_iter()
            .filter(|_| !own_name)
        {
            let head = canonical.split('.').next();
            if let (Some(own), Some(operation)) = (other.name(), other.operation())
                && head == Some(own)
            {
                canonical = format!("{operation}{}", &canonical[own.len()..]);
                form = other;
            }
        }
        let parts: Vec<&str> = canonical.split('.').collect();
        // None has more parts than the longest name.
        let most = names.iter().map(|n| n.split('.').count()).max().unwrap_or(0).min(parts.len());
        let found = (1..=most).rev().find_map(|k| {
            let head = parts[..k].join(".");
            names.iter().position(|n| *n == head).map(|i| (all[i], &parts[k..]))
        });
        let Some((construct, rest)) = found else {
            let diagnostic = Diagnostic::error(format!(
                "unknown construct `{name}` of the source model"
            ))
            .at(&self.file, span, "not a construct");
            // A form is shown under its own name; the model knows the operation that it is one of.
            let names: Vec<String> = match (form.name(), form.operation()) {
                (Some(own), Some(operation)) => {
                    let of_operation =
                        all.iter().filter(|c| c.operation == operation && c.order != Order::Plain);
                    of_operation
                        .map(|c| format!("{own}{}", &c.name(source)[operation.to_string().len()..]))
                        .collect()
                }
                _ => names,
            };
            let parts: Vec<&str> =
                if form == LoweringForm::Usual { parts } else { name.split('.').collect() };
            // A construct of the operation that the name begins with, if it begins with one: not
            // `F.REL` for `R.REL`.
            let same: Vec<&str> = names
                .iter()
                .map(String::as_str)
                .filter(|n| n.split('.').next() == parts.first().copied())
                .collect();
            let known =
                if same.is_empty() { names.iter().map(String::as_str).collect() } else { same };
            let head = parts[..parts.len().min(2)].join(".");
            let near = nearest(&head, known.iter().copied())
                .or_else(|| nearest(name, MappingDescription::KEYWORDS));
            return Err(match near {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("constructs: {}", known.join(", "))),
            });
        };
        if source.is_plain() && !rest.is_empty() {
            return Err(Diagnostic::error(
                "operations of this source model have neither orders nor scopes",
            )
            .at(&self.file, span, "more than an operation")
            .help(format!("constructs: {}", names.join(", "))));
        }
        if form != LoweringForm::Usual
            && construct.order == Order::Plain
            && instruction::is_c(source)
        {
            return Err(Diagnostic::error("a compare-exchange is atomic")
                .at(&self.file, span, "not an order of it")
                .help("orders: RLX, ACQ, SC; of a successful one also REL and ACQ_REL"));
        }
        let scope = match rest {
            [] => ScopePattern::Any(None),
            [word] => match source.scope_named(word) {
                None if word.is_empty() => {
                    return Err(Diagnostic::error("expected a scope after the `.`")
                        .at(&self.file, span, "here")
                        .help(format!(
                            "write a scope variable, e.g. `s`, or one of {}",
                            source.scope_names()
                        )));
                }
                _ if !construct.has_scope(source) => {
                    return Err(Diagnostic::error(format!(
                        "`{}` has no scope of its own",
                        construct.name(source)
                    ))
                    .at(&self.file, span, "here")
                    .help(match source.scope_names() {
                        names if names.is_empty() => "drop the scope".to_owned(),
                        names => {
                            format!("drop the scope; the right-hand side may name one ({names})")
                        }
                    }));
                }
                Some(scope) => ScopePattern::Named(scope),
                None => match meant_otherwise(word, source) {
                    None => ScopePattern::Any(Some((*word).to_owned())),
                    Some((what, help)) => {
                        return Err(Diagnostic::error(format!(
                            "`{word}` in `{name}` is {what}, and not a scope or a word for one"
                        ))
                        .at(&self.file, span, "here")
                        .help(help));
                    }
                },
            },
            _ => {
                return Err(Diagnostic::error(format!("too many suffixes in `{name}`"))
                    .at(&self.file, span, "here")
                    .help("write CONSTRUCT.ORDER.scope"));
            }
        };
        Ok((construct, scope, form))
    }
}

/// What a word is that would be read as the scope variable of a row, if tables have another meaning
/// for it; and how that is written.
fn meant_otherwise(word: &str, source: Signature) -> Option<(&'static str, String)> {
    const OF_PTX: [&str; 6] = ["weak", "relaxed", "acquire", "release", "acq_rel", "volatile"];
    let is_order =
        constructs(source).iter().any(|c| c.name(source).split('.').nth(1) == Some(word));
    if instruction::is_c(source) && is_order
        || word == "ACQREL"
        || word == "sc"
        || OF_PTX.contains(&word)
    {
        let help = "a row has one order, a compare-exchange two: `CAS.REL/ACQ.s`; for the scope write any other word, e.g. `s`";
        return Some(("an order", help.to_owned()));
    }
    let kind = match (TYPES.contains(&word), OPERATIONS.contains(&word)) {
        (true, _) => "a type",
        (_, true) => "an operation",
        _ => return None,
    };
    Some((kind, format!("types and operations stand apart, behind the scope: `RMW.ACQ.s {word}`")))
}
