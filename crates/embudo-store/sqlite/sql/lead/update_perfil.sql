-- NULL keeps.
UPDATE lead SET
    actualizado_en = :now,
    {{@name = coalesce(:@name, @name)}}
WHERE id = :lead
