//! Deliveries against counterparts that misbehave.

#![allow(clippy::unwrap_used)]

mod buzones;
mod cuerpos;
mod receptores;
