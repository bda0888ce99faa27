SELECT lead_id, id, zona, momento, orden, url, prefijo, bytes, crudo, creado_en
FROM foto
WHERE lead_id = ANY (:lead::uuid[])
ORDER BY lead_id, orden, n
