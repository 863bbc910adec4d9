// Choices: one of several values, all shown where they are few, explained where it is known what each does.

import { h } from "quorate/dom";
import { visible } from "quorate/format";
import { dressed, freshId, shortly, single, wordOf } from "quorate/parts/field";

const FEW = 6; // choices that are shown all at once

/** Yes or no, where neither goes without saying. */
export const yesOrNo = (options) => choice({ enum: [true, false], words: { true: "Yes", false: "No" } }, options);

/** One of several values: all shown where they are few, and explained where `options.does` says what each does. */
export function choice(schema, options) {
  const free = !options.needed && !options.nullable && schema.default === undefined; // it may be left out
  const values = [...schema.enum.filter((each) => each !== null), ...(options.nullable ? [null] : free ? [undefined] : [])];
  if (values.length > FEW && !options.does) return dropdown(values.filter((each) => each !== undefined), { ...options, free });
  const { label, hint, needed, initial, does = {}, note = "", unset = "not set" } = options;
  const name = freshId("choice");
  const dress = dressed({ hint, needed, around: () => node });
  const inputs = values.map((value, index) => {
    const input = h("input", { type: "radio", name, value: String(index), id: freshId("option") });
    input.checked = initial === value && (initial !== undefined || free);
    return input;
  });
  const shown = values.map((value, index) => {
    const word = schema.words?.[value] ?? (value === null || value === undefined ? unset : wordOf(value));
    const explained = does[value] ? h("span", { class: "option-does", dir: "auto" }, visible(does[value])) : null;
    return h("label", { class: Object.keys(does).length ? "option option-explained" : "option", for: inputs[index].id },
      inputs[index], h("span", { class: "option-word" }, word), explained);
  });
  const row = h("div", { class: Object.keys(does).length ? "options options-explained" : "options" }, ...shown);
  const node = h("fieldset", { class: "form-field field-choice" },
    h("legend", null, label, dress.mark()), dress.said, row,
    note ? h("p", { class: "field-hint" }, note) : null, dress.complaint);
  dress.tie(node);
  const chosen = () => inputs.findIndex((input) => input.checked);
  const self = {
    node,
    get: () => values[chosen()],
    set(value) {
      const fits = value === undefined || values.includes(value);
      inputs.forEach((input, index) => { input.checked = values[index] === value && (value !== undefined || free); });
      dress.complain(node, fits ? "" : `is none of these: ${shortly(value)}`);
      return fits;
    },
    check() {
      const words = chosen() < 0 && needed ? "choose one" : "";
      dress.complain(node, words);
      return words ? self : null;
    },
    find: () => self,
    fail: (words) => dress.complain(node, words),
    focus: () => (inputs[chosen()] ?? inputs[0]).focus(),
  };
  node.addEventListener("change", () => dress.complain(node, ""));
  return self;
}

function dropdown(values, { label, hint, needed, initial, free, unset = "not set" }) {
  const control = h("select", null, h("option", { value: "" }, free ? unset : "choose…"),
    ...values.map((value, index) => h("option", { value: String(index) }, value === null ? "not set" : wordOf(value))));
  const show = (value) => {
    const index = value === undefined ? -1 : values.indexOf(value);
    control.value = index < 0 ? "" : String(index);
    return value === undefined || index >= 0;
  };
  show(initial);
  return single({
    kind: "select", control, label, hint, needed, show,
    read: () => (control.value === "" ? undefined : values[Number(control.value)]),
    fault: () => (needed && control.value === "" ? "choose one" : ""),
  });
}
