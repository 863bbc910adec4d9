// The instruments: tallies with their threshold, confidence by round, what is spent of each budget, stall and time.

import { h, replace } from "quorate/dom";
import { brief, capital, count, dollars, duration, words } from "quorate/format";
import { Pace } from "quorate/pace";
import { MOST_ROUNDS, chart } from "quorate/parts/chart";

/** One gauge: a bar of its parts, the threshold as a line, and the same in words. */
export function gauge({ name, words: says, of, parts, needed, missing }) {
  const whole = Math.max(of, 1);
  const bar = h("div", { class: "bar", role: "img", "aria-label": brief(says, 400) });
  for (const [part, number] of parts) {
    if (!number) continue;
    const piece = h(
      "span",
      { class: "piece", dataset: { part: kindOf(part) }, title: `${words(part)}: ${number}` },
      number / whole > 0.08 ? count(number) : "",
    );
    piece.style.flexBasis = `${(100 * number) / whole}%`;
    bar.append(piece);
  }
  if (needed !== null && needed !== undefined && needed <= whole) {
    const line = h("span", { class: "threshold", title: `${needed} needed` });
    line.style.left = `${(100 * needed) / whole}%`;
    bar.append(line);
  }
  const left = missing === null || missing === undefined ? null : h(
    "span",
    { class: missing > 0 ? "chip warn" : "chip good" },
    missing > 0 ? `${count(missing)} ${missing === 1 ? "vote" : "votes"} still needed` : "reached",
  );
  const legend = parts.filter(([, number]) => number).map(([part, number]) => h(
    "span",
    { class: "legend", dataset: { part: kindOf(part) } },
    `${words(part)} ${count(number)}`,
  ));
  return h(
    "div",
    { class: "gauge" },
    h("div", { class: "row" }, h("h3", null, capital(words(name))), h("span", { class: "grow" }), left),
    bar,
    h("p", { class: "legends small" }, legend),
    h("p", { class: "small dim" }, brief(says, 400)),
  );
}

const KINDS = [
  ["good", /^(for|yes|aye|approve|support|agree|accept|in favou?r|met|done|resolved|said|keep|confirmed|adopted)/i],
  ["bad", /^(against|no|nay|reject|oppose|disagree|veto|block|refuted)/i],
  ["warn", /^(abstain|revise|amend|unsure|conditional|concern)/i],
  ["gone", /^(absent|failed|missing|left|timed|silent|refused|malformed)/i],
  ["rest", /^(open|pending|remaining|unanswered|undecided|waiting|to come)/i],
];

function kindOf(part) {
  return KINDS.find(([, pattern]) => pattern.test(part.replaceAll("_", " ")))?.[0] ?? "plain";
}

/** One meter: what is used of a limit; without a limit only the number. */
export function meter(label, used, limit, say = count) {
  const share = limit ? Math.min(1, used / limit) : 0;
  const text = limit ? `${say(used)} of ${say(limit)}` : say(used);
  const row = h(
    "div",
    { class: "row" },
    h("span", { class: "label" }, label),
    h("span", { class: "grow" }),
    h("span", { class: "number small" }, text),
  );
  if (!limit) return h("div", { class: "meter" }, row);
  const bar = h(
    "div",
    {
      class: "bar thin",
      role: "meter",
      "aria-label": label,
      "aria-valuemin": "0",
      "aria-valuemax": String(limit),
      "aria-valuenow": String(used),
      "aria-valuetext": text,
    },
    h("span", { class: "piece", dataset: { part: share >= 1 ? "bad" : share >= 0.8 ? "warn" : "plain" } }),
  );
  bar.firstChild.style.flexBasis = `${100 * share}%`;
  return h("div", { class: "meter" }, row, bar);
}

/** Return the limit of a budget's name, whether it is told as a number or as {used, limit}. */
export function limitOf(budget, name) {
  const given = budget?.[name];
  return (typeof given === "object" && given !== null ? given.limit : given) ?? null;
}

/** The meters of what a state has spent, against the budget and the protocol's own limits. */
export function meters(spent, budget, settings, elapsed) {
  const cents = limitOf(budget, "cents");
  const tokens = spent.tokens_in + spent.tokens_out;
  const money = spent.cost === null
    ? h(
      "div",
      { class: "meter" },
      h(
        "div",
        { class: "row" },
        h("span", { class: "label" }, "Money"),
        h("span", { class: "grow" }),
        h("span", { class: "small" }, "price unknown"),
      ),
    )
    : meter("Money", spent.cost / 1_000_000, cents ? cents / 100 : null, dollars);
  const most = settings?.max_episodes ?? limitOf(budget, "episodes");
  const stall = settings?.stall_after ?? null;
  return [
    meter("Tokens", tokens, limitOf(budget, "tokens")),
    money,
    meter("Replies", spent.replies, null),
    most ? meter("Asks of models", spent.asks, most) : null,
    stall || spent.idle ? meter("Without progress", spent.idle, stall) : null,
    elapsed === null ? null : meter("Elapsed", elapsed, null, duration),
  ];
}

export class Instruments {
  #gauges = h("section", { "aria-label": "Tallies" });
  #meters = h("section", { "aria-label": "Budget" });
  #sure = h("section", { "aria-label": "Confidence" });
  #shown = {};
  #pace = new Pace();

  constructor() {
    this.element = h(
      "aside",
      { class: "instruments pane", "aria-label": "Instruments" },
      this.#gauges,
      this.#meters,
      this.#sure,
    );
  }

  /**
   * Show a state; `budget` is the session's. What comes alone is drawn at once; a fast journey in time draws some times a
   * second, and always what it ends with.
   */
  show(state, budget, elapsed = state.elapsed) {
    this.#pace.run(() => this.#draw(state, budget, elapsed));
  }

  #draw(state, budget, elapsed) {
    if (this.#shown.gauges !== state.gauges) {
      this.#shown.gauges = state.gauges;
      replace(this.#gauges, state.gauges.length ? [h("h2", null, "Tally"), state.gauges.map(gauge)] : null);
    }
    const spent = JSON.stringify([state.spent, budget, Math.floor(elapsed / 1000)]);
    if (this.#shown.spent !== spent) {
      this.#shown.spent = spent;
      replace(this.#meters, h("h2", null, "Spent"), meters(state.spent, budget, state.opening?.settings, elapsed));
    }
    if (this.#shown.seq !== state.seq) {
      this.#shown.seq = state.seq;
      this.#chart(state.confidenceIn(MOST_ROUNDS));
    }
  }

  #chart(seats) {
    const open = this.#sure.querySelector("details")?.open;
    replace(this.#sure, seats.size ? [h("h2", null, "Confidence by round"), chart(seats)] : null);
    if (open) this.#sure.querySelector("details")?.setAttribute("open", "");
  }

  dispose() {
    this.#pace.stop();
  }
}
