//! One alternative of a row: its instructions, with the dependencies between them and the loads
//! that nobody uses.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::signature::{Construct, Operation, Signature};

use super::instruction;
use super::parse::MappingLines;
use super::tokens::MappingToken;
use super::{Dependency, Lowering, LoweringDependencies, LoweringForm, LoweringStep};

/// The most instructions of one lowering.
const MAX_STEPS: usize = 8;

impl MappingLines {
    pub(super) fn lowering(
        &self,
        part: &[(MappingToken, Span)],
        (construct, form): (Construct, LoweringForm),
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
        let (mut bits, mut dependencies) = (None, LoweringDependencies::default());
        if !matches!(part, [(MappingToken::Word(w), _)] if w == "nothing") {
            for piece in part.split(|(t, _)| *t == MappingToken::Semicolon) {
                // `unused ld`: a load beside the access.
                let (piece, unused) = match piece {
                    [(MappingToken::Word(w), at), rest @ ..]
                        if w == "unused" && !rest.is_empty() =>
                    {
                        (rest, Some(*at))
                    }
                    _ => (piece, None),
                };
                let (word, at) =
                    match piece {
                        [(MappingToken::Word(w), at)] => (w, *at),
                        [] => {
                            return Err(Diagnostic::error("expected an instruction beside `;`")
                                .at(&self.file, span, "an instruction is missing here"));
                        }
                        [_, (_, at), ..] => {
                            return Err(Diagnostic::error("expected `;` between instructions").at(
                                &self.file,
                                *at,
                                "expected `;` or `or` before this",
                            ));
                        }
                        [(_, at)] => {
                            return Err(Diagnostic::error("expected an instruction").at(
                                &self.file,
                                *at,
                                "not an instruction",
                            ));
                        }
                    };
                let (word, width) = instruction::width(word, target);
                bits = bits.or(width);
                if let Some(dependency) = Dependency::of_word(word).filter(|_| unused.is_none()) {
                    let behind = self.dependency(
                        dependency,
                        &steps,
                        at,
                        (construct, form),
                        (target, dependencies),
                    )?;
                    dependencies = dependencies.with(dependency, Some(behind));
                    continue;
                }
                let step = instruction::parse(word, target, variable).map_err(|bad| {
                    Diagnostic::error(bad.message)
                        .at(&self.file, at, "in this instruction")
                        .help(bad.help)
                })?;
                if let Some(unused) = unused {
                    steps.push(self.unused(step, unused, construct, target)?);
                    continue;
                }
                if width.is_some() && step.operation == Operation::Fence {
                    return Err(Diagnostic::error("a fence accesses nothing, and so has no width")
                        .at(&self.file, at, "in this instruction")
                        .help("take the width away, or write it at the end of the access"));
                }
                steps.push(if form == LoweringForm::FailedCompareExchange {
                    instruction::failed(step)
                } else {
                    step
                });
            }
        }
        let accesses: Vec<&LoweringStep> = steps.iter().filter(|s| s.carries()).collect();
        // A store of a machine may be an exchange, whose read nobody uses; a load may be an
        // addition of 0, which writes back what it reads.
        let by_rmw = |s: &LoweringStep| {
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
            (Operation::Read, _) => Some(
                "a load must become exactly one load or read-modify-write, and fences around it",
            ),
            (Operation::Write, _) => {
                Some("a store must become exactly one store, and fences around it")
            }
            (Operation::Rmw, _) => Some(
                "a read-modify-write must become exactly one read-modify-write, and fences around it",
            ),
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
            return Err(Diagnostic::error(message)
                .at(&self.file, span, "this lowering")
                .help(help));
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

    /// `addr`, `data` or `ctrl`, behind the access of a row that reads: how many of its
    /// instructions are between the two.
    fn dependency(
        &self,
        dependency: Dependency,
        before: &[LoweringStep],
        at: Span,
        (construct, form): (Construct, LoweringForm),
        (target, earlier): (Signature, LoweringDependencies),
    ) -> Result<usize, Diagnostic> {
        let word = dependency.word();
        let wrong = |message: String, help: String| {
            Err(Diagnostic::error(message).at(&self.file, at, "here").help(help))
        };
        if !dependency.relation().is_in(target) {
            let message = format!("{target} has no relation `{word}`");
            return wrong(
                message,
                format!(
                    "drop `{word}`; the file of an architecture says which it has, e.g. `dependencies addr data ctrl`"
                ),
            );
        }
        if earlier.get(dependency).is_some() {
            let help = format!("one is enough: of what the row reads, {}", dependency.dependent());
            return wrong(format!("a second `{word}`"), help);
        }
        let reads = matches!(construct.operation, Operation::Read | Operation::Rmw)
            || form != LoweringForm::Usual;
        match before.iter().position(LoweringStep::carries) {
            Some(access) if reads => Ok(before.len() - access - 1),
            _ => wrong(
                format!("nothing is read before `{word}`"),
                format!(
                    "`{word}` stands behind a load or a read-modify-write: {}",
                    dependency.dependent()
                ),
            ),
        }
    }

    /// `unused LOAD`: a load beside the access of a row.
    fn unused(
        &self,
        step: LoweringStep,
        at: Span,
        construct: Construct,
        target: Signature,
    ) -> Result<LoweringStep, Diagnostic> {
        let wrong = |message: &str, help: &str| {
            Err(Diagnostic::error(message).at(&self.file, at, "here").help(help))
        };
        if target.tabular().is_none() {
            return wrong(
                "`unused` is for targets that are texts",
                "take the load away: this target has no rows with several accesses",
            );
        }
        if construct.operation == Operation::Fence {
            return wrong(
                "a fence has no location that could be loaded",
                "take the load away, or name a fence of the target",
            );
        }
        if step.operation != Operation::Read {
            return wrong(
                "`unused` stands before a load alone",
                "what a store writes can be read by others, and a fence reads nothing",
            );
        }
        Ok(LoweringStep { unused: true, ..step })
    }
}
