//! Compiling: all points in one program; where that fails, those that the compiler names alone and
//! the others together; then groups; then each point alone. What a compiler does that is not
//! compiling is the answer of the points that it did it for.

mod command;
mod group;
mod hopeless;
mod shell;
mod split;
mod worker;

pub use command::{
    CompileCommand, CompileFailure, ProcessOutput, drivers, is_stopped, ran, stop, version,
};
pub use shell::program;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use crate::assembly;
use crate::front::{FrontEnd, FunctionBody, PointProgram, write};
use crate::point::Point;
use crate::ptx::{self, PtxModule};
use hopeless::{KnownFailures, Matter};
use split::{is_named, named, smaller};
use worker::WorkerPool;

/// What became of a point.
#[derive(Debug, Clone)]
pub enum PointCompilation {
    /// Its function is in this module (an index), under this name.
    Function(usize, String),
    /// It did not compile, or the compiler failed.
    Failed(CompileFailure),
}

/// What became of all points.
#[derive(Debug, Default)]
pub struct CompiledPoints {
    /// The PTX files that came out: text and functions.
    pub modules: Vec<(String, PtxModule)>,
    /// Point by point, in the order that they were given.
    pub points: Vec<(Point, PointCompilation)>,
    /// How often the compiler was started.
    pub runs: usize,
}

/// Told what goes on.
pub trait ExtractionProgress: Sync {
    /// So many points are answered of so many.
    fn answered(&self, done: usize, of: usize) {
        let _ = (done, of);
    }
}

/// Says nothing.
pub struct SilentExtraction;

impl ExtractionProgress for SilentExtraction {}

/// Points that are compiled in one program.
type PointGroup = Vec<(usize, Point)>;

/// All points are compiled in so many programs at first.
const PROGRAMS: usize = 2;

/// A compiler that did not end in time so often, or that wrote no PTX so often and never any, is
/// not asked to compile parts of what it did not compile.
const PATIENCE: usize = 12;

struct Work<'a> {
    front: &'a FrontEnd,
    command: &'a CompileCommand,
    folder: &'a Path,
    queue: Mutex<Queue>,
    ready: Condvar,
    runs: AtomicUsize,
    /// How often it did not end in time.
    late: AtomicUsize,
    /// How often it wrote no PTX, as long as it never wrote any.
    silent: AtomicUsize,
    /// It has written PTX.
    speaks: AtomicBool,
    /// What was asked in the place of many points.
    known: KnownFailures,
    of: usize,
    progress: &'a dyn ExtractionProgress,
    workers: WorkerPool,
}

/// What becomes of a group that does not compile.
#[derive(Default)]
struct Failed {
    answers: Vec<(usize, CompileFailure)>,
    groups: Vec<PointGroup>,
    /// The compiler cannot be started at all.
    lost: Option<CompileFailure>,
}

#[derive(Default)]
struct Queue {
    groups: VecDeque<PointGroup>,
    under_way: usize,
    modules: Vec<(String, PtxModule)>,
    answers: Vec<Option<PointCompilation>>,
    /// The compiler cannot be started at all.
    lost: Option<CompileFailure>,
}

/// Compiles a function for each point.
///
/// # Errors
/// A compiler that cannot be started; a folder that cannot be written to.
pub fn compile(
    front: &FrontEnd,
    command: &CompileCommand,
    points: &[Point],
    jobs: usize,
    progress: &dyn ExtractionProgress,
) -> Result<CompiledPoints, CompileFailure> {
    let folder = margay_models::durable::scratch().map_err(|e| {
        CompileFailure::NotStarted(format!("cannot make a folder for programs: {e}"))
    })?;
    command::drivers(folder.path())
        .map_err(|e| CompileFailure::NotStarted(format!("cannot write a helper program: {e}")))?;
    let all: PointGroup = points.iter().copied().enumerate().collect();
    let mut queue = Queue { answers: vec![None; points.len()], ..Queue::default() };
    // A fixed number of programs, each large: names of labels, and with them the hashes of
    // functions, do not depend on `jobs`.
    let share = points.len().div_ceil(PROGRAMS).max(1);
    queue.groups.extend(all.chunks(share).map(<[_]>::to_vec));
    let work = Work {
        front,
        command,
        folder: folder.path(),
        queue: Mutex::new(queue),
        ready: Condvar::new(),
        runs: AtomicUsize::new(0),
        late: AtomicUsize::new(0),
        silent: AtomicUsize::new(0),
        speaks: AtomicBool::new(false),
        known: KnownFailures::default(),
        of: points.len(),
        progress,
        workers: WorkerPool::default(),
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| work.run());
        }
    });
    let runs = work.runs.into_inner();
    let queue = work.queue.into_inner().unwrap_or_else(|e| e.into_inner());
    if let Some(lost) = queue.lost {
        return Err(lost);
    }
    // In an order that does not depend on who was done first: that of the first point of each
    // module.
    let mut order: Vec<usize> = Vec::new();
    for answer in &queue.answers {
        if let Some(PointCompilation::Function(module, _)) = answer
            && !order.contains(module)
        {
            order.push(*module);
        }
    }
    let mut modules: Vec<Option<(String, PtxModule)>> =
        queue.modules.into_iter().map(Some).collect();
    let place = |module: usize| order.iter().position(|&m| m == module).unwrap_or(0);
    let answers: Vec<(Point, PointCompilation)> = points
        .iter()
        .zip(queue.answers)
        .map(|(&point, answer)| {
            let answer = answer.unwrap_or(PointCompilation::Failed(CompileFailure::Stopped));
            (
                point,
                match answer {
                    PointCompilation::Function(module, name) => {
                        PointCompilation::Function(place(module), name)
                    }
                    failed => failed,
                },
            )
        })
        .collect();
    let modules = order.into_iter().filter_map(|m| modules[m].take()).collect();
    Ok(CompiledPoints { modules, points: answers, runs })
}

