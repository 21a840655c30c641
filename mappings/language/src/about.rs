//! What a mapping says about itself before its rows: the architecture, the scopes, types and
//! operations that there are, and where rows come from.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::Scope;
use margay_models::signature::{Construct, Signature};

use super::kind::{ConstructUse, KindSet, OPERATIONS, RowUses, TYPES};
use super::tokens::MappingToken;
use super::{LoweringForm, Row, ScopePattern};

/// How something about a compiler is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Knowledge {
    /// The compiler was run, and its output was read.
    Ran,
    /// Its source or its documentation was read.
    Read,
    /// It was taken to be so.
    Assumed,
}

impl Knowledge {
    /// All of them, best first.
    pub const ALL: [Knowledge; 3] = [Knowledge::Ran, Knowledge::Read, Knowledge::Assumed];

    /// The word in a mapping.
    pub fn word(self) -> &'static str {
        match self {
            Knowledge::Ran => "ran",
            Knowledge::Read => "read",
            Knowledge::Assumed => "assumed",
        }
    }
}

/// Where rows come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowEvidence {
    /// The name that rows use.
    pub name: String,
    pub known: Knowledge,
    /// What stands in quotes: compiler and command; file and commit; why it is assumed.
    pub words: Vec<String>,
    /// The hash of all that was compiled.
    pub hash: Option<String>,
}

/// The left-hand side of a row of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowHead {
    /// As tables write it.
    pub text: String,
    pub construct: Construct,
    pub form: LoweringForm,
    /// The scopes that it speaks of.
    pub scope: ScopePattern,
}

impl RowHead {
    /// Is it for this form of the operations that another row speaks of?
    pub fn is_for(&self, row: &Row, form: LoweringForm) -> bool {
        let meets = match (&self.scope, &row.scope) {
            (ScopePattern::Named(one), ScopePattern::Named(other)) => one == other,
            _ => true,
        };
        self.construct == row.construct && self.form == form && meets
    }
}

/// A row without a lowering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its left-hand side.
    pub head: RowHead,
    /// Which uses of the construct it is for.
    pub when: RowUses,
    /// Why; empty if it does not say.
    pub why: String,
    /// Does the construct exist, and compile to something that no row can say?
    pub exists: bool,
}

/// A row with a lowering, as the text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// Its left-hand side.
    pub head: RowHead,
    pub assumed: bool,
    /// Is it for no operation that there is: other rows say more of each, or the types, operations
    /// or scopes that it names are none of the table's?
    pub idle: bool,
}

/// What a mapping says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MappingDescription {
    /// The architecture that was compiled for: `sm_90`.
    pub architecture: Option<String>,
    /// The scopes that there are; `None` for all that the models know.
    pub scopes: Option<Vec<Scope>>,
    /// The types of objects that there are (of [`TYPES`]).
    pub types: Option<KindSet>,
    /// The operations of read-modify-writes that there are (of [`OPERATIONS`]).
    pub operations: Option<KindSet>,
    /// Where rows come from.
    pub evidence: Vec<RowEvidence>,
    /// What all threads of a program share; `None` for nothing. A question may say so, a text
    /// cannot.
    pub together: Option<Scope>,
    /// Rows with a lowering, as the text has them: what the rows of a [`super::Mapping`] say
    /// together may be one line, or several.
    pub stated: Vec<Stated>,
    /// Rows without a lowering.
    pub left: Vec<Left>,
    /// The left-hand sides of assumed rows that were taken out of the mapping
    /// ([`super::Mapping::known_only`]); a text cannot say so.
    pub left_out: Vec<RowHead>,
}

impl MappingDescription {
    /// Has the text a row for this form of the operations of a row, of which it does not say what
    /// it becomes, or which was left out?
    pub fn is_left(&self, row: &Row, form: LoweringForm) -> bool {
        self.left
            .iter()
            .map(|left| &left.head)
            .chain(&self.left_out)
            .any(|head| head.is_for(row, form))
    }

    /// The row that says why there is no lowering for a use in a form of the operations of a row,
    /// if there is one.
    pub fn nothing(&self, row: &Row, form: LoweringForm, cell: ConstructUse) -> Option<&Left> {
        self.left
            .iter()
            .filter(|left| left.head.is_for(row, form) && left.when.covers(cell))
            .max_by_key(|left| left.when.rank())
    }

    /// The word that begins the line of a mapping that extends another one.
    pub const EXTENDS: &'static str = "extends";

    /// The words that begin such a line.
    pub const KEYWORDS: [&'static str; 6] =
        ["architecture", "scopes", "types", "operations", "evidence", Self::EXTENDS];

    /// The index of the evidence of a name. `ran`, `read` and `assumed` can be used without a line
    /// of their own.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.evidence.iter().position(|e| e.name == name)
    }

    /// The names of evidence.
    pub fn names(&self) -> Vec<&str> {
        self.evidence.iter().map(|e| e.name.as_str()).collect()
    }

