//! `embudo import`: leads from a spreadsheet's CSV, by the same rules as the API's.
//!
//! Nothing is written until `--yes`. A person who exists already (the same telephone or e-mail) is reported and left
//! out, so that a file can be imported again after an interruption. No notices or signals are sent for imported leads.
//! The file is read line by line.

mod columns;
mod encoding;

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Read, Seek as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use csv::{ByteRecord, ReaderBuilder, Terminator};
use embudo_app::App;
use embudo_backup::Progress as _;
use embudo_domain::EmpresaId;
use embudo_domain::body::Body as _;
use embudo_domain::lead::NewLead;
use embudo_store::leads::LeadFilter;

use self::columns::Columns;
use self::encoding::{Encoding, Text};
use super::backup::Bar;
use super::find_empresa::find_empresa;
use crate::installation;
use crate::logging::{self, clean};
use crate::settings::Settings;

/// The maximum of lines with faults, and of duplicates, that are listed.
const TOLD: usize = 100;
/// The maximum of bytes in a line. A longer line cannot come from a spreadsheet.
const LONGEST: usize = 1 << 20;

/// The maximum of lines within one cell that are checked.
const LOOKED_AT: usize = 1_000;

/// Which file, and what its columns mean.
#[derive(Debug, Args)]
pub struct Import {
    /// The file: CSV with a line of headings, separated by commas, semicolons or tabs
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What a column means, where its heading does not say it: «Móvil=telefono»; «Notas=-» leaves it out
    #[arg(long = "map", value_name = "HEADING=FIELD")]
    map: Vec<String>,
    /// Company, by id or slug; the default one where it is not given
    #[arg(long, value_name = "ID|SLUG")]
    empresa: Option<String>,
    /// Import also those whose telephone or e-mail is known already
    #[arg(long)]
    duplicates: bool,
    /// Write them; without it the file is only looked through
    #[arg(long)]
    yes: bool,
}

/// The counts and findings of an import.
#[derive(Default)]
struct Tally {
    good: u64,
    wrong: u64,
    duplicates: u64,
    lines: String,
    told: usize,
}

impl Tally {
    fn tell(&mut self, line: u64, words: &str) {
        self.told += 1;
        if self.told <= TOLD {
            writeln!(self.lines, "line {line}: {}", clean(words)).expect("a String takes everything");
        }
    }
}

impl Import {
    pub async fn run(&self, settings: &Settings) -> Result<ExitCode, Box<dyn Error>> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.file.display());
        let mut file = File::open(&self.file).map_err(|error| failed(&error))?;
        let size = file.metadata()?.len();
        let opened = Text::open(&file).map_err(|error| failed(&error))?;
        let (separator, terminator) = layout(opened).map_err(|error| failed(&error))?;
        file.rewind()?;
        let file = Text::open(file).map_err(|error| failed(&error))?;
        let mut encoding = file.encoding();
        let bounded = Bounded { file, left: LONGEST, taken: 0 };
        let mut reader = csv_of(separator, terminator).from_reader(bounded);
        let headings = reader.byte_headers().map_err(|error| failed(&error))?.iter();
        let headings: Vec<String> =
            headings.map(|heading| encoding.text(heading).trim().to_owned()).collect();
        let columns = Columns::of(&headings, &self.map)?;

        let app = installation::open(settings).await?;
        let company = match &self.empresa {
            Some(name) => Some(find_empresa(&app, name).await?),
            None => app.store.list_empresas().await?.iter().find(|e| e.por_defecto).map(|e| e.id),
        };
        let (mut tally, mut seen, mut record) = (Tally::default(), HashSet::new(), ByteRecord::new());
        let bar = Bar::new();
        loop {
            let before = reader.position().line();
            reader.get_mut().left = LONGEST;
            match reader.read_byte_record(&mut record) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    bar.end();
                    logging::print(&self.report(&columns, encoding, &tally))?;
                    return Err(failed(&format!("line {before}: {error}")).into());
                }
            }
            bar.at("bytes of the file", reader.get_ref().taken, size);
            let cells: Vec<String> = record.iter().map(|cell| encoding.text(cell)).collect();
            // The reader's position also counts empty lines before the record, which are skipped.
            let inside: usize = cells.iter().map(|cell| cell.matches('\n').count()).sum();
            let line = before.max((reader.position().line() - 1).saturating_sub(inside as u64));
            if swallows(&columns, &cells, separator) {
                bar.end();
                logging::print(&self.report(&columns, encoding, &tally))?;
                let words = "a cell holds other leads' lines: a quotation mark is missing its other";
                return Err(failed(&format!("line {line}: {words}")).into());
            }
            self.one(&app, company, &columns, &cells, line, &mut seen, &mut tally).await?;
        }
        bar.end();
        logging::print(&self.report(&columns, encoding, &tally))?;
        Ok(if tally.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    #[allow(clippy::too_many_arguments)]
    async fn one(
        &self,
        app: &App,
        company: Option<EmpresaId>,
        columns: &Columns,
        cells: &[String],
        line: u64,
        seen: &mut HashSet<u64>,
        tally: &mut Tally,
    ) -> Result<(), Box<dyn Error>> {
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            return Ok(());
        }
        if cells.iter().any(|cell| cell.contains(encoding::NOTHING)) {
            tally.wrong += 1;
            tally.tell(line, "it holds bytes that are no character, neither in UTF-8 nor in Windows-1252");
            return Ok(());
        }
        let mut new = match NewLead::read(columns.body(cells).to_string().as_bytes()) {
            Ok(new) => new,
            Err(invalid) => {
                tally.wrong += 1;
                let faults = invalid.errors.iter().map(|fault| {
                    format!("{}: {}", columns.heading(fault.field.trim_start_matches('/')), fault.mensaje)
                });
                tally.tell(line, &faults.collect::<Vec<_>>().join("; "));
                return Ok(());
            }
        };
        new.empresa = company;
        let twin = match (is_fresh(seen, &new.telefono.e164), is_fresh(seen, &new.email.normal)) {
            (true, true) => self.known(app, company, &new).await?,
            _ => Some("an earlier line of the file".to_owned()),
        };
        if let Some(twin) = twin {
            tally.duplicates += 1;
            tally.tell(line, &format!("the same telephone or e-mail as {twin}"));
            if !self.duplicates {
                return Ok(());
            }
        }
        if self.yes {
            app.leads().import(new).await?;
        }
        tally.good += 1;
        Ok(())
    }

    /// Names a lead of the company that has the same telephone or e-mail, if there is one.
    async fn known(
        &self,
        app: &App,
        empresa: Option<EmpresaId>,
        new: &NewLead,
    ) -> Result<Option<String>, Box<dyn Error>> {
        let of = || LeadFilter { empresa, ..LeadFilter::default() };
        for filter in [
            LeadFilter { telefono_e164: Some(new.telefono.e164.clone()), ..of() },
            LeadFilter { email_normal: Some(new.email.normal.clone()), ..of() },
        ] {
            if let Some(lead) = app.store.list_leads(filter, None, 1).await?.first() {
                return Ok(Some(format!("the lead {}", lead.lead.id)));
            }
        }
        Ok(None)
    }

    fn report(&self, columns: &Columns, encoding: Encoding, tally: &Tally) -> String {
        let mut text = format!("the file is read as {encoding}\n{}{}", columns.shown(), tally.lines);
        if tally.told > TOLD {
            text += &format!("and {} lines more\n", tally.told - TOLD);
        }
        let (good, wrong, twins) = (tally.good, tally.wrong, tally.duplicates);
        let done = if self.yes { "imported" } else { "could be imported; --yes does it" };
        let kept = if self.duplicates { "" } else { ", left out" };
        text + &format!("{good} leads {done}\n{twins} duplicates{kept}\n{wrong} lines with faults\n")
    }
}

