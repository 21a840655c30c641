//! A mapping that extends another one (`extends BASE`): its text, with the lines of the other that
//! it does not replace.
//!
//! What comes out is the text of a whole mapping, so that certificates, checkpoints and printed
//! tables need nothing else. Each of its lines knows which file it is from: mistakes are shown
//! where somebody wrote them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use margay_models::confined::way_out;
use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::execution::Scope;
use margay_models::limited;
use margay_models::model::Model;
use margay_models::text::{FileKind, another};

use super::about::MappingDescription;
use super::kind::RowUses;
use super::parse::{MappingLines, WrittenRow, is_about, is_extension};
use super::text::{MAX_FILE, ShippedTexts};
use super::tokens::MappingToken;
use super::{LoweringForm, Mapping, ScopePattern};

/// So many mappings may extend one another in a row.
const MOST: usize = 16;

/// The text of a mapping with what it takes from others.
pub struct JoinedTable {
    /// The text.
    pub file: Arc<SourceFile>,
    pieces: Vec<TextPiece>,
}

/// A part of a joined text.
struct TextPiece {
    /// Where it is in the joined text.
    at: Span,
    file: Arc<SourceFile>,
    /// Where it is there.
    from: Span,
    /// Is it as it is written there? Else it is the row of one scope, of a row that is written for
    /// all.
    as_written: bool,
}

impl JoinedTable {
    /// A text that extends nothing.
    fn whole(file: &Arc<SourceFile>) -> Self {
        let at = Span::new(0, file.text.len());
        Self {
            file: file.clone(),
            pieces: vec![TextPiece { at, file: file.clone(), from: at, as_written: true }],
        }
    }

    /// The place of the joined text as somebody wrote it.
    fn origin(&self, span: Span) -> (Arc<SourceFile>, Span, bool) {
        let holds =
            |p: &&TextPiece| p.at.start <= span.start && span.start < p.at.end.max(p.at.start + 1);
        let Some(piece) = self.pieces.iter().rfind(holds).or(self.pieces.first()) else {
            return (self.file.clone(), span, true);
        };
        if !piece.as_written {
            return (piece.file.clone(), piece.from, false);
        }
        let place = |offset: usize| {
            (piece.from.start + offset.saturating_sub(piece.at.start)).min(piece.from.end)
        };
        (piece.file.clone(), Span::new(place(span.start), place(span.end)), true)
    }

    /// What is wrong with the joined text, shown where it was written.
    pub fn shown(&self, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let shown = |mut error: Diagnostic| {
            for label in
                error.labels.iter_mut().filter(|label| Arc::ptr_eq(&label.file, &self.file))
            {
                (label.file, label.span, _) = self.origin(label.span);
            }
            error
        };
        errors.into_iter().map(shown).collect()
    }
}

/// A joined text, as far as it is written.
#[derive(Default)]
struct JoinedText {
    text: String,
    pieces: Vec<TextPiece>,
}

impl JoinedText {
    /// Adds a line: that of `table` at `span`, or `instead` of it.
    fn line(&mut self, table: &JoinedTable, span: Span, instead: Option<&str>) {
        let (file, from, as_written) = table.origin(span);
        let start = self.text.len();
        self.text.push_str(instead.unwrap_or(&table.file.text[span.start..span.end]));
        let at = Span::new(start, self.text.len());
        self.pieces.push(TextPiece { at, file, from, as_written: as_written && instead.is_none() });
        self.text.push('\n');
    }
}

/// Where the mappings are that others extend.
#[derive(Clone, Copy)]
pub struct MappingBases<'a> {
    /// The folder of the mapping; `None` for a text that comes from no file.
    pub folder: Option<&'a Path>,
    /// Those that are built in.
    pub shipped: Option<ShippedTexts>,
}

/// A mapping that another one extends.
struct FoundBase {
    file: Arc<SourceFile>,
    folder: Option<PathBuf>,
    /// What tells it from others.
    identity: PathBuf,
}

/// The line of a text that says which mapping it extends; `None` if it extends none.
type ExtendsLine<'l> = Option<&'l [(MappingToken, Span)]>;

fn line_of(lines: &MappingLines) -> Result<ExtendsLine<'_>, Diagnostic> {
    let mut all = lines.about_lines().filter(|line| is_extension(line));
    let (first, second) = (all.next(), all.next());
    match (first, second) {
        (Some(first), Some(second)) => {
            Err(Diagnostic::error("a mapping extends one other mapping")
                .at(&lines.file, second[0].1, "the second one")
                .at(&lines.file, first[0].1, "the first one")
                .help("have one of the two extend the other"))
        }
        (first, _) => Ok(first),
    }
}

