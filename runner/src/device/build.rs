//! From a test to what a GPU loads: machine code that was compared with the test, where the
//! vendor's programs are, or else the text of the kernel.

use std::fmt::Write as _;

use margay_litmus::test::Test;
use margay_models::digest::digest;

use super::DeviceFailure;
use crate::emit::{
    CompiledProgram, Environment, GpuTarget, TestKernel, Writing, kernel_as, kernel_of_compiled,
};
use crate::sass::{
    self, AssemblyWay, CodeComparison, LevelSearch, Listing, Toolkit, WAYS, compare,
    compare_compiled,
};

/// What ran, to see it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The kernels as PTX.
    pub ptx: String,
    /// The SHA-256 of that text, in hexadecimal.
    pub hash: String,
    /// What assembled them, and at which level: `ptxas 13.5.37 -O3`.
    pub assembler: String,
    pub level: u8,
    /// The machine code of the test, where it could be read.
    pub sass: Option<String>,
    /// Accesses, fences and barriers of the machine code that were compared with the test; `None`
    /// if it was not compared.
    pub compared: Option<usize>,
    /// Accesses that the code makes wait for earlier ones though the test does not, one sentence
    /// each.
    pub narrowed: Vec<String>,
}

/// What a device loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// A text that the driver assembles at a level.
    Ptx(u8),
    /// Machine code.
    Binary(Vec<u8>),
}

/// What assembles a kernel's text at a level, and says what of it can be read: the vendor's
/// programs, or the driver.
pub type Assemble<'a> = &'a dyn Fn(&str, u8) -> Result<sass::Assembled, sass::ToolFailure>;

/// What is run: a test, or what a compiler made of one.
#[derive(Debug, Clone, Copy)]
pub struct BuildSubject<'a> {
    /// The test that the kernel runs.
    pub test: &'a Test,
    /// What a compiler made of it.
    pub compiled: Option<&'a CompiledProgram>,
}

impl<'a> From<&'a Test> for BuildSubject<'a> {
    fn from(test: &'a Test) -> Self {
        Self { test, compiled: None }
    }
}

impl BuildSubject<'_> {
    /// The ways to assemble it. What a compiler wrote is assembled as compilers have it done.
    fn ways(&self) -> &'static [AssemblyWay] {
        if self.compiled.is_some() { &WAYS[..1] } else { &WAYS }
    }

    fn written(
        &self,
        target: GpuTarget,
        environment: &Environment,
        writing: Writing,
    ) -> Result<TestKernel, DeviceFailure> {
        let kernel = match self.compiled {
            Some(compiled) => kernel_of_compiled(self.test, compiled, target, environment),
            None => kernel_as(self.test, target, environment, writing),
        };
        let kernel = kernel.map_err(DeviceFailure::Kernel)?;
        kernel.can_run(self.test).map_err(DeviceFailure::Kernel)?;
        Ok(kernel)
    }

    /// Is the machine code what it should be?
    fn answer(&self, target: GpuTarget, disassembly: Option<&str>) -> CodeComparison {
        let Some(disassembly) = disassembly else { return CodeComparison::Assembled };
        let listings = Listing::read(disassembly);
        let Some(listing) = listings.iter().find(|l| l.name == KERNEL) else {
            return CodeComparison::Differs(vec!["the disassembly has no such kernel".to_owned()]);
        };
        match self.compiled.map(|c| &c.accesses) {
            None => compare(self.test, target, listing),
            // Nobody has said what it should be.
            Some(None) => CodeComparison::Assembled,
            Some(Some(accesses)) => {
                let results: Vec<usize> = (0..self.test.threads.len())
                    .map(|t| CompiledProgram::results(self.test, t))
                    .collect();
                compare_compiled(accesses, &results, target, listing)
            }
        }
    }
}

/// The kernel of what a GPU can run.
pub fn emit<'a>(
    subject: impl Into<BuildSubject<'a>>,
    target: GpuTarget,
    environment: &Environment,
) -> Result<TestKernel, DeviceFailure> {
    subject.into().written(target, environment, Writing::Plain)
}

/// What to load for a test: assembled at the highest level at which the machine code is the test.
/// Where none is, machine code would run another test, and the error says how.
pub fn assemble<'a>(
    subject: impl Into<BuildSubject<'a>>,
    target: GpuTarget,
    environment: &Environment,
    (name, by): (&str, Assemble<'_>),
) -> Result<(Image, Artifact), DeviceFailure> {
    let subject = subject.into();
    let mut search = LevelSearch::default();
    let mut made = Vec::new();
    for &way in subject.ways() {
        let text = subject.written(target, environment, way.writing)?.text();
        let assembled = by(&text, way.level);
        let answer = assembled
            .as_ref()
            .map_err(Clone::clone)
            .map(|a| subject.answer(target, a.disassembly.as_deref()));
        made.push((way, text, assembled));
        if search.offer(way, answer) {
            break;
        }
    }
    let choice = search.end().map_err(|why| match why {
        Ok(CodeComparison::Differs(why)) => DeviceFailure::Differs(why),
        Ok(_) => DeviceFailure::Refused("nothing could be compared".to_owned()),
        Err(failure) => DeviceFailure::Refused(failure.to_string()),
    })?;
    let chosen = made.into_iter().find(|(way, ..)| *way == choice.way);
    let Some((way, text, Ok(assembled))) = chosen else {
        return Err(DeviceFailure::Refused("the assembler gave no machine code".to_owned()));
    };
    let mut artifact = Artifact::new(text, name, way);
    if let CodeComparison::Same { compared, narrowed } = choice.answer {
        (artifact.compared, artifact.narrowed) = (Some(compared), narrowed);
    }
    artifact.sass = assembled.disassembly.as_deref().and_then(machine_code);
    Ok((Image::Binary(assembled.binary), artifact))
}

