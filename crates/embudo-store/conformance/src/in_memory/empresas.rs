//! Companies with their brands, logos and price tables.

use std::collections::BTreeSet;

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::connections::Connections;
use embudo_domain::empresa::Empresa;
use embudo_domain::identity::Identity;
use embudo_domain::job::Destination;
use embudo_domain::settings::Settings;
use embudo_domain::{Digest, EmpresaId, Timestamp};
use embudo_store::edited::Edited;
use embudo_store::empresas::{
    AddTarifa, ChangeLogo, ChangeSlug, EditEmpresa, EditSettings, EmpresaPatch, StoredBrand, StoredTarifa,
    TarifaVersion, WithdrawTarifa, Withdrawal,
};
use embudo_store::{AuditStore as _, EmpresaReads, EmpresaStore, Result, StoreError};
use jiff::civil::Date;

use super::Memory;

#[async_trait]
impl EmpresaStore for Memory {
    async fn create_empresa(&self, empresa: Empresa, _: Timestamp) -> Result<()> {
        self.world().add(empresa)
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, _: Timestamp) -> Result<Empresa> {
        let mut world = self.world();
        if world.por_defecto().is_none() {
            world.add(empresa)?;
        }
        Ok(world.por_defecto().expect("the first company is the default one").clone())
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        let mut world = self.world();
        if let Some(slug) = &patch.slug {
            world.rename(id, slug)?;
        }
        let empresa = world.empresas.iter_mut().find(|e| e.id == id).ok_or(StoreError::EmpresaNotFound)?;
        empresa.nombre = patch.nombre.unwrap_or(std::mem::take(&mut empresa.nombre));
        if let Some(email) = patch.email_avisos {
            empresa.email_avisos = Some(email).filter(|e| !e.is_empty());
        }
        empresa.notices = patch.notices.unwrap_or(empresa.notices);
        if patch.por_defecto {
            world.make_default(id);
        }
        Ok(world.empresas.iter().find(|e| e.id == id).expect("found before").clone())
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        self.company_of(empresa)?.marks.insert(empresa, brand);
        Ok(())
    }

    async fn save_settings(&self, empresa: EmpresaId, settings: Settings) -> Result<()> {
        self.company_of(empresa)?.settings.insert(empresa, settings);
        Ok(())
    }

    async fn edit_settings(&self, command: EditSettings) -> Result<Edited> {
        drop(self.company_of(command.empresa)?);
        let end = Edited::decide(&command.seen, &self.settings(command.empresa).await?, &command.edited);
        if end == Edited::Saved {
            self.save_settings(command.empresa, command.edited).await?;
            self.record_audit(command.audit).await?;
        }
        Ok(end)
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let mut company = self.company_of(empresa)?;
        company.logos.remove(&empresa);
        company.logos.extend(logo.map(|l| (empresa, l)));
        Ok(())
    }

    async fn edit_empresa(&self, command: EditEmpresa) -> Result<Edited> {
        let id = command.empresa;
        let found = self.list_empresas().await?.into_iter().find(|e| e.id == id);
        let now = Identity::of(&found.ok_or(StoreError::EmpresaNotFound)?, &self.brand(id).await?.brand);
        let (Identity { nombre, brand }, entry) = match command.decide(&now) {
            Ok(decided) => decided,
            Err(end) => return Ok(end),
        };
        self.update_empresa(id, EmpresaPatch { nombre: Some(nombre), ..EmpresaPatch::default() }).await?;
        self.save_brand(id, brand).await?;
        self.record_audit(entry).await?;
        Ok(Edited::Saved)
    }

    async fn change_logo(&self, command: ChangeLogo) -> Result<Edited> {
        drop(self.company_of(command.empresa)?);
        let entry = match command.decide(self.brand(command.empresa).await?.logo) {
            Ok(entry) => entry,
            Err(end) => return Ok(end),
        };
        self.save_logo(command.empresa, command.logo).await?;
        self.record_audit(entry).await?;
        Ok(Edited::Saved)
    }

