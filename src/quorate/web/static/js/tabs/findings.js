// Findings: what was claimed, who raised it and who agreed, how each seat voted, and what became of it.

import { h, replace } from "quorate/dom";
import { count, visible, words } from "quorate/format";
import { boardTab } from "quorate/parts/boards";
import { chip, facts, history, names, nothing, shortId, shown, side } from "quorate/parts/pieces";
import { matrix } from "quorate/parts/matrix";
import { plain } from "quorate/prose";

export const title = "Findings";

const RANKS = ["blocker", "critical", "high", "major", "medium", "moderate", "minor", "low", "nit", "info", "note"];
const COLUMNS = [
  ["severity", "Severity", (each) => rank(each.severity)],
  ["title", "Finding", (each) => each.title],
  ["status", "Status", (each) => each.status],
  ["location", "Location", (each) => each.location],
  ["raised_by", "Raised by", (each) => names(each.raised_by)],
  ["agreed_by", "Agreed by", (each) => -each.agreed_by.length],
];

/** Where a severity stands, the worst first; one that is not known comes last. */
export function rank(severity) {
  const place = RANKS.indexOf(String(severity).toLowerCase());
  return place < 0 ? RANKS.length : place;
}

/** Whether some seats speak for a finding and others against it, or the session itself calls it disputed. */
export function contested(finding) {
  if (/contest|disput|deadlock/i.test(finding.status)) return true;
  const sides = finding.votes.map(([, word]) => side(word));
  return sides.includes(1) && sides.includes(-1);
}

export function render(root, ctx) {
  const wish = { text: "", severity: "", status: "", contested: false, sort: "severity", down: false };
  const open = new Set();
  let findings = [], warnings = [];

  const redraw = (change) => (event) => { change(event.target); draw(); };
  const search = h("input", { type: "search", placeholder: "Search findings", "aria-label": "Search findings", on: { input: redraw((from) => { wish.text = from.value; }) } });
  const severity = h("select", { "aria-label": "Severity", on: { change: redraw((from) => { wish.severity = from.value; }) } });
  const status = h("select", { "aria-label": "Status", on: { change: redraw((from) => { wish.status = from.value; }) } });
  const only = h("input", { type: "checkbox", on: { change: redraw((from) => { wish.contested = from.checked; }) } });
  const told = h("span", { class: "dim number", role: "status" });
  const body = h("div", { class: "findings" });
  replace(root,
    h("h2", { class: "unseen" }, title),
    h("div", { class: "filters", role: "search" }, search, severity, status, h("label", { class: "filter-flag" }, only, "contested only"), told),
    body);

  const wanted = (each) => {
    const text = wish.text.trim().toLowerCase();
    return (!wish.severity || each.severity === wish.severity) && (!wish.status || each.status === wish.status)
      && (!wish.contested || contested(each))
      && (!text || [each.id, each.title, each.location, plain(each.text), names(each.raised_by)].join("\n").toLowerCase().includes(text));
  };
  function sorted(list) {
    const by = COLUMNS.find(([name]) => name === wish.sort)[2];
    const direction = wish.down ? -1 : 1;
    return list.map((each, index) => [by(each), index, each])
      .sort(([a, i], [b, j]) => (a < b ? -direction : a > b ? direction : i - j)).map(([, , each]) => each);
  }
  function draw() {
    const list = sorted(findings.filter(wanted));
    const focused = document.activeElement?.dataset?.focus;
    replace(told, `${count(list.length)} of ${count(findings.length)}`);
    replace(body,
      warnings.map((each) => h("p", { class: "board-warning" }, visible(each))),
      findings.length === 0 ? nothing("Nobody has raised a finding so far.")
        : list.length === 0 ? nothing("No finding fits these filters.")
          : [table(list), matrix(list)]);
    if (focused) [...body.querySelectorAll("[data-focus]")].find((each) => each.dataset.focus === focused)?.focus();
  }
  function table(list) {
    const head = COLUMNS.map(([name, label]) => {
      const now = wish.sort === name;
      return h("th", { scope: "col", "aria-sort": now ? (wish.down ? "descending" : "ascending") : "none" },
        h("button", { type: "button", class: "bare sorter", dataset: { focus: `sort ${name}` }, on: { click: () => {
          wish.down = now && !wish.down;
          wish.sort = name;
          draw();
        } } }, label, h("span", { "aria-hidden": "true" }, now ? (wish.down ? " ▾" : " ▴") : "")));
    });
    return h("table", { class: "board-table" }, h("caption", { class: "unseen" }, "Findings"),
      h("thead", null, h("tr", null, head)), list.map((each) => rows(each)));
  }
  function rows(each) {
    const detailId = `finding-${each.id}`;
    const detail = h("tr", { class: "detail", id: detailId, hidden: !open.has(each.id) });
    const fill = () => { if (!detail.firstChild) detail.append(h("td", { colspan: String(COLUMNS.length) }, details(each))); };
    if (open.has(each.id)) fill();
    const button = h("button", { type: "button", class: "bare opener", "aria-expanded": String(open.has(each.id)), "aria-controls": detailId, dataset: { focus: `open ${each.id}` } },
      h("span", { class: "opener-mark", "aria-hidden": "true" }), h("span", { class: "mono dim opener-id" }, shortId(each.id)), h("span", { dir: "auto" }, visible(each.title)));
    button.addEventListener("click", () => {
      const opening = !open.delete(each.id) && open.add(each.id);
      if (opening) fill();
      detail.hidden = !opening;
      button.setAttribute("aria-expanded", String(Boolean(opening)));
    });
    return h("tbody", { class: each.blocking ? "finding blocking" : "finding" },
      h("tr", null,
        cell("Severity", chip(each.severity, { strong: true }), each.blocking && !/^block/i.test(each.status) ? h("span", { class: "chip bad", title: "it stands in the way of success" }, "blocks") : null),
        cell("Finding", button, each.proven ? h("span", { class: "chip accent", title: "found by code: no vote can change it" }, "proven by code") : null),
        cell("Status", chip(each.status), contested(each) ? h("span", { class: "chip warn" }, "contested") : null),
        cell("Location", each.location ? h("span", { class: "mono" }, visible(each.location)) : null),
        cell("Raised by", names(each.raised_by)),
        cell("Agreed by", names(each.agreed_by))),
      detail);
  }
  return boardTab(root, ctx, (board) => {
    findings = board.findings ?? [];
    warnings = board.warnings ?? [];
    options(severity, "any severity", [...new Set(findings.map((each) => each.severity))].sort((a, b) => rank(a) - rank(b)), wish.severity);
    options(status, "any status", [...new Set(findings.map((each) => each.status))].sort(), wish.status);
    draw();
  });
}

const cell = (label, ...children) => h("td", { dataset: { label } }, children);

function options(select, any, values, chosen) {
  const all = chosen && !values.includes(chosen) ? [...values, chosen] : values;
  replace(select, h("option", { value: "" }, any), all.map((each) => h("option", { value: each }, words(each))));
  select.value = chosen;
}

function details(each) {
  return h("div", { class: "finding-detail" },
    each.text?.length ? shown(each.text) : h("p", { class: "dim" }, "No further text."),
    facts([["id", each.id], ...each.facts]), history(each.history));
}
