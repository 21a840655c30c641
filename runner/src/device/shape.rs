//! What a device can run at once, and the launches that fill it.

use margay_litmus::test::Test;

use crate::emit::{Count, EmissionError, EmissionLayout, Environment, GpuTarget};

/// What a device can run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceShape {
    pub multiprocessors: u32,
    /// The most threads that one of them runs at once.
    pub threads: u32,
    /// The most ctas that one of them runs at once.
    pub ctas: u32,
    /// Bytes of its L2 cache.
    pub l2_bytes: u64,
}

impl DeviceShape {
    /// How many ctas of a size run at once.
    pub fn resident(&self, block: u32) -> u32 {
        (self.multiprocessors * (self.threads / block.max(1)).min(self.ctas)).max(1)
    }

    /// The environment with every `auto` made a number for a test. Without stress the test gets the
    /// whole device; with stress half of it, and stressing ctas as many as still fit, of which each
    /// launch takes so many that 50 to 100 % of the device is busy (Sorensen and Donaldson, PLDI
    /// 2016, section 3.2). The scratchpad of `random` and `cache` is as large as the L2 cache
    /// (section 4.2).
    pub fn fill(
        &self,
        environment: &Environment,
        test: &Test,
        target: GpuTarget,
    ) -> Result<Environment, EmissionError> {
        let mut filled = environment.clone();
        let none = Environment {
            groups: Count::Fixed(1),
            stress_ctas: Count::Fixed(0),
            ..environment.clone()
        };
        let group = EmissionLayout::new(test, target, &none)?;
        let resident = self.resident(group.block);
        if let Count::Auto { .. } = environment.groups {
            let share =
                if environment.stress_ctas == Count::Fixed(0) { resident } else { resident / 2 };
            let most = EmissionLayout::MAX_INSTANCES as u32 / group.slots;
            filled.groups = Count::Auto { or: (share / group.testing).clamp(1, most) };
        }
        if let Count::Auto { .. } = environment.stress_ctas {
            let testing = filled.groups.number() * group.testing;
            filled.stress_ctas = Count::Auto { or: resident.saturating_sub(testing).max(1) };
        }
        if let Count::Auto { .. } = environment.stress_words {
            filled.stress_words = Count::Auto { or: (self.l2_bytes / 4).clamp(1, 1 << 26) as u32 };
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use margay_litmus::read;
    use margay_models::diagnostic::SourceFile;

    use super::DeviceShape;
    use crate::emit::{Environment, GpuTarget, kernel};

    const H100: DeviceShape =
        DeviceShape { multiprocessors: 132, threads: 2048, ctas: 32, l2_bytes: 50 << 20 };

    fn filled(text: &str, environment: &str) -> (u32, u32, u32, u32) {
        let test = read::test(&SourceFile::new("test", text)).unwrap().test;
        let environment = Environment::parse(environment).unwrap();
        let filled = H100.fill(&environment, &test, GpuTarget(90)).unwrap();
        let kernel = kernel(&test, GpuTarget(90), &filled).unwrap();
        (
            kernel.layout.testing,
            kernel.layout.grid,
            kernel.layout.block,
            filled.stress_words.number(),
        )
    }

    #[test]
    fn launches_fill_the_device() {
        let apart = "PTX mp\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, y ;\n\
            st.weak y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
        let together = apart.replace("P1@cta 1", "P1@cta 0");
        // 12 ctas of up to 160 threads, or 7 of 288, on each multiprocessor; without idle warps 16
        // of 128, or 8 of 256.
        assert_eq!(filled(apart, "stress-words=7"), (1584, 1584, 160, 7));
        assert_eq!(filled(&together, ""), (924, 924, 288, (50 << 20) / 4));
        assert_eq!(filled(apart, "idle-warps=0,stress-words=7"), (2112, 2112, 128, 7));
        assert_eq!(filled(&together, "shuffle=off,stress-words=7"), (1056, 1056, 256, 7));
        assert_eq!(filled(apart, "stress-ctas=auto"), (792, 1584, 160, (50 << 20) / 4));
        assert_eq!(filled(apart, "groups=10,stress-ctas=auto,stress-words=1").1, 1584);
        assert_eq!(filled(apart, "groups=10,stress-ctas=3,stress-words=1").1, 23);
        // One instance alone has the whole device beside it, too, whose threads are idle or stress.
        for environment in [
            "parallel=off",
            "parallel=off,shuffle=off",
            "parallel=off,stress-ctas=auto,stress-idle=on",
        ] {
            let (_, grid, block, _) = filled(apart, environment);
            assert!(
                grid * block * 10 >= 132 * 2048 * 9,
                "{environment}: {grid} ctas of {block} threads"
            );
        }
    }
}
