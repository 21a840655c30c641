//! The models in the repository.

use std::path::PathBuf;

use margay_models::Model;
use margay_models::diagnostic::SourceFile;
use margay_models::typing::OnlyBuiltIn;

/// The folder of the models.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every model, by name.
pub fn models() -> Vec<Model> {
    let files = std::fs::read_dir(folder())
        .expect("the folder of the models")
        .map(|f| f.expect("a file").path());
    let mut files: Vec<PathBuf> =
        files.filter(|p| p.extension().is_some_and(|e| e == "cat")).collect();
    files.sort();
    files
        .iter()
        .map(|f| {
            from_text(
                &f.file_stem().unwrap().to_string_lossy(),
                &std::fs::read_to_string(f).unwrap(),
            )
        })
        .collect()
}

pub fn model(name: &str) -> Model {
    from_text(name, &text(name))
}

/// The text of a model.
pub fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.cat"))).expect("a model")
}

/// The model of a text, asking for races where it says what they are.
pub fn from_text(name: &str, text: &str) -> Model {
    let source = SourceFile::new(format!("{name}.cat"), text);
    match Model::parse(source, &OnlyBuiltIn) {
        Ok(loaded) => loaded.model.asking_for_races().unwrap_or(loaded.model),
        Err(errors) => panic!("{name}: {errors:?}\n{text}"),
    }
}
