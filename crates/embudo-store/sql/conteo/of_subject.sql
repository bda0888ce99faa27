SELECT ventana, n FROM conteo WHERE tipo = :tipo AND sujeto = :sujeto AND ventana >= :desde
