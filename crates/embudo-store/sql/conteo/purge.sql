DELETE FROM conteo WHERE (tipo, sujeto, ventana) IN (
    SELECT tipo, sujeto, ventana FROM conteo WHERE expira_en <= :now LIMIT :max
)
