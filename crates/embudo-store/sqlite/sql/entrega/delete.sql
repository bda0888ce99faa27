DELETE FROM entrega WHERE trabajo_id = ?1
