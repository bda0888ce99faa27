-- ?1 trabajo_id, ?2 how many of its last attempts come after the one that is wanted.
SELECT inicio FROM entrega WHERE trabajo_id = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?2
