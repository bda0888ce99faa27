INSERT INTO proyeccion (nombre, hasta, visto, visto_en)
SELECT * FROM unnest(:nombre::text[], :hasta::bigint[], :visto::bigint[], :visto_en::timestamptz[])
ON CONFLICT (nombre) DO UPDATE SET hasta = excluded.hasta, visto = excluded.visto, visto_en = excluded.visto_en
