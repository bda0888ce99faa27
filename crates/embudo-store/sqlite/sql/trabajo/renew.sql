-- `:dura` is in microseconds. A lease that ran out can still be prolonged, until another process takes the job.
UPDATE trabajo SET arrendado_hasta = CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :dura
WHERE id = :id AND arrendado_por = :quien AND +estado = 'pendiente'
