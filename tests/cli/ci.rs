//! The recipes of docs/ci.md, as they stand there: the settings, the script, the steps of the
//! workflow, the hooks before a commit, and the container as far as it goes without one.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{err, folder, out, shell, write};

const PAGE: &str = include_str!("../../docs/ci.md");
const CONTAINER: &str = include_str!("../../Containerfile");

/// The block of the page of this language that has this text.
fn block(language: &str, has: &str) -> String {
    let blocks = PAGE
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|b| b.strip_prefix(language)?.strip_prefix('\n'));
    let mut found = blocks.filter(|b| b.contains(has));
    let one = found.next().unwrap_or_else(|| panic!("the page has no {language} with {has}"));
    assert!(found.next().is_none(), "one {language} with {has}");
    one.to_owned()
}

fn succeeds(folder: &Path, line: &str) {
    let output = shell(folder, line, &[]);
    assert!(output.status.success(), "{line}\n{}{}", out(&output), err(&output));
}

/// A repository with a model, a mapping, a corpus and the settings of the page; on a branch, the
/// model and the mapping are edited.
fn repository(name: &str) -> Option<PathBuf> {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("skipped: there is no git");
        return None;
    }
    let root = folder(name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["models", "mappings", "tests/corpus"] {
        std::fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    let text = |path: &str| std::fs::read_to_string(here.join(path)).expect("text");
    let model = text("models/ptx-8.cat");
    write(&root, "models/mine.cat", &model);
    write(&root, "mappings/mine.map", text("mappings/rc11-to-ptx.map"));
    write(&root, "margay.toml", block("toml", "[test]"));
    write(&root, "margay-ci.sh", block("sh", "# Usage: margay-ci.sh"));
    write(&root, ".pre-commit-config.yaml", block("yaml", "repos:"));
    let test = "tests/corpus/asplos2019/fig5-mp.litmus";
    write(&root, "tests/corpus/mp.litmus", text(test));
    write(
        &root,
        "tests/corpus/expected.txt",
        "mp.litmus ptx-8 unreachable x\nmp.litmus mine unreachable x\n",
    );
    succeeds(
        &root,
        "git init -q -b main . && git config user.name t && git config user.email t@t && git add . && git commit -qm one",
    );
    // As the workflow finds it.
    succeeds(&root, "git update-ref refs/remotes/origin/main main && git checkout -qb edit");
    let weaker = model.replace("acyclic", "flag ~acyclic");
    assert_ne!(weaker, model, "an axiom of the model");
    write(&root, "models/mine.cat", weaker);
    let mapping = text("mappings/rc11-to-ptx-no-fence-sc-load.map");
    write(&root, "mappings/mine.map", mapping);
    succeeds(&root, "git commit -qam two");
    Some(root)
}

/// The commands of the steps of the workflow.
fn steps() -> Vec<String> {
    let workflow = block("yaml", "runs-on:");
    let runs = workflow
        .lines()
        .filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix("run: "));
    runs.map(|run| run.split(" #").next().unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn the_workflow_says_what_an_edit_changes() {
    let Some(root) = repository("ci/workflow") else { return };
    let mut run = 0;
    for step in steps() {
        // What needs GitHub or an installation; .ci/run installs.
        if step.starts_with("gh ") || step.starts_with("cargo install") {
            continue;
        }
        run += 1;
        let summary = root.join("summary").display().to_string();
        let variables = [
            ("RUNNER_TEMP", "/nowhere"),
            ("GITHUB_PATH", "path"),
            ("GITHUB_BASE_REF", "main"),
            ("GITHUB_STEP_SUMMARY", summary.as_str()),
        ];
        let output = shell(&root, &step, &variables);
        // The mapping has a counterexample now, which is what the script fails for.
        let expected = if step.contains("margay-ci.sh") { 1 } else { 0 };
        assert_eq!(
            output.status.code(),
            Some(expected),
            "{step}\n{}{}",
            out(&output),
            err(&output)
        );
    }
    assert!(run >= 3, "{:?}", steps());
    let summary = std::fs::read_to_string(root.join("summary")).expect("a summary");
    for said in ["Memory models", "counterexample with 4 events", "mine.cat"] {
        assert!(summary.contains(said), "{said}: {summary}");
    }
    for file in
        ["junit.xml", "test.json", "diff-mine.cat.json", "check-mine.map.json", "report.html"]
    {
        assert!(root.join("out").join(file).exists(), "{file}");
    }
}

/// Of the kernels of a change: one that races since, at its line and as new, and one that is new
/// itself. What did not change is not asked about.
#[test]
fn kernels_of_a_change_are_asked_about() {
    let Some(root) = repository("ci/kernels") else { return };
    let kernel = |store: &str| {
        format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n.reg .b64 %d<2>;\nld.param.u64 %d1,[p];\n{store}\n\
             ret;\n}}\n"
        )
    };
    let (right, races) =
        (kernel("red.relaxed.gpu.global.add.u32 [%d1],1;"), kernel("st.global.u32 [%d1],1;"));
    std::fs::create_dir_all(root.join("kernels")).expect("a folder");
    write(&root, "margay-kernels.sh", block("sh", "# Usage: margay-kernels.sh"));
    write(&root, "kernels/edited.ptx", &right);
    write(&root, "kernels/known.ptx", &races);
    succeeds(
        &root,
        "git add . && git commit -qm kernels && git update-ref refs/remotes/origin/main HEAD",
    );
    let asked = shell(&root, "sh margay-kernels.sh origin/main", &[]);
    assert_eq!(asked.status.code(), Some(0), "nothing was edited: {}", err(&asked));
    write(&root, "kernels/edited.ptx", &races);
    write(&root, "kernels/added.ptx", &races);
    write(&root, "kernels/known.ptx", races.replace("ret;", "// the end\nret;"));
    succeeds(&root, "git add . && git commit -qm edits");
    let asked = shell(&root, "sh margay-kernels.sh origin/main", &[]);
    assert_eq!(asked.status.code(), Some(1), "{}", err(&asked));
    let run = |name: &str| {
        let log = std::fs::read_to_string(root.join(format!("out/sarif/{name}.ptx.sarif")))
            .expect("a log");
        serde_json::from_str::<serde_json::Value>(&log).expect("JSON")["runs"][0].clone()
    };
    for (name, state) in [("edited", Some("new")), ("added", None), ("known", Some("unchanged"))] {
        let run = run(name);
        let result = &run["results"][0];
        let at = &result["locations"][0]["physicalLocation"];
        assert_eq!(result["baselineState"].as_str(), state, "{run}");
        assert_eq!(
            (at["artifactLocation"]["uri"].as_str(), at["region"]["startLine"].as_u64()),
            (Some(&*format!("kernels/{name}.ptx")), Some(7))
        );
        assert_eq!(run["automationDetails"]["id"], format!("margay kernel kernels/{name}.ptx/"));
    }
}

