//! What every engine must do, on this one.

mod comun;

embudo_store::store_conformance!(comun::fresh);
