UPDATE empresa SET por_defecto = false WHERE por_defecto AND id <> :id::uuid
