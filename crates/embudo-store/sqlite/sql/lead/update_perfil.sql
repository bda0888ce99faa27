-- A null parameter keeps the column's value.
UPDATE lead SET
    actualizado_en = :now,
    {{@name = coalesce(:@name, @name)}}
WHERE id = :lead
