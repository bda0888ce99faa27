//! How people show who they are.

use embudo_domain::{Digest, UserId};
use embudo_store::StoreError;
use embudo_store::credentials::{LinkKind, NewReset, SessionsEnd, SetPassword, SetTotp, UseReset};
use embudo_store::queries::access;
use rusqlite::{Connection, Params, named_params};

use super::{audit, execute, sessions, visit};
use crate::failure::Step;
use crate::query::run_first;

/// Runs one statement on a person's row: no row means that there is no such person.
fn execute_on_user(connection: &Connection, sql: &str, params: impl Params) -> Step<()> {
    match execute(connection, sql, params)? {
        0 => Err(StoreError::UserNotFound.into()),
        _ => Ok(()),
    }
}

/// Writes a password; other sessions and the link to choose one end.
pub(crate) fn set_password(connection: &Connection, command: &SetPassword) -> Step<()> {
    write_password(connection, command.user, &command.password)?;
    sessions::delete_all(connection, command.user, command.keep)?;
    delete_links(connection, command.user)?;
    if command.keep.is_none() {
        visit::end_feed(connection, command.user)?;
    }
    audit::record(connection, &command.audit)
}

fn write_password(connection: &Connection, user: UserId, password: &str) -> Step<()> {
    let sql = include_str!("../../sql/usuario/set_clave.sql");
    execute_on_user(connection, sql, named_params! {":id": user.0, ":clave": password})
}

/// Writes or removes the second factor and its codes.
pub(crate) fn set_totp(connection: &Connection, command: &SetTotp) -> Step<()> {
    let user = command.user.0;
    if run_first(connection, &access::user(command.user))?.is_none() {
        return Err(StoreError::UserNotFound.into());
    }
    match &command.totp {
        Some(totp) => execute_on_user(
            connection,
            include_str!("../../sql/totp/set.sql"),
            named_params! {":usuario": user, ":secreto": totp.secret, ":paso": totp.last_step},
        )?,
        None => {
            let sql = include_str!("../../sql/totp/delete.sql");
            execute(connection, sql, named_params! {":usuario": user})?;
        }
    }
    let sql = include_str!("../../sql/totp_codigo/delete.sql");
    execute(connection, sql, named_params! {":usuario": user})?;
    for code in &command.codes {
        let sql = include_str!("../../sql/totp_codigo/insert.sql");
        execute(connection, sql, named_params! {":usuario": user, ":huella": code.0})?;
    }
    match command.ends {
        SessionsEnd::None => {}
        SessionsEnd::AllBut(keep) => drop(sessions::delete_all(connection, command.user, Some(keep))?),
        SessionsEnd::All => drop(sessions::delete_all(connection, command.user, None)?),
    }
    audit::record(connection, &command.audit)
}

/// Uses up the codes of a period.
pub(crate) fn spend_step(connection: &Connection, user: UserId, step: i64) -> Step<bool> {
    let sql = include_str!("../../sql/totp/spend.sql");
    Ok(execute(connection, sql, named_params! {":usuario": user.0, ":paso": step})? == 1)
}

/// Uses up a recovery code.
pub(crate) fn spend_code(connection: &Connection, user: UserId, code: Digest) -> Step<bool> {
    let sql = include_str!("../../sql/totp_codigo/spend.sql");
    Ok(execute(connection, sql, named_params! {":usuario": user.0, ":huella": code.0})? == 1)
}

/// Makes a link to choose a password with.
pub(crate) fn create_reset(connection: &Connection, command: &NewReset) -> Step<()> {
    let invitacion = command.kind == LinkKind::Invitation;
    let sql = include_str!("../../sql/recuperacion/delete_kind.sql");
    execute(connection, sql, named_params! {":usuario": command.user.0, ":invitacion": invitacion})?;
    execute_on_user(
        connection,
        include_str!("../../sql/recuperacion/insert.sql"),
        named_params! {
            ":huella": command.digest.0,
            ":usuario": command.user.0,
            ":invitacion": invitacion,
            ":now": command.at.as_microsecond(),
            ":expira_en": command.expira_en.as_microsecond(),
        },
    )?;
    audit::record(connection, &command.audit)
}

/// Chooses a password with a link.
pub(crate) fn use_reset(connection: &Connection, command: &UseReset) -> Step<Option<UserId>> {
    let Some(user) = run_first(connection, &access::reset_user(command.digest, command.at))? else {
        return Ok(None);
    };
    if delete_links(connection, user)? == 0 {
        return Ok(None);
    }
    write_password(connection, user, &command.password)?;
    sessions::delete_all(connection, user, None)?;
    visit::end_feed(connection, user)?;
    audit::record(connection, &command.audit)?;
    Ok(Some(user))
}

/// Ends the links of a person; how many.
pub(super) fn delete_links(connection: &Connection, user: UserId) -> Step<usize> {
    let sql = include_str!("../../sql/recuperacion/delete.sql");
    execute(connection, sql, named_params! {":usuario": user.0})
}
