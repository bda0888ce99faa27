INSERT INTO utm (lead_id, empresa_id, nombre, valor)
SELECT id, empresa_id, :nombre, :valor FROM lead WHERE id = :lead
ON CONFLICT (lead_id, nombre) DO UPDATE SET valor = excluded.valor
