INSERT INTO proyeccion (nombre, hasta, visto, visto_en)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::timestamptz[])
ON CONFLICT (nombre) DO UPDATE SET hasta = excluded.hasta, visto = excluded.visto, visto_en = excluded.visto_en
