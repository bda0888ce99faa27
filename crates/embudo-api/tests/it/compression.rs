//! Pages and documents are compressed for clients that accept it; the API's answers never are.

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
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        for (accept, takes) in [("gzip, deflate, br", true), ("br", false), ("gzip;q=0", false)] {
            let asked = s.request(Method::GET, path).header("accept-encoding", accept);
            let answer = s.send(asked).await;
            assert_eq!(answer.status, plain.status, "{path}");
            let coding = answer.header("content-encoding");
            assert_eq!(coding, (packed && takes).then_some("gzip"), "{path} {accept}");
            assert_eq!(answer.header("vary"), packed.then_some("accept-encoding"), "{path}");
            let size =
                |a: &embudo_testkit::Answered| a.header("content-length").unwrap().parse::<usize>().unwrap();
            if coding.is_some() {
                assert!(size(&answer) < size(&plain), "{path}: {} of {}", size(&answer), size(&plain));
            }
        }
    }
    let head = s.send(s.request(Method::HEAD, &form).header("accept-encoding", "gzip")).await;
    assert_eq!((head.status.as_u16(), head.header("content-encoding")), (200, Some("gzip")));
    assert!(head.text.is_empty() && head.header("content-length").is_some());
}
