-- When the next pending job of one of these kinds that nobody holds is due, or the next lease runs out.
SELECT least(
    (
        SELECT min(c.proximo_en)
        FROM unnest(:tipo::text[]) AS k (tipo)
        CROSS JOIN LATERAL (
            SELECT t.proximo_en
            FROM trabajo t
            WHERE t.estado = 'pendiente'
                AND t.tipo = k.tipo
                AND (t.arrendado_hasta IS NULL OR t.arrendado_hasta <= clock_timestamp())
            ORDER BY t.proximo_en, t.n
            LIMIT 1
        ) c
    ),
    (
        SELECT min(t.arrendado_hasta)
        FROM trabajo t
        WHERE t.arrendado_por IS NOT NULL AND t.estado = 'pendiente' AND t.arrendado_hasta > clock_timestamp()
    )
) AS cuando
