INSERT INTO proyeccion (nombre, hasta, visto, visto_en) VALUES (:nombre, :hasta, :visto, :visto_en)
ON CONFLICT (nombre) DO UPDATE SET hasta = excluded.hasta, visto = excluded.visto, visto_en = excluded.visto_en
