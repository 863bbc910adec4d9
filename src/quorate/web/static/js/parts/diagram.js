// The protocol's diagram, drawn from the plan that the server computed from its table. The phase a session stands in is
// lit, the rows it took are numbered in the order taken, and boxes and arrows can be chosen to see what happened there.

import { h, svg } from "quorate/dom";
import { keep, recall } from "quorate/store";
import { words } from "quorate/format";

const HEAD = "M0 0L-4.5 -8L4.5 -8Z";
const MOST_NUMBERS = 4;
const CENTRE_AFTER = 60;
const SCALES = [0.4, 0.55, 0.72, 0.9, 1.1, 1.4, 1.8];

/** The numbers of the moves along one arrow, short: 1, 4, 7, or 1 … 31 (9×). */
export function numbered(moves) {
  const numbers = moves.map((move) => move.number);
  if (numbers.length <= MOST_NUMBERS) return numbers.join(", ");
  return `${numbers[0]} … ${numbers[numbers.length - 1]} (${numbers.length}×)`;
}

/** The moves of a state along an arrow of the plan; an interruption leads there from whatever phase. */
export function movesAlong({ kind, source, target, outcomes }, state) {
  if (kind === "interrupt") {
    return state.interruptions.filter((move) => move.to === target && outcomes.includes(move.outcome));
  }
  const found = outcomes.flatMap((outcome) => state.along(source, outcome, target));
  return outcomes.length > 1 ? found.sort((one, other) => one.number - other.number) : found;
}

export class Diagram {
  #boxes = new Map();
  #arrows = [];
  #chosen = null;
  #stops = [];
  #stopped = null;

