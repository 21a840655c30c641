//! From syntax tree to text. What is printed parses to the same tree.

use std::fmt::{self, Display, Formatter};

use super::ast::{
    Binding, Bindings, CatComparison, CatCondition, CatExpr, CatFile, CatInstruction, ExprKind,
    Ident, InstructionKind, Pattern,
};

/// How tightly an expression holds together, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    /// `let .. in`, `fun`, `if`, `try`, `match`
    Open,
    /// `|`
    Union,
    /// `++`
    Add,
    /// `;`
    Sequence,
    /// `\`
    Difference,
    /// `&`
    Intersection,
    /// `~` and the product, which do not combine with closures
    Prefix,
    /// `+ ? *`
    Postfix,
    /// `^-1`
    Inverse,
    /// Applications, names, brackets
    Atom,
}

fn level(expr: &CatExpr) -> Precedence {
    match &expr.kind {
        ExprKind::LetIn(..)
        | ExprKind::Function(..)
        | ExprKind::If(..)
        | ExprKind::Try(..)
        | ExprKind::Match(..) => Precedence::Open,
        ExprKind::Union(_) => Precedence::Union,
        ExprKind::Add(_) => Precedence::Add,
        ExprKind::Sequence(_) => Precedence::Sequence,
        ExprKind::Difference(_) => Precedence::Difference,
        ExprKind::Intersection(_) => Precedence::Intersection,
        ExprKind::Complement(_) | ExprKind::Product(..) => Precedence::Prefix,
        ExprKind::Closure(_) | ExprKind::ReflexiveClosure(_) | ExprKind::Optional(_) => {
            Precedence::Postfix
        }
        ExprKind::Inverse(_) => Precedence::Inverse,
        ExprKind::Name(_)
        | ExprKind::Empty
        | ExprKind::Universe
        | ExprKind::Diagonal(_)
        | ExprKind::Apply(..)
        | ExprKind::Tag(_)
        | ExprKind::List(_)
        | ExprKind::Tuple(_) => Precedence::Atom,
    }
}

/// An expression, in parentheses if it is looser than the context allows.
struct AtLeast<'a>(&'a CatExpr, Precedence);

impl Display for AtLeast<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if level(self.0) >= self.1 { self.0.fmt(f) } else { write!(f, "({})", self.0) }
    }
}

/// Members with a separator between them.
fn list<T: Display>(
    f: &mut Formatter<'_>,
    members: impl IntoIterator<Item = T>,
    separator: &str,
) -> fmt::Result {
    for (i, member) in members.into_iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        member.fmt(f)?;
    }
    Ok(())
}

impl Display for CatExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Empty => f.write_str("0"),
            ExprKind::Universe => f.write_str("_"),
            ExprKind::Union(es) => list(f, es.iter().map(|e| AtLeast(e, Precedence::Add)), " | "),
            ExprKind::Add(es) => {
                list(f, es.iter().map(|e| AtLeast(e, Precedence::Sequence)), " ++ ")
            }
            ExprKind::Sequence(es) => {
                list(f, es.iter().map(|e| AtLeast(e, Precedence::Difference)), "; ")
            }
            ExprKind::Difference(es) => {
                list(f, es.iter().map(|e| AtLeast(e, Precedence::Intersection)), " \\ ")
            }
            ExprKind::Intersection(es) => {
                list(f, es.iter().map(|e| AtLeast(e, Precedence::Prefix)), " & ")
            }
            ExprKind::Product(a, b) => {
                let right = if matches!(b.kind, ExprKind::Complement(_)) {
                    Precedence::Prefix
                } else {
                    Precedence::Inverse
                };
                write!(f, "{} * {}", AtLeast(a, Precedence::Postfix), AtLeast(b, right))
            }
            ExprKind::Complement(e) => {
                let inner = if matches!(e.kind, ExprKind::Complement(_)) {
                    Precedence::Prefix
                } else {
                    Precedence::Inverse
                };
                write!(f, "~{}", AtLeast(e, inner))
            }
            ExprKind::Inverse(e) => write!(f, "{}^-1", AtLeast(e, Precedence::Inverse)),
            ExprKind::Closure(e) => {
                // `++` is an operator of its own.
                let inner = if matches!(e.kind, ExprKind::Closure(_)) {
                    Precedence::Inverse
                } else {
                    Precedence::Postfix
                };
                write!(f, "{}+", AtLeast(e, inner))
            }
            ExprKind::ReflexiveClosure(e) => write!(f, "{}*", AtLeast(e, Precedence::Postfix)),
            ExprKind::Optional(e) => write!(f, "{}?", AtLeast(e, Precedence::Postfix)),
            ExprKind::Diagonal(e) => write!(f, "[{e}]"),
            ExprKind::Apply(function, arguments) => {
                write!(f, "{}(", AtLeast(function, Precedence::Atom))?;
                list(f, arguments, ", ")?;
                f.write_str(")")
            }
            ExprKind::LetIn(bindings, body) => write!(f, "let {bindings} in {body}"),
            ExprKind::Function(parameters, body) => {
                write!(f, "fun {} -> {body}", Parameters(parameters))
            }
            ExprKind::If(condition, then, otherwise) => {
                write!(f, "if {condition} then {then} else {otherwise}")
            }
            ExprKind::Try(first, second) => write!(f, "try {first} with {second}"),
            ExprKind::Tag(tag) => write!(f, "'{tag}"),
            ExprKind::List(es) => {
                f.write_str("{")?;
                list(f, es, ", ")?;
                f.write_str("}")
            }
            ExprKind::Tuple(es) => {
                f.write_str("(")?;
                list(f, es, ", ")?;
                f.write_str(")")
            }
            ExprKind::Match(e, arms) => {
                write!(f, "match {e} with")?;
                arms.iter().try_for_each(|(pattern, body)| write!(f, " || {pattern} -> {body}"))?;
                f.write_str(" end")
            }
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) => write!(f, "'{tag}"),
            Self::Any => f.write_str("_"),
            Self::Empty => f.write_str("{}"),
            Self::Split(element, others) => write!(f, "{element} ++ {others}"),
        }
    }
}

