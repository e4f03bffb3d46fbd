import { spawn } from "node:child_process"

const options = OPTIONS
// A hook is done within 0.3 s; what takes longer is not waited for.
const patience = 1000

function hook(event, session, directory, more) {
  return new Promise((resolve) => {
    const child = spawn("wilco", ["hook", "opencode", event, ...options], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
    })
    const timer = setTimeout(() => child.kill(), patience)
    const said = []
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => said.push(part))
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve(code === 0 ? Buffer.concat(said).toString("utf8") : "")
    })
    child.stdin.end(JSON.stringify({ session_id: session, cwd: directory, hook_event_name: event, ...more }))
  })
}

export const Wilco = async ({ client, directory }) => ({
  event: async ({ event }) => {
    if (event.type === "session.created") {
      const info = event.properties.info
      // A session beneath another is a helper of the same agent.
      if (!info.parentID) await hook("session.created", info.id, directory, { source: "startup" })
    }
    if (event.type === "session.idle") {
      const id = event.properties.sessionID
      const text = await hook("session.idle", id, directory, {})
      if (text) await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text }] } })
    }
    if (event.type === "session.deleted") {
      await hook("session.deleted", event.properties.info.id, directory, {})
    }
  },
  "chat.message": async (input, output) => {
    const text = await hook("chat.message", input.sessionID, directory, {})
    if (!text) return
    const id = "prt_" + Date.now().toString(16) + Math.random().toString(16).slice(2)
    const messageID = output.message.id
    output.parts.push({ id, sessionID: input.sessionID, messageID, type: "text", synthetic: true, text })
  },
  "tool.execute.after": async (input, output) => {
    const text = await hook("tool.execute.after", input.sessionID, directory, { tool_name: input.tool })
    if (text && typeof output.output === "string") output.output += "\n\n" + text
  },
})
