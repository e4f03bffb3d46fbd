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

export const Wilco = async ({ client, directory }) => {
  // What a session is told at its start comes with its first prompt.
  const started = new Map()
  // Sessions that rest, and the waiter of each: opencode has no way in from outside.
  const resting = new Map()
  // Sessions beneath another: helpers of the same agent, which has its own hooks.
  const helpers = new Set()

  function works(id) {
    resting.get(id)?.kill()
    resting.delete(id)
  }

  // A waiter in the background ends with 2 when there is news.
  function rests(id) {
    works(id)
    const waiter = spawn("wilco", ["hook", "opencode", "session.idle", "--wait", ...options], {
      cwd: directory,
      stdio: ["pipe", "ignore", "ignore"],
    })
    resting.set(id, waiter)
    waiter.unref()
    waiter.on("error", () => {})
    waiter.stdin.on("error", () => {})
    waiter.stdin.end(JSON.stringify({ session_id: id, cwd: directory, hook_event_name: "session.idle" }))
    waiter.on("close", async (code) => {
      if (code !== 2 || resting.get(id) !== waiter) return
      const text = await hook("chat.message", id, directory, {})
      if (text) await prompt(id, text)
      else rests(id)
    })
  }

  function prompt(id, text) {
    return client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text }] } })
  }

  return {
    event: async ({ event }) => {
      if (event.type === "session.created") {
        const info = event.properties.info
        if (info.parentID) helpers.add(info.id)
        else started.set(info.id, hook("session.created", info.id, directory, { source: "startup" }))
      }
      if (event.type === "session.idle") {
        const id = event.properties.sessionID
        if (helpers.has(id)) return
        const text = await hook("session.idle", id, directory, {})
        if (text) await prompt(id, text)
        else rests(id)
      }
      if (event.type === "session.deleted") {
        const id = event.properties.info.id
        works(id)
        if (!helpers.delete(id)) await hook("session.deleted", id, directory, {})
      }
    },
    "chat.message": async (input, output) => {
      if (helpers.has(input.sessionID)) return
      works(input.sessionID)
      const first = await (started.get(input.sessionID) ?? "")
      started.delete(input.sessionID)
      const next = await hook("chat.message", input.sessionID, directory, {})
      const text = [first, next].filter(Boolean).join("\n\n")
      if (!text) return
      const id = "prt_" + Date.now().toString(16) + Math.random().toString(16).slice(2)
      const messageID = output.message.id
      output.parts.push({ id, sessionID: input.sessionID, messageID, type: "text", synthetic: true, text })
    },
    "tool.execute.after": async (input, output) => {
      if (helpers.has(input.sessionID)) return
      const text = await hook("tool.execute.after", input.sessionID, directory, { tool_name: input.tool })
      if (text && typeof output.output === "string") output.output += "\n\n" + text
    },
  }
}
