//! Skolemisation: what a formula says to exist becomes a relation, so that an instance shows it and
//! the solver looks for it as for any other relation. After Kodkod (Torlak and Jackson, TACAS
//! 2007), which does the same to `some` quantifiers that are below no `all`, or below few.

use rustc_hash::FxHashMap;

use crate::bounds::Bounds;
use crate::logic::{Expr, Formula, FormulaNode, Logic, QuantifiedVariable, Relation, Replacements};
use crate::translate::upper_bound;
use crate::tuples::TupleSet;

/// A relation that holds the witnesses of a quantified variable, made by [`Logic::skolemize`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skolem {
    /// The variable that it stands for: of a `some` that must hold, or of an `all` that must not.
    pub variable: QuantifiedVariable,
    /// The variables of the quantifiers around it on which the witness may depend, the outermost
    /// first: of an `all` that must hold, or of a `some` that must not. Where the formula binds one
    /// variable twice on the way in, the inner one is a new variable.
    pub parameters: Vec<QuantifiedVariable>,
    /// A column for each parameter, and the last one for the witness. Its name is that of the
    /// variable after a `$`, with a number if there is a relation of that name already.
    pub relation: Relation,
}

impl Skolem {
    /// The witness for values of the parameters, as a set; they are free in it.
    pub fn witness(&self, logic: &mut Logic) -> Expr {
        let relation = logic.rel(self.relation);
        self.parameters.iter().fold(relation, |rest, &parameter| {
            let value = logic.var(parameter);
            logic.join(value, rest)
        })
    }
}

impl Logic {
    /// A formula that can be asserted, or assumed as a goal, in the place of the given one, and the
    /// relations that were made for it: for each variable that must have a value (of a `some` that
    /// must hold, or of an `all` that must not), in the order in which they were made. `depth` is
    /// the most parameters that a witness may depend on: with 0 only quantifiers that are below no
    /// universal one get relations, which are then sets. Quantifiers further in, below `<=>`, and
    /// within expressions stay as they are.
    ///
    /// The new relations are bound in `bounds`: from none to what the domains may have within the
    /// bounds. Within them, instances of the new formula are those of the given one, each with
    /// witnesses:
    ///
    /// - without the new relations, each instance of the new formula is one of the given formula,
    ///   and each of those can be had so;
    /// - a witness is a set of at most one atom. Where it has one, the atom is in the variable's
    ///   domain and the quantifier's body holds of it; all variables of one quantifier have
    ///   witnesses, or none has;
    /// - where the quantifier has to hold it has witnesses; it may have none where another member
    ///   of a disjunction holds.
    ///
    /// All that is part of the new formula. While it is neither asserted nor assumed the relations
    /// are free; and that it is false says nothing about the given formula, so do not negate it,
    /// nor take it for [`Session::exact`](crate::Session::exact).
    ///
    /// A session takes its bounds when it is made, so this comes before. As bounds list tuples, a
    /// witness that depends on many variables of large domains has a large bound.
    ///
    /// ```
    /// use margay_solver::{Atom, Backend, Bounds, Encoding, SolverLimits, Logic, SessionOutcome, Session, TupleSet, Universe};
    ///
    /// // Somebody is known by everybody, and everybody knows somebody else.
    /// let mut logic = Logic::new();
    /// let knows = logic.relation("knows", 2);
    /// let k = logic.rel(knows);
    /// let everybody = logic.universe();
    /// let (who, of, other) = (logic.variable("star"), logic.variable("of"), logic.variable("other"));
    /// let [star, fan, friend] = [who, of, other].map(|v| logic.var(v));
    /// let known = logic.join(k, star);
    /// let by_all = logic.equal(known, everybody);
    /// let a_star = logic.exists(&[(who, everybody)], by_all);
    /// let same = logic.equal(friend, fan);
    /// let another = logic.not(same);
    /// let acquaintances = logic.join(fan, k);
    /// let has_another = logic.exists(&[(other, acquaintances)], another);
    /// let no_hermit = logic.for_all(&[(of, everybody)], has_another);
    /// let formula = logic.and([a_star, no_hermit]);
    ///
    /// let mut bounds = Bounds::new(Universe::new(["Ada", "Bob", "Cyd"]));
    /// bounds.between(knows, TupleSet::new(2), TupleSet::from_tuples(2, (0..9).map(|i| [Atom(i / 3), Atom(i % 3)])));
    /// let (skolemized, witnesses) = logic.skolemize(formula, 1, &mut bounds);
    /// let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    /// session.assert(&logic, skolemized);
    /// let SessionOutcome::Sat(people) = session.solve(&[], &SolverLimits::default())? else { panic!("there are such people") };
    /// assert!(people.holds(&logic, formula));
    ///
    /// // Who it is, and whom each one knows, has been found with the rest.
    /// let shown = |name: &str| {
    ///     let skolem = witnesses.iter().find(|w| logic.relation_name(w.relation) == name);
    ///     skolem.and_then(|w| people.tuples(w.relation)).expect("a relation for each variable")
    /// };
    /// assert_eq!(shown("$star").len(), 1);
    /// for pair in shown("$other").iter() {
    ///     assert!(pair[0] != pair[1] && people.contains(knows, pair));
    /// }
    /// assert_eq!(shown("$other").len(), 3);
    /// # Ok::<(), margay_solver::SolverFailure>(())
    /// ```
    ///
    /// # Panics
    /// If the formula has free variables, or a relation in it has another arity than its bounds.
    #[track_caller]
    pub fn skolemize(
        &mut self,
        formula: Formula,
        depth: usize,
        bounds: &mut Bounds,
    ) -> (Formula, Vec<Skolem>) {
        assert!(
            self.is_closed(formula),
            "a formula uses a variable or recursion outside of what binds it"
        );
        let mut walk = SkolemWalk {
            logic: self,
            bounds,
            depth,
            universals: Vec::new(),
            given: Vec::new(),
            known: FxHashMap::default(),
            skolems: Vec::new(),
            besides: Vec::new(),
        };
        let made = walk.formula(formula, SkolemPosition { positive: true, certain: true });
        let (skolems, mut all) = (walk.skolems, walk.besides);
        if skolems.is_empty() {
            return (formula, skolems);
        }
        all.push(made);
        (self.and(all), skolems)
    }
}

