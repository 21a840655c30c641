//! Every model of models/ reads without errors, and what typing makes of it prints.

use margay_models::library;

#[test]
fn shipped_models_read() {
    let mut problems = Vec::new();
    for name in library::built_in_names() {
        match library::load(name, &[]) {
            Ok(loaded) => problems.extend(loaded.warnings.into_iter().map(|w| w.to_string())),
            Err(errors) => {
                problems.extend(errors.into_iter().map(|e| format!("{e}\n   {:?}", e.help)))
            }
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}

/// The build finds them.
#[test]
fn every_model_of_the_folders_is_built_in() {
    let crate_folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = |path: &std::path::Path| std::fs::read_dir(path).expect("a folder of the crate");
    let mut files: Vec<String> = folder(crate_folder)
        .chain(folder(&crate_folder.join("architectures")))
        .chain(folder(&crate_folder.join("readings")))
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter_map(|name| {
            name.strip_suffix(".cat").or_else(|| name.strip_suffix(".patch")).map(str::to_owned)
        })
        .collect();
    files.sort();
    let mut listed: Vec<&str> = library::built_in_names().collect();
    listed.sort_unstable();
    assert_eq!(files, listed);
}