    /// Makes `[ran]`, `[read]` and `[assumed]` usable where no line defines them.
    pub fn with_plain_evidence(&mut self) {
        for known in Knowledge::ALL {
            if self.find(known.word()).is_none() {
                let name = known.word().to_owned();
                self.evidence.push(RowEvidence { name, known, words: Vec::new(), hash: None });
            }
        }
    }

    /// Reads one line of a mapping between two signatures.
    pub(super) fn read(
        &mut self,
        file: &Arc<SourceFile>,
        line: &[(MappingToken, Span)],
        (from, to): (Signature, Signature),
    ) -> Result<(), Diagnostic> {
        let Some(((MappingToken::Word(keyword), at), rest)) = line.split_first() else {
            return Ok(());
        };
        let wrong = |span: Span, what: String, help: &str| {
            Err(Diagnostic::error(what).at(file, span, "here").help(help))
        };
        let words = || {
            rest.iter().map(|(t, span)| match t {
                MappingToken::Word(w) => Ok((w.as_str(), *span)),
                _ => Err(Diagnostic::error(format!("expected words after `{keyword}`"))
                    .at(file, *span, "here")),
            })
        };
        if rest.is_empty() {
            return wrong(
                *at,
                format!("nothing stands after `{keyword}`"),
                "e.g. `architecture sm_90`, `types b8 b16 b32 b64`",
            );
        }
        let set = |all: &[&str]| -> Result<KindSet, Diagnostic> {
            let mut set = KindSet::default();
            for word in words() {
                let (word, span) = word?;
                let Some(i) = all.iter().position(|a| *a == word) else {
                    let error =
                        Diagnostic::error(format!("`{word}` is not known")).at(file, span, "here");
                    return Err(match nearest(word, all.iter().copied()) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error.help(format!("known are: {}", all.join(", "))),
                    });
                };
                set = set.with(i);
            }
            Ok(set)
        };
        match keyword.as_str() {
            "architecture" => match rest {
                [(MappingToken::Word(w), _)] => self.architecture = Some(w.clone()),
                _ => {
                    return wrong(
                        *at,
                        "expected one architecture".to_owned(),
                        "e.g. `architecture sm_90`",
                    );
                }
            },
            "types" => self.types = Some(set(&TYPES)?),
            "operations" => self.operations = Some(set(&OPERATIONS)?),
            "scopes" => {
                let mut scopes = Vec::new();
                for word in words() {
                    let (word, span) = word?;
                    // As rows write it on the left, or else on the right.
                    match from.scope_named(word).or_else(|| to.scope_named(word)) {
                        Some(scope) => scopes.push(scope),
                        None => {
                            let mut known = vec![from.scope_names(), to.scope_names()];
                            known.dedup();
                            known.retain(|names| !names.is_empty());
                            let help = if known.is_empty() {
                                "neither model has scopes: drop the line".to_owned()
                            } else {
                                format!("scopes: {}", known.join("; of the target: "))
                            };
                            return wrong(span, format!("`{word}` is no scope"), &help);
                        }
                    }
                }
                scopes.sort_unstable();
                scopes.dedup();
                self.scopes = Some(scopes);
            }
            _ => {
                const HELP: &str = "write `evidence NAME ran \"compiler\" \"command\" sha256 HASH`, `evidence NAME read \"file\" \"commit\"` or \
                     `evidence NAME assumed \"why\"`";
                let [(MappingToken::Word(name), _), (MappingToken::Word(kind), kind_at), tail @ ..] =
                    rest
                else {
                    return wrong(
                        *at,
                        "this line does not say how the evidence is known".to_owned(),
                        HELP,
                    );
                };
                let Some(known) = Knowledge::ALL.into_iter().find(|k| k.word() == kind) else {
                    return wrong(
                        *kind_at,
                        format!("`{kind}` is not one of ran, read, assumed"),
                        HELP,
                    );
                };
                if self.find(name).is_some() {
                    return wrong(
                        *at,
                        format!("there is evidence `{name}` already"),
                        "give each a name of its own",
                    );
                }
                let quoted =
                    tail.iter().take_while(|(t, _)| matches!(t, MappingToken::Quoted(_))).count();
                let words = tail[..quoted].iter().map(|(t, _)| {
                    if let MappingToken::Quoted(w) = t { w.clone() } else { String::new() }
                });
                let hash = match &tail[quoted..] {
                    [] => None,
                    [(MappingToken::Word(w), _), (MappingToken::Word(hash), _)]
                        if w == "sha256" =>
                    {
                        Some(hash.clone())
                    }
                    [(_, span), ..] => {
                        return wrong(
                            *span,
                            "unexpected text in a line of evidence".to_owned(),
                            HELP,
                        );
                    }
                };
                self.evidence.push(RowEvidence {
                    name: name.clone(),
                    known,
                    words: words.collect(),
                    hash,
                });
            }
        }
        Ok(())
    }
}
