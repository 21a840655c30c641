//! What is wrong with a mapping, one cause after the other, the worst first. The smallest
//! counterexample may be the least important: mixed scopes over two GPUs can hide that all order on
//! one GPU is lost. So the question is asked of ordinary programs on few devices first, the rows
//! that are to blame are found, and in what they are too weak, in scope or in order. What is too
//! weak is made strong, and the question is asked again: a row whose scope is too narrow may have
//! lost its order as well.

use margay_models::diagnostic::Diagnostic;
use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation, Signature};

use crate::change::{CounterexamplePool, OutcomePermission, lacks};
use crate::check::{CheckOptions, CheckVerdict, Counterexample, Progress, check};
use crate::language::{Lowering, LoweringStep, Mapping, StepScope};
use crate::naming::{self, NamedOperation};

/// The programs that are asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CausePrograms {
    /// What they have in common.
    pub name: &'static str,
    /// The scopes of their operations; `None` for all.
    scopes: Option<Vec<Scope>>,
    /// What all their threads share.
    together: Option<Scope>,
}

/// The names of the settings, the most ordinary first: the order of severity. Those without scopes
/// are of languages without scopes.
const SETTINGS: [&str; 9] = [
    "one scope (device), one GPU",
    "one scope (block), one block",
    "one scope (system), one GPU",
    "without scopes, one GPU",
    "one scope (system), any GPUs",
    "without scopes, any GPUs",
    "without scopes",
    "mixed scopes, one GPU",
    "mixed scopes, several GPUs",
];

/// The place of a setting in the order of severity, from 0: the worst. One that is not known is the
/// last.
pub fn severity(setting: &str) -> usize {
    SETTINGS.iter().position(|name| *name == setting).unwrap_or(SETTINGS.len())
}

/// The settings that a mapping has.
fn settings(mapping: &Mapping) -> Vec<CausePrograms> {
    let [device, block, system_one, plain_one, system, plain, without, one, several] = SETTINGS;
    let of = |name, scopes: Option<&[Scope]>, together| CausePrograms {
        name,
        scopes: scopes.map(<[Scope]>::to_vec),
        together,
    };
    if !mapping.source.is_scoped() {
        return match mapping.target.is_scoped() && mapping.target.scopes().contains(&Scope::Gpu) {
            true => vec![of(plain_one, None, Some(Scope::Gpu)), of(plain, None, None)],
            false => vec![of(without, None, None)],
        };
    }
    let scopes = mapping.scopes();
    let ordinary = [
        of(device, Some(&[Scope::Gpu]), Some(Scope::Gpu)),
        of(block, Some(&[Scope::Cta]), Some(Scope::Cta)),
        of(system_one, Some(&[Scope::Sys]), Some(Scope::Gpu)),
        of(system, Some(&[Scope::Sys]), None),
    ];
    let mixed = [of(one, None, Some(Scope::Gpu)), of(several, None, None)];
    let has = |s: &CausePrograms| {
        s.scopes.as_ref().is_none_or(|of| of.iter().all(|s| scopes.contains(s)))
    };
    // Where there is one scope none are mixed.
    ordinary.into_iter().chain(mixed.into_iter().filter(|_| scopes.len() > 1)).filter(has).collect()
}

/// In what a row is too weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weakness {
    /// Its scope is too narrow; the order would do.
    Scope,
    /// Its order is too weak; the scope would do, where it has one.
    Order,
    /// Neither alone would do.
    Both,
}

impl Weakness {
    /// What mends it, as a part of a sentence.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Scope => "a wider scope",
            Self::Order => "a stronger order",
            Self::Both => "a wider scope with a stronger order",
        }
    }
}

/// Something that is wrong.
#[derive(Debug, Clone)]
pub struct CounterexampleCause {
    /// The most ordinary programs that show it.
    pub setting: &'static str,
    /// The rows that are to blame: left-hand side, for one of the types and operations that it is
    /// for, and right-hand side. Making any one of a counterexample's blamed rows stronger mends
    /// it; where no single row does, all that it uses are here.
    pub rows: Vec<(String, String)>,
    /// Does a single row suffice to mend it?
    pub single: bool,
    /// In what the rows are too weak.
    pub weakness: Weakness,
    /// The smallest counterexample.
    pub counterexample: Counterexample,
}

