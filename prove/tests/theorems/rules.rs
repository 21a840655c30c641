//! The rules prove nothing false: inductions suppose a claim of pairs that are there and come
//! before alone, and no two events have one number.

use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use margay_prove::completion::complete;
use margay_prove::ground::{GroundEffort, ObligationOutcome, ProvedClaims, settle};
use margay_prove::theorem::{REACH, prove};
use margay_theorem::argument::{Claim, ClaimStep, LastStep, Property, Rule, StepFlaw, obligations};
use margay_theorem::ground::{Obligation, Reach};
use margay_theorem::logic::{
    EventAtom, EventTerm, Existence, Lit, Meaning, Pred, TheoryExpr, TheoryFormula,
};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::{ExistenceUse, SentenceReason, StopSignal, Theory};

use super::follows;

fn read(text: &str) -> Model {
    let text = format!("PTX \"test\"\ninclude \"ptx-6.0.cat\"\n{text}");
    Model::parse(SourceFile::new("test.cat", text), &FilesThenBuiltIn)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .model
}

fn setting(model: &Model) -> Setting<'_> {
    let number = model.check_named("Question").expect("it is there");
    Setting::of_model(model, &[number]).expect("it is of a form that has a rule")
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_recursion_with_a_choice_inside_a_sequence() {
    // `c` is `co; rf`, and an initial write is first in coherence order.
    for (definition, question, holds) in [
        ("let rec c = (c | co); rf", "empty [IW]; c", false),
        ("let rec c = (c | co); rf", "empty c \\ loc", true),
        ("let rec c = rf; (po | c) | (c | po); co", "empty [IW]; c", false),
        ("let rec c = co; (c | rf)", "empty c; [R]", false),
        ("let rec c = co; (c | rf)", "empty c; [W]", true),
    ] {
        let model = read(&format!("{definition}\n{question} as Question"));
        let report = prove(&setting(&model), &StopSignal::default());
        assert_eq!(
            report.is_theorem(),
            holds,
            "{definition}: {question}: {:?}",
            report.goals[0].gap.as_ref().map(|g| &g.what)
        );
    }
}

