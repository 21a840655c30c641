//! Which of several functions a call means (C++ [over.match]). Where that is not known the call is
//! refused, and both functions are named.

use std::cmp::Ordering;
use std::rc::Rc;

use super::conversion::{ConversionSequence, ReferenceBinding, binding_of, is_left};
use super::function_value::FoundMethod;
use super::typename::is_reference;
use super::{
    KernelLowering, KnownSpace, LoweringResult, LoweringStop, TypedValue, ValueForm, ValuePlace,
};
use crate::lex::{CudaRefusal, CudaSpan};
use crate::tree::{FunctionTree, ParameterTree, TemplateArgument, TemplateParameter, TypeTree};
use crate::types::{CudaType, ReferenceKind, TemplateBinding, TemplateBindings, TypeShape};

/// The object that a method is called for: its type, and whether it is a variable.
pub(super) type CalledObject<'o> = Option<(&'o CudaType, bool)>;

/// A function that takes the values of a call.
struct OverloadCandidate {
    /// Its number among those that there are.
    number: usize,
    bindings: TemplateBindings,
    types: Vec<CudaType>,
    object: Option<ConversionSequence>,
    values: Vec<ConversionSequence>,
}

/// What the parameters of a function's template are, the types of its own, and the ways of values
/// to them.
type FittedParameters = (TemplateBindings, Vec<CudaType>, Vec<ConversionSequence>);

/// What comes of looking for the best of several functions.
enum OverloadChoice {
    One(usize, Rc<TemplateBindings>),
    /// None takes the values; and what was not understood of a template.
    None(Option<CudaRefusal>),
    /// The one that is declared here, but it would refer to what it may not refer to.
    Forbidden(CudaSpan),
}

impl KernelLowering {
    /// Which of several functions takes these values best, and what the parameters of its template
    /// are.
    pub(super) fn chosen(
        &mut self,
        all: &[FoundMethod],
        explicit: Option<&[TemplateArgument]>,
        values: &[TypedValue],
        object: CalledObject<'_>,
        (name, at): (&str, CudaSpan),
    ) -> LoweringResult<(usize, Rc<TemplateBindings>)> {
        match self.choice_of(all, explicit, values, object, (name, at))? {
            OverloadChoice::One(n, bindings) => Ok((n, bindings)),
            OverloadChoice::None(unmade) => {
                // What is not understood of the only one is said.
                if let (Some(refusal), [_]) = (unmade, all) {
                    return Err(LoweringStop::Refused(refusal));
                }
                let types: Vec<String> = values.iter().map(|v| self.type_text(&v.ty)).collect();
                let text = format!("no `{name}` that is known here takes ({})", types.join(", "));
                self.refuse(
                    at,
                    text,
                    "give what it takes, or write the arguments of the template in `<..>`",
                )
            }
            OverloadChoice::Forbidden(declared) => {
                let types: Vec<String> = values.iter().map(|v| self.type_text(&v.ty)).collect();
                let place = match declared.file {
                    0 => "of the library".to_owned(),
                    _ => format!("in line {}", self.line_of(declared).0),
                };
                let types = types.join(", ");
                let text = format!(
                    "the `{name}` {place} does not take ({types}): it would refer to what is constant, volatile or no variable"
                );
                let help = "C++ binds `T&` to variables only, and drops no `const`: give it a variable, or make the parameter `const T&`";
                let refusal = CudaRefusal::new(at, text, help);
                Err(match declared.file {
                    0 => refusal,
                    _ => refusal.beside(declared, "here it is declared"),
                }
                .into())
            }
        }
    }

    /// The same; nothing where none takes them.
    pub(super) fn chosen_if_any(
        &mut self,
        all: &[FoundMethod],
        values: &[TypedValue],
        object: CalledObject<'_>,
        what: (&str, CudaSpan),
    ) -> LoweringResult<Option<(usize, Rc<TemplateBindings>)>> {
        Ok(match self.choice_of(all, None, values, object, what)? {
            OverloadChoice::One(n, bindings) => Some((n, bindings)),
            OverloadChoice::None(_) | OverloadChoice::Forbidden(_) => None,
        })
    }

