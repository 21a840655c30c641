//! Text to rows: the header line, then one row a line (`construct => instruction ; instruction or ...`). Comments are
//! `//`, `#` and `(* *)`; a line that ends in `;`, `=>` or `or` goes on in the next one.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::Order;
use margay_models::signature::{Construct, Operation, Signature, constructs};

use super::about::About;
use super::instruction;
use super::kind::{OPERATIONS, TYPES, Use};
use super::tokens::{Token, tokens};
use super::{Dependencies, Dependency, Form, Lowering, Row, ScopePattern, Source, Step, Used};

/// The most alternatives that one row may offer: each is a choice for every operation, so the search grows with it.
const MAX_ALTERNATIVES: usize = 8;
/// The most instructions of one lowering.
const MAX_STEPS: usize = 8;

/// The header of a mapping.
pub struct Header {
    /// The quoted title, if there is one.
    pub title: Option<String>,
    /// The name or path of the source model.
    pub source: (String, Span),
    /// The name or path of the target model.
    pub target: (String, Span),
}

/// A row as it is written.
#[derive(Debug, Clone)]
pub struct Written {
    /// Construct, scope and lowerings.
    pub row: Row,
    /// The form that it is for.
    pub form: Form,
    /// The uses that it is for.
    pub when: Use,
    /// Where it comes from.
    pub from: Option<Source>,
    /// Why it has no lowering.
    pub nothing: Option<Nothing>,
}

/// Why a row has no lowering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nothing {
    /// The construct does not exist, or does not compile; why, or nothing.
    Absent(String),
    /// It compiles to something that no row can say.
    Other(String),
}

/// Is this a line about the mapping, and no row?
fn is_about(line: &[(Token, Span)]) -> bool {
    matches!(line.first(), Some((Token::Word(w), _)) if About::KEYWORDS.contains(&w.as_str()))
        && !matches!(line.get(1), Some((Token::Arrow, _)))
}

/// A text cut into logical lines.
pub struct Lines {
    file: Arc<SourceFile>,
    lines: Vec<Vec<(Token, Span)>>,
}

impl Lines {
    /// Cuts a text into logical lines of tokens.
    pub fn new(file: &Arc<SourceFile>) -> Result<Self, Diagnostic> {
        let mut lines: Vec<Vec<(Token, Span)>> = Vec::new();
        let mut current: Vec<(Token, Span)> = Vec::new();
        for (token, span) in tokens(file)? {
            if token != Token::Newline {
                current.push((token, span));
                continue;
            }
            let goes_on = match current.last() {
                Some((Token::Semicolon | Token::Arrow, _)) => true,
                Some((Token::Word(w), _)) => w == "or",
                _ => false,
            };
            if !goes_on && !current.is_empty() {
                lines.push(std::mem::take(&mut current));
            }
        }
        if !current.is_empty() {
            lines.push(current);
        }
        Ok(Self { file: file.clone(), lines })
    }

    /// Reads the header line.
    pub fn header(&self) -> Result<Header, Diagnostic> {
        const SHAPE: &str = "the first line is: mapping \"title\" from SOURCE-MODEL to TARGET-MODEL";
        let Some(line) = self.lines.first() else {
            return Err(Diagnostic::error("the mapping is empty").at(&self.file, Span::default(), "nothing here").help(SHAPE));
        };
        let mut items = line.iter().peekable();
        let mut expect = |wanted: &str, previous: Span| match items.next() {
            Some((Token::Word(w), span)) if wanted.is_empty() || w == wanted => Ok((w.clone(), *span)),
            Some((Token::Quoted(w), span)) if wanted.is_empty() || wanted == "\"" => Ok((w.clone(), *span)),
            Some((_, span)) if wanted == "\"" => Ok((String::new(), Span::new(span.start, span.start))),
            Some((_, span)) => Err((*span, wanted.to_owned())),
            None => Err((Span::new(previous.end, previous.end), wanted.to_owned())),
        };
        let fail = |(span, wanted): (Span, String)| {
            let wanted = if wanted.is_empty() { "the name of a model".to_owned() } else { format!("`{wanted}`") };
            Diagnostic::error(format!("expected {wanted} in the header of the mapping"))
                .at(&self.file, span, format!("expected {wanted}"))
                .help(SHAPE)
        };
        let (_, span) = expect("mapping", Span::default()).map_err(fail)?;
        let (title, span) = match line.get(1) {
            Some((Token::Quoted(_), _)) => {
                let (title, span) = expect("\"", span).map_err(fail)?;
                (Some(title), span)
            }
            _ => (None, span),
        };
        let (_, span) = expect("from", span).map_err(fail)?;
        let source = expect("", span).map_err(fail)?;
        let (_, span) = expect("to", source.1).map_err(fail)?;
        let target = expect("", span).map_err(fail)?;
        if let Some((_, span)) = items.next() {
            return Err(Diagnostic::error("unexpected text after the header")
                .at(&self.file, *span, "not expected here")
                .help(SHAPE));
        }
        Ok(Header { title, source, target })
    }

