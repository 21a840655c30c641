//! What follows the program: `locations [..]`, `filter (..)`, and the condition.

use margay_models::diagnostic::Diagnostic;

use super::cursor::Cursor;
use crate::test::{
    Condition, ConditionOperand, NumberComparison, Proposition, Quantifier, Variable,
};

/// Words that end the program.
const TAIL: [&str; 5] = ["exists", "forall", "locations", "filter", "ScopeTree"];

/// Does herd's scope tree start here, `scopes: (device (work_group P0) (work_group P1))`?
pub(super) fn scopes_start_here(cursor: &Cursor<'_>) -> bool {
    cursor.peek_word() == Some("scopes") && cursor.is_at(1, ':') && cursor.is_at(2, '(')
}

/// The parts of the tail.
pub(super) struct Tail {
    pub observed: Vec<Variable>,
    pub filter: Option<Proposition>,
    pub condition: Condition,
}

/// Does the tail start here?
pub(super) fn starts_here(cursor: &Cursor<'_>) -> bool {
    let negated =
        cursor.is('~') || cursor.peek_word() == Some("not") && cursor.word_at(1) == Some("exists");
    negated
        || scopes_start_here(cursor)
        || cursor.peek_word().is_some_and(|w| TAIL.contains(&w) && !cursor.is_at(1, ':'))
}