/// Does the text say that it extends another mapping?
pub fn extends(file: &Arc<SourceFile>) -> bool {
    MappingLines::new(file).is_ok_and(|lines| line_of(&lines).is_ok_and(|line| line.is_some()))
}

/// The text of a mapping between two models with what it takes from the one that it extends; `None`
/// if it extends none.
///
/// # Errors
/// The other mapping is not there, or must not be read; it extends the first one; lines of either
/// are wrong.
pub fn joined(
    file: &Arc<SourceFile>,
    bases: MappingBases<'_>,
    models: (&Model, &Model),
) -> Result<Option<JoinedTable>, Vec<Diagnostic>> {
    let own = bases
        .folder
        .and_then(|_| Path::new(&file.name).canonicalize().ok())
        .unwrap_or_else(|| PathBuf::from(&file.name));
    join(file, bases, models, &[(own, file.name.clone())])
}

fn join(
    file: &Arc<SourceFile>,
    bases: MappingBases<'_>,
    models: (&Model, &Model),
    chain: &[(PathBuf, String)],
) -> Result<Option<JoinedTable>, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let lines = MappingLines::new(file)
        .map_err(|error| one(another(file, FileKind::Mapping).unwrap_or(error)))?;
    let Some(line) = line_of(&lines).map_err(one)? else { return Ok(None) };
    let (name, at) = match line {
        [_, (MappingToken::Word(name) | MappingToken::Quoted(name), at)] => (name.as_str(), *at),
        [(_, at), ..] => {
            return Err(vec![
                Diagnostic::error(format!("expected one mapping after `{}`", MappingDescription::EXTENDS))
                    .at(file, *at, "in this line")
                    .help("e.g. `extends rc11-to-ptx`, or `extends \"base.map\"` of a file in the same folder"),
            ]);
        }
        [] => return Ok(None),
    };
    let base = find(name, bases).map_err(|(what, help)| {
        vec![Diagnostic::error(what).at(file, at, "named here").help(help)]
    })?;
    if let Some(from) = chain.iter().position(|(identity, _)| *identity == base.identity) {
        let way: Vec<&str> = chain[from..]
            .iter()
            .map(|(_, name)| name.as_str())
            .chain([base.file.name.as_str()])
            .collect();
        let error = Diagnostic::error(format!(
            "`{}` extends itself: {}",
            base.file.name,
            way.join(" extends ")
        ));
        return Err(vec![
            error
                .at(file, at, "here it comes round")
                .help("have the first of them say all its rows"),
        ]);
    }
    if chain.len() >= MOST {
        let error = Diagnostic::error(format!("more than {MOST} mappings extend one another"));
        return Err(vec![
            error.at(file, at, "this is one too many").help("have this one say all its rows"),
        ]);
    }
    let chain = [chain, &[(base.identity.clone(), base.file.name.clone())]].concat();
    let of_base = MappingBases { folder: base.folder.as_deref(), ..bases };
    let table = join(&base.file, of_base, models, &chain)?
        .unwrap_or_else(|| JoinedTable::whole(&base.file));
    Ok(Some(
        Joining::new(models, &table, &JoinedTable::whole(file))?
            .text(&table, &JoinedTable::whole(file)),
    ))
}

/// The mapping of a name. A file lies in the folder of the mapping that names it, or below:
/// wherever links lead, and whoever wrote the mapping, no other file is read.
fn find(
    name: &str,
    MappingBases { folder, shipped }: MappingBases<'_>,
) -> Result<FoundBase, (String, String)> {
    let built_in = |name: &str| {
        let file =
            shipped.and_then(|shipped| shipped(name.strip_suffix(".map").unwrap_or(name)))?;
        let identity = PathBuf::from(&file.name);
        Some(FoundBase { file, folder: None, identity })
    };
    const HELP: &str = "name a .map file of the same folder, or a mapping that is built in (`margay mappings` lists them)";
    let Some(folder) = folder else {
        return built_in(name)
            .ok_or_else(|| (format!("there is no built-in mapping `{name}`"), HELP.to_owned()));
    };
    for path in [name.to_owned(), format!("{name}.map")].into_iter().map(PathBuf::from) {
        if let Some(why) = way_out(folder, &path)
            .map_err(|error| (format!("cannot look for `{name}`: {error}"), HELP.to_owned()))?
        {
            return Err((format!("`{name}` is not read: {why}"), HELP.to_owned()));
        }
        let path = folder.join(path);
        let Ok(identity) = path.canonicalize() else { continue };
        if path.is_dir() {
            continue;
        }
        if identity.extension().is_none_or(|ending| ending != "map") {
            return Err((
                format!("`{}` is no .map file, and no other files are read", path.display()),
                HELP.to_owned(),
            ));
        }
        let shown = limited::name(&path);
        let text = limited::text(&path, MAX_FILE).map_err(|error| {
            (format!("cannot read the mapping `{shown}`: {error}"), HELP.to_owned())
        })?;
        let folder = path.parent().map(Path::to_path_buf);
        return Ok(FoundBase { file: SourceFile::new(shown, text), folder, identity });
    }
    let shown =
        if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() };
    built_in(name).ok_or_else(|| {
        (
            format!("there is no mapping `{name}` in `{shown}`, and none is built in"),
            HELP.to_owned(),
        )
    })
}

