//! Every model of models/ reads without errors, and what typing makes of it prints.

use margay_models::library;

#[test]
fn shipped_models_read() {
    let mut problems = Vec::new();
    for name in library::built_in_names() {
        match library::load(name, &[]) {
            Ok(loaded) => problems.extend(loaded.warnings.into_iter().map(|w| w.to_string())),
            Err(errors) => problems.extend(errors.into_iter().map(|e| format!("{e}\n   {:?}", e.help))),
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}
