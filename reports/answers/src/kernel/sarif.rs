//! The answers in SARIF 2.1.0, in which code hosts show them at their lines. Only what is used of the format is here.

use std::path::Path;

use margay_kernel::{Finding, FindingKind, RepairAnswer, Spot, Stands};
use serde::Serialize;

use super::against::{KernelComparison, KernelFinding};
use super::asked::{AskedKernel, KernelFile};
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
struct SarifRun {
    tool: SarifTool,
    invocations: [SarifInvocation; 1],
    results: Vec<SarifResult>,
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
    rules: Vec<SarifRule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: &'static str,
    short_description: SarifText,
}

#[derive(Serialize)]
struct SarifText {
    text: String,
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

/// A path as a reference: with `/`, and what a reference cannot have as bytes.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let kept = |b: u8| b.is_ascii_alphanumeric() || b"/-._~:".contains(&b);
    text.bytes().map(|b| if kept(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Where an instruction is: in the source, if that is the file, or lies beside it; else in the PTX.
fn location(file: &KernelFile, spot: &Spot, id: Option<usize>, message: Option<String>) -> SarifLocation {
    let of_source = spot.source.as_ref().and_then(|(name, line)| {
        let path = file.path.with_file_name(name);
        (path == file.path || path.is_file()).then(|| (uri(&path), *line as usize))
    });
    let (uri, line) = of_source.unwrap_or_else(|| (uri(&file.path), spot.line));
    SarifLocation {
        id,
        physical_location: SarifPhysicalLocation {
            artifact_location: SarifArtifact { uri },
            region: SarifRegion { start_line: line.max(1) },
        },
        message: message.map(|text| SarifText { text }),
    }
}

fn role(s: &Stands) -> String {
    let event = s.event.as_ref().map_or(String::new(), |e| format!(": {e}"));
    format!("thread {} of block {}, {}{event}", s.thread, s.block, s.spot.sentence())
}

fn result(file: &KernelFile, kernel: &str, finding: &Finding, (launch, level): (&str, &'static str)) -> SarifResult {
    let mut text =
        format!("{} in kernel `{kernel}`{launch} under {}.", capitalised(finding.kind.words()), finding.reading.name());
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
    let mut locations: Vec<SarifLocation> =
        finding.stands.iter().enumerate().map(|(n, s)| location(file, &s.spot, (n > 0).then_some(n), Some(role(s)))).collect();
    let related = if locations.len() > 1 { locations.split_off(1) } else { Vec::new() };
    if locations.is_empty() {
        // A condition is of no line: the kernel's.
        let module = &file.module;
        let at = module.functions.iter().position(|f| f.name == kernel);
        let origin = at.map(|function| margay_kernel::Origin { function, instruction: 0 });
        locations.extend(origin.map(|o| location(file, &Spot::new(module, &file.ptx.text, o), None, None)));
    }
    SarifResult {
        rule_id: finding.kind.name(),
        level,
        message: SarifText { text },
        locations,
        related_locations: related,
        baseline_state: None,
    }
}

/// The log of a run.
///
/// # Errors
/// It cannot be written: a bug of Margay.
pub fn log(file: &KernelFile, answers: &[AskedKernel], against: Option<&KernelComparison>) -> std::io::Result<String> {
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for asked in answers {
        let (word, rest) = first_line(file, asked);
        let decided = asked.verdict() != margay_reports::Verdict::Undecided;
        let level = if decided { "note" } else { "warning" };
        notifications.push(SarifNotification { level, message: SarifText { text: format!("{word}{rest}") } });
        notifications.extend(asked.answer.not_looked().iter().map(|n| SarifNotification {
            level: "note",
            message: SarifText {
                text: format!("`{}`: not looked at, or only in part: {}", asked.answer.kernel, not_looked_at(n)),
            },
        }));
        let Some(wrong) = asked.answer.wrong() else { continue };
        let level = if asked.answer.is_certain() { "error" } else { "warning" };
        for finding in &wrong.findings {
            let name = &asked.answer.kernel;
            let mut result =
                result(file, name, finding, (&format!(" in launch {}{}", wrong.launch, chosen_contents(&asked.answer)), level));
            let is_of = |all: &[KernelFinding]| all.iter().any(|f| f.kernel == *name && f.finding == *finding);
            result.baseline_state = against.map(|a| if is_of(&a.new) { "new" } else { "unchanged" });
            results.push(result);
        }
    }
    for gone in against.into_iter().flat_map(|a| &a.gone) {
        let mut result = result(file, &gone.kernel, &gone.finding, ("", "note"));
        // Its lines are of the older version.
        result.related_locations.clear();
        result.locations.clear();
        result.baseline_state = Some("absent");
        results.push(result);
    }
    notifications.extend(
        against
            .into_iter()
            .flat_map(|a| &a.unknown)
            .map(|why| SarifNotification { level: "warning", message: SarifText { text: why.clone() } }),
    );
    let rules = FindingKind::ALL
        .iter()
        .map(|kind| SarifRule { id: kind.name(), short_description: SarifText { text: capitalised(kind.words()) } });
    let driver = SarifDriver { name: "margay", version: env!("CARGO_PKG_VERSION"), rules: rules.collect() };
    let invocation = SarifInvocation { execution_successful: true, tool_execution_notifications: notifications };
    let log = SarifLog {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun { tool: SarifTool { driver }, invocations: [invocation], results }],
    };
    Ok(serde_json::to_string_pretty(&log)?)
}
