//! Text to rows: the header line, then one row a line (`row.rs`). Comments are `//`, `#` and
//! `(* *)`; a line that ends in `;`, `=>` or `or` goes on in the next one.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::signature::Signature;

use super::about::{MappingDescription, RowHead};
use super::extension;
use super::kind::RowUses;
use super::tokens::{MappingToken, tokens};
use super::{LoweringForm, Row, RowSource, ScopePattern};

/// The most alternatives that one row may offer: each is a choice for every operation, so the
/// search grows with it.
pub(super) const MAX_ALTERNATIVES: usize = 8;

/// The header of a mapping.
pub struct Header {
    /// The quoted title, if there is one.
    pub title: Option<String>,
    /// The name or path of the source model.
    pub source: (String, Span),
    /// The name or path of the target model.
    pub target: (String, Span),
}

#[derive(Debug, Clone)]
pub struct WrittenRow {
    /// Construct, scope and lowerings.
    pub row: Row,
    pub form: LoweringForm,
    pub when: RowUses,
    /// Where it comes from.
    pub from: Option<RowSource>,
    /// Why it has no lowering.
    pub nothing: Option<Nothing>,
}

impl WrittenRow {
    /// Its left-hand side.
    pub fn head(&self, source: Signature) -> RowHead {
        let text = self.row.head_for(source, self.form, self.when);
        RowHead {
            text,
            construct: self.row.construct,
            form: self.form,
            scope: self.row.scope.clone(),
        }
    }
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
pub(super) fn is_about(line: &[(MappingToken, Span)]) -> bool {
    matches!(line.first(), Some((MappingToken::Word(w), _)) if MappingDescription::KEYWORDS.contains(&w.as_str()))
        && !matches!(line.get(1), Some((MappingToken::Arrow, _)))
}

/// Does the line say which mapping it extends?
pub fn is_extension(line: &[(MappingToken, Span)]) -> bool {
    matches!(line.first(), Some((MappingToken::Word(w), _)) if w == MappingDescription::EXTENDS)
}

/// A text cut into logical lines.
pub struct MappingLines {
    pub(super) file: Arc<SourceFile>,
    lines: Vec<Vec<(MappingToken, Span)>>,
}

impl MappingLines {
    /// Cuts a text into logical lines of tokens.
    pub fn new(file: &Arc<SourceFile>) -> Result<Self, Diagnostic> {
        let mut lines: Vec<Vec<(MappingToken, Span)>> = Vec::new();
        let mut current: Vec<(MappingToken, Span)> = Vec::new();
        for (token, span) in tokens(file)? {
            if token != MappingToken::Newline {
                current.push((token, span));
                continue;
            }
            let goes_on = match current.last() {
                Some((MappingToken::Semicolon | MappingToken::Arrow, _)) => true,
                Some((MappingToken::Word(w), _)) => w == "or",
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
        const SHAPE: &str =
            "the first line is: mapping \"title\" from SOURCE-MODEL to TARGET-MODEL";
        let Some(line) = self.lines.first() else {
            return Err(Diagnostic::error("the mapping is empty")
                .at(&self.file, Span::default(), "nothing here")
                .help(SHAPE));
        };
        let mut items = line.iter().peekable();
        let mut expect = |wanted: &str, previous: Span| match items.next() {
            Some((MappingToken::Word(w), span)) if wanted.is_empty() || w == wanted => {
                Ok((w.clone(), *span))
            }
            Some((MappingToken::Quoted(w), span)) if wanted.is_empty() || wanted == "\"" => {
                Ok((w.clone(), *span))
            }
            Some((_, span)) if wanted == "\"" => {
                Ok((String::new(), Span::new(span.start, span.start)))
            }
            Some((_, span)) => Err((*span, wanted.to_owned())),
            None => Err((Span::new(previous.end, previous.end), wanted.to_owned())),
        };
        let fail = |(span, wanted): (Span, String)| {
            let wanted = if wanted.is_empty() {
                "the name of a model".to_owned()
            } else {
                format!("`{wanted}`")
            };
            Diagnostic::error(format!("expected {wanted} in the header of the mapping"))
                .at(&self.file, span, format!("expected {wanted}"))
                .help(SHAPE)
        };
        let (_, span) = expect("mapping", Span::default()).map_err(fail)?;
        let (title, span) = match line.get(1) {
            Some((MappingToken::Quoted(_), _)) => {
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
    pub fn about(
        &self,
        source: Signature,
        target: Signature,
    ) -> Result<MappingDescription, Vec<Diagnostic>> {
        let mut about = MappingDescription::default();
        let mut errors = self.describe(&mut about, (source, target));
        errors.extend(
            self.about_lines()
                .filter(|line| is_extension(line))
                .map(|line| extension::alone(&self.file, line)),
        );
        about.with_plain_evidence();
        if errors.is_empty() { Ok(about) } else { Err(errors) }
    }

    /// Adds what the lines say about the mapping, but for what it extends, and gives what is wrong
    /// with them.
    pub(super) fn describe(
        &self,
        about: &mut MappingDescription,
        signatures: (Signature, Signature),
    ) -> Vec<Diagnostic> {
        let lines = self.about_lines().filter(|line| !is_extension(line));
        lines.filter_map(|line| about.read(&self.file, line, signatures).err()).collect()
    }

    /// The first line.
    pub(super) fn header_line(&self) -> &[(MappingToken, Span)] {
        self.lines.first().map_or(&[], Vec::as_slice)
    }

    /// They begin with one of [`MappingDescription::KEYWORDS`].
    pub(super) fn about_lines(&self) -> impl Iterator<Item = &[(MappingToken, Span)]> {
        self.lines.iter().skip(1).map(Vec::as_slice).filter(|line| is_about(line))
    }

    /// Not the first line, which names the mapping and its models.
    pub(super) fn row_lines(&self) -> impl Iterator<Item = &[(MappingToken, Span)]> {
        self.lines.iter().skip(1).map(Vec::as_slice).filter(|line| !is_about(line))
    }

    /// Reads the rows as they are written, given the signatures of the two models. Every row that
    /// is wrong gives a diagnostic of its own.
    pub fn written(
        &self,
        source: Signature,
        target: Signature,
        about: &MappingDescription,
    ) -> Result<Vec<WrittenRow>, Vec<Diagnostic>> {
        let mut rows = Vec::new();
        let mut errors = Vec::new();
        for line in self.row_lines() {
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
        let (mut rows, forms): (Vec<Row>, Vec<Row>) = rows
            .into_iter()
            .partition(|r| r.alternatives.iter().all(|l| l.form == LoweringForm::Usual));
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
        let usual = form.head(source, LoweringForm::Usual);
        let same_scope = |row: &Row| match (&row.scope, &form.scope) {
            (ScopePattern::Any(_), ScopePattern::Any(_)) => true,
            (ScopePattern::Named(a), ScopePattern::Named(b)) => a == b,
            _ => false,
        };
        let Some(row) = rows.iter_mut().find(|r| r.construct == form.construct && same_scope(r))
        else {
            return Err(Diagnostic::error(format!(
                "`{}` has no row `{usual}` beside it",
                form.head(source, kind)
            ))
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
            let message = format!(
                "{} alternatives for `{usual}`; at most {MAX_ALTERNATIVES} are supported",
                row.alternatives.len()
            );
            return Err(Diagnostic::error(message)
                .at(&self.file, row.span, "those of this row and of its forms")
                .help("drop alternatives that another one makes redundant, or split the mapping into several files"));
        }
        Ok(())
    }
}
