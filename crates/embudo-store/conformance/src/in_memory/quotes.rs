//! The model's quotes behind the trait, and what they are made from.

use std::collections::HashMap;

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::marca::Marca;
use embudo_domain::presupuesto::{EstadoPresupuesto, Presupuesto};
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{EmpresaId, Huella, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use super::Memoria;
use crate::model::world::Registrada;
use embudo_store::presupuestos::{
    AnswerPresupuesto, CompletePresupuesto, Contestacion, DraftPresupuesto, MarcaGuardada, Presupuestos,
    TarifaGuardada,
};
use embudo_store::{Result, StoreError};

/// What belongs to companies and to the house.
#[derive(Default)]
pub(super) struct Casa {
    /// In the order of loading.
    tarifas: Vec<(EmpresaId, TarifaGuardada)>,
    marcas: HashMap<EmpresaId, Marca>,
    logos: HashMap<EmpresaId, Vec<u8>>,
    secretos: HashMap<String, [u8; 32]>,
}

impl Memoria {
    /// The company's things, if there is such a company.
    fn casa_de(&self, empresa: EmpresaId) -> Result<std::sync::MutexGuard<'_, Casa>> {
        let existe = self.mundo().empresas.iter().any(|e| e.id == empresa);
        if existe { Ok(self.casa()) } else { Err(StoreError::EmpresaNotFound) }
    }

    fn casa(&self) -> std::sync::MutexGuard<'_, Casa> {
        self.1.lock().expect("no case panics while it holds the model")
    }
}