/// How an occurrence bears on the whole formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct SkolemPosition {
    /// Must it hold, or must it not?
    positive: bool,
    /// Must it in any case (for all values of the universal variables around it)? Not so below a
    /// disjunction.
    certain: bool,
}

/// The way through a formula.
struct SkolemWalk<'a> {
    logic: &'a mut Logic,
    bounds: &'a mut Bounds,
    /// The most parameters of a witness.
    depth: usize,
    /// The universal variables around, each once.
    universals: Vec<(QuantifiedVariable, Expr)>,
    /// The witnesses around that there may or may not be: they must be there for what is further in
    /// to have witnesses.
    given: Vec<Formula>,
    /// What was made below the same variables and witnesses.
    known: FxHashMap<(Formula, SkolemPosition), Formula>,
    skolems: Vec<Skolem>,
    /// What the relations made so far must satisfy besides what stands in the place of their
    /// quantifiers.
    besides: Vec<Formula>,
}

impl SkolemWalk<'_> {
    /// What to assert in the place of a formula, or of its negation.
    fn formula(&mut self, formula: Formula, at: SkolemPosition) -> Formula {
        use FormulaNode as N;
        if let Some(&known) = self.known.get(&(formula, at)) {
            return known;
        }
        let made = match (self.logic.formula(formula).clone(), at.positive) {
            (N::Not(f), positive) => self.formula(f, SkolemPosition { positive: !positive, ..at }),
            (N::And(list), true) | (N::Or(list), false) => {
                let all: Vec<Formula> = list.into_iter().map(|f| self.formula(f, at)).collect();
                self.logic.and(all)
            }
            (N::Or(list), true) | (N::And(list), false) => {
                let any: Vec<Formula> = list
                    .into_iter()
                    .map(|f| self.formula(f, SkolemPosition { certain: false, ..at }))
                    .collect();
                self.logic.or(any)
            }
            (N::ForAll(declarations, body), true) | (N::Exists(declarations, body), false)
                if self.universals.len() + declarations.len() <= self.depth =>
            {
                self.universal(&declarations, body, at)
            }
            (N::Exists(declarations, body), true) | (N::ForAll(declarations, body), false) => {
                self.existential(&declarations, body, at)
            }
            (_, true) => formula,
            (_, false) => self.logic.not(formula),
        };
        self.known.insert((formula, at), made);
        made
    }

    /// The same below other variables or witnesses.
    fn further_in(&mut self, body: Formula, at: SkolemPosition) -> Formula {
        let known = std::mem::take(&mut self.known);
        let made = self.formula(body, at);
        self.known = known;
        made
    }

    fn universal(
        &mut self,
        declarations: &[(QuantifiedVariable, Expr)],
        body: Formula,
        at: SkolemPosition,
    ) -> Formula {
        let outside = self.universals.len();
        // Witnesses may depend on a variable even where it is bound once more.
        let mut renamed = Replacements::new();
        for &(variable, domain) in declarations {
            let domain = self.logic.substitute_in_expr(domain, &renamed);
            let mut own = variable;
            if self.universals.iter().any(|&(v, _)| v == variable) {
                own = self.logic.renamed(variable);
                let value = self.logic.var(own);
                renamed.insert(variable, value);
            }
            self.universals.push((own, domain));
        }
        let body = self.logic.substitute(body, &renamed);
        let body = self.further_in(body, at);
        let declarations = self.universals.split_off(outside);
        self.logic.for_all(&declarations, body)
    }

    fn existential(
        &mut self,
        declarations: &[(QuantifiedVariable, Expr)],
        body: Formula,
        at: SkolemPosition,
    ) -> Formula {
        let mut witnesses = Vec::with_capacity(declarations.len());
        let mut replacements = Replacements::new();
        for &(variable, domain) in declarations {
            let domain = self.logic.substitute_in_expr(domain, &replacements);
            let witness = self.witness(variable, domain);
            witnesses.push(witness);
            replacements.insert(variable, witness);
        }
        let body = self.logic.substitute(body, &replacements);
        let mut holds: Vec<Formula> = witnesses.iter().map(|&w| self.logic.one(w)).collect();
        if at.certain {
            holds.push(self.formula(body, at));
            return self.logic.and(holds);
        }
        // In its place stands that there are witnesses; what they are is said where it holds in any
        // case, so that none is there in vain.
        holds.extend(&self.given);
        let outside = self.given.len();
        let some: Vec<Formula> = witnesses.iter().map(|&w| self.logic.some(w)).collect();
        self.given.extend(&some);
        holds.push(self.further_in(body, at));
        self.given.truncate(outside);
        let holds = self.logic.and(holds);
        let any = self.logic.or(some);
        let sound = self.logic.implies(any, holds);
        self.besides.push(self.logic.for_all(&self.universals, sound));
        any
    }

    /// The value of a new relation for the universal variables around: a set within the domain.
    fn witness(&mut self, variable: QuantifiedVariable, domain: Expr) -> Expr {
        let mut columns = self.universals.clone();
        columns.push((variable, domain));
        let possible = if let [(_, domain)] = columns[..] {
            domain
        } else {
            let truth = self.logic.truth(true);
            self.logic.comprehension(&columns, truth)
        };
        let upper = upper_bound(self.bounds, self.logic, possible);
        let name = self.name(variable);
        let relation = self.logic.relation(&name, columns.len());
        self.bounds.between(relation, TupleSet::new(columns.len()), upper);
        let all = self.logic.rel(relation);
        self.besides.push(self.logic.subset(all, possible));
        let parameters = self.universals.iter().map(|&(v, _)| v).collect();
        let skolem = Skolem { variable, parameters, relation };
        let witness = skolem.witness(self.logic);
        self.skolems.push(skolem);
        witness
    }

    fn name(&self, variable: QuantifiedVariable) -> String {
        let first = format!("${}", self.logic.variable_name(variable));
        let mut name = first.clone();
        let mut number = 1;
        while self.logic.is_relation_name(&name) {
            number += 1;
            name = format!("{first}{number}");
        }
        name
    }
}
