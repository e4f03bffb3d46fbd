# Is the agent's session known, is the service up, does it work with the whole name and without a content type?
REPLACEMENT_SESSION="helper-agent-2"
curl "http://localhost:23000/api/agents?session=$REPLACEMENT_SESSION"
echo
curl "http://localhost:23000/api/health"
echo
curl -X POST "http://localhost:23000/api/messages" \
  -d '{"to": "full-session-name", "subject": "Again", "content": {"type": "notification", "message": "did it arrive?"}}'
