INSERT INTO agenda (usuario_id, revision, calendario, calendario_en) VALUES (:usuario, 0, :calendario, :now)
ON CONFLICT (usuario_id) DO UPDATE SET calendario = excluded.calendario, calendario_en = excluded.calendario_en
