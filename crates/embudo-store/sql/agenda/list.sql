-- When people can go on visits. The query adds whose.
SELECT usuario_id, revision, datos, calendario, calendario_en FROM agenda
