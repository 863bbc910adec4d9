// One session: its heading, its tabs, and the slider that takes all of them back in time.

import { h, replace } from "quorate/dom";
import { load } from "quorate/source";
import { Fold } from "quorate/fold";
import { bind } from "quorate/keys";
import { href } from "quorate/router";
import { brief, seat } from "quorate/format";
import { forkFrom } from "quorate/parts/fork";
import { Heading } from "quorate/parts/heading";
import { Live } from "quorate/parts/live";
import { Slider } from "quorate/parts/slider";
import { announcement } from "quorate/parts/transcript";

export const title = "Session";

const TABS = [
  ["live", "Live", () => true],
  ["findings", "Findings", (board) => board.findings?.length],
  ["agenda", "Agenda", (board) => board.topics?.length],
  ["artifacts", "Artifacts", (board) => board.artifacts?.length],
  ["conversation", "Conversation", (board) => board.conversation?.length],
  ["report", "Report", () => true],
  ["evidence", "Evidence", () => true],
];
const SUMMARY_EVERY = 3000;
const ADDRESS_AFTER = 200;
const A_FRAME = 17;

/** Show the session that the route names. */
export async function render(root, ctx) {
  const screen = new Screen(root, ctx);
  try {
    await screen.begin();
  } catch (error) {
    screen.dispose();
    throw error;
  }
  return { reroute: (route) => screen.reroute(route), dispose: () => screen.dispose() };
}

class Screen {
  fold = new Fold();
  summary = null;
  board = {};
  #at = null;
  #tab = "";
  #made = null;
  #turn = 0;
  #pending = [];
  #frame = 0;
  #drawn = 0;
  #timers = new Map();
  #disposed = false;

