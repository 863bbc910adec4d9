// The first visit: what this is, a recorded session that plays by itself, and the way to one's own.

import { h, replace } from "quorate/dom";
import { href, parse } from "quorate/router";
import { player } from "quorate/parts/player";
import { visible } from "quorate/format";

export const title = "Welcome";

export async function render(root, ctx) {
  const start = h("button", { type: "button", class: "main", on: { click: () => play() } }, "▶ Play a recorded session");
  const intro = h("section", { class: "welcome" },
    h("h1", { class: "titled" }, "Welcome to Quorate"),
    h("p", { class: "welcome-lead" }, "Models, people and checks sit at one table and decide something under a protocol. ",
      "The protocol is code: it says who is asked, who sees what, how votes count and when it ends, and it is proven before it runs. ",
      "Everything that was said and decided is recorded, so that anyone can see how a verdict came about, go back to any moment, and decide again from there."),
    h("div", { class: "row" }, start, own(ctx), h("a", { class: "button", href: href(["protocols"]) }, "See the protocols")),
    h("p", { class: "dim small" }, "The recording needs no model and no key: it is a scripted session that was really held."));
  replace(root, h("div", { class: "page" }, intro));
  let shown = null, gone = false;

  async function play() {
    start.disabled = true;
    try {
      const answer = await fetch("/static/sample.json", { credentials: "same-origin" });
      if (!answer.ok) throw new Error("The recording could not be loaded; reload the page to try again.");
      const data = await answer.json();
      if (!gone) await show(data);
    } catch (error) {
      start.disabled = false;
      ctx.problem(error);
    }
  }
  async function show(data) {
    const controls = bar(ctx);
    const made = player(data, controls.show);
    controls.bind(made);
    const screen = await import("quorate/screens/session");
    const place = h("div", { class: "screen" });
    replace(root, h("div", { class: "recording" }, h("h1", { class: "unseen" }, "A recorded session"), controls.node, place));
    const id = data.summary.session ?? data.summary.id;
    const inside = (route) => route.path[0] === "sessions" && route.path[1] === id;
    const steered = (event) => {
      const link = event.target.closest?.("a[href^='#/sessions/']");
      if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const route = parse(link.getAttribute("href"));
      if (!inside(route)) return;
      event.preventDefault(); // the recording has no address of its own: its tabs are shown here
      shown?.reroute?.(route);
    };
    place.addEventListener("click", steered);
    shown = await screen.render(place, {
      ...ctx, id, source: made.source, about: { ...ctx.about, write: false }, query: {},
      route: { path: ["sessions", id, "live"], query: {} },
      quietly: () => {},
      go: (hash) => (inside(parse(hash)) ? shown?.reroute?.(parse(hash)) : ctx.go(hash)),
      connection: () => {},
      setTitle: () => ctx.setTitle?.("A recorded session"),
    });
    if (gone) shown?.dispose?.();
    ctx.say(`Playing a recorded session: ${visible(data.summary.title)}`);
  }
  return {
    dispose() {
      gone = true;
      shown?.dispose?.();
    },
  };
}

/** The way to a session of one's own, for whom it is open. */
const own = (ctx) => (ctx.about?.write === false ? null : h("a", { class: "button", href: href(["new"]) }, "Open your own"));

/** Play, pause, speed and how far it is. */
function bar(ctx) {
  const toggle = h("button", { type: "button", class: "main" }, "Pause");
  const end = h("button", { type: "button" }, "To the end");
  const faster = h("select", { "aria-label": "Speed" }, ["1", "2", "5"].map((each) => h("option", { value: each }, `${each}×`)));
  const far = h("progress", { "aria-label": "How far the recording is" });
  const node = h("section", { class: "player", "aria-label": "Recording" }, h("strong", null, "A recorded session"), toggle, faster, end, far,
    own(ctx));
  let made = null, playing = true;
  toggle.addEventListener("click", () => (playing ? made.stop() : made.play()));
  end.addEventListener("click", () => made.toEnd());
  faster.addEventListener("change", () => made.speed(Number(faster.value)));
  return {
    node,
    bind: (given) => { made = given; },
    show(now) {
      playing = now.playing;
      far.max = now.of || 1;
      far.value = now.at;
      replace(toggle, now.ended ? "Ended" : now.playing ? "Pause" : "Play");
      toggle.disabled = now.ended;
      end.disabled = now.ended;
    },
  };
}
