UPDATE dispositivo SET usado_en = :now WHERE id = :id
