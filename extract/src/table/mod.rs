//! A table of what was extracted: every row with its evidence.

mod against;
mod write;

pub use against::{Difference, TableComparison, against};
pub use write::{Models, map};

use margay_mappings::language::kind::KindSet;
use margay_models::digest::digest;
use margay_models::execution::Scope;
use margay_models::signature::Architecture;

use crate::assembly::{self, AssemblyReader};
use crate::compile::{CompileCommand, CompiledPoints, PointCompilation};
use crate::flow::{ActionKind, Paths, Swap, explore};
use crate::front::{FrontEnd, UNUSED};
use crate::lowering::{LoweringAnswer, PlaceLowering, rows};
use crate::point::Point;
use crate::ptx::{PtxFunction, PtxModule};
use crate::ptx_trials::{FunctionTrial, FunctionTrials};

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
    /// The architecture that was asked for.
    pub architecture: String,
    /// What the PTX says that it is for, if that is something else: compilers pass over
    /// architectures that they do not know, and a command may name one of its own.
    pub written_for: Option<String>,
    /// The scopes that the front end has.
    pub scopes: Vec<Scope>,
    /// The types that were asked about.
    pub types: KindSet,
    /// The operations that were asked about.
    pub operations: KindSet,
    /// The rows are of an architecture whose text reads the compiler's assembly.
    pub assembly: Option<Architecture>,
    /// Why its operations are not one thread's, if they are not.
    pub threads: Option<String>,
    /// The rows, in the order of the points.
    pub rows: Vec<MeasuredRow>,
    /// The hash of all PTX.
    pub hash: String,
    /// How often the compiler was started.
    pub runs: usize,
}

/// A row and what it was read from.
#[derive(Debug, Clone)]
pub struct MeasuredRow {
    /// What was asked.
    pub point: Point,
    /// What the compiler makes of the place.
    pub row: PlaceLowering,
    /// The text of the function, in PTX or in assembly.
    pub ptx: Option<String>,
    /// Its paths, as instructions.
    pub paths: Vec<String>,
    /// Was its function run on numbers? Else a row says what its paths are, and not that they
    /// compute what they must.
    pub is_run: bool,
}

/// The first digits of a hash.
const SHORT: usize = 12;

/// The hash of texts, in hexadecimal.
pub fn hash<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    digest(texts.into_iter().collect::<String>().as_bytes())
}

/// A path as text: `fence.sc.gpu ; atom.cas.acquire.gpu.b32 (succeeds)`.
pub fn path_text(paths: &Paths) -> Vec<String> {
    let one = |p: &crate::flow::FlowPath| {
        let actions = p.actions.iter().map(|a| match &a.kind {
            ActionKind::Access(access, swap)
                if access.verb == crate::flow::Verb::CompareAndSwap =>
            {
                match swap {
                    Swap::Done => format!("{} (succeeds)", a.text),
                    Swap::Failed => format!("{} (fails)", a.text),
                    Swap::Either => format!("{} (succeeds or fails)", a.text),
                }
            }
            _ => a.text.clone(),
        });
        let text = actions.collect::<Vec<_>>().join(" ; ");
        if p.spaces.is_empty() {
            text
        } else {
            format!("{text}   (object in {} space)", p.spaces.join(", "))
        }
    };
    let mut out: Vec<String> = paths.paths.iter().map(one).collect();
    out.sort_by_key(|t| (t.matches(';').count(), t.clone()));
    out.dedup();
    out
}

/// What a module is for, if it is not for what was asked.
fn other_target(command: &CompileCommand, module: &PtxModule) -> Option<String> {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (architecture, version) = command.parts();
    let differs = digits(&module.target) != digits(architecture)
        || version.is_some_and(|version| digits(&module.version) != digits(version));
    let with_version =
        version.map_or(String::new(), |_| format!("-ptx{}", digits(&module.version)));
    (differs && !module.target.is_empty()).then(|| format!("{}{with_version}", module.target))
}

impl Table {
    pub fn of_architecture(&self) -> &str {
        self.written_for.as_ref().unwrap_or(&self.architecture)
    }

