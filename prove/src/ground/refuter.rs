//! Refutes ground clauses that have no assignment, and keeps every step: conflict-driven clause learning, each learned clause with those
//! that it follows from by unit propagation. The problems are small (hundreds of clauses, already found to be unsatisfiable by a SAT
//! solver); what counts is that the steps are few and in hand, whatever solver the program was built with.

/// A clause that follows from others by unit propagation along them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its literals.
    pub clause: Vec<i32>,
    /// The clauses that it follows from, in the order of propagation: numbers of given clauses, and behind them of steps.
    pub hints: Vec<usize>,
}

/// Clauses of which one is empty, derived from given ones; `None` if there is an assignment, or after too many conflicts.
pub fn refute(variables: usize, given: &[Vec<i32>], conflicts: usize) -> Option<Vec<Step>> {
    Search::new(variables, given)?.run(conflicts)
}

/// Where a clause is in [`Search::clauses`].
type Index = usize;

struct Search {
    clauses: Vec<Vec<i32>>,
    given: usize,
    steps: Vec<Step>,
    /// The clauses that watch a literal, by its code.
    watches: Vec<Vec<Index>>,
    /// For each variable: 0, or the sign of its value.
    values: Vec<i8>,
    level: Vec<usize>,
    reason: Vec<Option<Index>>,
    trail: Vec<i32>,
    /// The length of the trail before each decision.
    limits: Vec<usize>,
    propagated: usize,
    activity: Vec<f64>,
    bump: f64,
}

fn code(lit: i32) -> usize {
    2 * lit.unsigned_abs() as usize + usize::from(lit < 0)
}

impl Search {
    fn new(variables: usize, given: &[Vec<i32>]) -> Option<Self> {
        let mut new = Self {
            clauses: Vec::new(),
            given: given.len(),
            steps: Vec::new(),
            watches: vec![Vec::new(); 2 * variables + 2],
            values: vec![0; variables + 1],
            level: vec![0; variables + 1],
            reason: vec![None; variables + 1],
            trail: Vec::new(),
            limits: Vec::new(),
            propagated: 0,
            activity: vec![0.0; variables + 1],
            bump: 1.0,
        };
        for clause in given {
            new.watch(clause.clone());
        }
        Some(new)
    }

    fn watch(&mut self, clause: Vec<i32>) -> Index {
        let index = self.clauses.len();
        for &lit in clause.iter().take(2) {
            self.watches[code(lit)].push(index);
        }
        self.clauses.push(clause);
        index
    }

    fn value(&self, lit: i32) -> i8 {
        let value = self.values[lit.unsigned_abs() as usize];
        if lit > 0 { value } else { -value }
    }

    fn assign(&mut self, lit: i32, reason: Option<Index>) {
        let variable = lit.unsigned_abs() as usize;
        self.values[variable] = if lit > 0 { 1 } else { -1 };
        self.level[variable] = self.limits.len();
        self.reason[variable] = reason;
        self.trail.push(lit);
    }

    fn run(mut self, conflicts: usize) -> Option<Vec<Step>> {
        for index in 0..self.given {
            match self.clauses[index].as_slice() {
                [] => return Some(vec![Step { clause: Vec::new(), hints: vec![index] }]),
                [lit] => {
                    let lit = *lit;
                    match self.value(lit) {
                        0 => self.assign(lit, Some(index)),
                        1 => {}
                        _ => return Some(self.finish(index)),
                    }
                }
                _ => {}
            }
        }
        for _ in 0..conflicts {
            while let Some(conflict) = self.propagate() {
                if self.limits.is_empty() {
                    return Some(self.finish(conflict));
                }
                self.learn(conflict);
            }
            let decision = self.decide()?;
            self.limits.push(self.trail.len());
            self.assign(decision, None);
        }
        None
    }

    /// A literal to try: one of an open clause whose variable was in conflicts lately.
    fn decide(&self) -> Option<i32> {
        let open = (1..self.values.len()).filter(|&v| self.values[v] == 0);
        let best = open.max_by(|&a, &b| self.activity[a].total_cmp(&self.activity[b]).then(b.cmp(&a)))?;
        Some(-(best as i32))
    }

