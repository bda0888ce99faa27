curl --fail-with-body "$EMBUDO_URL/api/leads/$LEAD/intento" \
  -H "Authorization: Bearer $FUNNEL_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{ "canal": "llamada", "numeroIntento": 1, "resultado": "no_contesta" }'