    /// Reads what was compiled.
    pub fn new(
        front: &FrontEnd,
        command: &CompileCommand,
        version: String,
        outcome: &CompiledPoints,
    ) -> Self {
        let mut measured = Vec::new();
        // Types and operations that were not asked about are not in the table: nothing is said of
        // them.
        let types: Vec<usize> = outcome.points.iter().filter_map(|(p, _)| p.data).collect();
        let operations: Vec<usize> =
            outcome.points.iter().filter_map(|(p, _)| p.operation()).collect();
        let mut assembly = command.assembly.and_then(AssemblyReader::of);
        let mut trials: Vec<Option<FunctionTrials>> =
            outcome.modules.iter().map(|_| None).collect();
        for (point, compiled) in &outcome.points {
            match compiled {
                PointCompilation::Function(module, name) => {
                    let number = *module;
                    let (text, module) = &outcome.modules[number];
                    let Some(function) = module.function(name) else { continue };
                    if let Some(reader) = &mut assembly {
                        let unused = module.function(&format!("{name}{UNUSED}"));
                        let read = assembly::rows(
                            reader,
                            point,
                            front.trial_layout(point),
                            &function.text,
                            unused.map(|f| f.text.as_str()),
                        );
                        // The number of a function in its program says nothing about it.
                        let text =
                            |f: &PtxFunction, called: &str| f.text.replacen(&f.name, called, 1);
                        let texts: Vec<String> = std::iter::once(text(function, "function"))
                            .chain(unused.map(|f| text(f, "function, the result not used")))
                            .collect();
                        for row in read.rows {
                            measured.push(MeasuredRow {
                                point: *point,
                                row,
                                ptx: Some(texts.concat()),
                                paths: read.paths.clone(),
                                is_run: true,
                            });
                        }
                        continue;
                    }
                    let paths = explore(module, function, 1);
                    let texts = path_text(&paths);
                    // What many threads make together is not tried by one.
                    let trial = match front.threads {
                        Some(_) => FunctionTrial::NotRun,
                        None => {
                            let functions =
                                trials[number].get_or_insert_with(|| FunctionTrials::of(text));
                            functions.trial(point, name, front.trial_layout(point))
                        }
                    };
                    for mut row in rows(point, &paths) {
                        if let (LoweringAnswer::Lowered(_), FunctionTrial::Wrong(wrong)) =
                            (&row.answer, &trial)
                        {
                            row.answer = LoweringAnswer::Other(wrong.clone());
                        }
                        let is_run = trial != FunctionTrial::NotRun;
                        measured.push(MeasuredRow {
                            point: *point,
                            row,
                            ptx: Some(function.text.clone()),
                            paths: texts.clone(),
                            is_run,
                        });
                    }
                }
                PointCompilation::Failed(failure) => {
                    let answer = match failure {
                        _ if failure.is_refusal() => LoweringAnswer::Absent(failure.to_string()),
                        _ => LoweringAnswer::Unknown(failure.to_string()),
                    };
                    measured.extend(point.slots().into_iter().map(|slot| MeasuredRow {
                        point: *point,
                        row: PlaceLowering { slot, answer: answer.clone(), notes: Vec::new() },
                        ptx: None,
                        paths: Vec::new(),
                        is_run: false,
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
            written_for: outcome
                .modules
                .iter()
                .find_map(|(_, module)| other_target(command, module)),
            scopes: front.scopes(),
            types: KindSet::of(front.types().into_iter().filter(|t| types.contains(t))),
            operations: KindSet::of(
                front.operations().into_iter().filter(|o| operations.contains(o)),
            ),
            assembly: command.assembly,
            threads: front.threads.clone(),
            rows: measured,
            hash: hash(outcome.modules.iter().map(|(text, _)| text.as_str())),
            runs: outcome.runs,
        }
    }

    /// How many of the rows that are lowered were read from paths alone.
    pub fn not_run(&self) -> usize {
        self.rows
            .iter()
            .filter(|row| !row.is_run && matches!(row.row.answer, LoweringAnswer::Lowered(_)))
            .count()
    }

    /// How many rows are lowered, absent, something that no row can say, and unknown.
    pub fn counts(&self) -> [usize; 4] {
        let mut out = [0; 4];
        for measured in &self.rows {
            out[match measured.row.answer {
                LoweringAnswer::Lowered(_) => 0,
                LoweringAnswer::Absent(_) => 1,
                LoweringAnswer::Other(_) => 2,
                LoweringAnswer::Unknown(_) => 3,
            }] += 1;
        }
        out
    }
}
