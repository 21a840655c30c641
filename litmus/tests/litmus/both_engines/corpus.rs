//! Every verdict of the corpus.

use std::collections::BTreeMap;

use margay_litmus::{corpus, explicit, read, sat};

#[test]
fn the_corpus_by_the_sat_engine() {
    let folders = crate::corpora::folders();
    let mut runners: BTreeMap<(String, bool), sat::SatRunner> = BTreeMap::new();
    let mut differences = Vec::new();
    let mut count = 0;
    for line in folders.iter().flat_map(|f| f.lines.iter().map(move |l| (f.path.join(&l.file), l)))
    {
        let (path, line) = line;
        let test = read::load(&path).unwrap_or_else(|e| panic!("{}", e[0])).test;
        let races = line.expected.racy.is_some();
        let runner = runners.entry((line.model.clone(), races)).or_insert_with(|| {
            let model = crate::shipped::model(&line.model);
            // A model of PTX is asked for races where an answer is expected.
            sat::SatRunner::new(&if races {
                model.asking_for_races().unwrap_or(model)
            } else {
                model
            })
        });
        count += 1;
        match runner.run(&test, &explicit::Options::default()) {
            Ok(verdict) => {
                let found = corpus::Expected::from(&verdict);
                if found != line.expected {
                    differences.push(format!(
                        "{} {}: {found}, expected {}\n",
                        path.display(),
                        line.model,
                        line.expected
                    ));
                }
            }
            Err(e) => differences.push(format!("{} {}: {e}\n", path.display(), line.model)),
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {count} differ\n{}",
        differences.len(),
        differences.concat()
    );
    assert!(count > 4000, "the corpus is there: {count}");
}
