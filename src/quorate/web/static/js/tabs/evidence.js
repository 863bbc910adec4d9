// Evidence: whether the record is intact, how the verdict came about step by step, and what the session was held with.

import { h, replace } from "quorate/dom";
import { href } from "quorate/router";
import { count, visible, weighed, words } from "quorate/format";
import { copying, facts, nothing } from "quorate/parts/pieces";
import { size } from "quorate/tabs/report";

export const title = "Evidence";

export function render(root, ctx) {
  const seal = h("section", { class: "panel seal", "aria-label": "Seal" }, h("p", { class: "dim" }, "Checking the record…"));
  const files = h("section", { class: "panel", "aria-label": "Downloads" }, h("h3", null, "Downloads"));
  const derivation = h("section", { class: "panel", "aria-label": "Derivation" });
  const provenance = h("section", { class: "panel", "aria-label": "Provenance" });
  replace(root, h("h2", { class: "unseen" }, title), h("div", { class: "evidence" }, h("div", null, seal, files, provenance), derivation));
  let sealed = -1, timer = 0, gone = false, moved = null, listed = "";

  async function check(state) {
    sealed = state?.last ?? 0;
    try {
      const [found, reports] = await Promise.all([ctx.source.seal(ctx.id), ctx.source.reports(ctx.id)]);
      if (gone) return;
      replace(seal, sealShown(found, ctx));
      const told = JSON.stringify(reports);
      if (told !== listed) replace(files, downloads(reports, ctx)); // What is the same stays under the pointer.
      listed = told;
    } catch (error) {
      if (!gone) ctx.problem(error);
    }
  }
  function draw(state) {
    if (!state) return;
    const told = `${state.seq} ${state.moved ?? state.moves.length}`;
    if (told === moved) return;
    moved = told;
    replace(derivation, derived(state, ctx));
    replace(provenance, held(state, ctx));
  }
  draw(ctx.state?.());
  check(ctx.state?.());
  return {
    update(state) {
      draw(state);
      if (state.last === sealed) return;
      clearTimeout(timer);
      timer = setTimeout(() => check(state), 1000);
    },
    dispose() {
      gone = true;
      clearTimeout(timer);
    },
  };
}

function sealShown(found, ctx) {
  if (!found) return [h("h3", null, "Seal"), nothing("This file says nothing about its seal.")];
  const command = `quorate check ${bundleName(ctx)}`;
  const checked = [
    "every entry carries the hash of the one before it, so that none can be changed, left out or put in between",
    "the entries are folded again under the protocol’s rules, and lead to the same phase and verdict",
    "the material is what the opening says, by digest",
  ];
  return [
    h("div", { class: "row" }, h("h3", { class: "grow" }, "Seal"),
      h("span", { class: `chip strong ${found.ok ? "good" : "bad"}` }, h("span", { "aria-hidden": "true" }, found.ok ? "✓" : "✗"), found.ok ? "intact" : "broken")),
    h("p", null, found.ok
      ? `All ${count(found.entries)} entries hold together${ctx.source.live ? "" : ", as they were checked when this file was written"}.`
      : `Of ${count(found.entries)} entries not all hold; what does not is below.`),
    found.problems?.length
      ? h("ul", { class: "seal-problems" }, found.problems.map((each) =>
        h("li", null, h("strong", null, visible(each.place)), ": ", visible(each.what), each.expected ? h("span", { class: "dim" }, ` (expected ${visible(each.expected)})`) : null)))
      : null,
    facts([["Entries", count(found.entries)], ["Head", h("code", { class: "hash" }, visible(found.head))]]),
    h("details", null, h("summary", null, "What was checked"), h("ul", null, checked.map((each) => h("li", null, each)))),
    h("p", { class: "small" }, "Check it yourself, without this server:"),
    h("div", { class: "command" }, h("code", null, command), copying(command, ctx)),
  ];
}

/** What the bundle is called when it is saved: a server names it after the session. */
const bundleName = (ctx) => (ctx.source.live ? `${ctx.id}.bundle.json` : "bundle.json");

function downloads(reports, ctx) {
  const bundle = ctx.source.bundleUrl?.(ctx.id);
  const files = [
    ...(bundle && bundle !== "#" ? [{ name: bundleName(ctx), url: bundle, says: "the whole record, sealed" }] : []),
    ...reports.filter((each) => each.name !== "bundle.json" || !bundle || bundle === "#").map((each) => ({ name: each.name, url: ctx.source.reportUrl(ctx.id, each.name), says: size(each.bytes) })),
  ];
  return [h("h3", null, "Downloads"), files.length
    ? h("ul", { class: "files" }, files.map((each) => h("li", null, h("a", { href: each.url, download: each.name }, visible(each.name)), h("span", { class: "dim small" }, each.says))))
    : h("p", { class: "dim" }, "None.")];
}

