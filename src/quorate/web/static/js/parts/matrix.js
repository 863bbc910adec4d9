// The votes matrix: findings down, seats across, a sign and a word in each cell.

import { h } from "quorate/dom";
import { visible, words } from "quorate/format";
import { isAbsent, shortId, signOf, toneOfVote } from "quorate/parts/pieces";

/** The matrix of everything that was voted upon; null where nothing was. */
export function matrix(findings) {
  const voted = findings.filter((each) => each.votes?.length);
  if (!voted.length) return null;
  const seats = [...new Set(voted.flatMap((each) => each.votes.map(([seat]) => seat)))];
  const head = h("tr", null, h("th", { scope: "col", class: "stuck" }, "Finding"), seats.map((seat) => h("th", { scope: "col" }, visible(seat))));
  const rows = voted.map((each) => {
    const cast = new Map(each.votes);
    return h("tr", null,
      h("th", { scope: "row", class: "stuck" }, h("span", { class: "mono dim" }, shortId(each.id)), " ", h("span", { class: "matrix-title", dir: "auto" }, visible(each.title))),
      seats.map((seat) => vote(cast.get(seat))));
  });
  return h("section", { class: "matrix", "aria-label": "Votes" },
    h("h3", null, "Votes"),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Votes of each seat on each finding" },
      h("table", { class: "matrix-table" }, h("thead", null, head), h("tbody", null, rows))));
}

function vote(word) {
  if (word === undefined) return h("td", { class: "vote none" }, h("span", { class: "unseen" }, "no vote"));
  const kind = isAbsent(word) ? "absent" : toneOfVote(word);
  return h("td", { class: `vote ${kind}` }, h("span", { class: "vote-sign", "aria-hidden": "true" }, signOf(word)), words(visible(word)));
}
