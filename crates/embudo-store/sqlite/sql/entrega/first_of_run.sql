-- When the first attempt of a run began. ?1 trabajo_id, ?2 how many attempts of the job came after that one.
SELECT inicio FROM entrega WHERE trabajo_id = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?2
