-- A row for each of these sums, locked in one order: additions to one sum wait for each other.
INSERT INTO cifra (empresa_id, zona, nivel, dia, datos)
SELECT u.*, '{}' FROM unnest(:empresa::uuid[], :zona::text[], :nivel::text[], :dia::date[]) AS u
ON CONFLICT (empresa_id, zona, nivel, dia) DO NOTHING