const MOST_STEPS = 200;
const several = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

function derived(state, ctx) {
  const moves = state.moves;
  const from = Math.max(0, moves.length - MOST_STEPS);
  return [
    h("h3", null, "How it came about"),
    conclusion(state),
    moves.length === 0 ? nothing("No phase has been decided so far.") : null,
    from > 0 ? h("p", { class: "dim" }, `The last ${MOST_STEPS} of ${count(moves.length)} steps; the explanation and the bundle have all of them.`) : null,
    h("ol", { class: "steps" }, moves.slice(from).map((move) => step(move, ctx))),
  ];
}

function conclusion({ conclusion: end, ruling, phase, round }) {
  if (!end) return h("p", null, `It stands in the phase ${words(phase)}, round ${round}, without a verdict.`);
  return h("p", { class: "verdict-line" }, "Verdict: ", h("strong", null, words(visible(end.verdict))),
    end.interrupted ? ` after an interruption (${words(end.interrupted)})` : "",
    end.degradation && end.degradation !== "none" ? h("span", { class: "chip warn" }, words(end.degradation)) : null,
    ruling ? h("span", null, ` Ruled by ${visible(ruling.by)}: `, h("strong", null, words(visible(ruling.verdict))), ` (${visible(ruling.reason)})`) : null);
}

function step(move, ctx) {
  const number = move.number ?? "";
  return h("li", { class: "step" },
    h("p", { class: "step-line" }, h("span", { class: "dim number step-number" }, `${number}.`), h("strong", null, words(visible(move.phase))), " → ", h("span", { class: "chip" }, words(visible(move.outcome))), " → ", h("strong", null, words(visible(move.to))),
      h("a", { class: "small dim", href: href(["sessions", ctx.id, "live"], { at: move.seq }), "aria-label": `Step ${number}: see it in the live session` }, `round ${move.round}, #${move.seq}`)),
    move.because?.length ? h("ul", { class: "because" }, move.because.map(tested)) : null,
    move.detail ? h("p", { class: "small" }, visible(move.detail)) : null,
    move.facts?.length ? h("details", null, h("summary", { class: "small" }, several(move.facts.length, "fact")),
      h("ul", { class: "small" }, move.facts.map((each) => h("li", null, words(visible(each.name)), ": ", values(each.values))))) : null,
    move.not_taken?.length ? h("details", null, h("summary", { class: "small" }, `${several(move.not_taken.length, "way")} not taken`),
      h("ul", { class: "small" }, move.not_taken.map((each) => h("li", null, words(visible(each.outcome)), " → ", words(visible(each.to)), ": ", visible(each.why))))) : null);
}

function tested(test) {
  const { word, sign, look } = weighed(test);
  return h("li", { class: look },
    h("span", { class: "criterion-sign", "aria-hidden": "true" }, sign),
    h("span", null, test.rule ? h("span", { class: "mono dim" }, `${visible(test.rule)} `) : null, visible(test.claim),
      h("span", { class: look === "skipped" ? "small" : "unseen" }, ` (${word})`)));
}

const values = (given) => Object.entries(given ?? {}).map(([name, value]) =>
  `${visible(name)} ${visible(typeof value === "object" ? JSON.stringify(value) : value)}`).join(", ");

function held({ opening }, ctx) {
  if (!opening) return [h("h3", null, "Held with"), nothing("Not opened yet.")];
  const list = (pairs) => h("ul", { class: "plain-list" }, Object.entries(pairs ?? {}).map(([name, value]) =>
    h("li", null, visible(name), ": ", h("span", { class: "mono hash" }, visible(value)))));
  const fork = opening.fork;
  return [
    h("h3", null, "Held with"),
    facts([
      ["Protocol", `${visible(opening.protocol)} ${visible(opening.version)}`],
      ["Digest of the rules", h("code", { class: "hash" }, visible(opening.digest))],
      ["Seed", String(opening.seed)],
      ["Forked from", fork ? h("a", { href: href(["sessions", fork.of, "live"], { at: fork.at }) }, `${visible(fork.of)} at #${fork.at}`) : null],
    ]),
    h("h4", null, "Panel"), list(opening.panel),
    h("h4", null, "Material, by digest"), list(opening.material),
    h("details", null, h("summary", null, "Settings"), h("pre", { class: "settings-json", tabindex: "0" }, JSON.stringify(opening.settings, null, 2))),
  ];
}
