curl --fail-with-body "$EMBUDO_URL/api/leads/$LEAD/calificacion" \
  -H "Authorization: Bearer $FUNNEL_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{ "score": 82, "nivel": "A", "notasAgente": "Quiere empezar en enero" }'
