// Fields: one control for one piece of data, with its label, hint, counter and complaint.
//
// Every field is { node, get(), set(value), check(), find(path), fail(text), focus() }:
//   get()       the data, or undefined where nothing usable is there
//   set(value)  shows data; what does not fit is complained about and returns false
//   check()     complains where the data cannot be sent, and returns the first field at fault (null for none)
//   find(path)  the field that a path such as "findings[0].place" leads to, or the nearest one above it

import { clear, h } from "quorate/dom";
import { visible } from "quorate/format";
import { choice, yesOrNo } from "quorate/parts/choices";
import { group, list, several } from "quorate/parts/groups";

const SHORT = 200; // characters that fit a line or two
let made = 0;

/** The field for a schema. `options`: path, label, needed (an empty text will not do), initial, about(key) -> node. */
export function field(schema, options) {
  const made = fieldFor(schema, options);
  if (options.path) made.node.dataset.path = options.path;
  return made;
}

function fieldFor(schema, options) {
  const [inner, nullable] = withoutNull(schema);
  const usual = options.defaults ? shownDefault(options.initial) : "";
  const place = PATHS[inner["x-kind"]] ?? "";
  const how = { ...options, nullable, hint: [schema.description, place, usual && `default: ${usual}`].filter(Boolean).join("; ") };
  if (inner.enum) return choice(inner, how);
  const type = inner.type;
  if (Array.isArray(type)) return line(inner, { ...how, digits: type.includes("integer") });
  if (type === "object") return group(inner, how);
  if (type === "array") return inner.items?.enum ? several(inner, how) : list(inner, how);
  if (type === "boolean") return how.needed && !nullable && inner.default === undefined ? yesOrNo(how) : flag(how);
  if (type === "integer" || type === "number") return number(inner, how);
  return oneLine(inner) ? line(inner, how) : text(inner, how);
}

const PATHS = { file: "the path of a file", folder: "the path of a folder" };
const oneLine = (schema) => (schema["x-kind"] ? schema["x-kind"] !== "text" : schema.maxLength === undefined);

