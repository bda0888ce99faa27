-- United leads, with their principals. The query adds its conditions.
SELECT lead_id, principal_id FROM lead_union
