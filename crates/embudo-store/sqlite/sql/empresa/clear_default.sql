UPDATE empresa SET por_defecto = 0 WHERE por_defecto = 1
