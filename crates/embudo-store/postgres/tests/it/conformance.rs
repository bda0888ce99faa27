//! The conformance suite on this engine.

embudo_store_conformance::store_conformance!(crate::common::fresh);
embudo_store_conformance::inbox_conformance!(crate::common::fresh);
