//! What litmus tests are called, and which of them are the same.

use std::collections::BTreeMap;
use std::path::PathBuf;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs::TestNames;
use margay_console::output::{Format, Output};
use margay_console::table::table;
use margay_litmus::identity::{IdentityForm, Name};
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_reports::classify as document;

/// What is asked.
#[derive(Debug, Clone)]
pub struct ClassifyOptions {
    /// Litmus tests, or folders of them.
    pub tests: Vec<PathBuf>,
    /// Is it a fault if two tests of one language are the same?
    pub distinct: bool,
    /// Is only said which tests are the same?
    pub duplicates: bool,
}

/// A test, what it is called and what it is.
struct NamedTest {
    file: String,
    name: String,
    form: IdentityForm,
    known: Name,
}

/// Classifies the tests, and prints what they are.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &ClassifyOptions, output: &Output) -> CommandOutcome {
    let files = match margay_console::inputs::files(&options.tests) {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for path in &files {
        let file = path.display().to_string();
        let classified = read::load(path).and_then(|read| {
            classify(&file, &read.test).map_err(|e| {
                let error =
                    Diagnostic::error(format!("`{file}` cannot be classified: {}", e.message));
                vec![match e.place {
                    Some(span) => error.at(&read.file, span, "here"),
                    None => error,
                }]
            })
        });
        match classified {
            Ok(classified) => found.push(classified),
            Err(wrong) => errors.extend(wrong),
        }
    }
    let groups = groups(&found);
    let repeated = groups.iter().any(|g| g.same.iter().any(|same| same.len() > 1));
    let exit = output.settle(match errors.is_empty() {
        false => Exit::Wrong,
        true if options.distinct && repeated => Exit::Found,
        true => Exit::Holds,
    });
    match output.format {
        Format::Json => output.document(&document(&found, &groups, &errors))?,
        _ => print(&found, &groups, options.duplicates, output)?,
    }
    if !errors.is_empty() && output.format != Format::Json {
        return output.wrong(&errors);
    }
    Ok(exit)
}

fn classify(file: &str, test: &Test) -> Result<NamedTest, margay_litmus::unfold::UnfoldError> {
    Ok(NamedTest {
        file: file.to_owned(),
        name: test.name.clone(),
        form: IdentityForm::of(test)?,
        known: Name::of(test)?,
    })
}

/// Tests that say the same thing: for each language those that are the same.
struct TestGroup {
    same: Vec<Vec<usize>>,
}

/// The groups of more than one test, in the order of their first test.
fn groups(found: &[NamedTest]) -> Vec<TestGroup> {
    let mut by_text: BTreeMap<&str, BTreeMap<&IdentityForm, Vec<usize>>> = BTreeMap::new();
    for (i, c) in found.iter().enumerate() {
        by_text.entry(c.form.text()).or_default().entry(&c.form).or_default().push(i);
    }
    let mut groups: Vec<TestGroup> = by_text
        .into_values()
        .map(|forms| TestGroup { same: forms.into_values().collect() })
        .filter(|g| g.size() > 1)
        .collect();
    groups.sort_by_key(|g| g.same.iter().flatten().min().copied());
    groups
}

impl TestGroup {
    fn size(&self) -> usize {
        self.same.iter().map(Vec::len).sum()
    }
}

fn print(
    found: &[NamedTest],
    groups: &[TestGroup],
    only_duplicates: bool,
    output: &Output,
) -> std::io::Result<()> {
    let file = |i: &usize| found[*i].file.as_str();
    let mut repeated = 0;
    let mut across = 0;
    for group in groups {
        repeated += group.same.iter().map(|same| same.len() - 1).sum::<usize>();
        across += usize::from(group.same.len() > 1);
    }
    let classes = found.iter().map(|c| &c.form).collect::<std::collections::BTreeSet<_>>().len();
    let plural =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    output.print(&format!(
        "{}: {} different; {}; {} in two languages",
        plural(found.len(), "test", "tests"),
        classes,
        plural(repeated, "duplicate", "duplicates"),
        across
    ))?;
    for group in groups {
        for same in group.same.iter().filter(|same| same.len() > 1) {
            output.print(&format!("{}:", output.heading(&found[same[0]].known.to_string())))?;
            for i in same {
                output.print(&format!("  {}", file(i)))?;
            }
        }
    }
    if only_duplicates || found.is_empty() {
        return Ok(());
    }
    let names = TestNames::new(found.iter().map(|c| (c.name.as_str(), c.file.as_str())));
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|c| {
            let shape = c.known.classic.unwrap_or("-").to_owned();
            vec![
                names.of(&c.name, &c.file),
                shape,
                c.known.to_string(),
                format!("{:016x}", c.form.digest()),
            ]
        })
        .collect();
    output.print("")?;
    // In a narrow window the name says it.
    let kept = if output.list_width() < 90 { 3 } else { 4 };
    let rows: Vec<Vec<String>> = rows.into_iter().map(|r| r[..kept].to_vec()).collect();
    output.print(&table(
        &["test", "shape", "what it is", "form"][..kept],
        &rows,
        &[],
        output.list_width(),
    ))
}

fn document(
    found: &[NamedTest],
    groups: &[TestGroup],
    errors: &[Diagnostic],
) -> document::ClassifyDocument {
    let test = |c: &NamedTest| document::ClassifiedTest {
        file: c.file.clone(),
        name: c.name.clone(),
        shape: c.known.classic.map(str::to_owned),
        canonical_name: c.known.to_string(),
        form: c.form.to_string(),
        digest: format!("{:016x}", c.form.digest()),
    };
    let names = |same: &Vec<usize>| same.iter().map(|&i| found[i].file.clone()).collect::<Vec<_>>();
    let several = groups.iter().filter(|g| g.same.len() > 1);
    document::ClassifyDocument {
        tests: found.iter().map(test).collect(),
        duplicates: groups
            .iter()
            .flat_map(|g| &g.same)
            .filter(|same| same.len() > 1)
            .map(names)
            .collect(),
        counterparts: several.map(|g| g.same.iter().map(names).collect()).collect(),
        errors: errors.iter().map(Into::into).collect(),
    }
}
