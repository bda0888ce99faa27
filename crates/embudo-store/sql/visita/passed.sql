-- Leads with an agreed visit that is over.
SELECT lead_id FROM visita WHERE vigente_hasta <= :now ORDER BY vigente_hasta LIMIT :limit
