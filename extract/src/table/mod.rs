//! A table of what was extracted: every row with its evidence.

mod against;
mod write;

pub use against::{Compared, Difference, against};
pub use write::{Models, map};

use margay_mappings::language::kind::Set;
use margay_models::execution::Scope;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::compile::{Command, Compiled, Outcome};
use crate::flow::{ActionKind, Paths, Swap, explore};
use crate::front::FrontEnd;
use crate::lowering::{Answer, Row, rows};
use crate::point::Point;

/// The version of the JSON that [`Table::json`] makes.
pub const SCHEMA: u32 = 1;

/// What a compiler emits, with evidence.
#[derive(Debug, Clone)]
pub struct Table {
    /// The name of the front end.
    pub front: String,
    /// What the front end is.
    pub title: String,
    /// What the compiler says about its version.
    pub version: String,
    /// The command, its placeholders included.
    pub command: String,
    /// The architecture.
    pub architecture: String,
    /// The scopes that the front end has.
    pub scopes: Vec<Scope>,
    /// The types that it has.
    pub types: Set,
    /// The operations that it has.
    pub operations: Set,
    /// Why its operations are not one thread's, if they are not.
    pub threads: Option<String>,
    /// The rows, in the order of the points.
    pub rows: Vec<Measured>,
    /// The hash of all PTX.
    pub hash: String,
    /// How often the compiler was started.
    pub runs: usize,
}

/// A row and what it was read from.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What was asked.
    pub point: Point,
    /// The row.
    pub row: Row,
    /// The text of the function.
    pub ptx: Option<String>,
    /// Its paths, as instructions.
    pub paths: Vec<String>,
}

/// The first digits of a hash.
const SHORT: usize = 12;

/// The hash of texts, in hexadecimal.
pub fn hash<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    texts.into_iter().for_each(|t| hasher.update(t.as_bytes()));
    hasher.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

/// A path as text: `fence.sc.gpu ; atom.cas.acquire.gpu.b32 (succeeds)`.
pub fn path_text(paths: &Paths) -> Vec<String> {
    let one = |p: &crate::flow::Path| {
        let actions = p.actions.iter().map(|a| match &a.kind {
            ActionKind::Access(access, swap) if access.verb == crate::flow::Verb::CompareAndSwap => match swap {
                Swap::Done => format!("{} (succeeds)", a.text),
                Swap::Failed => format!("{} (fails)", a.text),
                Swap::Either => format!("{} (succeeds or fails)", a.text),
            },
            _ => a.text.clone(),
        });
        let text = actions.collect::<Vec<_>>().join(" ; ");
        if p.spaces.is_empty() { text } else { format!("{text}   (object in {} space)", p.spaces.join(", ")) }
    };
    let mut out: Vec<String> = paths.paths.iter().map(one).collect();
    out.sort_by_key(|t| (t.matches(';').count(), t.clone()));
    out.dedup();
    out
}

impl Table {
    /// Reads what was compiled.
    pub fn new(front: &FrontEnd, command: &Command, version: String, outcome: &Outcome) -> Self {
        let mut measured = Vec::new();
        for (point, compiled) in &outcome.points {
            match compiled {
                Compiled::Function(module, name) => {
                    let module = &outcome.modules[*module].1;
                    let Some(function) = module.function(name) else { continue };
                    let paths = explore(module, function, 1);
                    let texts = path_text(&paths);
                    for row in rows(point, &paths) {
                        measured.push(Measured { point: *point, row, ptx: Some(function.text.clone()), paths: texts.clone() });
                    }
                }
                Compiled::Failed(failure) => {
                    let answer = match failure {
                        _ if failure.is_refusal() => Answer::Absent(failure.to_string()),
                        _ => Answer::Unknown(failure.to_string()),
                    };
                    measured.extend(point.slots().into_iter().map(|slot| Measured {
                        point: *point,
                        row: Row { slot, answer: answer.clone(), notes: Vec::new() },
                        ptx: None,
                        paths: Vec::new(),
                    }));
                }
            }
        }
        Self {
            front: front.name.clone(),
            title: front.title.clone(),
            version,
            command: command.template.clone(),
            architecture: command.architecture.clone(),
            scopes: front.scopes(),
            types: Set::of(front.types()),
            operations: Set::of(front.operations()),
            threads: front.threads.clone(),
            rows: measured,
            hash: hash(outcome.modules.iter().map(|(text, _)| text.as_str())),
            runs: outcome.runs,
        }
    }

    /// How many rows are lowered, absent, something that no row can say, and unknown.
    pub fn counts(&self) -> [usize; 4] {
        let mut out = [0; 4];
        for measured in &self.rows {
            out[match measured.row.answer {
                Answer::Lowered(_) => 0,
                Answer::Absent(_) => 1,
                Answer::Other(_) => 2,
                Answer::Unknown(_) => 3,
            }] += 1;
        }
        out
    }

    /// The table with all evidence.
    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|m| {
                let (kind, value) = match &m.row.answer {
                    Answer::Lowered(all) => ("lowered", json!(all.iter().map(|s| s.text(None)).collect::<Vec<_>>())),
                    Answer::Absent(why) => ("absent", json!(why)),
                    Answer::Other(what) => ("other", json!(what)),
                    Answer::Unknown(why) => ("unknown", json!(why)),
                };
                json!({
                    "row": m.row.slot.to_string(), "asked": m.point.to_string(), kind: value, "notes": m.row.notes,
                    "paths": m.paths, "ptx": m.ptx, "hash": m.ptx.as_deref().map(|t| hash([t])),
                })
            })
            .collect();
        let [lowered, absent, other, unknown] = self.counts();
        json!({
            "schema": SCHEMA, "command": "extract", "front_end": self.front, "title": self.title, "compiler": self.version,
            "compile": self.command, "architecture": self.architecture, "ptx_sha256": self.hash, "runs": self.runs,
            "lowered": lowered, "absent": absent, "other": other, "unknown": unknown, "rows": rows,
        })
    }
}
