//! What holds of all sources: how crates stand on each other, what things are named, what comments
//! say. `INSTA_UPDATE=always cargo test --test architecture` draws the picture of the crates anew.

mod comments;
mod crates;
mod errors;
mod names;
mod workspace;
