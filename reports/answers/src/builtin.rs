//! The models and mappings that are built in: a list, or the text of one.

use std::path::Path;
use std::sync::Arc;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_console::table::table;
use margay_models::diagnostic::{Diagnostic, SourceFile, nearest};
use margay_models::library as models;
use margay_models::text::{FileKind, another, kind};
use margay_reports::{Document, builtin};

/// Lists the models, or shows one.
///
/// # Errors
/// The output cannot be written.
pub fn models(asked: Option<&str>, output: &Output) -> CommandOutcome {
    let names: Vec<&str> = models::built_in_names().collect();
    if let Some(name) = asked {
        let document = |name, text| builtin::ModelTextDocument { name, text };
        // Of a file likewise, once it was read: what is printed is a model.
        if models::built_in(name).is_none() && Path::new(name).exists() {
            return match models::load(name, &[]) {
                Ok(loaded) => show(
                    name,
                    &names,
                    |_| Some(loaded.model.source.clone()),
                    ("model", &document),
                    output,
                ),
                Err(errors) => output.wrong(&errors),
            };
        }
        return show(name, &names, models::built_in, ("model", &document), output);
    }
    let mut all = Vec::new();
    for name in names {
        match models::load(name, &[]) {
            Ok(loaded) => all.push(builtin::BuiltinModel {
                name: name.to_owned(),
                executions: loaded.model.signature.to_string(),
                title: loaded.model.title.unwrap_or_default(),
            }),
            Err(errors) => return output.wrong(&errors),
        }
    }
    let rows =
        all.iter().map(|m| vec![m.name.clone(), m.executions.clone(), m.title.clone()]).collect();
    list(["model", "executions", "title"], rows, &builtin::BuiltinModels { models: all }, output)
}

/// Lists the mappings, or shows one.
///
/// # Errors
/// The output cannot be written.
pub fn mappings(asked: Option<&str>, output: &Output) -> CommandOutcome {
    let names: Vec<&str> = margay_mappings::library::names().collect();
    if let Some(name) = asked {
        let document = |name, text| builtin::MappingText { name, text };
        // Of a file, with what it takes from the mapping that it extends.
        if Path::new(name).exists() {
            return match margay_mappings::library::text(name) {
                Ok(file) if kind(&file) != Some(FileKind::Mapping) => {
                    let error = Diagnostic::error(format!("`{name}` is no mapping"));
                    output.wrong(&[another(&file, FileKind::Mapping).unwrap_or(error)])
                }
                Ok(file) => {
                    show(name, &names, |_| Some(file.clone()), ("mapping", &document), output)
                }
                Err(error) => output.wrong(&[error]),
            };
        }
        return show(
            name,
            &names,
            margay_mappings::library::built_in,
            ("mapping", &document),
            output,
        );
    }
    let mut all = Vec::new();
    for name in names {
        match margay_mappings::library::find(name, &Default::default()) {
            Ok(loaded) => all.push(builtin::BuiltinMapping {
                name: name.to_owned(),
                models: format!("{} -> {}", loaded.mapping.source.name, loaded.mapping.target.name),
                title: loaded.mapping.title,
            }),
            Err(errors) => return output.wrong(&errors),
        }
    }
    let rows =
        all.iter().map(|m| vec![m.name.clone(), m.models.clone(), m.title.clone()]).collect();
    list(["mapping", "models", "title"], rows, &builtin::Mappings { mappings: all }, output)
}

fn list(
    header: [&str; 3],
    rows: Vec<Vec<String>>,
    document: &impl Document,
    output: &Output,
) -> CommandOutcome {
    match output.format {
        Format::Human => output.print(&table(&header, &rows, &[], output.list_width()))?,
        Format::Json => output.document(document)?,
    }
    Ok(Exit::Holds)
}

fn show<D: Document>(
    name: &str,
    names: &[&str],
    text: impl Fn(&str) -> Option<Arc<SourceFile>>,
    (what, document): (&str, &dyn Fn(String, String) -> D),
    output: &Output,
) -> CommandOutcome {
    let Some(file) = text(name) else {
        let error = Diagnostic::error(format!("there is no built-in {what} `{name}`"));
        return output.wrong(&[match nearest(name, names.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("built in are {}", names.join(", "))),
        }]);
    };
    match output.format {
        Format::Human => output.print(file.text.trim_end())?,
        Format::Json => output.document(&document(name.to_owned(), file.text.clone()))?,
    }
    Ok(Exit::Holds)
}
