//! `/v/:pase`: where a client chooses the hour of a visit, moves it or cancels it; and the calendars that people of a
//! company follow.
//!
//! The pass in the address is the permission. It must not decide whether an hour is free: the store does, and the page
//! shows what came of it.

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