#[async_trait]
impl Presupuestos for Memoria {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
        let mut mundo = self.mundo();
        let (lead, contenido, anio) = (command.lead, command.documento.huella(), command.anio()?);
        let empresa = mundo.ficha(lead)?.lead.empresa.id;
        let ultimo = mundo.presupuestos.iter().rfind(|p| p.lead == lead).cloned();
        if let Some(ultimo) = ultimo.as_ref().filter(|u| command.repite(u, contenido)) {
            return Ok(ultimo.clone());
        }
        if mundo.presupuestos.iter().any(|p| p.id == command.id) {
            return Err(StoreError::Internal("the id is taken".into()));
        }
        let de_la_serie = |p: &&Presupuesto| p.empresa == empresa && p.numero.anio() == anio;
        let orden = mundo.presupuestos.iter().filter(de_la_serie).count() as i64 + 1;
        let nuevo = command.redactar(contenido, empresa, orden, ultimo.as_ref())?;
        for p in mundo.presupuestos.iter_mut().filter(|p| p.lead == lead) {
            if p.estado.puede_pasar_a(EstadoPresupuesto::Sustituido) {
                p.estado = EstadoPresupuesto::Sustituido;
            }
        }
        mundo.presupuestos.push(nuevo.clone());
        Ok(nuevo)
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let CompletePresupuesto { id, pdf, eventos, entregas, mut fin, barridos } = command;
        let mut mundo = self.mundo();
        let Some(lead) = mundo.puesto(fin.id).ok().filter(|p| p.de(fin.quien)).map(|p| p.trabajo.lead) else {
            return Ok(false);
        };
        let n = mundo.presupuestos.iter().position(|p| p.id == id && p.lead == lead);
        let n = n.ok_or(StoreError::PresupuestoNotFound)?;
        if mundo.presupuestos[n].pdf.is_none() {
            mundo.usar(lead, &[pdf.huella], &barridos)?;
            mundo.presupuestos[n].pdf = Some(pdf);
        }
        let p = &mut mundo.presupuestos[n];
        if p.estado == EstadoPresupuesto::Borrador {
            (p.estado, p.emitido_en) = (EstadoPresupuesto::Emitido, Some(fin.en));
        }
        let se_entrega = p.estado != EstadoPresupuesto::Sustituido;
        if !se_entrega {
            fin.trabajos.clear();
        }
        let en = fin.en;
        mundo.terminar(fin);
        if se_entrega {
            let nuevas = entregas.into_iter().map(|encargo| Registrada { de: id, encargo, en, quedo: None });
            mundo.entregas.extend(nuevas);
            mundo.registro(lead)?.ficha.eventos.extend(eventos);
        }
        Ok(true)
    }

    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto> {
        let mundo = self.mundo();
        mundo.presupuestos.iter().find(|p| p.id == id).cloned().ok_or(StoreError::PresupuestoNotFound)
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        let mundo = self.mundo();
        mundo.ficha(lead)?;
        Ok(mundo.presupuestos.iter().rev().filter(|p| p.lead == lead).cloned().collect())
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<Contestacion> {
        let mut mundo = self.mundo();
        let p = mundo.presupuestos.iter_mut().find(|p| p.id == command.id);
        let p = p.ok_or(StoreError::PresupuestoNotFound)?;
        match command.decidir(p) {
            Err(contestacion) => return Ok(contestacion),
            Ok(estado) => (p.estado, p.respuesta) = (estado, Some(command.respuesta.clone())),
        }
        let lead = p.lead;
        mundo.registro(lead)?.ficha.eventos.push(command.evento);
        mundo.encolar(lead, command.trabajos, command.respuesta.en);
        Ok(Contestacion::Hecha)
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: TarifaGuardada) -> Result<()> {
        let mut casa = self.casa_de(empresa)?;
        match casa.tarifas.iter().find(|(de, t)| *de == empresa && t.version == tarifa.version) {
            Some((_, t)) if t.texto == tarifa.texto && t.desde == tarifa.desde => Ok(()),
            Some(_) => Err(StoreError::TarifaTaken),
            None => {
                casa.tarifas.push((empresa, tarifa));
                Ok(())
            }
        }
    }

    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<TarifaGuardada>> {
        let casa = self.casa();
        let suyas = casa.tarifas.iter().rev().filter(|(de, _)| *de == empresa);
        let mut suyas: Vec<TarifaGuardada> = suyas.map(|(_, t)| t.clone()).collect();
        suyas.sort_by_key(|t| std::cmp::Reverse((t.desde, t.creada_en)));
        Ok(suyas)
    }

    async fn tarifa_vigente(&self, empresa: EmpresaId, dia: Date) -> Result<Option<TarifaGuardada>> {
        Ok(self.tarifas(empresa).await?.into_iter().find(|t| t.desde <= dia))
    }

    async fn save_marca(&self, empresa: EmpresaId, marca: Marca) -> Result<()> {
        self.casa_de(empresa)?.marcas.insert(empresa, marca);
        Ok(())
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let mut casa = self.casa_de(empresa)?;
        casa.logos.remove(&empresa);
        casa.logos.extend(logo.map(|l| (empresa, l)));
        Ok(())
    }

    async fn marca(&self, empresa: EmpresaId) -> Result<MarcaGuardada> {
        let casa = self.casa();
        let marca = casa.marcas.get(&empresa).cloned().unwrap_or_default();
        Ok(MarcaGuardada { marca, logo: casa.logos.get(&empresa).map(|l| Huella::of(l)) })
    }

    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
        Ok(self.casa().logos.get(&empresa).cloned())
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        let mundo = self.mundo();
        let es = |e: &&Empresa| slug.as_ref().map_or(e.por_defecto, |s| e.slug == *s);
        Ok(mundo.empresas.iter().find(es).cloned())
    }

    async fn ensure_secreto(&self, nombre: String, propuesto: [u8; 32]) -> Result<[u8; 32]> {
        Ok(*self.casa().secretos.entry(nombre).or_insert(propuesto))
    }

    async fn save_rendicion(&self, rendicion: Rendicion, barridos: Vec<(Huella, i64)>) -> Result<()> {
        let mut mundo = self.mundo();
        let (lead, foto) = (rendicion.lead, rendicion.foto);
        let fotos = mundo.ficha(lead).map(|f| f.fotos).unwrap_or_default();
        if !fotos.iter().any(|f| f.id == foto) {
            return Err(StoreError::FotoNotFound);
        }
        let huellas: Vec<Huella> = rendicion.huellas().collect();
        mundo.usar(lead, &huellas, &barridos)?;
        mundo.rendiciones.retain(|r| (r.lead, r.foto) != (lead, foto));
        mundo.rendiciones.push(rendicion);
        Ok(())
    }

    async fn rendiciones(&self, lead: LeadId) -> Result<Vec<Rendicion>> {
        Ok(self.mundo().rendiciones.iter().filter(|r| r.lead == lead).cloned().collect())
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        en: Timestamp,
    ) -> Result<()> {
        let mut mundo = self.mundo();
        let nuevos = consentimientos
            .into_iter()
            .map(|k| Consentimiento { otorgado_en: k.otorgado_en.or(Some(en)), ..k });
        mundo.registro(lead)?.ficha.consentimientos.extend(nuevos);
        Ok(())
    }
}
