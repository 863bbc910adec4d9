// The page: finds its source, builds the shell around the screens, and shows the screen the address names.

import { h, replace } from "quorate/dom";
import { here, load } from "quorate/source";
import { href, router } from "quorate/router";
import { bind, help, listen } from "quorate/keys";
import { nextTheme, setTheme, theme } from "quorate/store";
import { failure } from "quorate/failure";
import { login } from "quorate/login";

const source = here();
const INBOX_EVERY = 5000;
const SCREENS = {
  "": "quorate/screens/sessions",
  sessions: "quorate/screens/session",
  inbox: "quorate/screens/inbox",
  protocols: "quorate/screens/protocols",
  new: "quorate/screens/new",
  welcome: "quorate/screens/welcome",
};
const LINKS = [
  ["", "Sessions"],
  ["inbox", "Inbox"],
  ["protocols", "Protocols"],
  ["new", "New"],
];

let about = null;
let shown = null;
let turn = 0;
const parts = shell();
const routes = router(show);

function shell() {
  const nav = h("nav", { "aria-label": "Main" });
  const main = h("main", { id: "main", tabindex: "-1" });
  const said = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
  const problems = h("div", { class: "problems" });
  const link = h("span", { class: "connection", role: "status" });
  const themes = h("button", { class: "bare", type: "button", on: { click: () => themed(nextTheme()) } });
  const keys = h(
    "button",
    {
      class: "bare keys",
      type: "button",
      "aria-label": "Keyboard help",
      title: "Keyboard help (?)",
      on: { click: openHelp },
    },
    "?",
  );
  const name = h("a", { class: "name", href: "#/" }, "Quorate");
  const header = h("header", { class: "top" }, name, nav, h("span", { class: "grow" }), link, themes, keys);
  const skip = h(
    "a",
    { class: "skip", href: "#main", on: { click: (event) => (event.preventDefault(), main.focus()) } },
    "Skip to content",
  );
  replace(document.getElementById("page"), skip, header, problems, main, said);
  return { nav, main, said, problems, link, themes, name };
}

function themed(name) {
  const mark = { auto: "◐", light: "☀", dark: "☾" }[name];
  replace(parts.themes, h("span", { "aria-hidden": "true" }, mark));
  parts.themes.setAttribute("aria-label", `Theme: ${name}. Change it`);
  parts.themes.title = `Theme: ${name}`;
}

function navigation(current, waiting = 0) {
  const count = waiting ? h("span", { class: "count", "aria-label": `${waiting} waiting` }, String(waiting)) : null;
  replace(
    parts.nav,
    LINKS.filter(([path]) => path !== "new" || writes()).map(([path, label]) =>
      h(
        "a",
        { href: href(path ? [path] : []), "aria-current": path === current ? "page" : null },
        label,
        path === "inbox" ? count : null,
      ),
    ),
  );
}

/** Whether this login may open sessions. */
const writes = () => about?.write !== false;

const STATES = {
  live: "live",
  lost: "connection lost, trying again",
  ended: "record",
  file: "record in a file",
  idle: "",
};

function connection(state) {
  parts.link.dataset.state = state;
  replace(
    parts.link,
    STATES[state] ? h("span", { class: "dot", "aria-hidden": "true" }) : null,
    h("span", { class: "state" }, STATES[state] ?? state),
  );
}

/** Say something to people who listen to the page instead of looking at it. */
function say(text) {
  parts.said.textContent = text;
}

/** Show what went wrong as a banner that stays until it is closed. */
function problem(error) {
  if (error?.status === 401) return askLogin();
  console.error(error);
  const hint = [
    error?.key && ["Where", error.key],
    error?.file && ["File", error.line ? `${error.file}, line ${error.line}` : error.file],
    error?.expected && ["Expected", error.expected],
    error?.nearest && ["Did you mean", error.nearest],
  ].filter(Boolean);
  const title = error?.title ?? "Something went wrong";
  const detail = error?.detail ?? error?.message ?? String(error);
  const banner = h(
    "section",
    { class: "problem", role: "alert", dataset: { key: `${title}\n${detail}` } },
    h("div", { class: "grow" },
      h("h2", null, title),
      detail && detail !== title ? h("p", null, detail) : null,
      hint.length ? h(
        "dl",
        null,
        hint.map(([name, value]) => [h("dt", null, name), h("dd", null, String(value))]),
      ) : null,
    ),
    h(
      "button",
      { class: "bare", type: "button", "aria-label": "Close this message", on: { click: () => banner.remove() } },
      "✕",
    ),
  );
  const same = [...parts.problems.children].find((each) => each.dataset.key === banner.dataset.key);
  if (same) same.replaceWith(banner);
  else parts.problems.append(banner);
  while (parts.problems.children.length > 3) parts.problems.firstChild.remove();
}

