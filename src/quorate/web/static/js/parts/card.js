// One contribution as a card: who, on which model, what was chosen, how sure, what it cost, and what was said.

import { h } from "quorate/dom";
import { href } from "quorate/router";
import { brief, capital, clock, count, duration, hue, microdollars, short, tone, visible, words } from "quorate/format";
import { cut } from "quorate/parts/cut";
import { asSaid, asText, said } from "quorate/parts/said";

const ABSENCES = {
  failed: "The call failed",
  timed_out: "No reply in time",
  malformed: "The reply could not be read as an answer",
  refused: "Refused to answer",
  silent: "Said nothing",
};

/** The name of a seat with its colour. */
export function seatName(seat, tag = "span") {
  return h(tag, { class: "seat", dataset: { hue: hue(seat) } }, brief(seat, 60));
}

/** The card of a reply or an absence. `opened` holds the keys of cards shown whole; `changed(line)` draws one anew. */
export function card(line, { panel, opened, changed, session }) {
  const { event } = line;
  const failed = event.kind === "absent";
  const body = h("div", { class: "body" });
  if (failed) body.append(absence(event));
  else {
    const whole = opened.has(line.key);
    const { fields, left } = whole ? { fields: event.said, left: 0 } : cut(event.said ?? asSaid(event.reply));
    const nodes = said(fields);
    body.append(...(nodes.length || chosen(event).length ? nodes : [h("p", { class: "dim" }, "Nothing to report.")]));
    if (left > 0 || whole) {
      const toggle = () => {
        if (!opened.delete(line.key)) opened.add(line.key);
        changed(line);
      };
      body.append(
        h(
          "button",
          { class: "more", type: "button", on: { click: toggle } },
          whole ? "Show less" : `Show all (${count(left)} more characters)`,
        ),
      );
      body.classList.toggle("whole", whole);
    }
  }
  const label = `${event.ask.seat}, ${words(event.ask.brief)}${failed ? `, ${words(event.absent)}` : ""}`;
  return h(
    "article",
    {
      class: failed ? "card failed" : "card",
      tabindex: "-1",
      "aria-label": brief(label, 200),
      dataset: { seq: event.seq, hue: hue(event.ask.seat) },
    },
    head(event, panel),
    body,
    foot(line, session),
  );
}

function head(event, panel) {
  const sure = (event.said ?? []).find(([name, shape]) => name === "confidence" && shape === "number");
  const model = event.model || panel?.[event.ask.seat] || "";
  return h(
    "header",
    null,
    seatName(event.ask.seat, "h4"),
    h("span", { class: "dim small" }, words(event.ask.brief)),
    model ? h("span", { class: "model mono dim", title: visible(model) }, brief(model, 40)) : null,
    h("span", { class: "grow" }),
    event.kind === "absent" ? h("span", { class: "chip bad strong" }, words(event.absent)) : null,
    chosen(event).map(([name, shape, value]) => choice(name, shape, value)),
    sure ? confidence(sure[2], (event.measured ?? []).find((each) => each.confidence !== null)) : null,
  );
}

/** The closed words of a reply, which stand as chips in the card's head. */
function chosen(event) {
  const says = ([, shape, value]) => (shape === "choice" ? value !== null : shape === "flag" && value);
  return (event.said ?? []).filter(says);
}

function choice(name, shape, value) {
  if (shape === "flag") return h("span", { class: "chip" }, words(name));
  return h(
    "span",
    { class: `chip strong ${tone(value)}`, title: words(name) },
    h("span", { class: "unseen" }, `${words(name)}: `),
    words(value),
  );
}

/** How sure a reply is; of a measured confidence also what its model had said itself. */
function confidence(value, measured) {
  const share = value <= 1 && !Number.isInteger(value) ? value * 100 : value;
  const bar = h("span", { class: "sure-bar", "aria-hidden": "true" }, h("span"));
  bar.firstChild.style.width = `${Math.max(0, Math.min(100, share))}%`;
  const also = measured ? `, measured; it said ${measured.stated}` : "";
  return h(
    "span",
    { class: "sure small", title: `confidence ${value}${also}` },
    bar,
    h("span", { class: "unseen" }, "confidence "),
    String(value),
    measured ? h("span", { class: "dim" }, " measured") : null,
  );
}

function absence(event) {
  return h(
    "div",
    { class: "absence" },
    h("p", null, h("strong", null, `${ABSENCES[event.absent] ?? capital(words(event.absent))}.`)),
    event.detail
      ? h("pre", { class: "detail", tabindex: "0" }, visible(event.detail).slice(0, 20_000))
      : h("p", { class: "dim" }, "No more is known about it."),
  );
}

function foot(line, session) {
  const { event } = line;
  const facts = [
    event.tokens_in || event.tokens_out
      ? h(
        "span",
        { title: `${count(event.tokens_in)} tokens in, ${count(event.tokens_out)} out` },
        `${short(event.tokens_in)} → ${short(event.tokens_out)} tokens`,
      )
      : null,
    event.cost === 0 ? null : h("span", null, microdollars(event.cost)),
    event.elapsed ? h("span", null, duration(event.elapsed)) : null,
    event.attempts > 1 ? h("span", { class: "warned" }, `${event.attempts} attempts`) : null,
  ].filter(Boolean);
  const copy = h(
    "button",
    {
      class: "bare tiny",
      type: "button",
      title: "Copy this card as text",
      on: { click: () => copied(copy, asText(event)) },
    },
    "Copy",
  );
  return h(
    "footer",
    { class: "small dim number" },
    facts,
    event.kind === "replied" && event.detail ? note(event.detail) : null,
    h(
      "span",
      { class: "where" },
      copy,
      h(
        "a",
        {
          class: "at",
          href: href(["sessions", session, "live"], { at: event.seq }),
          title: "See the session as of this event",
        },
        `#${event.seq}`,
      ),
      h("time", { datetime: new Date(event.at).toISOString() }, clock(event.at)),
    ),
  );
}

function note(detail) {
  return h("details", { class: "note" }, h("summary", null, "note"), h("p", null, visible(detail).slice(0, 20_000)));
}

async function copied(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
}
