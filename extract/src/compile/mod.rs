//! Compiling: all points in one program; where that fails, those that the compiler names alone and the others together; then groups; then
//! each point alone. What a compiler does that is not compiling is the answer of the points that it did it for.

mod command;
mod group;
mod shell;
mod split;
mod worker;

pub use command::{Command, Failure, Run, drivers, is_stopped, ran, stop, version};
pub use shell::program;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, OnceLock};

use margay_models::execution::Scope;

use crate::front::{FrontEnd, objects, write};
use crate::point::Point;
use crate::ptx::{self, Module};
use split::{is_named, named, smaller};
use worker::Pool;

/// What became of a point.
#[derive(Debug, Clone)]
pub enum Compiled {
    /// Its function is in this module (an index), under this name.
    Function(usize, String),
    /// It did not compile, or the compiler failed.
    Failed(Failure),
}

/// What became of all points.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The PTX files that came out: text and functions.
    pub modules: Vec<(String, Module)>,
    /// Point by point, in the order that they were given.
    pub points: Vec<(Point, Compiled)>,
    /// How often the compiler was started.
    pub runs: usize,
}

/// Told what goes on.
pub trait Progress: Sync {
    /// So many points are answered of so many.
    fn answered(&self, done: usize, of: usize) {
        let _ = (done, of);
    }
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {}

/// Points that are compiled in one program.
type Group = Vec<(usize, Point)>;

/// All points are compiled in so many programs at first.
const PROGRAMS: usize = 2;

/// A compiler that did not end in time so often is not asked to compile parts of what it did not compile.
const PATIENCE: usize = 12;

struct Work<'a> {
    front: &'a FrontEnd,
    command: &'a Command,
    folder: &'a Path,
    queue: Mutex<Queue>,
    ready: Condvar,
    runs: AtomicUsize,
    /// How often it did not end in time.
    late: AtomicUsize,
    /// What the compiler says of a program without functions, if that does not compile either: asked at most once.
    empty: OnceLock<Option<String>>,
    /// What the compiler says of an object of a type and a scope, to which nothing is done: `None` if it compiles.
    objects: Mutex<BTreeMap<Object, Option<Failure>>>,
    of: usize,
    progress: &'a dyn Progress,
    workers: Pool,
}

/// A type and a scope.
type Object = (Option<usize>, Option<Scope>);

#[derive(Default)]
struct Queue {
    groups: VecDeque<Group>,
    under_way: usize,
    modules: Vec<(String, Module)>,
    answers: Vec<Option<Compiled>>,
    /// The compiler cannot be started at all.
    lost: Option<String>,
}

