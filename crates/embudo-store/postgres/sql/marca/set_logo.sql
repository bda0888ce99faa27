-- No row is written if there is no such company.
INSERT INTO marca (empresa_id, logo_huella, logo)
SELECT e.id, :huella::bytea, :logo::bytea FROM empresa e WHERE e.id = :empresa::uuid
ON CONFLICT (empresa_id) DO UPDATE SET logo_huella = excluded.logo_huella, logo = excluded.logo
