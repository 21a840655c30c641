//! Which axioms of a model count, optional ones taken in and others left out, and which answers an
//! optional axiom decides.

use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::judge::Judge;
use margay_models::model::{Model, Role};

use crate::engine::{Choice as Engine, Runner};
use crate::explicit::{Error, Options, TestVerdict, Witness};
use crate::test::Test;

/// A model as it is asked.
pub struct ChosenAxioms {
    /// The model, with the axioms that count.
    pub model: Model,
    /// The optional axioms that were taken in, by name.
    pub taken: Vec<String>,
    /// The axioms that were left out, by name.
    pub left_out: Vec<String>,
    /// The same model with one optional axiom the other way.
    pub others: Vec<OtherAxiom>,
}

/// A model that differs from the one asked in one optional axiom.
pub struct OtherAxiom {
    pub axiom: String,
    /// Does it count in this model (and so not in the one asked)?
    pub counts: bool,
    model: Model,
}

/// What an optional axiom changes about an answer.
pub struct Dependence {
    pub axiom: String,
    /// Does it count in the model that was asked?
    pub counts: bool,
    /// The other answer; `None` if the engine gave up on it.
    pub otherwise: Option<Otherwise>,
}

/// The answer with the axiom the other way, as far as it differs.
pub struct Otherwise {
    /// Can the outcome be reached?
    pub reachable: Option<bool>,
    /// Does the program race?
    pub racy: Option<bool>,
}

/// The models as they are asked: with the optional axioms `with`, without the axioms `without`.
/// Errors name the options of `margay run`.
///
/// # Errors
/// No model has such an axiom, or one is to count and not to count.
pub fn choose(
    models: Vec<Model>,
    with: &[String],
    without: &[String],
) -> Result<Vec<ChosenAxioms>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if let Some(both) =
        with.iter().find(|name| without.iter().any(|other| Model::same_check_name(name, other)))
    {
        errors.push(Diagnostic::error(format!(
            "`--axiom {both}` takes in what `--without-axiom` leaves out"
        )));
    }
    for (name, option, is) in with
        .iter()
        .map(|n| (n, "--axiom", "an optional axiom"))
        .chain(without.iter().map(|n| (n, "--without-axiom", "an axiom")))
    {
        // An axiom that counts, or does not count, already is as it was asked for.
        let fits = |m: &&Model| {
            m.checks_named(name)
                .any(|i| m.checks[i].role == Role::Axiom || m.checks[i].is_optional_axiom())
        };
        if !models.iter().any(|m| fits(&m)) {
            errors.push(unknown(&models, name, option, is));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(models.into_iter().map(|model| one(model, with, without)).collect())
}

fn one(original: Model, with: &[String], without: &[String]) -> ChosenAxioms {
    let indices = |names: &[String], fits: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let mut found: Vec<usize> =
            names.iter().flat_map(|n| original.checks_named(n)).filter(|&i| fits(i)).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let taken = indices(with, &|i| original.checks[i].is_optional_axiom());
    let left_out = indices(without, &|i| original.checks[i].role == Role::Axiom);
    let name = |i: &usize| original.checks[*i].display_name();
    let optional = (0..original.checks.len())
        .filter(|i| original.checks[*i].is_optional_axiom() || left_out.contains(i));
    let others = optional
        .map(|i| {
            let toggled = |of: &[usize]| match of.contains(&i) {
                true => of.iter().copied().filter(|&k| k != i).collect::<Vec<_>>(),
                false => of.iter().copied().chain([i]).collect(),
            };
            let is_optional = original.checks[i].is_optional_axiom();
            let (with, without) = if is_optional {
                (toggled(&taken), left_out.clone())
            } else {
                (taken.clone(), toggled(&left_out))
            };
            let counts = if is_optional { !taken.contains(&i) } else { true };
            OtherAxiom { axiom: name(&i), counts, model: original.choosing(&with, &without) }
        })
        .collect();
    ChosenAxioms {
        taken: taken.iter().map(name).collect(),
        left_out: left_out.iter().map(name).collect(),
        others,
        model: original.choosing(&taken, &left_out),
    }
}

fn unknown(models: &[Model], name: &str, option: &str, is: &str) -> Diagnostic {
    let of: Vec<&str> = models.iter().map(|m| m.name.as_str()).collect();
    let error = Diagnostic::error(format!(
        "`{option} {name}`: no model asked ({}) has {is} of that name",
        of.join(", ")
    ));
    let counts = |c: &margay_models::Check| {
        c.is_optional_axiom() || option == "--without-axiom" && c.role == Role::Axiom
    };
    let mut known: Vec<String> = models
        .iter()
        .flat_map(|m| &m.checks)
        .filter(|c| counts(c))
        .map(|c| c.display_name())
        .collect();
    known.sort();
    known.dedup();
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => error.help("none of them has any"),
        None => error.help(format!("there are: {}", known.join(", "))),
    }
}

impl ChosenAxioms {
    /// The name with what was chosen, for people.
    pub fn label(&self) -> String {
        let mut label = self.model.name.clone();
        for (word, names) in [("with", &self.taken), ("without", &self.left_out)] {
            if !names.is_empty() {
                label = format!("{label} {word} {}", names.join(", "));
            }
        }
        label
    }

    /// What each optional axiom changes about the answer; `runners` are those of
    /// [`ChosenAxioms::others`].
    pub fn dependences(
        &self,
        verdict: &TestVerdict,
        test: &Test,
        options: &Options,
        engine: Engine,
        runners: &mut [Runner],
    ) -> Vec<Dependence> {
        let others = self.others.iter().zip(runners);
        others
            .filter_map(|(other, runner)| other.dependence(verdict, test, options, engine, runner))
            .collect()
    }
}

impl OtherAxiom {
    /// What asks this model.
    pub fn runner(&self) -> Runner {
        Runner::new(&self.model)
    }

    fn dependence(
        &self,
        verdict: &TestVerdict,
        test: &Test,
        options: &Options,
        engine: Engine,
        runner: &mut Runner,
    ) -> Option<Dependence> {
        // One more axiom takes executions away: it decides nothing where there are none, or where
        // one that was found satisfies it.
        let mut judge = Judge::new(&self.model);
        let mut stands =
            |w: &Option<Witness>| w.as_ref().is_none_or(|w| judge.is_consistent(&w.execution));
        if self.counts && stands(&verdict.witness) && stands(&verdict.race)
            || !self.counts && verdict.reachable && verdict.racy != Some(false)
        {
            return None;
        }
        let otherwise = match runner.run(test, options, engine) {
            Ok(other) => {
                let differs = |differs: bool, value| if differs { value } else { None };
                let reachable =
                    differs(other.reachable != verdict.reachable, Some(other.reachable));
                let racy = differs(other.racy != verdict.racy, other.racy);
                (reachable.is_some() || racy.is_some())
                    .then_some(Some(Otherwise { reachable, racy }))?
            }
            Err(Error::Unfold(_) | Error::Signature { .. } | Error::Large(_)) => return None,
            Err(_) => None,
        };
        Some(Dependence { axiom: self.axiom.clone(), counts: !self.counts, otherwise })
    }
}

impl Dependence {
    /// Is the outcome another one with the axiom the other way, or may it be?
    pub fn is_of_outcome(&self) -> bool {
        self.otherwise.as_ref().is_none_or(|o| o.reachable.is_some())
    }

    /// Is the word on races another one?
    pub fn is_of_races(&self) -> bool {
        self.otherwise.as_ref().is_some_and(|o| o.racy.is_some())
    }
}
