-- ?1 empresa_id, ?2 logo_huella, ?3 logo. No row: there is no such company.
INSERT INTO marca (empresa_id, logo_huella, logo) SELECT id, ?2, ?3 FROM empresa WHERE id = ?1
ON CONFLICT (empresa_id) DO UPDATE SET logo_huella = excluded.logo_huella, logo = excluded.logo
