-- ?1 lead_id, ?2 huella.
SELECT EXISTS (SELECT 1 FROM foto WHERE lead_id = ?1 AND (bytes = ?2 OR crudo = ?2))
