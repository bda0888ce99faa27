//! The typesetter, assembled from its parts without the HTML export: that part alone needs fifteen more crates, one of
//! which is a rasteriser.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use comemo::{Constraint, Track as _};
use ecow::{EcoString, EcoVec};
use typst_layout::{PagedDocument, layout_frame};
use typst_library::diag::{SourceDiagnostic, SourceResult, StrResult, Warned};
use typst_library::engine::{Engine, Route, Sink, Traced};
use typst_library::foundations::{
    Binding, Content, Context, Func, Label, Module, NativeRuleMap, Output, Scope, Selector, StyleChain,
    Target, TargetElem, Value,
};
use typst_library::introspection::{
    DocumentPosition, EmptyIntrospector, Introspector, Location, Locator, MAX_ITERS,
};
use typst_library::layout::{Axes, Point, Region};
use typst_library::model::{Document as _, Numbering};
use typst_library::routines::Routines;
use typst_library::{Library, LibraryBuilder, World};
use typst_syntax::{Span, VirtualPath};
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
    layout_frame,
    // A printed document never calls these functions.
    html_module: || Module::anonymous(Scope::new()),
    html_mathml_body: |_, _| None,
    html_span_filled: |content, _| content,
});

/// Pages, and how often they were laid out.
pub(crate) struct LaidOut {
    pub(crate) pages: PagedDocument,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests watch over it"))]
    pub(crate) rounds: usize,
}

/// Lays out the pages of a world's main file.
pub(crate) fn lay_out(world: &dyn World) -> Warned<SourceResult<LaidOut>> {
    let mut sink = Sink::new();
    let output = compile(world, &mut sink);
    Warned { output, warnings: sink.warnings() }
}

/// The name of the template's function that makes headers and footers. It is called for each page after layout, with
/// the page number and the number of pages. A header that asks for these numbers during layout would cause a second
/// layout.
const ON_EACH_PAGE: &str = "embudo_pagina";

/// What a page says about other pages, such as their number, is only known after all pages are laid out. So the layout
/// is repeated until it no longer changes.
fn compile(world: &dyn World, sink: &mut Sink) -> SourceResult<LaidOut> {
    let world = world.track();
    let (library, traced) = (world.library(), Traced::default());
    let failed = |error| SourceDiagnostic::error(Span::detached(), error);
    let main =
        world.source(world.main()).map_err(|error| [failed(error)].into_iter().collect::<EcoVec<_>>())?;
    let route = Route::default();
    let module = typst_eval::eval(world, library, traced.track(), sink.track_mut(), route.track(), &main)?;
    let on_each_page = match module.scope().get(ON_EACH_PAGE).map(Binding::read) {
        Some(Value::Func(function)) => Some(function.clone()),
        _ => None,
    };
    let (content, target) = (module.content(), TargetElem::target.set(Target::Paged).wrap());
    let base = StyleChain::new(&library.styles);
    let styles = base.chain(&target);
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
        let pages = PagedDocument::create(&mut engine, &content, styles)?;
        let introspector = Output::introspector(&pages);
        let is_settled = match round {
            1 => constraint.validate(&Unmeasured(introspector) as &dyn Introspector),
            _ => constraint.validate(introspector),
        };
        if !is_settled && round < MAX_ITERS {
            known = Some(pages);
            continue;
        }
        let pages = match &on_each_page {
            Some(function) => {
                let mut engine = Engine {
                    library,
                    world,
                    introspector: Protected::new(introspector.track()),
                    traced: traced.track(),
                    sink: of_round.track_mut(),
                    route: Route::default(),
                };
                complete(&mut engine, &pages, function, styles)?
            }
            None => pages,
        };
        sink.extend_from_sink(of_round);
        if !is_settled {
            sink.warn(SourceDiagnostic::warning(Span::detached(), "the pages do not settle"));
        }
        let errors = sink.delayed();
        return if errors.is_empty() { Ok(LaidOut { pages, rounds: round }) } else { Err(errors) };
    }
    unreachable!("the last round returns")
}

/// Adds to each page the content that the main file's function [`ON_EACH_PAGE`] returns for it.
fn complete(
    engine: &mut Engine<'_>,
    pages: &PagedDocument,
    function: &Func,
    styles: StyleChain<'_>,
) -> SourceResult<PagedDocument> {
    let count = pages.pages().len();
    // The locations of this content must differ from all others in the document.
    let mut locator = Locator::root().split();
    let mut completed = EcoVec::with_capacity(count);
    for (n, page) in pages.pages().iter().enumerate() {
        let content = function.call(engine, Context::none().track(), [n + 1, count])?.display();
        let region = Region::new(page.frame.size(), Axes::splat(true));
        let frame = layout_frame(engine, &content, locator.next(&(ON_EACH_PAGE, n)), styles, region)?;
        let mut page = page.clone();
        page.frame.push_frame(Point::zero(), frame);
        completed.push(page);
    }
    Ok(PagedDocument::new(completed, pages.info().clone()))
}

