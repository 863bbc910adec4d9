// A small line chart, one line for each seat, with the same as a table for those who cannot see it.

import { h, svg } from "quorate/dom";
import { brief, hue, words } from "quorate/format";

const WIDTH = 260;
const HEIGHT = 96;
const LEFT = 26;
const BOTTOM = 16;
/** Rounds that fit side by side. */
export const MOST_ROUNDS = 40;

/** Chart how sure seats were: a Map of seat to a Map of round to value. */
export function chart(seats) {
  const rounds = [
    ...new Set([...seats.values()].flatMap((each) => [...each.keys()])),
  ].sort((a, b) => a - b).slice(-MOST_ROUNDS);
  const highest = Math.max(1, ...[...seats.values()].flatMap((each) => [...each.values()]));
  const top = highest > 10 ? 100 : highest > 5 ? 10 : highest > 1 ? 5 : 1;
  const x = (index) => LEFT + (
    rounds.length < 2 ? (WIDTH - LEFT) / 2 : 4 + (index * (WIDTH - LEFT - 10)) / (rounds.length - 1)
  );
  const y = (value) => 6 + (1 - Math.min(value, top) / top) * (HEIGHT - BOTTOM - 10);
  const drawing = svg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": "Confidence of each seat by round; the table below says the same",
    },
  );
  for (const mark of [0, top / 2, top]) {
    drawing.append(
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(mark), y2: y(mark) }),
      svg("text", { class: "tick", x: LEFT - 5, y: y(mark) + 3, "text-anchor": "end" }, String(mark)),
    );
  }
  for (const index of new Set([0, Math.floor((rounds.length - 1) / 2), rounds.length - 1])) {
    drawing.append(
      svg("text", { class: "tick", x: x(index), y: HEIGHT - 3, "text-anchor": "middle" }, String(rounds[index])),
    );
  }
  for (const [seat, values] of seats) {
    const points = rounds.map((round, index) => [round, index]).filter(([round]) => values.has(round)).map(
      ([round, index]) => [x(index), y(values.get(round))],
    );
    const path = points.map(
      ([left, height], index) => `${index ? "L" : "M"}${left.toFixed(1)} ${height.toFixed(1)}`,
    ).join("");
    drawing.append(
      svg(
        "g",
        { class: "series", dataset: { hue: hue(seat) } },
        svg("title", null, words(seat)),
        svg("path", { d: path }),
        points.length <= 12 ? points.map(([left, height]) => svg("circle", { cx: left, cy: height, r: 2.5 })) : null,
      ),
    );
  }
  return h(
    "div",
    { class: "chart-box" },
    drawing,
    h(
      "p",
      { class: "legends small" },
      [...seats.keys()].slice(0, 24).map((seat) => h(
        "span",
        { class: "legend series", dataset: { hue: hue(seat) } },
        brief(seat, 40),
      )),
    ),
    table(seats, rounds),
  );
}

/** The table is built when somebody opens it. */
function table(seats, rounds) {
  const place = h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "Confidence by seat and round" },
  );
  const opened = ({ target }) => target.open && !place.firstChild && place.append(cells(seats, rounds));
  return h(
    "details",
    { class: "small", on: { toggle: opened } },
    h("summary", { class: "dim" }, "As a table"),
    place,
  );
}

function cells(seats, rounds) {
  const head = h(
    "tr",
    null,
    h("th", { scope: "col" }, "Seat"),
    rounds.map((round) => h("th", { scope: "col" }, `R${round}`)),
  );
  const rows = [...seats].map(([seat, values]) => h(
    "tr",
    null,
    h("th", { scope: "row" }, brief(seat, 40)),
    rounds.map((round) => h("td", { class: "number" }, values.has(round) ? String(values.get(round)) : "–")),
  ));
  return h("table", { class: "numbers" }, h("thead", null, head), h("tbody", null, rows));
}
