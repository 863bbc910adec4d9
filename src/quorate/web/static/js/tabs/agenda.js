// The agenda: each topic with how far it is and what has to be true before it is done.

import { h, replace } from "quorate/dom";
import { visible } from "quorate/format";
import { boardTab } from "quorate/parts/boards";
import { chip, nothing, shownInline } from "quorate/parts/pieces";

export const title = "Agenda";

export function render(root, ctx) {
  return boardTab(root, ctx, ({ topics = [], warnings = [] }) => {
    const required = topics.filter((each) => each.required);
    const met = (list) => list.flatMap((each) => each.criteria).filter((each) => each.met).length;
    const all = topics.flatMap((each) => each.criteria).length;
    replace(root, h("h2", { class: "unseen" }, title),
      warnings.map((each) => h("p", { class: "board-warning" }, visible(each))),
      topics.length
        ? [h("p", { class: "dim" }, `${topics.length} topics, ${required.length} of them required; ${met(topics)} of ${all} criteria met.`),
          h("ol", { class: "topics" }, topics.map(topic))]
        : nothing("There is no agenda so far."));
  });
}

function topic(each) {
  const met = each.criteria.filter((criterion) => criterion.met).length;
  const label = `${met} of ${each.criteria.length} criteria met`;
  return h("li", { class: "panel topic" },
    h("div", { class: "row" },
      h("h3", { class: "grow", dir: "auto" }, h("span", { class: "mono dim" }, visible(each.id)), " ", visible(each.name)),
      each.stage && each.stage !== "none" ? h("span", { class: "chip" }, visible(each.stage)) : null,
      each.required ? h("span", { class: "chip accent" }, "required") : h("span", { class: "chip" }, "optional"),
      chip(each.status)),
    each.criteria.length
      ? h("div", { class: "topic-progress" }, h("progress", { max: String(each.criteria.length), value: met, "aria-label": label }), h("span", { class: "dim small number" }, label))
      : null,
    each.minimum || each.counted
      ? h("p", { class: "small dim number" }, `${each.counted} artifacts count for it${each.minimum ? `, ${each.minimum} needed` : ""}`)
      : null,
    h("ul", { class: "criteria" }, each.criteria.map((criterion) =>
      h("li", { class: criterion.met ? "met" : "" },
        h("span", { class: "criterion-sign", "aria-hidden": "true" }, criterion.met ? "✓" : "○"),
        h("span", { class: "unseen" }, criterion.met ? "met: " : "not met: "),
        h("span", { class: "grow", dir: "auto" }, shownInline(criterion.text)),
        criterion.met && criterion.round ? h("span", { class: "dim small number" }, `round ${criterion.round}`) : null))));
}