  constructor(root, ctx) {
    this.ctx = ctx;
    this.id = ctx.id;
    const writes = ctx.source.live && ctx.about.write !== false;
    const travel = (seq) => this.travel(seq);
    const fork = writes ? (at) => forkFrom(
      { source: ctx.source, id: this.id, at, opening: this.fold.events[0].opening, go: ctx.go, problem: ctx.problem },
    ) : null;
    const online = () => ctx.source.live && !this.fold.at().conclusion;
    this.heading = new Heading(
      { ctx, writes, changed: () => this.refreshSummary(), fork: fork && (() => fork(this.state().seq)) },
    );
    this.slider = new Slider({ travel, where: () => this.#at ?? this.fold.last, fork, online });
    this.tabs = h("nav", { class: "tabs", "aria-label": "Session" });
    this.live = new Live({ fold: this.fold, ctx, travel });
    this.live.element.hidden = true;
    this.other = h("div", { class: "tab", hidden: true });
    replace(root, this.heading.element, this.tabs, this.live.element, this.other, this.slider.element);
    root.classList.add("session");
    this.unbind = bind({
      j: { says: "next card", run: () => this.live.transcript.step(1) },
      k: { says: "previous card", run: () => this.live.transcript.step(-1) },
      ArrowLeft: { says: "one event back in time", run: () => this.slider.step(-1) },
      ArrowRight: { says: "one event on in time", run: () => this.slider.step(1) },
      p: { says: "play or pause", run: () => this.slider.play() },
      l: { says: "back to the live end", run: () => travel(null) },
      Escape: { says: "close the panel of moves", run: () => this.live.choose(null) },
    });
  }

  async begin() {
    const { source } = this.ctx;
    this.summary = await source.summary(this.id); // An unknown session ends here, before anything is listened to.
    if (this.#disposed) return;
    this.reroute(this.ctx.route);
    this.ctx.setTitle(brief(this.summary.title || this.id, 60));
    this.close = source.events(this.id, {
      entry: (event) => this.#came(event),
      calling: (data) => this.live.transcript.tail.calling(data),
      saying: (data) => this.live.transcript.tail.saying(data),
      called: (data) => this.live.transcript.tail.called(data),
      problem: this.ctx.problem,
      state: (state) => this.ctx.connection(source.live ? (state === "ended" ? "ended" : state) : "file"),
    });
    source.protocol(this.summary.protocol).then(
      (protocol) => !this.#disposed && (this.live.protocol(protocol), this.heading.protocol(protocol), this.refresh()),
      this.ctx.problem,
    );
    this.#later("board", 0, () => this.#lookAtBoard());
    if (source.live) this.#later("summary", SUMMARY_EVERY, () => this.#poll());
    this.refresh();
  }

  /** Take a route to the same session without building it anew. */
  reroute(route) {
    const [, id, tab] = route.path;
    if (id !== this.id) return false;
    this.#at = /^\d+$/.test(route.query.at ?? "") ? Number(route.query.at) : null;
    this.#show(TABS.some(([name]) => name === tab) ? tab : this.#first());
    this.refresh();
    return true;
  }

  /** The tab of an address that names none: a concluded session is read, one that goes on is watched. */
  #first() {
    return this.summary?.verdict && this.#at === null ? "report" : "live";
  }

  /** The session as of where the slider stands. */
  state() {
    return this.fold.at(this.#at);
  }

  /** Go to an event, or to the live end (null). */
  travel(seq) {
    this.#at = seq === null || seq >= this.fold.last ? null : Math.max(0, seq);
    this.#soon();
    this.#later("address", ADDRESS_AFTER, () => this.#readdress());
  }

  /** The address and the tabs' links follow the slider when it rests: browsers allow only so many changes a second. */
  #readdress() {
    this.ctx.quietly(this.#address(this.#tab));
    for (const link of this.tabs.children) link.href = this.#address(link.dataset.tab);
  }

  #address(tab) {
    return href(["sessions", this.id, tab], { at: this.#at });
  }

  /** What comes alone is drawn at once, so that the next frame shows it; of a burst each frame draws what has come. */
  #came(event) {
    this.#pending.push(event);
    if (document.hidden || this.#frame || performance.now() - this.#drawn < A_FRAME) this.#soon();
    else this.refresh();
  }

  /** What came since the last frame is taken at once; a hidden page has no frames. */
  #soon() {
    if (this.#frame) return;
    const draw = () => {
      this.#frame = 0;
      if (!this.#disposed) this.refresh();
    };
    this.#frame = document.hidden ? setTimeout(draw, 100) : requestAnimationFrame(draw);
  }

  refresh() {
    this.#drawn = performance.now();
    const came = this.#pending;
    this.#pending = [];
    if (came[0]?.seq === 0) seat(Object.keys(came[0].opening.panel));
    for (const event of came) this.fold.take(event);
    if (came.length) this.#noticed(came);
    const state = this.state();
    const live = this.#at === null;
    this.slider.show(state, live);
    this.heading.show(state, this.summary, live, this.fold.at());
    this.#links();
    if (this.#tab === "live") this.live.show(state, this.summary, live);
    else this.#made?.update?.(state);
  }

  #noticed(came) {
    if (came.at(-1).seq < (this.summary?.last ?? 0)) return; // What was there before is still on its way.
    if (this.#at === null && came.length < 50 && came[0].seq > 0) this.ctx.say(announcement(came));
    this.#later("board", came.some((event) => event.conclusion) ? 100 : 1000, () => this.#lookAtBoard());
    if (this.ctx.source.live) this.#later("summary", 250, () => this.#poll());
  }

  #later(name, wait, run) {
    clearTimeout(this.#timers.get(name));
    if (!this.#disposed) this.#timers.set(name, setTimeout(run, wait));
  }

  async #poll() {
    await this.refreshSummary();
    if (!this.summary?.verdict || this.summary.running) this.#later("summary", SUMMARY_EVERY, () => this.#poll());
  }

  async refreshSummary() {
    if (document.hidden) return;
    try {
      this.summary = await this.ctx.source.summary(this.id);
      if (!this.#disposed) this.refresh();
    } catch (error) {
      if (error.status === 401) this.ctx.problem(error);
      if (error.status === 404 && !this.#disposed) this.ctx.failed(error); // It was removed while it was looked at.
    }
  }

  async #lookAtBoard() {
    try {
      const { board } = await this.ctx.source.board(this.id, null);
      this.board = board ?? {};
      if (!this.#disposed) this.#links();
    } catch {
      /* The tabs that need it say what is wrong with it. */
    }
  }

  #links() {
    const shown = TABS.filter(([name, , has]) => name === this.#tab || has(this.board));
    const key = `${shown.map(([name]) => name)} ${this.#tab}`;
    if (key === this.tabs.dataset.shown) return;
    this.tabs.dataset.shown = key;
    replace(
      this.tabs,
      shown.map(([name, label]) => h(
        "a",
        { href: this.#address(name), dataset: { tab: name }, "aria-current": name === this.#tab ? "page" : null },
        label,
      )),
    );
  }

  async #show(tab) {
    if (tab === this.#tab) return;
    this.#tab = tab;
    const turn = ++this.#turn;
    this.#made?.dispose?.();
    this.#made = null;
    this.live.element.hidden = tab !== "live";
    this.other.hidden = tab === "live";
    if (tab === "live") return;
    const place = h("div", { class: `tab-${tab}` });
    replace(this.other, place);
    try {
      const module = await load(`quorate/tabs/${tab}`);
      if (turn !== this.#turn) return;
      const made = await module.render(place, this.#context());
      if (turn !== this.#turn) return made?.dispose?.();
      this.#made = made ?? null;
      this.#made?.update?.(this.state());
    } catch (error) {
      this.ctx.problem(error);
    }
  }

  #context() {
    const screen = this;
    return {
      ...this.ctx,
      id: this.id,
      get at() {
        return screen.#at;
      },
      get summary() {
        return screen.summary;
      },
      state: () => this.state(),
      setAt: (seq) => this.travel(seq),
    };
  }

  dispose() {
    this.#disposed = true;
    this.close?.();
    this.unbind();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    cancelAnimationFrame(this.#frame);
    this.#made?.dispose?.();
    this.live.dispose();
    this.slider.dispose();
    this.ctx.connection("idle");
  }
}
