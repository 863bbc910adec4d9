// Time travel: a slider over the journal, steps, playing, and the way back to the live end.

import { h, replace } from "quorate/dom";
import { clock, duration } from "quorate/format";
import { gist } from "quorate/parts/lines";

const PLAY_FOR = 30_000;
const SLOWEST = 700;

export class Slider {
  #timer = 0;
  #state = null;
  #live = true;

  /** `travel(seq or null)` goes somewhere and `where()` is it; `fork(seq)` is null where nothing can be forked. */
  constructor({ travel, where, fork, online }) {
    this.travel = travel;
    this.where = where;
    this.online = online;
    const button = (label, text, run, more = {}) => h(
      "button",
      { class: "bare", type: "button", title: label, "aria-label": label, on: { click: run }, ...more },
      text,
    );
    this.range = h(
      "input",
      {
        type: "range",
        min: "0",
        max: "0",
        step: "1",
        value: "0",
        "aria-label": "Event of the journal",
        on: { input: () => (this.stop(), travel(Number(this.range.value))) },
      },
    );
    this.back = button("One event back (←)", sign("←", "Back"), () => this.step(-1));
    this.forth = button("One event on (→)", sign("→", "Next"), () => this.step(1));
    this.playing = button("Play (p)", "", () => this.play());
    this.label = h("p", { class: "when small number" });
    this.end = h("button", { type: "button", class: "to-live", on: { click: () => (this.stop(), travel(null)) } });
    this.forking = fork
      ? h("button", { type: "button", on: { click: () => (this.stop(), fork(this.#state.seq)) } }, "Fork from here")
      : null;
    this.element = h(
      "section",
      { class: "slider", "aria-label": "Time travel" },
      h("div", { class: "row controls" }, this.back, this.playing, this.forth, this.range, this.end),
      h("div", { class: "row" }, this.label, h("span", { class: "grow" }), this.forking),
    );
    this.#button();
  }

  /** Show where in time the page stands. `live` is true at the end that still grows. */
  show(state, live) {
    this.#state = state;
    this.#live = live;
    const last = String(Math.max(0, state.last));
    if (this.range.max !== last) this.range.max = last;
    if (this.range.value !== String(state.seq)) this.range.value = String(Math.max(0, state.seq));
    const { event } = state;
    const text = event ? placed(state) : "Waiting for the first event";
    if (this.label.textContent !== text) this.label.textContent = text;
    this.range.setAttribute("aria-valuetext", event ? `event ${event.seq}, ${gist(event)}` : "");
    this.back.disabled = state.seq <= 0;
    this.forth.disabled = state.seq >= state.last;
    this.element.classList.toggle("past", !live);
    this.end.disabled = live;
    replace(this.end, live ? (this.online() ? "● Live" : "End") : this.online() ? "Back to live" : "To the end");
  }

  /** Go some events back or on. */
  step(by) {
    this.stop();
    if (this.#state && this.#state.last >= 0) this.#go(this.where() + by); // What is shown may be a frame behind.
  }

  #go(seq) {
    this.travel(Math.max(0, Math.min(seq, this.#state.last)));
  }

  /** Play from here, or from the start where it is at the end; the whole journal takes half a minute at most. */
  play() {
    if (this.#timer) return this.stop();
    if (!this.#state || this.#state.last < 1) return;
    const every = Math.min(SLOWEST, Math.max(16, PLAY_FOR / this.#state.last));
    const stride = Math.max(1, Math.round((this.#state.last * every) / PLAY_FOR));
    if (this.#state.seq >= this.#state.last) this.#go(0);
    this.#timer = setInterval(() => {
      if (this.where() >= this.#state.last) return this.stop();
      this.#go(this.where() + stride);
    }, every);
    this.#button();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#button();
  }

  #button() {
    replace(this.playing, this.#timer ? sign("❚❚", "Pause") : sign("▶", "Play"));
    this.playing.setAttribute("aria-label", this.#timer ? "Pause (p)" : "Play (p)");
    this.playing.title = this.#timer ? "Pause (p)" : "Play (p)";
  }

  dispose() {
    this.stop();
  }
}

/** A sign with its word, which a narrow page leaves out. */
function sign(mark, word) {
  return [h("span", { "aria-hidden": "true" }, mark), h("span", { class: "word" }, ` ${word}`)];
}

/** Where in the journal a state is: its event, when that was, and what happened. */
function placed({ event, last, elapsed }) {
  return [`#${event.seq} of ${last}`, clock(event.at), `+${duration(elapsed)}`, gist(event)].join(" · ");
}
