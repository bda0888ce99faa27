//! `embudo config`: the settings in force, for people, for programs, or as the table of docs/settings.md.

use crate::logging::{self, ListFormat};
use crate::settings::{Effective, Settings, markdown_table};
use std::io;

/// How to show the settings.
#[derive(Debug, clap::Args)]
pub struct Config {
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
    /// All settings with defaults and meaning, as a Markdown table
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

impl Config {
    /// Prints the settings. Secrets stay hidden.
    pub fn run(&self, settings: &Settings) -> io::Result<()> {
        if self.markdown {
            return logging::print(&markdown_table());
        }
        let format = ListFormat::from_json_flag(self.json);
        logging::print(&logging::list(format, &["SETTING", "VALUE", "FROM"], &settings.effective(), cells))
    }
}

fn cells(row: &Effective) -> Vec<String> {
    let value = row.value.clone().unwrap_or_else(|| "–".to_owned());
    vec![row.name.to_owned(), value, row.source.clone()]
}