#[test]
fn a_bound_that_is_made_of_the_relation_is_no_induction() {
    // `d` is within `c | c; c`, since `c` contains it. That its pairs are pairs of `c` which come
    // before is not so.
    let model = read("let d = po & loc\nlet rec c = d | (c; rf)\nempty c \\ rf as Question");
    let setting = setting(&model);
    let mut found = setting.theory.clone();
    let [c, d, rf] = ["c", "d", "rf"].map(|name| found.symbols.shown(name).expect("it has a name"));
    let whole = found.exprs.symbol(c);
    let twice = found.exprs.sequence(whole, whole);
    let bound = found.exprs.union(whole, twice);
    let within = Claim::Pairs { of: d, property: Property::Within(bound) };
    let in_rf = Lit::yes(EventAtom::binary(rf, EventTerm::variable(0), EventTerm::variable(1)));
    let wrong = Claim::Pairs { of: c, property: Property::Clause(vec![in_rf]) };
    let first =
        ClaimStep { claims: vec![within.clone()], rule: Rule::Induction(vec![d]), known: true };
    let second =
        ClaimStep { claims: vec![wrong.clone()], rule: Rule::Induction(vec![c]), known: true };
    let attempt = |goal: Claim| {
        complete(
            &setting.theory,
            &found,
            &[first.clone(), second.clone()],
            &[goal],
            REACH,
            &mut GroundEffort::default(),
        )
        .is_ok()
    };
    assert!(attempt(within), "the bound itself holds");
    assert!(!attempt(wrong), "program order is no reads-from");
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn sequences_with_more_events_than_have_numbers() {
    let model = read("empty [W]; loc; [R] as Question");
    let setting = setting(&model);
    for length in [10, 50, 70, 130, 260] {
        let mut found = setting.theory.clone();
        let [w, r, loc] = ["W", "R", "loc"].map(|name| {
            let pred = found.symbols.shown(name).expect("it has a name");
            found.exprs.symbol(pred)
        });
        let [from, to] = [w, r].map(|set| found.exprs.make(TheoryExpr::Diagonal(set)));
        let middle = (0..length).fold(to, |rest, _| found.exprs.sequence(loc, rest));
        let long = found.exprs.sequence(from, middle);
        let claim = Claim::Empty(long, false);
        let proved = follows(&setting, &found, claim);
        assert!(
            !proved,
            "a write and a read of one location are {length} steps from each other, too"
        );
    }
}

/// Each event has another one behind it, and behind is a strict order: no few events satisfy that.
/// A search that ends since it may have no more events has no counterexample.
#[test]
fn few_events_that_lack_one_are_no_counterexample() {
    let mut theory = Theory::default();
    let behind = theory.symbols.declare("behind", 2, Meaning::Base);
    let [x, y, z] = [0, 1, 2].map(EventTerm::variable);
    let reason = SentenceReason::Supposed("the question".to_owned());
    let pair = |a, b| EventAtom::binary(behind, a, b);
    theory.assume_clause(vec![Lit::no(pair(x, x))], &reason);
    theory.assume_clause(
        vec![Lit::no(pair(x, y)), Lit::no(pair(y, z)), Lit::yes(pair(x, z))],
        &reason,
    );
    let next = Existence {
        guard: vec![Lit::yes(pair(x, y))],
        variables: 2,
        events: 1,
        cases: vec![vec![Lit::yes(pair(y, z))]],
    };
    let question = TheoryFormula::Lit(Lit::yes(pair(EventTerm::event(0), EventTerm::event(1))));
    let asked = |events| Obligation {
        what: String::new(),
        claim: 0,
        question: question.clone(),
        events,
        suppositions: Vec::new(),
        conclusion: TheoryFormula::Const(true),
    };
    let reach = Reach { events: 6, ..REACH };
    let few =
        settle(&theory, ProvedClaims::default(), &asked(2), reach, &mut GroundEffort::default());
    assert!(matches!(few, ObligationOutcome::Model(_)), "two events without an existence: {few:?}");
    theory.assume_existence(next, &reason, ExistenceUse::Steps(0));
    let endless =
        settle(&theory, ProvedClaims::default(), &asked(2), reach, &mut GroundEffort::default());
    assert!(matches!(endless, ObligationOutcome::Unknown), "{endless:?}");
}

/// Is the first relation within the second one, by what the ends of the chains of `c` are?
fn within_by_last_steps(definition: &str, inner: &str, outer: &str) -> bool {
    let model = read(&format!("{definition}\nempty ({inner}) \\ ({outer}) as Question"));
    let setting = setting(&model);
    let Claim::Empty(rest, false) = setting.goals[0].claim else { panic!("it is about pairs") };
    let TheoryExpr::Difference(inner, outer) = setting.theory.exprs.get(rest) else {
        panic!("it is a difference")
    };
    follows(&setting, &setting.theory, Claim::Within(inner, outer))
}

#[test]
fn two_steps_of_program_order_are_one() {
    // A chain from a fence to a fence ends with program order, and has a step of the other kind
    // before that, if it has more than one.
    let chain = "let c = (po | rf)+";
    assert!(within_by_last_steps(chain, "c & (F * F)", "po | c; rf; po"));
    assert!(
        !within_by_last_steps(chain, "c & (F * F)", "c; rf; po"),
        "it may be of program order alone"
    );
    assert!(
        !within_by_last_steps(chain, "c & (F * M)", "po | c; rf; po"),
        "it may end with reads-from"
    );
    // Dependencies are not transitive: there may be any number of them at the end of a chain.
    let chain = "let c = (addr | rf)+";
    assert!(!within_by_last_steps(chain, "c & (R * (W & REL))", "addr | c; rf; addr"));
}

#[test]
fn the_end_of_a_chain_is_told_in_one_way() {
    for (definition, expected) in [
        ("let c = (po | rf)+", "rf | c; rf | po | (rf | c; rf); po"),
        ("let c = (rf | po | fr)+", "rf | fr | c; (rf | fr) | po | (rf | fr | c; (rf | fr)); po"),
        ("let c = (rf | addr)+", "rf | addr | c; (rf | addr)"),
        ("let c = (po; rf)+", "po; rf | c; po; rf"),
    ] {
        let model = read(&format!("{definition}\nirreflexive c as Question"));
        let mut theory = setting(&model).theory;
        let closure = theory.symbols.shown("c").expect("it is defined");
        let last = LastStep::of(&mut theory, closure).expect("it is a closure");
        assert_eq!(theory.text(last.ends), expected);
    }
}

/// What a settled question is, with a limit on the assignments that are looked at before it is
/// halved; a refutation must hold.
fn settled(question: &str, rounds: usize) -> ObligationOutcome {
    let model = read(&format!("empty ({question}) as Question"));
    let setting = setting(&model);
    let step =
        ClaimStep { claims: vec![setting.goals[0].claim.clone()], rule: Rule::Direct, known: true };
    let mut theory = setting.theory.clone();
    let asked = obligations(&mut theory, &step);
    assert_eq!(asked.len(), 1);
    let found = settle(
        &theory,
        ProvedClaims::default(),
        &asked[0],
        Reach { rounds, ..REACH },
        &mut GroundEffort::default(),
    );
    if let ObligationOutcome::Refuted(refutation, _) = &found {
        refutation.check(&theory, &asked[0]).unwrap_or_else(|what| panic!("{question}: {what}"));
    }
    found
}

#[test]
fn what_is_refuted_by_halves_is_refuted_as_a_whole() {
    // Each part has a reason of its own, some of which speak of events that exist, and some are
    // shared.
    let parts = [
        "po & po^-1",
        "rf; rf",
        "(co; co) \\ co",
        "[F]; loc",
        "rmw; rmw",
        "(rf; rf^-1) \\ loc",
        "co; [R]",
        "rmw \\ po",
    ];
    let all = parts.join(" | ");
    for rounds in [1, 2, 5000] {
        assert!(matches!(settled(&all, rounds), ObligationOutcome::Refuted(..)), "{rounds} rounds");
        let nested = format!("({all}); ({all})");
        assert!(
            matches!(settled(&nested, rounds), ObligationOutcome::Refuted(..)),
            "{rounds} rounds"
        );
        // One part that can be there is found in whichever half it is.
        for at in 0..parts.len() {
            let mut some = parts.to_vec();
            some[at] = "rf";
            assert!(
                matches!(settled(&some.join(" | "), rounds), ObligationOutcome::Model(_)),
                "{at}, {rounds} rounds"
            );
        }
    }
}

#[test]
fn a_sequence_is_within_what_one_of_wider_relations_is() {
    let model = read("empty (rf; po) \\ (rf; po) as Question");
    let setting = setting(&model);
    let mut theory = setting.theory.clone();
    let [rf, po, co, fr] =
        ["rf", "po", "co", "fr"].map(|name| theory.symbols.shown(name).expect("it has a name"));
    let [rf, po, co, fr] = [rf, po, co, fr].map(|p| theory.exprs.symbol(p));
    let [own, other] = [[rf, po], [co, po]].map(|[a, b]| theory.exprs.sequence(a, b));
    let rule = |parts, between| Rule::Through { parts, between };
    let claim = Claim::Within(own, fr);
    let needed = theory.supports(&rule([rf, po], [co, po]), &claim);
    assert_eq!(needed, Ok(vec![Claim::Within(other, fr), Claim::Within(rf, co)]));
    // It is for this sequence and no other, and for what is within a relation.
    assert!(theory.supports(&rule([rf, co], [co, po]), &claim).is_err());
    assert!(theory.supports(&rule([rf, po], [co, po]), &Claim::Irreflexive(own)).is_err());
    // A proof by it needs both claims: neither is true here.
    let step =
        ClaimStep { claims: vec![claim.clone()], rule: rule([rf, po], [co, po]), known: false };
    let proved =
        complete(&setting.theory, &theory, &[step], &[claim], REACH, &mut GroundEffort::default());
    let proof = proved.expect("nothing is left to show of the step itself").1;
    assert!(
        margay_theorem::argument::check(&mut setting.theory.clone(), &proof)
            .is_err_and(|flaw| matches!(flaw.what, StepFlaw::Unproved(_)))
    );
}

/// Random numbers, the same in every run.
pub(super) struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn literal(&mut self, symbols: &[(Pred, u8)], terms: &[EventTerm]) -> Lit {
        let (pred, arity) = symbols[self.below(symbols.len())];
        let [a, b] = [0, 1].map(|_| terms[self.below(terms.len())]);
        let atom =
            if arity == 1 { EventAtom::unary(pred, a) } else { EventAtom::binary(pred, a, b) };
        if self.below(2) == 0 { Lit::yes(atom) } else { Lit::no(atom) }
    }
}