    /// Reads what the mapping says about itself, given the signatures of the two models.
    pub fn about(&self, source: Signature, target: Signature) -> Result<About, Vec<Diagnostic>> {
        let mut about = About::default();
        let errors: Vec<Diagnostic> = self
            .lines
            .iter()
            .skip(1)
            .filter(|line| is_about(line))
            .filter_map(|line| about.read(&self.file, line, (source, target)).err())
            .collect();
        about.with_plain_evidence();
        if errors.is_empty() { Ok(about) } else { Err(errors) }
    }

    /// Reads the rows as they are written, given the signatures of the two models. Every row that is wrong gives a diagnostic of its own.
    pub fn written(&self, source: Signature, target: Signature, about: &About) -> Result<Vec<Written>, Vec<Diagnostic>> {
        let mut rows = Vec::new();
        let mut errors = Vec::new();
        for line in self.lines.iter().skip(1).filter(|line| !is_about(line)) {
            match self.row(line, (source, target), about) {
                Ok(row) => rows.push(row),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(rows) } else { Err(errors) }
    }

    /// Puts rows together that speak of whole constructs.
    pub fn whole(&self, rows: Vec<Row>, source: Signature) -> Result<Vec<Row>, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        // Compare-exchange is a form of other constructs: its lowerings join theirs.
        let (mut rows, forms): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|r| r.alternatives.iter().all(|l| l.form == Form::Usual));
        for form in forms {
            if let Err(error) = self.join(&mut rows, form, source) {
                errors.push(error);
            }
        }
        if errors.is_empty() { Ok(rows) } else { Err(errors) }
    }

    /// Adds the lowerings of a form of an operation to the row of the operation.
    fn join(&self, rows: &mut [Row], form: Row, source: Signature) -> Result<(), Diagnostic> {
        let kind = form.alternatives.first().map(|l| l.form).unwrap_or_default();
        let usual = form.head(source, Form::Usual);
        let same_scope = |row: &Row| match (&row.scope, &form.scope) {
            (ScopePattern::Any(_), ScopePattern::Any(_)) => true,
            (ScopePattern::Named(a), ScopePattern::Named(b)) => a == b,
            _ => false,
        };
        let Some(row) = rows.iter_mut().find(|r| r.construct == form.construct && same_scope(r)) else {
            return Err(Diagnostic::error(format!("`{}` has no row `{usual}` beside it", form.head(source, kind)))
                .at(&self.file, form.span, "this row")
                .help(format!("write the row `{usual}` too, with scopes written in the same way")));
        };
        if let Some(earlier) = row.alternatives.iter().find(|l| l.form == kind) {
            return Err(Diagnostic::error(format!("two rows for `{}`", form.head(source, kind)))
                .at(&self.file, form.span, "the second row")
                .at(&self.file, earlier.span, "the first one's lowering")
                .help("drop one; lowerings that the compiler may choose between are written in one row with `or`"));
        }
        row.alternatives.extend(form.alternatives);
        if row.alternatives.len() > MAX_ALTERNATIVES {
            let message =
                format!("{} alternatives for `{usual}`; at most {MAX_ALTERNATIVES} are supported", row.alternatives.len());
            return Err(Diagnostic::error(message)
                .at(&self.file, row.span, "those of this row and of its forms")
                .help("drop alternatives that another one makes redundant, or split the mapping into several files"));
        }
        Ok(())
    }

    fn row(
        &self,
        line: &[(Token, Span)],
        (source, target): (Signature, Signature),
        about: &About,
    ) -> Result<Written, Diagnostic> {
        const SHAPE: &str = "a row is: CONSTRUCT.scope => instruction ; instruction, e.g. `R.SC.s => fence.sc.s ; ld.acquire.s`";
        let whole = line.first().map_or(Span::default(), |f| line.last().map_or(f.1, |l| f.1.to(l.1)));
        let (name, span) = match line.first() {
            Some((Token::Word(w), span)) => (w.as_str(), *span),
            _ => {
                return Err(Diagnostic::error("a row begins with a source construct")
                    .at(&self.file, whole, "no construct here")
                    .help(SHAPE));
            }
        };
        let (name, partner) = self.partner(name, span, source)?;
        let (construct, scope, form) = self.construct(&name, span, source)?;
        let (line, from) = self.source(line, about)?;
        let words = line.iter().skip(1).take_while(|(t, _)| matches!(t, Token::Word(_))).count();
        // Without an arrow behind them they are no types: the arrow is what is missing.
        let words = if matches!(line.get(1 + words), Some((Token::Arrow, _))) { words } else { 0 };
        let when = Use { partner, ..self.uses(&line[1..=words], construct, form)? };
        // The row without what stands between the construct and the arrow.
        let line = &[&line[..1], &line[1 + words..]].concat()[..];
        match line.get(1) {
            Some((Token::Arrow, _)) => {}
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
        // What ends in `or`, `;` or `=>` goes on in the next line, so a row without an end swallows the next one.
        if let Some(arrow) = body.iter().position(|(t, _)| *t == Token::Arrow)
            && let (Some((_, open)), Some((_, next))) = (line.get(arrow), line.get(arrow + 1))
            && self.file.text[open.end..next.start].contains('\n')
        {
            return Err(Diagnostic::error("this row has no end")
                .at(&self.file, *open, "a lowering or an instruction is missing behind this")
                .help("write `nothing` for no instruction, or take away what is too much"));
        }
        match body {
            [(Token::Word(w), _), rest @ ..] if w == "absent" || w == "other" => {
                let why = match rest {
                    [] if w == "absent" => String::new(),
                    [(Token::Quoted(why), _)] => why.clone(),
                    _ => {
                        return Err(Diagnostic::error(format!("expected a reason in quotes after `{w}`"))
                            .at(&self.file, whole, "in this row")
                            .help("write `absent` or `absent \"why\"`; `other \"what is emitted\"` for what no row can say"));
                    }
                };
                let nothing = if w == "absent" { Nothing::Absent(why) } else { Nothing::Other(why) };
                let row = Row { construct, scope, alternatives: Vec::new(), span };
                return Ok(Written { row, form, when, from, nothing: Some(nothing) });
            }
            _ => {}
        }
        for part in body.split(|(t, _)| matches!(t, Token::Word(w) if w == "or")) {
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
        let row = Row { construct, scope, alternatives, span };
        Ok(Written { row, form, when, from, nothing: None })
    }

    /// `CAS.REL/ACQ.s` as `CAS.REL.s` and the order of the other outcome; `CAS_FAIL.REL/ACQ.s` as `CAS_FAIL.ACQ.s` likewise.
    fn partner(&self, name: &str, span: Span, source: Signature) -> Result<(String, Option<Order>), Diagnostic> {
        let Some((head, tail)) = name.split_once('/') else { return Ok((name.to_owned(), None)) };
        let mut parts = head.splitn(2, '.');
        let (form, success) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (failure, scope) = tail.split_once('.').map_or((tail, None), |(f, s)| (f, Some(s)));
        let wrong = |what: String, help: &str| Err(Diagnostic::error(what).at(&self.file, span, "here").help(help.to_owned()));
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
            return wrong(format!("`{failure}` is no order of a failure: it stores nothing"), "orders of failure: RLX, ACQ, SC");
        }
        let scope = scope.map_or(String::new(), |s| format!(".{s}"));
        Ok(match form {
            "CAS" => (format!("CAS.{success}{scope}"), Some(on_failure)),
            _ => (format!("CAS_FAIL.{failure}{scope}"), Some(on_success)),
        })
    }

    /// The words between construct and arrow.
    fn uses(&self, words: &[(Token, Span)], construct: Construct, form: Form) -> Result<Use, Diagnostic> {
        let mut when = Use::default();
        for (token, span) in words {
            let Token::Word(word) = token else { continue };
            let index = |all: &[&str]| all.iter().position(|a| a == word);
            let set = match (index(&TYPES), index(&OPERATIONS)) {
                (Some(i), _) if construct.operation != Operation::Fence => {
                    when.data = Some(when.data.unwrap_or_default().with(i));
                    continue;
                }
                (_, Some(i)) if construct.operation == Operation::Rmw && form == Form::Usual => {
                    when.operations = Some(when.operations.unwrap_or_default().with(i));
                    continue;
                }
                (Some(_), _) => "a fence has no object, and so no type",
                (_, Some(_)) => "only a read-modify-write that is no compare-exchange has an operation",
                (None, None) => "neither a type nor an operation",
            };
            let known = TYPES.iter().chain(&OPERATIONS).copied();
            let error = Diagnostic::error(format!("`{word}`: {set}")).at(&self.file, *span, "before the `=>`");
            return Err(match nearest(word, known) {
                Some(near) if near != word => error.help(format!("did you mean `{near}`?")),
                _ => error.help(format!("types: {}; operations: {}", TYPES.join(", "), OPERATIONS.join(", "))),
            });
        }
        Ok(when)
    }

    /// Where a row comes from: `[NAME]` or `[NAME HASH]` at its end.
    #[allow(clippy::type_complexity, reason = "a line without its end, and what the end says")]
    fn source<'a>(&self, line: &'a [(Token, Span)], about: &About) -> Result<(&'a [(Token, Span)], Option<Source>), Diagnostic> {
        let Some(open) = line.iter().position(|(t, _)| *t == Token::Open) else { return Ok((line, None)) };
        let (name, hash, at) = match &line[open + 1..] {
            [(Token::Word(name), at), (Token::Close, _)] => (name, None, *at),
            [(Token::Word(name), at), (Token::Word(hash), _), (Token::Close, _)] => (name, Some(hash.clone()), *at),
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
        Ok((&line[..open], Some(Source { evidence, hash })))
    }

    fn lowering(
        &self,
        part: &[(Token, Span)],
        (construct, form): (Construct, Form),
        target: Signature,
        variable: Option<&str>,
        row: Span,
    ) -> Result<Lowering, Diagnostic> {
        let Some(span) = part.first().and_then(|f| part.last().map(|l| f.1.to(l.1))) else {
            return Err(Diagnostic::error("expected instructions")
                .at(&self.file, Span::new(row.end, row.end), "nothing here")
                .help("write the instructions that the compiler emits, or `nothing`"));
        };
        let mut steps = Vec::new();
        let (mut bits, mut dependencies) = (None, Dependencies::default());
        if !matches!(part, [(Token::Word(w), _)] if w == "nothing") {
            for piece in part.split(|(t, _)| *t == Token::Semicolon) {
                // `unused ld`: a load beside the access.
                let (piece, unused) = match piece {
                    [(Token::Word(w), at), rest @ ..] if w == "unused" && !rest.is_empty() => (rest, Some(*at)),
                    _ => (piece, None),
                };
                let (word, at) = match piece {
                    [(Token::Word(w), at)] => (w, *at),
                    [] => {
                        return Err(Diagnostic::error("expected an instruction beside `;`").at(
                            &self.file,
                            span,
                            "an instruction is missing here",
                        ));
                    }
                    [_, (_, at), ..] => {
                        return Err(Diagnostic::error("expected `;` between instructions").at(
                            &self.file,
                            *at,
                            "expected `;` or `or` before this",
                        ));
                    }
                    [(_, at)] => {
                        return Err(Diagnostic::error("expected an instruction").at(&self.file, *at, "not an instruction"));
                    }
                };
                let (word, width) = instruction::width(word, target);
                bits = bits.or(width);
                if let Some(dependency) = Dependency::of_word(word).filter(|_| unused.is_none()) {
                    let behind = self.dependency(dependency, &steps, at, (construct, form), (target, dependencies))?;
                    dependencies = dependencies.with(dependency, Some(behind));
                    continue;
                }
                let step = instruction::parse(word, target, variable)
                    .map_err(|bad| Diagnostic::error(bad.message).at(&self.file, at, "in this instruction").help(bad.help))?;
                if let Some(unused) = unused {
                    steps.push(self.unused(step, unused, construct, target)?);
                    continue;
                }
                steps.push(if form == Form::FailedCompareExchange { instruction::failed(step) } else { step });
            }
        }
        let accesses: Vec<&Step> = steps.iter().filter(|s| s.carries()).collect();
        // A store of a machine may be an exchange, whose read nobody uses; a load may be an addition of 0, which writes back what it reads.
        let by_rmw = |s: &Step| {
            s.operation == Operation::Rmw
                && match construct.operation {
                    Operation::Read => true,
                    Operation::Write => target.tabular().is_some(),
                    Operation::Rmw | Operation::Fence => false,
                }
        };
        let error = match (construct.operation, accesses.as_slice()) {
            (Operation::Fence, []) => None,
            (Operation::Fence, _) => Some("a fence must become fences alone, or `nothing`"),
            (operation, [access]) if access.operation == operation || by_rmw(access) => None,
            (Operation::Read, _) => Some("a load must become exactly one load or read-modify-write, and fences around it"),
            (Operation::Write, _) => Some("a store must become exactly one store, and fences around it"),
            (Operation::Rmw, _) => Some("a read-modify-write must become exactly one read-modify-write, and fences around it"),
        };
        if let Some(message) = error {
            let help = match target.tabular() {
                Some(_) => {
                    "of a loop write the round that succeeds; a load or a store may be a read-modify-write, and a load whose value nobody \
                     uses may stand beside the access: `unused LOAD` (docs/mapping-language.md)"
                }
                None => {
                    "a load may be a read-modify-write, and no lowering has other accesses; of a loop write the round that succeeds \
                     (docs/mapping-language.md)"
                }
            };
            return Err(Diagnostic::error(message).at(&self.file, span, "this lowering").help(help));
        }
        if steps.len() > MAX_STEPS {
            return Err(Diagnostic::error(format!(
                "{} instructions in one lowering; at most {MAX_STEPS} are supported",
                steps.len()
            ))
            .at(&self.file, span, "this lowering"));
        }
        Ok(Lowering { form, steps, dependencies, bits, uses: Vec::new(), span })
    }

    /// `addr`, `data` or `ctrl`, behind the access of a row that reads: how many of its instructions are between the two.
    fn dependency(
        &self,
        dependency: Dependency,
        before: &[Step],
        at: Span,
        (construct, form): (Construct, Form),
        (target, earlier): (Signature, Dependencies),
    ) -> Result<usize, Diagnostic> {
        let word = dependency.word();
        let wrong = |message: String, help: String| Err(Diagnostic::error(message).at(&self.file, at, "here").help(help));
        if !dependency.relation().is_in(target) {
            let message = format!("{target} has no relation `{word}`");
            return wrong(
                message,
                format!("drop `{word}`; the file of an architecture says which it has, e.g. `dependencies addr data ctrl`"),
            );
        }
        if earlier.get(dependency).is_some() {
            let help = format!("one is enough: of what the row reads, {}", dependency.dependent());
            return wrong(format!("a second `{word}`"), help);
        }
        let reads = matches!(construct.operation, Operation::Read | Operation::Rmw) || form != Form::Usual;
        match before.iter().position(Step::carries) {
            Some(access) if reads => Ok(before.len() - access - 1),
            _ => wrong(
                format!("nothing is read before `{word}`"),
                format!("`{word}` stands behind a load or a read-modify-write: {}", dependency.dependent()),
            ),
        }
    }

    /// `unused LOAD`: a load beside the access of a row.
    fn unused(&self, step: Step, at: Span, construct: Construct, target: Signature) -> Result<Step, Diagnostic> {
        let wrong = |message: &str, help: &str| Err(Diagnostic::error(message).at(&self.file, at, "here").help(help));
        if target.tabular().is_none() {
            return wrong(
                "`unused` is for targets that are texts",
                "take the load away: this target has no rows with several accesses",
            );
        }
        if construct.operation == Operation::Fence {
            return wrong("a fence has no location that could be loaded", "take the load away, or name a fence of the target");
        }
        if step.operation != Operation::Read {
            return wrong(
                "`unused` stands before a load alone",
                "what a store writes can be read by others, and a fence reads nothing",
            );
        }
        Ok(Step { unused: true, ..step })
    }

    /// `R.SC.s`, `R.SC.gpu`, `R.NA`, `CAS.SC.s`.
    fn construct(&self, name: &str, span: Span, source: Signature) -> Result<(Construct, ScopePattern, Form), Diagnostic> {
        let all = constructs(source);
        let names: Vec<String> = all.iter().map(|c| c.name(source)).collect();
        let mut canonical = name.replace("ACQREL", "ACQ_REL");
        let mut form = Form::Usual;
        for other in [Form::CompareExchange, Form::FailedCompareExchange] {
            let head = canonical.split('.').next();
            if let (Some(own), Some(operation)) = (other.name(), other.operation())
                && head == Some(own)
            {
                canonical = format!("{operation}{}", &canonical[own.len()..]);
                form = other;
            }
        }
        let parts: Vec<&str> = canonical.split('.').collect();
        let found = (1..=parts.len()).rev().find_map(|k| {
            let head = parts[..k].join(".");
            names.iter().position(|n| *n == head).map(|i| (all[i], &parts[k..]))
        });
        let Some((construct, rest)) = found else {
            let diagnostic = Diagnostic::error(format!("unknown construct `{name}` of the source model")).at(
                &self.file,
                span,
                "not a construct",
            );
            // A form is shown under its own name; the model knows the operation that it is one of.
            let names: Vec<String> = match (form.name(), form.operation()) {
                (Some(own), Some(operation)) => {
                    let of_operation = all.iter().filter(|c| c.operation == operation && c.order != Order::Plain);
                    of_operation.map(|c| format!("{own}{}", &c.name(source)[operation.to_string().len()..])).collect()
                }
                _ => names,
            };
            let parts: Vec<&str> = if form == Form::Usual { parts } else { name.split('.').collect() };
            // A construct of the operation that the name begins with, if it begins with one: not `F.REL` for `R.REL`.
            let same: Vec<&str> =
                names.iter().map(String::as_str).filter(|n| n.split('.').next() == parts.first().copied()).collect();
            let known = if same.is_empty() { names.iter().map(String::as_str).collect() } else { same };
            let head = parts[..parts.len().min(2)].join(".");
            return Err(match nearest(&head, known.iter().copied()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("constructs: {}", known.join(", "))),
            });
        };
        if source.is_plain() && !rest.is_empty() {
            return Err(Diagnostic::error("operations of this source model have neither orders nor scopes")
                .at(&self.file, span, "more than an operation")
                .help(format!("constructs: {}", names.join(", "))));
        }
        if form != Form::Usual && construct.order == Order::Plain && instruction::is_c(source) {
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
                        .help(format!("write a scope variable, e.g. `s`, or one of {}", source.scope_names())));
                }
                _ if !construct.has_scope(source) => {
                    return Err(Diagnostic::error(format!("`{}` has no scope of its own", construct.name(source)))
                        .at(&self.file, span, "here")
                        .help(match source.scope_names() {
                            names if names.is_empty() => "drop the scope".to_owned(),
                            names => format!("drop the scope; the right-hand side may name one ({names})"),
                        }));
                }
                Some(scope) => ScopePattern::Named(scope),
                None => ScopePattern::Any(Some((*word).to_owned())),
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
