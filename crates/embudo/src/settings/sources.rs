//! Where a setting's text comes from. Knows files and precedence, not what a value means.

use super::def::{Def, known, nearest};
use super::error::SettingsError;
use super::flags::Flags;
use super::value::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// The place that a value was taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A flag of the command line.
    Flag(&'static str),
    /// The process environment, under the setting's own name.
    Env,
    /// The `.env` file.
    DotEnv,
    /// The settings file.
    File(String),
    /// An environment variable of another name, such as `AWS_REGION`.
    Alias(&'static str),
    /// No source names it.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Env => f.write_str("environment"),
            Self::DotEnv => f.write_str(".env"),
            Self::File(path) => f.write_str(path),
            Self::Alias(name) => write!(f, "{name}"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// The texts of every source, before any is parsed.
#[derive(Debug)]
pub struct Sources {
    /// The settings that may be named.
    defs: &'static [Def],
    flags: HashMap<&'static str, (String, &'static str)>,
    env: HashMap<String, String>,
    dotenv: HashMap<String, String>,
    file: HashMap<&'static str, String>,
    file_name: String,
}

impl Sources {
    /// Reads all sources. Returns what could be read, with faults of whole sources and unknown names.
    pub fn collect(
        defs: &'static [Def],
        flags: &Flags,
        env: &HashMap<String, String>,
        cwd: &Path,
    ) -> (Self, Vec<SettingsError>) {
        let mut errors = Vec::new();
        let mut sources = Self {
            defs,
            flags: HashMap::new(),
            env: env.clone(),
            dotenv: HashMap::new(),
            file: HashMap::new(),
            file_name: String::new(),
        };
        sources.take_flags(flags, &mut errors);
        sources.take_dotenv(&cwd.join(".env"), &mut errors);
        sources.take_file(flags.config.as_deref(), cwd, &mut errors);
        (sources, errors)
    }

    /// The text of a setting and its source; `None` if no source names it.
    fn lookup(&self, def: &Def) -> Option<(&str, Source)> {
        if let Some((text, flag)) = self.flags.get(def.name) {
            return Some((text, Source::Flag(flag)));
        }
        let own = |map: &'_ HashMap<String, String>| map.contains_key(def.name);
        if own(&self.env) {
            return Some((&self.env[def.name], Source::Env));
        }
        if own(&self.dotenv) {
            return Some((&self.dotenv[def.name], Source::DotEnv));
        }
        if let Some(text) = self.file.get(def.name) {
            return Some((text, Source::File(self.file_name.clone())));
        }
        // Aliases come last: an `AWS_REGION` in the environment must not override a setting that was made for Embudo.
        [&self.env, &self.dotenv].into_iter().find_map(|map| {
            def.aliases.iter().find_map(|alias| Some((map.get(*alias)?.as_str(), Source::Alias(alias))))
        })
    }

    fn take_flags(&mut self, flags: &Flags, errors: &mut Vec<SettingsError>) {
        for given in flags.given() {
            match (known(self.defs, given.name), given.value) {
                (Some(name), Some(value)) => {
                    self.flags.insert(name, (value.to_owned(), given.flag));
                }
                (Some(name), None) => errors.push(SettingsError::source(
                    &format!("--set {name}"),
                    &format!("has no value; write --set {name}=VALUE"),
                )),
                (None, _) => errors.push(self.unknown(given.name, given.flag)),
            }
        }
    }

    /// Reads `.env`. Other programs may share the file, so names that are not ours are ignored.
    fn take_dotenv(&mut self, path: &Path, errors: &mut Vec<SettingsError>) {
        let text = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                return errors.push(SettingsError::source(".env", &format!("cannot be read: {error}")));
            }
        };
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text);
        for pair in dotenvy::Iter::new(text) {
            match pair {
                Ok((name, value)) => {
                    // The first line that sets a name wins, as in other programs that read `.env` files.
                    self.dotenv.entry(name).or_insert(value);
                }
                // The line may contain a secret, or be the rest of one: only the name of a setting is repeated.
                Err(dotenvy::Error::LineParse(line, _)) => {
                    let name = line.split('=').next().unwrap_or_default();
                    let name = name.trim().trim_start_matches("export ").trim_start();
                    let what = match known(self.defs, name) {
                        Some(name) => {
                            let advice = "put a value with spaces or quotes in single quotes";
                            format!("the line «{name}=…» cannot be understood; {advice}")
                        }
                        None => {
                            let advice = "write each setting as NAME=value on one line";
                            format!(
                                "a line that begins with no setting's name cannot be understood; {advice}"
                            )
                        }
                    };
                    return errors.push(SettingsError::source(".env", &what));
                }
                Err(error) => {
                    return errors.push(SettingsError::source(".env", &format!("cannot be read: {error}")));
                }
            }
        }
    }

    fn take_file(&mut self, named: Option<&Path>, cwd: &Path, errors: &mut Vec<SettingsError>) {
        let path = named.map_or_else(|| PathBuf::from("embudo.toml"), Path::to_path_buf);
        self.file_name = path.display().to_string();
        let text = match fs::read_to_string(cwd.join(&path)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => return,
            Err(error) => {
                return errors
                    .push(SettingsError::source(&self.file_name, &format!("cannot be read: {error}")));
            }
        };
        let table: toml::Table = match toml::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(table) => table,
            Err(error) => return errors.push(self.syntax_error(&text, &error)),
        };
        for (key, value) in table {
            let Some(name) = known(self.defs, &key) else {
                errors.push(self.unknown(&key, &self.file_name));
                continue;
            };
            let Some(text) = plain_text(&value) else {
                let problem = "must be a text, a number, true or false, or a list of texts";
                errors.push(SettingsError::between(name, problem, &self.file_name));
                continue;
            };
            if self.file.insert(name, text).is_some() {
                errors.push(SettingsError::between(name, "is set twice", &self.file_name));
            }
        }
    }

    fn unknown(&self, name: &str, source: &str) -> SettingsError {
        SettingsError::unknown(name, nearest(self.defs, name), source)
    }

    /// Names the line but does not repeat it, because it may contain a secret.
    fn syntax_error(&self, text: &str, error: &toml::de::Error) -> SettingsError {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        SettingsError::source(&self.file_name, &format!("line {line} is not TOML: {}", error.message()))
    }
}