/// Reads the tail up to the end of the text.
pub(super) fn tail(
    cursor: &mut Cursor<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Tail, Diagnostic> {
    let mut observed = Vec::new();
    let mut filter = None;
    loop {
        let start = cursor.span();
        if cursor.eat_word("locations") {
            cursor.expect('[')?;
            while !cursor.eat(']') {
                observed.push(variable(cursor)?);
                if !cursor.eat(';') && !cursor.eat(',') && !cursor.is(']') {
                    return Err(cursor.expected("`;` or `]`"));
                }
            }
        } else if cursor.eat_word("filter") {
            if filter.replace(proposition(cursor)?).is_some() {
                return Err(cursor.error("a second `filter`", start, "join them with `/\\`"));
            }
        } else {
            break;
        }
        cursor.eat(';');
    }
    if cursor.at_end() {
        let warning = Diagnostic::warning("the test ends without a condition").at(
            cursor.file,
            cursor.span(),
            "the end",
        );
        warnings.push(warning.help("read as `exists (true)`: is there an execution at all?"));
        let condition =
            Condition { quantifier: Quantifier::Exists, proposition: Proposition::True };
        return Ok(Tail { observed, filter, condition });
    }
    let quantifier = quantifier(cursor)?;
    let condition = Condition { quantifier, proposition: proposition(cursor)? };
    while cursor.eat(';') {}
    if !cursor.at_end() {
        return Err(cursor.expected("the end of the test"));
    }
    Ok(Tail { observed, filter, condition })
}

fn quantifier(cursor: &mut Cursor<'_>) -> Result<Quantifier, Diagnostic> {
    let negated = cursor.eat('~') || cursor.eat_word("not");
    match cursor.peek_word() {
        Some("exists") => {
            cursor.advance();
            Ok(if negated { Quantifier::NotExists } else { Quantifier::Exists })
        }
        Some("forall") if !negated => {
            cursor.advance();
            Ok(Quantifier::Forall)
        }
        _ => Err(cursor.expected("`exists`, `~exists` or `forall`").help(
            "a test ends with a condition on final states, e.g. `exists (P1:r0 == 1 /\\ x == 2)`",
        )),
    }
}

/// `p => q`, which is `~p \/ q`
fn proposition(cursor: &mut Cursor<'_>) -> Result<Proposition, Diagnostic> {
    cursor.nested(|cursor| {
        let premise = disjunction(cursor)?;
        if !cursor.eat_all("=>") {
            return Ok(premise);
        }
        Ok(Proposition::Or(vec![Proposition::Not(Box::new(premise)), proposition(cursor)?]))
    })
}

/// `p \/ q`
fn disjunction(cursor: &mut Cursor<'_>) -> Result<Proposition, Diagnostic> {
    let mut parts = vec![conjunction(cursor)?];
    while cursor.eat_all("\\/") || cursor.eat_all("||") {
        parts.push(conjunction(cursor)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Proposition::Or(parts) })
}

/// `p /\ q`
fn conjunction(cursor: &mut Cursor<'_>) -> Result<Proposition, Diagnostic> {
    let mut parts = vec![literal(cursor)?];
    while cursor.eat_all("/\\") || cursor.eat_all("&&") {
        parts.push(literal(cursor)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Proposition::And(parts) })
}

/// `~p`, `(p)`, `true`, `a == b`
fn literal(cursor: &mut Cursor<'_>) -> Result<Proposition, Diagnostic> {
    if cursor.is('~') || cursor.is('!') || cursor.peek_word() == Some("not") {
        return cursor.nested(|cursor| {
            cursor.advance();
            Ok(Proposition::Not(Box::new(literal(cursor)?)))
        });
    }
    if cursor.eat('(') {
        let inner = proposition(cursor)?;
        cursor.expect(')')?;
        return Ok(inner);
    }
    // A register may have the name, and is compared then. `=>` follows a proposition.
    if !cursor.is_at(1, '=') || cursor.is_at(2, '>') {
        match cursor.peek_word() {
            Some("true") => {
                cursor.advance();
                return Ok(Proposition::True);
            }
            Some("false") => {
                cursor.advance();
                return Ok(Proposition::False);
            }
            _ => {}
        }
    }
    let left = operand(cursor)?;
    let comparison: NumberComparison =
        cursor.comparison().ok_or_else(|| cursor.expected("a comparison, `==` or `!=`"))?;
    let is_name = cursor.peek_word().is_some();
    let right = match (&left, operand(cursor)?) {
        // In assembly a variable is compared with the address that a name is, not with what is
        // there.
        (ConditionOperand::Variable(_), ConditionOperand::Variable(Variable::Location(name)))
            if cursor.spoken.is_some() && is_name =>
        {
            // An array is at the address of its first element.
            let first = cursor.spoken.as_ref().and_then(|spoken| spoken.element(&name, 0).ok());
            let name = first.unwrap_or(name);
            if let Some((known, _)) = cursor.variables.last_mut() {
                *known = Variable::Location(name.clone());
            }
            ConditionOperand::AddressOf(name)
        }
        (_, right) => right,
    };
    Ok(Proposition::Compare { comparison, left, right })
}

fn operand(cursor: &mut Cursor<'_>) -> Result<ConditionOperand, Diagnostic> {
    if cursor.is_integer() && !cursor.is_at(1, ':') {
        return Ok(ConditionOperand::Integer(cursor.integer("a number")?));
    }
    if cursor.eat('&') {
        return Ok(ConditionOperand::AddressOf(cursor.location("the name of a location")?));
    }
    Ok(ConditionOperand::Variable(variable(cursor)?))
}

/// `P0:r1`, `0:r1`, `x`, `[x]`, `*x`
fn variable(cursor: &mut Cursor<'_>) -> Result<Variable, Diagnostic> {
    let start = cursor.span();
    let variable = variable_here(cursor)?;
    let span = start.to(cursor.previous());
    cursor.variables.push((variable.clone(), span));
    Ok(variable)
}

fn variable_here(cursor: &mut Cursor<'_>) -> Result<Variable, Diagnostic> {
    if let (Some(thread), true) = (cursor.thread_at(0), cursor.is_at(1, ':')) {
        cursor.advance();
        cursor.advance();
        let name = cursor.word("a register")?.0;
        return Ok(Variable::Register { thread, name: cursor.register(thread, name) });
    }
    if cursor.eat('[') {
        let name = cursor.location("the name of a location")?;
        cursor.expect(']')?;
        return Ok(Variable::Location(name));
    }
    cursor.eat('*');
    Ok(Variable::Location(cursor.location("a register (`P0:r1`), a location or a number")?))
}
