INSERT INTO pausa (empresa_id, tipo, desde, quien)
SELECT :empresa::uuid, k.tipo, :now::timestamptz, :quien::text FROM unnest(:tipo::text[]) AS k (tipo)
ON CONFLICT (empresa_id, tipo) DO NOTHING
