-- ?1 lead_id, ?2 nombre, ?3 valor.
INSERT INTO utm (lead_id, empresa_id, nombre, valor)
SELECT id, empresa_id, ?2, ?3 FROM lead WHERE id = ?1
ON CONFLICT (lead_id, nombre) DO UPDATE SET valor = excluded.valor
