//! How two numbers are compared: by `setp` and branches, by the expressions of C, and by what is
//! asked of a final state.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberComparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl NumberComparison {
    pub const ALL: [NumberComparison; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
    ];

    /// As C and conditions write it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// As PTX writes it, in `setp.eq` and `beq`.
    pub fn mnemonic(self) -> &'static str {
        match self {
            Self::Equal => "eq",
            Self::NotEqual => "ne",
            Self::Less => "lt",
            Self::LessOrEqual => "le",
            Self::Greater => "gt",
            Self::GreaterOrEqual => "ge",
        }
    }

    /// The one of this mnemonic: `eq`, `lt`.
    pub fn of_mnemonic(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|comparison| comparison.mnemonic() == name)
    }

    /// The one that compares without signs whatever the type says: `lo`, `ls`, `hi`, `hs` (PTX ISA
    /// 9.7.6, `setp`).
    pub fn of_unsigned_mnemonic(name: &str) -> Option<Self> {
        match name {
            "lo" => Some(Self::Less),
            "ls" => Some(Self::LessOrEqual),
            "hi" => Some(Self::Greater),
            "hs" => Some(Self::GreaterOrEqual),
            _ => None,
        }
    }

    /// The one that holds where this one does not: of `<`, `>=`.
    pub fn opposite(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }

    /// The one that says the same of the two numbers in the other order: of `<`, `>`.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// Is it `==` or `!=`, which ask for no order?
    pub fn is_of_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }

    /// Does it hold between two numbers? Their type says whether they have signs.
    pub fn holds<N: Ord>(self, a: N, b: N) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NumberComparison;

    #[test]
    fn opposite_and_mirrored_say_what_holds() {
        for comparison in NumberComparison::ALL {
            for (a, b) in [(0, 0), (0, 1), (1, 0), (-1, 1)] {
                let holds = comparison.holds(a, b);
                assert_eq!(comparison.opposite().holds(a, b), !holds, "{comparison:?} {a} {b}");
                assert_eq!(comparison.mirrored().holds(b, a), holds, "{comparison:?} {a} {b}");
            }
            assert_eq!(NumberComparison::of_mnemonic(comparison.mnemonic()), Some(comparison));
            assert_eq!(NumberComparison::of_unsigned_mnemonic(comparison.mnemonic()), None);
        }
        assert!(
            NumberComparison::Less.holds(-1_i64, 1)
                && NumberComparison::Greater.holds(-1_i64 as u64, 1)
        );
    }
}
