// A protocol: its diagram, what is proven about it, its rules, tables, ends and settings.

import { h, replace } from "quorate/dom";
import { href } from "quorate/router";
import { prose } from "quorate/prose";
import { visible, words } from "quorate/format";
import { Diagram } from "quorate/parts/diagram";
import { fetching } from "quorate/parts/pieces";
import { settingsTable } from "quorate/parts/settings";
import { proof } from "quorate/parts/proof";

export const title = "Protocol";

export async function render(root, ctx) {
  replace(root, fetching("the protocol"));
  const found = await ctx.source.protocol(ctx.id ?? ctx.about?.protocols?.[0]);
  ctx.setTitle?.(found.name);
  const proven = proof(found.name, ctx);
  const parts = [
    ["diagram", "Diagram", h("div", { class: "protocol-diagram" }, new Diagram(found.diagram).element)],
    ["proof", "Proof", proven.node],
    ["table", "Phases and outcomes", table(["Phase", "Outcome", "Next phase"], found.table.map((row) => [row.phase, row.outcome, row.to].map(words)))],
    ...(found.tables ?? []).map((each, index) => [`more-${index}`, each.title, h("div", { class: "prose" }, prose(each.tree))]),
    ["ends", "How it ends", ends(found)],
    ["settings", "Settings", settingsTable(found.settings, found.defaults)],
    ["rules", "Rules", h("div", { class: "prose" }, prose(found.rules))],
  ];
  const sections = parts.map(([id, name, node]) =>
    h("section", { class: "panel protocol-part", id: `part-${id}`, "aria-labelledby": `head-${id}` }, h("h2", { id: `head-${id}`, tabindex: "-1" }, visible(name)), node));
  const jumps = parts.map(([id, name]) =>
    h("li", null, h("button", { type: "button", class: "link", on: { click: () => jump(id) } }, visible(name))));
  replace(root, h("div", { class: "page" },
    h("header", { class: "protocol-head" },
      h("div", { class: "grow" }, h("h1", null, visible(found.name)), h("p", null, visible(found.title))),
      ctx.source.live && ctx.about?.write !== false ? h("a", { class: "button main", href: href(["new", found.name]) }, "New session") : null),
    h("p", { class: "dim small" }, `version ${visible(found.version)} · rules `, h("code", { class: "hash" }, visible(String(found.digest).slice(0, 16)))),
    h("p", { class: "small" }, h("span", { class: "dim" }, "Seats: "), found.seats.map(visible).join(", ")),
    h("nav", { "aria-label": "On this page" }, h("ul", { class: "jumps" }, jumps)),
    sections));
  return { dispose: proven.dispose };
}

function jump(id) {
  document.getElementById(`part-${id}`).scrollIntoView({ block: "start" });
  document.getElementById(`head-${id}`).focus({ preventScroll: true });
}

function table(head, rows) {
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": head.join(", ") },
    h("table", { class: "plain-table" }, h("thead", null, h("tr", null, head.map((each) => h("th", { scope: "col" }, each)))),
      h("tbody", null, rows.map((row) => h("tr", null, row.map((each) => h("td", null, each)))))));
}

function ends(found) {
  const codes = Object.entries(found.exit_codes ?? {});
  const interrupts = Array.isArray(found.interrupts) ? found.interrupts : Object.entries(found.interrupts ?? {}).map(([reason, to]) => ({ reason, ...(typeof to === "object" ? to : { to }) }));
  return h("div", { class: "side-by-side" },
    h("div", null, h("h3", null, "Verdicts and exit codes"), table(["Verdict", "Exit code"], codes.map(([verdict, code]) => [words(verdict), String(code)]))),
    h("div", null, h("h3", null, "Interruptions"), interrupts.length
      ? table(["Reason", "Leads to", "When"], interrupts.map((each) => [words(each.reason), words(each.to), words(each.when ?? "")]))
      : h("p", { class: "dim" }, "None.")));
}