    fn choice_of(
        &mut self,
        all: &[FoundMethod],
        explicit: Option<&[TemplateArgument]>,
        values: &[TypedValue],
        object: CalledObject<'_>,
        (name, at): (&str, CudaSpan),
    ) -> LoweringResult<OverloadChoice> {
        let (mut candidates, unmade) = self.candidates(all, explicit, values, object, at)?;
        self.drop_declared(all, &mut candidates, values.len());
        let is_unfit = |c: &OverloadCandidate| {
            c.object.iter().chain(&c.values).any(ConversionSequence::is_unfit)
        };
        let forbidden = candidates.iter().find(|c| is_unfit(c)).map(|c| all[c.number].0.at);
        candidates.retain(|c| !is_unfit(c));
        if let (Some(declared), true) = (forbidden, candidates.is_empty()) {
            return Ok(OverloadChoice::Forbidden(declared));
        }
        let is_best = |n: usize| {
            (0..candidates.len()).all(|m| {
                n == m
                    || self.order_of_candidates(all, (&candidates[n], &candidates[m]), values.len())
                        == Ordering::Less
            })
        };
        let Some(best) = (0..candidates.len()).find(|&n| is_best(n)) else {
            let [first, second] = match self.rivals(all, &candidates, values.len()) {
                Some(rivals) => rivals.map(|n| all[candidates[n].number].0.at),
                None => return Ok(OverloadChoice::None(unmade)),
            };
            return Err(self.ambiguous(name, (first, second), at).into());
        };
        let OverloadCandidate { number, bindings, .. } = candidates.swap_remove(best);
        match self.special_function(all, number, &bindings, at)? {
            Some(special) => Ok(OverloadChoice::One(special, Rc::default())),
            None => Ok(OverloadChoice::One(number, Rc::new(bindings))),
        }
    }

    /// Two candidates of which neither is better, and than which none is.
    fn rivals(
        &self,
        all: &[FoundMethod],
        candidates: &[OverloadCandidate],
        count: usize,
    ) -> Option<[usize; 2]> {
        let order = |a: usize, b: usize| {
            self.order_of_candidates(all, (&candidates[a], &candidates[b]), count)
        };
        let pairs =
            (0..candidates.len()).flat_map(|a| (a + 1..candidates.len()).map(move |b| [a, b]));
        let mut open: Vec<[usize; 2]> =
            pairs.filter(|&[a, b]| order(a, b) == Ordering::Equal).collect();
        open.sort_by_key(|&[a, b]| {
            (0..candidates.len())
                .filter(|&c| order(c, a) == Ordering::Less || order(c, b) == Ordering::Less)
                .count()
        });
        open.into_iter().next()
    }

