//! The typesetter, put together from its parts without the one that makes web pages: that one alone needs fifteen more
//! crates, among them a rasteriser.

use std::sync::LazyLock;

use comemo::{Constraint, Track as _};
use ecow::EcoVec;
use typst_layout::PagedDocument;
use typst_library::diag::{SourceDiagnostic, SourceResult, Warned};
use typst_library::engine::{Engine, Route, Sink, Traced};
use typst_library::foundations::{Module, NativeRuleMap, Output, Scope, StyleChain, Target, TargetElem};
use typst_library::introspection::{EmptyIntrospector, Introspector, MAX_ITERS};
use typst_library::routines::Routines;
use typst_library::{Library, LibraryBuilder, World};
use typst_syntax::Span;
use typst_utils::{LazyHash, Protected};

pub(crate) static LIBRARY: LazyLock<LazyHash<Library>> =
    LazyLock::new(|| LazyHash::new(LibraryBuilder::from_routines(&ROUTINES).build()));

static ROUTINES: LazyLock<Routines> = LazyLock::new(|| Routines {
    rules: || {
        let mut rules = NativeRuleMap::new();
        typst_layout::register(&mut rules);
        rules
    },
    eval_string: typst_eval::eval_string,
    eval_closure: typst_eval::eval_closure,
    realize: typst_realize::realize,
    layout_frame: typst_layout::layout_frame,
    // Nothing of a printed document asks for these.
    html_module: || Module::anonymous(Scope::new()),
    html_mathml_body: |_, _| None,
    html_span_filled: |content, _| content,
});

/// Lays out the pages of a world's main file.
pub(crate) fn lay_out(world: &dyn World) -> Warned<SourceResult<PagedDocument>> {
    let mut sink = Sink::new();
    let output = compile(world, &mut sink);
    Warned { output, warnings: sink.warnings() }
}

/// What a page says of others, such as how many there are, is known only once all are laid out: it is done again until
/// nothing moves.
fn compile(world: &dyn World, sink: &mut Sink) -> SourceResult<PagedDocument> {
    let world = world.track();
    let (library, traced) = (world.library(), Traced::default());
    let failed = |error| SourceDiagnostic::error(Span::detached(), error);
    let main =
        world.source(world.main()).map_err(|error| [failed(error)].into_iter().collect::<EcoVec<_>>())?;
    let route = Route::default();
    let module = typst_eval::eval(world, library, traced.track(), sink.track_mut(), route.track(), &main)?;
    let (content, target) = (module.content(), TargetElem::target.set(Target::Paged).wrap());
    let base = StyleChain::new(&library.styles);
    let mut known: Option<PagedDocument> = None;
    for round in 1.. {
        let constraint = Constraint::new();
        let introspector =
            known.as_ref().map_or(&EmptyIntrospector as &dyn Introspector, Output::introspector);
        let mut of_round = Sink::new();
        let mut engine = Engine {
            library,
            world,
            introspector: Protected::new(introspector.track_with(&constraint)),
            traced: traced.track(),
            sink: of_round.track_mut(),
            route: Route::default(),
        };
        let pages = PagedDocument::create(&mut engine, &content, base.chain(&target))?;
        let is_settled = constraint.validate(Output::introspector(&pages));
        if !is_settled && round < MAX_ITERS {
            known = Some(pages);
            continue;
        }
        sink.extend_from_sink(of_round);
        if !is_settled {
            sink.warn(SourceDiagnostic::warning(Span::detached(), "the pages do not settle"));
        }
        let errors = sink.delayed();
        return if errors.is_empty() { Ok(pages) } else { Err(errors) };
    }
    unreachable!("the last round returns")
}