/// All causes up to a bound.
#[derive(Debug, Clone, Default)]
pub struct Causes {
    /// The worst first.
    pub causes: Vec<CounterexampleCause>,
    /// Each setting, and the bound up to which nothing more is wrong; or why that is not known.
    pub settings: Vec<(&'static str, Result<usize, String>)>,
}

/// At most so many rows are made strong in one setting.
const MOST: usize = 64;

/// Finds the causes. `options` are those of [`check`].
///
/// # Errors
/// As [`check`].
pub fn causes(
    mapping: &Mapping,
    options: &CheckOptions,
    progress: &dyn Progress,
) -> Result<Causes, Vec<Diagnostic>> {
    let mut left = mapping.clone();
    // Which lowering of the mapping stands at each place of a row: those that nothing makes
    // stronger are taken away.
    let mut places: Vec<Vec<usize>> =
        mapping.rows.iter().map(|row| (0..row.alternatives.len()).collect()).collect();
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
                CheckVerdict::None => {
                    end = Ok(report.established);
                    break;
                }
                CheckVerdict::Undecided(why) => {
                    end = Err(why);
                    break;
                }
                CheckVerdict::Counterexample => {}
            }
            let Some(c) = report.counterexamples.into_iter().min_by_key(|c| c.events) else {
                break;
            };
            let Some(named) = naming::name(&asked, &c.source, &c.target, &c.origin) else {
                end = Err("the rows of a counterexample cannot be told".to_owned());
                break;
            };
            let Blame { operations, single, weakness } = Blame::new(&asked, &c, &named.operations);
            // As the mapping has it: what was made strong in one way may be weak in another.
            let text = |o: &&NamedOperation| {
                let row = &mapping.rows[o.row];
                (
                    o.text(&asked),
                    row.lowering_text(
                        mapping.target.signature,
                        &row.alternatives[places[o.row][o.alternative]],
                    ),
                )
            };
            let rows: Vec<(String, String)> = operations.iter().map(text).collect();
            // What is made strong: a row that was to blame before, so that one which is wrong in
            // itself does not come again with each of the rows that show it.
            let before = |o: &&&NamedOperation| {
                let mut known = out
                    .causes
                    .iter()
                    .filter(|c: &&CounterexampleCause| c.setting == setting.name && c.single);
                single && known.any(|c| c.weakness == weakness && c.rows.contains(&text(o)))
            };
            let Some(weak) = operations.iter().find(before).or(operations.first()) else { break };
            let stronger = match single {
                true => strengthen(&mut left, weak, weakness),
                false => operations.iter().any(|o| strengthen(&mut left, o, Weakness::Both)),
            };
            if !stronger {
                left.rows[weak.row].alternatives.remove(weak.alternative);
                places[weak.row].remove(weak.alternative);
            }
            join(
                &mut out.causes,
                CounterexampleCause {
                    setting: setting.name,
                    rows,
                    single,
                    weakness,
                    counterexample: c,
                },
            );
        }
        out.settings.push((setting.name, end));
    }
    // Of single executions not each is a compiler bug: those that are come first, each kind in the
    // order of the questions.
    out.causes.sort_by_key(|c| c.counterexample.status);
    Ok(out)
}

