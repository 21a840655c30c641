//! docs/security.md: every item of the page, and what holds it. An item without a test, or a test
//! of an item that the page does not have, is an error.

mod believed;
mod hostile;
mod settings;
mod started;
mod written;

use std::path::Path;
use std::process::Output;

use crate::program::{command, folder, write};

const PAGE: &str = include_str!("../../../docs/security.md");

const MP: &str = "PTX mp\n{ x=0; f=0; }\n P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;\n st.weak x, 1         | ld.acquire.gpu r0, f     ;\n \
                  st.release.gpu f, 1  | ld.weak r1, x            ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

/// The beginning of each item, and what holds it.
const ITEMS: &[(&str, fn())] = &[
    ("The `margay.toml` of a project starts no program.", settings::a_project_starts_nothing),
    ("It does not change what counts as right", settings::a_project_changes_no_gate),
    ("Its paths stay in its folder", settings::a_project_stays_in_its_folder),
    ("What it says of the question stands in the answer", settings::a_project_is_named),
    (
        "It is not read where somebody else may have written it",
        settings::a_foreign_file_is_not_read,
    ),
    ("Your own file, ", settings::your_own_file),
    ("`--no-config` reads neither.", settings::neither_file),
    (
        "Nothing is started because it lies where you work",
        started::nothing_of_the_working_directory,
    ),
    ("`gpu check` and `gpu run` start", started::the_toolkit_that_is_named),
    ("`margay extract FILE.toml` starts what the file says", started::a_front_end_is_a_script),
    ("`--cmd TEMPLATE` of `extract` and `kernel` starts that command", started::a_command_is_yours),
    ("`--solver dimacs:COMMAND` starts that command", started::a_solver_is_named),
    ("`margay diff --git` starts `git`", started::git_alone),
    ("Without an option that names a place", written::nothing_is_written),
    ("A relative path that leads out", written::no_way_out),
    ("In a folder of `--out`, links are neither", written::links_in_a_folder),
    ("A file of another kind is not written over", written::nothing_is_lost),
    ("What a command needs for a moment", written::a_folder_of_its_own),
    ("A test, a model or a mapping starts nothing", hostile::limits_hold),
    ("A model includes models and architectures only", hostile::only_models),
    ("A mapping that extends another one reads", hostile::only_mappings_of_the_folder),
    ("A CUDA program that Margay compiles includes", hostile::only_headers_of_the_folder),
    (
        "The harness beside a kernel, which is read without being named",
        hostile::only_harnesses_of_the_folder,
    ),
    ("A file that bears the name of something shipped", hostile::shipped_names_are_shipped),
    ("In a folder of tests, a link out of the folder", hostile::only_files_of_the_folder),
    ("What a terminal would obey", hostile::nothing_obeyed),
    ("A file that you name is read wherever a link leads", hostile::who_names_a_file_has_it_read),
    ("No input overflows the stack.", hostile::deep_and_many),
    ("A compiler that prints more than", hostile::a_compiler_that_talks),
    ("An answer in a folder of `--checkpoint` counts", believed::sealed_answers),
    ("A certificate is not believed but verified", believed::certificates),
    ("What `gpu run --results` and `extract --all --out` keep", believed::results_are_believed),
];

#[test]
fn every_item_of_the_page_holds() {
    let items: Vec<&str> = PAGE.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    for item in &items {
        assert!(ITEMS.iter().any(|(begins, _)| item.starts_with(begins)), "no test holds: {item}");
    }
    assert_eq!(items.len(), ITEMS.len());
    for (begins, holds) in ITEMS {
        assert!(
            items.iter().any(|item| item.starts_with(begins)),
            "the page does not say: {begins}"
        );
        eprintln!("{begins}");
        holds();
    }
}
fn margay_in(folder: &Path, arguments: &[&str]) -> Output {
    command(arguments).current_dir(folder).output().expect("the program starts")
}

/// A project with these settings, and a test in it.
fn project(name: &str, settings: &str) -> std::path::PathBuf {
    let root = folder(&format!("security/{name}"));
    write(&root, "margay.toml", settings);
    std::fs::create_dir_all(root.join("tests")).expect("a folder");
    write(&root.join("tests"), "mp.litmus", MP);
    write(&root.join("tests"), "expected.txt", "mp.litmus ptx-8 forbidden x\n");
    root
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(unix)]
fn link(to: impl AsRef<Path>, at: &Path) {
    std::os::unix::fs::symlink(to, at).expect("a link");
}

/// A file that is started.
fn script(path: &Path, lines: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, format!("#!/bin/sh\n{lines}\n")).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("ours");
}
