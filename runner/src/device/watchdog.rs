//! A bound on how long a launch may take: kernels end by themselves (every loop in them is
//! bounded), unless a barrier of the test is one that not all threads come to, or the device is
//! broken.

use std::time::Duration;

use super::DeviceFailure;

/// Asks until it is done. `elapsed` says how long it has been so far, and may sleep.
pub(super) fn watch(
    limit: Duration,
    mut done: impl FnMut() -> Result<bool, DeviceFailure>,
    mut elapsed: impl FnMut() -> Duration,
) -> Result<(), DeviceFailure> {
    loop {
        if done()? {
            return Ok(());
        }
        if elapsed() >= limit {
            return Err(DeviceFailure::Hung(limit));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::watch;
    use crate::device::DeviceFailure;

    /// A clock that goes a second further each time.
    fn clock() -> impl FnMut() -> Duration {
        let mut now = Duration::ZERO;
        move || {
            now += Duration::from_secs(1);
            now
        }
    }

    #[test]
    fn a_kernel_that_ends_in_time() {
        let mut polls = 0;
        let ended = watch(
            Duration::from_secs(10),
            || {
                polls += 1;
                Ok(polls == 5)
            },
            clock(),
        );
        assert_eq!((ended, polls), (Ok(()), 5));
    }

    #[test]
    fn one_that_hangs() {
        let limit = Duration::from_secs(10);
        let mut polls = 0;
        let ended = watch(
            limit,
            || {
                polls += 1;
                Ok(false)
            },
            clock(),
        );
        assert_eq!((ended.clone(), polls), (Err(DeviceFailure::Hung(limit)), 10));
        let message = ended.expect_err("it hangs").to_string();
        assert!(message.contains("did not end within 10s"), "{message}");
    }

    #[test]
    fn a_device_that_goes_away() {
        let ended =
            watch(Duration::from_secs(10), || Err(DeviceFailure::Lost("gone".to_owned())), clock());
        assert_eq!(ended, Err(DeviceFailure::Lost("gone".to_owned())));
    }
}
