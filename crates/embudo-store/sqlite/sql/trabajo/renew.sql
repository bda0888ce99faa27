-- ?1 id, ?2 arrendado_por, ?3 how long, in microseconds. A lease that ran out is still its holder's until another takes it.
UPDATE trabajo SET arrendado_hasta = CAST(unixepoch('subsec') * 1000000 AS INTEGER) + ?3
WHERE id = ?1 AND arrendado_por = ?2 AND +estado = 'pendiente'
