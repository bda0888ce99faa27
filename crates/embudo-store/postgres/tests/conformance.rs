//! What every engine must do, on this one.

mod comun;

embudo_store_conformance::store_conformance!(comun::fresh);
