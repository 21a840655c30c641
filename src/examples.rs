//! An example or two of each command, for its manual page.

/// A command, and lines with what they do.
pub const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            (
                "margay run mp.litmus --model ptx-8",
                "Is the outcome of a litmus test allowed, and why?",
            ),
            ("margay kernel lock.cu", "Has a GPU kernel a data race, and which fence is missing?"),
            (
                "margay check mine.map --bound 4",
                "Can what your table compiles do what C++ forbids?",
            ),
            ("margay diff old.cat new.cat", "What does an edit of a model change?"),
        ],
    ),
    (
        "case",
        &[
            (
                "margay case export rc11-to-ptx --bound 7 --checkpoint kept --into files",
                "The cases of a check as files, for many machines.",
            ),
            (
                "margay case run files/1.case --into kept",
                "Solves one of them; `margay check` with `--checkpoint kept` sums up.",
            ),
        ],
    ),
    (
        "app",
        &[(
            "margay app test app.toml --runs 1000",
            "Does an application go wrong with weak memory alone?",
        )],
    ),
    (
        "check",
        &[
            (
                "margay check rc11-to-ptx --bound 4",
                "Is the published mapping sound, up to 4 events?",
            ),
            (
                "margay check mine.map --source c20-scoped --out found",
                "The smallest counterexample of your table, as files.",
            ),
        ],
    ),
    (
        "prove",
        &[
            ("margay prove rc11-to-ptx --axiom Coherence", "A proof for executions of every size."),
            (
                "margay prove --model ptx-8 'irreflexive cause-base'",
                "The same for a property of a model.",
            ),
        ],
    ),
    (
        "verify",
        &[(
            "margay verify certificate",
            "Checks what `margay check --certify certificate` wrote, without a solver.",
        )],
    ),
    (
        "case run",
        &[("margay case run files/1.case --into kept", "Solves one case, on any machine.")],
    ),
    (
        "case list",
        &[(
            "margay case list rc11-to-ptx --bound 7 --checkpoint kept",
            "What is still to be solved.",
        )],
    ),
    (
        "case export",
        &[(
            "margay case export rc11-to-ptx --bound 7 --checkpoint kept --into files",
            "The same, as files.",
        )],
    ),
    (
        "case simulate",
        &[("margay case simulate kept", "How long other numbers of workers would take.")],
    ),
    (
        "confirm",
        &[(
            "margay confirm rc11-to-ptx-no-fence-sc-load --bound 4 --device sim",
            "Runs the smallest counterexamples on a simulated device.",
        )],
    ),
    ("weaken", &[("margay weaken rc11-to-ptx --bound 3", "Which rows could be weaker?")]),
    (
        "repair",
        &[(
            "margay repair rc11-to-ptx-no-fence-sc-load --bound 4",
            "The cheapest changes that mend a mapping.",
        )],
    ),
    (
        "diff",
        &[
            (
                "margay diff ptx-6.0 ptx-8 --bound 4",
                "The smallest executions about which two models differ.",
            ),
            ("margay diff --git origin/main models/mine.cat", "What an edit changes."),
        ],
    ),
    ("synth", &[("margay synth ptx-6.0 --bound 4 --out suite", "Every minimal test of a model.")]),
    (
        "run",
        &[
            (
                "margay run mp.litmus --model ptx-8",
                "Is the outcome allowed, and what shows or forbids it?",
            ),
            (
                "margay run tests --model ptx-6.0,ptx-8 --format json",
                "A folder of tests under two models, for a program.",
            ),
        ],
    ),
    (
        "test",
        &[
            ("margay test tests/corpus", "Are all verdicts as expected?"),
            (
                "margay test tests/corpus --model ptx-8 --bless",
                "Writes the verdicts of tests of which none is expected.",
            ),
        ],
    ),
    (
        "sim",
        &[(
            "margay sim mp.litmus --exhaustive --model ptx-2015",
            "Every state of an operational machine, beside a model.",
        )],
    ),
    (
        "gpu",
        &[(
            "margay gpu run mp.litmus --device sim",
            "Runs a test a million times, here on the CPU.",
        )],
    ),
    ("gpu emit", &[("margay gpu emit mp.litmus --target sm_90", "The kernel of a test.")]),
    (
        "gpu check",
        &[(
            "margay gpu check mp.litmus --toolkit /usr/local/cuda --explain",
            "Is the machine code the test?",
        )],
    ),
    (
        "gpu run",
        &[(
            "margay gpu run tests --results results.jsonl",
            "Runs tests on the GPU; the same command goes on.",
        )],
    ),
    (
        "gpu tune",
        &[(
            "margay gpu tune here.toml --budget 10m",
            "Looks for the environment in which a GPU shows most.",
        )],
    ),
    (
        "gpu table6",
        &[("margay gpu table6 table6.md --budget 8m", "The table of ASPLOS 2015, of this GPU.")],
    ),
    ("gpu summary", &[("margay gpu summary results.jsonl --all", "What files of results show.")]),
    (
        "classify",
        &[("margay classify --distinct tests", "Which tests are the same up to renaming?")],
    ),
    (
        "explain",
        &[(
            "margay explain mp.litmus --model ptx-8",
            "Which lines of the model forbid the outcome?",
        )],
    ),
    (
        "extract",
        &[
            (
                "margay extract llvm-ir --cmd 'llc -mcpu={arch} {in} -o {out}' --arch sm_90 -o llc.map",
                "The table of your own llc.",
            ),
            (
                "margay extract --all --compilers target/compilers",
                "Which version has which row since when?",
            ),
        ],
    ),
    (
        "app test",
        &[(
            "margay app test app.toml --runs 10000",
            "Is a program for GPUs ever wrong, in order or with weak memory?",
        )],
    ),
    (
        "app suite",
        &[(
            "margay app suite apps/*.toml --device cuda",
            "In how many does each environment on a GPU show wrong runs (Table 5 of PLDI 2016)?",
        )],
    ),
    (
        "app harden",
        &[("margay app harden app.toml", "Which fences does it take until no run is wrong?")],
    ),
    (
        "kernel",
        &[
            (
                "margay kernel lock.ptx",
                "Has a kernel a data race, or a wait that never ends? Small launches first.",
            ),
            (
                "margay kernel lock.cu --launch 2x1 --final 'counter == 2'",
                "The same of CUDA, and what must hold at the end.",
            ),
            (
                "margay kernel lock.ll --cmd 'llc -mcpu={arch} {in} -o {out}'",
                "The same of what another compiler makes of a file.",
            ),
        ],
    ),
    (
        "fence",
        &[(
            "margay fence sb.litmus --model ptx-8",
            "The cheapest fences, orders and scopes that forbid the outcome.",
        )],
    ),
    ("gen", &[("margay gen --size 4 --out tests", "Every test of cycles of four relaxations.")]),
    (
        "report",
        &[("margay report check.json --out page.html", "A page of what commands printed as JSON.")],
    ),
    ("models", &[("margay models ptx-8", "The text of a built-in model.")]),
    ("mappings", &[("margay mappings rc11-to-ptx", "The text of a built-in mapping.")]),
    (
        "schema",
        &[
            (
                "margay schema gpu run",
                "The JSON Schema of what `margay gpu run --format json` prints.",
            ),
            ("margay schema --out schemas", "All of them, as files."),
        ],
    ),
    (
        "completions",
        &[(
            "margay completions bash",
            "What bash completes; its manual says where the text belongs.",
        )],
    ),
    ("man", &[("margay man man1", "All manual pages, in a folder.")]),
];

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::EXAMPLES;
    use crate::arguments::Arguments;

    /// Words of a line, as a shell cuts it.
    fn words(line: &str) -> Vec<String> {
        let pieces = line.split('\'').enumerate();
        pieces
            .flat_map(|(at, piece)| match at % 2 {
                0 => piece.split_whitespace().map(str::to_owned).collect(),
                _ => vec![piece.to_owned()],
            })
            .collect()
    }

    #[test]
    fn every_command_has_examples_that_it_understands() {
        fn each(command: &Command, names: &[&str], missing: &mut Vec<String>) {
            let name = names.join(" ");
            if !EXAMPLES.iter().any(|(of, lines)| *of == name && !lines.is_empty()) {
                missing.push(name);
            }
            for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
                each(below, &[names, &[below.get_name()]].concat(), missing);
            }
        }
        let mut missing = Vec::new();
        each(&Arguments::command(), &[], &mut missing);
        assert_eq!(missing, Vec::<String>::new());
        for (name, lines) in EXAMPLES {
            for (line, what) in *lines {
                let begins = format!("{} ", format!("margay {name}").trim_end());
                assert!(line.starts_with(&begins) && what.ends_with(['.', '?']), "{line}: {what}");
                if let Err(error) = Arguments::command().try_get_matches_from(words(line)) {
                    panic!("{line}: {error}");
                }
            }
        }
    }
}
