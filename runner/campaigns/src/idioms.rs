//! The tests that tuning and Table 6 run, as the corpus has them.

use margay_litmus::read::{self, Read};
use margay_models::diagnostic::{Diagnostic, SourceFile};

/// MP, LB and SB of Fig. 2 (PLDI 2016).
pub const PLDI_2016: [(&str, &str); 3] = [
    ("pldi2016/MP", include_str!("../../../tests/corpus/pldi2016/MP.litmus")),
    ("pldi2016/LB", include_str!("../../../tests/corpus/pldi2016/LB.litmus")),
    ("pldi2016/SB", include_str!("../../../tests/corpus/pldi2016/SB.litmus")),
];

/// coRR of Fig. 1 (ASPLOS 2015), in one cta.
pub const CORR: (&str, &str) =
    ("asplos2015/coRR", include_str!("../../../tests/corpus/asplos2015/coRR.litmus"));

pub fn read(texts: &[(&str, &str)]) -> Result<Vec<(String, Read)>, Vec<Diagnostic>> {
    let one = |(name, text): &(&str, &str)| {
        let file = SourceFile::new(format!("<built-in>/{name}.litmus"), *text);
        read::test(&file).map(|read| ((*name).to_owned(), read))
    };
    texts.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::{CORR, PLDI_2016, read};

    #[test]
    fn they_can_be_read() {
        let names: Vec<String> = read(&[&PLDI_2016[..], &[CORR]].concat())
            .expect("tests")
            .into_iter()
            .map(|(_, r)| r.test.name)
            .collect();
        assert_eq!(names, ["MP", "LB", "SB", "coRR"]);
    }
}
