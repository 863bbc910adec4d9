// Forms: from a JSON Schema to labelled fields, and from what was filled in back to data; the same as JSON beside it.

import { h, replace } from "quorate/dom";
import { visible } from "quorate/format";
import { sentence } from "quorate/source";
import { field, labelOf, lengthOf } from "quorate/parts/field";
import { group } from "quorate/parts/groups";
import { asJson } from "quorate/parts/json";

const CHOICE = "choice"; // the field that a person's decision turns on, see core/offers.py
const SAID = /^- (.+)$/gm;

/**
 * Make a form.
 *
 * options:
 *   value      what is filled in at first
 *   blank      texts may stay empty (an answer); otherwise a required text is needed (an input)
 *   offer      what each choice does, and which text it needs: {does, optional, needs, unanswered}
 *   about      (key, path) -> node or null: what an item of a form by key is about
 *   only       "changed": data() holds what differs from `value` and the defaults (settings)
 *   folded     sections are folded
 *   raw        false: without the JSON beside it
 *   send, onSend(data)   the button's words and what it does; without onSend it is a part of a larger form
 *   beside     nodes that stand beside the button
 *
 * Returns {node, data(), check(), set(value), show(problem), focus(), changed()}.
 */
export function form(schema, options = {}) {
  const { value, blank = false, offer, about, only, folded, raw = true, send = "Send", onSend, beside = [] } = options;
  const ordered = offer ? choiceFirst(schema) : schema;
  const root = group(ordered, { label: "", initial: value, blank, about, folded, defaults: only === "changed", offer });
  const follow = offer ? offering(root, offer) : () => {};
  const notice = h("p", { class: "form-notice", role: "alert", hidden: true });
  const json = asJson(root, () => { follow(); marked(); });
  const initial = JSON.stringify(root.get());
  const before = JSON.parse(initial);
  let confirmed = false;

  const button = onSend ? h("button", { type: "submit", class: "main" }, send) : null;
  const body = [root.node, raw ? json.node : null, notice, button ? h("div", { class: "form-foot" }, button, ...beside) : null];
  const node = onSend
    ? h("form", { class: "form", novalidate: true, on: { submit: submitted } }, ...body)
    : h("div", { class: "form" }, ...body);
  node.addEventListener("input", (event) => {
    if (json.node.contains(event.target)) return;
    touched();
  });
  node.addEventListener("change", (event) => {
    if (json.node.contains(event.target)) return;
    touched();
  });

  function touched() {
    confirmed = false;
    follow();
    json.refresh();
    marked();
    if (!notice.dataset.kept) say("");
  }
  function marked() {
    if (only === "changed") markChanged(root, before);
  }
  function say(words, kept = false) {
    notice.hidden = !words;
    replace(notice, words);
    kept ? (notice.dataset.kept = "yes") : delete notice.dataset.kept;
  }
  function data() {
    const filled = withHidden(root.get(), root, offer);
    return only === "changed" ? difference(filled, before) ?? {} : filled;
  }
  function check() {
    if (json.wrong()) {
      json.focus();
      say("The JSON cannot be used as it stands.");
      return false;
    }
    const wrong = root.check();
    if (wrong) {
      reveal(wrong.node);
      wrong.focus();
      say("Something is missing or does not fit; it is marked.");
    }
    return !wrong;
  }
  function empty() {
    const texts = textsOf(root).filter((each) => !each.node.hidden);
    return !offer && texts.length > 0 && texts.every((each) => !each.get().trim());
  }
  async function submitted(event) {
    event.preventDefault();
    if (button.disabled) return;
    say("");
    if (!check()) return;
    if (blank && empty() && !confirmed) {
      confirmed = true;
      say(`No text is filled in. Press “${send}” again to send it so.`);
      return;
    }
    button.disabled = true;
    node.setAttribute("aria-busy", "true");
    try {
      await onSend(data());
    } catch (problem) {
      show(problem);
    } finally {
      button.disabled = false;
      node.removeAttribute("aria-busy");
    }
  }
  /** Show a problem at the field it names, or below the form. Returns whether a field was found. */
  function show(problem) {
    const found = complaints(problem).map(({ key, words }) => {
      const place = key ? root.find(inside(key)) : root;
      if (place === root) return null;
      place.fail(words);
      return place;
    }).filter(Boolean);
    if (found.length) {
      reveal(found[0].node);
      found[0].focus();
    }
    say(found.length ? "It was not accepted; what has to be corrected is marked." : visible(sentence(problem)), true);
    return found.length > 0;
  }
  follow();
  json.refresh();
  marked();
  return {
    node, data, check, show, say,
    set(given) {
      const fits = root.set(given);
      touched();
      return fits;
    },
    focus: () => root.focus(),
    changed: () => JSON.stringify(root.get()) !== initial,
  };
}

function choiceFirst(schema) {
  const { [CHOICE]: choice, ...rest } = schema.properties;
  return choice ? { ...schema, properties: { [CHOICE]: choice, ...rest } } : schema;
}

/** Keep the texts that belong to one choice out of sight until it is chosen. */
function offering(root, offer) {
  return () => {
    const chosen = root.fields.get(CHOICE)?.get();
    for (const [choice, name] of Object.entries(offer.needs ?? {})) {
      const text = root.fields.get(name);
      if (!text) continue;
      text.node.hidden = chosen !== choice;
      text.needed = chosen === choice;
    }
  };
}

function withHidden(data, root, offer) {
  if (!offer) return data;
  for (const name of Object.values(offer.needs ?? {})) if (root.fields.get(name)?.node.hidden) data[name] = "";
  return data;
}

/** What differs from the values before, as far down as there are groups; undefined for nothing. */
function difference(now, before) {
  if (JSON.stringify(now) === JSON.stringify(before)) return undefined;
  if (!isGroup(now) || !isGroup(before)) return now;
  const found = {};
  for (const [name, value] of Object.entries(now)) {
    const differs = difference(value, before[name]);
    if (differs !== undefined) found[name] = differs;
  }
  return found;
}

const isGroup = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function markChanged(part, before) {
  for (const [name, each] of part.fields) {
    if (each.fields) markChanged(each, before?.[name] ?? {});
    const same = JSON.stringify(each.get()) === JSON.stringify(before?.[name]);
    each.node.classList.toggle("field-changed", !same);
  }
}

function textsOf(part) {
  if (part.isText) return [part];
  return [...(part.fields?.values() ?? part.parts?.() ?? [])].flatMap(textsOf);
}

/** Open whatever is folded around a node. */
function reveal(node) {
  for (let around = node.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
}

const inside = (key) => key.replace(/^(?:answer|inputs|settings|budget)\./, "");

/** The complaints in a problem: one for its key, or one for each line of a list. */
function complaints(problem) {
  const lines = [...String(problem.detail ?? "").matchAll(SAID)].map(([, line]) => {
    const at = line.indexOf(": ");
    return { key: at < 0 ? "" : line.slice(0, at), words: at < 0 ? line : line.slice(at + 2) };
  });
  if (lines.length) return lines;
  return [{ key: problem.key ?? "", words: wordsOf(problem) }];
}

/** What is said at the field that a problem names. */
function wordsOf(problem) {
  return visible(sentence(problem, { named: false }));
}

export { field, labelOf, lengthOf };
