// A new session: which protocol, what it is about, who takes part, and under which settings.

import { h, replace } from "quorate/dom";
import { href } from "quorate/router";
import { sentence } from "quorate/source";
import { count, visible } from "quorate/format";
import { form } from "quorate/parts/form";
import { fetching } from "quorate/parts/pieces";
import { protocolCard } from "quorate/screens/protocols";

export const title = "New session";

const LIMIT = (says, most) => ({ anyOf: [{ type: "integer", minimum: 1, maximum: most }, { type: "null" }], default: null, description: says });
const BUDGET = {
  type: "object", properties: {
    tokens: LIMIT("the most tokens, prompts included", 1e12),
    cents: LIMIT("the most money, in US cents", 1e9),
    seconds: LIMIT("the most time at work; waiting for people does not count", 1e9),
  },
};

export async function render(root, ctx) {
  if (ctx.about?.write === false) {
    replace(root, h("div", { class: "page" }, h("h1", null, title), h("p", { class: "board-warning" }, "This login may read, but not open sessions.")));
    return;
  }
  if (!ctx.id) return choose(root, ctx);
  replace(root, fetching("the protocol"));
  const [found, proof] = await Promise.all([ctx.source.protocol(ctx.id), quiet(ctx.source.proof(ctx.id), null)]);
  ctx.setTitle?.(`New ${found.name}`);
  fill(root, ctx, found, proof);
}

/** Lists that only help to choose: without them the form still works. */
const quiet = (promise, without = []) => promise.catch((error) => {
  if (error.status === 401) throw error;
  return without;
});

async function choose(root, ctx) {
  const found = await ctx.source.protocols();
  replace(root, h("div", { class: "page" }, h("h1", null, "New session"), h("p", { class: "dim titled" }, "How shall it be decided?"),
    h("ul", { class: "protocol-cards" }, found.map((each) => protocolCard(each, ["new", each.name], true)))));
}

function fill(root, ctx, found, proof) {
  const inputs = form(found.inputs, {});
  let who = null; // looking for panels takes a moment, so the rest is there before
  const seats = h("div", null, fetching("panels and models"));
  const ready = Promise.all([quiet(ctx.source.panels()), quiet(ctx.source.models())]).then(([panels, models]) => {
    who = form(participants(panels, models), { raw: false });
    replace(seats, who.node);
  });
  ready.catch(ctx.problem);
  const settings = form(settable(found), { value: found.defaults, only: "changed", folded: true });
  const limits = form({ type: "object", properties: { budget: BUDGET, seed: seedField() } }, {
    value: { budget: ctx.about?.budget ?? {} }, only: "changed", raw: false,
  });
  const send = h("button", { type: "submit", class: "main" }, "Open the session");
  const notice = h("p", { class: "form-notice", role: "alert", hidden: true });
  const parts = () => ({ inputs, settings, budget: limits, seed: limits, panel: who, model: who });

  async function opened(event) {
    event.preventDefault();
    if (send.disabled) return;
    notice.hidden = true;
    await ready;
    const wrong = [inputs, who, settings, limits].filter((each) => !each.check());
    if (wrong.length) {
      wrong[0].check(); // the first of them takes the focus
      return;
    }
    send.disabled = true;
    try {
      const { session, says } = await ctx.source.open(body());
      for (const each of says ?? []) ctx.say(each);
      ctx.go(href(["sessions", session, "live"]));
    } catch (problem) {
      send.disabled = false;
      complain(problem);
    }
  }
  function body() {
    const chosen = who.data(), changed = settings.data(), limited = limits.data();
    const given = Object.fromEntries(Object.entries(inputs.data()).filter(([, value]) => value !== "" && value !== null && !(Array.isArray(value) && !value.length)));
    return {
      protocol: found.name, inputs: given,
      ...(Object.keys(changed).length ? { settings: changed } : {}),
      ...(limited.budget ? { budget: limited.budget } : {}),
      ...(limited.seed !== undefined && limited.seed !== null ? { seed: limited.seed } : {}),
      ...(chosen.panel ? { panel: chosen.panel } : {}),
      ...(chosen.model ? { model: chosen.model } : {}),
    };
  }
  function complain(problem) {
    const part = parts()[String(problem.key ?? "").split(/[.[]/)[0]];
    if (part?.show(problem)) return;
    part?.say("");
    notice.hidden = false;
    replace(notice, visible(sentence(problem)));
    notice.scrollIntoView({ block: "nearest" });
    if (problem.status === 401) ctx.problem(problem);
  }
  const asks = Object.values(proof?.report?.profiles ?? {}).map((each) => each.asks);
  replace(root, h("div", { class: "page narrow" },
    h("header", { class: "protocol-head" }, h("div", { class: "grow" }, h("h1", null, `New ${visible(found.name)}`), h("p", null, visible(found.title))),
      h("a", { class: "button", href: href(["protocols", found.name]) }, "How it works")),
    h("form", { class: "new-session", novalidate: true, on: { submit: opened } },
      part("What it is about", inputs.node),
      part("Who takes part", seats),
      h("details", { class: "panel" }, h("summary", null, h("h2", null, "Settings")), h("p", { class: "dim" }, "Only what you change is sent."), settings.node),
      h("details", { class: "panel" }, h("summary", null, h("h2", null, "Budget and seed")), limits.node),
      notice,
      h("div", { class: "form-foot" }, send,
        asks.length ? h("span", { class: "dim small" }, `Proven: at most ${count(Math.max(...asks))} questions are asked.`) : null))));
}

/** The settings that no input sets: one of its name, or the one that it says it sets. */
function settable({ inputs, settings }) {
  const set = new Set(Object.entries(inputs.properties ?? {}).map(([name, each]) => each["x-sets"] ?? name));
  return { ...settings, properties: Object.fromEntries(Object.entries(settings.properties ?? {}).filter(([each]) => !set.has(each))) };
}

const part = (name, node) => h("section", { class: "panel", "aria-label": name }, h("h2", null, name), node);

function participants(panels, models) {
  const paths = panels.map((each) => (typeof each === "string" ? each : each.path ?? each.name));
  const known = models.map((each) => (typeof each === "string" ? each : each.name ?? each.model)).filter(Boolean);
  const panel = paths.length
    ? { type: "string", enum: paths, description: "who sits on the seats; otherwise the panel of quorate.yaml" }
    : { type: "string", description: "the path of a panel file; otherwise the panel of quorate.yaml" };
  return { type: "object", properties: {
    panel,
    model: { type: "string", description: "a model for every seat that has none; otherwise the one of quorate.yaml", examples: known },
  } };
}

const seedField = () => ({ anyOf: [{ type: "integer", minimum: 0, maximum: 2147483647 }, { type: "null" }], default: null, description: "the same seed draws the same; otherwise it is drawn" });
