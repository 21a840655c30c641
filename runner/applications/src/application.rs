//! What an application is: a file of TOML beside its program.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use margay_answers::kernel::{ProgramText, program};
use margay_console::table::number;
use margay_machine::{
    GlobalMemory, KernelLimits, LaunchPart, LaunchRefusal, LaunchSize, MachineModule, MemoryRefusal,
};
use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::limited;
use margay_models::text::in_line;
use margay_ptx::Module;
use serde::Deserialize;

use crate::post::{ArrayElements, PostCondition};

/// The longest file of an application, in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// The most words of all arrays together.
const MAX_WORDS: u64 = 1 << 28;

/// The file as it is written. Unknown keys are errors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApplicationText {
    program: toml::Spanned<String>,
    #[serde(default)]
    array: Vec<ArrayText>,
    launch: Vec<LaunchText>,
    #[serde(default)]
    post: Vec<toml::Spanned<String>>,
    #[serde(default)]
    check: Vec<LaunchText>,
    places: Option<toml::Spanned<u32>>,
    steps: Option<toml::Spanned<u64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrayText {
    name: toml::Spanned<String>,
    words: Option<u64>,
    fill: Option<i64>,
    /// The first number where each word is one more than the word in front of it.
    count_from: Option<i64>,
    values: Option<Vec<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchText {
    kernel: toml::Spanned<String>,
    blocks: toml::Spanned<SizesText>,
    threads: toml::Spanned<SizesText>,
    shared: Option<toml::Spanned<u32>>,
    #[serde(default)]
    arguments: Vec<toml::Spanned<ArgumentText>>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number of 32 bits without a sign, or three in brackets: x, y and z"
)]
enum SizesText {
    One(u32),
    Some([u32; 3]),
}

impl SizesText {
    fn all(self) -> [u32; 3] {
        match self {
            Self::One(x) => [x, 1, 1],
            Self::Some(all) => all,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected the name of an array in quotes, or a number")]
enum ArgumentText {
    Array(String),
    Number(i64),
    Float(f64),
}

/// What a kernel is given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ApplicationArgument {
    /// The address of an array, by its number.
    Array(usize),
    Bytes(Vec<u8>),
}

/// A launch of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct ApplicationLaunch {
    pub kernel: String,
    pub launch: LaunchSize,
    pub arguments: Vec<ApplicationArgument>,
}

/// An array in global memory before the first launch.
#[derive(Debug, Clone)]
pub(crate) struct InputArray {
    pub name: String,
    pub words: Vec<u32>,
}

impl InputArray {
    /// Its bytes, in the order of the device.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// An application: its program as PTX, its launches in order, its inputs and what must hold at the
/// end.
#[derive(Debug)]
pub(crate) struct Application {
    pub file: Arc<SourceFile>,
    /// The program as PTX.
    pub ptx: Arc<SourceFile>,
    pub launches: Vec<ApplicationLaunch>,
    pub post: Vec<PostCondition>,
    /// Kernels that look at memory at the end, one access after the other, and stop with an error
    /// where something is wrong.
    pub checks: Vec<ApplicationLaunch>,
    /// How many blocks are there at once.
    pub places: u32,
    /// After so many instructions a run counts as one that does not end.
    pub steps: u64,
    pub arrays: Vec<InputArray>,
}

/// The program in memory with its arrays, to be copied for each run.
#[derive(Debug)]
pub(crate) struct LoadedApplication {
    pub device: MachineModule,
    pub memory: GlobalMemory,
    pub addresses: Vec<u64>,
}

impl Application {
    /// Reads an application and its program. CUDA is compiled by the toolkit at hand.
    ///
    /// # Errors
    /// What is wrong with the file, its program or the launches, with the place.
    pub(crate) fn read(
        path: &Path,
        toolkit: Option<&Path>,
        target: &str,
    ) -> Result<Self, Diagnostic> {
        let name = limited::name(path);
        let text = limited::text(path, MAX_TEXT)
            .map_err(|e| Diagnostic::error(format!("cannot read {name}: {e}")))?;
        let file = SourceFile::new(name.clone(), text);
        let text: ApplicationText = toml::from_str(&file.text).map_err(|e| {
            let error = Diagnostic::error(e.message().to_owned());
            let error = e.span().map_or(error.clone(), |span| error.at(&file, at(span), ""));
            error.help("docs/applications.md has a whole file")
        })?;
        let program_path = beside(path, text.program.get_ref()).map_err(|why| {
            Diagnostic::error(why)
                .at(&file, at(text.program.span()), "")
                .help("name a file beside this one, by a path without `..`")
        })?;
        let launched = text
            .launch
            .iter()
            .chain(&text.check)
            .map(|launch| launch.kernel.get_ref().clone())
            .collect::<Vec<_>>();
        let ProgramText { ptx, module } = program(&program_path, toolkit, target, &launched)?;
        let arrays = input_arrays(&text.array, &file)?;
        let launch = |text: &LaunchText| launch(text, &file, &module, &arrays);
        let launches = text.launch.iter().map(launch).collect::<Result<Vec<_>, _>>()?;
        let checks = text.check.iter().map(launch).collect::<Result<Vec<_>, _>>()?;
        let conditions = text.post.iter();
        let post = conditions
            .map(|condition| post_condition(condition, &file, &module, &arrays))
            .collect::<Result<Vec<_>, _>>()?;
        if post.is_empty() && checks.is_empty() {
            let error = Diagnostic::error(
                "there is no post-condition, so that no run could be wrong".to_owned(),
            );
            return Err(error
                .at(&file, Span::new(0, 0), "")
                .help("`post = [\"out[0] == 66\"]`, or a `[[check]]` kernel that traps"));
        }
        if launches.is_empty() {
            return Err(Diagnostic::error("there is no launch".to_owned())
                .at(&file, Span::new(0, 0), "")
                .help("`[[launch]]` with kernel, blocks and threads"));
        }
        let none = |what: &str, span: std::ops::Range<usize>| {
            Diagnostic::error(format!("without {what} no run gets anywhere"))
                .at(&file, at(span), "")
                .help("give at least 1")
        };
        let places = match text.places {
            Some(places) if *places.get_ref() == 0 => return Err(none("a block", places.span())),
            places => places.map_or(64, toml::Spanned::into_inner),
        };
        let steps = match text.steps {
            Some(steps) if *steps.get_ref() == 0 => return Err(none("a step", steps.span())),
            steps => steps.map_or(20_000_000, toml::Spanned::into_inner),
        };
        Ok(Self { file, ptx, launches, post, checks, places, steps, arrays })
    }

