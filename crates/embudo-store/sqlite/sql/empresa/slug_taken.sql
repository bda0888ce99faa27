-- ?1 slug, ?2 the company that may have it.
SELECT EXISTS (SELECT 1 FROM empresa WHERE slug = ?1 AND id <> ?2) AS found
