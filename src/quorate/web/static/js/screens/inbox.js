// The inbox: every open question to a person, over all sessions, one form after the other.

import { h, replace } from "quorate/dom";
import { href } from "quorate/router";
import { visible, words } from "quorate/format";
import { question } from "quorate/parts/question";
import { nothing } from "quorate/parts/pieces";

export const title = "Inbox";

const LOOK_EVERY = 3000;
const LOOK_SOON = 600;

export async function render(root, ctx) {
  const told = h("p", { class: "inbox-told", role: "status", tabindex: "-1", hidden: true });
  const list = h("div", { class: "inbox" });
  replace(root, h("div", { class: "page narrow" }, h("h1", { class: "titled" }, "Inbox"), told, list));
  const items = new Map(), groups = new Map(), over = new Set();
  let timer = 0, gone = false, first = true;
  let awaited = null; // the session whose next question is opened as soon as it is there

  const keyOf = (each) => `${each.session}\n${each.ask}`;
  async function look() {
    try {
      const open = await ctx.source.inbox();
      if (gone) return;
      const now = new Set(open.map(keyOf));
      for (const each of open) if (!items.has(keyOf(each)) && !over.has(keyOf(each))) add(each);
      for (const [key, item] of items) if (!now.has(key)) item.closed();
      if (first && open.length) await items.get(keyOf(open[0]))?.open();
      first = first && open.length === 0;
      await onward(open);
      empty();
    } catch (error) {
      if (!gone) ctx.problem(error);
    } finally {
      if (!gone) later(document.hidden ? LOOK_EVERY * 4 : LOOK_EVERY);
    }
  }
  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(look, wait);
  }
  /** The session that was answered last asks again: what was told of it is over. */
  async function onward(open) {
    const next = open.find((each) => each.session === awaited && items.has(keyOf(each)));
    if (!next) return;
    awaited = null;
    told.hidden = true;
    await items.get(keyOf(next)).open(!list.contains(document.activeElement));
  }
  function empty() {
    const here = list.querySelector(".empty");
    if (items.size === 0 && groups.size === 0 && !here) list.append(nothing("Nobody waits for an answer."));
    else if (groups.size > 0) here?.remove();
  }
  function group(each) {
    if (groups.has(each.session)) return groups.get(each.session);
    const node = h("section", { class: "inbox-session", "aria-label": visible(each.title) },
      h("header", { class: "row" },
        h("h2", { class: "grow", dir: "auto" }, h("a", { href: href(["sessions", each.session, "live"]) }, visible(each.title || each.session))),
        h("span", { class: "chip" }, visible(each.protocol))));
    groups.set(each.session, node);
    list.append(node);
    return node;
  }
  function add(each) {
    const key = keyOf(each);
    const body = h("div", { class: "inbox-body" });
    const node = h("details", { class: "inbox-item" },
      h("summary", null, h("span", { class: "inbox-what" }, words(visible(each.brief))), h("span", { class: "dim small" }, `for ${visible(each.seat)}${each.round ? `, round ${each.round}` : ""}`)), body);
    let shown = null, busy = false;
    const item = {
      node,
      async open(focus = false) {
        node.open = true;
        if (!shown && !busy) {
          busy = true;
          replace(body, h("p", { class: "dim" }, "Fetching the question…"));
          try {
            const asked = (await ctx.source.questions(each.session)).find((one) => one.ask === each.ask);
            if (gone) return;
            if (!asked) return late();
            shown = question(asked, { source: ctx.source, session: each.session, say: ctx.say, done });
            replace(body, shown.node);
          } catch (error) {
            replace(body);
            ctx.problem(error);
          } finally {
            busy = false;
          }
        }
        if (focus) {
          node.scrollIntoView({ block: "start" });
          shown?.focus();
        }
      },
      /** It is not open any more: gone at once if nobody looks at it, told where somebody is at it. */
      closed() {
        if (item.done) return;
        if (node.open && shown?.changed()) {
          if (!node.querySelector(".inbox-late")) body.prepend(h("p", { class: "board-warning inbox-late", role: "alert" }, "Somebody answered this question in the meantime; what you wrote is kept here, but will not count."));
        } else drop();
      },
    };
    function late() {
      tell("Somebody answered first.");
      drop();
    }
    function drop() {
      items.delete(key);
      node.remove();
      const home = groups.get(each.session);
      if (home && !home.querySelector(".inbox-item")) {
        home.remove();
        groups.delete(each.session);
      }
      empty();
    }
    function done(how) {
      item.done = true;
      over.add(key); // a list that was on its way may still have it
      const next = [...items.values()].find((one) => one !== item && !one.done);
      const what = { answered: "Answered", declined: "Declined", late: "Somebody answered first" }[how];
      tell(`${what}: ${words(each.brief)}. ${next ? "Here is the next one." : "The session goes on."} `, each.session);
      awaited = next ? null : each.session;
      drop();
      if (next) return next.open(true);
      told.focus();
      later(LOOK_SOON);
    }
    node.addEventListener("toggle", () => { if (node.open) item.open(); });
    items.set(key, item);
    group(each).append(node);
  }
  function tell(text, session) {
    told.hidden = false;
    replace(told, text, session ? h("a", { href: href(["sessions", session, "live"]) }, "Watch that session") : null);
  }
  await look();
  return {
    dispose() {
      gone = true;
      clearTimeout(timer);
    },
  };
}
