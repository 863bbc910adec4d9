// The transcript: the lines of a session by round and phase, and at its end what is being asked and said right now.

import { h, replace, setText } from "quorate/dom";
import { capital, count, words } from "quorate/format";
import { card } from "quorate/parts/card";
import { MOST_CHARACTERS, length } from "quorate/parts/cut";
import { gist, line } from "quorate/parts/lines";
import { asText } from "quorate/parts/said";
import { Tail } from "quorate/parts/tail";
import { Windowed } from "quorate/parts/window";

const GUESSES = { absent: 120, place: 44, moved: 36, opened: 130, concluded: 60, ruled: 90 };
const CARDS = new Set(["replied", "absent"]);
const FILTERS = {
  all: ["everything", () => true],
  said: ["contributions", (each) => CARDS.has(each.kind)],
  failed: ["failures", (each) => each.kind === "absent" || each.kind === "interrupted"],
  decided: ["decisions", (each) => ["moved", "concluded", "ruled", "interrupted"].includes(each.kind)],
};

export class Transcript {
  #fold;
  #opened = new Set();
  #matching = [];
  #looked = 0;
  #filter = { what: "all", text: "" };
  #list = null;
  #state = null;
  #seen = 0;
  #marked = -1;

  constructor({ fold, session, choose, live, inbox }) {
    this.#fold = fold;
    this.session = session;
    this.choose = choose;
    this.tail = new Tail(live, inbox);
    this.scroller = h(
      "div",
      { class: "transcript-scroll", tabindex: "0", "aria-label": "Transcript", role: "region" },
    );
    this.fresh = h("button", { class: "fresh main", type: "button", hidden: true, on: { click: () => this.end() } });
    this.element = h(
      "section",
      { class: "transcript pane", "aria-label": "Transcript" },
      this.#tools(),
      this.scroller,
      this.fresh,
    );
    this.#begin();
  }

  #tools() {
    const what = h(
      "select",
      { "aria-label": "Show", on: { change: (event) => this.#filtered({ what: event.target.value }) } },
      Object.entries(FILTERS).map(([name, [label]]) => h("option", { value: name }, label)),
    );
    let wait = 0;
    const heard = (event) => {
      clearTimeout(wait);
      wait = setTimeout(() => this.#filtered({ text: event.target.value.trim().toLowerCase() }), 150);
    };
    const text = h(
      "input",
      { type: "search", placeholder: "Find", "aria-label": "Find in the transcript", on: { input: heard } },
    );
    this.found = h("span", { class: "dim small number", role: "status" });
    this.place = h("span", { class: "dim small place-now" });
    return h(
      "div",
      { class: "tools" },
      h("h2", null, "Transcript"),
      this.place,
      h("span", { class: "grow" }),
      this.found,
      what,
      text,
    );
  }

  #begin() {
    this.#list?.dispose();
    this.#list = new Windowed(this.scroller, {
      make: (index) => this.#make(this.#matching[index]),
      guess: (index) => guess(this.#matching[index]),
      moved: () => this.#following(),
    });
    replace(this.scroller, this.#list.element, this.tail.element);
  }

  #filtered(change) {
    this.#filter = { ...this.#filter, ...change };
    this.#matching = [];
    this.#looked = 0;
    this.#begin();
    this.show(this.#state);
  }

  #matches(each) {
    const { what, text } = this.#filter;
    if (!FILTERS[what][1](each)) return false;
    if (!text) return true;
    each.text ??= (
      each.event.ask && CARDS.has(each.kind) ? asText(each.event) : JSON.stringify(
        each.move ?? each.event.ruling ?? each.kind,
      )
    ).toLowerCase();
    return each.text.includes(text);
  }

  /** Show the session as of a state; the past is shown from its end, with what happened last marked. */
  show(state, past = false) {
    this.#state = state;
    this.#mark(past ? state.seq : -1);
    const { lines } = this.#fold;
    for (; this.#looked < lines.length; this.#looked += 1) {
      const each = lines[this.#looked];
      if (this.#matches(each)) this.#matching.push(Object.assign(each, { place: this.#looked }));
    }
    this.tail.show(state);
    this.#list.set(this.#within(state.reached), past);
    const filtered = this.#filter.what !== "all" || this.#filter.text;
    this.found.textContent = filtered ? `${count(this.#list.count)} of ${count(state.reached)}` : "";
    this.#following();
  }

  #within(reached) {
    let low = 0;
    let high = this.#matching.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#matching[middle].place < reached) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #make(each) {
    const { panel } = this.#fold.events[0].opening;
    const made = CARDS.has(each.kind)
      ? card(
        each,
        {
          panel,
          opened: this.#opened,
          session: this.session,
          changed: (changed) => this.#list.again(this.#matching.indexOf(changed)),
        },
      )
      : line(each, { choose: this.choose, fold: this.#fold });
    made.classList.toggle("marked", each.seq === this.#marked);
    return h("div", { class: "slot" }, made);
  }

  #following() {
    const at = this.#matching[this.#list.top()]?.event.ask;
    setText(this.place, at ? `${at.round ? `round ${at.round}, ` : ""}${words(at.phase)}` : "");
    if (this.#list.following) this.#seen = this.#list.count;
    const more = this.#list.count - this.#seen;
    this.fresh.hidden = this.#list.following || more <= 0;
    if (!this.fresh.hidden) this.fresh.textContent = `${count(more)} new ↓`;
  }

  /** Go to the end and follow it. */
  end() {
    this.#list.end();
    this.#following();
  }

  #mark(seq) {
    if (seq === this.#marked) return;
    this.#marked = seq;
    for (const { firstElementChild: each } of this.#list.inner.children) each.classList.toggle(
      "marked",
      each.dataset.seq === String(seq),
    );
  }

  /** Put the focus on the next or the previous card. */
  step(by) {
    const focused = document.activeElement?.closest?.(".slot");
    let index = focused ? Number(focused.dataset.index) + by : this.#list.top() + (by > 0 ? 0 : -1);
    while (index >= 0 && index < this.#list.count && !CARDS.has(this.#matching[index].kind)) index += by;
    if (index < 0 || index >= this.#list.count) return;
    this.#list.reveal(index)?.firstElementChild.focus({ preventScroll: true });
  }

  dispose() {
    this.#list.dispose();
    this.tail.dispose();
  }
}

/** About how high a line will be, so that the scroll bar hardly moves when it is measured. */
function guess(each) {
  if (each.kind !== "replied") return GUESSES[each.kind] ?? 40;
  const characters = Math.min(MOST_CHARACTERS, length(each.event.said));
  return 76 + 21 * Math.ceil(characters / 90) + 24 * (each.event.said?.length ?? 1);
}

/** What is told to those who listen when events have come. */
export function announcement(events) {
  const last = events[events.length - 1];
  if (last.conclusion) return `Concluded: ${words(last.conclusion.verdict)}`;
  if (events.length > 1) return `${count(events.length)} new events`;
  if (last.ask) return gist(last);
  return capital(words(last.kind));
}
