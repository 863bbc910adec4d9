// Artifacts: what the session made, in columns by where each stands in its life.

import { h, replace } from "quorate/dom";
import { count, visible, words } from "quorate/format";
import { boardTab } from "quorate/parts/boards";
import { chip, facts, history, names, nothing, shown } from "quorate/parts/pieces";
import { plain } from "quorate/prose";

export const title = "Artifacts";

const ORDER = ["active", "draft", "proposed", "open", "amended", "resolved", "answered", "superseded", "withdrawn"];

export function render(root, ctx) {
  const wish = { text: "", kind: "", topic: "" };
  const open = new Set();
  let artifacts = [];

  const redraw = (name) => (event) => { wish[name] = event.target.value; draw(); };
  const search = h("input", { type: "search", placeholder: "Search artifacts", "aria-label": "Search artifacts", on: { input: redraw("text") } });
  const kind = h("select", { "aria-label": "Kind", on: { change: redraw("kind") } });
  const topic = h("select", { "aria-label": "Topic", on: { change: redraw("topic") } });
  const told = h("span", { class: "dim number", role: "status" });
  const body = h("div", { class: "columns" });
  replace(root, h("h2", { class: "unseen" }, title), h("div", { class: "filters", role: "search" }, search, kind, topic, told), body);

  const wanted = (each) => (!wish.kind || each.kind === wish.kind) && (!wish.topic || each.topic === wish.topic)
    && (!wish.text || textOf(each).includes(wish.text.trim().toLowerCase()));
  function draw() {
    const list = artifacts.filter(wanted);
    const statuses = [...new Set(list.map((each) => each.status))].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
    replace(told, `${count(list.length)} of ${count(artifacts.length)}`);
    replace(body, list.length === 0
      ? nothing(artifacts.length ? "No artifact fits these filters." : "Nothing has been made so far.")
      : statuses.map((status) => {
        const mine = list.filter((each) => each.status === status);
        return h("section", { class: "column", "aria-label": words(status) },
          h("h3", null, words(visible(status)), " ", h("span", { class: "dim number" }, String(mine.length))),
          h("ul", { class: "cards" }, mine.map(card)));
      }));
  }
  function card(each) {
    const more = h("details", { class: "artifact-more", open: open.has(each.id), on: { toggle: (event) => {
      event.target.open ? open.add(each.id) : open.delete(each.id);
      fill();
    } } }, h("summary", null, "Details"));
    const fill = () => {
      if (!more.open || more.children.length > 1) return;
      more.append(...each.fields.map(([name, value]) => h("div", { class: "artifact-field" }, h("h4", null, visible(name)), shown(value))));
      more.append(...[facts([["Made by", names(each.by)], ["Topic", each.topic]]), history(each.history)].filter(Boolean));
    };
    fill();
    return h("li", { class: "panel artifact" },
      h("div", { class: "row" }, h("span", { class: "mono dim" }, visible(each.id)), h("span", { class: "chip" }, visible(each.kind)), chip(each.agreement)),
      h("h4", { dir: "auto" }, visible(each.title)),
      h("p", { class: "dim small" }, [each.round ? `round ${each.round}` : "", names(each.by)].filter(Boolean).join(" · ")),
      more);
  }
  return boardTab(root, ctx, (board) => {
    artifacts = board.artifacts ?? [];
    options(kind, "any kind", artifacts.map((each) => each.kind), wish.kind);
    options(topic, "any topic", artifacts.map((each) => each.topic).filter(Boolean), wish.topic);
    draw();
  });
}

const place = (status) => {
  const found = ORDER.indexOf(String(status).toLowerCase());
  return found < 0 ? ORDER.length : found;
};

const textOf = (each) => [each.id, each.title, each.kind, each.topic, ...each.fields.map(([, value]) => plain(value))].join("\n").toLowerCase();

function options(select, any, values, chosen) {
  const all = [...new Set(chosen ? [...values, chosen] : values)].sort();
  replace(select, h("option", { value: "" }, any), all.map((each) => h("option", { value: each }, visible(each))));
  select.value = chosen;
}
