//! Executions whose sets are several words mean what they mean in one: with accesses of other
//! threads to another place beside it, an execution is judged and explained as without them.

use margay_models::Model;
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};
use margay_models::explain::violation;
use margay_models::judge::{Judge, JudgedValue, evaluate};
use margay_models::wellformed;

use crate::random::{Random, describe, execution};
use crate::shipped::models;

/// The execution with threads beside its own until it has so many events, each with a write and a
/// read of one place that nothing else accesses. Its own events keep their numbers.
fn padded(x: &Execution, size: usize) -> Execution {
    let place = x.locations.len() as u16;
    let mut wide = x.clone();
    wide.locations.push(Location { name: "other".to_owned(), physical: place, atomic: true });
    let order = if x.signature.has_orders() { Order::Rlx } else { Order::Plain };
    let scope = x.signature.has_orders().then_some(Scope::Sys);
    let mut events = x.events.clone();
    let access = |kind: Kind, thread: u16| EventData {
        location: Some(place),
        scope,
        ..EventData::new(kind, Some(thread), order)
    };
    events.push(EventData {
        location: Some(place),
        ..EventData::new(Kind::Init, None, Order::Plain)
    });
    while events.len() < size {
        let thread = wide.threads.len() as u16;
        wide.threads.push(Placement::default());
        events.extend([access(Kind::Write, thread), access(Kind::Read, thread)]);
    }
    let generic = x.generic.iter().copied().chain([place]).collect();
    let mut wide =
        Execution { generic, ..Execution::new(x.signature, events, wide.threads, wide.locations) };
    let copy =
        |from: &BitMatrix, to: &mut BitMatrix| from.pairs().for_each(|(a, b)| to.insert(a, b));
    copy(&x.rf, &mut wide.rf);
    copy(&x.co, &mut wide.co);
    copy(&x.rmw, &mut wide.rmw);
    copy(&x.addr, &mut wide.addr);
    copy(&x.data, &mut wide.data);
    copy(&x.ctrl, &mut wide.ctrl);
    copy(&x.sync_fence, &mut wide.sync_fence);
    copy(&x.sync_barrier, &mut wide.sync_barrier);
    let first = x.size();
    for write in (first + 1..wide.size()).step_by(2) {
        wide.rf.insert(Event::from(write), Event::from(write + 1));
        for later in
            (first + 1..wide.size()).step_by(2).filter(|&later| later > write).chain([write])
        {
            let earlier = if later == write { first } else { write };
            wide.co.insert(Event::from(earlier), Event::from(later));
        }
    }
    wide
}

/// What a definition says of the first events.
fn of_first(value: JudgedValue, n: usize) -> Vec<(usize, usize)> {
    let pairs: Vec<(usize, usize)> = match value {
        JudgedValue::Set(set) => set.iter().map(|e| (e.index(), e.index())).collect(),
        JudgedValue::Relation(relation) => {
            relation.pairs().map(|(a, b)| (a.index(), b.index())).collect()
        }
    };
    pairs.into_iter().filter(|&(a, b)| a < n && b < n).collect()
}

fn compare(model: &Model, judge: &mut Judge, x: &Execution, size: usize) {
    let wide = padded(x, size);
    let about = || format!("{} {size}: {}", model.source.name, describe(x));
    assert_eq!(wellformed::violations(x), wellformed::violations(&wide), "{}", about());
    let (narrow, of_wide) = (judge.judge(x), judge.judge(&wide));
    assert_eq!(narrow, of_wide, "{}", about());
    for definition in &model.definitions {
        let of = |x: &Execution, first: usize| {
            evaluate(model, x, &definition.name).map(|value| of_first(value, first))
        };
        assert_eq!(of(x, x.size()), of(&wide, x.size()), "{} {}", definition.name, about());
    }
    for check in (0..model.checks.len()).filter(|&check| !narrow.holds[check]) {
        let of = |x: &Execution| violation(model, x, check).map(|v| format!("{:?}", v.finding));
        assert_eq!(of(x), of(&wide), "{}", about());
    }
}

#[test]
fn executions_are_judged_and_explained_alike_in_one_word_and_in_several() {
    let models = models();
    let mut random = Random::new(41);
    let mut refuted = 0;
    for model in &models {
        let mut judge = Judge::new(model);
        for n in 0..12 {
            let x = execution(&mut random, model.signature);
            // Both at once, so that a judge goes from words to more and back.
            compare(model, &mut judge, &x, [65, 66, 127, 128, 129, 200][n % 6]);
            refuted += usize::from(!judge.is_consistent(&x));
        }
    }
    assert!(refuted > models.len(), "executions that are forbidden were met: {refuted}");
}
