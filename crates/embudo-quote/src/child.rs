//! The process that draws. The typesetter cannot be stopped and has no memory limit. So a huge quote or an endless
//! template is only harmless in a process that the system limits and that the server can kill. The process opens no
//! file: everything comes through its standard input.

use std::io::{self, Read, Write};

use crate::press::Press;
use crate::wire::{Answer, Limits, Question, read_frame, write_frame};
use crate::world::ForgetCache;

/// The main loop of the child: it limits its own process at the first question, and answers until its input ends.
///
/// For a hidden subcommand that does nothing else: the limits apply to the whole process and cannot be lifted.
pub fn child(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let press = Press::load();
    let mut is_bounded = false;
    while let Some(question) = read_frame::<Question>(&mut input)? {
        // Clears the typesetter's cache when it is dropped, after the answer is sent, so that nobody waits for that.
        let _forgetting = ForgetCache;
        if !is_bounded {
            bound(&question.limits, question.quotes)?;
            is_bounded = true;
        }
        let (request, template) = question.receive(&mut input)?;
        let drawn = match &template {
            None => press.ours(&request).map_err(|failure| failure.to_string()),
            Some(template) => press.own(&request, template),
        };
        match drawn {
            Ok(done) => {
                let bytes = done.pdf.len() as u64;
                let answer = Answer::Drawn { norma: done.norma, notices: done.notices, bytes };
                write_frame(&mut output, &answer)?;
                output.write_all(&done.pdf)?;
            }
            Err(why) => write_frame(&mut output, &Answer::Failure(why))?,
        }
        output.flush()?;
    }
    Ok(())
}

fn bound(limits: &Limits, quotes: u32) -> io::Result<()> {
    use rlimit::{Resource, setrlimit};
    // The server kills a process that takes too long. This limit is for the case that the server is gone.
    let secs = (limits.time.as_secs() + 1) * u64::from(quotes);
    setrlimit(Resource::CPU, secs, secs)?;
    setrlimit(Resource::AS, limits.memory, limits.memory)?;
    setrlimit(Resource::CORE, 0, 0)?;
    // No file can be opened or grow: template and data come through the pipe.
    setrlimit(Resource::FSIZE, 0, 0)?;
    setrlimit(Resource::NOFILE, 3, 3)
}
