# An orchestrator tells a replacement agent that it takes over.
curl -X POST "http://localhost:23000/api/messages" \
  -H "Content-Type: application/json" \
  -d '{
    "to": "helper-agent-2",
    "subject": "[HANDOFF] Agent Replacement - You are replacing implementer-1",
    "priority": "urgent",
    "content": {
      "type": "replacement_handoff",
      "message": "You are replacing implementer-1 due to context_loss. Full handoff: https://github.com/owner/repo/issues/42#issuecomment-123456",
      "handoff_id": "handoff-uuid-123",
      "handoff_url": "https://github.com/owner/repo/issues/42#issuecomment-123456",
      "failed_agent": {"id": "implementer-1", "session": "helper-agent-generic"},
      "tasks": ["task-uuid-1", "task-uuid-2"],
      "urgency": "immediate",
      "ack_required_within": "5 minutes"
    }
  }'
