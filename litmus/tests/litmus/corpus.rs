//! Every verdict that the corpus (tests/corpus and tests/shapes of the repository) expects, by the
//! explicit engine; each witness is well-formed.

use std::collections::BTreeMap;

use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::{corpus, read};
use margay_models::wellformed;

#[test]
fn the_corpus_is_as_expected() {
    let folders = crate::corpora::folders();
    let mut runners: BTreeMap<(String, bool), ExplicitRunner> = BTreeMap::new();
    let mut differences = Vec::new();
    let mut count = 0;
    for folder in &folders {
        assert!(
            folder.unmentioned.is_empty(),
            "{}: nothing is expected of {:?}",
            folder.path.display(),
            folder.unmentioned
        );
        for line in &folder.lines {
            let path = folder.path.join(&line.file);
            let read = read::load(&path).unwrap_or_else(|e| panic!("{}", e[0]));
            // Tests in the form of others say so; all others say nothing.
            let other = folder.path.ends_with("other-dialects");
            assert_eq!(read.warnings.is_empty(), !other, "{} {:?}", path.display(), read.warnings);
            let again = read::test(&margay_models::SourceFile::new("again", read.test.to_string()))
                .unwrap_or_else(|e| panic!("{}", e[0]));
            assert_eq!(again.test, read.test, "what is written reads back the same");
            let races = line.expected.racy.is_some();
            let runner = runners.entry((line.model.clone(), races)).or_insert_with(|| {
                let model = crate::shipped::model(&line.model);
                // A model of PTX is asked for races where an answer is expected.
                ExplicitRunner::new(&if races {
                    model.asking_for_races().unwrap_or(model)
                } else {
                    model
                })
            });
            let verdict = runner
                .run(&read.test, &Options::default())
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            count += 1;
            let found = corpus::Expected::from(&verdict);
            if found != line.expected {
                differences.push(format!(
                    "{} {}: {found}, expected {} ({})\n",
                    path.display(),
                    line.model,
                    line.expected,
                    line.source
                ));
            }
            for witness in verdict.witness.iter().chain(&verdict.race) {
                assert_eq!(
                    wellformed::violations(&witness.execution),
                    Vec::<String>::new(),
                    "{} {}",
                    path.display(),
                    line.model
                );
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {count} differ\n{}",
        differences.len(),
        differences.concat()
    );
    assert!(count > 100, "the corpus is there");
}

/// The verdicts of the shapes come from the engine itself; these are known without it: every shape
/// is a cycle that sequential consistency forbids, and fence.sc (seq_cst) between all accesses,
/// with scopes that include all threads, restores it.
#[test]
fn shapes_obey_what_is_known() {
    let folders = crate::corpora::folders();
    let mut checked = 0;
    for line in folders
        .iter()
        .filter(|f| f.path.ends_with("shapes-ptx") || f.path.ends_with("shapes-c"))
        .flat_map(|f| &f.lines)
    {
        let parts: Vec<&str> = line.file.trim_end_matches(".litmus").rsplitn(3, '+').collect();
        let wide_enough = |place: &str| {
            let width = |s: &str| ["cta", "cluster", "gpu", "sys"].iter().position(|n| *n == s);
            place.split_once('.').is_some_and(|(scope, together)| width(scope) >= width(together))
        };
        let restored = line.file.starts_with("Co") && wide_enough(parts[0])
            || matches!(parts[1], "f.sc" | "sc") && wide_enough(parts[0]);
        if line.model == "sc" || restored && !line.file.contains("+weak") {
            assert!(!line.expected.reachable, "{} {}", line.file, line.model);
            checked += 1;
        }
    }
    assert!(checked > 500, "{checked}");
}
