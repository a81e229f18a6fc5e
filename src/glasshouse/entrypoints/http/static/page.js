"use strict";

const at = (id) => document.getElementById(id);
const show = (id, shown = true) => { at(id).hidden = !shown; };

async function signIn(key) {
  const answer = await fetch("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ key }),
  });
  if (answer.ok) return null;
  return (await answer.json()).message;
}

function fact(name, value) {
  const term = document.createElement("dt");
  const description = document.createElement("dd");
  term.textContent = name;
  description.textContent = value;
  at("facts").append(term, description);
}

async function showStatus() {
  const answer = await fetch("/api/status");
  if (answer.status === 503) {
    setTimeout(showStatus, 1000);
    return;
  }
  show("sign-in", !answer.ok);
  show("status", answer.ok);
  if (!answer.ok) {
    at("key").focus();
    return;
  }
  const status = await answer.json();
  show("offline", status.offline);
  at("facts").replaceChildren();
  fact("版本 Version", status.version);
  fact("状态 State", status.state);
  fact("默认目录 Default directory", status.default_directory);
  fact("允许的目录 Allowed directories", status.allowed_directories.join("\n"));
  const { examples } = await (await fetch("/api/examples")).json();
  const { prompt, tools, permission_mode } = examples[0];
  const body = JSON.stringify({ prompt, tools: tools ?? undefined, permission_mode }).replaceAll("'", "'\\''");
  at("try").textContent = `curl -N ${location.origin}/api/task/stream \\\n  -H "X-API-Key: $GLASSHOUSE_API_KEY" \\\n`
    + `  -H "Content-Type: application/json" \\\n  -d '${body}'`;
}

at("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const refusal = await signIn(at("key").value);
  at("refused").textContent = refusal ?? "";
  show("refused", refusal !== null);
  if (refusal === null) await showStatus();
});

at("sign-out").addEventListener("click", async () => {
  await fetch("/api/logout", { method: "POST" });
  await showStatus();
});

(async () => {
  // A link's one-time code stands behind the #, which no server and no log ever sees; it goes from the address, too.
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) {
    history.replaceState(null, "", location.pathname);
    const refusal = await signIn(code);
    at("refused").textContent = refusal ?? "";
    show("refused", refusal !== null);
  }
  await showStatus();
})();