impl Display for CatComparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::Subset => "subset",
            Self::In => "in",
        })
    }
}

/// `(x, y)`
struct Parameters<'a>(&'a [Ident]);

impl Display for Parameters<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, self.0, ", ")?;
        f.write_str(")")
    }
}

impl Display for Ident {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Display for Binding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        if let Some(parameters) = &self.parameters {
            Parameters(parameters).fmt(f)?;
        }
        write!(f, " = {}", self.body)
    }
}

impl Display for Bindings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.recursive {
            f.write_str("rec ")?;
        }
        list(f, &self.bindings, " and ")
    }
}

impl Display for CatCondition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        /// A member of a list, in parentheses if it is a list itself.
        struct ListMember<'a>(&'a CatCondition);
        impl Display for ListMember<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                match self.0 {
                    CatCondition::And(_) | CatCondition::Or(_) => write!(f, "({})", self.0),
                    CatCondition::Compare(..) => write!(f, "({})", self.0),
                    CatCondition::Variant(_) | CatCondition::Not(_) => self.0.fmt(f),
                }
            }
        }
        match self {
            Self::Variant(name) => write!(f, "\"{name}\""),
            Self::Not(inner) => write!(f, "~{}", ListMember(inner)),
            Self::And(members) => list(f, members.iter().map(ListMember), " && "),
            Self::Or(members) => list(f, members.iter().map(ListMember), " || "),
            Self::Compare(comparison, a, b) => {
                // In front of a condition `~` is "not".
                let left = AtLeast(a, Precedence::Union).to_string();
                if left.starts_with('~') {
                    write!(f, "({left}) {comparison} {}", AtLeast(b, Precedence::Union))
                } else {
                    write!(f, "{left} {comparison} {}", AtLeast(b, Precedence::Union))
                }
            }
        }
    }
}

impl Display for CatInstruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            InstructionKind::Let(bindings) => write!(f, "let {bindings}"),
            InstructionKind::Check { role, negated, kind, expr, name } => {
                let role = role.to_string();
                let tilde = if *negated { "~" } else { "" };
                write!(f, "{role}{}{tilde}{kind} {expr}", if role.is_empty() { "" } else { " " })?;
                name.as_ref().map_or(Ok(()), |name| write!(f, " as {name}"))
            }
            InstructionKind::Include(path) => write!(f, "include \"{path}\""),
            InstructionKind::Show(shown) => {
                f.write_str("show ")?;
                for (i, (expr, name)) in shown.iter().enumerate() {
                    write!(f, "{}{expr}", if i > 0 { ", " } else { "" })?;
                    name.as_ref().map_or(Ok(()), |name| write!(f, " as {name}"))?;
                }
                Ok(())
            }
            InstructionKind::Unshow(hidden) => {
                f.write_str("unshow ")?;
                list(f, hidden, ", ")
            }
            InstructionKind::Procedure { recursive, name, parameters, body } => {
                writeln!(
                    f,
                    "procedure {}{name}{} =",
                    if *recursive { "rec " } else { "" },
                    Parameters(parameters)
                )?;
                block(f, body)?;
                f.write_str("end")
            }
            InstructionKind::Call { name, arguments } => {
                write!(f, "call {name}(")?;
                list(f, arguments, ", ")?;
                f.write_str(")")
            }
            InstructionKind::If { condition, then, otherwise } => {
                writeln!(f, "if {condition}")?;
                block(f, then)?;
                if !otherwise.is_empty() {
                    writeln!(f, "else")?;
                    block(f, otherwise)?;
                }
                f.write_str("end")
            }
            InstructionKind::With { name, from } => write!(f, "with {name} from {from}"),
            InstructionKind::ForAll { name, set, body } => {
                writeln!(f, "forall {name} in {set} do")?;
                block(f, body)?;
                f.write_str("end")
            }
            InstructionKind::Match { expr, arms } => {
                writeln!(f, "match {expr} with")?;
                for (pattern, body) in arms {
                    writeln!(f, "|| {pattern} ->")?;
                    block(f, body)?;
                }
                f.write_str("end")
            }
            InstructionKind::Enum { name, tags } => {
                write!(f, "enum {name} = ")?;
                list(f, tags.iter().map(|t| format!("'{t}")), " || ")
            }
        }
    }
}

/// Instructions, each on a line of its own.
fn block(f: &mut Formatter<'_>, instructions: &[CatInstruction]) -> fmt::Result {
    instructions.iter().try_for_each(|i| writeln!(f, "{i}"))
}

impl Display for CatFile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(architecture) = &self.architecture {
            writeln!(f, "{architecture}")?;
        }
        if let Some(title) = &self.title {
            writeln!(f, "\"{title}\"")?;
        }
        block(f, &self.instructions)
    }
}
