// The report: what the session came to, as people read it, and every file it leaves.

import { h, replace } from "quorate/dom";
import { count, visible } from "quorate/format";
import { fetching, nothing, shown } from "quorate/parts/pieces";

export const title = "Report";

const MARKDOWN = /markdown/;

export function render(root, ctx) {
  const text = h("article", { class: "panel report" }, fetching("the report"));
  const whole = h("p", { class: "board-warning", role: "status", hidden: true });
  const files = h("aside", { class: "report-files", "aria-label": "Files" });
  replace(root, h("h2", { class: "unseen" }, title), whole, h("div", { class: "report-room" }, text, files));
  let name = null, seen = -1, listed = "", gone = false, timer = 0, busy = false;

  async function fetch_(state) {
    if (busy || gone) return;
    busy = true;
    seen = state?.last ?? 0;
    try {
      const found = await ctx.source.reports(ctx.id);
      if (gone) return;
      const readable = found.filter((each) => MARKDOWN.test(each.media_type));
      name = readable.some((each) => each.name === name) ? name : readable[0]?.name ?? null;
      const told = JSON.stringify(found);
      if (told !== listed) list(found); // What is the same stays under the pointer.
      listed = told;
      if (name === null) replace(text, nothing("There is no report to read so far."));
      else await show(found);
    } catch (error) {
      if (!gone) ctx.problem(error);
    } finally {
      busy = false;
    }
  }
  async function show(found) {
    const wanted = name;
    const tree = await read(ctx, found.find((each) => each.name === wanted));
    if (!gone && wanted === name) replace(text, shown(tree));
  }
  function list(found) {
    replace(files, h("h3", null, "Files"), found.length === 0 ? h("p", { class: "dim" }, "None so far.") : h("ul", { class: "files" }, found.map((each) => {
      const readable = MARKDOWN.test(each.media_type);
      const open = readable
        ? h("button", { type: "button", class: "link", "aria-pressed": String(each.name === name), on: { click: async () => {
          name = each.name;
          list(found);
          await show(found).catch(ctx.problem);
        } } }, visible(each.name))
        : h("span", { class: "mono" }, visible(each.name));
      return h("li", null, open, h("span", { class: "dim small number" }, size(each.bytes)),
        h("a", { class: "small", href: ctx.source.reportUrl(ctx.id, each.name), download: each.name }, "Download", h("span", { class: "unseen" }, ` ${each.name}`)));
    })));
  }
  function note(state) {
    whole.hidden = !state || state.seq >= state.last;
    replace(whole, whole.hidden ? null : `This report is of the whole session, not of event ${state.seq}.`);
  }
  note(ctx.state?.());
  fetch_(ctx.state?.());
  return {
    update(state) {
      note(state);
      if (!state || state.last === seen) return;
      clearTimeout(timer);
      timer = setTimeout(() => fetch_(state), 800);
    },
    dispose() {
      gone = true;
      clearTimeout(timer);
    },
  };
}

/** A report as a prose tree: a single file carries it, the server makes it. */
async function read(ctx, { name, tree }) {
  if (tree) return tree;
  if (ctx.source.report) return (await ctx.source.report(ctx.id, name)).tree;
  const answer = await fetch(`${ctx.source.reportUrl(ctx.id, name)}?prose=tree`, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`The report could not be read (${answer.status}).`);
  return (await answer.json()).tree;
}

/** Bytes as people read them. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "";
  if (bytes < 1000) return `${count(bytes)} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
