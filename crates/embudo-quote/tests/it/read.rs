//! Reads a PDF back with qpdf, which also checks whether the PDF is valid.

use std::process::Command;

use serde_json::Value;

/// A PDF as qpdf reads it.
pub struct Pdf {
    objects: Vec<Value>,
}

impl Pdf {
    /// Checks and reads a PDF. If it is not valid, the test fails with qpdf's message.
    pub fn read(pdf: &[u8]) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.pdf");
        std::fs::write(&path, pdf).expect("written");
        let qpdf = |arguments: &[&str]| {
            let output = Command::new("qpdf").args(arguments).arg(&path).output();
            let output = output.expect("these tests need qpdf: apt-get install qpdf");
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "qpdf {arguments:?}: {errors}");
            output.stdout
        };
        qpdf(&["--check"]);
        let json: Value =
            serde_json::from_slice(&qpdf(&["--json=2", "--json-key=qpdf"])).expect("qpdf writes JSON");
        let objects = json["qpdf"][1].as_object().expect("objects").values();
        let value = |o: &Value| o.get("value").or_else(|| o["stream"].get("dict")).cloned();
        Self { objects: objects.filter_map(value).collect() }
    }

    /// All objects with this entry.
    pub fn with(&self, key: &str) -> impl Iterator<Item = &Value> {
        self.objects.iter().filter(move |o| o.get(key).is_some())
    }

    /// The document catalogue.
    pub fn catalog(&self) -> &Value {
        self.with("/StructTreeRoot").next().expect("a tagged PDF")
    }

    /// The metadata of the PDF: title, author, keywords.
    pub fn record(&self, key: &str) -> String {
        text(&self.with("/Creator").next().expect("information")[key])
    }

    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.with("/Type").filter(|o| o["/Type"] == "/Page").count()
    }

    /// The elements of a kind in the structure tree.
    pub fn labels(&self, kind: &str) -> Vec<&Value> {
        self.with("/S").filter(|o| o["/S"] == kind && o.get("/P").is_some()).collect()
    }

    /// The alternative texts of all figures. The test fails if one is missing.
    pub fn alternatives(&self) -> Vec<String> {
        let figures = self.labels("/Figure").into_iter().map(|f| text(&f["/Alt"]));
        let texts: Vec<String> = figures.collect();
        assert!(texts.iter().all(|t| !t.is_empty()), "{texts:?}");
        texts
    }
}

fn text(value: &Value) -> String {
    value.as_str().and_then(|t| t.strip_prefix("u:")).unwrap_or_default().to_owned()
}

/// The printed text, page after page.
pub fn printed(pdf: &[u8]) -> String {
    pdftotext(pdf, "-layout")
}

/// Pairs of words that are printed over each other. The boxes of words extend above and below the letters, so close
/// lines overlap a little.
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
    let path = dir.path().join("x.pdf");
    std::fs::write(&path, pdf).expect("written");
    let output = Command::new("pdftotext").arg(how).arg(&path).arg("-").output();
    let output = output.expect("these tests need pdftotext: apt-get install poppler-utils");
    String::from_utf8(output.stdout).expect("text")
}
