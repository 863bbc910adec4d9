// Drawing that keeps pace: what comes alone is drawn at once, of what comes fast only some, and always the last of it.

const EVERY = 150;

export class Pace {
  #timer = 0;
  #ran = -Infinity;

  /** Draw now, or as soon as it is time to; another drawing meanwhile takes the place of this one. */
  run(draw) {
    this.stop();
    const wait = this.#ran + EVERY - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.now(draw), wait);
    else this.now(draw);
  }

  /** Draw now, however little time has gone by. */
  now(draw) {
    this.stop();
    this.#ran = performance.now();
    draw();
  }

  /** Forget what is to be drawn. */
  stop() {
    clearTimeout(this.#timer);
  }
}
