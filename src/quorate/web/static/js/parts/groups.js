// Groups: fields that hold other fields (an object, a list of rows) or several choices at once.

import { h, replace } from "quorate/dom";
import { visible } from "quorate/format";
import { dressed, field, freshId, labelOf, wordOf } from "quorate/parts/field";

const MANY = 12; // choices from which they scroll

/** An object: its fields in order. One that holds a single field needs no frame of its own. */
export function group(schema, options) {
  const { label, hint = "", initial, about, path = "", blank, folded, defaults, offer } = options;
  const names = Object.keys(schema.properties || {});
  const required = new Set(schema.required || []);
  const told = about && label ? about(options.name ?? label, path) : null;
  const only = names.length === 1 && label && !told ? names[0] : null;
  const fields = new Map(names.map((name) => {
    const inner = schema.properties[name];
    return [name, field(inner, {
      name, label: only ? label : inner.title ?? labelOf(name),
      needed: required.has(name) && !(blank && isText(inner)),
      initial: initial?.[name] === undefined ? inner.default : initial[name],
      about, blank, folded, defaults, path: path ? `${path}.${name}` : name,
      ...(offer && name === "choice" ? explained(offer) : {}),
    })];
  }));
  const children = [...fields.values()].map((each) => each.node);
  let node;
  if (!label || only) node = h("div", { class: "group-plain" }, ...children);
  else if (folded) node = h("details", { class: "group-folded" }, h("summary", null, label), ...children);
  else {
    const hintId = freshId("hint");
    node = h("fieldset", { class: "form-group", ...(hint ? { "aria-describedby": hintId } : {}) },
      h("legend", { dir: "auto" }, label),
      hint ? h("p", { class: "field-hint", id: hintId, dir: "auto" }, visible(hint)) : null,
      told ? h("div", { class: "group-about prose" }, told) : null, ...children);
  }
  const self = {
    node, fields,
    get() {
      const data = {};
      for (const [name, each] of fields) {
        const value = each.get();
        if (value !== undefined) data[name] = value;
      }
      return data;
    },
    set(value) {
      const given = value === undefined ? {} : value;
      if (typeof given !== "object" || given === null || Array.isArray(given)) return self.fail("has to be an object") ?? false;
      let fits = Object.keys(given).every((name) => fields.has(name));
      for (const [name, each] of fields) fits = each.set(given[name]) && fits;
      return fits;
    },
    check() {
      let first = null;
      for (const each of fields.values()) {
        if (each.node.hidden) continue;
        const wrong = each.check();
        first = first ?? wrong;
      }
      return first;
    },
    find(rest) {
      const found = stepped(rest, [...fields.keys()]);
      return found ? fields.get(found.name).find(found.rest) : self;
    },
    fail: (words) => void [...fields.values()][0]?.fail(words),
    focus: () => [...fields.values()].find((each) => !each.node.hidden)?.focus(),
  };
  return self;
}

const explained = (offer) => ({
  does: offer.does ?? {},
  note: offer.unanswered ? `Without an answer it goes on as with “${wordOf(offer.unanswered)}”.` : "",
});

const isText = (schema) => schema.type === "string" && !schema.enum;

