// Where the page gets its data: from the server over HTTP, or from the data embedded in a single file. One interface.

/** What went wrong, in the server's words: title, detail and, where known, key, expected and nearest name. */
export class Problem extends Error {
  constructor({ title, detail, key, expected, nearest, status, file, line }) {
    super(detail || title);
    Object.assign(
      this,
      { title: title || "Something went wrong", detail: detail || "", key, expected, nearest, status, file, line },
    );
  }
}

/** A problem as one sentence, as InputError has it: where, what, what was expected, and the nearest name. */
export function sentence(problem, { named = true } = {}) {
  const { file, line, key, expected, nearest } = problem;
  const said = problem.detail || problem.title || problem.message || String(problem);
  const what = key && said.startsWith(`${key}: `) ? said.slice(key.length + 2) : said;
  const place = [file && (line ? `${file}:${line}` : file), named && key].filter(Boolean).join(": ");
  const more = [
    expected && !what.includes(expected) ? `expected ${expected}` : "",
    nearest && !what.includes("did you mean") ? `did you mean '${nearest}'?` : "",
  ];
  return [place ? `${place}: ${what}` : what, ...more].filter(Boolean).join("; ");
}

const unreachable = () => new Problem(
  { title: "The server cannot be reached.", detail: "Is `quorate serve` still running?", status: 0 },
);

/** Load a module of the page. Where that fails because the server is gone, this is what is said. */
export async function load(name) {
  try {
    return await import(name);
  } catch (error) {
    throw error instanceof TypeError && /module/i.test(error.message) ? unreachable() : error;
  }
}

const segment = encodeURIComponent;