/// A theory of random sentences, some of which claim that an event exists, and a random question
/// about two events.
fn random_question(dice: &mut Dice) -> (Theory, Obligation) {
    let mut theory = Theory::default();
    let symbols: Vec<(Pred, u8)> = [("p", 1), ("q", 1), ("r", 2), ("s", 2)]
        .map(|(name, arity)| (theory.symbols.declare(name, arity, Meaning::Base), arity))
        .to_vec();
    let reason = SentenceReason::Supposed("the question".to_owned());
    let variables = [0, 1, 2].map(EventTerm::variable);
    for _ in 0..6 {
        let clause = (0..2 + dice.below(2)).map(|_| dice.literal(&symbols, &variables)).collect();
        theory.assume_clause(clause, &reason);
    }
    for _ in 0..3 {
        let guard = Lit::yes(EventAtom::unary(symbols[dice.below(2)].0, EventTerm::variable(0)));
        let related = Lit::yes(EventAtom::binary(
            symbols[2 + dice.below(2)].0,
            EventTerm::variable(0),
            EventTerm::variable(1),
        ));
        let cases = vec![
            vec![related, dice.literal(&symbols, &variables[..2])],
            vec![related, dice.literal(&symbols, &variables[1..2])],
        ];
        theory.assume_existence(
            Existence { guard: vec![guard], variables: 1, events: 1, cases },
            &reason,
            ExistenceUse::Steps(1),
        );
    }
    let events = [0, 1].map(EventTerm::event);
    let some = |dice: &mut Dice| {
        TheoryFormula::and((0..2).map(|_| TheoryFormula::lit(dice.literal(&symbols, &events))))
    };
    let question =
        TheoryFormula::and([0, 1].map(|_| TheoryFormula::or([0, 1, 2].map(|_| some(dice)))));
    let (what, suppositions, conclusion) = (String::new(), Vec::new(), TheoryFormula::Const(true));
    (theory, Obligation { what, claim: 0, question, events: 2, suppositions, conclusion })
}

#[test]
fn what_a_search_refutes_has_a_refutation_whole_or_by_halves() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut refuted = [0, 0];
    for number in 0..600 {
        let (theory, question) = random_question(&mut dice);
        let outcomes = [5000, 1].map(|rounds| {
            settle(
                &theory,
                ProvedClaims::default(),
                &question,
                Reach { rounds, ..REACH },
                &mut GroundEffort::default(),
            )
        });
        for (outcome, refuted) in outcomes.iter().zip(&mut refuted) {
            match outcome {
                ObligationOutcome::Refuted(refutation, _) => {
                    refutation
                        .check(&theory, &question)
                        .unwrap_or_else(|what| panic!("{number}: {what}"));
                    *refuted += 1;
                }
                ObligationOutcome::Model(_) => {}
                ObligationOutcome::Unknown => panic!("{number}: nothing here comes near a limit"),
            }
        }
    }
    assert!(refuted[0] == refuted[1] && (100..500).contains(&refuted[0]), "{refuted:?}");
}
