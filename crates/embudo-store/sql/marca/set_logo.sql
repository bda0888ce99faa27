-- Writes no row if there is no such company.
INSERT INTO marca (empresa_id, logo_huella, logo) SELECT id, :huella, :logo FROM empresa WHERE id = :empresa
ON CONFLICT (empresa_id) DO UPDATE SET logo_huella = excluded.logo_huella, logo = excluded.logo
