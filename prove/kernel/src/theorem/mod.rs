//! What a theorem says: what is to be shown, what is supposed, and the executions that satisfy all
//! of that.

mod evidence;
mod hypotheses;
mod inhabitant;
mod refusals;
mod setting;
mod shapes;

pub use evidence::TheoremEvidence;
pub use hypotheses::{Hypotheses, TheoremQuestion, once};
pub use inhabitant::{Inhabitant, InhabitantFlaw};
pub use setting::{Setting, TheoremGoal, own_checks};
pub use shapes::{InhabitantShape, shapes};
