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
    pdftotext(pdf, "-layout")
}

/// Words that are printed over others, in pairs. Boxes of words reach above and below their letters, so lines that stand close
/// touch a little.
pub fn overprinted(pdf: &[u8]) -> Vec<(String, String)> {
    let boxes = pdftotext(pdf, "-bbox");
    let mut found = Vec::new();
    for page in boxes.split("<page").skip(1) {
        let words: Vec<_> = page.lines().filter_map(word).collect();
        for (n, (a, over)) in words.iter().enumerate() {
            for (b, under) in &words[..n] {
                let across = a[2].min(b[2]) - a[0].max(b[0]);
                let down = a[3].min(b[3]) - a[1].max(b[1]);
                if across > 1.0 && down > 0.4 * (a[3] - a[1]).min(b[3] - b[1]) {
                    found.push((over.clone(), under.clone()));
                }
            }
        }
    }
    found
}

/// `<word xMin="1" yMin="2" xMax="3" yMax="4">text</word>`
fn word(line: &str) -> Option<([f64; 4], String)> {
    let (attributes, text) = line.trim().strip_prefix("<word ")?.split_once('>')?;
    let mut figures = attributes.split('"').skip(1).step_by(2).filter_map(|figure| figure.parse().ok());
    let edges = [figures.next()?, figures.next()?, figures.next()?, figures.next()?];
    Some((edges, text.trim_end_matches("</word>").to_owned()))
}

fn pdftotext(pdf: &[u8], how: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let ruta = dir.path().join("x.pdf");
    std::fs::write(&ruta, pdf).expect("written");
    let salida = Command::new("pdftotext").arg(how).arg(&ruta).arg("-").output();
    let salida = salida.expect("these tests need pdftotext: apt-get install poppler-utils");
    String::from_utf8(salida.stdout).expect("text")
}
