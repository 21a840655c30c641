//! What is to be shown, and what may be supposed: of a mapping, or of two models.

use margay_language::Mapping;
use margay_models::diagnostic::{Diagnostic, SourcePlace};
use margay_models::model::{Model, Sort};
use margay_models::signature::{BaseRelation, BaseSet, Signature};
use margay_models::wellformed;

use super::refusals::{refuse, refuse_chosen_fences, refuse_large, refuse_rows};

use crate::argument::Claim;
use crate::logic::{Meaning, Pred, TheoryExprId};
use crate::theory::mapping::{ExecutionSelection, KeptOrder, has_ghosts, with_source};
use crate::theory::{BaseMeaning, SentenceReason, Theory, TheoryVocabulary, Translated};

/// Something to be shown.
#[derive(Debug, Clone)]
pub struct TheoremGoal {
    /// The name of the axiom.
    pub name: String,
    /// The number of the check in its model.
    pub check: usize,
    pub claim: Claim,
    /// What it is about.
    pub expr: TheoryExprId,
}

/// What is to be shown, what may be supposed, and what lemmas may be about.
pub struct Setting<'a> {
    /// What may be supposed.
    pub theory: Theory,
    /// What is to be shown.
    pub goals: Vec<TheoremGoal>,
    /// The sets that say what an event is, for drawings; empty where its kind says all.
    pub roles: Vec<Pred>,
    /// How many of the theory's checks are about the target alone.
    pub of_target: usize,
    /// Where symbols are defined in the models.
    pub written: Vec<(Pred, SourcePlace)>,
    /// The base names that the models of a mapping use and nothing is in, and why, in words.
    pub empty: Vec<String>,
    /// The model whose axioms are to be shown.
    pub claimed: &'a Model,
    /// What the supposed axioms and the conditions on executions are about.
    pub roots: Vec<TheoryExprId>,
    /// What the supposed axioms are about.
    pub supposed: Vec<TheoryExprId>,
    /// The closures and recursive relations that the goals depend on, inner ones first.
    pub closures: Vec<Pred>,
    /// From operations to the fences that rows put beside them.
    pub places: Vec<Pred>,
    /// The base names that lemmas may be about: those of the target, or of the models.
    pub base: BaseMeaning,
    /// The language of these names.
    signature: Signature,
    /// Lemmas that the search may use, if it can show them.
    pub lemmas: Option<&'a Model>,
    /// The order that the fences of a mapping's source are taken with, where it keeps what the
    /// target orders.
    pub kept: Option<KeptOrder>,
}

impl<'a> Setting<'a> {
    /// The axioms of the source of a mapping hold of each execution without undefined behaviour,
    /// read back from a legal target execution, for every modification order above the target's
    /// coherence order.
    ///
    /// # Errors
    /// Axioms of a form that no rule covers, and loads that are read-modify-writes.
    pub fn of_mapping(
        mapping: &'a Mapping,
        axioms: &[usize],
        selection: &ExecutionSelection,
    ) -> Result<Self, Vec<Diagnostic>> {
        let source = &mapping.source;
        refuse(source, axioms.iter().map(|&i| &source.checks[i]))?;
        refuse_rows(mapping, selection)?;
        refuse_chosen_fences(mapping, axioms, selection)?;
        refuse_large(&mapping.target)?;
        refuse_large(source)?;
        let ghosts = has_ghosts(mapping, selection);
        let target = Theory::of_target(mapping, ghosts);
        let of_target = target.0.sentences.len();
        let built = with_source(mapping, selection, &target);
        let mut theory = built.theory.clone();
        let mut written = defined(&theory, &mapping.target, &built.target);
        written.extend(defined(&theory, source, &built.source));
        let mut roots = built.target.checks.clone();
        roots.extend(
            theory.translate(wellformed::model(mapping.target.signature), &built.bases[0]).checks,
        );
        let closures = built.source_closures(&theory);
        let goals = goals(source, axioms, &built.source.checks);
        let (roles, places, supposed) = (built.roles, built.places, built.target.checks);
        let levels = [("target", &mapping.target), ("source", source)];
        let empty = levels
            .iter()
            .zip(&built.bases)
            .flat_map(|((level, model), base)| empty_names(level, model, base))
            .collect();
        let [base, _] = built.bases;
        Ok(Self {
            theory,
            goals,
            roles,
            of_target,
            written,
            empty,
            claimed: source,
            roots,
            supposed,
            closures,
            places,
            base,
            signature: mapping.target.signature,
            lemmas: None,
            kept: built.kept,
        })
    }

