# The chief of staff tells an agent that it has more time.
curl -X POST "http://localhost:23000/api/messages" \
  -H "Content-Type: application/json" \
  -d '{
    "to": "code-impl-auth",
    "subject": "Extension Granted",
    "priority": "normal",
    "content": {
      "type": "extension-granted",
      "message": "Extension granted. You now have 135 seconds remaining. Please reply \"ok\" when ready.",
      "new_timeout": "135 seconds",
      "extension_allowed_again": false
    }
  }'
