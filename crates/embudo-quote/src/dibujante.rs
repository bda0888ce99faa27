//! Draws quotes: with the template that ships, in this process, or with an operator's own, in a child.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use typst::foundations::Bytes;
use typst::syntax::Source;
use typst::visualize::ExchangeFormat;

use crate::encargo::{Encargo, Hecho, PlantillaUsada};
use crate::fotos::{self, Lista};
use crate::hijo::Hijo;
use crate::letras::Letras;
use crate::mundo::{Mundo, Olvido, Salida, id};
use crate::plantilla::Plantilla;
use crate::{CARPETA, PLANTILLA, datos, qr};

/// Draws quotes. Typefaces and template are loaded once; a clone shares them.
#[derive(Clone)]
pub struct Dibujante {
    comun: Arc<LazyLock<Comun>>,
    hijo: Option<Hijo>,
}

struct Comun {
    letras: Letras,
    plantilla: Source,
}

impl Comun {
    fn cargar() -> Self {
        let id = id(&format!("{CARPETA}/presupuesto.typ")).expect("the path is inside the root");
        Self { letras: Letras::cargar(), plantilla: Source::new(id, PLANTILLA.to_owned()) }
    }
}

/// A quote that cannot be drawn, which is a fault of this program.
#[derive(Debug, thiserror::Error)]
pub enum Fallo {
    /// The typesetter refuses our own template.
    #[error("the quote cannot be typeset: {0}")]
    Composicion(String),
    /// The typesetter gave up.
    #[error("the typesetter panicked: {0}")]
    Panico(String),
}

/// Everything a template reads, by its path.
struct Preparado {
    archivos: Vec<(String, Bytes)>,
    identidad: String,
    avisos: Vec<String>,
}

impl std::fmt::Debug for Dibujante {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dibujante").field("hijo", &self.hijo).finish_non_exhaustive()
    }
}

impl Default for Dibujante {
    fn default() -> Self {
        Self::new()
    }
}

impl Dibujante {
    /// Typefaces and template are loaded by the first quote. Operators' own templates need [`Self::con_hijo`] as well.
    pub fn new() -> Self {
        Self { comun: Arc::new(LazyLock::new(Comun::cargar)), hijo: None }
    }

    /// Says how to start the process that compiles operators' own templates.
    #[must_use]
    pub fn con_hijo(self, hijo: Hijo) -> Self {
        Self { hijo: Some(hijo), ..self }
    }

    /// Draws a quote. Blocks for tens of milliseconds, with an operator's template for at most its time limit more.
    ///
    /// An operator's template that fails or uses too much is replaced by ours.
    pub fn dibujar(&self, encargo: &Encargo, plantilla: Option<&Plantilla>) -> Result<Hecho, Fallo> {
        let _olvido = Olvido;
        let intento = || {
            let preparado = self.preparar(encargo)?;
            match plantilla.map(|p| self.con_propia(encargo, &preparado, p)) {
                None => self.con_nuestra(encargo, preparado, PlantillaUsada::Nuestra),
                Some(Ok(hecho)) => Ok(hecho),
                Some(Err(por_que)) => {
                    let mut preparado = preparado;
                    preparado.avisos.insert(0, format!("La plantilla propia no se ha usado: {por_que}."));
                    self.con_nuestra(encargo, preparado, PlantillaUsada::NuestraPorFallo)
                }
            }
        };
        catch_unwind(AssertUnwindSafe(intento)).unwrap_or_else(|panico| {
            let texto = panico.downcast_ref::<String>().map(String::as_str);
            let texto = texto.or_else(|| panico.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(Fallo::Panico(texto.to_owned()))
        })
    }

    /// What a template would read for this quote, by its path: for whoever writes one, or draws the same with something else.
    pub fn archivos(&self, encargo: &Encargo) -> Result<Vec<(String, Vec<u8>)>, Fallo> {
        let _olvido = Olvido;
        let preparado = self.preparar(encargo)?;
        Ok(preparado.archivos.into_iter().map(|(ruta, datos)| (ruta, datos.to_vec())).collect())
    }

    fn preparar(&self, encargo: &Encargo) -> Result<Preparado, Fallo> {
        let listas = fotos::preparar(encargo);
        let mut archivos = Vec::new();
        let mut avisos = Vec::new();
        let logo = encargo.logo.as_ref().map(|l| fotos::leer(Bytes::new(l.clone()), ExchangeFormat::Png));
        let hay_logo = match logo {
            Some(Some(Lista::Imagen { datos, .. })) => {
                archivos.push((format!("{CARPETA}/logo.png"), datos));
                true
            }
            Some(_) => {
                avisos.push("El logo no es un PNG que se pueda leer.".to_owned());
                false
            }
            None => false,
        };
        let svg = encargo.pagina_url.as_deref().and_then(qr::svg);
        let hay_qr = svg.is_some();
        archivos.extend(svg.map(|svg| (format!("{CARPETA}/qr.svg"), Bytes::from_string(svg))));
        let (datos, mas) = datos::componer(encargo, &listas, hay_logo, hay_qr, &self.comun.letras);
        avisos.extend(mas);
        for (n, lista) in listas.into_iter().enumerate() {
            if let Lista::Imagen { datos, .. } = lista {
                archivos.push((fotos::ruta(n), datos));
            }
        }
        let json = serde_json::to_vec(&datos).map_err(|e| Fallo::Composicion(e.to_string()))?;
        archivos.push((format!("{CARPETA}/datos.json"), Bytes::new(json)));
        let e = &encargo.documento.empresa;
        let emisor = e.nif.as_deref().unwrap_or(&e.nombre);
        let identidad = format!("embudo/presupuesto/{emisor}/{}/{}", encargo.numero, encargo.version);
        Ok(Preparado { archivos, identidad, avisos })
    }

    fn con_nuestra(
        &self,
        encargo: &Encargo,
        p: Preparado,
        plantilla: PlantillaUsada,
    ) -> Result<Hecho, Fallo> {
        let mut mundo = Mundo::new(&self.comun.letras, self.comun.plantilla.clone(), encargo.validez.emitido);
        for (ruta, datos) in p.archivos {
            mundo.agregar(&ruta, datos);
        }
        let salida = mundo.componer(&p.identidad).map_err(|e| Fallo::Composicion(e.join("; ")))?;
        Ok(hecho(salida, p.avisos, plantilla))
    }

    fn con_propia(&self, encargo: &Encargo, p: &Preparado, plantilla: &Plantilla) -> Result<Hecho, String> {
        let hijo = self.hijo.as_ref().ok_or("este programa no puede usar plantillas propias")?;
        let suyos = plantilla.archivos.iter().map(|(ruta, datos)| (ruta.clone(), datos.as_ref()));
        let comunes = p.archivos.iter().map(|(ruta, datos)| (ruta.clone(), datos.as_slice()));
        // Ours come last and win: a template cannot bring its own data.
        let archivos: Vec<(String, &[u8])> = suyos.chain(comunes).collect();
        let salida = hijo.componer(&plantilla.principal, &archivos, &p.identidad, encargo.validez.emitido)?;
        Ok(hecho(salida, p.avisos.clone(), PlantillaUsada::Propia))
    }
}

fn hecho(salida: Salida, mut avisos: Vec<String>, plantilla: PlantillaUsada) -> Hecho {
    avisos.extend(salida.avisos);
    Hecho { pdf: salida.pdf, norma: salida.norma, plantilla, avisos }
}