impl Work<'_> {
    /// Takes groups until there are none.
    fn run(&self) {
        loop {
            let group = {
                let mut queue = self.queue.lock().unwrap_or_else(|e| e.into_inner());
                loop {
                    if queue.lost.is_some() {
                        queue.groups.clear();
                    }
                    if let Some(group) = queue.groups.pop_front() {
                        queue.under_way += 1;
                        break group;
                    }
                    if queue.under_way == 0 {
                        self.ready.notify_all();
                        return;
                    }
                    queue = self.ready.wait(queue).unwrap_or_else(|e| e.into_inner());
                }
            };
            self.group(&group);
            let mut queue = self.queue.lock().unwrap_or_else(|e| e.into_inner());
            queue.under_way -= 1;
            let done = queue.answers.iter().flatten().count();
            self.ready.notify_all();
            drop(queue);
            self.progress.answered(done, self.of);
        }
    }

    /// Compiles a program of so many functions: the file that it was written to, and what came of
    /// it.
    fn compiled(
        &self,
        text: &str,
        functions: usize,
    ) -> (PathBuf, Result<(String, PtxModule), CompileFailure>) {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let input = self.folder.join(format!("program{number}{}", self.front.suffix));
        let output = self.folder.join(format!("program{number}.ptx"));
        let result = std::fs::write(&input, text)
            .map_err(|e| {
                CompileFailure::NotStarted(format!("cannot write `{}`: {e}", input.display()))
            })
            .and_then(|()| {
                self.command.run_group((&input, functions), &output, self.folder, &self.workers)
            })
            .and_then(|text| match self.command.assembly {
                Some(architecture) => assembly::module(&text, architecture)
                    .map(|module| (text, module))
                    .map_err(|wrong| {
                        CompileFailure::NoPtx(format!("what came out is no assembly: {wrong}"))
                    }),
                None => Self::ptx(text),
            });
        let _ = std::fs::remove_file(&output);
        match &result {
            Ok(_) => self.speaks.store(true, Ordering::Relaxed),
            Err(CompileFailure::TooLong(_)) => drop(self.late.fetch_add(1, Ordering::Relaxed)),
            Err(CompileFailure::NoPtx(_)) => drop(self.silent.fetch_add(1, Ordering::Relaxed)),
            Err(_) => {}
        }
        (input, result)
    }

    /// The functions of a PTX file.
    fn ptx(text: String) -> Result<(String, PtxModule), CompileFailure> {
        match ptx::read(&text) {
            Ok(module) => Ok((text, module)),
            Err(wrong) => Err(CompileFailure::NoPtx(format!("what came out is no PTX: {wrong}"))),
        }
    }

    /// Has it failed so often in this way that it is not asked about parts?
    fn is_given_up(&self, failure: &CompileFailure) -> bool {
        match failure {
            CompileFailure::TooLong(_) => self.late.load(Ordering::Relaxed) > PATIENCE,
            CompileFailure::NoPtx(_) => {
                self.silent.load(Ordering::Relaxed) > PATIENCE
                    && !self.speaks.load(Ordering::Relaxed)
            }
            _ => false,
        }
    }

    /// Compiles a group, and says what becomes of its points: answers, or smaller groups.
    fn group(&self, group: &PointGroup) {
        let program = write(self.front, group);
        let (input, result) = self.compiled(&program.text, group.len());
        let failed = match result {
            Ok((text, module)) => return self.read(group, &program, text, module),
            Err(failure) => self.failed(group, &program, &input, failure),
        };
        let mut queue = self.queue.lock().unwrap_or_else(|e| e.into_inner());
        for (number, failure) in failed.answers {
            queue.answers[number] = Some(PointCompilation::Failed(failure));
        }
        queue.groups.extend(failed.groups);
        queue.lost = failed.lost.or(queue.lost.take());
    }

    /// A group that compiled: each point has its function, or is asked about alone.
    fn read(&self, group: &PointGroup, program: &PointProgram, text: String, module: PtxModule) {
        let mut queue = self.queue.lock().unwrap_or_else(|e| e.into_inner());
        let index = queue.modules.len();
        for (&(number, point), (_, name, _)) in group.iter().zip(&program.functions) {
            match module.functions.iter().find(|f| is_named(&f.name, name)) {
                Some(function) => {
                    queue.answers[number] =
                        Some(PointCompilation::Function(index, function.name.clone()))
                }
                None if group.len() == 1 => {
                    queue.answers[number] = Some(PointCompilation::Failed(CompileFailure::NoPtx(
                        "its function is not in the PTX".to_owned(),
                    )));
                }
                None => queue.groups.push_back(vec![(number, point)]),
            }
        }
        queue.modules.push((text, module));
    }

    /// A group that did not compile: what is known of its points now, and in which groups the
    /// others are asked about.
    fn failed(
        &self,
        group: &PointGroup,
        program: &PointProgram,
        input: &Path,
        failure: CompileFailure,
    ) -> Failed {
        let all = |failure: CompileFailure| Failed {
            answers: group.iter().map(|(number, _)| (*number, failure.clone())).collect(),
            ..Failed::default()
        };
        let lost = match &failure {
            CompileFailure::NotStarted(_) => Some(failure.clone()),
            CompileFailure::Stopped => Some(CompileFailure::NotStarted("interrupted".to_owned())),
            _ => None,
        };
        if lost.is_some() {
            return Failed { lost, ..Failed::default() };
        }
        if group.len() == 1 || self.is_given_up(&failure) || self.is_of_the_command(&failure) {
            return all(failure);
        }
        let without = |answers: &[(usize, CompileFailure)]| -> PointGroup {
            group.iter().filter(|(n, _)| answers.iter().all(|(m, _)| m != n)).copied().collect()
        };
        if failure.is_refusal() && self.front.has(FunctionBody::Object) {
            let answers = self.hopeless(group, FunctionBody::Object, true);
            if !answers.is_empty() {
                let others = without(&answers);
                return Failed {
                    groups: if others.is_empty() { Vec::new() } else { vec![others] },
                    answers,
                    lost: None,
                };
            }
        }
        // What the compiler says about a function is the answer for its point.
        let named = named(&failure, input, &program.functions);
        let mut answers = self.hopeless_operations(group, &named, &failure);
        for (number, error) in &named {
            if answers.iter().all(|(n, _)| n != number) {
                answers.push((*number, CompileFailure::Rejected(error.clone())));
            }
        }
        Failed { groups: smaller(&failure, without(&answers), answers.len()), answers, lost: None }
    }

    /// Operations that compile with no order, beside those points that the compiler spoke of: a
    /// template's error is said at its first use. Where it spoke of none, and all have one type, it
    /// is asked about each operation.
    fn hopeless_operations(
        &self,
        group: &PointGroup,
        named: &[(usize, String)],
        failure: &CompileFailure,
    ) -> Vec<(usize, CompileFailure)> {
        if !failure.is_refusal() || !self.front.has(FunctionBody::AnyOrder) {
            return Vec::new();
        }
        let is_named = |n: usize| named.iter().any(|(m, _)| *m == n);
        let matter = |point: &Point| Matter::of(point, FunctionBody::AnyOrder);
        let meant: Vec<Matter> =
            group.iter().filter(|(n, _)| is_named(*n)).filter_map(|(_, p)| matter(p)).collect();
        let of_one_type = group.iter().all(|(_, p)| p.data == group[0].1.data);
        let about: PointGroup = match named.is_empty() {
            true if of_one_type => group.clone(),
            true => Vec::new(),
            false => group
                .iter()
                .filter(|(_, p)| matter(p).is_some_and(|m| meant.contains(&m)))
                .copied()
                .collect(),
        };
        self.hopeless(&about, FunctionBody::AnyOrder, !named.is_empty())
    }
}