/** What a field holds as long as nobody changes it; empty where it holds nothing. */
function shownDefault(value) {
  if (value === null || value === undefined || (typeof value === "object" && !Array.isArray(value))) return "";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

function withoutNull(schema) {
  const of = schema.anyOf || schema.oneOf;
  if (!of) return [schema, false];
  const rest = of.filter((each) => each.type !== "null");
  return [{ ...rest[0], default: schema.default }, rest.length < of.length];
}

const WORDS = /^[a-z]+(?:_[a-z]+)*$/; // not a key such as q1, and not a name such as operations-sre

/** "open_questions" as people write it: "Open questions"; keys and names stay as they are. */
export function labelOf(name) {
  if (!WORDS.test(name)) return visible(name);
  return name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/** The value of a choice as people read it. */
export const wordOf = (value) => (WORDS.test(value) ? value.replaceAll("_", " ") : visible(value));

export const freshId = (what) => `${what}-${++made}`;

/** Characters as the server counts them: code points, not halves of pairs. */
export function lengthOf(string) {
  let count = 0;
  for (const _ of string) count += 1;
  return count;
}

/** The parts that every field has: complaint and description, tied to its control. */
export function dressed({ hint, needed, around }) {
  const hintId = freshId("hint"), errorId = freshId("error"), counterId = freshId("count");
  const said = hint ? h("p", { class: "field-hint", id: hintId, dir: "auto" }, visible(hint)) : null;
  const complaint = h("p", { class: "field-error", id: errorId, hidden: true });
  const counter = h("p", { class: "field-count", id: counterId, hidden: true });
  const tie = (control) => {
    const ids = [hint && hintId, !counter.hidden && counterId, !complaint.hidden && errorId].filter(Boolean);
    ids.length ? control.setAttribute("aria-describedby", ids.join(" ")) : control.removeAttribute("aria-describedby");
    complaint.hidden ? control.removeAttribute("aria-invalid") : control.setAttribute("aria-invalid", "true");
  };
  const mark = () => (needed ? h("span", { class: "field-needed", title: "needed" }, " (needed)") : null);
  const complain = (control, words) => {
    complaint.hidden = !words;
    clear(complaint);
    if (words) complaint.append(h("span", { class: "field-error-sign", "aria-hidden": "true" }, "! "), words);
    around().classList.toggle("field-bad", Boolean(words));
    tie(control);
  };
  return { said, complaint, counter, tie, mark, complain };
}

/** A field of one control: what it reads and shows differs, the rest is the same. */
export function single({ kind, control, label, hint, needed, read, show, fault, beside = null }) {
  const dress = dressed({ hint, needed, around: () => node });
  const id = (control.id = freshId(kind));
  if (needed) control.setAttribute("aria-required", "true");
  const caption = h("label", { for: id }, label, dress.mark());
  const parts = kind === "flag" ? [h("div", { class: "field-flag-line" }, control, caption), dress.said] : [caption, dress.said, control];
  const node = h("div", { class: `form-field field-${kind}` }, ...parts, beside, dress.counter, dress.complaint);
  dress.tie(control);
  const self = {
    node, control, dress,
    get: read,
    set(value) {
      const fits = show(value);
      dress.complain(control, fits ? "" : `cannot be shown here: ${shortly(value)}`);
      self.counted?.();
      return fits;
    },
    check() {
      const words = fault();
      dress.complain(control, words);
      return words ? self : null;
    },
    find: () => self,
    fail: (words) => dress.complain(control, words),
    focus: () => control.focus(),
  };
  node.addEventListener("input", () => {
    if (control.getAttribute("aria-invalid")) dress.complain(control, "");
  });
  return self;
}

export const shortly = (value) => {
  const shown = JSON.stringify(value) ?? "nothing";
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
};

/** Free text of several lines; nothing typed is ever cut off, too much is said. */
function text(schema, { label, hint, needed, initial = "" }) {
  const most = schema.maxLength;
  const rows = most === undefined ? 6 : most <= SHORT ? 1 : most <= 1000 ? 3 : 6;
  const control = h("textarea", { rows: String(rows), dir: "auto", spellcheck: "true" });
  control.value = initial ?? "";
  const self = single({
    kind: "text", control, label, hint, needed,
    read: () => control.value,
    show(value) {
      if (value !== undefined && typeof value !== "string") return false;
      control.value = value ?? "";
      return true;
    },
    fault() {
      const count = most === undefined ? 0 : lengthOf(control.value);
      if (count > most) return `has ${count} characters; at most ${most} fit`;
      return self.needed && !control.value.trim() ? "is needed" : "";
    },
  });
  self.needed = needed;
  self.isText = true;
  if (most !== undefined) {
    self.counted = () => {
      const count = lengthOf(control.value);
      self.dress.counter.hidden = count < most * 0.5 && count < SHORT;
      clear(self.dress.counter).append(`${count} of ${most} characters`);
      self.dress.counter.classList.toggle("field-count-over", count > most);
    };
    control.addEventListener("input", self.counted);
    self.counted();
  }
  return self;
}

/** One line; where the schema takes numbers too, digits are a number. */
function line(schema, { label, hint, needed, nullable, digits, initial }) {
  const control = h("input", { type: "text", autocomplete: "off", dir: "auto" });
  control.value = initial ?? "";
  const known = schema.examples?.length ? h("datalist", { id: freshId("known") }, schema.examples.map((each) => h("option", { value: String(each) }))) : null;
  if (known) control.setAttribute("list", known.id);
  return single({
    kind: "line", control, label, hint, needed, beside: known,
    read() {
      const typed = control.value;
      if (nullable && !typed) return null;
      return digits && /^-?\d{1,15}$/.test(typed.trim()) ? Number(typed) : typed;
    },
    show(value) {
      if (value !== undefined && value !== null && typeof value === "object") return false;
      control.value = value ?? "";
      return true;
    },
    fault() {
      if (schema.maxLength !== undefined && lengthOf(control.value) > schema.maxLength) return `is longer than ${schema.maxLength} characters`;
      return needed && !control.value.trim() ? "is needed" : "";
    },
  });
}

/** A whole number; empty is null where there need not be one. */
function number(schema, { label, hint, needed, nullable, initial }) {
  const { minimum: low, maximum: high } = schema;
  const control = h("input", { type: "number", step: schema.type === "integer" ? "1" : "any", inputmode: "numeric" });
  if (low !== undefined) control.min = String(low);
  if (high !== undefined) control.max = String(high);
  control.value = initial ?? "";
  const bounded = low !== undefined && high !== undefined && high - low < 1e15;
  const range = bounded ? `a whole number from ${low} to ${high}` : "a whole number";
  const usable = () => {
    const value = control.value.trim() === "" ? NaN : Number(control.value);
    const whole = schema.type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
    return whole && !(value < low) && !(value > high) ? value : undefined;
  };
  const empty = () => control.value.trim() === "" && !control.validity.badInput;
  return single({
    kind: "number", control, label, needed: needed && !nullable,
    hint: [hint, bounded && !hint.includes(String(high)) ? `${low} to ${high}` : "",
      nullable ? "empty for none" : ""].filter(Boolean).join("; "),
    read: () => (nullable && empty() ? null : usable()),
    show(value) {
      if (value !== undefined && value !== null && typeof value !== "number") return false;
      control.value = value ?? "";
      return true;
    },
    fault() {
      if (empty()) return needed && !nullable ? `is needed: ${range}` : "";
      return usable() === undefined ? `has to be ${range}` : "";
    },
  });
}

function flag({ label, hint, initial }) {
  const control = h("input", { type: "checkbox" });
  control.checked = initial === true;
  return single({
    kind: "flag", control, label, hint, needed: false,
    read: () => control.checked,
    show(value) {
      if (value !== undefined && typeof value !== "boolean") return false;
      control.checked = value === true;
      return true;
    },
    fault: () => "",
  });
}
