-- `:dura` is in microseconds. A process prolongs its own lease, and can take a lease that ran out.
INSERT INTO arriendo AS a (nombre, por, hasta)
VALUES (:nombre::text, :quien::uuid, clock_timestamp() + :dura::bigint * interval '1 microsecond')
ON CONFLICT (nombre) DO UPDATE SET por = excluded.por, hasta = excluded.hasta
WHERE a.por = excluded.por OR a.hasta <= clock_timestamp()
