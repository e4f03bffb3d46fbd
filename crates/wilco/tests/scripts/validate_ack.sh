# Was a handoff acknowledged as it should be? 0 yes, 1 not at all, 2 not ready, 3 from another checkpoint.
HANDOFF_ID="$1"
EXPECTED_CHECKPOINT="$2"

ACK=$(curl -s "http://localhost:23000/api/messages?action=list&status=unread" | \
  jq --arg hid "$HANDOFF_ID" '.messages[] | select(.content.handoff_id == $hid)')

if [ -z "$ACK" ]; then
  echo "ERROR: No ACK received for handoff $HANDOFF_ID"
  exit 1
fi

ACK_STATUS=$(echo "$ACK" | jq -r '.content.status')
ACK_CHECKPOINT=$(echo "$ACK" | jq -r '.content.starting_from')

if [ "$ACK_STATUS" != "ready_to_proceed" ]; then
  echo "WARNING: Agent status is $ACK_STATUS, not ready_to_proceed"
  exit 2
fi

if [ "$ACK_CHECKPOINT" != "$EXPECTED_CHECKPOINT" ]; then
  echo "WARNING: Agent checkpoint '$ACK_CHECKPOINT' differs from expected '$EXPECTED_CHECKPOINT'"
  exit 3
fi

echo "ACK validated successfully"
exit 0