  constructor(plan, { choose = null } = {}) {
    this.plan = plan;
    this.choose = choose;
    const arrows = plan.arrows.map((arrow) => this.#arrow(arrow));
    const boxes = plan.boxes.map((box) => this.#box(box));
    this.drawing = svg(
      "svg",
      {
        class: "diagram",
        viewBox: `0 0 ${plan.width} ${plan.height}`,
        role: "group",
        "aria-label": "The protocol's phases and rows",
      },
      arrows,
      boxes,
    );
    this.frame = h(
      "div",
      { class: "diagram-frame", tabindex: choose ? null : "0", role: "region", "aria-label": "Diagram" },
      this.drawing,
    );
    const button = (label, text, run) => h(
      "button",
      { class: "bare tiny", type: "button", title: label, "aria-label": label, on: { click: run } },
      text,
    );
    const zoom = [
      button("Smaller", "−", () => this.#step(-1)),
      button("Larger", "+", () => this.#step(1)),
      button("Show the whole diagram", "Fit", () => this.#scale(0)),
    ];
    this.element = h(
      "div",
      { class: "diagram-box" },
      h("div", { class: "tools" }, h("h2", null, "Protocol"), h("span", { class: "grow" }), zoom),
      this.frame,
    );
    this.#stops = [...boxes, ...arrows];
    if (choose) this.#stop(boxes[0] ?? arrows[0]);
    this.#scale(recall("scale", 0), false);
  }

  /** Draw at a scale; 0 fits the drawing into the width that there is. */
  #scale(scale, remember = true) {
    if (remember) keep("scale", scale);
    this.drawing.style.width = scale === 0 ? "100%" : `${Math.round(this.plan.width * scale)}px`;
    this.drawing.style.maxWidth = scale === 0 ? `${Math.round(this.plan.width * 1.1)}px` : "none";
    this.centre();
  }

  #step(by) {
    const now = this.drawing.getBoundingClientRect().width / this.plan.width;
    const next = by > 0 ? SCALES.find((each) => each > now + 0.02) : SCALES.findLast((each) => each < now - 0.02);
    if (next) this.#scale(next);
  }

  /** Bring what is chosen, or else where the session stands, to the middle of the frame, once it has rested there. */
  centre() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const box = this.plan.boxes.find((each) => each.phase === (this.#at ?? this.lit));
      const scale = this.drawing.clientWidth / this.plan.width;
      const { clientWidth, clientHeight } = this.frame;
      if (box && scale) this.frame.scrollTo(
        (box.x + box.width / 2) * scale - clientWidth / 2,
        (box.y + box.height / 2) * scale - clientHeight / 2,
      );
    }, CENTRE_AFTER);
  }
  #timer = 0;
  #at = null;

  #choosable(what, label) {
    if (!this.choose) return {};
    const chosen = (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.choose(what);
    };
    const pressed = (event) => (event.key === "Enter" || event.key === " " ? chosen(event) : this.#walk(event));
    return {
      tabindex: "-1",
      role: "button",
      "aria-label": label,
      on: { click: chosen, keydown: pressed, focus: (event) => this.#stop(event.currentTarget) },
    };
  }

  /** The whole drawing is one stop of the Tab key: the arrow keys go from box to box and on to the rows. */
  #walk(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const last = this.#stops.length - 1;
    const at = this.#stops.indexOf(event.currentTarget);
    const next = by ? (at + by + last + 1) % (last + 1) : { Home: 0, End: last }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#stops[next].focus();
  }

  #stop(element) {
    this.#stopped?.setAttribute("tabindex", "-1");
    this.#stopped = element;
    element?.setAttribute("tabindex", "0");
  }

  #box(box) {
    const name = box.kind === "any" ? box.phase : words(box.phase);
    const middle = box.x + box.width / 2;
    const centre = box.y + box.height / 2;
    const pending = svg(
      "text",
      { class: "pending", x: middle, y: centre + 9, "text-anchor": "middle", "dominant-baseline": "central" },
    );
    const label = svg(
      "text",
      { class: "phase-name", x: middle, y: centre, "text-anchor": "middle", "dominant-baseline": "central" },
      box.phase,
    );
    const element = svg(
      "g",
      {
        class: `box ${box.kind}`,
        dataset: { phase: box.phase },
        ...this.#choosable({ kind: box.kind === "any" ? "any" : "phase", phase: box.phase }, `Phase ${name}`),
      },
      svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: box.radius ?? 6 }),
      label,
      pending,
    );
    this.#boxes.set(box.phase, { element, pending, name, label, centre });
    return element;
  }

  #arrow(arrow) {
    const label = arrow.label ?? { x: 0, y: 0, lines: [] };
    const numbers = svg("tspan", { class: "numbers" });
    const name = `${words(arrow.source)} to ${words(arrow.target)}: ${arrow.outcomes.map(words).join(", ")}`;
    const element = svg(
      "g",
      { class: `arrow ${arrow.kind}`, ...this.#choosable({ kind: "arrow", arrow }, `Row ${name}`) },
      svg("path", { class: "hit", d: arrow.path }),
      svg("path", { class: "way", d: arrow.path }),
      arrow.head ? svg(
        "path",
        {
          class: "head",
          d: HEAD,
          transform: `translate(${arrow.head.x} ${arrow.head.y}) rotate(${arrow.head.turn})`,
        },
      ) : null,
      label.lines.map((text, index) => svg(
        "text",
        { class: "outcome", x: label.x, y: label.y + index * 12, "text-anchor": label.anchor ?? "start" },
        text,
        index === label.lines.length - 1 ? numbers : null,
      )),
    );
    this.#arrows.push({ arrow, element, numbers, name, shown: null });
    return element;
  }

  /** Show where a session stands, and the way it came. */
  show(state) {
    if (this.lit !== state.phase) {
      this.#boxes.get(this.lit)?.element.classList.remove("lit");
      this.#boxes.get(state.phase)?.element.classList.add("lit");
      this.lit = state.phase;
      this.centre();
    }
    const open = new Set(state.open.map((ask) => ask.seat));
    for (const [phase, { element, pending, name, label, centre }] of this.#boxes) {
      const here = phase === state.phase;
      const whom = open.size > 2 ? `${open.size} seats` : [...open].map(words).join(", ");
      const text = here && open.size ? `waits for ${whom}` : "";
      if (pending.textContent !== text) {
        pending.textContent = text;
        label.setAttribute("y", text ? centre - 6 : centre);
      }
      const visits = state.from(phase).length;
      element.classList.toggle("visited", visits > 0);
      const now = here ? `, the session stands here ${text}` : "";
      const says = `Phase ${name}${now}${visits ? `, left ${visits === 1 ? "once" : `${visits} times`}` : ""}`;
      if (this.choose && element.ariaLabel !== says) element.ariaLabel = says;
    }
    for (const each of this.#arrows) this.#taken(each, state);
  }

  #taken(each, state) {
    const moves = movesAlong(each.arrow, state);
    const text = numbered(moves);
    if (each.shown === text && each.latest === (moves.at(-1)?.number === state.moved)) return;
    each.shown = text;
    each.latest = moves.length > 0 && moves.at(-1).number === state.moved;
    each.numbers.textContent = text && ` ${text}`;
    each.element.classList.toggle("taken", moves.length > 0);
    each.element.classList.toggle("latest", each.latest);
    if (this.choose) each.element.setAttribute(
      "aria-label",
      `Row ${each.name}${text ? `, taken as move ${text}` : ", not taken"}`,
    );
  }

  /** Show which box or arrow is chosen. */
  mark(what) {
    this.#chosen?.classList.remove("chosen");
    const arrow = this.#arrows.find((each) => each.arrow === what?.arrow);
    this.#chosen = (what?.phase ? this.#boxes.get(what.phase) : arrow)?.element;
    this.#chosen?.classList.add("chosen");
    this.#at = what?.phase ?? what?.arrow?.source ?? what?.move?.phase ?? null;
    this.centre();
  }
}
