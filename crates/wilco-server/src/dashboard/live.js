// Keeps a page as the server shows it: counts down, and renews the parts that changed.
//
// Every part that may change has data-part. When the server says that something happened, the page is fetched once
// more, at most once a second, and parts that read otherwise are exchanged. A part in which somebody types, or that
// has the focus, waits until it is left. Parts come and go, so everything that is clicked or moved is listened to on
// the document.

const body = document.body;
const PAUSE = 1000;
const PAUSE_UNSEEN = 2500;
const LOST_AFTER = 8000;
let ahead = Number(body.dataset.now) - Date.now();
const now = () => Date.now() + ahead;

const UNITS = [["d", 86400000], ["h", 3600000], ["m", 60000], ["s", 1000]];

function span(millis) {
  let left = Math.max(0, Math.floor(millis / 1000) * 1000);
  const words = [];
  for (const [unit, length] of UNITS) {
    const count = Math.floor(left / length);
    if (count > 0 && words.length < 2) words.push(count + unit);
    left -= count * length;
  }
  return words.join(" ") || "0s";
}

function tick() {
  for (const time of document.querySelectorAll("time[data-due]")) {
    const left = Number(time.dataset.due) - now();
    const text = left >= 0 ? "in " + span(left) : span(-left) + " overdue";
    if (time.textContent !== text) time.textContent = text;
    time.classList.toggle("due-now", left < 0);
  }
  for (const time of document.querySelectorAll("time[data-at]")) {
    const text = span(now() - Number(time.dataset.at)) + " ago";
    if (time.textContent !== text) time.textContent = text;
  }
  for (const mark of document.querySelectorAll("[data-rest]")) {
    mark.textContent = span(Number(mark.dataset.rest) - now());
  }
  for (const mark of document.querySelectorAll("[data-since]")) {
    mark.textContent = span(now() - Number(mark.dataset.since));
  }
}

function show(state) {
  body.dataset.live = state;
  const words = { on: "live", lost: "connection lost, trying again", off: "not live" };
  for (const place of document.querySelectorAll(".live")) place.textContent = words[state];
}

