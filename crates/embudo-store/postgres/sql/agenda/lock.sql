-- Locks people's calendars until the commit, in the order of their ids; a person without a row gets one to lock.
INSERT INTO agenda (usuario_id, revision)
SELECT u, 0 FROM unnest(:usuario::uuid[]) AS u ORDER BY u
ON CONFLICT (usuario_id) DO UPDATE SET revision = agenda.revision
