INSERT INTO cifra (empresa_id, zona, nivel, dia, datos) VALUES (:empresa, :zona, :nivel, :dia, :datos)
ON CONFLICT (empresa_id, zona, nivel, dia) DO UPDATE SET datos = excluded.datos