    /// The functions that take these values, and what was not understood of one that does not.
    fn candidates(
        &mut self,
        all: &[FoundMethod],
        explicit: Option<&[TemplateArgument]>,
        values: &[TypedValue],
        object: CalledObject<'_>,
        at: CudaSpan,
    ) -> LoweringResult<(Vec<OverloadCandidate>, Option<CudaRefusal>)> {
        let (mut found, mut unmade) = (Vec::new(), None);
        for (number, (function, owner, _)) in all.iter().enumerate() {
            if function.specialises.is_some() || !function.takes(values.len()) {
                continue;
            }
            let owner = (*owner != usize::MAX).then_some(*owner);
            let (depth, frames) = (self.depth, self.frames.len());
            match self.candidate(function, owner, explicit, values, at) {
                Ok(Some((bindings, types, values))) => {
                    let object = object
                        .filter(|_| !function.is_static)
                        .map(|of| self.sequence_of_object(function, of));
                    found.push(OverloadCandidate { number, bindings, types, object, values });
                }
                Ok(None) => {}
                // A template that cannot be made of these is not meant (`std::enable_if_t`).
                Err(LoweringStop::Refused(refusal)) if function.template.is_some() => {
                    self.depth = depth;
                    self.frames.truncate(frames);
                    unmade = unmade.or(Some(refusal));
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok((found, unmade))
    }

    /// Of what is declared and defined the definition counts.
    fn drop_declared(
        &self,
        all: &[FoundMethod],
        candidates: &mut Vec<OverloadCandidate>,
        count: usize,
    ) {
        let is_again = |n: usize, m: usize| {
            let (a, b) = (&candidates[n], &candidates[m]);
            let (f, g) = (&all[a.number].0, &all[b.number].0);
            let is_worse = f.body.is_none() && !f.is_defaulted && (g.body.is_some() || n < m);
            let is_one = f.template.is_some() == g.template.is_some()
                && f.namespace == g.namespace
                && f.object == g.object
                && f.takes_any_number() == g.takes_any_number()
                && a.types == b.types;
            is_worse
                && is_one
                && (f.template.is_none()
                    || self.specificity((f, g), count) == Some(Ordering::Equal))
        };
        let kept: Vec<bool> = (0..candidates.len())
            .map(|n| !(0..candidates.len()).any(|m| m != n && is_again(n, m)))
            .collect();
        let mut kept = kept.into_iter();
        candidates.retain(|_| kept.next().unwrap_or(true));
    }

    /// Is the first of two better (less), worse, or neither?
    fn order_of_candidates(
        &self,
        all: &[FoundMethod],
        (a, b): (&OverloadCandidate, &OverloadCandidate),
        count: usize,
    ) -> Ordering {
        let objects = a.object.iter().zip(&b.object);
        let mut found = Ordering::Equal;
        for (x, y) in objects.chain(a.values.iter().zip(&b.values)) {
            match (found, x.ranked(y)) {
                (_, Ordering::Equal) => {}
                (Ordering::Equal, order) => found = order,
                (known, order) if known != order => return Ordering::Equal,
                _ => {}
            }
        }
        if found != Ordering::Equal {
            return found;
        }
        let ((f, of_f, _), (g, of_g, _)) = (&all[a.number], &all[b.number]);
        let better = |is_first: bool, is_second: bool| is_second.cmp(&is_first);
        let by_template = better(f.template.is_none(), g.template.is_none());
        // The one of the structure itself hides that of its base (`using B::f`).
        let is_within = |of: usize, base: usize| {
            of != base && of < usize::MAX && base < usize::MAX && self.base_at(of, base).is_some()
        };
        let by_owner = match a.types == b.types {
            true => better(is_within(*of_f, *of_g), is_within(*of_g, *of_f)),
            false => Ordering::Equal,
        };
        let by_pattern = match (&f.template, &g.template) {
            (Some(_), Some(_)) => self.specificity((f, g), count).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        };
        let by_conditions = self.order_of_conditions(f, g);
        // The program's own comes before the library's, which are written so that the later one is
        // meant.
        let by_file = better(f.at.file > 0, g.at.file > 0);
        let by_place = match f.at.file == 0 && g.at.file == 0 || f.is_defaulted && g.is_defaulted {
            true => b.number.cmp(&a.number),
            false => Ordering::Equal,
        };
        [by_template, by_owner, by_pattern, by_conditions, by_file, by_place]
            .into_iter()
            .find(|order| *order != Ordering::Equal)
            .unwrap_or(Ordering::Equal)
    }

    /// A function as a candidate: the parameters of its template, the types of its own, and the
    /// ways of the values to them.
    fn candidate(
        &mut self,
        function: &Rc<FunctionTree>,
        owner: Option<usize>,
        explicit: Option<&[TemplateArgument]>,
        values: &[TypedValue],
        at: CudaSpan,
    ) -> LoweringResult<Option<FittedParameters>> {
        let mut bindings: TemplateBindings =
            owner.map_or_else(Vec::new, |o| (*self.structures[o].bindings).clone());
        if let Some(parameters) = function.template.clone() {
            let Some(own) =
                self.deduced(function, &parameters, (explicit, values), &bindings, at)?
            else {
                return Ok(None);
            };
            bindings = own;
        } else if explicit.is_some() {
            return Ok(None);
        }
        let namespace = match owner {
            Some(owner) => self.structures[owner].tree.namespace.clone(),
            None => function.namespace.clone(),
        };
        if !self.are_true(&function.constraints, &namespace, &bindings)? {
            return Ok(None);
        }
        let shared = Rc::new(bindings.clone());
        let single = function.parameters.iter().filter(|p| !p.is_pack).count();
        let parameters: Vec<_> =
            (0..values.len()).filter_map(|n| function.parameters.get(n.min(single))).collect();
        let types = self.outside(namespace, shared, owner, |this| {
            let of =
                |(n, p): (usize, &&ParameterTree)| this.type_of_parameter(p, n.checked_sub(single));
            let types =
                parameters.iter().enumerate().map(of).collect::<LoweringResult<Vec<_>>>()?;
            // What it returns may say that it is not meant.
            match &function.result {
                _ if function.template.is_none() => {}
                TypeTree::Named(_) => _ = this.resolved(&function.result)?,
                TypeTree::OfExpression(_) => {
                    // Its parameters may be named there.
                    let (mut pack, mut kinds) = (Vec::new(), Vec::new());
                    for (parameter, (ty, value)) in parameters.iter().zip(types.iter().zip(values))
                    {
                        let form = match &value.form {
                            ValueForm::Place(place) if ty.is_similar(&value.ty) => {
                                ValueForm::Place(place.clone())
                            }
                            _ => ValueForm::Place(ValuePlace::Memory {
                                base: "%rd0".into(),
                                offset: 0,
                                space: KnownSpace::Any,
                            }),
                        };
                        let value = TypedValue { ty: ty.referred(), form };
                        if parameter.is_pack {
                            pack.push(value);
                            kinds.push(ty.reference);
                            continue;
                        }
                        this.bind(parameter.name.clone(), value);
                        if let Some(kind) = ty.reference {
                            this.refers(parameter.name.clone(), kind);
                        }
                    }
                    if let Some(parameter) = function.parameters.iter().find(|p| p.is_pack) {
                        this.bind_pack(parameter.name.clone(), pack, kinds);
                    }
                    this.resolved(&function.result)?;
                }
                _ => {}
            }
            Ok(types)
        })?;
        let mut ways = Vec::new();
        for ((ty, value), parameter) in types.iter().zip(values).zip(&parameters) {
            if parameter.is_any {
                ways.push(ConversionSequence::any());
                continue;
            }
            let binding = binding_of(ty);
            let ty = match (binding, &ty.shape) {
                (ReferenceBinding::Copy, TypeShape::Array(of, _)) => {
                    CudaType::pointer((**of).clone())
                }
                _ => ty.referred(),
            };
            let Some(way) = self.sequence(value, &ty, binding)? else { return Ok(None) };
            ways.push(way);
        }
        Ok(Some((bindings, types, ways)))
    }

    /// What the parameters of a function's template are for these values; nothing where that is not
    /// said.
    fn deduced(
        &mut self,
        function: &FunctionTree,
        parameters: &[TemplateParameter],
        (explicit, values): (Option<&[TemplateArgument]>, &[TypedValue]),
        around: &TemplateBindings,
        at: CudaSpan,
    ) -> LoweringResult<Option<TemplateBindings>> {
        let mut deduced: TemplateBindings = Vec::new();
        let explicit = self.unpacked_arguments(explicit.unwrap_or(&[]), at)?;
        if explicit.len() > parameters.len()
            && !parameters.last().is_some_and(TemplateParameter::is_pack)
        {
            return Ok(None);
        }
        for (n, (parameter, argument)) in parameters.iter().zip(&explicit).enumerate() {
            let binding = match parameter.is_pack() {
                true => self.pack_binding(parameter, &explicit[n..], &deduced, at)?,
                false => self.template_binding(parameter, argument, &deduced, at)?,
            };
            deduced.push((parameter.name().clone(), binding));
        }
        let passed =
            |value: &TypedValue, tree: &TypeTree| match (&value.ty.shape, is_reference(tree)) {
                (TypeShape::Array(of, _), false) => {
                    CudaType::pointer((**of).clone().within(&value.ty))
                }
                (_, false) => value.ty.value(),
                _ => value.ty.clone(),
            };
        // `T&&` of its own template: of a variable `T` is a reference.
        let passed_for = |value: &TypedValue, tree: &'_ TypeTree| -> (TypeTree, CudaType) {
            let of = forwarding(tree, parameters).filter(|_| is_left(value));
            match of {
                Some(of) => (
                    of.clone(),
                    CudaType { reference: Some(ReferenceKind::Left), ..passed(value, tree) },
                ),
                None => (tree.clone(), passed(value, tree)),
            }
        };
        let single = function.parameters.iter().filter(|p| !p.is_pack);
        let explicit = deduced.len();
        for (parameter, value) in single.clone().zip(values) {
            let (tree, ty) = passed_for(value, &parameter.ty);
            let mut own = deduced[..explicit].to_vec();
            self.deduce(&tree, &ty, parameters, &mut own);
            for (name, binding) in own.into_iter().skip(explicit) {
                match deduced.iter().find(|(known, _)| *known == name) {
                    // One parameter is not two types. (The library's own functions leave it open.)
                    Some((_, known)) if function.at.file > 0 && !is_one(known, &binding) => {
                        return Ok(None);
                    }
                    Some(_) => {}
                    None => deduced.push((name, binding)),
                }
            }
        }
        if let Some(parameter) = function.parameters.last().filter(|p| p.is_pack) {
            let rest =
                values.iter().skip(single.count()).map(|value| passed_for(value, &parameter.ty));
            let all: Vec<(TypeTree, CudaType)> = rest.collect();
            self.deduce_pack(&all, &parameter.ty, parameters, &mut deduced);
        }
        let mut sorted: TemplateBindings = around.clone();
        for parameter in parameters {
            let found =
                deduced.iter().find(|(name, _)| name == parameter.name()).map(|(_, b)| b.clone());
            let binding = match found {
                Some(binding) => Some(binding),
                // Of what nothing is said there are none.
                None if parameter.is_pack() => Some(TemplateBinding::Pack(Vec::new())),
                None => self.default_binding(parameter, &sorted)?,
            };
            let Some(binding) = binding else { return Ok(None) };
            sorted.push((parameter.name().clone(), binding));
        }
        Ok(Some(sorted))
    }

    /// The type of a parameter, of one of a pack by its number there.
    pub(super) fn type_of_parameter(
        &mut self,
        parameter: &ParameterTree,
        number: Option<usize>,
    ) -> LoweringResult<CudaType> {
        match number.filter(|_| parameter.is_pack) {
            Some(number) => {
                self.with_element(&super::pack::words_of(&parameter.ty), number, |this| {
                    this.resolved_argument(&parameter.ty)
                })
            }
            None => self.resolved_argument(&parameter.ty),
        }
    }
}

/// What `T&&` is of, if `T` is a parameter of the function's own template: it refers to whatever is
/// given (C++ [temp.deduct.call]).
fn forwarding<'t>(tree: &'t TypeTree, parameters: &[TemplateParameter]) -> Option<&'t TypeTree> {
    let TypeTree::Reference(of) = tree else { return None };
    let TypeTree::Rvalue(of) = &**of else { return None };
    let TypeTree::Named(path) = &**of else { return None };
    let is_parameter = path.parts.len() == 1 && path.last().arguments.is_none();
    (is_parameter && parameters.iter().any(|p| *p.name() == path.last().name)).then_some(of)
}

/// Are two things that a parameter is found to be the same? Of numbers their values are.
pub(super) fn is_one(a: &TemplateBinding, b: &TemplateBinding) -> bool {
    match (a, b) {
        (TemplateBinding::Value(_, a), TemplateBinding::Value(_, b)) => a == b,
        (a, b) => a == b,
    }
}
