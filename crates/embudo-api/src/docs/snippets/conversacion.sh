curl --fail-with-body "$EMBUDO_URL/api/leads/$LEAD/conversacion" \
  -H "Authorization: Bearer $FUNNEL_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{ "rol": "user", "mensaje": "¿Cuándo podéis venir?", "botStep": "visita" }'
