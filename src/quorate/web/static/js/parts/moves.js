// What happened at a phase or along a row: each move with the tests made, its facts, and the rows it did not take.

import { h, replace } from "quorate/dom";
import { brief, count, visible, weighed, words } from "quorate/format";
import { movesAlong } from "quorate/parts/diagram";

const AT_ONCE = 12;
const NOTHING_DECIDED = "Nothing was decided here so far.";
const NOT_TAKEN = "This row was not taken so far.";

export class Moves {
  #chosen = null;
  #limit = AT_ONCE;
  #shown = "";

  constructor({ closed, travel }) {
    this.closed = closed;
    this.travel = travel;
    this.heading = h("h3", { tabindex: "-1" });
    this.list = h("div", { class: "moves-list" });
    const close = h(
      "button",
      { class: "bare", type: "button", "aria-label": "Close", on: { click: () => this.choose(null) } },
      "✕",
    );
    this.element = h(
      "section",
      { class: "moves", hidden: true, "aria-label": "What happened here" },
      h("div", { class: "tools" }, this.heading, h("span", { class: "grow" }), close),
      this.list,
    );
  }

  /** Show the moves of a phase, a row, or one move; null closes the panel. */
  choose(what, state) {
    this.#chosen = what;
    this.#limit = AT_ONCE;
    this.#shown = "";
    this.element.hidden = !what;
    if (!what) return this.closed();
    this.show(state);
    this.element.scrollTop = 0;
    this.heading.focus({ preventScroll: true });
  }

  get open() {
    return this.#chosen !== null;
  }

  /** Show what is chosen as of a state. */
  show(state) {
    const what = this.#chosen;
    if (!what) return;
    const moves = movesOf(what, state);
    const key = `${moves.length}/${this.#limit}/${moves.at(-1)?.number}`;
    if (key === this.#shown) return;
    this.#shown = key;
    this.heading.textContent = title(what);
    const latest = moves.slice(-this.#limit).reverse();
    const more = moves.length - latest.length;
    replace(
      this.list,
      latest.map((move) => this.#one(move)),
      latest.length ? null : h("p", { class: "dim" }, what.phase ? NOTHING_DECIDED : NOT_TAKEN),
      more > 0
        ? h(
          "button",
          { type: "button", on: { click: () => ((this.#limit += 50), this.show(state)) } },
          `Show earlier ones (${count(more)})`,
        )
        : null,
    );
  }

  #one(move) {
    return h(
      "article",
      { class: "move" },
      h(
        "h4",
        null,
        h("span", { class: "number-badge" }, String(move.number)),
        ` ${words(move.phase)} → ${words(move.to)}`,
      ),
      h(
        "p",
        { class: "small dim" },
        `${words(move.outcome)} · ${words(move.cause)} · round ${move.round} · `,
        h("button", { class: "link", type: "button", on: { click: () => this.travel(move.seq) } }, `#${move.seq}`),
      ),
      move.detail ? h("p", null, visible(move.detail).slice(0, 2000)) : null,
      move.because?.length ? [h("h5", null, "Tests made"), tests(move.because)] : null,
      move.facts?.length ? [h("h5", null, "Facts"), facts(move.facts)] : null,
      move.not_taken?.length ? [h("h5", null, "Not taken"), others(move.not_taken)] : null,
    );
  }
}

function movesOf(what, state) {
  if (what.kind === "phase") return state.from(what.phase);
  if (what.kind === "any") return state.interruptions;
  return what.kind === "move" ? [what.move] : movesAlong(what.arrow, state);
}

function title(what) {
  if (what.kind === "phase") return `At ${words(what.phase)}`;
  if (what.kind === "any") return "Interruptions";
  if (what.kind === "move") return `Move ${what.move.number}`;
  return `${words(what.arrow.source)} → ${words(what.arrow.target)}`;
}

function tests(because) {
  return h(
    "ul",
    { class: "move-tests" },
    because.map((test) => {
      const { word, look } = weighed(test);
      return h(
        "li",
        { class: look },
        h("span", { class: "verdict" }, word),
        h(
          "span",
          null,
          test.rule ? h("strong", null, `${brief(test.rule, 20)} `) : null,
          brief(test.claim, 600),
          test.outcome ? h("span", { class: "dim" }, ` → ${words(test.outcome)}`) : null,
        ),
      );
    }),
  );
}

function facts(list) {
  return h(
    "ul",
    { class: "move-facts" },
    list.slice(0, 60).map(({ name, values }) => h(
      "li",
      null,
      h("strong", null, brief(name, 100)),
      " ",
      h(
        "span",
        { class: "dim" },
        brief(
          Object.entries(values ?? {}).map(
            ([key, value]) => `${words(key)} ${typeof value === "object" ? JSON.stringify(value) : value}`,
          ).join(", "),
          600,
        ),
      ),
    )),
    list.length > 60 ? h("li", { class: "dim" }, `and ${list.length - 60} more`) : null,
  );
}

function others(rows) {
  return h(
    "ul",
    { class: "move-others" },
    rows.map(({ outcome, to, why }) => h(
      "li",
      null,
      h("strong", null, words(outcome)),
      to ? h("span", { class: "dim" }, ` → ${words(to)}`) : null,
      why ? [": ", brief(why, 600)] : null,
    )),
  );
}