#[test]
fn hooks_run_before_a_commit() {
    let Some(root) = repository("ci/hooks") else { return };
    let page = block("yaml", "repos:");
    let entries: Vec<&str> =
        page.lines().filter_map(|l| l.trim().strip_prefix("entry: ")).collect();
    let [test, check] = entries.as_slice() else { panic!("{page}") };
    succeeds(&root, test);
    let broken = shell(&root, &format!("{check} mappings/mine.map"), &[]);
    assert_eq!(broken.status.code(), Some(1), "{}", err(&broken));
    // With pre-commit itself, where it is installed; hooks of the system need no network.
    let hooks = shell(&root, "pre-commit run --all-files", &[("PRE_COMMIT_HOME", ".pre-commit")]);
    match hooks.status.code() {
        Some(127) => eprintln!("skipped: pre-commit is not installed"),
        code => {
            assert_eq!(code, Some(1), "{}{}", out(&hooks), err(&hooks));
            let said = out(&hooks);
            assert!(
                said.contains("litmus tests") && said.contains("Passed") && said.contains("Failed"),
                "{said}"
            );
        }
    }
}

/// The crates of the recipe suffice: cargo resolves all of them with an empty cache and without a
/// network.
#[test]
fn the_container_is_built_from_vendored_crates() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let build =
        CONTAINER.lines().find_map(|l| l.strip_prefix("RUN ")).expect("a command that builds");
    let vendor =
        PAGE.lines().find(|l| l.starts_with("cargo vendor ")).expect("a command that vendors");
    let home = folder("ci/vendor");
    let at = |name: &str| home.join(name).display().to_string();
    let line = vendor.replace(
        "--locked vendor > vendor.toml",
        &format!("--locked {} > {}", at("vendor"), at("vendor.toml")),
    );
    assert_ne!(line, vendor, "the folder and the file of the page");
    let vendored = shell(root, &line, &[]);
    if !vendored.status.success() {
        return eprintln!("skipped: crates cannot be vendored: {}", err(&vendored));
    }
    let offline = build.strip_prefix("cargo build --release ").expect("a build");
    let offline = offline.replace("vendor.toml", &at("vendor.toml"));
    let metadata = format!("cargo metadata --format-version 1 {offline} >/dev/null");
    let output = shell(root, &metadata, &[("CARGO_HOME", &at("home"))]);
    assert!(output.status.success(), "{metadata}: {}", err(&output));
    // What the image copies is what was built.
    assert!(CONTAINER.contains("COPY --from=build /margay/target/release/margay "), "{CONTAINER}");
    let _ = std::fs::remove_dir_all(home);
}
