//! The crate depends on no other one, not even to be built or tested.

#[test]
fn nothing_is_depended_on() {
    let manifest = include_str!("../../Cargo.toml");
    let mut lines =
        manifest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    assert!(lines.any(|line| line == "[dependencies]"), "it says that there are none");
    assert!(lines.next().is_none_or(|line| line.starts_with('[')), "[dependencies] is empty");
    // `[dev-dependencies]`, `[dependencies.x]`, `[target.x.dependencies]` and what else there may
    // be.
    let named = |line: &&str| !line.starts_with('#') && line.contains("dependencies");
    assert_eq!(manifest.lines().filter(named).collect::<Vec<_>>(), ["[dependencies]"]);
    assert!(
        !std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs").exists(),
        "nothing runs when it is built"
    );
}
