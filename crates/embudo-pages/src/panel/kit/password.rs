//! Checks the password again in forms whose action cannot be undone or reveals much data.

use crate::WebState;
use crate::panel::{Caller, Signed};
use crate::parts::{FormFields, Refusal};

pub(in crate::panel) const WRONG_PASSWORD: &str = "Esa no es tu contraseña.";

/// Whether the form contains the person's own password.
pub(in crate::panel) async fn is_password(
    state: &WebState,
    signed: &Signed,
    caller: &Caller,
    fields: &FormFields,
) -> Result<bool, Refusal> {
    let user = &signed.open.user;
    state.throttle.again(user.id, caller).await?;
    Ok(state.app.access().is_password(user, fields.raw("clave"), &caller.origin).await?)
}
