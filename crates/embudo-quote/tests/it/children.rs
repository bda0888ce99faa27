//! The processes that draw: kept while there is work, ended afterwards, limited, and replaced when they fail.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use embudo_quote::{DrawingChild, Failure, Limits, PdfRequest, Renderer};

use crate::studio;

/// A copy of the program that only this test uses, so that the processes of other tests are not counted.
struct Program {
    _dir: tempfile::TempDir,
    path: PathBuf,
}

impl Program {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("hijo");
        std::fs::hard_link(env!("CARGO_BIN_EXE_embudo-quote-child"), &path)
            .or_else(|_| std::fs::copy(env!("CARGO_BIN_EXE_embudo-quote-child"), &path).map(drop))
            .expect("the program under another name");
        Self { _dir: dir, path }
    }

    fn child(&self) -> DrawingChild {
        DrawingChild::new(&self.path, Vec::<String>::new())
    }

    /// The processes that run this program.
    fn running(&self) -> Vec<u32> {
        let name = self.path.to_str().expect("a path in ASCII").as_bytes();
        let all = std::fs::read_dir("/proc").expect("the processes").flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| {
            std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.starts_with(name))
        })
        .collect()
    }

    fn wait_for(&self, count: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.running().len() != count {
            assert!(Instant::now() < end, "{:?} run, not {count}", self.running());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn it_draws_what_this_process_would() {
    let program = Program::new();
    let renderer = Renderer::new().with_child(program.child());
    for request in [studio::cocina(), studio::hostile()] {
        let (here, there) = (Renderer::new().render(&request, None), renderer.render(&request, None));
        let (here, there) = (here.expect("a quote"), there.expect("a quote"));
        assert!(here.pdf == there.pdf, "the same bytes, wherever they are drawn");
        assert_eq!((here.notices, here.norma), (there.notices, there.norma));
    }
}

#[test]
fn one_is_kept_for_the_next_quote_and_ended_when_none_comes() {
    let program = Program::new();
    let renderer = Renderer::new().with_child(program.child().with_idle(Duration::from_secs(600)));
    renderer.render(&studio::minimum(), None).expect("a quote");
    let first = program.running();
    assert_eq!(first.len(), 1);
    renderer.render(&studio::minimum(), None).expect("a quote");
    assert_eq!(program.running(), first);
    drop(renderer);
    program.wait_for(0);

    let renderer = Renderer::new().with_child(program.child().with_idle(Duration::from_millis(50)));
    for _ in 0..2 {
        renderer.render(&studio::minimum(), None).expect("a quote");
        program.wait_for(0);
    }
}

#[test]
fn one_that_was_started_for_a_quote_draws_it() {
    let program = Program::new();
    let renderer = Renderer::new().with_child(program.child().with_idle(Duration::from_secs(600)));
    renderer.expect_one();
    program.wait_for(1);
    let first = program.running();
    renderer.expect_one();
    renderer.render(&studio::minimum(), None).expect("a quote");
    assert_eq!(program.running(), first, "no other was needed");
}

#[test]
fn one_that_is_killed_is_replaced() {
    let program = Program::new();
    let renderer = Renderer::new().with_child(program.child());
    renderer.render(&studio::minimum(), None).expect("a quote");
    let first = program.running();
    let killed = std::process::Command::new("kill").args(["-9", &first[0].to_string()]).status();
    assert!(killed.expect("kill").success());
    renderer.render(&studio::minimum(), None).expect("another draws it");
    assert_ne!(program.running(), first);
}

#[test]
fn two_quotes_at_once_have_two() {
    let program = Program::new();
    let renderer = Renderer::new().with_child(program.child());
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                for _ in 0..3 {
                    renderer.render(&studio::minimum(), None).expect("a quote");
                }
            });
        }
    });
    assert!((1..=2).contains(&program.running().len()));
}

#[test]
fn a_quote_that_uses_too_much_is_an_error() {
    let program = Program::new();
    let why = |request: &PdfRequest, limits: Limits| {
        let renderer = Renderer::new().with_child(program.child().with_limits(limits));
        let why = match renderer.render(request, None) {
            Err(Failure::Process(why)) => why,
            other => panic!("{other:?}"),
        };
        program.wait_for(0);
        (why, renderer)
    };
    let patient = Limits { time: Duration::from_secs(300), memory: 512 << 20, ..Limits::default() };
    let late = why(&studio::minimum(), Limits { time: Duration::from_millis(1), ..patient }).0;
    assert_eq!(late, "ha tardado más de 0,001 s");
    let long = why(&studio::minimum(), Limits { pdf: 1 << 10, ..patient }).0;
    assert_eq!(long, "su PDF pasa de 0 MiB");
    let mut huge = studio::minimum();
    let line = huge.document.pricing.capitulos[0].lines[0].clone();
    huge.document.pricing.capitulos[0].lines = vec![line; 60_000];
    let (large, renderer) = why(&huge, patient);
    assert_eq!(large, "necesita más de 512 MiB de memoria");
    renderer.render(&studio::minimum(), None).expect("the next one is drawn");
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let renderer = Renderer::new().with_child(DrawingChild::new("/no/existe", Vec::<String>::new()));
    let failure = renderer.render(&studio::minimum(), None).expect_err("nobody draws");
    assert!(failure.to_string().contains("no se puede arrancar su proceso"), "{failure}");
}
