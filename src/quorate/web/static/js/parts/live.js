// The live tab: the diagram with its panel of moves, the transcript, and the instruments.

import { h, replace } from "quorate/dom";
import { Pace } from "quorate/pace";
import { Diagram } from "quorate/parts/diagram";
import { Instruments } from "quorate/parts/instruments";
import { Moves } from "quorate/parts/moves";
import { Transcript } from "quorate/parts/transcript";

const PANES = [
  ["transcript", "Transcript"],
  ["map", "Diagram"],
  ["instruments", "Instruments"],
];
const TICK = 1000;

export class Live {
  #diagram = null;
  #state = null;
  #summary = null;
  #pace = new Pace();

  constructor({ fold, ctx, travel }) {
    this.transcript = new Transcript(
      {
        fold,
        session: ctx.id,
        live: ctx.source.live,
        inbox: ctx.source.live && ctx.about.write !== false,
        choose: (move) => this.choose({ kind: "move", move }),
      },
    );
    this.instruments = new Instruments();
    this.moves = new Moves(
      { travel, closed: () => (this.drawing.classList.remove("shared"), this.#diagram?.mark(null)) },
    );
    this.drawing = h("div", { class: "drawing" }, h("p", { class: "dim small" }, "Reading the protocol …"));
    const map = h("section", { class: "map pane", "aria-label": "Diagram" }, this.drawing, this.moves.element);
    this.panes = h("div", { class: "pane-switch", role: "group", "aria-label": "What to show" });
    const notes = (ctx.source.leftOut ?? []).length
      ? h("div", { class: "left-out chip warn" }, ctx.source.leftOut.join(" "))
      : null;
    this.element = h(
      "div",
      { class: "live" },
      notes,
      this.panes,
      map,
      this.transcript.element,
      this.instruments.element,
    );
    this.#pane("transcript");
    this.clock = setInterval(() => this.#tick(), TICK);
  }

  #pane(name) {
    this.element.dataset.pane = name;
    this.#diagram?.centre();
    replace(
      this.panes,
      PANES.map(([each, label]) => h(
        "button",
        { type: "button", "aria-pressed": String(each === name), on: { click: () => this.#pane(each) } },
        label,
      )),
    );
  }

  /** Draw the protocol once it is known. */
  protocol(protocol) {
    if (!protocol?.diagram) return replace(
      this.drawing,
      h("p", { class: "dim small" }, "This record carries no diagram."),
    );
    this.#diagram = new Diagram(protocol.diagram, { choose: (what) => this.choose(what) });
    replace(this.drawing, this.#diagram.element);
    if (this.#state) this.#diagram.show(this.#state);
  }

  /** Show what happened at a box, an arrow or a move; null closes the panel. */
  choose(what) {
    if (!this.#state || (!what && !this.moves.open)) return;
    if (what) this.#pane("map");
    this.drawing.classList.toggle("shared", what !== null);
    this.#diagram?.mark(what);
    this.moves.choose(what, this.#state);
  }

  show(state, summary, live) {
    this.#state = state;
    this.#summary = summary;
    this.following = live;
    if (live) this.#pace.now(() => this.#draw());
    else this.#pace.run(() => this.#draw()); // A fast journey in time shows some of the moments that it passes.
    this.#tick();
  }

  #draw() {
    this.#diagram?.show(this.#state);
    this.transcript.show(this.#state, !this.following);
    this.moves.show(this.#state);
  }

  #tick() {
    if (!this.#state?.event || document.hidden || this.element.hidden) return;
    const going = this.following && this.#summary?.running && !this.#state.conclusion;
    const elapsed = going ? Math.max(
      this.#state.elapsed,
      Date.now() - this.#state.event.at + this.#state.elapsed,
    ) : this.#state.elapsed;
    this.instruments.show(this.#state, this.#summary?.budget, elapsed);
  }

  dispose() {
    clearInterval(this.clock);
    this.#pace.stop();
    this.transcript.dispose();
    this.instruments.dispose();
  }
}
