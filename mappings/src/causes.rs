//! What is wrong with a mapping, one cause after the other, the worst first. The smallest counterexample may be the least important:
//! mixed scopes over two GPUs can hide that all order on one GPU is lost. So the question is asked of ordinary programs first, the row that
//! is to blame is found and left out, and the question is asked again.

use margay_models::diagnostic::Diagnostic;
use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation, Signature};

use crate::change::{Pool, Standing};
use crate::check::{CheckOptions, Counterexample, Progress, Verdict, check};
use crate::language::{Lowering, Mapping, Step, StepScope};
use crate::naming::{self, NamedOperation};

/// The programs that are asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// What they have in common.
    pub name: &'static str,
    /// The scopes of their operations; `None` for all.
    scopes: Option<Vec<Scope>>,
    /// What all their threads share.
    together: Option<Scope>,
}

/// The names of the settings with scopes, the most ordinary first: the order of severity.
const SETTINGS: [&str; 5] = [
    "one scope (device), one GPU",
    "one scope (block), one block",
    "one scope (system), any GPUs",
    "mixed scopes, one GPU",
    "mixed scopes, several GPUs",
];

/// The place of a setting in the order of severity, from 0: the worst. One that is not known is the last.
pub fn severity(setting: &str) -> usize {
    SETTINGS.iter().position(|name| *name == setting).unwrap_or(SETTINGS.len())
}

/// The settings that a mapping has.
fn settings(mapping: &Mapping) -> Vec<Setting> {
    if !mapping.source.is_scoped() {
        return vec![Setting { name: "without scopes", scopes: None, together: None }];
    }
    let [device, block, system, one, several] = SETTINGS;
    let all = [
        Setting { name: device, scopes: Some(vec![Scope::Gpu]), together: Some(Scope::Gpu) },
        Setting { name: block, scopes: Some(vec![Scope::Cta]), together: Some(Scope::Cta) },
        Setting { name: system, scopes: Some(vec![Scope::Sys]), together: None },
        Setting { name: one, scopes: None, together: Some(Scope::Gpu) },
        Setting { name: several, scopes: None, together: None },
    ];
    let has = |s: &Setting| s.scopes.as_ref().is_none_or(|of| of.iter().all(|s| mapping.scopes().contains(s)));
    all.into_iter().filter(has).collect()
}

/// Something that is wrong.
#[derive(Debug, Clone)]
pub struct Cause {
    /// The most ordinary programs that show it.
    pub setting: &'static str,
    /// The rows that are to blame: left-hand side, right-hand side. Changing any one of a counterexample's blamed rows mends it; where no
    /// single row does, all that it uses are here.
    pub rows: Vec<(String, String)>,
    /// Does a single row suffice to mend it?
    pub single: bool,
    /// The smallest counterexample.
    pub counterexample: Counterexample,
}