/// For the check of the first layout: answers like the finished pages, except that `locator`, which finds content that
/// was only measured, answers `None` as in the first layout. So measured content alone causes no second layout. Queries
/// about pages are still compared.
struct Unmeasured<'a>(&'a dyn Introspector);

impl Introspector for Unmeasured<'_> {
    fn query(&self, selector: &Selector) -> EcoVec<Content> {
        self.0.query(selector)
    }

    fn query_first(&self, selector: &Selector) -> Option<Content> {
        self.0.query_first(selector)
    }

    fn query_unique(&self, selector: &Selector) -> StrResult<Content> {
        self.0.query_unique(selector)
    }

    fn query_label(&self, label: Label) -> StrResult<&Content> {
        self.0.query_label(label)
    }

    fn query_labelled(&self) -> EcoVec<Content> {
        self.0.query_labelled()
    }

    fn query_count_before(&self, selector: &Selector, end: Location) -> usize {
        self.0.query_count_before(selector, end)
    }

    fn label_count(&self, label: Label) -> usize {
        self.0.label_count(label)
    }

    fn locator(&self, _: u128, _: Location) -> Option<Location> {
        None
    }

    fn pages(&self, location: Location) -> Option<NonZeroUsize> {
        self.0.pages(location)
    }

    fn page(&self, location: Location) -> Option<NonZeroUsize> {
        self.0.page(location)
    }

    fn position(&self, location: Location) -> Option<DocumentPosition> {
        self.0.position(location)
    }

    fn page_numbering(&self, location: Location) -> Option<&Numbering> {
        self.0.page_numbering(location)
    }

    fn page_supplement(&self, location: Location) -> Option<&Content> {
        self.0.page_supplement(location)
    }

    fn anchor(&self, location: Location) -> Option<&EcoString> {
        self.0.anchor(location)
    }

    fn document(&self, location: Location) -> Option<Location> {
        self.0.document(location)
    }

    fn path(&self, location: Location) -> Option<&VirtualPath> {
        self.0.path(location)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use typst_syntax::Source;

    use super::*;
    use crate::fonts::Fonts;
    use crate::world::{QuoteWorld, id};

    fn laid_out(fonts: &Fonts, text: &str) -> LaidOut {
        let source = Source::new(id("/x.typ").expect("inside the root"), text.to_owned());
        let done = lay_out(&QuoteWorld::new(fonts, source, date(2026, 11, 18)));
        assert!(done.warnings.is_empty(), "{:?}", done.warnings);
        done.output.expect("it can be laid out")
    }

    #[test]
    fn what_is_put_on_each_page_takes_no_second_round() {
        let fonts = Fonts::load();
        let measured = "#layout(hoja => block(height: measure(width: hoja.width, [= Uno]).height)[= Uno])";
        let each = "#let embudo_pagina(pagina, paginas) = { assert(pagina <= 2 and paginas == 2); place(top)[#pagina] }";
        let done = laid_out(&fonts, &format!("{each}\n{measured}\n#pagebreak()\nDos"));
        assert_eq!((done.rounds, done.pages.pages().len()), (1, 2));
    }

    #[test]
    fn a_template_that_asks_for_the_pages_gets_its_rounds() {
        let fonts = Fonts::load();
        let asks = "#set page(footer: context [#here().page() de #counter(page).final().first()])";
        assert!(laid_out(&fonts, &format!("{asks}\nUno #pagebreak() Dos")).rounds > 1);
    }

    #[test]
    fn foretold_widths_are_those_of_the_typesetter() {
        use crate::widths::{BODY, Weight};
        let fonts = Fonts::load();
        let texts = [
            "1.046,89\u{a0}€",
            "-750,41\u{a0}€",
            "20,32",
            "m²",
            "Cantidad",
            "Solado antideslizante, Ñuñoa 140 × 80",
        ];
        for (weight, name) in [(Weight::Regular, "regular"), (Weight::Bold, "bold")] {
            for text in texts {
                let width = fonts.widths().of(text, weight, BODY).expect("all letters are known");
                // Kerning makes longer texts slightly narrower or wider.
                let slack = 0.05 + 0.02 * width * f32::from(u8::from(text.len() > 12));
                laid_out(
                    &fonts,
                    &format!(
                        "#set text(font: \"Noto Sans\", size: {BODY}pt, weight: \"{name}\", lang: \"es\")\n\
                         #context {{ let w = measure(text(\"{text}\")).width / 1pt; assert(calc.abs(w - {width}) <= {slack}, \
                         message: \"{text}: \" + str(w) + \", not {width}\") }}"
                    ),
                );
            }
        }
    }
}
