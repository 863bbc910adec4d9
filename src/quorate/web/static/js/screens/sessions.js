// The sessions of this store: how each stands, what it came to, and which wait for a person.

import { h, replace } from "quorate/dom";
import { bind } from "quorate/keys";
import { href } from "quorate/router";
import { keep, recall } from "quorate/store";
import { ago, brief, dollars, moment, short, verdictTone, words } from "quorate/format";
import { limitOf } from "quorate/parts/instruments";

export const title = "Sessions";

const EVERY = 3000;
const PAGE = 50;
const STATUSES = ["active", "waiting", "concluded"];

export async function render(root, ctx) {
  let closed = false;
  let timer = 0;
  let asked = 0;
  let limit = PAGE;
  let shown = "";
  const names = (ctx.about.protocols ?? []).map((each) => (typeof each === "string" ? each : each.name));
  const search = h(
    "input",
    {
      type: "search",
      id: "q",
      placeholder: "Search",
      "aria-label": "Search sessions",
      value: ctx.query.q ?? "",
      on: { input: () => soon(200) },
    },
  );
  const pick = (label, values, value) => h(
    "select",
    { "aria-label": label, value: value ?? "", on: { change: () => soon(0) } },
    h("option", { value: "" }, label),
    values.map((each) => h("option", { value: each }, words(each))),
  );
  const protocol = pick("All protocols", names, ctx.query.protocol);
  const status = pick("Any status", STATUSES, ctx.query.status);
  const list = h("div", { class: "sessions" });
  const hello = recall("visited") ? null : h(
    "p",
    { class: "hello" },
    "New here? ",
    h("a", { href: "#/welcome" }, "See a recorded session"),
    " first.",
  );
  keep("visited", true);
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "row titled" },
        h("h1", null, "Sessions"),
        h("span", { class: "grow" }),
        search,
        protocol,
        status,
        ctx.about.write === false ? null : h("a", { class: "button main", href: "#/new" }, "New session"),
      ),
      hello,
      list,
    ),
  );

  const unbind = bind({
    j: { says: "next session", run: () => step(1) },
    k: { says: "previous session", run: () => step(-1) },
    "/": { says: "search", run: () => search.focus() },
  });
  await look();
  return { dispose };

  function dispose() {
    closed = true;
    clearTimeout(timer);
    unbind();
    document.removeEventListener("visibilitychange", seen);
  }

  function soon(wait) {
    limit = PAGE;
    clearTimeout(timer);
    timer = setTimeout(look, wait);
    ctx.quietly(href([], { q: search.value, protocol: protocol.value, status: status.value }));
  }

  async function look() {
    const mine = ++asked;
    clearTimeout(timer);
    const filtered = search.value || protocol.value || status.value;
    try {
      const found = await ctx.source.sessions(
        { q: search.value.trim(), protocol: protocol.value, status: status.value, limit },
      );
      if (closed || mine !== asked) return;
      if (!found.sessions.length && !filtered) return ctx.go("#/welcome");
      ctx.connection("idle");
      draw(found, filtered);
    } catch (error) {
      if (closed) return;
      if (error.status === 0) ctx.connection("lost");
      else ctx.problem(error);
    }
    if (!closed && mine === asked) timer = setTimeout(() => (document.hidden ? null : look()), EVERY);
  }

  function seen() {
    if (!document.hidden) look();
  }
  document.addEventListener("visibilitychange", seen);

  function draw(found, filtered) {
    const minute = Math.floor(Date.now() / 20_000);
    const key = JSON.stringify([found, minute]);
    if (key === shown) return;
    shown = key;
    const focused = document.activeElement?.closest?.("[data-session]")?.dataset.session;
    replace(
      list,
      found.sessions.length ? found.sessions.map(row) : h(
        "p",
        { class: "empty" },
        filtered ? "No session is like that." : "",
      ),
      found.more ? h(
        "button",
        { type: "button", on: { click: () => ((limit += PAGE), look()) } },
        "Show more",
      ) : null,
    );
    if (focused) list.querySelector(`[data-session="${CSS.escape(focused)}"] a`)?.focus({ preventScroll: true });
  }

  function step(by) {
    const links = [...list.querySelectorAll("a.session-link")];
    const at = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
  }
}

/** One session of the list. */
function row(session) {
  const { id, waiting = [], verdict, ruling, degraded, running, failure } = session;
  const link = h(
    "a",
    { class: "session-link", href: href(["sessions", id]) },
    brief(session.title || id, 200),
  );
  return h(
    "article",
    { class: `session-row${waiting.length ? " waiting" : ""}`, dataset: { session: id } },
    h(
      "div",
      { class: "what" },
      h("h2", null, link),
      h(
        "p",
        { class: "small dim" },
        h("span", { class: "protocol" }, words(session.protocol)),
        " · ",
        h(
          "time",
          { datetime: new Date(session.opened_at).toISOString(), title: moment(new Date(session.opened_at)) },
          ago(new Date(session.opened_at).getTime()),
        ),
        " · ",
        h("span", { class: "mono" }, brief(id, 44)),
      ),
    ),
    h(
      "div",
      { class: "how row" },
      verdict ? h(
        "span",
        { class: `chip strong ${verdictTone(verdict, ruling ? null : session.exit_code)}` },
        words(verdict),
      ) : h("span", { class: "chip accent" }, words(session.phase) || "not begun"),
      ruling ? h("span", { class: `chip strong ${verdictTone(ruling, session.exit_code)}` }, `ruled ${words(ruling)}`) : null,
      degraded && degraded !== "none" ? h("span", { class: "chip warn" }, "degraded") : null,
      waiting.length ? h("a", { class: "chip warn strong", href: "#/inbox" }, "waits for you") : null,
      failure ? h(
        "span",
        { class: "chip bad", title: brief(failure, 400) },
        "stopped by an error",
      ) : running && !verdict ? h("span", { class: "chip good" }, "running") : null,
      session.round ? h("span", { class: "dim small" }, `round ${session.round}`) : null,
    ),
    h(
      "div",
      { class: "cost small number" },
      amount("tokens", session.tokens, limitOf(session.budget, "tokens"), short),
      amount("money", session.cost_usd, centsOf(session.budget), dollars),
    ),
  );
}

function centsOf(budget) {
  const cents = limitOf(budget, "cents");
  return cents ? cents / 100 : null;
}

function amount(label, used, limit, say) {
  if (!used && used !== null && !limit && label === "money") return null;
  const spent = say(used ?? (label === "money" ? null : 0));
  const text = limit ? `${spent} of ${say(limit)}` : spent;
  const bar = h(
    "span",
    { class: "bar thin", "aria-hidden": "true", hidden: !limit },
    h("span", { class: "piece", dataset: { part: used / limit >= 0.8 ? "warn" : "plain" } }),
  );
  bar.firstChild.style.flexBasis = `${limit ? Math.min(100, (100 * (used ?? 0)) / limit) : 0}%`;
  return h(
    "span",
    { class: "amount" },
    h("span", { class: "dim" }, `${text}${label === "tokens" ? " tokens" : ""}`),
    bar,
  );
}