/// A cause that is like one that is known joins it: the same programs, the same weakness, and the
/// same instructions (but for the width of an access, and for fences before it if the programs are
/// alike) or the same operation.
fn join(causes: &mut Vec<CounterexampleCause>, new: CounterexampleCause) {
    let instructions = |body: &str| -> String {
        let widths = [".b8", ".b16", ".b32", ".b64", ".b128"];
        body.split(" ; ")
            .map(|step| widths.iter().fold(step, |s, w| s.trim_end_matches(w)))
            .collect::<Vec<_>>()
            .join(" ; ")
    };
    // Without the types and the operation of a read-modify-write, and of a compare-exchange without
    // the other order.
    let operation = |head: &str| {
        let head = head.split(' ').next().unwrap_or(head);
        head.split_once('/').map_or(head.to_owned(), |(one, other)| {
            match one.strip_prefix("CAS_FAIL.") {
                Some(_) => format!("CAS_FAIL.{other}"),
                None => one.to_owned(),
            }
        })
    };
    // From the access on: an acquire that is lost is lost whatever fence stands before the access.
    let from_access = |body: &str| -> Vec<String> {
        instructions(body)
            .split(" ; ")
            .skip_while(|step| step.starts_with("fence"))
            .map(str::to_owned)
            .collect()
    };
    let alike = |c: &CounterexampleCause, a: &(String, String), b: &(String, String)| {
        let of_program =
            |c: &CounterexampleCause| (c.counterexample.events, c.counterexample.axiom.clone());
        let access = from_access(&a.1);
        instructions(&a.1) == instructions(&b.1)
            || operation(&a.0) == operation(&b.0)
            || access.len() > 1 && access == from_access(&b.1) && of_program(c) == of_program(&new)
    };
    let same = |c: &&mut CounterexampleCause| {
        c.setting == new.setting
            && c.single
            && new.single
            && c.weakness == new.weakness
            && new.rows.iter().any(|row| c.rows.iter().any(|known| alike(c, known, row)))
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

/// What is to blame for a counterexample.
struct Blame<'a> {
    /// The operations whose row mends the program if it is made strong, those alone that have less
    /// than their operation asks for if there are such; if none mends it, all that have an order.
    operations: Vec<&'a NamedOperation>,
    /// Does one of them suffice?
    single: bool,
    /// In what they are too weak. Of several answers the one that asks for least.
    weakness: Weakness,
}

impl<'a> Blame<'a> {
    fn new(mapping: &Mapping, c: &Counterexample, operations: &'a [NamedOperation]) -> Self {
        let ordered: Vec<&NamedOperation> = operations
            .iter()
            .filter(|o| mapping.rows[o.row].construct.order != Order::Plain)
            .collect();
        // Only the lowerings that the counterexample uses.
        let mut pinned = mapping.clone();
        for (i, row) in pinned.rows.iter_mut().enumerate() {
            let used: Vec<usize> =
                operations.iter().filter(|o| o.row == i).map(|o| o.alternative).collect();
            if !used.is_empty() {
                let mut k = 0;
                row.alternatives.retain(|_| {
                    k += 1;
                    used.contains(&(k - 1))
                });
            }
        }
        for weakness in [Weakness::Scope, Weakness::Order, Weakness::Both] {
            let mut mending: Vec<&NamedOperation> = Vec::new();
            for &operation in &ordered {
                if mending
                    .iter()
                    .any(|m| (m.row, m.alternative) == (operation.row, operation.alternative))
                {
                    continue;
                }
                let lowering = operation.lowering(mapping);
                let strongest = strongest(lowering, mapping.target.signature, weakness);
                if strongest == *lowering {
                    continue;
                }
                let mut strong = pinned.clone();
                for one in strong.rows[operation.row]
                    .alternatives
                    .iter_mut()
                    .filter(|one| *one == lowering)
                {
                    *one = strongest.clone();
                }
                let mut pool = CounterexamplePool::new(&strong);
                let Some(index) = pool.add(&strong, c.clone()) else { continue };
                if pool.standing(&strong, index) == OutcomePermission::Mended {
                    mending.push(operation);
                }
            }
            // A stronger row elsewhere may mend the program as well: that is no reason to name it
            // beside one that has less than it should.
            let lacking =
                |o: &&&NamedOperation| lacks(mapping, &mapping.rows[o.row], o.lowering(mapping));
            if mending.iter().any(|o| lacking(&o)) {
                mending.retain(|o| lacking(&o));
            }
            if !mending.is_empty() {
                return Self { operations: mending, single: true, weakness };
            }
        }
        Self { operations: ordered, single: false, weakness: Weakness::Both }
    }
}

/// Makes a lowering strong in what it is too weak, and with it those of its row that emit the same
/// for other types. Says whether anything changed.
fn strengthen(mapping: &mut Mapping, weak: &NamedOperation, weakness: Weakness) -> bool {
    let target = mapping.target.signature;
    let row = &mut mapping.rows[weak.row];
    let construct = row.construct;
    let before = row.alternatives[weak.alternative].clone();
    let mut changed = false;
    for one in &mut row.alternatives {
        if (one.form, &one.steps, one.dependencies)
            == (before.form, &before.steps, before.dependencies)
        {
            let strong = match sufficient(one, construct, target, weakness) {
                Some(strong) if strong != *one => strong,
                _ => strongest(one, target, weakness),
            };
            changed |= strong != *one;
            *one = strong;
        }
    }
    changed
}

/// As strong as the published mapping (2019 paper, Fig. 11) has it, with the scope as it is or with
/// the widest: what this needs is less than what [`strongest`] needs, so that the next question is
/// easier. `None` where it is not known.
fn sufficient(
    lowering: &Lowering,
    construct: Construct,
    target: Signature,
    weakness: Weakness,
) -> Option<Lowering> {
    if target.tabular().is_some() || weakness == Weakness::Scope || lowering.is_of_mbarrier() {
        return None;
    }
    let scope =
        if weakness == Weakness::Both { StepScope::Named(Scope::Sys) } else { scope_of(lowering) };
    let is_sc = construct.order == Order::Sc;
    let fence = LoweringStep {
        operation: Operation::Fence,
        order: Order::Sc,
        scope,
        volatile: false,
        failed: false,
        unused: false,
        mbarrier: false,
    };
    let access = lowering.access().map(|i| lowering.steps[i]);
    let steps = match access {
        None => vec![LoweringStep { order: construct.order, ..fence }],
        Some(access) => {
            let acquires = [Order::Acq, Order::AcqRel, Order::Sc].contains(&construct.order);
            let releases = [Order::Rel, Order::AcqRel, Order::Sc].contains(&construct.order);
            let order = match (access.operation, acquires, releases) {
                (Operation::Read, true, _) => Order::Acq,
                (Operation::Write, _, true) => Order::Rel,
                // A load by a read-modify-write, and a compare-exchange that fails.
                (Operation::Rmw, true, _) if construct.operation == Operation::Read => Order::Acq,
                (Operation::Rmw, true, true) => Order::AcqRel,
                (Operation::Rmw, true, false) => Order::Acq,
                (Operation::Rmw, false, true) => Order::Rel,
                _ => Order::Rlx,
            };
            let access = LoweringStep { order, scope, volatile: false, ..access };
            if is_sc { vec![fence, access] } else { vec![access] }
        }
    };
    Some(Lowering { steps, ..lowering.clone() })
}

/// The scope that a lowering has: the narrowest of its instructions, and the widest where none has
/// one.
fn scope_of(lowering: &Lowering) -> StepScope {
    let scopes =
        lowering.steps.iter().map(|step| step.scope).filter(|scope| *scope != StepScope::None);
    let rank = |scope: &StepScope| match scope {
        StepScope::Named(scope) => (0, *scope),
        StepScope::Same | StepScope::None => (1, Scope::Sys),
    };
    scopes.min_by_key(rank).unwrap_or(StepScope::Named(Scope::Sys))
}

/// A lowering that leaves nothing to wish for in what it is too weak: a fence on each side and the
/// strongest order, or the widest scope, or both.
fn strongest(lowering: &Lowering, target: Signature, weakness: Weakness) -> Lowering {
    let widest = StepScope::Named(Scope::Sys);
    let fence = LoweringStep {
        operation: Operation::Fence,
        order: Order::Sc,
        scope: widest,
        volatile: false,
        failed: false,
        unused: false,
        mbarrier: false,
    };
    if weakness == Weakness::Scope {
        let wide = |step: &LoweringStep| match step.scope {
            StepScope::Named(_) if step.mbarrier => {
                LoweringStep { scope: StepScope::Named(Scope::Cluster), ..*step }
            }
            StepScope::Named(_) => LoweringStep { scope: widest, ..*step },
            StepScope::None | StepScope::Same => *step,
        };
        return Lowering { steps: lowering.steps.iter().map(wide).collect(), ..lowering.clone() };
    }
    if lowering.is_of_mbarrier() {
        let strong = |step: &LoweringStep| {
            let order = if step.operation == Operation::Rmw { Order::Rel } else { Order::Acq };
            LoweringStep { order, scope: StepScope::Named(Scope::Cluster), ..*step }
        };
        return Lowering { steps: lowering.steps.iter().map(strong).collect(), ..lowering.clone() };
    }
    if let Some(architecture) = target.tabular() {
        // With the strongest of its fences on each side nothing more is to be had of an access.
        let fences =
            architecture.constructs().into_iter().filter(|c| c.operation == Operation::Fence);
        let Some(strongest) = fences.max_by_key(|c| c.order.rank()) else {
            return lowering.clone();
        };
        let widest = |step: LoweringStep| {
            let construct = Construct { operation: step.operation, order: step.order };
            LoweringStep {
                scope: if construct.has_scope(target) { widest } else { StepScope::None },
                ..step
            }
        };
        let fence = widest(LoweringStep { order: strongest.order, ..fence });
        let access = lowering.access().map(|i| widest(lowering.steps[i]));
        let steps = access.map_or_else(|| vec![fence], |access| vec![fence, access, fence]);
        return Lowering {
            steps,
            dependencies: lowering.dependencies.moved(|_| 0),
            ..lowering.clone()
        };
    }
    let scope = if weakness == Weakness::Both { widest } else { scope_of(lowering) };
    let fence = LoweringStep { scope, ..fence };
    let steps = match lowering.access().map(|i| lowering.steps[i]) {
        None => vec![fence],
        Some(access) => {
            let order = match access.operation {
                Operation::Read => Order::Acq,
                Operation::Write => Order::Rel,
                Operation::Rmw | Operation::Fence => Order::AcqRel,
            };
            vec![fence, LoweringStep { order, scope, volatile: false, ..access }, fence]
        }
    };
    Lowering { steps, ..lowering.clone() }
}
