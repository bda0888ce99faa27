-- ?1 id, ?2 actualizado_en, then the profile: NULL keeps.
UPDATE lead SET
    actualizado_en = ?2,
    {{@name = coalesce(?@n, @name)}}
WHERE id = ?1
