// Settings as a table: key, default, what the project has set, what it does and what it takes.

import { h } from "quorate/dom";

/** The table; `here` are the settings that apply here, which a project may have set otherwise than the default. */
export function settingsTable(schema, here = {}) {
  const rows = flat(schema, here, "");
  if (!rows.length) return h("p", { class: "dim" }, "There is nothing to set.");
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Settings" },
    h("table", { class: "plain-table" },
      h("thead", null, h("tr", null, ["Setting", "Default", "What it does"].map((each) => h("th", { scope: "col" }, each)))),
      h("tbody", null, rows.map(([key, value, set, says, takes]) =>
        h("tr", null, h("th", { scope: "row", class: "mono" }, key), h("td", { class: "mono" }, value, set === value ? null : h("p", { class: "set-here" }, h("span", { class: "dim" }, "here: "), set)),
          h("td", null, says, takes ? h("span", { class: "dim" }, ` (${takes})`) : null))))));
}

function flat(schema, here, prefix) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const key = `${prefix}${name}`;
    if (each.type === "object") return flat(each, here?.[name] ?? {}, `${key}.`);
    const set = here?.[name] === undefined ? each.default : here[name];
    return [[key, told(each.default), told(set), each.description ?? "", takes(each)]];
  });
}

function told(value) {
  if (value === undefined) return "";
  if (value === null || value === "") return "none";
  return Array.isArray(value) ? value.join(", ") || "none" : String(value);
}

function takes(schema) {
  const inner = (schema.anyOf ?? []).find((each) => each.type !== "null") ?? schema;
  const none = schema.anyOf ? ", or none" : "";
  if (inner.enum) return `${inner.enum.join(", ")}${none}`;
  if (inner.type === "boolean") return "true or false";
  if (inner.minimum !== undefined && inner.maximum !== undefined) return `${inner.minimum} to ${inner.maximum}${none}`;
  if (inner.type === "array") return inner.maxItems === undefined ? "a list" : `a list, at most ${inner.maxItems}`;
  return "";
}
