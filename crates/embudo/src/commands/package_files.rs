//! Man pages and shell completions for a package, made from the definition of the command line.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::Shell;

/// Write man pages and shell completions into a folder.
#[derive(Debug, Args)]
pub struct PackageFiles {
    /// The folder, which is made where there is none
    folder: PathBuf,
}

impl PackageFiles {
    pub fn run(&self, command: clap::Command) -> Result<(), Box<dyn Error>> {
        std::fs::create_dir_all(&self.folder)?;
        write_man_pages(&command, &self.folder)?;
        let mut command = command;
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            clap_complete::generate_to(shell, &mut command, "embudo", &self.folder)?;
        }
        Ok(())
    }
}

/// Writes one page for the program and one for each command that people use.
fn write_man_pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    let mut command = command.clone().disable_help_subcommand(true);
    command.build();
    clap_mangen::generate_to(command, folder)
}
