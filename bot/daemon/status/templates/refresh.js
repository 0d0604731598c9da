/* Refreshes now and then, unless the reader is elsewhere or in the middle of it. */
"use strict";
const EVERY_MS = 15000;
const box = document.getElementById("refresh");
const message = document.getElementById("message");

async function refresh() {
  const shown = document.querySelector("main");
  const chosen = getSelection();
  const busy = shown.contains(document.activeElement) && document.activeElement !== shown;
  if (!box.checked || document.hidden || busy || (chosen && !chosen.isCollapsed)) return;
  try {
    const answer = await fetch("/status", { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("main");
    if (!answer.ok || !fresh) throw new Error(String(answer.status));
    for (const each of fresh.querySelectorAll("details[id]")) {
      const known = document.getElementById(each.id);
      each.open = Boolean(known && known.open);
    }
    shown.replaceWith(document.importNode(fresh, true));
    if (message.textContent) message.textContent = "";
  } catch {
    message.textContent = "The server does not answer; what is shown is from before.";
  }
}

box.closest("[hidden]").hidden = false;
setInterval(refresh, EVERY_MS);
