// What is open at the end of a transcript: the asks without a reply, and the text that is coming in for them.

import { h } from "quorate/dom";
import { brief, hue, visible, words } from "quorate/format";
import { href } from "quorate/router";
import { seatName } from "quorate/parts/card";

const MOST_TEXT = 6000;
const MOST_SHOWN = 60;

export class Tail {
  #cards = new Map();
  #calling = new Map();
  #texts = new Map();
  #frame = 0;

  constructor(live, inbox) {
    this.live = live;
    this.inbox = inbox;
    this.more = h("p", { class: "dim small", hidden: true });
    this.element = h("div", { class: "tail" }, this.more);
  }

  /** Show the asks that are open in a state. */
  show(state) {
    const open = state.open;
    const shown = open.slice(0, MOST_SHOWN);
    const wanted = new Set(shown.map((ask) => ask.id));
    const people = new Set(state.waiting.map((each) => each.ask));
    const now = state.seq === state.last;
    for (const [id, made] of this.#cards) {
      if (!wanted.has(id)) {
        made.element.remove();
        this.#cards.delete(id);
      }
    }
    for (const ask of shown) {
      if (!this.#cards.has(ask.id)) this.#cards.set(ask.id, this.#make(ask, people.has(ask.id)));
      this.#standing(ask.id, now);
    }
    if (now) for (const id of this.#texts.keys()) if (!wanted.has(id)) this.#forget(id);
    this.more.hidden = open.length <= MOST_SHOWN;
    this.more.textContent = `and ${open.length - MOST_SHOWN} more questions open`;
  }

  #make(ask, person) {
    const text = document.createTextNode(this.#texts.get(ask.id) ?? "");
    const status = h("span", { class: "dim small status" });
    const stream = h("pre", { class: "stream", hidden: !text.data }, text);
    const answer = person && this.inbox ? h("a", { class: "button main", href: href(["inbox"]) }, "Answer") : null;
    const element = h(
      "article",
      {
        class: "card open",
        "aria-label": `${brief(ask.seat, 60)}, ${words(ask.brief)}, open`,
        dataset: { hue: hue(ask.seat), ask: ask.id },
      },
      h(
        "header",
        null,
        seatName(ask.seat, "h4"),
        h("span", { class: "dim small" }, words(ask.brief)),
        h("span", { class: "grow" }),
        status,
        answer,
      ),
      stream,
    );
    this.more.before(element);
    return { element, status, stream, text, person };
  }

  #standing(id, now) {
    const made = this.#cards.get(id);
    if (!made) return;
    const calling = now && this.#calling.has(id);
    made.element.classList.toggle("calling", calling);
    made.stream.hidden = !now || !made.text.data;
    made.status.textContent = this.#status(made.person, calling, now, id);
  }

  #status(person, calling, now, id) {
    if (person) return "waits for a person";
    if (calling) return `${brief(this.#calling.get(id), 60)} is at work`;
    return now && this.live ? "asked" : "not answered yet";
  }

  #forget(id) {
    this.#texts.delete(id);
    this.#calling.delete(id);
  }

  /** Something passes by: a call begins, a piece of text comes, a call ends. */
  calling({ ask, participant }) {
    this.#calling.set(ask, participant);
    this.#standing(ask, true);
  }
  saying({ ask, text }) {
    this.#texts.set(ask, ((this.#texts.get(ask) ?? "") + visible(text)).slice(-MOST_TEXT));
    if (!this.#calling.has(ask)) this.#calling.set(ask, "");
    this.#frame ||= requestAnimationFrame(() => this.#write());
  }
  called({ ask }) {
    this.#calling.delete(ask);
    this.#standing(ask, true);
  }

  #write() {
    this.#frame = 0;
    for (const [id, made] of this.#cards) {
      const text = this.#texts.get(id) ?? "";
      if (made.text.data === text) continue;
      made.text.data = text;
      this.#standing(id, true);
      made.stream.scrollTop = made.stream.scrollHeight;
    }
  }

  dispose() {
    cancelAnimationFrame(this.#frame);
  }
}