function askLogin() {
  turn += 1;
  close();
  login(parts.main, source, () => start());
}

function close() {
  try {
    shown?.dispose?.();
  } catch (error) {
    console.error(error);
  }
  shown = null;
}

/** Show the screen of a route. What was shown before is disposed of, unless it can take the new route itself. */
async function show(route) {
  if (!about) return; // Somebody was quicker than the server; start() shows the route when it is known what can be shown.
  const [first = "", second = null] = route.path;
  if (!source.live && !["sessions", "protocols"].includes(first)) return routes.quietly(
    href(["sessions", await only()]),
  ), routes.now();
  const name = first === "protocols" && second ? "quorate/screens/protocol" : SCREENS[first];
  const mine = ++turn;
  if (name && shown?.name === name && shown.reroute?.(route)) return;
  navigation(first);
  if (first === "sessions" && !second) return routes.go("#/");
  close();
  parts.problems.replaceChildren();
  if (!name) return failed({ title: "There is no such page", detail: `Nothing is at “${first}”.` });
  try {
    const screen = await load(name);
    if (mine !== turn) return;
    const root = h("div", { class: "screen" });
    replace(parts.main, root);
    document.title = `${screen.title ?? "Quorate"} – Quorate`;
    const made = (await screen.render(root, context(route, second))) ?? {};
    if (mine !== turn) return made.dispose?.();
    shown = Object.assign(Object.create(made), { name });
    if (document.activeElement === document.body) parts.main.focus({ preventScroll: true });
  } catch (error) {
    if (mine === turn) failed(error, first);
  }
}

/** Show what went wrong in place of the screen: nothing of another address stays. */
function failed(error, first = "") {
  if (error?.status === 401) return askLogin();
  console.error(error);
  turn += 1;
  close();
  const [title, node] = failure(error, first, retry);
  document.title = `${title} – Quorate`;
  replace(parts.main, node);
  parts.main.focus({ preventScroll: true });
}

/** Begin anew once the server answers; until then what is shown stays. */
const retry = () => source.about().then(() => location.reload(), problem);

async function only() {
  const { sessions } = await source.sessions({});
  return sessions[0].id;
}

function context(route, id) {
  return {
    source,
    about,
    route,
    id,
    at: null,
    query: route.query,
    go: routes.go,
    quietly: routes.quietly,
    say,
    problem,
    failed: (error) => failed(error, route.path[0]),
    connection,
    state: () => null,
    setAt: () => {},
    setTitle: (text) => (document.title = `${text} – Quorate`),
  };
}

function openHelp() {
  const rows = help().map(([key, says]) => h(
    "tr",
    null,
    h("td", null, key.split(" or ").map((each, index) => [index ? " or " : "", keyCaps(each)])),
    h("td", null, says),
  ));
  const dialog = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title", on: { close: () => dialog.remove() } },
    h("h2", { id: "help-title" }, "Keyboard"),
    h("table", null, h("tbody", null, rows)),
    h("form", { method: "dialog", class: "buttons" }, h("button", { class: "main" }, "Close")),
  );
  document.body.append(dialog);
  dialog.showModal();
}

const CAPS = { ArrowLeft: "←", ArrowRight: "→", " ": "Space" };
const keyCaps = (keys) => keys.split(/(?<=.) (?=.)/).map((key) => h("kbd", null, CAPS[key] ?? key));

async function inboxCount() {
  if (source.live && about && !document.hidden) {
    try {
      const open = await source.inbox();
      const current = parts.nav.querySelector("[aria-current]")?.textContent ?? "";
      const path = LINKS.find(([, label]) => current.startsWith(label))?.[0] ?? null;
      navigation(path, open.length);
      if (parts.link.dataset.state === "lost-server") connection("idle");
    } catch (error) {
      if (error.status === 401) return problem(error);
    }
  }
  setTimeout(inboxCount, INBOX_EVERY);
}

async function start() {
  try {
    about = await source.about();
  } catch (error) {
    return problem(error);
  }
  if (source.live && about.login && about.read === false) return askLogin();
  parts.nav.hidden = !source.live;
  connection(source.live ? "idle" : "file");
  routes.now();
  inboxCount();
}

setTheme(theme());
themed(theme());
connection("idle");
listen();
bind({
  "?": { says: "this help", run: openHelp },
  "g s": { says: "go to the sessions", run: () => source.live && routes.go("#/") },
  "g i": { says: "go to the inbox", run: () => source.live && routes.go("#/inbox") },
  "g p": {
    says: "go to the protocols",
    run: () => routes.go(source.live ? "#/protocols" : href(["protocols", about.protocols[0]])),
  },
  "g n": { says: "open a new session", run: () => source.live && writes() && routes.go("#/new") },
  t: { says: "change the theme", run: () => themed(nextTheme()) },
});
start();
