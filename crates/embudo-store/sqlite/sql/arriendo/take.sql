-- `:dura` is in microseconds. A process prolongs its own lease, and can take a lease that ran out.
INSERT INTO arriendo (nombre, por, hasta)
VALUES (:nombre, :quien, CAST(unixepoch('subsec') * 1000000 AS INTEGER) + :dura)
ON CONFLICT (nombre) DO UPDATE SET por = excluded.por, hasta = excluded.hasta
WHERE por = excluded.por OR hasta <= CAST(unixepoch('subsec') * 1000000 AS INTEGER)
