UPDATE cifra c SET datos = u.datos
FROM unnest(:empresa::uuid[], :zona::text[], :nivel::text[], :dia::date[], :datos::text[]) AS u (empresa_id, zona, nivel, dia, datos)
WHERE c.empresa_id = u.empresa_id AND c.zona = u.zona AND c.nivel = u.nivel AND c.dia = u.dia