    /// Unit propagation; a clause all of whose literals are false, if there is one.
    fn propagate(&mut self) -> Option<Index> {
        while let Some(&lit) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let mut watching = std::mem::take(&mut self.watches[code(-lit)]);
            let mut kept = 0;
            let mut conflict = None;
            let mut at = 0;
            while at < watching.len() {
                let index = watching[at];
                at += 1;
                let clause = &mut self.clauses[index];
                if clause[0] == -lit && clause.len() > 1 {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                let value_of = |values: &[i8], l: i32| {
                    let v = values[l.unsigned_abs() as usize];
                    if l > 0 { v } else { -v }
                };
                let other = (2..clause.len()).find(|&k| value_of(&self.values, clause[k]) != -1);
                if value_of(&self.values, first) == 1 {
                    watching[kept] = index;
                    kept += 1;
                } else if let Some(k) = other {
                    clause.swap(1, k);
                    let new = clause[1];
                    self.watches[code(new)].push(index);
                } else {
                    watching[kept] = index;
                    kept += 1;
                    if value_of(&self.values, first) == -1 {
                        conflict = Some(index);
                        break;
                    }
                    self.assign(first, Some(index));
                }
            }
            let rest = watching.split_off(at);
            watching.truncate(kept);
            watching.extend(rest);
            self.watches[code(-lit)] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Learns from a conflict, and goes back.
    fn learn(&mut self, conflict: Index) {
        let current = self.limits.len();
        let mut seen = vec![false; self.values.len()];
        let (mut clause, mut used) = (Vec::new(), vec![conflict]);
        let (mut open, mut at, mut index) = (0, self.trail.len(), conflict);
        let asserted = loop {
            for &lit in &self.clauses[index] {
                let variable = lit.unsigned_abs() as usize;
                if self.value(lit) != -1 || std::mem::replace(&mut seen[variable], true) {
                    continue;
                }
                self.activity[variable] += self.bump;
                if self.level[variable] == current {
                    open += 1;
                } else {
                    clause.push(lit);
                }
            }
            let lit = loop {
                at -= 1;
                let lit = self.trail[at];
                let variable = lit.unsigned_abs() as usize;
                if seen[variable] && self.level[variable] == current {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                break -lit;
            }
            index = self.reason[lit.unsigned_abs() as usize].expect("a literal before the decision was propagated");
            used.push(index);
        };
        self.bump *= 1.05;
        // What holds anyway is no part of the clause, but of why it follows.
        let (fixed, rest): (Vec<i32>, Vec<i32>) = clause.into_iter().partition(|l| self.level[l.unsigned_abs() as usize] == 0);
        let mut hints = self.fixed(&fixed, &mut vec![false; self.values.len()]);
        hints.extend(used.into_iter().rev());
        let mut clause = rest;
        clause.sort_unstable_by_key(|l| std::cmp::Reverse(self.level[l.unsigned_abs() as usize]));
        let back = clause.first().map_or(0, |l| self.level[l.unsigned_abs() as usize]);
        clause.insert(0, asserted);
        self.back(back);
        self.steps.push(Step { clause: clause.clone(), hints });
        let index = self.watch(clause);
        self.assign(asserted, Some(index));
    }

    /// Why literals are false at the bottom: the clauses, in the order of propagation.
    fn fixed(&self, literals: &[i32], seen: &mut [bool]) -> Vec<Index> {
        let mut needed = vec![false; self.trail.len()];
        let mut open: Vec<usize> = literals.iter().map(|l| l.unsigned_abs() as usize).collect();
        while let Some(variable) = open.pop() {
            if std::mem::replace(&mut seen[variable], true) {
                continue;
            }
            let at = self.trail.iter().position(|l| l.unsigned_abs() as usize == variable).expect("it has a value");
            needed[at] = true;
            let reason = self.reason[variable].expect("there are no decisions at the bottom");
            open.extend(self.clauses[reason].iter().map(|l| l.unsigned_abs() as usize).filter(|&v| v != variable));
        }
        let order = needed.iter().enumerate().filter(|(_, n)| **n);
        order.filter_map(|(at, _)| self.reason[self.trail[at].unsigned_abs() as usize]).collect()
    }

    fn back(&mut self, level: usize) {
        let length = self.limits[level];
        for lit in self.trail.split_off(length) {
            self.values[lit.unsigned_abs() as usize] = 0;
        }
        self.limits.truncate(level);
        self.propagated = length;
    }

    /// The steps to the empty clause, without those that it does not need.
    fn finish(mut self, conflict: Index) -> Vec<Step> {
        let literals = self.clauses[conflict].clone();
        let mut hints = self.fixed(&literals, &mut vec![false; self.values.len()]);
        hints.push(conflict);
        self.steps.push(Step { clause: Vec::new(), hints });
        let mut needed = vec![false; self.steps.len()];
        *needed.last_mut().expect("there is one") = true;
        for at in (0..self.steps.len()).rev() {
            if needed[at] {
                for &hint in &self.steps[at].hints {
                    if hint >= self.given {
                        needed[hint - self.given] = true;
                    }
                }
            }
        }
        let mut number = vec![0; self.steps.len()];
        let mut next = self.given;
        for (at, needed) in needed.iter().enumerate() {
            number[at] = next;
            next += usize::from(*needed);
        }
        let kept = self.steps.into_iter().zip(needed).filter(|(_, n)| *n).map(|(s, _)| s);
        kept.map(|s| Step {
            hints: s.hints.iter().map(|&h| if h >= self.given { number[h - self.given] } else { h }).collect(),
            ..s
        })
        .collect()
    }
}

/// Does each step follow from the clauses that it names, by unit propagation along them in this order, and is the last one empty?
///
/// # Errors
/// The number of a step, and what is wrong with it.
pub fn check(given: &[Vec<i32>], steps: &[Step]) -> Result<(), String> {
    for (at, step) in steps.iter().enumerate() {
        let mut true_literals: Vec<i32> = step.clause.iter().map(|l| -l).collect();
        let mut contradiction = false;
        for &hint in &step.hints {
            let clause = match hint.checked_sub(given.len()) {
                None => &given[hint],
                Some(earlier) if earlier < at => &steps[earlier].clause,
                Some(_) => return Err(format!("step {at} names a step that comes later")),
            };
            let mut open = clause.iter().filter(|l| !true_literals.contains(&-**l));
            match (open.next(), open.next()) {
                (None, _) => {
                    contradiction = true;
                    break;
                }
                (Some(&unit), None) => true_literals.push(unit),
                (Some(_), Some(_)) => return Err(format!("step {at} names a clause that is no unit")),
            }
        }
        if !contradiction {
            return Err(format!("step {at} does not follow from the clauses that it names"));
        }
    }
    match steps.last() {
        Some(last) if last.clause.is_empty() => Ok(()),
        _ => Err("the last step is not the empty clause".to_owned()),
    }
}
