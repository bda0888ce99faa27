//! What every engine must do, on this one.

embudo_store_conformance::store_conformance!(crate::common::fresh);
embudo_store_conformance::inbox_conformance!(crate::common::fresh);
