//! Many tests on one device: what was measured is kept whatever happens, and every problem is told.

use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_reports::gpu::{CampaignQuestion, FailedTest};
use margay_runner::device::{Device, DeviceFailure, Request};

use crate::measure::{MeasureProblem, PreparedJudge, TestMeasurement, measure, question};
use crate::results::{ResultLine, Results, ResultsEntry};

/// The device, what it is asked to do, and where results go.
pub struct Campaign<'a> {
    /// What runs the tests.
    pub device: &'a mut dyn Device,
    /// Instances, seed and environment.
    pub request: &'a Request,
    /// The model to compare with.
    pub judge: Option<PreparedJudge>,
    /// The file of results.
    pub results: Option<Results>,
    /// Pass over tests that the file of results has.
    pub resume: bool,
}

/// What happens to a test.
pub enum CampaignEvent<'a> {
    /// It was run.
    Measured(&'a TestMeasurement),
    /// The file of results had it.
    Known(&'a ResultsEntry),
    /// It could not be run.
    Problem(&'a Diagnostic),
}

/// How it ended.
#[derive(Debug, Default)]
pub struct CampaignEnd {
    /// Tests that were run now.
    pub measured: usize,
    /// Tests that the file of results had.
    pub known: usize,
    /// Tests with an outcome that the model forbids, by name.
    pub violations: Vec<String>,
    /// Did the model stop at a bound for some?
    pub undecided: bool,
    /// Tests that could not be run.
    pub problems: Vec<Diagnostic>,
    pub failed: Option<DeviceFailure>,
    /// Results could not be written.
    pub unwritten: Option<Diagnostic>,
    /// It was interrupted.
    pub stopped: bool,
}

/// The tests that a device makes ready together.
const AT_ONCE: usize = 64;

impl Campaign<'_> {
    /// What a line of results has to say to be the answer of a test.
    fn question(&self, name: &str) -> CampaignQuestion {
        let model = self.judge.as_ref().map(|j| j.model.name.as_str());
        question(name, self.device.description(), model, self.request)
    }

    /// The result of a test that the file has, if tests are to be passed over for it.
    fn known(&self, name: &str) -> Option<&ResultsEntry> {
        self.results.as_ref().filter(|_| self.resume)?.known(&self.question(name))
    }

    /// Runs tests until there are no more, the device fails, results cannot be written, or
    /// `stopped` says so.
    pub fn run(
        &mut self,
        tests: &[(String, Read)],
        stopped: &dyn Fn() -> bool,
        told: &mut dyn FnMut(&Read, CampaignEvent<'_>, &dyn Device) -> std::io::Result<()>,
    ) -> std::io::Result<CampaignEnd> {
        let mut end = CampaignEnd::default();
        for (n, (name, read)) in tests.iter().enumerate() {
            if stopped() {
                end.stopped = true;
                break;
            }
            if n.is_multiple_of(AT_ONCE) {
                let next =
                    tests[n..].iter().take(AT_ONCE).filter(|(name, _)| self.known(name).is_none());
                let next: Vec<_> =
                    next.map(|(_, read)| (&read.test, &self.request.environment)).collect();
                self.device.prepare(&next);
            }
            if let Some(ResultsEntry { answer: ResultLine::Failed(known), .. }) = self.known(name) {
                let message = format!(
                    "`{name}`: the device failed at it in an earlier run: {}",
                    known.failed
                );
                let problem = Diagnostic::error(message)
                    .help("take its line out of the file of results to run it again");
                told(read, CampaignEvent::Problem(&problem), self.device)?;
                end.problems.push(problem);
                continue;
            }
            if let Some(known @ ResultsEntry { answer: ResultLine::Measured(line), .. }) =
                self.known(name)
            {
                end.known += 1;
                if line.violation {
                    end.violations.push(name.clone());
                }
                end.undecided |= line.bounded;
                told(read, CampaignEvent::Known(known), self.device)?;
                continue;
            }
            match measure(self.device, name, read, self.request, self.judge.as_mut()) {
                Ok(measured) => {
                    end.measured += 1;
                    end.undecided |= measured.bounded;
                    if measured.differs() {
                        end.violations.push(name.clone());
                    }
                    // What was measured is told even if it cannot be written.
                    told(read, CampaignEvent::Measured(&measured), self.device)?;
                    if let Some(Err(error)) =
                        self.results.as_mut().map(|r| r.measured(&measured.line))
                    {
                        end.unwritten = Some(error);
                        break;
                    }
                    if measured.counts.stopped {
                        end.stopped = true;
                        break;
                    }
                }
                Err(MeasureProblem::Test(problem)) => {
                    told(read, CampaignEvent::Problem(&problem), self.device)?;
                    end.problems.push(problem);
                }
                Err(MeasureProblem::Device(failure)) => {
                    // The next run passes over the test, or it would never come to those behind it.
                    let failed =
                        FailedTest { question: self.question(name), failed: failure.to_string() };
                    end.unwritten =
                        self.results.as_mut().and_then(|results| results.failed(failed).err());
                    end.failed = Some(failure);
                    break;
                }
            }
        }
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use margay_litmus::read::{self, Read};
    use margay_litmus::test::Test;
    use margay_runner::device::{
        Counts, Device, DeviceDescription, DeviceFailure, Request, SimulatedDevice,
    };
    use margay_runner::emit::Environment;
    use margay_runner::sim::MachineModel;

    use super::{Campaign, CampaignEnd, CampaignEvent};
    use crate::measure::PreparedJudge;
    use crate::results::Results;

    /// A GPU that fails on the tests that are named so.
    struct Fake {
        inner: SimulatedDevice,
        description: DeviceDescription,
        fails: Vec<(&'static str, DeviceFailure)>,
        prepared: Vec<String>,
        ran: Vec<String>,
    }

    impl Device for Fake {
        fn description(&self) -> &DeviceDescription {
            &self.description
        }

        fn prepare(&mut self, tests: &[(&Test, &Environment)]) {
            self.prepared.extend(tests.iter().map(|(test, _)| test.name.clone()));
        }

        fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure> {
            self.ran.push(test.name.clone());
            match self.fails.iter().find(|(name, _)| *name == test.name) {
                Some((_, failure)) => Err(failure.clone()),
                None => self.inner.run(test, request),
            }
        }
    }

    fn fake(kind: MachineModel, fails: Vec<(&'static str, DeviceFailure)>) -> Fake {
        let description = DeviceDescription {
            name: "Fake".to_owned(),
            target: Some("sm_90".to_owned()),
            ..DeviceDescription::default()
        };
        Fake {
            inner: SimulatedDevice::new(kind),
            description,
            fails,
            prepared: Vec::new(),
            ran: Vec::new(),
        }
    }

    fn tests() -> Vec<(String, Read)> {
        let names = ["ptx-isa/corr", "ptx-isa/mp-red", "asplos2019/fig5-mp"];
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
        names
            .map(|n| {
                (
                    n.to_owned(),
                    read::load(&root.join(format!("{n}.litmus"))).expect("a test of the corpus"),
                )
            })
            .into()
    }

    fn judge() -> Option<PreparedJudge> {
        Some(PreparedJudge::new(
            margay_models::library::load("ptx-8", &[]).expect("a model").model,
            None,
        ))
    }

    fn run(fake: &mut Fake, results: Option<Results>) -> (CampaignEnd, Vec<String>) {
        run_until(fake, results, Arc::default())
    }

    fn run_until(
        fake: &mut Fake,
        results: Option<Results>,
        stop: Arc<AtomicBool>,
    ) -> (CampaignEnd, Vec<String>) {
        let request = Request {
            instances: 20_000,
            seed: 1,
            environment: Environment::default(),
            watchdog: Duration::from_secs(60),
            stop,
            compiled: None,
        };
        let mut told = Vec::new();
        let mut campaign =
            Campaign { device: fake, request: &request, judge: judge(), results, resume: true };
        let end = campaign.run(&tests(), &|| false, &mut |read, event, _| {
            let what = match event {
                CampaignEvent::Measured(m) => format!("measured, {}", m.differs()),
                CampaignEvent::Known(_) => "known".to_owned(),
                CampaignEvent::Problem(p) => p.message.clone(),
            };
            told.push(format!("{}: {what}", read.test.name));
            Ok(())
        });
        (end.expect("nothing is written"), told)
    }

    /// Ctrl-C in the second test: the device answers with what it has.
    struct Interrupted {
        inner: SimulatedDevice,
        stop: Arc<AtomicBool>,
        ran: usize,
    }

    impl Device for Interrupted {
        fn description(&self) -> &DeviceDescription {
            self.inner.description()
        }

        fn run(&mut self, test: &Test, request: &Request) -> Result<Counts, DeviceFailure> {
            self.ran += 1;
            let mut counts = self.inner.run(test, request)?;
            if self.ran == 2 {
                self.stop.store(true, Ordering::Relaxed);
                (counts.instances, counts.stopped) = (counts.instances / 2, true);
            }
            Ok(counts)
        }
    }

    #[test]
    fn an_interrupted_test_is_kept_and_measured_again() {
        let path = file("interrupted");
        let stop: Arc<AtomicBool> = Arc::default();
        let mut device = Interrupted {
            inner: SimulatedDevice::new(MachineModel::Strong),
            stop: stop.clone(),
            ran: 0,
        };
        let request = Request {
            instances: 20_000,
            seed: 1,
            environment: Environment::default(),
            watchdog: Duration::from_secs(60),
            stop: stop.clone(),
            compiled: None,
        };
        let results = Some(Results::open(&path).expect("a new file"));
        let mut campaign = Campaign {
            device: &mut device,
            request: &request,
            judge: judge(),
            results,
            resume: true,
        };
        let end = campaign
            .run(&tests(), &|| stop.load(Ordering::Relaxed), &mut |_, _, _| Ok(()))
            .expect("nothing is written");
        assert_eq!((end.measured, end.stopped), (2, true), "the third test is not begun");
        let text = std::fs::read_to_string(&path).expect("it was written");
        let lines: Vec<serde_json::Value> =
            text.lines().map(|l| serde_json::from_str(l).expect("a line of JSON")).collect();
        assert_eq!(
            (&lines[0]["interrupted"], &lines[1]["interrupted"]),
            (&false.into(), &true.into())
        );
        assert_eq!(
            (&lines[1]["asked_instances"], &lines[1]["instances"]),
            (&20_000.into(), &10_000.into())
        );
        // The next run knows the first test, and measures the second one as a whole.
        stop.store(false, Ordering::Relaxed);
        let results = Some(Results::open(&path).expect("the same file"));
        let mut campaign = Campaign {
            device: &mut device,
            request: &request,
            judge: judge(),
            results,
            resume: true,
        };
        let end =
            campaign.run(&tests(), &|| false, &mut |_, _, _| Ok(())).expect("nothing is written");
        assert_eq!((end.known, end.measured, end.stopped), (1, 2, false));
        let _ = std::fs::remove_file(&path);
    }

    fn file(name: &str) -> PathBuf {
        let file = std::env::temp_dir()
            .join(format!("margay-campaign-{}-{name}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&file);
        file
    }

    #[test]
    fn a_kernel_that_the_driver_refuses_is_told_with_its_log() {
        let log = "ptxas application ptx input, line 9; error : Unknown modifier '.gpuu'";
        let mut fake =
            fake(MachineModel::Strong, vec![("mp-red", DeviceFailure::Refused(log.to_owned()))]);
        let (end, told) = run(&mut fake, None);
        assert_eq!((end.measured, end.problems.len(), end.violations.len()), (2, 1, 0), "{told:?}");
        assert!(end.problems[0].message.contains(log), "{}", end.problems[0].message);
        assert!(end.problems[0].message.contains("ptx-isa/mp-red"));
    }

    #[test]
    fn a_kernel_whose_machine_code_is_another_test_is_not_counted() {
        let why = DeviceFailure::Differs(vec!["P0: `ld.weak r0, x` is lost".to_owned()]);
        let (end, _) = run(&mut fake(MachineModel::Strong, vec![("mp-red", why)]), None);
        assert_eq!((end.measured, end.problems.len()), (2, 1));
        assert!(
            end.problems[0].message.contains("was not run: P0: `ld.weak r0, x` is lost"),
            "{}",
            end.problems[0].message
        );
    }

    #[test]
    fn when_a_device_goes_away_what_was_measured_is_kept_and_the_next_run_goes_on() {
        for failure in [
            DeviceFailure::Lost("unspecified launch failure".to_owned()),
            DeviceFailure::Hung(Duration::from_secs(60)),
        ] {
            let path = file("lost");
            let mut gone = fake(MachineModel::Weak, vec![("mp-red", failure.clone())]);
            let (end, told) = run(&mut gone, Some(Results::open(&path).expect("a new file")));
            assert_eq!(end.failed, Some(failure));
            assert_eq!(told, ["corr: measured, true"], "the weak machine shows CoRR");
            let mut well = fake(MachineModel::Weak, Vec::new());
            let (end, told) = run(&mut well, Some(Results::open(&path).expect("the same file")));
            assert_eq!(told[0], "corr: known");
            assert_eq!(well.ran.len(), 1, "{told:?}");
            assert_eq!(well.prepared, well.ran, "what is known need not be made ready");
            assert_eq!((end.known, end.measured, end.failed), (1, 1, None));
            // What took the device away is not tried again unasked: it would do so for ever.
            assert!(
                end.problems.len() == 1
                    && end.problems[0].message.contains("failed at it in an earlier run"),
                "{:?}",
                end.problems
            );
            assert_eq!(end.violations[0], "ptx-isa/corr", "a violation that is known is one");
            let text = std::fs::read_to_string(&path).expect("the file");
            let first: serde_json::Value =
                serde_json::from_str(text.lines().next().unwrap_or_default()).expect("JSON");
            assert_eq!(first["violation"], true);
            assert!(first["test"].as_str().is_some_and(|t| t.contains("PTX")), "{first}");
            std::fs::remove_file(&path).expect("the file goes");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn on_a_full_disk_what_was_measured_is_told() {
        let results = Results::open(&PathBuf::from("/dev/full")).expect("it can be opened");
        let (end, told) = run(&mut fake(MachineModel::Strong, Vec::new()), Some(results));
        assert_eq!(told.len(), 1, "{told:?}");
        let message = end.unwritten.expect("it cannot be written").message;
        assert!(message.contains("/dev/full") && message.contains("No space left"), "{message}");
    }
}
