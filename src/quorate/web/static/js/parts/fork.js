// "Fork from here": the same past, and from the chosen event on other settings, another panel or another model.

import { h, replace } from "quorate/dom";
import { count } from "quorate/format";
import { ask } from "quorate/parts/dialog";

const SAYS =
  "A new session with the same past: what was said up to here is taken over without asking anybody again. " +
  "What comes after is asked anew, which may cost money.";

/** Open the dialog for a fork at an event, and go to the new session when it is made. */
export async function forkFrom({ source, id, at, opening, go, problem }) {
  const settings = h("div", null, h("p", { class: "dim" }, "Reading the settings …"));
  const panel = h("select", { id: "fork-panel" }, h("option", { value: "" }, "the same panel"));
  const model = h("input", { id: "fork-model", list: "fork-models", placeholder: "the same models", autocomplete: "off" });
  const known = h("datalist", { id: "fork-models" });
  const filled = { read: () => null };
  fill({ source, opening, settings, panel, known, filled });
  const chosen = (name, value) => (value ? { [name]: value } : {});
  const made = await ask({
    title: `Fork from event ${count(at)}`,
    text: SAYS,
    does: "Fork",
    body: h(
      "div",
      { class: "fork" },
      h("label", { for: "fork-panel" }, "Panel"),
      panel,
      h("label", { for: "fork-model" }, "Model"),
      model,
      known,
      h("details", null, h("summary", null, "Change the settings"), settings),
    ),
    act: () => {
      const changed = filled.read();
      return source.fork(
        id,
        {
          at,
          ...(changed && Object.keys(changed).length ? { settings: changed } : {}),
          ...chosen("panel", panel.value),
          ...chosen("model", model.value.trim()),
        },
      );
    },
  }).catch(problem);
  if (made?.session) go(`#/sessions/${encodeURIComponent(made.session)}/live`);
}

async function fill({ source, opening, settings, panel, known, filled }) {
  const name = (each) => (typeof each === "string" ? each : (each.path ?? each.name ?? each.model ?? each.id));
  const names = (list) => (Array.isArray(list) ? list : []).map(name).filter(Boolean);
  const options = (select, list) => select.append(...names(list).map((each) => h("option", { value: each }, each)));
  source.panels().then((list) => options(panel, list), () => {});
  source.models().then((list) => options(known, list), () => {});
  try {
    const [{ form }, protocol] = await Promise.all([import("quorate/parts/form"), source.protocol(opening.protocol)]);
    const made = form(protocol.settings, { value: opening.settings, only: "changed", folded: true });
    replace(settings, made.node);
    filled.read = () => {
      if (!made.check()) throw new Error("Some settings are not right yet.");
      return made.data();
    };
  } catch {
    const text = h(
      "textarea",
      { rows: "10", class: "mono", spellcheck: "false", "aria-label": "Settings that change, as JSON" },
      "{}",
    );
    replace(settings, h("p", { class: "dim small" }, "Only what changes, as JSON."), text);
    filled.read = () => JSON.parse(text.value || "{}");
  }
}
