//! What every engine must do, on this one.

mod common;

embudo_store_conformance::store_conformance!(common::fresh);
embudo_store_conformance::inbox_conformance!(common::fresh);