    /// Properties of a model that follow from its other axioms.
    ///
    /// # Errors
    /// Properties of a form that no rule covers.
    pub fn of_model(model: &'a Model, properties: &[usize]) -> Result<Self, Vec<Diagnostic>> {
        refuse(model, properties.iter().map(|&i| &model.checks[i]))?;
        refuse_large(model)?;
        let mut theory = Theory::default();
        let base = theory.declare_base(model.signature, false, None);
        theory.assume_signature(model.signature, &base);
        let translated = theory.translate(model, &base);
        let written = defined(&theory, model, &translated);
        let all = translated.checks;
        let mut rest = model.clone();
        let mut number = 0..;
        rest.checks.retain(|_| number.next().is_some_and(|i: usize| !properties.contains(&i)));
        let supposed: Vec<TheoryExprId> =
            (0..all.len()).filter(|i| !properties.contains(i)).map(|i| all[i]).collect();
        theory.assume_axioms(&rest, &supposed, |name| SentenceReason::Axiom(name.to_owned()));
        let mut roots = all.clone();
        roots.extend(theory.translate(wellformed::model(model.signature), &base).checks);
        // Recursive relations of the property alone are bounded by those of the axioms.
        let of_axioms = TheoryVocabulary::of(&theory, supposed.iter().copied()).relations;
        let closures = recursive(&theory, properties.iter().map(|&i| all[i]))
            .filter(|p| !of_axioms.contains(p))
            .collect();
        let closures = inner_first(&theory, closures);
        let goals = goals(model, properties, &all);
        Ok(Self {
            theory,
            goals,
            roles: Vec::new(),
            of_target: 0,
            written,
            empty: Vec::new(),
            claimed: model,
            roots,
            supposed,
            closures,
            places: Vec::new(),
            base,
            signature: model.signature,
            lemmas: None,
            kept: None,
        })
    }

    /// What one model allows, another one allows.
    ///
    /// # Errors
    /// Models of two signatures, axioms of a form that no rule covers.
    pub fn of_models(
        supposed: &'a Model,
        claimed: &'a Model,
        axioms: &[usize],
    ) -> Result<Self, Vec<Diagnostic>> {
        let signature = supposed.signature;
        if signature != claimed.signature {
            let what = format!(
                "`{}` and `{}` are about executions of two languages",
                supposed.name, claimed.name
            );
            return Err(vec![Diagnostic::error(what).help("compare models of one signature")]);
        }
        refuse(claimed, axioms.iter().map(|&i| &claimed.checks[i]))?;
        refuse_large(supposed)?;
        refuse_large(claimed)?;
        let mut theory = Theory::default();
        let base = theory.declare_base(signature, false, None);
        theory.assume_signature(signature, &base);
        let old = theory.translate(supposed, &base);
        theory.assume_axioms(supposed, &old.checks, |name| SentenceReason::Axiom(name.to_owned()));
        let new = theory.translate(claimed, &base);
        let mut written = defined(&theory, supposed, &old);
        written.extend(defined(&theory, claimed, &new));
        let mut roots = old.checks.clone();
        roots.extend(theory.translate(wellformed::model(signature), &base).checks);
        let of_old = TheoryVocabulary::of(&theory, old.checks.iter().copied()).relations;
        let closures = recursive(&theory, axioms.iter().map(|&i| new.checks[i]))
            .filter(|p| !of_old.contains(p))
            .collect();
        let closures = inner_first(&theory, closures);
        let goals = goals(claimed, axioms, &new.checks);
        Ok(Self {
            theory,
            goals,
            roles: Vec::new(),
            of_target: 0,
            written,
            empty: Vec::new(),
            claimed,
            roots,
            supposed: old.checks,
            closures,
            places: Vec::new(),
            base,
            signature: supposed.signature,
            lemmas: None,
            kept: None,
        })
    }

