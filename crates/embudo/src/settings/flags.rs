//! The settings a person gives on the command line. They win over every other source.

use clap::Args;
use std::path::PathBuf;

/// Flags that every command takes.
#[derive(Debug, Clone, Default, Args)]
pub struct Flags {
    /// Read this file instead of ./embudo.toml
    #[arg(long, global = true, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<PathBuf>,

    /// Address and port to listen on (BIND)
    #[arg(long, global = true, value_name = "ADDR:PORT", help_heading = "Settings")]
    pub bind: Option<String>,

    /// Folder for database, photos and key (DATA_DIR)
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Settings")]
    pub data_dir: Option<String>,

    /// sqlite://PATH or postgres://… (DATABASE_URL)
    #[arg(long, global = true, value_name = "URL", help_heading = "Settings")]
    pub database_url: Option<String>,

    /// Any setting by name; may be repeated. Secrets are better kept in the environment
    #[arg(long, global = true, value_name = "NAME=VALUE", help_heading = "Settings")]
    pub set: Vec<String>,
}

/// A setting that was given by a flag.
pub struct Given<'a> {
    /// The flag as it is typed.
    pub flag: &'static str,
    /// The setting it names.
    pub name: &'a str,
    /// Its text, or `None` when `--set` came without `=`.
    pub value: Option<&'a str>,
}

/// The settings with a flag of their own.
const OWN: [(&str, &str); 3] =
    [("BIND", "--bind"), ("DATA_DIR", "--data-dir"), ("DATABASE_URL", "--database-url")];

/// The setting's own flag, if it has one.
pub fn flag_of(name: &str) -> Option<&'static str> {
    OWN.iter().find(|(own, _)| *own == name).map(|(_, flag)| *flag)
}

impl Flags {
    /// All given settings, weakest first: a later one replaces an earlier one of the same name.
    pub fn given(&self) -> Vec<Given<'_>> {
        let set = self.set.iter().map(|text| match text.split_once('=') {
            Some((name, value)) => Given { flag: "--set", name: name.trim(), value: Some(value) },
            None => Given { flag: "--set", name: text, value: None },
        });
        let values = [&self.bind, &self.data_dir, &self.database_url];
        let own = OWN.iter().zip(values).filter_map(|((name, flag), value)| {
            value.as_deref().map(|value| Given { flag, name, value: Some(value) })
        });
        set.chain(own).collect()
    }
}
