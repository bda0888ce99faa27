//! Text goes out packed to whoever takes it, and the API's answers never do.

use embudo_testkit::{Server, both_engines};
use reqwest::Method;

both_engines!(pages_and_documents_are_packed_for_whoever_takes_it,);

async fn pages_and_documents_are_packed_for_whoever_takes_it(s: Server) {
    let slug = s.app.store.list_empresas().await.unwrap().remove(0).slug;
    let form = format!("/f/{slug}");
    for (path, packed) in [
        (form.as_str(), true),
        ("/f/nadie", true),
        ("/docs", true),
        ("/docs/docs.css", true),
        ("/openapi.json", true),
        ("/api/leads", false),
        ("/healthz", false),
    ] {
        let plain = s.get(path).await;
        assert_eq!(plain.cabecera("content-encoding"), None, "{path}");
        for (accept, takes) in [("gzip, deflate, br", true), ("br", false), ("gzip;q=0", false)] {
            let asked = s.peticion(Method::GET, path).header("accept-encoding", accept);
            let answer = s.enviar(asked).await;
            assert_eq!(answer.status, plain.status, "{path}");
            let coding = answer.cabecera("content-encoding");
            assert_eq!(coding, (packed && takes).then_some("gzip"), "{path} {accept}");
            assert_eq!(answer.cabecera("vary"), packed.then_some("accept-encoding"), "{path}");
            let size = |a: &embudo_testkit::Answered| {
                a.cabecera("content-length").unwrap().parse::<usize>().unwrap()
            };
            if coding.is_some() {
                assert!(size(&answer) < size(&plain), "{path}: {} of {}", size(&answer), size(&plain));
            }
        }
    }
    let head = s.enviar(s.peticion(Method::HEAD, &form).header("accept-encoding", "gzip")).await;
    assert_eq!((head.status.as_u16(), head.cabecera("content-encoding")), (200, Some("gzip")));
    assert!(head.texto.is_empty() && head.cabecera("content-length").is_some());
}