    /// Lets the search use the checks of a text as lemmas, if it can show them, and its definitions
    /// as members of invariants.
    ///
    /// # Errors
    /// A text about another language, recursive definitions, checks that claim that something is
    /// there.
    pub fn suggest(&mut self, lemmas: &'a Model) -> Result<(), Vec<Diagnostic>> {
        if lemmas.signature != self.signature {
            let what =
                format!("the lemmas of `{}` are about executions of another language", lemmas.name);
            return Err(vec![
                Diagnostic::error(what)
                    .help("begin the file like that of the target, and include it"),
            ]);
        }
        refuse(lemmas, own_checks(lemmas).map(|i| &lemmas.checks[i]))?;
        refuse_large(lemmas)?;
        let own = lemmas
            .definitions
            .iter()
            .find(|d| d.group.is_some() && d.place.file.name == lemmas.source.name);
        if let Some(own) = own {
            let error = Diagnostic::error(format!(
                "`{}` is recursive, and lemmas are about the relations of the target",
                own.name
            ));
            return Err(vec![
                error
                    .at(&own.place.file, own.place.span, "defined here")
                    .help("define it without `rec`"),
            ]);
        }
        self.lemmas = Some(lemmas);
        Ok(())
    }
}

/// The checks that a text itself makes, of those of a model that it includes others in.
pub fn own_checks(model: &Model) -> impl Iterator<Item = usize> + '_ {
    let own = |i: &usize| model.checks[*i].place.file.name == model.source.name;
    (0..model.checks.len()).filter(own)
}

/// The names that a model uses and nothing is in, and why.
fn empty_names(level: &str, model: &Model, base: &BaseMeaning) -> Vec<String> {
    let sets =
        BaseSet::all(model.signature).filter(|set| model.mentions_set(*set)).map(BaseSet::name);
    let relations = BaseRelation::all(model.signature)
        .filter(|r| model.mentions_relation(*r))
        .map(BaseRelation::name);
    let used: Vec<&str> = sets.chain(relations).collect();
    let empty = base.empty.iter().filter(|(name, _)| used.contains(name));
    empty.map(|(name, why)| format!("{name} of the {level} {}: {why}", model.name)).collect()
}

/// Where the symbols of a model's definitions are written, in the order of the text.
fn defined(theory: &Theory, model: &Model, translated: &Translated) -> Vec<(Pred, SourcePlace)> {
    translated
        .symbols(theory)
        .into_iter()
        .map(|(id, pred)| (pred, model.definition(id).place.clone()))
        .collect()
}

/// The closures and recursive relations that expressions depend on.
fn recursive(
    theory: &Theory,
    of: impl IntoIterator<Item = TheoryExprId>,
) -> impl Iterator<Item = Pred> {
    let all = TheoryVocabulary::of(theory, of).relations;
    all.into_iter().filter(|p| {
        matches!(theory.symbols.get(*p).meaning, Meaning::Closure(_) | Meaning::Fixpoint(..))
    })
}

/// Closures in such an order that each comes behind those that it is made of.
fn inner_first(theory: &Theory, mut open: Vec<Pred>) -> Vec<Pred> {
    let mut sorted = Vec::new();
    while !open.is_empty() {
        let made_of = |p: &Pred| match theory.symbols.get(*p).meaning {
            Meaning::Closure(e) | Meaning::Fixpoint(e, _) => {
                TheoryVocabulary::of(theory, [e]).relations
            }
            _ => Vec::new(),
        };
        let is_next = |p: &Pred| made_of(p).iter().all(|q| q == p || !open.contains(q));
        // Members of one recursion are made of each other.
        let at = open.iter().position(is_next).unwrap_or(0);
        sorted.push(open.remove(at));
    }
    sorted
}

fn goals(model: &Model, axioms: &[usize], checks: &[TheoryExprId]) -> Vec<TheoremGoal> {
    let goal = |&i: &usize| {
        let check = &model.checks[i];
        let is_set = model.arena.sort(check.expr) == Sort::Set;
        TheoremGoal {
            name: check.display_name(),
            check: i,
            claim: Claim::of_check(check.kind, checks[i], is_set),
            expr: checks[i],
        }
    };
    axioms.iter().map(goal).collect()
}
