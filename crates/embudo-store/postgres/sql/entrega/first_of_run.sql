-- When the attempt began that has so many ($2) after it.
SELECT inicio FROM entrega WHERE trabajo_id = $1::uuid ORDER BY n DESC LIMIT 1 OFFSET $2::bigint
