-- When people can go on visits. The query adds its condition.
SELECT usuario_id, revision, datos, calendario, calendario_en FROM agenda
