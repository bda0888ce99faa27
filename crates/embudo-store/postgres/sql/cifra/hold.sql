-- Inserts the sums that have no row yet, in the given order; cifra/lock.sql then locks all of them.
INSERT INTO cifra (empresa_id, zona, nivel, dia, datos)
SELECT u.*, '{}' FROM unnest(:empresa::uuid[], :zona::text[], :nivel::text[], :dia::date[]) AS u
ON CONFLICT (empresa_id, zona, nivel, dia) DO NOTHING
