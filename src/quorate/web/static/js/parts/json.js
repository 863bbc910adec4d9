// A form as JSON beside its fields: typed by hand, it fills them in, and a misspelt key is told with the nearest one.

import { h, replace } from "quorate/dom";
import { shortly } from "quorate/parts/field";

/** The whole form as JSON, in step with the fields both ways. */
export function asJson(root, changed) {
  const area = h("textarea", { class: "mono", rows: "8", spellcheck: "false", "aria-label": "The same as JSON" });
  const said = h("p", { class: "field-error", role: "status", hidden: true });
  const summary = h("summary", null, "As JSON");
  const node = h("details", { class: "form-json" }, summary, area, said);
  let problem = "";
  const tell = (words) => {
    problem = words;
    said.hidden = !words;
    replace(said, words);
    words ? area.setAttribute("aria-invalid", "true") : area.removeAttribute("aria-invalid");
  };
  area.addEventListener("input", () => {
    let value;
    try {
      value = JSON.parse(area.value);
    } catch (error) {
      tell(`This is not JSON: ${error.message}`);
      return;
    }
    const [fits, stranger] = [root.set(value), unknown(root, value)];
    tell(fits ? "" : `This is JSON, but it does not fit the form: ${stranger || "the fields show what does."}`);
    changed();
  });
  // A click comes before it opens. "toggle" comes after, perhaps when somebody types already, and would undo that.
  summary.addEventListener("click", () => {
    if (!node.open && !problem) area.value = JSON.stringify(root.get(), null, 2);
  });
  return {
    node,
    refresh() {
      if (node.open) area.value = JSON.stringify(root.get(), null, 2);
      tell("");
    },
    wrong: () => Boolean(problem),
    focus() {
      node.open = true;
      area.focus();
    },
  };
}

/** The first key that a form does not have, in words; empty where it has them all. */
function unknown(part, value) {
  if (Array.isArray(value)) {
    const rows = part.parts?.() ?? [];
    return value.map((each, index) => (rows[index] ? unknown(rows[index], each) : "")).find(Boolean) ?? "";
  }
  if (!part.fields || typeof value !== "object" || value === null) return "";
  const names = [...part.fields.keys()];
  for (const [name, inner] of Object.entries(value)) {
    if (!part.fields.has(name)) {
      const near = nearest(name, names.filter((each) => !(each in value)));
      const word = shortly(name).slice(1).replace(/"$/, "");
      return `unknown key '${word}'${near ? `; did you mean '${near}'?` : ""}`;
    }
    const below = unknown(part.fields.get(name), inner);
    if (below) return below;
  }
  return "";
}

/** The name that needs the fewest changed letters, as long as those are few. */
export function nearest(name, names) {
  const [steps, found] = names.map((each) => [changes(name, each), each]).sort(([one], [other]) => one - other)[0] ?? [];
  return found !== undefined && steps <= Math.max(1, Math.ceil(found.length / 3)) ? found : null;
}

function changes(from, to) {
  if (from.length > to.length * 2 + 4) return Infinity;
  let row = [...Array(to.length + 1).keys()];
  for (let left = 1; left <= from.length; left += 1) {
    const above = row;
    row = [left];
    for (let right = 1; right <= to.length; right += 1) {
      const other = from[left - 1] === to[right - 1] ? 0 : 1;
      row.push(Math.min(above[right] + 1, row[right - 1] + 1, above[right - 1] + other));
    }
  }
  return row[to.length];
}
