-- No row is written if there is no such company.
INSERT INTO marca (empresa_id, logo_huella, logo) SELECT e.id, $2::bytea, $3::bytea FROM empresa e WHERE e.id = $1::uuid
ON CONFLICT (empresa_id) DO UPDATE SET logo_huella = excluded.logo_huella, logo = excluded.logo
