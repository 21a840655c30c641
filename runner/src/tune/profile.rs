//! A device profile: what tuning found, as TOML, for later runs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::device::DeviceDescription;
use crate::emit::{Environment, SettingRefusal};

/// The version of the files.
pub const VERSION: u32 = 1;

/// What tuning found for a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The version of the file.
    pub version: u32,
    /// The most effective environment, as `--environment` takes it.
    pub environment: String,
    /// The device that was tuned for: other devices have other best environments.
    pub device: ProfiledDevice,
    /// The parameters of systematic stress (PLDI 2016, Table 2).
    pub stress: SystematicStress,
    /// How often each test was seen to be weak in the environments that were compared at the end,
    /// most effective first.
    #[serde(default)]
    pub compared: Vec<ComparedEnvironment>,
}

/// The device that was tuned for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfiledDevice {
    /// As the driver calls it.
    pub name: String,
    /// The target of its kernels.
    pub target: Option<String>,
    pub driver: Option<String>,
    /// It is no hardware.
    #[serde(default)]
    pub simulated: bool,
}

/// What the method of 2016 found; what it could not find is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystematicStress {
    /// The critical patch size, in words.
    pub patch: Option<u32>,
    /// The access sequence.
    pub sequence: Option<String>,
    pub spread: Option<u32>,
}

/// An environment and what it showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedEnvironment {
    /// What it is: `no-str`, `sys-str`, `rand-str` or `cache-str`, each with `+` (thread
    /// randomisation) or `-`; `random-N`.
    pub name: String,
    pub environment: String,
    /// Weak outcomes a second, for each test in the order of `tests`.
    pub weak_per_second: Vec<u64>,
    /// The tests that were run, in the order of the rates.
    pub tests: Vec<String>,
}

/// Why a text is no profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadProfile {
    /// It has no version, or is no TOML.
    NoProfile(toml::de::Error),
    /// It is of a version that this program does not read.
    Version(u32),
    /// Its fields are not those of a profile.
    Fields(toml::de::Error),
    Environment(SettingRefusal),
}

impl fmt::Display for UnreadProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProfile(error) => write!(f, "this is no profile: {error}"),
            Self::Version(version) => {
                write!(f, "a profile of version {version}; this program reads version {VERSION}")
            }
            Self::Fields(error) => error.fmt(f),
            Self::Environment(why) => write!(f, "its environment: {why}"),
        }
    }
}

impl std::error::Error for UnreadProfile {}

impl Profile {
    /// Reads a file's text.
    pub fn read(text: &str) -> Result<Self, UnreadProfile> {
        #[derive(Deserialize)]
        struct ProfileVersion {
            version: u32,
        }
        let ProfileVersion { version } = toml::from_str(text).map_err(UnreadProfile::NoProfile)?;
        if version != VERSION {
            return Err(UnreadProfile::Version(version));
        }
        let profile: Self = toml::from_str(text).map_err(UnreadProfile::Fields)?;
        Environment::parse(&profile.environment).map_err(UnreadProfile::Environment)?;
        Ok(profile)
    }

    /// The text of the file.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    pub fn is_of(&self, device: &DeviceDescription) -> bool {
        self.device.name == device.name && self.device.target == device.target
    }
}

#[cfg(test)]
mod tests {
    use super::{ComparedEnvironment, Profile, ProfiledDevice, SystematicStress, VERSION};

    #[test]
    fn profiles_are_read_as_they_are_written() {
        let profile = Profile {
            version: VERSION,
            environment: "stress-ctas=auto,stress-patch=32".to_owned(),
            device: ProfiledDevice {
                name: "Titan".to_owned(),
                target: Some("sm_90".to_owned()),
                driver: None,
                simulated: true,
            },
            stress: SystematicStress {
                patch: Some(32),
                sequence: Some("ld-st-st-ld".to_owned()),
                spread: None,
            },
            compared: vec![ComparedEnvironment {
                name: "no-str".to_owned(),
                environment: String::new(),
                weak_per_second: vec![1, 2, 3],
                tests: vec!["MP".to_owned(), "LB".to_owned(), "SB".to_owned()],
            }],
        };
        let text = profile.text().unwrap();
        assert_eq!(Profile::read(&text), Ok(profile), "{text}");
        let said = |text: &str| Profile::read(text).expect_err("wrong").to_string();
        assert!(said(&text.replace("version = 1", "version = 9")).contains("version 9"));
        assert!(
            said(&text.replace("stress-patch", "stress-batch"))
                .contains("there is no setting `stress-batch`")
        );
        assert!(said("groups: 4").contains("line 1"));
        assert!(said(&text.replace("[stress]", "[stress]\nwords = 1")).contains("words"));
    }
}
