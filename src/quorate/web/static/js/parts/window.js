// A long list of which only what is near the viewport is in the page. Heights are measured as lines appear and guessed
// before; what is in view stays where it is when a guess above it is corrected.

import { h } from "quorate/dom";

const AHEAD = 400;
const AHEAD_AT_END = 120;
const FAR = 1e9;
const NEAR_END = 48;

function larger(numbers) {
  const grown = new Float64Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}

/** Sums of heights in a binary indexed tree: changing one and finding a place both take log n. */
class Heights {
  #sums = new Float64Array(1024);
  #own = new Float64Array(1024);
  length = 0;

  push(height) {
    const at = ++this.length;
    if (at === this.#sums.length) [this.#sums, this.#own] = [larger(this.#sums), larger(this.#own)];
    this.#own[at] = height;
    this.#sums[at] = this.before(at - 1) - this.before(at - (at & -at)) + height;
  }
  of(index) {
    return this.#own[index + 1];
  }
  set(index, height) {
    const change = height - this.#own[index + 1];
    this.#own[index + 1] = height;
    for (let at = index + 1; at <= this.length; at += at & -at) this.#sums[at] += change;
  }
  /** The sum of the first `count` heights. */
  before(count) {
    let sum = 0;
    for (let at = count; at > 0; at -= at & -at) sum += this.#sums[at];
    return sum;
  }
  /** The index of the line that covers a distance from the top. */
  at(distance) {
    let index = 0;
    let rest = distance;
    for (let step = 1 << (31 - Math.clz32(this.length || 1)); step; step >>= 1) {
      if (index + step <= this.length && this.#sums[index + step] <= rest) {
        index += step;
        rest -= this.#sums[index];
      }
    }
    return index;
  }
}

/** A windowed list inside `scroller`. `make(index)` builds one line, `guess(index)` says about how high it will be. */
export class Windowed {
  #heights = new Heights();
  #shown = new Map();
  #count = 0;
  #asked = 0;
  #pinned = null;
  #top = 0;
  #view = 0;
  #unmeasured = false; // Lines are new: the end, if it is followed, is gone to when their heights are known.
  /** Whether the end is kept in view as the list grows. */
  following = true;

