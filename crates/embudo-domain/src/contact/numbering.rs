//! Converts a telephone number from what was typed to its international form.
//!
//! Nearly every number is Spanish and written plainly, and this module reads such a number itself. For all others there
//! is a library that knows every country. It takes 6 MB, and up to 30 MB with the expressions that it compiles for each
//! country. So it is loaded when it is needed, and dropped when it is no longer needed.

use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rlibphonenumber::{PhoneNumberFormat, PhoneNumberUtil, Region, get_national_significant_number_owned};

/// Digits of a Spanish number without its prefix.
const SPANISH: usize = 9;
/// The longest text that is read without the library.
const PLAIN: usize = 40;

/// A possible number.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub e164: String,
    /// Without the prefix of its country.
    pub national: String,
}

/// Reads a number in any usual spelling; without a prefix it is Spanish. `None` if it is not even possible.
pub(super) fn read(text: &str) -> Option<Number> {
    plain_spanish(text).or_else(|| read_any(text))
}

/// A Spanish number of nine digits as people write it: `612 34 56 78`, `(+34) 612-345-678`, `0034612345678`.
fn plain_spanish(text: &str) -> Option<Number> {
    let text = text.trim_start_matches([' ', '(']);
    let (is_international, rest) = text.strip_prefix('+').map_or((false, text), |rest| (true, rest));
    if rest.len() > PLAIN || !rest.bytes().all(|b| b.is_ascii_digit() || b" -.()".contains(&b)) {
        return None;
    }
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    let national = match is_international {
        true => digits.strip_prefix("34")?,
        false if digits.len() == SPANISH => &digits,
        false => digits.strip_prefix("0034")?,
    };
    let is_spanish = national.len() == SPANISH && national.starts_with(['5', '6', '7', '8', '9']);
    is_spanish.then(|| Number { e164: format!("+34{national}"), national: national.to_owned() })
}

fn read_any(text: &str) -> Option<Number> {
    ask(text, Need::Possible)
}

/// The national part of a number that was read before.
pub(super) fn national(e164: &str) -> Option<String> {
    let number = plain_spanish(e164).or_else(|| ask(e164, Need::Written));
    number.map(|number| number.national)
}

#[derive(Clone, Copy)]
enum Need {
    /// Only a number that can exist.
    Possible,
    /// Any text that is written like a number.
    Written,
}

struct Question {
    text: String,
    need: Need,
    reply: SyncSender<Option<Number>>,
}

/// The channel to the thread that holds the library. The library has a thread of its own because the allocator gives
/// the memory of a thread back only when that thread ends.
#[derive(Default)]
struct Reader {
    questions: Option<Sender<Question>>,
    /// Whether the library was used since the last call of `forget_unused`.
    was_used: bool,
}

static READER: Mutex<Reader> = Mutex::new(Reader { questions: None, was_used: false });

fn ask(text: &str, need: Need) -> Option<Number> {
    // A thread that panicked is replaced once.
    for _ in 0..2 {
        let (reply, answer) = sync_channel(1);
        let Some(questions) = questions() else { return read_with(&library(), text, need) };
        // If the question was not sent, nobody will answer it, so this must not wait for the reply.
        let is_sent = questions.send(Question { text: text.to_owned(), need, reply }).is_ok();
        if is_sent && let Ok(number) = answer.recv() {
            return number;
        }
        lock().questions = None;
    }
    None
}

/// The channel to the thread, which is started if there is none. `None` if it cannot be started.
fn questions() -> Option<Sender<Question>> {
    let mut reader = lock();
    reader.was_used = true;
    if reader.questions.is_none() {
        let (sender, received) = channel::<Question>();
        let answer_all = move || {
            let library = library();
            for Question { text, need, reply } in received {
                // This fails only when the caller is gone, and then nobody needs the answer.
                let _ = reply.send(read_with(&library, &text, need));
            }
        };
        thread::Builder::new().name("telephones".to_owned()).spawn(answer_all).ok()?;
        reader.questions = Some(sender);
    }
    reader.questions.clone()
}

fn library() -> PhoneNumberUtil {
    PhoneNumberUtil::new().expect("the library reads its own tables")
}

fn read_with(library: &PhoneNumberUtil, text: &str, need: Need) -> Option<Number> {
    let number = library.parse(text, Some(Region::ES)).ok()?;
    if matches!(need, Need::Possible) && !library.is_possible_number(&number) {
        return None;
    }
    Some(Number {
        e164: library.format(&number, PhoneNumberFormat::E164).into_owned(),
        national: get_national_significant_number_owned(&number),
    })
}

/// Drops the library if nobody has used it since the last call of this function.
pub fn forget_unused() {
    let mut reader = lock();
    if !std::mem::take(&mut reader.was_used) {
        // The thread ends after it has answered the questions that are waiting.
        reader.questions = None;
    }
}

fn lock() -> MutexGuard<'static, Reader> {
    // Both fields are valid even if a thread panicked while it held the lock.
    READER.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_spellings_need_no_library() {
        for text in [
            "612345678",
            "612 34 56 78",
            "912.345.678",
            "+34 612-34-56-78",
            "0034612345678",
            "(+34) 612 345 678",
            " 612345678 ",
        ] {
            let number = plain_spanish(text).expect(text);
            assert_eq!(Some(&number), read_any(text).as_ref(), "{text}");
            assert_eq!(number.e164, format!("+34{}", number.national));
        }
        for text in [
            "",
            "12",
            "112",
            "012345678",
            "+44 20 7946 0958",
            "34612345678",
            "612345678 ext. 5",
            "６１２３４５６７８",
        ] {
            assert_eq!(plain_spanish(text), None, "{text}");
        }
    }

    #[test]
    fn the_library_is_forgotten_and_loaded_again() {
        for _ in 0..2 {
            assert_eq!(read("+44 20 7946 0958").expect("London").national, "2079460958");
            // Other tests that run at the same time use the library too.
            while lock().questions.is_some() {
                forget_unused();
            }
        }
    }

    #[test]
    fn a_thread_that_is_gone_is_replaced() {
        lock().questions = Some(channel().0);
        assert_eq!(read("+44 20 7946 0958").expect("London").e164, "+442079460958");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn what_is_read_without_the_library_is_what_it_reads(
            text in r"[ (]{0,2}(\+|00|\+?34|0034|\+34)?[ )]{0,2}([0-9][-. ()]{0,2}){7,11}"
        ) {
            if let Some(number) = plain_spanish(&text) {
                prop_assert_eq!(Some(number), read_any(&text));
            }
        }

        #[test]
        fn nor_do_odd_texts_differ(text in r"[-+0-9 .()/x#]{0,24}") {
            if let Some(number) = plain_spanish(&text) {
                prop_assert_eq!(Some(number), read_any(&text));
            }
        }
    }
}