/// A row, and where it is written.
struct PlacedRow {
    written: WrittenRow,
    /// The line in the text that it is from.
    span: Span,
    /// Is it of the mapping that extends?
    own: bool,
}

impl PlacedRow {
    /// What a row is for, but for its scope.
    fn key(&self) -> (margay_models::signature::Construct, LoweringForm, RowUses) {
        (self.written.row.construct, self.written.form, self.written.when)
    }

    fn named(&self) -> Option<Scope> {
        match self.written.row.scope {
            ScopePattern::Named(scope) => Some(scope),
            ScopePattern::Any(_) => None,
        }
    }
}

/// Two mappings, of which one extends the other.
struct Joining<'a> {
    models: (&'a Model, &'a Model),
    base: MappingLines,
    own: MappingLines,
    rows: Vec<PlacedRow>,
    scopes: Vec<Scope>,
}

impl<'a> Joining<'a> {
    fn new(
        models: (&'a Model, &'a Model),
        base: &JoinedTable,
        own: &JoinedTable,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (source, target) = (models.0.signature, models.1.signature);
        // What is of another kind is wrong from its first line on: that line says it best.
        let of_kind = |table: &JoinedTable, error| {
            table.shown(vec![another(&table.file, FileKind::Mapping).unwrap_or(error)])
        };
        let lines = |table: &JoinedTable| {
            MappingLines::new(&table.file).map_err(|error| of_kind(table, error))
        };
        let (base_lines, own_lines) = (lines(base)?, lines(own)?);
        base_lines.header().map_err(|error| of_kind(base, error))?;
        let (mut about, mut errors) = (MappingDescription::default(), Vec::new());
        for (lines, table) in [(&base_lines, base), (&own_lines, own)] {
            errors.extend(table.shown(lines.describe(&mut about, (source, target))));
        }
        about.with_plain_evidence();
        let mut rows = Vec::new();
        for (lines, table, is_own) in [(&base_lines, base, false), (&own_lines, own, true)] {
            for line in lines.row_lines() {
                match lines.row(line, (source, target), &about) {
                    Ok(written) => rows.push(PlacedRow { written, span: whole(line), own: is_own }),
                    Err(error) => errors.extend(table.shown(vec![error])),
                }
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let file = own.file.clone();
        let (source, target) = (models.0.clone(), models.1.clone());
        let mapping =
            Mapping { title: String::new(), file, source, target, rows: Vec::new(), about };
        let mut scopes = mapping.scopes();
        if scopes.is_empty() {
            scopes.push(Scope::Sys);
        }
        Ok(Self { models, base: base_lines, own: own_lines, rows, scopes })
    }

    /// The rows that are replaced are gone, and what is said of all scopes is said of each where
    /// the other mapping tells them apart.
    fn text(self, base: &JoinedTable, own: &JoinedTable) -> JoinedTable {
        let mut out = JoinedText::default();
        let header = self.own.header_line();
        out.line(own, whole(header), None);
        self.describe(&mut out, base, own);
        let mut done: Vec<usize> = Vec::new();
        let replacing = |b: &PlacedRow| -> Vec<usize> {
            let replaces = |r: &PlacedRow| {
                r.own && r.key() == b.key() && (r.named().is_none() || r.named() == b.named())
            };
            (0..self.rows.len()).filter(|&i| replaces(&self.rows[i])).collect()
        };
        let left: Vec<usize> = (0..self.rows.len())
            .filter(|&i| self.rows[i].own || replacing(&self.rows[i]).is_empty())
            .collect();
        for (i, row) in self.rows.iter().enumerate() {
            let here = if row.own { vec![i] } else { replacing(row) };
            let here = if here.is_empty() { vec![i] } else { here };
            for index in here {
                if !done.contains(&index) {
                    done.push(index);
                    self.write(
                        &mut out,
                        index,
                        &left,
                        if self.rows[index].own { own } else { base },
                    );
                }
            }
        }
        let name = format!("{} + {}", own.file.name, base.file.name);
        JoinedTable { file: SourceFile::new(name, out.text), pieces: out.pieces }
    }

    /// What the mappings say about themselves.
    fn describe(&self, out: &mut JoinedText, base: &JoinedTable, own: &JoinedTable) {
        let keyword = |line: &[(MappingToken, Span)]| match line.first() {
            Some((MappingToken::Word(word), _)) => word.clone(),
            _ => String::new(),
        };
        let said: Vec<String> = self.own.about_lines().map(keyword).collect();
        // Evidence is added to evidence; of all else the mapping that extends has the last word.
        let kept = |line: &&[(MappingToken, Span)]| {
            keyword(line) == "evidence" || !said.contains(&keyword(line))
        };
        for line in self
            .base
            .about_lines()
            .filter(|line| keyword(line) != MappingDescription::EXTENDS)
            .filter(kept)
        {
            out.line(base, whole(line), None);
        }
        for line in
            self.own.about_lines().filter(|line| keyword(line) != MappingDescription::EXTENDS)
        {
            out.line(own, whole(line), None);
        }
    }

    /// Writes a row: as it is, or once for each scope of which the other mapping says nothing.
    fn write(&self, out: &mut JoinedText, index: usize, left: &[usize], table: &JoinedTable) {
        let row = &self.rows[index];
        let others = || left.iter().map(|&i| &self.rows[i]).filter(|r| r.own != row.own);
        let apart = |r: &PlacedRow| {
            r.written.row.construct == row.written.row.construct && r.named().is_some()
        };
        if row.named().is_some() || !others().any(apart) {
            return out.line(table, row.span, None);
        }
        let lines = if row.own { &self.own } else { &self.base };
        for &scope in &self.scopes {
            if !others().any(|r| r.key() == row.key() && r.named() == Some(scope)) {
                out.line(table, row.span, Some(&self.at_scope(lines, row, scope)));
            }
        }
    }

    /// The line of a row for all scopes, for one of them.
    fn at_scope(&self, lines: &MappingLines, row: &PlacedRow, scope: Scope) -> String {
        let (source, target) = (self.models.0.signature, self.models.1.signature);
        let variable = match &row.written.row.scope {
            ScopePattern::Any(variable) => variable.as_deref(),
            ScopePattern::Named(_) => None,
        };
        let text = &lines.file.text;
        let Some(line) = lines.row_lines().find(|line| whole(line) == row.span) else {
            return text[row.span.start..row.span.end].to_owned();
        };
        let (mut out, mut end, mut behind) = (String::new(), row.span.start, false);
        for (i, (token, span)) in line.iter().enumerate() {
            out.push_str(&text[end..span.start]);
            end = span.end;
            match token {
                MappingToken::Word(word) if i == 0 => {
                    let head = variable
                        .and_then(|v| word.strip_suffix(v)?.strip_suffix('.'))
                        .unwrap_or(word);
                    out.push_str(&format!("{head}.{}", source.scope_name(scope)));
                }
                MappingToken::Word(word) if behind => {
                    let (instruction, width) = match super::instruction::width(word, target) {
                        (instruction, Some(bits)) => (instruction, format!(".b{bits}")),
                        (instruction, None) => (instruction, String::new()),
                    };
                    match variable.and_then(|v| instruction.strip_suffix(v)?.strip_suffix('.')) {
                        Some(instruction) => out.push_str(&format!(
                            "{instruction}.{}{width}",
                            target.scope_name(scope)
                        )),
                        None => out.push_str(word),
                    }
                }
                _ => {
                    behind |= *token == MappingToken::Arrow;
                    out.push_str(&text[span.start..span.end]);
                }
            }
        }
        out
    }
}

/// All of a line.
fn whole(line: &[(MappingToken, Span)]) -> Span {
    match line {
        [(_, first), ..] => line.last().map_or(*first, |(_, last)| first.to(*last)),
        [] => Span::default(),
    }
}

/// The error where a text that comes with nothing else says that it extends another mapping.
pub fn alone(file: &Arc<SourceFile>, line: &[(MappingToken, Span)]) -> Diagnostic {
    debug_assert!(is_about(line));
    Diagnostic::error("this mapping extends another one, which is not here")
        .at(file, whole(line), "in this line")
        .help("give the mapping as a file")
}
