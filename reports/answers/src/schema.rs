//! The JSON Schemas of what commands print, made from the types of their documents: a list, the
//! text of one, or a folder with all.

use std::path::Path;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder::{OutputFolder, prepare};
use margay_console::output::{Format, Output};
use margay_console::table::table;
use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::digest::digest;
use margay_reports::builtin::{SchemaList, SchemaRecord, SchemaText};
use margay_reports::{COMMANDS, CommandRecord, schema_text};

fn record(command: &CommandRecord) -> SchemaRecord {
    let sha256 = digest(schema_text(command).as_bytes());
    SchemaRecord { name: command.name.to_owned(), version: command.schema, sha256 }
}

/// The file of a command's schema in a folder of all.
fn file(command: &CommandRecord) -> String {
    format!("{}.json", command.name.replace(' ', "-"))
}

/// Lists the commands that print JSON, each with the version of its objects.
///
/// # Errors
/// The output cannot be written.
pub fn list(output: &Output) -> CommandOutcome {
    match output.format {
        Format::Human => {
            let rows: Vec<Vec<String>> =
                COMMANDS.iter().map(|c| vec![c.name.to_owned(), c.schema.to_string()]).collect();
            output.print(&table(&["command", "version"], &rows, &[], output.list_width()))?;
        }
        Format::Json => {
            output.document(&SchemaList { schemas: COMMANDS.iter().map(record).collect() })?
        }
    }
    Ok(Exit::Holds)
}

/// Prints the schema of the command of this name, `gpu run` or `gpu-run`.
///
/// # Errors
/// The output cannot be written.
pub fn show(name: &str, output: &Output) -> CommandOutcome {
    let spelled =
        |command: &CommandRecord| command.name == name || command.name.replace(' ', "-") == name;
    let Some(command) = COMMANDS.iter().find(|command| spelled(command)) else {
        return output.wrong(&[unknown(name)]);
    };
    match output.format {
        Format::Human => output.print(schema_text(command).trim_end())?,
        Format::Json => output.document(&SchemaText {
            name: command.name.to_owned(),
            version: command.schema,
            json_schema: margay_reports::schema(command),
        })?,
    }
    Ok(Exit::Holds)
}

fn unknown(name: &str) -> Diagnostic {
    let error = Diagnostic::error(format!("no command `{name}` prints JSON"));
    // `gpu` has no documents of its own, and its commands have.
    let below: Vec<String> = COMMANDS
        .iter()
        .filter(|c| c.name.split(' ').next() == Some(name))
        .map(|c| format!("`{}`", c.name))
        .collect();
    match nearest(name, COMMANDS.iter().map(|command| command.name)) {
        _ if !below.is_empty() => error.help(format!("its commands do: {}", below.join(", "))),
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`margay schema` lists those that do"),
    }
}

/// Writes all schemas into a folder.
///
/// # Errors
/// The output cannot be written.
pub fn write(path: &Path, output: &Output) -> CommandOutcome {
    if let Err(error) = prepare(path) {
        return output.wrong(&[error]);
    }
    let written = OutputFolder::open(path).and_then(|mut folder| {
        COMMANDS
            .iter()
            .try_for_each(|command| folder.write(&file(command), schema_text(command)))?;
        Ok(folder.finish(&|name| COMMANDS.iter().any(|command| file(command) == name)))
    });
    match written {
        Err(error) => {
            return output.wrong(&[Diagnostic::error(format!(
                "cannot write into `{}`: {error}",
                path.display()
            ))]);
        }
        Ok(warning) => output.warn(&warning.into_iter().collect::<Vec<_>>()),
    }
    match output.format {
        Format::Human => {
            output.print(&format!("{} schemas in {}", COMMANDS.len(), path.display()))?
        }
        Format::Json => {
            output.document(&SchemaList { schemas: COMMANDS.iter().map(record).collect() })?
        }
    }
    Ok(Exit::Holds)
}
