//! What is passed for the parameters of a kernel: what is given, and what is chosen for the others.

use margay_ptx::{Function, Parameter, ScalarKind, VariableId};

use crate::content::ArrayContent;
use crate::launch::{Argument, Launch};
use crate::parameter::{FieldUse, ParameterUse, field_uses, parameter_uses};
use crate::question::KernelQuestion;
use crate::selection::LaunchSelection;
use crate::thread::PreparedModule;

/// What is passed for each parameter, and the same in words.
pub(crate) fn arguments(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    function: &Function,
    launch: Launch,
) -> Result<(Vec<Argument>, Vec<String>), String> {
    let count = function.parameters.len();
    for given in question.arguments {
        let same = matches!(given.argument, Argument::SameAs(other) if other >= given.parameter);
        if given.parameter >= count || same {
            let parameter = given.parameter;
            return Err(match count {
                _ if parameter < count => {
                    format!(
                        "parameter {parameter} cannot have the array of a later one: an earlier parameter must be named"
                    )
                }
                0 => format!("there is no parameter {parameter}: `{}` has none", function.name),
                1 => format!(
                    "there is no parameter {parameter}: `{}` has one, number 0",
                    function.name
                ),
                _ => format!(
                    "there is no parameter {parameter}: `{}` has {count}, 0 to {}",
                    function.name,
                    count - 1
                ),
            });
        }
    }
    let given = |n: usize| {
        question
            .arguments
            .iter()
            .rev()
            .find(|g| g.parameter == n && g.field.is_none())
            .map(|g| g.argument.clone())
    };
    let fixed: Vec<Option<ParameterUse>> = (0..count)
        .map(|n| {
            given(n).map(|a| {
                if matches!(a, Argument::Number(_) | Argument::Chosen(_)) {
                    ParameterUse::Number
                } else {
                    ParameterUse::Pointer
                }
            })
        })
        .collect();
    let uses = parameter_uses(question.module, prepared, question.kernel, &fixed);
    let (number, whence) = LaunchSelection::of(question, prepared).number(launch);
    let (mut found, mut said) = (Vec::new(), Vec::new());
    for (n, parameter) in function.parameters.iter().enumerate() {
        let was_given = given(n).is_some();
        let variable = if let Parameter::Memory(id) = parameter {
            Some(question.module.variable(*id))
        } else {
            None
        };
        let is_float = variable.is_some_and(|v| v.ty.kind == ScalarKind::Float);
        let is_structure = variable.is_some_and(is_structure);
        let fields = match parameter {
            Parameter::Memory(id) if is_structure => fields(question, prepared, (n, *id), number)?,
            _ => Vec::new(),
        };
        if let Some(of) = question
            .arguments
            .iter()
            .find(|g| g.parameter == n && g.field.is_some() && !is_structure)
        {
            let field = of.field.unwrap_or(0);
            return Err(format!(
                "there is no field at byte {field} of parameter {n}: it is no structure"
            ));
        }
        let argument = given(n).unwrap_or_else(|| match uses[n] {
            _ if is_structure && !fields.is_empty() => Argument::Structure(fields),
            _ if is_structure => Argument::Unknown,
            ParameterUse::Pointer => {
                Argument::Array { bytes: None, content: ArrayContent::zeros() }
            }
            ParameterUse::Open => Argument::Unknown,
            ParameterUse::Number if is_float => Argument::Chosen(0),
            ParameterUse::Number => Argument::Chosen(number),
        });
        let how = if was_given { "" } else { ", chosen" };
        let mut sentence = match &argument {
            Argument::Chosen(_) if is_float => format!("arg{n} = 0.0 (chosen)"),
            Argument::Chosen(n2) if was_given => {
                format!("arg{n} = {n2} (chosen in place of {number}, {whence})")
            }
            Argument::Chosen(n2) => format!("arg{n} = {n2} (chosen: {whence})"),
            Argument::Number(n2) => format!("arg{n} = {n2}"),
            Argument::Array { bytes: None, content } if content.is_zeros() => {
                format!("arg{n}: an array of zeros of its own, without a size{how}")
            }
            Argument::Array { bytes: None, content } => {
                format!("arg{n}: an array of its own, without a size, that holds {content}")
            }
            Argument::Array { bytes: Some(bytes), .. } => {
                format!("arg{n}: an array of {bytes} bytes of its own")
            }
            Argument::SameAs(other) => format!("arg{n}: the array of arg{other}"),
            Argument::Tensor { bytes } => {
                format!("arg{n}: a tensor map, of whose tensor {bytes} bytes are copied at once")
            }
            Argument::Structure(fields) => {
                let field = |(offset, _, argument): &(u64, u64, Argument)| match argument {
                    Argument::Number(value) | Argument::Chosen(value) => {
                        format!("{value} at byte {offset}")
                    }
                    Argument::Array { bytes: Some(bytes), .. } => {
                        format!("arg{n}_{offset}, an array of {bytes} bytes, at byte {offset}")
                    }
                    Argument::Array { content, .. } if content.is_zeros() => {
                        format!("arg{n}_{offset}, an array of zeros, at byte {offset}")
                    }
                    Argument::Array { content, .. } => {
                        format!("arg{n}_{offset}, an array that holds {content}, at byte {offset}")
                    }
                    _ => format!("nothing known at byte {offset}"),
                };
                let all: Vec<String> = fields.iter().map(field).collect();
                format!(
                    "arg{n}: a structure with {} (chosen, where `--arg {n}+BYTE=VALUE` does not say it)",
                    all.join(", ")
                )
            }
            Argument::Unknown if is_structure => {
                format!("arg{n}: a structure, of which nothing is known")
            }
            Argument::Unknown => {
                format!(
                    "arg{n}: not known (an address or a number; `--arg {n}=array` or `--arg {n}=NUMBER` says which)"
                )
            }
        };
        if was_given && is_structure && !matches!(argument, Argument::Tensor { .. }) {
            sentence += " (the first bytes of a structure; of the rest nothing is known)";
        }
        said.push(sentence);
        found.push(argument);
    }
    Ok((found, said))
}