    /// Its name in an answer, with how many of its blocks are there at once where that is not all
    /// of them: no others meet.
    pub(crate) fn name(&self) -> String {
        let blocks = |launch: &ApplicationLaunch| {
            launch.launch.blocks.iter().map(|n| u64::from(*n)).product::<u64>()
        };
        let name = &self.file.name;
        match self.launches.iter().map(blocks).max() {
            Some(most) if most > u64::from(self.places) => {
                format!(
                    "{name} with {} of {} blocks at once",
                    number(u64::from(self.places)),
                    number(most)
                )
            }
            _ => name.clone(),
        }
    }

    /// Puts a version of the program into memory.
    ///
    /// # Errors
    /// Its variables are of another module, or memory is too small.
    pub(crate) fn load(&self, ptx: &str) -> Result<LoadedApplication, String> {
        let mut device = MachineModule::read(ptx).map_err(|why| why.to_string())?;
        let mut addresses = Vec::new();
        for array in &self.arrays {
            let full = |why: MemoryRefusal| why.to_string();
            let address =
                device.memory.allocate(&array.name, array.words.len() as u64 * 4).map_err(full)?;
            device.memory.write(address, &array.bytes()).map_err(full)?;
            addresses.push(address);
        }
        let memory = device.memory.clone();
        Ok(LoadedApplication { device, memory, addresses })
    }

    /// The first condition that does not hold, in a sentence, where arrays and variables have these
    /// words.
    ///
    /// # Errors
    /// Words cannot be had.
    pub(crate) fn violation<E>(
        &self,
        mut words: impl FnMut(&str) -> Result<Vec<u32>, E>,
    ) -> Result<Option<String>, E> {
        for condition in &self.post {
            if let Some((index, value)) = condition.violated(&words(&condition.array)?) {
                return Ok(Some(format!(
                    "{}[{index}] is {value}, not as in `{condition}`",
                    condition.array
                )));
            }
        }
        Ok(None)
    }

    /// The words of an array of the file, or of a variable of the program.
    pub(crate) fn words(
        &self,
        loaded: &LoadedApplication,
        memory: &GlobalMemory,
        name: &str,
    ) -> Vec<u32> {
        let of_file = self.arrays.iter().position(|a| a.name == name);
        let found = match of_file {
            Some(n) => Some((loaded.addresses[n], self.arrays[n].words.len() as u64 * 4)),
            None => loaded.device.variable(name),
        };
        let bytes = found
            .and_then(|(address, bytes)| memory.read(address, bytes / 4 * 4).ok())
            .unwrap_or_default();
        bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect()
    }
}

impl ApplicationLaunch {
    /// The bytes of its arguments, where arrays have these addresses.
    pub(crate) fn bytes(&self, addresses: &[u64]) -> Vec<Vec<u8>> {
        let of = |argument: &ApplicationArgument| match argument {
            ApplicationArgument::Array(n) => addresses[*n].to_le_bytes().to_vec(),
            ApplicationArgument::Bytes(bytes) => bytes.clone(),
        };
        self.arguments.iter().map(of).collect()
    }

