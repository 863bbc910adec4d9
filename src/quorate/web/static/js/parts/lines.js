// The lines of a transcript between its cards: opening, places, moves, withdrawals, interruptions, rulings, the end.

import { h } from "quorate/dom";
import { href } from "quorate/router";
import { brief, clock, count, moment, verdictTone, visible, words } from "quorate/format";
import { seatName } from "quorate/parts/card";

const REASONS = {
  cancelled: "The session was cancelled",
  budget: "The budget is used up",
  episodes: "The limit of replies is reached",
  stall: "Nothing moved any more",
  wish: "Somebody wished the session to wrap up",
  escalation: "Somebody wished to be asked",
};

const MAKERS = { opened, place, moved, withdrawn, interrupted, ruled, concluded };

/** One line that is not a card. `choose(move)` is called when somebody wants to know more about a move. */
export function line(each, { choose, fold }) {
  const made = MAKERS[each.kind]?.(each, choose, fold) ?? h("div", { class: "line" }, words(each.kind));
  made.setAttribute("role", "article");
  made.dataset.seq = each.seq;
  return made;
}

function opened({ event }) {
  const { title, fork, panel, seed } = event.opening;
  const seats = Object.entries(panel ?? {});
  return h(
    "div",
    { class: "line opened" },
    h(
      "p",
      null,
      h("strong", null, "Opened"),
      ` ${moment(event.at)}`,
      fork ? [
        " as a fork of ",
        h(
          "a",
          { href: href(["sessions", fork.of, "live"], { at: fork.at }) },
          `${brief(fork.of, 24)} at #${fork.at}`,
        ),
      ] : null,
      `, seed ${seed}`,
    ),
    title ? h("p", { class: "about-what prose" }, visible(title).slice(0, 4000)) : null,
    seats.length
      ? h(
        "details",
        null,
        h("summary", { class: "small dim" }, `${count(seats.length)} seats`),
        h(
          "ul",
          { class: "panel-list" },
          seats.map(([seat, who]) => h(
            "li",
            null,
            seatName(seat),
            " ",
            h("span", { class: "mono dim" }, brief(who, 80)),
          )),
        ),
      )
      : null,
  );
}

function place({ phase, round }) {
  return h(
    "div",
    { class: "line place" },
    h(
      "h3",
      null,
      round ? `Round ${round}` : "Before the first round",
      h("span", { class: "phase" }, ` ${words(phase)}`),
    ),
  );
}

function moved({ move }, choose) {
  const why = move.because?.find((test) => test.reached !== false && test.held) ?? null;
  return h(
    "div",
    { class: "line moved" },
    h(
      "button",
      { class: "bare", type: "button", title: "Why, and why not elsewhere", on: { click: () => choose(move) } },
      h("span", { class: "number-badge", "aria-hidden": "true" }, String(move.number)),
      h(
        "span",
        null,
        `${words(move.phase)} → `,
        h("strong", null, words(move.to)),
        h(
          "span",
          { class: "dim" },
          ` ${words(move.outcome)}${move.cause === "decided" ? "" : `, ${words(move.cause)}`}`,
        ),
      ),
    ),
    why
      ? h("span", { class: "dim small why" }, why.rule ? `${brief(why.rule, 20)}: ` : "", brief(why.claim, 160))
      : null,
  );
}

function withdrawn({ asks }, _, fold) {
  const seats = asks.map((id) => fold.asks.get(id)?.seat).filter(Boolean);
  return h(
    "div",
    { class: "line withdrawn" },
    h(
      "span",
      { class: "dim" },
      `No longer needed: ${asks.length === 1 ? "the question" : `${asks.length} questions`} to `,
    ),
    seats.slice(0, 12).map((seat, index) => [index ? ", " : "", seatName(seat)]),
    seats.length > 12 ? " and others" : "",
  );
}

function interrupted({ event }) {
  return h(
    "div",
    { class: "line interrupted" },
    h("strong", null, REASONS[event.reason] ?? `Interrupted: ${words(event.reason)}`),
    event.detail ? h("p", null, visible(event.detail).slice(0, 4000)) : " ",
    h("span", { class: "dim small" }, `#${event.seq} ${clock(event.at)}`),
  );
}

function ruled({ event }) {
  const { verdict, by, reason } = event.ruling;
  return h(
    "div",
    { class: "line ruled" },
    h(
      "p",
      null,
      h("strong", null, brief(by, 100)),
      " ruled ",
      h("span", { class: `chip strong ${verdictTone(verdict)}` }, words(verdict)),
    ),
    reason ? h("p", { class: "prose plain" }, visible(reason).slice(0, 8000)) : null,
  );
}

function concluded({ event }) {
  const { verdict, degradation, interrupted: stopped, exit_code } = event.conclusion;
  return h(
    "div",
    { class: "line concluded" },
    h("span", { class: "dim" }, "Concluded"),
    h("span", { class: `chip strong ${verdictTone(verdict, exit_code)}` }, words(verdict)),
    degradation && degradation !== "none"
      ? h("span", { class: "chip warn" }, `degraded, ${words(degradation)}`)
      : null,
    stopped ? h("span", { class: "chip warn" }, `interrupted: ${words(stopped)}`) : null,
    h("span", { class: "dim small" }, `exit code ${exit_code}`),
  );
}

/** What happened at an event, in a few words: for the slider, and for those who listen. */
export function gist(event) {
  if (!event) return "";
  const end = event.conclusion ? `; concluded ${words(event.conclusion.verdict)}` : "";
  const ways = event.moves.map((move) => `${words(move.phase)} → ${words(move.to)}`);
  const moves = ways.length ? `; ${ways.join(", ")}` : "";
  switch (event.kind) {
    case "opened":
      return "opened";
    case "replied":
      return `${brief(event.ask.seat, 60)}: ${words(event.ask.brief)}${moves}${end}`;
    case "absent":
      return `${brief(event.ask.seat, 60)}: ${words(event.absent)} (${words(event.ask.brief)})${moves}${end}`;
    case "interrupted":
      return `${REASONS[event.reason] ?? event.reason}${moves}${end}`;
    case "ruled":
      return `${brief(event.ruling.by, 60)} ruled ${words(event.ruling.verdict)}`;
    default:
      return words(event.kind);
  }
}