function isInUse(part) {
  if (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select, button")) return true;
  const typed = (field) => field.type !== "hidden" && field.type !== "submit" && field.value !== field.defaultValue;
  // Without one that is marked, the first option is what a page begins with.
  const begun = (field) => Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  const chosen = (field) => field.selectedIndex !== begun(field);
  return [...part.querySelectorAll("input, textarea")].some(typed) || [...part.querySelectorAll("select")].some(chosen);
}

// Details that somebody opened stay open.
function keepOpen(from, to) {
  const opened = new Set([...from.querySelectorAll("details[open][id]")].map((one) => one.id));
  for (const one of to.querySelectorAll("details[id]")) if (opened.has(one.id)) one.open = true;
}

let skipped = false;

function exchange(fresh) {
  // Who looks is somebody else by now, in another tab: nothing here is theirs.
  if (fresh.body.dataset.viewer !== body.dataset.viewer) return location.reload();
  skipped = false;
  for (const part of document.querySelectorAll("[data-part]")) {
    const next = fresh.getElementById(part.id);
    if (!next) continue;
    const shown = fixed(next);
    if (seen.get(part.id) === shown) continue;
    if (isInUse(part)) {
      skipped = true;
      continue;
    }
    keepOpen(part, next);
    const held = part.contains(document.activeElement) ? document.activeElement.id : "";
    seen.set(part.id, shown);
    part.replaceChildren(...next.childNodes);
    part.classList.remove("changed");
    void part.offsetWidth;
    part.classList.add("changed");
    if (held) document.getElementById(held)?.focus({ preventScroll: true });
  }
  for (const around of document.querySelectorAll("[id][data-state]")) {
    const next = fresh.getElementById(around.id);
    if (next) around.dataset.state = next.dataset.state;
  }
  document.title = fresh.title;
  const icon = fresh.querySelector("link[rel=icon]");
  if (icon) document.querySelector("link[rel=icon]").setAttribute("href", icon.getAttribute("href"));
  tick();
}

// What a part shows, without what differs from moment to moment: relative times, and the key of a form.
function fixed(part) {
  const copy = part.cloneNode(true);
  for (const time of copy.querySelectorAll("time, [data-rest], [data-since]")) time.textContent = "";
  for (const key of copy.querySelectorAll("input[name=key]")) key.removeAttribute("value");
  return copy.innerHTML;
}

const seen = new Map();
for (const part of document.querySelectorAll("[data-part]")) seen.set(part.id, fixed(part));

let asked = false;
let resting = false;

async function renew() {
  if (resting) {
    asked = true;
    return;
  }
  resting = true;
  asked = false;
  try {
    const answer = await fetch(body.dataset.address, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (answer.status === 401) {
      location.reload();
      return;
    }
    if (answer.ok) exchange(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // The stream notices by itself that the server is gone.
  }
  setTimeout(() => {
    resting = false;
    if (asked) renew();
  }, document.hidden ? PAUSE_UNSEEN : PAUSE);
}

// A browser keeps six connections to a server, and a stream has one for as long as it is read. So one of its pages
// listens and tells the others. Where pages cannot agree on one, which needs https or this machine, each listens while
// somebody sees it.
const others = new BroadcastChannel("wilco-live");
let stream;
let heard = Date.now();
let head = "";

function listen() {
  stream?.close();
  if (!navigator.locks && document.hidden) return;
  const events = (stream = new EventSource("/live"));
  events.onmessage = (event) => tell({ head: event.lastEventId, now: JSON.parse(event.data).now });
  events.onerror = () => {
    // A refused stream is not opened again by the browser. Who was signed out meets that when the page is asked for.
    const refused = events.readyState === EventSource.CLOSED;
    tell({ lost: true, refused });
    if (refused) setTimeout(listen, 3000);
  };
}

function tell(news) {
  hear(news);
  others.postMessage(news);
}

function hear(news) {
  if (news.lost) {
    show("lost");
    if (news.refused) renew();
    return;
  }
  heard = Date.now();
  ahead = news.now - heard;
  const changed = news.head !== head || body.dataset.live !== "on";
  head = news.head;
  if (body.dataset.live !== "on") show("on");
  if (changed) renew();
}

function follow() {
  others.onmessage = (event) => hear(event.data);
  if (navigator.locks) {
    // Held until the page is left; then the next one listens.
    navigator.locks.request("wilco-live", () => new Promise(listen));
  } else {
    document.addEventListener("visibilitychange", () => {
      heard = Date.now();
      if (document.hidden) stream?.close();
      else listen();
    });
    listen();
  }
  // A stream that is open and says nothing is as good as none.
  setInterval(() => {
    if (Date.now() - heard <= LOST_AFTER) return;
    heard = Date.now();
    show("lost");
    if (stream) listen();
  }, 1000);
}

// What somebody typed in is left: what it held back may be shown.
document.addEventListener("focusout", () => {
  if (skipped) renew();
});

// The slider of an exchange's history leads to the moment that it shows.
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-history]")) return;
  const place = document.querySelector("[data-history-label]");
  if (place) place.textContent = event.target.value;
});

document.addEventListener("change", (event) => {
  const slider = event.target;
  if (!slider.matches("[data-history]")) return;
  const to = new URL(body.dataset.address, location.href);
  if (slider.value === slider.max) to.searchParams.delete("at");
  else to.searchParams.set("at", slider.value);
  location.assign(to);
});

// An id is copied by a click, Enter or Space, and says so for a moment.
function copy(event) {
  const id = event.target.closest?.("[data-copy]");
  if (!id || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  navigator.clipboard?.writeText(id.dataset.copy).then(() => {
    id.classList.add("copied");
    setTimeout(() => id.classList.remove("copied"), 1500);
  }, () => {});
}
document.addEventListener("click", copy);
document.addEventListener("keydown", copy);

// A message of the diagram shows its text while it is pointed at or has the focus.
const peek = document.createElement("div");
peek.className = "peek";
peek.hidden = true;
body.append(peek);

function hidePeek() {
  peek.hidden = true;
}

function showPeek(event) {
  const link = event.target.closest?.(".diagram a[href^='#']");
  const message = link && document.getElementById(link.getAttribute("href").slice(1));
  if (!message) return hidePeek();
  const place = link.getBoundingClientRect();
  const text = [...message.querySelectorAll(":scope > p:not(.soft), :scope > .text, :scope > dl")].map((one) => one.innerText);
  peek.textContent = [link.getAttribute("aria-label"), ...text].join("\n").slice(0, 600);
  peek.hidden = false;
  const above = place.top > innerHeight / 2;
  peek.style.left = Math.max(8, Math.min(place.left, innerWidth - peek.offsetWidth - 8)) + "px";
  peek.style.top = (above ? Math.max(8, place.top - peek.offsetHeight - 6) : place.bottom + 6) + "px";
}
for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, showPeek);
document.addEventListener("scroll", () => showPeek({ target: document.activeElement }), { passive: true });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hidePeek();
});

tick();
setInterval(tick, 1000);
if (body.dataset.live !== "off") follow();
