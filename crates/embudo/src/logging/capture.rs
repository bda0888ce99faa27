//! Captures what a format writes, for tests.

use std::io;
use std::sync::{Arc, Mutex};

use tracing_subscriber::Registry;
use tracing_subscriber::fmt::format::DefaultFields;
use tracing_subscriber::fmt::{FormatEvent, Layer};
use tracing_subscriber::layer::SubscriberExt as _;

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log of what `act` does.
pub fn logged<F>(format: F, act: impl FnOnce()) -> String
where
    F: FormatEvent<Registry, DefaultFields> + Send + Sync + 'static,
{
    let memory = Memory::default();
    let writer = memory.clone();
    let layer = Layer::new().with_ansi(false).event_format(format).with_writer(move || writer.clone());
    tracing::subscriber::with_default(Registry::default().with(layer), act);
    let text = memory.0.lock().unwrap().clone();
    String::from_utf8(text).unwrap()
}