    async fn change_slug(&self, command: ChangeSlug) -> Result<Edited> {
        let found = self.list_empresas().await?.into_iter().find(|e| e.id == command.empresa);
        let entry = match command.decide(&found.ok_or(StoreError::EmpresaNotFound)?.slug) {
            Ok(entry) => entry,
            Err(end) => return Ok(end),
        };
        self.world().rename(command.empresa, &command.slug)?;
        self.record_audit(entry).await?;
        Ok(Edited::Saved)
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        let mut company = self.company_of(empresa)?;
        match company.tarifas.iter().find(|(of, t)| *of == empresa && t.version == tarifa.version) {
            Some((_, t)) if t.text == tarifa.text && t.since == tarifa.since => Ok(()),
            Some(_) => Err(StoreError::TarifaTaken),
            None => {
                company.tarifas.push((empresa, tarifa));
                Ok(())
            }
        }
    }

    async fn add_tarifa(&self, command: AddTarifa) -> Result<Edited> {
        drop(self.company_of(command.empresa)?);
        let now = self.tarifa_versions(command.empresa).await?;
        let same = self.tarifa(command.empresa, command.tarifa.version.clone()).await?;
        let end = command.decide(&now, same.as_ref())?;
        if end == Edited::Saved {
            self.save_tarifa(command.empresa, command.tarifa).await?;
            self.record_audit(command.audit).await?;
        }
        Ok(end)
    }

    async fn withdraw_tarifa(&self, command: WithdrawTarifa) -> Result<Withdrawal> {
        let WithdrawTarifa { empresa, version, .. } = &command;
        let end = command.decide(self.tarifa(*empresa, version.clone()).await?.as_ref());
        if end == Withdrawal::Done {
            self.company().tarifas.retain(|(of, t)| of != empresa || t.version != *version);
            self.record_audit(command.audit).await?;
        }
        Ok(end)
    }
}

#[async_trait]
impl EmpresaReads for Memory {
    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        let mut all = self.world().empresas.clone();
        all.sort_by_key(|e| (!e.por_defecto, e.nombre.clone()));
        Ok(all)
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        let world = self.world();
        let is = |e: &&Empresa| slug.as_ref().map_or(e.por_defecto, |s| e.slug == *s);
        Ok(world.empresas.iter().find(is).cloned())
    }

    async fn empresa_by_former_slug(&self, slug: String) -> Result<Option<Empresa>> {
        let world = self.world();
        let id = world.former_slugs.get(&slug);
        Ok(world.empresas.iter().find(|e| Some(&e.id) == id).cloned())
    }

    async fn brand(&self, empresa: EmpresaId) -> Result<StoredBrand> {
        let company = self.company();
        let brand = company.marks.get(&empresa).cloned().unwrap_or_default();
        Ok(StoredBrand { brand, logo: company.logos.get(&empresa).map(|l| Digest::of(l)) })
    }

    async fn settings(&self, empresa: EmpresaId) -> Result<Settings> {
        Ok(self.company().settings.get(&empresa).cloned().unwrap_or_default())
    }

    async fn own_receivers(&self) -> Result<BTreeSet<Destination>> {
        let company = self.company();
        let all = company.settings.values().flat_map(|settings| {
            Connections::SIGNALS.into_iter().filter(|to| settings.connections.own(*to).is_some())
        });
        Ok(all.collect())
    }

    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
        Ok(self.company().logos.get(&empresa).cloned())
    }

    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<StoredTarifa>> {
        let company = self.company();
        let own = company.tarifas.iter().rev().filter(|(of, _)| *of == empresa);
        let mut own: Vec<StoredTarifa> = own.map(|(_, t)| t.clone()).collect();
        own.sort_by_key(|t| std::cmp::Reverse((t.since, t.creada_en)));
        Ok(own)
    }

    async fn tarifa_versions(&self, empresa: EmpresaId) -> Result<Vec<TarifaVersion>> {
        let named =
            |StoredTarifa { version, since, creada_en, .. }| TarifaVersion { version, since, creada_en };
        Ok(self.tarifas(empresa).await?.into_iter().map(named).collect())
    }

    async fn tarifa(&self, empresa: EmpresaId, version: String) -> Result<Option<StoredTarifa>> {
        Ok(self.tarifas(empresa).await?.into_iter().find(|t| t.version == version))
    }

    async fn current_tarifa(&self, empresa: EmpresaId, day: Date) -> Result<Option<StoredTarifa>> {
        Ok(self.tarifas(empresa).await?.into_iter().find(|t| t.since <= day))
    }
}