async function request(path, { method = "GET", body, text = false } = {}) {
  let answer;
  try {
    answer = await fetch(`/api${path}`, {
      method,
      credentials: "same-origin",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw unreachable();
  }
  if (!answer.ok) throw await refusal(answer);
  if (answer.status === 204) return null;
  return text ? answer.text() : answer.json();
}

async function refusal(answer) {
  let said = {};
  try {
    said = await answer.json();
  } catch {
    /* Not every error in between speaks JSON; its status is told below. */
  }
  if (typeof said.detail === "object" && said.detail !== null) said.detail = JSON.stringify(said.detail);
  return new Problem({ title: `${answer.status} ${answer.statusText}`.trim(), ...said, status: answer.status });
}

function query(values) {
  const given = Object.entries(values ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return given.length ? "?" + new URLSearchParams(given.map(([name, value]) => [name, String(value)])) : "";
}

/** The source that speaks to the server this page came from. */
export function server() {
  const post = (path, body = {}) => request(path, { method: "POST", body });
  const session = (id, rest = "") => `/sessions/${segment(id)}${rest}`;
  return {
    live: true,
    about: () => request(""),
    login: (token) => post("/login", { token }),
    logout: () => post("/logout"),
    sessions: (asked) => request(`/sessions${query(asked)}`),
    summary: (id) => request(session(id)),
    entries: (id, asked) => request(session(id, `/entries${query({ prose: "tree", ...asked })}`)),
    board: (id, at) => request(session(id, `/board${query({ at, prose: "tree" })}`)),
    questions: (id) => request(session(id, "/questions")),
    answer: (id, ask, answer) => post(session(id, `/answers/${segment(ask)}`), { answer }),
    decline: (id, ask) => post(session(id, `/answers/${segment(ask)}`), { decline: true }),
    act: (id, what, why) => post(session(id, `/${segment(what)}`), why ? { why } : {}),
    fork: (id, body) => post(session(id, "/fork"), body),
    rule: (id, body) => post(session(id, "/ruling"), body),
    protocols: () => request("/protocols"),
    protocol: (name) => request(`/protocols/${segment(name)}`),
    proof: (name) => request(`/protocols/${segment(name)}/proof`),
    prove: (name) => post(`/protocols/${segment(name)}/proof`),
    inbox: () => request("/inbox"),
    models: () => request("/models"),
    panels: () => request("/panels"),
    open: (body) => post("/sessions", body),
    reports: (id) => request(session(id, "/reports")),
    reportUrl: (id, name) => `/api${session(id, `/reports/${segment(name)}`)}`,
    bundleUrl: (id) => `/api${session(id, "/bundle")}`,
    seal: (id) => request(session(id, "/seal")),
    explanation: (id) => request(session(id, "/explanation"), { text: true }),
    events: stream,
  };
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;

/**
 * Listen to a session. Every entry comes once and in order, however often the connection is cut: it is asked for again
 * from the last one seen, and what was seen already is left out. Returns a function that ends the listening.
 */
function stream(id, { entry, calling, saying, called, state, problem, after = -1 }) {
  let last = after;
  let wait = FIRST_WAIT;
  let timer = 0;
  let closed = false;
  let events = null;

  function again() {
    if (closed) return;
    events?.close();
    state?.("lost");
    clearTimeout(timer);
    timer = setTimeout(listen, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
  function listen() {
    clearTimeout(timer);
    events?.close();
    events = new EventSource(`/api/sessions/${segment(id)}/events${query({ after: last, prose: "tree" })}`);
    events.addEventListener("open", () => {
      wait = FIRST_WAIT;
      state?.("live");
    });
    events.addEventListener("entry", (message) => {
      const told = JSON.parse(message.data);
      if (told.seq <= last) return;
      if (told.seq > last + 1) return again(); // A gap can only be a fault on the way: ask for what is missing.
      last = told.seq;
      entry(told);
    });
    for (const [name, hear] of Object.entries({ calling, saying, called })) {
      if (hear) events.addEventListener(name, (message) => hear(JSON.parse(message.data)));
    }
    events.addEventListener("end", () => {
      close();
      state?.("ended");
    });
    events.addEventListener("problem", (message) => {
      close();
      state?.("ended");
      problem?.(new Problem(JSON.parse(message.data)));
    });
    events.addEventListener("error", again);
  }
  function close() {
    closed = true;
    clearTimeout(timer);
    window.removeEventListener("online", listen);
    events?.close();
  }
  window.addEventListener("online", listen);
  listen();
  return close;
}

/** The source that reads the data a single file carries. It can show everything and change nothing. */
export function file(data) {
  const refuse = async () => {
    throw new Problem({
      title: "This is a record, not a server",
      detail: "The page was opened from a file, so nothing can be changed here.",
      expected: "`quorate serve`, to take part",
    });
  };
  const boards = data.boards ?? [];
  // A card is carried once, however many boards show it.
  const card = (each) => (typeof each === "number" ? data.cards[each] : each);
  const summary = data.summary ?? {};
  const id = summary.session ?? summary.id;
  return {
    live: false,
    leftOut: data.left_out ?? [],
    about: async () => ({ read: true, write: false, login: false, protocols: [data.protocol?.name], ...data.about }),
    login: refuse,
    logout: refuse,
    sessions: async () => ({ sessions: [{ id, waiting: [], ...summary }], more: false }),
    summary: async () => summary,
    entries: async () => ({ events: data.events, last: data.events.length - 1, more: false }),
    board: async (_, at) => {
      const reached = boards.filter(([seq]) => at === null || at === undefined || seq <= at);
      const [seq, board] = reached[reached.length - 1] ?? [0, {}];
      const whole = Object.entries(board).map(([name, cards]) => [name, cards.map(card)]);
      return { seq: at ?? seq, board: Object.fromEntries(whole) };
    },
    questions: async () => [],
    answer: refuse,
    decline: refuse,
    act: refuse,
    fork: refuse,
    rule: refuse,
    protocols: async () => (data.protocol ? [data.protocol] : []),
    protocol: async () => data.protocol,
    proof: async () => data.proof ?? { status: "unknown", report: null },
    prove: refuse,
    inbox: async () => [],
    models: async () => [],
    panels: async () => [],
    open: refuse,
    reports: async () => (data.reports ?? []).map((each) => ({ ...each, bytes: new Blob([each.text]).size })),
    reportUrl: (_, name) => {
      const found = (data.reports ?? []).find((each) => each.name === name);
      return found ? URL.createObjectURL(new Blob([found.text], { type: found.media_type })) : "#";
    },
    bundleUrl: () => "#",
    seal: async () => data.seal ?? null,
    explanation: async () => data.explanation ?? "",
    events(_, { entry, state }) {
      let closed = false;
      queueMicrotask(() => {
        for (const event of data.events ?? []) if (!closed) entry(event);
        if (!closed) state?.("ended");
      });
      return () => {
        closed = true;
      };
    },
  };
}

/** Return the file's source where the page carries its data, the server's otherwise. */
export function here() {
  const carried = document.getElementById("quorate-data");
  return carried ? file(JSON.parse(carried.textContent)) : server();
}
