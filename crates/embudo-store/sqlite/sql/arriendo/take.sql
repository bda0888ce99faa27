-- `:dura` is in microseconds. One's own lease is prolonged, one that ran out is free.
INSERT INTO arriendo (nombre, por, hasta)
VALUES (:nombre, :quien, CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :dura)
ON CONFLICT (nombre) DO UPDATE SET por = excluded.por, hasta = excluded.hasta
WHERE por = excluded.por OR hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)
