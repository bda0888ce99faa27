-- A row for each of these sums, in one order; whoever adds to one waits for whoever is adding to it.
INSERT INTO cifra (empresa_id, zona, nivel, dia, datos)
SELECT u.*, '{}' FROM unnest(:empresa::uuid[], :zona::text[], :nivel::text[], :dia::date[]) AS u
ON CONFLICT (empresa_id, zona, nivel, dia) DO NOTHING
