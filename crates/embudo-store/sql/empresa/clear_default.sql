UPDATE empresa SET por_defecto = false WHERE por_defecto = true AND id <> :id
