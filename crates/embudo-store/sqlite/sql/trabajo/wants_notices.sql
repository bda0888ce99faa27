-- Whether the company of lead ?1 has an address for notices and wants them. No row: there is no such lead.
SELECT empresa.avisos AND coalesce(empresa.email_avisos, '') <> ''
FROM lead JOIN empresa ON empresa.id = lead.empresa_id
WHERE lead.id = ?1
