//! Static files: our own styles and JavaScript modules, and the brand files of a company.

use crate::parts::{assets, brand_files, pages};

pages! {
    "/recursos/{version}/{nombre}" => get assets::serve;
    "/f/{slug}/marca.css" => get brand_files::style_sheet;
    "/f/{slug}/logo.png" => get brand_files::logo;
}