/// With nothing to compare machine code by: what the driver makes of the text, at its highest
/// level.
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "for GPUs, of which there are none"))]
pub(super) fn uncompared<'a>(
    subject: impl Into<BuildSubject<'a>>,
    target: GpuTarget,
    environment: &Environment,
) -> Result<(Image, Artifact), DeviceFailure> {
    let way = WAYS[0];
    let text = subject.into().written(target, environment, way.writing)?.text();
    Ok((Image::Ptx(way.level), Artifact::new(text, "driver", way)))
}

/// The vendor's assembler, for [`assemble`].
pub fn by(
    toolkit: &Toolkit,
    target: GpuTarget,
) -> impl Fn(&str, u8) -> Result<sass::Assembled, sass::ToolFailure> + '_ {
    move |text, level| toolkit.assemble(text, target, level)
}

/// The kernel that has the accesses of the test.
const KERNEL: &str = "margay_test";

/// The machine code of the test, an instruction a line, with its control word.
fn machine_code(disassembly: &str) -> Option<String> {
    let listing = Listing::read(disassembly).into_iter().find(|l| l.name == KERNEL)?;
    let mut text = String::new();
    for i in &listing.instructions {
        let control = i.control.map_or(String::new(), |c| format!("{c}  "));
        let _ = writeln!(text, "{control}{}", i.text());
    }
    Some(text)
}

impl Artifact {
    fn new(ptx: String, assembler: &str, way: AssemblyWay) -> Self {
        let apart = if way.writing == Writing::Apart { ", accesses apart" } else { "" };
        let assembler = format!("{assembler} -O{}{apart}", way.level);
        Self {
            hash: digest(ptx.as_bytes()),
            ptx,
            assembler,
            level: way.level,
            sass: None,
            compared: None,
            narrowed: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use margay_litmus::read;
    use margay_models::diagnostic::SourceFile;

    use super::{Image, assemble, emit, uncompared};
    use crate::device::DeviceFailure;
    use crate::emit::{Environment, GpuTarget, kernel};
    use crate::sass::{self, Assembled};

    /// What cannot be compared is assembled at the highest level, and says so; machine code that is
    /// another test is not run; what the assembler refuses is told with its log.
    #[test]
    fn what_an_assembler_may_come_to() {
        let text = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0 == 1)\n";
        let test = read::test(&SourceFile::new("test", text)).unwrap().test;
        let (target, environment) = (GpuTarget(90), Environment::default());
        let made = |by: &dyn Fn(&str, u8) -> Result<Assembled, sass::ToolFailure>| {
            assemble(&test, target, &environment, ("mine", by))
        };
        let blind = |_: &str, level: u8| Ok(Assembled { binary: vec![level], disassembly: None });
        let (image, artifact) = made(&blind).unwrap();
        assert_eq!(
            (image, artifact.assembler.as_str(), artifact.compared),
            (Image::Binary(vec![3]), "mine -O3", None)
        );
        let empty = |_: &str, _: u8| {
            Ok(Assembled {
                binary: Vec::new(),
                disassembly: Some(".text.margay_test:\n".to_owned()),
            })
        };
        assert!(
            matches!(made(&empty), Err(DeviceFailure::Differs(why)) if why[0].contains("markers"))
        );
        let refused =
            |_: &str, _: u8| Err(sass::ToolFailure::Refused("Unknown modifier '.gpuu'".to_owned()));
        assert!(
            matches!(made(&refused), Err(DeviceFailure::Refused(why)) if why.contains("Unknown modifier '.gpuu'"))
        );
        let (image, artifact) = uncompared(&test, target, &environment).unwrap();
        assert_eq!(
            (image, artifact.assembler.as_str(), artifact.compared),
            (Image::Ptx(3), "driver -O3", None)
        );
    }

    /// Kernels that are assembled and compared, and that no device here runs: each says why, at the
    /// name that is to blame.
    #[test]
    fn what_cannot_run_on_a_gpu() {
        for (proxy, load, said) in [
            ("surface", "suld", "CUDA array"),
            ("texture", "tex", "texture object"),
            ("constant", "ldc", "read-only"),
        ] {
            let text = format!(
                "PTX t\n{{ x=0; p @ {proxy} aliases x; }}\n P0@cta 0,gpu 0 ;\n {load} r0, p ;\nexists (P0:r0 == 1)\n"
            );
            let test = read::test(&SourceFile::new("test", &text)).unwrap().test;
            assert!(kernel(&test, GpuTarget(90), &Environment::default()).is_ok(), "{proxy}");
            match emit(&test, GpuTarget(90), &Environment::default()) {
                Err(DeviceFailure::Kernel(error)) => {
                    assert!(error.message.contains(said) && error.place.is_some(), "{error:?}");
                }
                other => panic!("{proxy}: {other:?}"),
            }
        }
    }
}
