// What is proven about a protocol: nine results and the worst case, or a button to prove it now.

import { h, replace } from "quorate/dom";
import { count, duration, microdollars, visible } from "quorate/format";

const LOOK_EVERY = 1500;
const MARKS = { proven: ["✓", "good"], bounded: ["≤", "warn"], failed: ["✗", "bad"] };

/** Show the proof of a protocol and follow it while it runs. Returns {node, dispose()}. */
export function proof(name, ctx) {
  const node = h("div", { class: "proof" });
  let timer = 0, gone = false, began = 0;

  function show(found) {
    const { status, report, detail } = found;
    if (status === "done" && report) replace(node, results(report));
    else if (status === "running") running();
    else replace(node,
      status === "failed" ? h("p", { class: "board-warning" }, `The proof could not be made: ${visible(detail || "no reason is known")}`) : h("p", null, "It has not been proven on this machine yet. Every reachable state is walked; it can take minutes."),
      ctx.source.live ? h("button", { type: "button", class: "main", on: { click: prove } }, status === "failed" ? "Try again" : "Prove it now") : null);
    if (status === "running" && !gone) timer = setTimeout(look, LOOK_EVERY);
  }
  function running() {
    began = began || Date.now();
    const told = `Proving it, for ${duration(Date.now() - began)} so far. It goes on if you leave this page.`;
    const here = node.querySelector(".proof-running");
    if (here) here.textContent = told;
    else replace(node, h("p", { class: "row" }, h("progress", { "aria-label": "Proving" }), h("span", { class: "proof-running" }, told)));
  }
  async function look() {
    try {
      const found = await ctx.source.proof(name);
      if (!gone) show(found);
      if (began && found.status === "done") ctx.say(`The proof of ${name} is done`);
    } catch (error) {
      if (!gone) ctx.problem(error);
    }
  }
  async function prove(event) {
    event.target.disabled = true;
    try {
      const found = await ctx.source.prove(name);
      show(found?.status ? found : { status: "running" });
    } catch (error) {
      event.target.disabled = false;
      ctx.problem(error);
    }
  }
  replace(node, h("p", { class: "dim" }, "Looking for a proof…"));
  look();
  return {
    node,
    dispose() {
      gone = true;
      clearTimeout(timer);
    },
  };
}

function results(report) {
  const profiles = Object.entries(report.profiles ?? {});
  return [
    h("p", null, h("span", { class: `chip strong ${report.ok ? "good" : "bad"}` }, h("span", { "aria-hidden": "true" }, report.ok ? "✓" : "✗"), report.ok ? "all results hold" : "not proven"),
      " ", h("span", { class: "dim" }, "Proven: for everything that can happen. Bounded: for all that was walked; the text says what was not.")),
    h("ol", { class: "results" }, report.results.map((each) => {
      const [sign, kind] = MARKS[each.status] ?? ["·", ""];
      return h("li", null, h("span", { class: `chip ${kind}` }, h("span", { "aria-hidden": "true" }, sign), each.status), h("div", { class: "grow" },
        h("strong", null, visible(each.title)), h("p", { class: "dim small" }, visible(each.detail)),
        each.counterexample ? h("pre", { tabindex: "0" }, visible(each.counterexample)) : null));
    })),
    profiles.length ? h("h3", null, "The worst case") : null,
    profiles.length ? h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "The worst case" }, worst(profiles)) : null,
  ];
}

function worst(profiles) {
  const priced = profiles.some(([, each]) => each.tokens !== undefined && each.tokens !== null);
  const head = ["Profile", "Rounds", "Asks", ...(priced ? ["Tokens", "Cost"] : []), "States walked", "Combinations of replies"];
  return h("table", { class: "plain-table number" },
    h("thead", null, h("tr", null, head.map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", null, profiles.map(([name, each]) => h("tr", null, h("th", { scope: "row" }, visible(name)),
      h("td", null, count(each.rounds)), h("td", null, count(each.asks)),
      priced ? [h("td", null, count(each.tokens)), h("td", null, microdollars(each.cost))] : null,
      h("td", null, count(each.states)), h("td", null, count(each.combinations))))));
}