/** The longest name that a path begins with (names may hold dots), and what is left of the path. */
function stepped(path, names) {
  const fits = (name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
  const name = names.filter(fits).sort((a, b) => b.length - a.length)[0];
  if (name === undefined) return null;
  const rest = path.slice(name.length);
  return { name, rest: rest.startsWith(".") ? rest.slice(1) : rest };
}

/** A list: rows that are added and removed. */
export function list(schema, options) {
  const { label, hint = "", needed, initial, about, blank, path = "" } = options;
  const most = schema.maxItems ?? Infinity, least = schema.minItems ?? 0;
  const single = schema.items?.type !== "object";
  const dress = dressed({ hint, needed: needed && least > 0, around: () => node });
  const rows = [];
  const holder = h("ol", { class: "rows" });
  const adding = h("button", { type: "button", class: "quiet row-add" });
  const count = h("span", { class: "field-count" });
  const node = h("fieldset", { class: single ? "form-field field-list" : "form-group field-list" },
    h("legend", null, label, dress.mark()), dress.said, holder,
    h("div", { class: "row-foot" }, adding, count), dress.complaint);
  dress.tie(node);

  const named = (index) => (single ? `${label} ${index + 1}` : `${index + 1}`);
  function make(value) {
    const each = field(schema.items ?? { type: "string" }, {
      label: single ? label : "", needed: !(blank && single && !schema.items?.enum), initial: value, about, blank, path: `${path}[]`,
    });
    const remove = h("button", { type: "button", class: "quiet row-remove" }, "Remove");
    const row = { field: each, remove, node: h("li", { class: single ? "form-row form-row-single" : "form-row" }, each.node, remove) };
    remove.addEventListener("click", () => {
      const index = rows.indexOf(row);
      rows.splice(index, 1);
      drawn();
      (rows[Math.min(index, rows.length - 1)]?.remove ?? adding).focus();
      changed();
    });
    return row;
  }
  function drawn() {
    rows.forEach((row, index) => {
      row.remove.setAttribute("aria-label", `Remove ${label} ${index + 1}`);
      if (single) row.node.querySelector("label")?.replaceChildren(named(index));
      else row.node.setAttribute("aria-label", `${label} ${index + 1}`);
    });
    if (rows.length !== holder.children.length || rows.some((row, index) => holder.children[index] !== row.node)) {
      replace(holder, ...rows.map((row) => row.node));
    }
    holder.hidden = rows.length === 0;
    adding.disabled = rows.length >= most;
    replace(adding, rows.length ? "Add another" : "Add one");
    adding.setAttribute("aria-label", `${rows.length ? "Add another" : "Add one"}: ${label}`);
    replace(count, most === 0 ? "nothing to add here" : Number.isFinite(most) ? `${rows.length} of at most ${most}` : "");
  }
  const changed = () => node.dispatchEvent(new Event("input", { bubbles: true }));
  adding.addEventListener("click", () => {
    if (rows.length >= most) return;
    rows.push(make(undefined));
    drawn();
    rows.at(-1).field.focus();
    changed();
  });
  for (const value of initial ?? []) rows.push(make(value));
  drawn();

  const self = {
    node,
    parts: () => rows.map((row) => row.field),
    get: () => rows.map((row) => row.field.get()).map((value) => (value === undefined ? null : value)),
    set(value) {
      const given = value ?? [];
      if (!Array.isArray(given)) return self.fail("has to be a list") ?? false;
      if (given.length > most) return self.fail(`has ${given.length} entries; at most ${most} fit`) ?? false;
      while (rows.length > given.length) rows.pop();
      while (rows.length < given.length) rows.push(make(undefined));
      drawn();
      dress.complain(node, "");
      return given.reduce((fits, each, index) => rows[index].field.set(each ?? undefined) && fits, true);
    },
    check() {
      const words = rows.length < least ? `needs at least ${least}` : "";
      dress.complain(node, words);
      let first = words ? self : null;
      for (const row of rows) {
        const wrong = row.field.check();
        first = first ?? wrong;
      }
      return first;
    },
    find(rest) {
      const found = /^\[?(\d+)\]?\.?(.*)$/s.exec(rest);
      return found && rows[found[1]] ? rows[found[1]].field.find(found[2]) : self;
    },
    fail: (words) => dress.complain(node, words),
    focus: () => (rows[0]?.field ?? adding).focus(),
  };
  return self;
}

/** Several of a closed list of values: boxes to tick; at most one of them is a choice with "none". */
export function several(schema, { label, hint = "", initial }) {
  const values = schema.items.enum;
  const most = schema.maxItems ?? values.length;
  const type = most === 1 ? "radio" : "checkbox";
  const name = freshId("several");
  const dress = dressed({ hint, needed: false, around: () => node });
  const inputs = values.map(() => h("input", { type, name, id: freshId("option") }));
  const none = type === "radio" ? h("input", { type, name, id: freshId("option") }) : null;
  const option = (input, word) =>
    h("label", { class: "option", for: input.id }, input, h("span", { class: "option-word" }, word));
  const node = h("fieldset", { class: "form-field field-several" },
    h("legend", null, label), dress.said,
    most === 0
      ? h("p", { class: "field-hint" }, "There is nothing to choose from.")
      : h("div", { class: values.length > MANY ? "options options-many" : "options" },
        none ? option(none, "none") : null, ...inputs.map((input, index) => option(input, wordOf(values[index])))),
    most > 1 && most < values.length ? h("p", { class: "field-hint" }, `at most ${most}`) : null, dress.complaint);
  dress.tie(node);
  const show = (value) => {
    const given = value ?? [];
    if (!Array.isArray(given)) return false;
    inputs.forEach((input, index) => { input.checked = given.includes(values[index]); });
    if (none) none.checked = given.length === 0;
    return given.every((each) => values.includes(each));
  };
  show(initial);
  const get = () => values.filter((_, index) => inputs[index].checked);
  const self = {
    node, get,
    set(value) {
      const fits = show(value);
      dress.complain(node, fits ? "" : "names something that is not among these");
      return fits;
    },
    check() {
      const words = get().length > most ? `at most ${most} can be chosen` : "";
      dress.complain(node, words);
      return words ? self : null;
    },
    find: () => self,
    fail: (words) => dress.complain(node, words),
    focus: () => (none ?? inputs[0])?.focus(),
  };
  node.addEventListener("change", () => dress.complain(node, ""));
  return self;
}