/// All causes up to a bound.
#[derive(Debug, Clone, Default)]
pub struct Causes {
    /// The worst first.
    pub causes: Vec<Cause>,
    /// Each setting, and the bound up to which nothing more is wrong; or why that is not known.
    pub settings: Vec<(&'static str, Result<usize, String>)>,
}

/// At most so many rows are left out in one setting.
const MOST: usize = 32;

/// Finds the causes. `options` are those of [`check`].
///
/// # Errors
/// As [`check`].
pub fn causes(mapping: &Mapping, options: &CheckOptions, progress: &dyn Progress) -> Result<Causes, Vec<Diagnostic>> {
    let mut left = mapping.clone();
    let mut out = Causes::default();
    for setting in settings(mapping) {
        let mut end = Err(format!("more than {MOST} rows are wrong"));
        for _ in 0..MOST {
            let mut asked = left.clone();
            if let Some(scopes) = &setting.scopes {
                asked.about.scopes = Some(scopes.clone());
            }
            asked.about.together = setting.together;
            let report = check(&asked, options, progress)?;
            match report.verdict {
                Verdict::None => {
                    end = Ok(report.established);
                    break;
                }
                Verdict::Undecided(why) => {
                    end = Err(why);
                    break;
                }
                Verdict::Counterexample => {}
            }
            let Some(c) = report.counterexamples.into_iter().min_by_key(|c| c.events) else { break };
            let Some(named) = naming::name(&asked, &c.source, &c.target, &c.origin) else {
                end = Err("the rows of a counterexample cannot be told".to_owned());
                break;
            };
            let (blamed, single) = blame(&asked, &c, &named.operations);
            let text = |o: &&NamedOperation| {
                (o.text(&asked), asked.rows[o.row].lowering_text(asked.target.signature, o.lowering(&asked)))
            };
            let rows: Vec<(String, String)> = blamed.iter().map(text).collect();
            // The next question is about programs without a row that is to blame: one that was before, so that a row that is wrong in
            // itself does not come again with each of the rows that show it.
            let before = |o: &&&NamedOperation| {
                let mut known = out.causes.iter().filter(|c: &&Cause| c.setting == setting.name && c.single);
                single && known.any(|c| c.rows.contains(&text(o)))
            };
            let Some(gone) = blamed.iter().find(before).or(blamed.first()) else { break };
            left.rows[gone.row].alternatives.remove(gone.alternative);
            join(&mut out.causes, Cause { setting: setting.name, rows, single, counterexample: c });
        }
        out.settings.push((setting.name, end));
    }
    // Of single executions not each is a compiler bug: those that are come first, each kind in the order of the questions.
    out.causes.sort_by_key(|c| c.counterexample.status);
    Ok(out)
}

/// A cause that is like one that is known joins it: the same programs, the same axiom, and the same instructions or the same row.
fn join(causes: &mut Vec<Cause>, new: Cause) {
    let same = |c: &&mut Cause| {
        c.setting == new.setting
            && c.single
            && new.single
            && c.counterexample.axiom == new.counterexample.axiom
            && (c.rows.last().map(|r| &r.1) == new.rows.first().map(|r| &r.1) || new.rows.iter().any(|r| c.rows.contains(r)))
    };
    match causes.iter_mut().find(same) {
        Some(known) => {
            for row in new.rows {
                if !known.rows.contains(&row) {
                    known.rows.push(row);
                }
            }
        }
        None => causes.push(new),
    }
}

/// The operations whose rows are to blame: those that mend the program if their row is as strong as can be. If none does, all.
fn blame<'a>(mapping: &Mapping, c: &Counterexample, operations: &'a [NamedOperation]) -> (Vec<&'a NamedOperation>, bool) {
    let ordered: Vec<&NamedOperation> =
        operations.iter().filter(|o| mapping.rows[o.row].construct.order != Order::Plain).collect();
    // Only the lowerings that the counterexample uses.
    let mut pinned = mapping.clone();
    for (i, row) in pinned.rows.iter_mut().enumerate() {
        let used: Vec<usize> = operations.iter().filter(|o| o.row == i).map(|o| o.alternative).collect();
        if !used.is_empty() {
            let mut k = 0;
            row.alternatives.retain(|_| {
                k += 1;
                used.contains(&(k - 1))
            });
        }
    }
    let mut mending = Vec::new();
    for &operation in &ordered {
        let lowering = operation.lowering(mapping);
        let mut strong = pinned.clone();
        for one in &mut strong.rows[operation.row].alternatives {
            if one == lowering {
                *one = strongest(one, mapping.target.signature);
            }
        }
        let mut pool = Pool::new(&strong);
        let Some(index) = pool.add(&strong, c.clone()) else { continue };
        if pool.standing(&strong, index) == Standing::Mended
            && !mending.iter().any(|m: &&NamedOperation| (m.row, m.alternative) == (operation.row, operation.alternative))
        {
            mending.push(operation);
        }
    }
    if mending.is_empty() { (ordered, false) } else { (mending, true) }
}

/// A lowering that leaves nothing to wish for: a fence on each side, the strongest order, the widest scope.
fn strongest(lowering: &Lowering, target: Signature) -> Lowering {
    let scope = StepScope::Named(Scope::Sys);
    let fence = Step { operation: Operation::Fence, order: Order::Sc, scope, volatile: false, failed: false, unused: false };
    if let Some(architecture) = target.tabular() {
        // With the strongest of its fences on each side nothing more is to be had of an access.
        let fences = architecture.constructs().into_iter().filter(|c| c.operation == Operation::Fence);
        let Some(strongest) = fences.max_by_key(|c| c.order.rank()) else { return lowering.clone() };
        let widest = |step: Step| {
            let construct = Construct { operation: step.operation, order: step.order };
            Step { scope: if construct.has_scope(target) { scope } else { StepScope::None }, ..step }
        };
        let fence = widest(Step { order: strongest.order, ..fence });
        let access = lowering.access().map(|i| widest(lowering.steps[i]));
        let steps = access.map_or_else(|| vec![fence], |access| vec![fence, access, fence]);
        return Lowering { steps, dependencies: lowering.dependencies.moved(|_| 0), ..lowering.clone() };
    }
    let steps = match lowering.access().map(|i| lowering.steps[i]) {
        None => vec![fence],
        Some(access) => {
            let order = match access.operation {
                Operation::Read => Order::Acq,
                Operation::Write => Order::Rel,
                Operation::Rmw | Operation::Fence => Order::AcqRel,
            };
            vec![fence, Step { order, scope: StepScope::Named(Scope::Sys), volatile: false, ..access }, fence]
        }
    };
    Lowering { steps, ..lowering.clone() }
}
