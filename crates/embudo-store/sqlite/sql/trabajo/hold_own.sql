-- Gives a job back; it is held if its destination is paused.
UPDATE trabajo SET
    proximo_en = CASE
        WHEN EXISTS (SELECT 1 FROM pausa p WHERE p.empresa_id = trabajo.empresa_id AND p.tipo = trabajo.tipo)
        THEN :held ELSE proximo_en
    END,
    arrendado_por = NULL,
    arrendado_hasta = NULL
WHERE id = :id AND arrendado_por = :quien AND +estado = 'pendiente'
