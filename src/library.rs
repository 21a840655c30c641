//! `margay models` and `margay mappings`: what is built in.

use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, nearest};
use margay_models::library as models;

use crate::Outcome;
use crate::arguments::{Format, List};
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::table::table;

/// Lists the models, or shows one.
pub fn models(options: &List, output: &Output) -> Outcome {
    let names: Vec<&str> = models::built_in_names().collect();
    if let Some(name) = options.asked() {
        return show(name, &names, models::built_in, "model", output);
    }
    let mut rows = Vec::new();
    for name in names {
        match models::load(name, &[]) {
            Ok(loaded) => {
                let model = loaded.model;
                rows.push(vec![name.to_owned(), model.signature.to_string(), model.title.unwrap_or_default()]);
            }
            Err(errors) => return output.wrong(&errors),
        }
    }
    list(&["model", "executions", "title"], "models", &rows, output)
}

/// Lists the mappings, or shows one.
pub fn mappings(options: &List, output: &Output) -> Outcome {
    let names: Vec<&str> = margay_mappings::library::names().collect();
    if let Some(name) = options.asked() {
        return show(name, &names, margay_mappings::library::built_in, "mapping", output);
    }
    let mut rows = Vec::new();
    for name in names {
        match margay_mappings::library::find(name, &Default::default()) {
            Ok(loaded) => {
                let mapping = loaded.mapping;
                rows.push(vec![name.to_owned(), format!("{} -> {}", mapping.source.name, mapping.target.name), mapping.title]);
            }
            Err(errors) => return output.wrong(&errors),
        }
    }
    list(&["mapping", "models", "title"], "mappings", &rows, output)
}

fn list(header: &[&str; 3], key: &str, rows: &[Vec<String>], output: &Output) -> Outcome {
    match output.format {
        Format::Human => output.print(&table(header, rows, &[], output.list_width()))?,
        Format::Json => {
            let items: Vec<serde_json::Value> =
                rows.iter().map(|r| serde_json::json!({ "name": r[0], header[1]: r[1], "title": r[2] })).collect();
            output.json(&serde_json::json!({ "schema": SCHEMA, key: items }))?;
        }
    }
    Ok(Exit::Holds)
}

fn show(name: &str, names: &[&str], text: impl Fn(&str) -> Option<Arc<SourceFile>>, what: &str, output: &Output) -> Outcome {
    let Some(file) = text(name) else {
        let error = Diagnostic::error(format!("there is no built-in {what} `{name}`"));
        return output.wrong(&[match nearest(name, names.iter().copied()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("built in are {}", names.join(", "))),
        }]);
    };
    match output.format {
        Format::Human => output.print(file.text.trim_end())?,
        Format::Json => output.json(&serde_json::json!({ "schema": SCHEMA, "name": name, "text": file.text }))?,
    }
    Ok(Exit::Holds)
}
