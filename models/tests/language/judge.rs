//! The judge against the naive evaluator, on random models over random executions.

use margay_models::judge::{Judge, JudgedValue, evaluate, judge};
use margay_models::typing::OnlyBuiltIn;
use margay_models::{Model, Role, SourceFile};
use proptest::prelude::*;

use crate::{generate, naive};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_judge_agrees_with_sets_of_pairs(
        file in generate::model(),
        execution in generate::execution(),
        other in generate::execution(),
    ) {
        let source = SourceFile::new("m.cat", file.to_string());
        let model = Model::parse(source, &OnlyBuiltIn).map_err(|e| TestCaseError::fail(format!("{file}\n{e:?}")))?.model;
        let expected = naive::checks(&file, &execution);
        let mut prepared = Judge::new(&model);
        let judgement = prepared.judge(&execution);
        prop_assert_eq!(&judgement.holds, &expected, "{}", file);

        // What it keeps of one execution must not show in the next one.
        prop_assert_eq!(prepared.judge(&other).holds, naive::checks(&file, &other));
        let mut chosen = other.clone();
        if chosen.size() == execution.size() {
            chosen.rf = execution.rf.clone();
            chosen.co = execution.co.clone();
        } else {
            chosen.rf = chosen.co.clone();
        }
        let again = prepared.judge_again(&chosen);
        prop_assert_eq!(&again.holds, &naive::checks(&file, &chosen));
        prop_assert_eq!(prepared.is_consistent_again(&chosen), again.consistent);
        prop_assert_eq!(prepared.is_consistent(&execution), judgement.consistent);
        for (i, holds) in expected.iter().enumerate() {
            prop_assert_eq!(prepared.check_holds(&execution, i), *holds);
        }
    }

    #[test]
    fn roles_say_what_becomes_of_an_execution(file in generate::model(), execution in generate::execution()) {
        let model = Model::parse(SourceFile::new("m.cat", file.to_string()), &OnlyBuiltIn).expect("well-typed").model;
        let judgement = judge(&model, &execution);
        for (i, check) in model.checks.iter().enumerate() {
            let holds = judgement.holds[i];
            prop_assert_eq!(judgement.flagged.contains(&i), check.role == Role::Flag && holds);
            prop_assert_eq!(judgement.undefined.contains(&i), check.role == Role::UndefinedUnless && !holds);
            prop_assert_eq!(judgement.failed_assertions.contains(&i), check.role == Role::Assert && !holds);
        }
        let axioms_hold = model.axioms().all(|(i, _)| judgement.holds[i]);
        prop_assert_eq!(judgement.consistent, axioms_hold);
    }

    #[test]
    fn definitions_have_values(execution in generate::execution()) {
        let text = "C let w = W & SC let e = po; [w] let rec u = rf | u; po empty u as x";
        let model = Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn).expect("well-typed").model;
        let Some(JudgedValue::Set(w)) = evaluate(&model, &execution, "w") else { panic!("w is a set") };
        let Some(JudgedValue::Relation(e)) = evaluate(&model, &execution, "e") else { panic!("e is a relation") };
        let Some(JudgedValue::Relation(u)) = evaluate(&model, &execution, "u") else { panic!("u is a relation") };
        for (a, b) in execution.po.pairs() {
            prop_assert_eq!(e.contains(a, b), w.contains(b));
        }
        for (a, b) in execution.rf.pairs() {
            prop_assert!(u.contains(a, b));
            for (c, d) in execution.po.pairs().filter(|p| p.0 == b) {
                prop_assert!(c == b && u.contains(a, d));
            }
        }
        prop_assert_eq!(evaluate(&model, &execution, "nothing"), None);
    }
}

#[test]
fn judges_can_be_sent_to_threads() {
    fn send<T: Send + Sync + Clone>() {}
    send::<Judge>();
    send::<Model>();
}