  constructor(scroller, { make, guess, moved }) {
    this.scroller = scroller;
    this.make = make;
    this.guess = guess;
    this.moved = moved;
    this.inner = h("div", { class: "window-lines" });
    this.element = h(
      "div",
      { class: "window", role: "feed", "aria-busy": "false", "aria-label": "Transcript" },
      this.inner,
    );
    this.#watch = new ResizeObserver((changes) => this.#measured(changes));
    this.#watch.observe(scroller);
    scroller.addEventListener("scroll", this.#scrolled, { passive: true });
  }
  #watch;

  get count() {
    return this.#count;
  }

  /** Show the first `count` lines; `follow` goes to the end of them. Heights are kept, as the list may grow again. */
  set(count, follow = false) {
    if (follow) this.following = true;
    while (this.#heights.length < count) this.#heights.push(this.guess(this.#heights.length));
    for (const [index, element] of this.#shown) if (index >= count) this.#remove(index, element);
    this.#count = count;
    this.draw();
  }

  /** Build line `index` anew, where it is in the page. */
  again(index) {
    const old = this.#shown.get(index);
    if (!old) return;
    const fresh = this.#made(index);
    this.#watch.unobserve(old);
    old.replaceWith(fresh);
    this.#shown.set(index, fresh);
    this.#watch.observe(fresh);
  }

  /** Bring line `index` into view and return its element. */
  reveal(index) {
    this.following = index >= this.#count - 1;
    this.#pinned = { index, until: performance.now() + 250 };
    this.#scrollTo(this.#heights.before(index) - 8);
    this.draw();
    return this.#shown.get(index) ?? null;
  }

  /** Go to the end and stay there. */
  end() {
    this.following = true;
    this.#pinned = null;
    this.draw();
  }

  /** The index of the line at the top of what is seen. */
  top() {
    return Math.min(this.#heights.at(this.#top + 8), Math.max(0, this.#count - 1));
  }

  /** The element of line `index`, where it is in the page. */
  line(index) {
    return this.#shown.get(index) ?? null;
  }

  dispose() {
    this.#watch.disconnect();
    cancelAnimationFrame(this.#asked);
    this.scroller.removeEventListener("scroll", this.#scrolled);
  }

  #scrolled = () => {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    this.#top = scrollTop;
    if (!this.#unmeasured) this.following = scrollTop + clientHeight >= scrollHeight - NEAR_END;
    this.#soon();
    this.moved?.();
  };

  #soon() {
    this.#asked ||= requestAnimationFrame(() => {
      this.#asked = 0;
      this.draw();
    });
  }

  #made(index) {
    const element = this.make(index);
    element.dataset.index = index;
    element.firstElementChild.setAttribute("aria-posinset", index + 1);
    element.firstElementChild.setAttribute("aria-setsize", this.#count);
    return element;
  }

  #remove(index, element) {
    this.#watch.unobserve(element);
    if (element.contains(document.activeElement)) this.scroller.focus({ preventScroll: true });
    element.remove();
    this.#shown.delete(index);
  }

  #scrollTo(top) {
    this.scroller.scrollTop = this.#top = Math.max(0, top);
  }

  /**
   * Put in what is near the viewport and take out the rest. Nothing is asked of the layout here: where the list stands
   * and how high its frame is are known from the last time they changed. Lines that are new are measured before the
   * frame is painted, and the end is gone to then, so a frame is laid out as seldom as can be.
   */
  draw() {
    this.element.style.height = `${this.#heights.before(this.#count)}px`;
    const [from, to] = this.#near(this.following ? AHEAD_AT_END : AHEAD);
    for (const [index, element] of this.#shown) if (index < from || index >= to) this.#remove(index, element);
    let next = this.inner.firstElementChild;
    for (let index = from; index < to; index += 1) {
      while (next && Number(next.dataset.index) < index) next = next.nextElementSibling;
      if (this.#shown.has(index)) continue;
      const element = this.#made(index);
      this.inner.insertBefore(element, next);
      this.#unmeasured = true;
      this.#shown.set(index, element);
      this.#watch.observe(element);
    }
    this.inner.style.transform = `translateY(${Math.round(this.#heights.before(from))}px)`;
    if (this.following && !this.#unmeasured) this.#scrollTo(FAR);
  }

  /** The lines that are near what is seen: from the first to before the last. */
  #near(ahead) {
    const view = this.#view || 800;
    const top = this.following ? Math.max(0, this.#heights.before(this.#count) - view) : this.#top;
    const from = this.#heights.at(Math.max(0, top - ahead));
    return [Math.min(from, this.#count), Math.min(this.#heights.at(top + view + ahead) + 1, this.#count)];
  }

  #measured(changes) {
    this.#unmeasured = false;
    const top = this.#top;
    const pinned = this.#pinned && performance.now() < this.#pinned.until;
    const anchor = pinned ? this.#pinned.index : this.#heights.at(top);
    const inside = pinned ? -8 : top - this.#heights.before(anchor);
    let changed = this.following;
    for (const { target, borderBoxSize } of changes) {
      if (target === this.scroller) {
        this.#view = borderBoxSize[0].blockSize;
        changed = true;
        continue;
      }
      const index = Number(target.dataset.index);
      if (this.#shown.get(index) !== target || index >= this.#heights.length) continue;
      const height = borderBoxSize[0].blockSize;
      if (Math.abs(height - this.#heights.of(index)) < 0.5) continue;
      this.#heights.set(index, height);
      changed = true;
    }
    if (!changed) return;
    this.element.style.height = `${this.#heights.before(this.#count)}px`;
    this.#scrollTo(this.following ? FAR : this.#heights.before(anchor) + inside);
    const [from, to] = this.#near(0);
    const covered = from >= to || (this.#shown.has(from) && this.#shown.has(to - 1));
    if (!covered) this.#soon(); // Not now: the sizes of lines added here would be told only in the next frame.
  }
}
