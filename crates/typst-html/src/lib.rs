//! Stands in for the typesetter's crate of the same name (docs/adr/0034).
//!
//! Quotes are printed. The real crate makes web pages of documents; it brings a rasteriser and fourteen more crates
//! with it. What lays out printed documents only asks it whether something is an element of a web page, and nothing
//! ever is.

use typst_library::foundations::elem;

/// An element of a web page, which no document has.
#[elem]
pub struct HtmlElem {
    #[required]
    pub tag: i64,
}

pub mod tag {
    pub fn should_group_into_pars(_tag: i64) -> bool {
        false
    }

    pub fn is_whitespace_collapsing(_tag: i64) -> bool {
        false
    }
}
