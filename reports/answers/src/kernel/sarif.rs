//! The answers in SARIF 2.1.0, in which code hosts show them at their lines. Only what is used of
//! the format is here.

use std::path::{Component, Path, PathBuf};

use margay_kernel::{Finding, FindingKind, RepairAnswer, Spot, Stands};
use margay_models::diagnostic::{Diagnostic, Label};
use margay_reports::kernel::KernelProofsRecord;
use margay_reports::verify::KernelCertificate;
use serde::Serialize;

use super::against::{KernelComparison, KernelFinding};
use super::asked::{AskedKernel, KernelFile};
use super::certify::{self, WrittenTests};
use super::first_line::{chosen_contents, first_line};
use super::human::{capitalised, change, not_looked_at};

#[derive(Serialize)]
struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: SarifTool,
    automation_details: SarifAutomation,
    invocations: [SarifInvocation; 1],
    results: Vec<SarifResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<SarifProperties>,
}

/// What the format has no place for: the certificate that was written.
#[derive(Serialize)]
struct SarifProperties {
    certificate: KernelCertificate,
    proofs: Vec<SarifProofs>,
}

/// Which answers about a kernel have a proof.
#[derive(Serialize)]
struct SarifProofs {
    kernel: String,
    #[serde(flatten)]
    of: KernelProofsRecord,
}

/// What tells this run from others of the same commit: code hosts take a run of another name for
/// findings beside these, and one of the same name for findings in place of them.
#[derive(Serialize)]
struct SarifAutomation {
    id: String,
}

