//! What is printed is read back as the same: syntax trees, and typed models.

use margay_models::cat::{self, ast::CatFile};
use margay_models::judge::judge;
use margay_models::typing::OnlyBuiltIn;
use margay_models::{Model, SourceFile, library};
use proptest::prelude::*;

use crate::generate;

fn reparsed(file: &CatFile) -> CatFile {
    let text = file.to_string();
    let parsed = cat::parse(&SourceFile::new("printed.cat", text.clone()));
    assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
    parsed.file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn printed_files_parse_to_the_same_tree(file in generate::any_file()) {
        let again = reparsed(&file);
        prop_assert_eq!(&file, &again, "{}", file);
    }

    #[test]
    fn printed_models_mean_the_same(file in generate::model(), execution in generate::execution()) {
        let source = SourceFile::new("m.cat", file.to_string());
        let model = Model::parse(source, &OnlyBuiltIn).map_err(|e| TestCaseError::fail(format!("{file}\n{e:?}")))?.model;
        let printed = model.to_string();
        let again = Model::parse(SourceFile::new("printed.cat", printed.clone()), &OnlyBuiltIn);
        let again = again.map_err(|e| TestCaseError::fail(format!("{printed}\n{e:?}")))?.model;
        prop_assert_eq!(judge(&model, &execution), judge(&again, &execution), "{}\n{}", file, printed);
    }
}

#[test]
fn shipped_files_survive_printing() {
    for name in library::built_in_names() {
        let source = library::built_in(name).expect("listed");
        let parsed = cat::parse(&source);
        assert_eq!(parsed.file, reparsed(&parsed.file), "{name}");
    }
}

#[test]
fn printed_typed_models_are_a_fixed_point() {
    for name in library::built_in_names() {
        let model = library::load(name, &[]).expect("shipped").model;
        let printed = model.to_string();
        let again = Model::parse(SourceFile::new("printed.cat", printed.clone()), &OnlyBuiltIn);
        let again = again.unwrap_or_else(|e| panic!("{printed}\n{e:?}")).model;
        assert_eq!(printed, again.to_string(), "{name}");
        assert_eq!(model.signature, again.signature, "{name}");
        let names = |m: &Model| {
            m.checks.iter().map(|c| (c.name.clone(), c.kind, c.negated, c.role)).collect::<Vec<_>>()
        };
        assert_eq!(names(&model), names(&again), "{name}");
    }
}
