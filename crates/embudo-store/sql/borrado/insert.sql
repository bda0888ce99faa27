INSERT INTO borrado (lead_id, empresa_id, motivo, quien, pedido_en)
VALUES (:lead, :empresa, :motivo, :quien, :now)
ON CONFLICT (lead_id) DO UPDATE SET pedido_en = excluded.pedido_en, terminado_en = NULL