fn plain_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(flag) => Some(flag.to_string()),
        toml::Value::Array(list) => {
            let texts: Option<Vec<&str>> = list.iter().map(toml::Value::as_str).collect();
            texts.map(|texts| texts.join(", "))
        }
        _ => None,
    }
}

/// Turns texts into values and remembers errors and the source of each value.
pub struct Reader<'a> {
    sources: &'a Sources,
    errors: Vec<SettingsError>,
    origins: BTreeMap<&'static str, Source>,
}

impl<'a> Reader<'a> {
    /// A reader of these sources.
    pub fn new(sources: &'a Sources) -> Self {
        Self { sources, errors: Vec::new(), origins: BTreeMap::new() }
    }

    /// The value of one setting; `None` if the value is refused; the error is kept for `into_errors`.
    pub fn read<T: Value>(&mut self, def: &'static Def) -> Option<T> {
        let named =
            self.sources.lookup(def).filter(|(text, _)| T::EMPTY_IS_A_VALUE || !text.trim().is_empty());
        let (text, source) = match named {
            Some((text, source)) => (text.to_owned(), source),
            None => match def.default {
                Some(default) => (self.expand(default), Source::Default),
                None => {
                    self.origins.insert(def.name, Source::Default);
                    return T::absent();
                }
            },
        };
        let text = if T::SECRET { text.as_str() } else { text.trim() };
        // Text that is not UTF-8 arrives with replacement characters. A default that contains them because of another
        // setting is not at fault.
        let parsed = match source {
            Source::Default => T::parse(text),
            _ if text.contains('\u{fffd}') => Err("is not valid UTF-8".to_owned()),
            _ => T::parse(text),
        };
        match parsed {
            Ok(value) => {
                self.origins.insert(def.name, source);
                Some(value)
            }
            Err(problem) => {
                let shown = T::echo(text);
                let source = source.to_string();
                self.errors.push(SettingsError::bad_value(def.name, shown.as_deref(), &problem, &source));
                None
            }
        }
    }

    /// The sources of the values that were read so far.
    pub fn take_origins(&mut self) -> BTreeMap<&'static str, Source> {
        std::mem::take(&mut self.origins)
    }

    /// The errors that were noted.
    pub fn into_errors(self) -> Vec<SettingsError> {
        self.errors
    }

    fn expand(&self, default: &str) -> String {
        const PLACEHOLDER: &str = "<DATA_DIR>";
        if !default.contains(PLACEHOLDER) {
            return default.to_owned();
        }
        let def =
            self.sources.defs.iter().find(|def| def.name == "DATA_DIR").expect("DATA_DIR is in the table");
        let named = self.sources.lookup(def).map(|(text, _)| text.trim()).filter(|text| !text.is_empty());
        let folder = named.or(def.default).unwrap_or(".");
        default.replace(PLACEHOLDER, folder.strip_suffix('/').unwrap_or(folder))
    }
}
