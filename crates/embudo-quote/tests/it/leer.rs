//! Reads a PDF back with qpdf, which also says whether it is sound.

use std::process::Command;

use serde_json::Value;

/// A PDF as qpdf sees it.
pub struct Pdf {
    objetos: Vec<Value>,
}

impl Pdf {
    /// Checks and reads; fails the test with qpdf's own words.
    pub fn leer(pdf: &[u8]) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let ruta = dir.path().join("x.pdf");
        std::fs::write(&ruta, pdf).expect("written");
        let qpdf = |argumentos: &[&str]| {
            let salida = Command::new("qpdf").args(argumentos).arg(&ruta).output();
            let salida = salida.expect("these tests need qpdf: apt-get install qpdf");
            let errores = String::from_utf8_lossy(&salida.stderr).into_owned();
            assert!(salida.status.success(), "qpdf {argumentos:?}: {errores}");
            salida.stdout
        };
        qpdf(&["--check"]);
        let json: Value =
            serde_json::from_slice(&qpdf(&["--json=2", "--json-key=qpdf"])).expect("qpdf writes JSON");
        let objetos = json["qpdf"][1].as_object().expect("objects").values();
        let valor = |o: &Value| o.get("value").or_else(|| o["stream"].get("dict")).cloned();
        Self { objetos: objetos.filter_map(valor).collect() }
    }

    /// All objects with this entry.
    pub fn con(&self, clave: &str) -> impl Iterator<Item = &Value> {
        self.objetos.iter().filter(move |o| o.get(clave).is_some())
    }

    /// The catalogue.
    pub fn catalogo(&self) -> &Value {
        self.con("/StructTreeRoot").next().expect("a tagged PDF")
    }

    /// What the PDF says of itself: title, author, keywords.
    pub fn ficha(&self, clave: &str) -> String {
        texto(&self.con("/Creator").next().expect("information")[clave])
    }

    /// How many pages.
    pub fn paginas(&self) -> usize {
        self.con("/Type").filter(|o| o["/Type"] == "/Page").count()
    }

    /// The elements of a kind in the tree of tags.
    pub fn etiquetas(&self, tipo: &str) -> Vec<&Value> {
        self.con("/S").filter(|o| o["/S"] == tipo && o.get("/P").is_some()).collect()
    }

    /// The alternative texts of all figures; one without fails the test.
    pub fn alternativos(&self) -> Vec<String> {
        let figuras = self.etiquetas("/Figure").into_iter().map(|f| texto(&f["/Alt"]));
        let textos: Vec<String> = figuras.collect();
        assert!(textos.iter().all(|t| !t.is_empty()), "{textos:?}");
        textos
    }
}

fn texto(valor: &Value) -> String {
    valor.as_str().and_then(|t| t.strip_prefix("u:")).unwrap_or_default().to_owned()
}

/// The printed text, page after page.
pub fn impreso(pdf: &[u8]) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let ruta = dir.path().join("x.pdf");
    std::fs::write(&ruta, pdf).expect("written");
    let salida = Command::new("pdftotext").arg("-layout").arg(&ruta).arg("-").output();
    let salida = salida.expect("these tests need pdftotext: apt-get install poppler-utils");
    String::from_utf8(salida.stdout).expect("text")
}