    /// How many blocks it has; nothing where they are more than 2^32 - 1.
    pub(crate) fn block_count(&self) -> Option<u32> {
        self.launch.blocks.iter().try_fold(1u32, |all, n| all.checked_mul(*n))
    }
}

/// A place in the file that describes an application.
fn at(span: std::ops::Range<usize>) -> Span {
    Span::new(span.start, span.end)
}

/// The arrays of an application's file, with their contents.
fn input_arrays(
    texts: &[ArrayText],
    file: &Arc<SourceFile>,
) -> Result<Vec<InputArray>, Diagnostic> {
    let mut arrays: Vec<InputArray> = Vec::new();
    let mut total = 0u64;
    for array in texts {
        let error = |what: String| Diagnostic::error(what).at(file, at(array.name.span()), "");
        let name = array.name.get_ref().clone();
        if arrays.iter().any(|other| other.name == name) {
            return Err(error(format!("there is another array `{name}`")));
        }
        let given = array.values.as_ref().map_or(0, Vec::len) as u64;
        let count = array.words.unwrap_or(given);
        total = total.saturating_add(count);
        if total > MAX_WORDS {
            return Err(error(format!("all arrays together have more than {MAX_WORDS} words")));
        }
        if count == 0 || count < given {
            return Err(error(format!("`{name}` has {count} words and {given} values"))
                .help("say `words = 12`, or the `values`"));
        }
        let words = words(array, count, &error)?;
        arrays.push(InputArray { name, words });
    }
    Ok(arrays)
}

/// The words of an array: its values, and behind them one number, or numbers that count.
fn words(
    array: &ArrayText,
    count: u64,
    error: &dyn Fn(String) -> Diagnostic,
) -> Result<Vec<u32>, Diagnostic> {
    let name = array.name.get_ref();
    let word = |n: i64| u32::try_from(n).or(i32::try_from(n).map(|n| n as u32));
    let given = array.values.iter().flatten();
    let mut words = given
        .map(|n| word(*n))
        .collect::<Result<Vec<u32>, _>>()
        .map_err(|_| error(format!("`{name}` has a value of more than 32 bits")))?;
    match (array.fill, array.count_from) {
        (Some(_), Some(_)) => {
            return Err(error(format!("`{name}` has `fill` and `count_from`")).help(
                "say what the words behind the values are: one number, or numbers that count",
            ));
        }
        (_, Some(first)) => {
            let last = first.saturating_add_unsigned(count - words.len() as u64).saturating_sub(1);
            for n in [first, last] {
                word(n).map_err(|_| {
                    error(format!("`{name}` counts to {n}, which is no number of 32 bits"))
                })?;
            }
            words.extend(
                (0..count - words.len() as u64).map(|n| first.wrapping_add_unsigned(n) as u32),
            );
        }
        (fill, None) => {
            let fill = word(fill.unwrap_or(0))
                .map_err(|_| error(format!("`fill` of `{name}` is no number of 32 bits")))?;
            words.resize(count as usize, fill);
        }
    }
    Ok(words)
}

/// A condition on the end of a run: its array is one of the file, or a variable of the program.
fn post_condition(
    condition: &toml::Spanned<String>,
    file: &Arc<SourceFile>,
    module: &Module,
    arrays: &[InputArray],
) -> Result<PostCondition, Diagnostic> {
    let error = |what: String| Diagnostic::error(what).at(file, at(condition.span()), "");
    let read = PostCondition::read(condition.get_ref()).map_err(&error)?;
    let of_module = module
        .variables
        .iter()
        .find(|v| v.name == read.array && v.space == margay_ptx::StateSpace::Global);
    let words = arrays.iter().find(|a| a.name == read.array).map(|a| a.words.len() as u64);
    let words = words.or(of_module.and_then(|v| v.size).map(|bytes| bytes / 4));
    match (words, &read.elements) {
        (None, _) => Err(error(format!("there is no array `{}`", read.array)).help(
            "arrays are those of this file, and the variables in global memory of the program",
        )),
        (Some(0), _) => Err(error(format!(
            "`{}` has less than a word of 4 bytes, so nothing would be compared",
            read.array
        ))),
        (Some(words), ArrayElements::One(index)) if *index >= words => {
            Err(error(format!("`{}` has {words} words: there is no number {index}", read.array)))
        }
        _ => Ok(read),
    }
}

/// A program lies beside the file that names it, or below: who sends a file of an application does
/// not have other files read.
fn beside(path: &Path, program: &str) -> Result<PathBuf, String> {
    let program = Path::new(program);
    if !program.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("`{}` is not beside this file", program.display()));
    }
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let found = folder.join(program);
    let cannot =
        |why: String| format!("cannot read {}: {why}", in_line(&found.display().to_string()));
    limited::of_folder(folder, &found).map_err(|e| cannot(e.to_string()))?;
    match found.exists() {
        true => Ok(found),
        false => Err(cannot("there is no such file".to_owned())),
    }
}