/// Compiles a function for each point.
///
/// # Errors
/// A compiler that cannot be started; a folder that cannot be written to.
pub fn compile(
    front: &FrontEnd,
    command: &Command,
    points: &[Point],
    jobs: usize,
    progress: &dyn Progress,
) -> Result<Outcome, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("cannot make a folder for programs: {e}"))?;
    command::drivers(folder.path()).map_err(|e| format!("cannot write a helper program: {e}"))?;
    let all: Group = points.iter().copied().enumerate().collect();
    let mut queue = Queue { answers: vec![None; points.len()], ..Queue::default() };
    // A fixed number of programs, each large: names of labels, and with them the hashes of functions, do not depend on `jobs`.
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
        empty: OnceLock::new(),
        objects: Mutex::default(),
        of: points.len(),
        progress,
        workers: Pool::default(),
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
    // In an order that does not depend on who was done first: that of the first point of each module.
    let mut order: Vec<usize> = Vec::new();
    for answer in &queue.answers {
        if let Some(Compiled::Function(module, _)) = answer
            && !order.contains(module)
        {
            order.push(*module);
        }
    }
    let mut modules: Vec<Option<(String, Module)>> = queue.modules.into_iter().map(Some).collect();
    let place = |module: usize| order.iter().position(|&m| m == module).unwrap_or(0);
    let answers: Vec<(Point, Compiled)> = points
        .iter()
        .zip(queue.answers)
        .map(|(&point, answer)| {
            let answer = answer.unwrap_or(Compiled::Failed(Failure::Stopped));
            (
                point,
                match answer {
                    Compiled::Function(module, name) => Compiled::Function(place(module), name),
                    failed => failed,
                },
            )
        })
        .collect();
    let modules = order.into_iter().filter_map(|m| modules[m].take()).collect();
    Ok(Outcome { modules, points: answers, runs })
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

    /// Compiles a program of so many functions: the file that it was written to, and what came of it.
    fn compiled(&self, text: &str, functions: usize) -> (PathBuf, Result<String, Failure>) {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let input = self.folder.join(format!("program{number}{}", self.front.suffix));
        let output = self.folder.join(format!("program{number}.ptx"));
        let result = std::fs::write(&input, text)
            .map_err(|e| Failure::NotStarted(format!("cannot write `{}`: {e}", input.display())))
            .and_then(|()| self.command.run(&input, &output, self.folder, functions, &self.workers));
        let _ = std::fs::remove_file(&output);
        (input, result)
    }

    /// Is this what the compiler says of a program without functions, too? Then it is about the command (an architecture that the
    /// compiler does not know), and no smaller group compiles.
    fn is_of_the_command(&self, failure: &Failure) -> bool {
        let of_nothing = self.empty.get_or_init(|| {
            let failed = self.compiled(&write(self.front, &[]).text, 0).1.err();
            failed.filter(Failure::is_refusal).map(|f| f.to_string())
        });
        failure.is_refusal() && of_nothing.as_ref().is_some_and(|said| *said == failure.to_string())
    }

    /// The points of objects that do not compile by themselves, with what the compiler says of them: then nothing that is done to such an
    /// object does. Errors in the class of an object are often said once, and not of each use.
    fn hopeless_objects(&self, group: &Group) -> Vec<(usize, Failure)> {
        let object = |p: &Point| (p.data, p.scope);
        // One at a time: what two threads ask is asked once.
        let mut known = self.objects.lock().unwrap_or_else(|e| e.into_inner());
        let refused = |points: &[Point]| {
            let text = objects(self.front, points)?;
            self.compiled(&text, points.len()).1.err().filter(Failure::is_refusal)
        };
        let mut by_type: BTreeMap<Option<usize>, BTreeMap<Option<Scope>, Point>> = BTreeMap::new();
        for (_, point) in group.iter().filter(|(_, p)| p.data.is_some() && p.scope.is_some() && !known.contains_key(&object(p))) {
            by_type.entry(point.data).or_default().insert(point.scope, *point);
        }
        for points in by_type.into_values() {
            let points: Vec<Point> = points.into_values().collect();
            let all = refused(&points);
            for point in &points {
                let failure = if points.len() == 1 || all.is_none() { all.clone() } else { refused(&[*point]) };
                known.insert(object(point), failure);
            }
        }
        group.iter().filter_map(|(n, p)| Some((*n, known.get(&object(p))?.clone()?))).collect()
    }

    /// Compiles a group, and says what becomes of its points: answers, or smaller groups.
    fn group(&self, group: &Group) {
        let program = write(self.front, group);
        let (input, result) = self.compiled(&program.text, group.len());
        let hopeless = group.len() > 1 && result.as_ref().is_err_and(|failure| self.is_of_the_command(failure));
        let refused = group.len() > 1 && !hopeless && result.as_ref().is_err_and(Failure::is_refusal);
        let objects = if refused && self.front.object.is_some() { self.hopeless_objects(group) } else { Vec::new() };
        let read = result.and_then(|text| match ptx::read(&text) {
            Ok(module) => Ok((text, module)),
            Err(wrong) => Err(Failure::NoPtx(format!("what came out is no PTX: {wrong}"))),
        });
        let mut queue = self.queue.lock().unwrap_or_else(|e| e.into_inner());
        match read {
            Ok((text, module)) => {
                let index = queue.modules.len();
                let mut lost: Group = Vec::new();
                for (&(number, point), (_, name, _)) in group.iter().zip(&program.functions) {
                    match module.functions.iter().find(|f| is_named(&f.name, name)) {
                        Some(function) => queue.answers[number] = Some(Compiled::Function(index, function.name.clone())),
                        None if group.len() == 1 => {
                            queue.answers[number] =
                                Some(Compiled::Failed(Failure::NoPtx("its function is not in the PTX".to_owned())));
                        }
                        None => lost.push((number, point)),
                    }
                }
                queue.modules.push((text, module));
                queue.groups.extend(lost.into_iter().map(|one| vec![one]));
            }
            Err(Failure::NotStarted(why)) => queue.lost = Some(why),
            Err(Failure::Stopped) => queue.lost = Some("interrupted".to_owned()),
            Err(failure @ Failure::TooLong(_)) if self.late.fetch_add(1, Ordering::Relaxed) >= PATIENCE => {
                for &(number, _) in group {
                    queue.answers[number] = Some(Compiled::Failed(failure.clone()));
                }
            }
            Err(failure) if hopeless => {
                for &(number, _) in group {
                    queue.answers[number] = Some(Compiled::Failed(failure.clone()));
                }
            }
            Err(_) if !objects.is_empty() => {
                let left = |n: &usize| objects.iter().all(|(m, _)| m != n);
                let others: Group = group.iter().filter(|(n, _)| left(n)).copied().collect();
                for (number, failure) in objects {
                    queue.answers[number] = Some(Compiled::Failed(failure));
                }
                queue.groups.extend((!others.is_empty()).then_some(others));
            }
            Err(failure) => match group[..] {
                [(number, _)] => queue.answers[number] = Some(Compiled::Failed(failure)),
                _ => {
                    // What the compiler says about a function is the answer for its point.
                    let named = named(&failure, &input, &program.functions);
                    for (number, error) in &named {
                        queue.answers[*number] = Some(Compiled::Failed(Failure::Rejected(error.clone())));
                    }
                    let others: Group = group.iter().filter(|(n, _)| !named.iter().any(|(m, _)| m == n)).copied().collect();
                    queue.groups.extend(smaller(&failure, others, named.len()));
                }
            },
        }
    }
}
