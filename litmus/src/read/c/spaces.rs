//! What threads say of the locations that their parameters point to must agree: their types, and
//! their state spaces (memory that each block has for itself, and OpenCL's two orders, of global
//! and of local memory).

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};

use crate::test::{CInteger, CSpace, Test, ThreadId};

/// The memory that a fence of OpenCL is of.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::read) struct Flags {
    pub global: bool,
    pub local: bool,
}

/// Refuses a location of several types, and what needs more than one memory that everyone shares: a
/// location that each block has its own of, tests in OpenCL's global and local memory at once,
/// fences of the other one.
pub(in crate::read) fn check(
    test: &Test,
    fences: &[(Flags, Span)],
    file: &Arc<SourceFile>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut error = |message: String, span: Span, label: &str, help: &str| {
        errors.push(Diagnostic::error(message).at(file, span, label).help(help));
    };
    // For each name its type, its space, and the first thread that names it.
    let mut known: Vec<(&str, CInteger, Option<CSpace>, ThreadId)> = Vec::new();
    for (t, thread) in test.threads.iter().enumerate() {
        let (id, place) = (ThreadId(t as u16), thread.place.0);
        for parameter in &thread.parameters {
            let Some(&(_, integer, space, first)) =
                known.iter().find(|(name, ..)| *name == parameter.name)
            else {
                known.push((&parameter.name, parameter.ty.integer, parameter.space, id));
                continue;
            };
            if integer != parameter.ty.integer {
                let (here, there) = (parameter.ty.integer.name(), integer.name());
                let message =
                    format!("`{}` holds `{here}` here, and `{there}` in {first}", parameter.name);
                error(
                    message,
                    place,
                    "this thread",
                    "a location has one type (it may be atomic in one thread and not in another)",
                );
            }
            if space != parameter.space {
                let name = |s: Option<CSpace>| s.map_or("without a state space", CSpace::name);
                let message = format!(
                    "`{}` is {} here, and {} in {first}",
                    parameter.name,
                    name(parameter.space),
                    name(space)
                );
                error(
                    message,
                    place,
                    "this thread",
                    "a location is in one memory: write the same in every thread",
                );
            } else if space.is_some_and(CSpace::is_of_block)
                && test.placement(first) != test.placement(id)
            {
                let word = space.map_or("", CSpace::name);
                let message = format!(
                    "`{}` is {word}, and {first} and {id} are in different work-groups",
                    parameter.name
                );
                let help = "each work-group has its own: give them names of their own, or put the threads into one";
                error(message, place, "this thread", help);
            }
        }
    }
    let is_local = |space: &Option<CSpace>| *space == Some(CSpace::Local);
    let local = known.iter().find(|(_, _, space, _)| is_local(space));
    let global = known.iter().find(|(_, _, space, _)| !is_local(space));
    if let (Some((l, ..)), Some((g, ..))) = (local, global) {
        let message = format!("`{l}` is in local memory and `{g}` is not");
        let span = test.threads.first().map_or(Span::default(), |t| t.place.0);
        let help = "OpenCL has one happens-before for global and one for local memory, and what synchronises in one need not in the other; \
                    no model here has both";
        error(message, span, "a test in both", help);
    }
    for (flags, span) in fences {
        let missing = match (local.is_some() && !flags.local, global.is_some() && !flags.global) {
            (true, _) => "local",
            (_, true) => "global",
            _ => continue,
        };
        let message = format!("the fence is not of {missing} memory, where the locations are");
        let help = "OpenCL's fence orders the memory that its flags name: add `CLK_GLOBAL_MEM_FENCE` or `CLK_LOCAL_MEM_FENCE`";
        error(message, *span, "it orders none of their accesses", help);
    }
}
