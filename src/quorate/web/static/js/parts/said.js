// What a reply says, field by field: as nodes, prose as prose and short values as pairs, and as plain text.

import { h } from "quorate/dom";
import { tone, visible, words } from "quorate/format";
import { plain, prose } from "quorate/prose";

const INLINE = new Set(["choice", "number", "flag", "key"]);

/** The fields of a reply as nodes: prose as prose, short values as a line of pairs. What the head shows is left out. */
export function said(fields, inner = false) {
  const shown = (fields ?? []).filter(([name, shape, value]) => {
    const above = shape === "choice" || shape === "flag" || (name === "confidence" && shape === "number");
    if (above && !inner) return false;
    return value !== null && !(Array.isArray(value) && value.length === 0);
  });
  const lone = shown.length === 1;
  return shown.map(([name, shape, value]) => field(name, shape, value, lone && !inner));
}

function field(name, shape, value, lone) {
  const label = lone ? null : h("h5", { class: "label" }, words(name));
  if (INLINE.has(shape)) {
    return h("p", { class: "pair" }, h("span", { class: "label" }, `${words(name)} `), inline(shape, value));
  }
  return h("section", { class: "field" }, label, block(shape, value));
}

function inline(shape, value) {
  if (shape === "flag") return value ? "yes" : "no";
  if (shape === "choice") return h("span", { class: `chip ${tone(value)}` }, words(value));
  return h("span", { class: "mono" }, visible(value));
}

function block(shape, value) {
  switch (shape) {
    case "prose":
      return h("div", { class: "prose" }, prose(value));
    case "list":
      return value.every(([, each]) => INLINE.has(each))
        ? h("p", { class: "row tight" }, value.map(([, each, item]) => inline(each, item)))
        : h(
          "ol",
          { class: "items" },
          value.map(([, each, item]) => h("li", null, INLINE.has(each) ? inline(each, item) : block(each, item))),
        );
    case "group":
      return h("div", { class: "group" }, pairs(value), said(value.filter(([, each]) => !INLINE.has(each)), true));
    case "keyed":
      return h(
        "dl",
        { class: "keyed" },
        value.map(([key, each, item]) => [
          h("dt", { class: "mono" }, visible(key)),
          h("dd", null, INLINE.has(each) ? inline(each, item) : block(each, item)),
        ]),
      );
    default:
      return h("span", null, visible(typeof value === "string" ? value : JSON.stringify(value)));
  }
}

function pairs(fields) {
  const shown = fields.filter(([, shape, value]) => INLINE.has(shape) && value !== null && value !== false);
  if (!shown.length) return null;
  return h(
    "p",
    { class: "row tight" },
    shown.map(([name, shape, value]) => h(
      "span",
      { class: "pair" },
      h("span", { class: "label" }, `${words(name)} `),
      shape === "flag" ? "" : inline(shape, value),
    )),
  );
}

/** A reply that comes as plain data (not asked for as trees) in the shape of the trees. */
export function asSaid(reply) {
  return Object.entries(reply ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? "prose" : "other",
    value,
  ]);
}

/** A contribution as plain text, for the clipboard. */
export function asText(event) {
  const { ask } = event;
  const facts = [words(ask.brief), `round ${ask.round}`, `#${event.seq}`, event.model].filter(Boolean);
  const first = `${ask.seat} (${facts.join(", ")})`;
  if (event.kind === "absent") return `${first}\n${event.absent}: ${event.detail}`;
  return `${first}\n\n${texts(event.said ?? asSaid(event.reply)).join("\n\n")}`;
}

function texts(fields) {
  return fields.map(([name, shape, value]) => {
    const say = (text) => (name === "item" ? text : `${words(name)}: ${text}`);
    if (shape === "prose") return say(plain(value));
    if (shape === "list" || shape === "group" || shape === "keyed") return say(
      `\n${texts(value).join("\n").replace(/^/gm, "  ")}`,
    );
    return say(typeof value === "object" ? JSON.stringify(value) : String(value));
  });
}
