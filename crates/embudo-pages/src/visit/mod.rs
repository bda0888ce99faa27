//! `/v/:pase`: where a client chooses, moves or cancels the hour of a visit. Also the calendar feeds that people of a
//! company subscribe to.
//!
//! The pass in the address is the permission. This module must not decide whether an hour is free: the store decides,
//! and the page shows the result.

mod access;
mod feed;
mod page;

use crate::parts::pages;

pages! {
    "/v/{pase}" => get page::show;
    "/v/{pase}/elegir" => post page::pick;
    "/v/{pase}/cancelar" => post page::cancel;
    "/calendario/{secreto}" => get feed::show;
}