/// A file that can be read only up to a limit per line: after an unclosed quotation mark, the CSV reader would
/// otherwise load the whole rest into memory.
struct Bounded {
    file: Text<File>,
    left: usize,
    taken: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            let words =
                format!("no line has more than {LONGEST} bytes: a quotation mark is missing its other");
            return Err(std::io::Error::other(words));
        }
        let read = self.file.read(buffer)?;
        self.left = self.left.saturating_sub(read);
        self.taken += read as u64;
        Ok(read)
    }
}

fn csv_of(separator: u8, terminator: Terminator) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(separator).terminator(terminator).flexible(true);
    builder
}

/// Whether a cell contains lines that would be leads of their own, behind an unclosed quotation mark.
fn swallows(columns: &Columns, cells: &[String], separator: u8) -> bool {
    let is_lead = |cells: &[String]| NewLead::read(columns.body(cells).to_string().as_bytes()).is_ok();
    cells.iter().enumerate().any(|(at, cell)| {
        let Some((first, others)) = cell.trim().split_once('\n') else { return false };
        let (before, after) = (&cells[..at], &cells[at + 1..]);
        let mut inner = others.split('\n').take(LOOKED_AT);
        let last = others.rsplit('\n').next().unwrap_or_default();
        inner.any(|line| is_lead(&split(line, separator)))
            // The line with the opening quotation mark: it completes a lead that the cells before it alone are not.
            || (!is_lead(before) && is_lead(&[before, &split(first, separator)].concat()))
            // The line with the closing quotation mark: it is a lead, and its cells make the record longer than the
            // headings.
            || (cells.len() > columns.len() && is_lead(&[split(last, separator).as_slice(), after].concat()))
    })
}

/// The cells of a line.
fn split(line: &str, separator: u8) -> Vec<String> {
    let mut reader = csv_of(separator, Terminator::Any(b'\n'));
    let mut record = ByteRecord::new();
    let read = reader.has_headers(false).from_reader(line.as_bytes()).read_byte_record(&mut record);
    let text = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
    if read.is_ok() { record.iter().map(text).collect() } else { Vec::new() }
}

/// Whether the text was not seen before. Only a hash of it is kept.
fn is_fresh(seen: &mut HashSet<u64>, text: &str) -> bool {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    seen.insert(hasher.finish())
}

/// The most frequent separator in the line of headings, and how lines end.
fn layout(file: impl Read) -> std::io::Result<(u8, Terminator)> {
    let mut line = Vec::new();
    BufReader::new(Read::take(file, LONGEST as u64)).read_until(b'\n', &mut line)?;
    let count = |wanted: u8| line.iter().filter(|byte| **byte == wanted).count();
    let separators = [b',', b';', b'\t'].into_iter();
    let separator = separators.max_by_key(|byte| (count(*byte), *byte == b',')).unwrap_or(b',');
    // The reader counts lines by `\n`, so `\n` must be the terminator; a `\r` before it is trimmed with the cell.
    let terminator = if line.ends_with(b"\n") { Terminator::Any(b'\n') } else { Terminator::CRLF };
    Ok((separator, terminator))
}
