SELECT c.empresa_id, c.zona, c.nivel, c.dia, c.datos
FROM unnest(:empresa::uuid[], :zona::text[], :nivel::text[], :dia::date[]) WITH ORDINALITY AS u (empresa_id, zona, nivel, dia, n)
JOIN cifra c USING (empresa_id, zona, nivel, dia)
ORDER BY u.n
FOR UPDATE OF c
