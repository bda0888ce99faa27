SELECT nombre, hasta, visto, visto_en FROM proyeccion