fn launch(
    text: &LaunchText,
    file: &Arc<SourceFile>,
    module: &Module,
    arrays: &[InputArray],
) -> Result<ApplicationLaunch, Diagnostic> {
    let error = |what: String, span: std::ops::Range<usize>| {
        Diagnostic::error(what).at(file, Span::new(span.start, span.end), "")
    };
    let name = text.kernel.get_ref();
    let Some(kernel) = module.kernels().find(|&k| module.functions[k].name == *name) else {
        let known: Vec<&str> =
            module.kernels().map(|k| module.functions[k].name.as_str()).collect();
        let near = margay_models::diagnostic::nearest(name, known.iter().copied());
        let help = near.map_or(format!("its kernels: {}", known.join(", ")), |near| {
            format!("did you mean `{near}`?")
        });
        return Err(error(
            format!("there is no kernel `{name}` in the program"),
            text.kernel.span(),
        )
        .help(help));
    };
    let function = &module.functions[kernel];
    if function.parameters.len() != text.arguments.len() {
        let what = format!(
            "`{name}` takes {} arguments, {} are given",
            function.parameters.len(),
            text.arguments.len()
        );
        return Err(error(what, text.kernel.span()));
    }
    let launch = LaunchSize {
        blocks: text.blocks.get_ref().all(),
        threads: text.threads.get_ref().all(),
        dynamic_shared: text.shared.as_ref().map_or(0, |bytes| *bytes.get_ref()),
    };
    if let Some(LaunchRefusal { part, why }) = KernelLimits::of(module, kernel).refusal(&launch) {
        let span = match (part, &text.shared) {
            (LaunchPart::Blocks, _) => text.blocks.span(),
            (LaunchPart::Threads, _) => text.threads.span(),
            (LaunchPart::Shared, Some(bytes)) => bytes.span(),
            (LaunchPart::Kernel | LaunchPart::Shared, _) => text.kernel.span(),
        };
        return Err(error(format!("`{name}` cannot be launched: {why}"), span));
    }
    let mut arguments = Vec::new();
    for (argument, parameter) in text.arguments.iter().zip(&function.parameters) {
        let variable = match parameter {
            margay_ptx::Parameter::Memory(id) => Some(module.variable(*id)),
            margay_ptx::Parameter::Register(_) => None,
        };
        let bytes = variable.and_then(|v| v.size).unwrap_or(8) as usize;
        arguments.push(match argument.get_ref() {
            ArgumentText::Array(name) => {
                let n = arrays.iter().position(|a| a.name == *name);
                let n = n.ok_or_else(|| {
                    error(format!("there is no array `{name}`"), argument.span())
                        .help("`[[array]]` with name and words")
                })?;
                if bytes != 8 {
                    let what = format!(
                        "the parameter has {bytes} bytes, and the address of an array has 8"
                    );
                    return Err(error(what, argument.span()));
                }
                ApplicationArgument::Array(n)
            }
            ArgumentText::Number(n) if bytes <= 8 && fits(*n, bytes) => {
                ApplicationArgument::Bytes(n.to_le_bytes()[..bytes].to_vec())
            }
            ArgumentText::Float(f) if bytes == 4 => {
                ApplicationArgument::Bytes((*f as f32).to_le_bytes().to_vec())
            }
            ArgumentText::Float(f) if bytes == 8 => {
                ApplicationArgument::Bytes(f.to_le_bytes().to_vec())
            }
            _ => {
                return Err(error(
                    format!("the parameter has {bytes} bytes, and this is no value of so many"),
                    argument.span(),
                ));
            }
        });
    }
    Ok(ApplicationLaunch { kernel: name.clone(), launch, arguments })
}

/// Is it a number of so many bytes, with or without a sign?
fn fits(n: i64, bytes: usize) -> bool {
    match 8 * bytes as u32 {
        0 => false,
        bits => bits >= 64 || (-(1i128 << (bits - 1))..1i128 << bits).contains(&i128::from(n)),
    }
}
