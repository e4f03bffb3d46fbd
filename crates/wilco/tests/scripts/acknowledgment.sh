# A chief of staff asks an agent before it interrupts it, reminds it, and reads its own inbox for the answer.
# The clock is the test's: `date +%s` shows it, `sleep` moves it.
AGENT="code-impl-auth"
OPERATION="skill-install"
TIMEOUT=120
REMINDER_INTERVALS=(30 60 90)
REMINDER_SENT=(false false false)

request() {
  curl -s -X POST "http://localhost:23000/api/messages" \
    -H "Content-Type: application/json" \
    -d '{
      "to": "code-impl-auth",
      "subject": "Skill Installation Pending - Acknowledgment Required",
      "priority": "high",
      "content": {
        "type": "pre-operation",
        "message": "I will install the security-audit skill. Please finish your current work and reply with \"ok\" when ready. I will wait up to 2 minutes.",
        "operation": "skill-install",
        "requires_acknowledgment": true,
        "acknowledgment_timeout": 120,
        "acknowledgment_reminder_intervals": [30, 60, 90]
      }
    }' >/dev/null
}

check_timeout() {
  ELAPSED=$(($(date +%s) - START_TIME))
  [ $ELAPSED -ge $TIMEOUT ]
}

send_reminder() {
  curl -s -X POST "http://localhost:23000/api/messages" \
    -H "Content-Type: application/json" \
    -d "{
      \"to\": \"$1\",
      \"subject\": \"Reminder: Acknowledgment Required\",
      \"priority\": \"high\",
      \"content\": {
        \"type\": \"reminder\",
        \"message\": \"Reminder: Please reply 'ok' when ready for the pending operation. $2 seconds remaining before I proceed.\",
        \"time_remaining\": \"$2 seconds\",
        \"reminder_number\": $3
      }
    }" >/dev/null
}

check_acknowledgment() {
  RESPONSE=$(curl -s "http://localhost:23000/api/messages?agent=chief-of-staff&action=list&status=unread")
  ACK_MSG=$(echo $RESPONSE | jq -r ".messages[] | select(.from == \"$1\")")
  if [ -z "$ACK_MSG" ]; then
    return 1
  fi
  MSG_TEXT=$(echo $ACK_MSG | jq -r '.content.message' | tr '[:upper:]' '[:lower:]')
  case "$MSG_TEXT" in
    *"ok"*) echo "Agent $1 acknowledged - ready to proceed"; return 0 ;;
    *"wait"*|*"not ready"*) echo "Agent $1 requested more time"; return 1 ;;
    *"cancel"*) echo "Agent $1 requested cancellation"; return 2 ;;
    *) echo "Agent $1 sent: $MSG_TEXT"; return 1 ;;
  esac
}

START_TIME=$(date +%s)
request
while ! check_timeout; do
  for i in 0 1 2; do
    if [ $ELAPSED -ge ${REMINDER_INTERVALS[$i]} ] && [ "${REMINDER_SENT[$i]}" = "false" ]; then
      send_reminder $AGENT $((TIMEOUT - ELAPSED)) $((i + 1))
      REMINDER_SENT[$i]=true
    fi
  done
  if check_acknowledgment $AGENT; then
    echo "Acknowledgment received from $AGENT after $ELAPSED seconds"
    break
  fi
  sleep 5
done

if check_timeout; then
  echo "WARNING: Timeout - no acknowledgment from $AGENT after $TIMEOUT seconds"
  curl -s -X POST "http://localhost:23000/api/messages" \
    -H "Content-Type: application/json" \
    -d "{
      \"to\": \"$AGENT\",
      \"subject\": \"Proceeding Without Acknowledgment\",
      \"priority\": \"high\",
      \"content\": {
        \"type\": \"timeout-notice\",
        \"message\": \"No response received after 2 minutes. Proceeding with operation now.\",
        \"operation\": \"$OPERATION\",
        \"timeout_occurred\": true
      }
    }" >/dev/null
fi