/// What is passed for the fields of a structure that the kernel reads.
///
/// # Errors
/// A field is given that it does not read.
fn fields(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    (number, structure): (usize, VariableId),
    chosen_number: i64,
) -> Result<Vec<(u64, u64, Argument)>, String> {
    let uses = field_uses(question.module, prepared, structure);
    let of_fields = || question.arguments.iter().filter(|g| g.parameter == number);
    if let Some(at) =
        of_fields().filter_map(|g| g.field).find(|at| !uses.iter().any(|f| f.offset == *at))
    {
        let known: Vec<String> = uses.iter().map(|f| f.offset.to_string()).collect();
        return Err(format!(
            "the kernel reads no field at byte {at} of parameter {number}; it reads fields at {}",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        ));
    }
    let chosen = |field: &FieldUse| match field.how {
        ParameterUse::Pointer => Argument::Array { bytes: None, content: ArrayContent::zeros() },
        ParameterUse::Open => Argument::Unknown,
        ParameterUse::Number if field.is_float => Argument::Chosen(0),
        ParameterUse::Number => Argument::Chosen(chosen_number),
    };
    let argument = |field: &FieldUse| {
        let given =
            of_fields().rfind(|g| g.field == Some(field.offset)).map(|g| g.argument.clone());
        (field.offset, field.bytes, given.unwrap_or_else(|| chosen(field)))
    };
    Ok(uses.iter().map(argument).collect())
}

/// Is a parameter an array, as nvcc passes structures?
fn is_structure(variable: &margay_ptx::MemoryVariable) -> bool {
    variable.size != Some(u64::from(variable.ty.bits.div_ceil(8)))
}