#[derive(Serialize)]
struct SarifTool {
    driver: SarifDriver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifDriver {
    name: &'static str,
    version: &'static str,
    information_uri: &'static str,
    rules: Vec<SarifRule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: &'static str,
    short_description: SarifText,
    full_description: SarifText,
    help: SarifText,
    help_uri: String,
}

#[derive(Serialize)]
struct SarifText {
    text: String,
}

impl SarifText {
    /// Braces stand for what is put in, with and without anything to put in (section 3.11.5), and
    /// instructions have them: those that are meant are doubled.
    fn new(text: &str) -> Self {
        Self { text: text.replace('{', "{{").replace('}', "}}") }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifInvocation {
    execution_successful: bool,
    /// The first line of each kernel's answer, with its launches, and what was not looked at.
    tool_execution_notifications: Vec<SarifNotification>,
}

#[derive(Serialize)]
struct SarifNotification {
    level: &'static str,
    message: SarifText,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<SarifLocation>,
}

impl SarifNotification {
    fn new(level: &'static str, text: String) -> Self {
        Self { level, message: SarifText::new(&text), locations: Vec::new() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    level: &'static str,
    message: SarifText,
    locations: Vec<SarifLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<SarifLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: SarifPhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SarifText>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifPhysicalLocation {
    artifact_location: SarifArtifact,
    region: SarifRegion,
}

#[derive(Serialize)]
struct SarifArtifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: usize,
}

/// A path as a reference. Code hosts show what is at a place of the repository, so it is relative
/// to the working folder where it lies in it, and has no detours; what lies elsewhere is an address
/// of the machine.
fn uri(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let whole = normal(&here.join(path));
    let (scheme, shown) = match whole.strip_prefix(normal(&here)) {
        Ok(inside) => ("", inside),
        Err(_) => ("file://", whole.as_path()),
    };
    let text = shown.to_string_lossy().replace('\\', "/");
    // A colon in front of the first `/` would end the name of a scheme.
    let kept = |b: u8| b.is_ascii_alphanumeric() || b"/-._~".contains(&b);
    let escaped =
        text.bytes().map(|b| if kept(b) { char::from(b).to_string() } else { format!("%{b:02X}") });
    format!("{scheme}{}", escaped.collect::<String>())
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            _ => out.push(part),
        }
    }
    out
}

/// A line of a file.
fn place(uri: String, line: usize) -> SarifLocation {
    let region = SarifRegion { start_line: line.max(1) };
    SarifLocation {
        id: None,
        physical_location: SarifPhysicalLocation {
            artifact_location: SarifArtifact { uri },
            region,
        },
        message: None,
    }
}

/// Where an instruction is: in the source, if that is the file, or lies beside it; else in the PTX.
fn location(
    file: &KernelFile,
    spot: &Spot,
    id: Option<usize>,
    message: Option<String>,
) -> SarifLocation {
    let of_source = spot.source.as_ref().and_then(|(name, line)| {
        let path = file.path.with_file_name(name);
        (path == file.path || path.is_file()).then(|| (uri(&path), *line as usize))
    });
    let (uri, line) = of_source.unwrap_or_else(|| (uri(&file.path), spot.line));
    SarifLocation { id, message: message.map(|text| SarifText::new(&text)), ..place(uri, line) }
}

fn role(s: &Stands) -> String {
    let event = s.event.as_ref().map_or(String::new(), |e| format!(": {e}"));
    format!("thread {} of block {}, {}{event}", s.thread, s.block, s.spot.sentence())
}

fn result(
    file: &KernelFile,
    kernel: &str,
    finding: &Finding,
    (launch, level): (&str, &'static str),
) -> SarifResult {
    let mut text = format!(
        "{} in kernel `{kernel}`{launch} under {}.",
        capitalised(finding.kind.words()),
        finding.reading.name()
    );
    for s in &finding.stands {
        text += &format!(" {}.", capitalised(&role(s)));
    }
    for why in &finding.why {
        text += &format!(" {why}");
    }
    if let RepairAnswer::Changes(changes) = &finding.repair {
        let all: Vec<String> = changes.iter().map(change).collect();
        text += &format!(" The cheapest repair: {}.", all.join("; "));
    }
    let mut locations: Vec<SarifLocation> = finding
        .stands
        .iter()
        .enumerate()
        .map(|(n, s)| location(file, &s.spot, (n > 0).then_some(n), Some(role(s))))
        .collect();
    let related = if locations.len() > 1 { locations.split_off(1) } else { Vec::new() };
    if locations.is_empty() {
        // A condition is of no line: the kernel's.
        let module = &file.module;
        let at = module.functions.iter().position(|f| f.name == kernel);
        let origin = at.map(|function| margay_kernel::Origin { function, instruction: 0 });
        locations.extend(
            origin.map(|o| location(file, &Spot::new(module, &file.ptx.text, o), None, None)),
        );
    }
    SarifResult {
        rule_id: finding.kind.name(),
        level,
        message: SarifText::new(&text),
        locations,
        related_locations: related,
        baseline_state: None,
    }
}

/// The log of a run.
///
/// # Errors
/// It cannot be written: a bug of Margay.
pub fn log(
    file: &KernelFile,
    answers: &[AskedKernel],
    against: Option<&KernelComparison>,
    certificate: Option<&WrittenTests>,
) -> std::io::Result<String> {
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for asked in answers {
        let (word, rest) = first_line(file, asked);
        let decided = asked.verdict() != margay_reports::Verdict::Undecided;
        let level = if decided { "note" } else { "warning" };
        notifications.push(SarifNotification::new(level, format!("{word}{rest}")));
        notifications.extend(asked.answer.not_looked().iter().map(|n| {
            SarifNotification::new(
                "note",
                format!(
                    "`{}`: not looked at, or only in part: {}",
                    asked.answer.kernel,
                    not_looked_at(n)
                ),
            )
        }));
        let Some(wrong) = asked.answer.wrong() else { continue };
        let level = if asked.answer.is_certain() { "error" } else { "warning" };
        for finding in &wrong.findings {
            let name = &asked.answer.kernel;
            let mut result = result(
                file,
                name,
                finding,
                (&format!(" in launch {}{}", wrong.launch, chosen_contents(&asked.answer)), level),
            );
            let is_of = |all: &[KernelFinding]| {
                all.iter().any(|f| f.kernel == *name && f.finding == *finding)
            };
            result.baseline_state =
                against.map(|a| if is_of(&a.new) { "new" } else { "unchanged" });
            results.push(result);
        }
    }
    if let Some(against) = against {
        // No results: what is gone has no line in this version, a result without one is refused by
        // code hosts, and they show it as if it were there.
        notifications.extend(against.gone.iter().map(|gone| {
            let what = capitalised(gone.finding.kind.words());
            SarifNotification::new(
                "note",
                format!("{what} in kernel `{}` of {} is gone", gone.kernel, against.old),
            )
        }));
        notifications.extend(
            against.unknown.iter().map(|why| SarifNotification::new("warning", why.clone())),
        );
    }
    let of = |asked: &AskedKernel| SarifProofs {
        kernel: asked.answer.kernel.clone(),
        of: certify::record(asked),
    };
    let properties = certificate.map(|written| SarifProperties {
        certificate: written.document(),
        proofs: answers.iter().map(of).collect(),
    });
    written(
        &file.path,
        (results, properties),
        SarifInvocation { execution_successful: true, tool_execution_notifications: notifications },
    )
}

/// The log of a run that found nothing out, since its input is wrong.
///
/// # Errors
/// It cannot be written: a bug of Margay.
pub fn refusal(file: &Path, error: &Diagnostic) -> std::io::Result<String> {
    let help = error.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    let mut notification = SarifNotification::new("error", format!("{}{help}", error.message));
    let at = |label: &Label| {
        place(uri(Path::new(&label.file.name)), label.file.position(label.span.start).0)
    };
    notification.locations = error.labels.iter().take(1).map(at).collect();
    written(
        file,
        (Vec::new(), None),
        SarifInvocation {
            execution_successful: false,
            tool_execution_notifications: vec![notification],
        },
    )
}

fn written(
    file: &Path,
    (results, properties): (Vec<SarifResult>, Option<SarifProperties>),
    invocation: SarifInvocation,
) -> std::io::Result<String> {
    let page = format!("{}/blob/main/{}", env!("CARGO_PKG_REPOSITORY"), "docs/kernels.md");
    let rules = FindingKind::ALL.iter().map(|kind| SarifRule {
        id: kind.name(),
        short_description: SarifText::new(&capitalised(kind.words())),
        full_description: SarifText::new(kind.meaning()),
        help: SarifText::new(&format!(
            "{} What Margay asks of kernels, and how it mends them: {page}",
            kind.meaning()
        )),
        help_uri: page.clone(),
    });
    let driver = SarifDriver {
        name: "margay",
        version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: rules.collect(),
    };
    // Its category is what is in front of the last `/`.
    let automation_details = SarifAutomation { id: format!("margay kernel {}/", uri(file)) };
    let log = SarifLog {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun {
            tool: SarifTool { driver },
            automation_details,
            invocations: [invocation],
            results,
            properties,
        }],
    };
    Ok(serde_json::to_string_pretty(&log)?)
}
