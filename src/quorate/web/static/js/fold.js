// A session's events folded for the page, at the live end and as of any earlier event.
//
// No rules are known here, only what the events say. Everything a fold keeps is appended and never changed, so the
// state as of event N is nothing but how far each list reaches: going to any point in time costs the same few lookups
// however long the session is, and taking the next event never touches what is already there.

const NONE = [];

/** Return how many of a sorted list's numbers are at most `most`. */
function upTo(sorted, most, of = (each) => each) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(sorted[middle]) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

const seqOf = (each) => each.seq;
const rowKey = (phase, outcome, to) => `${phase}\n${outcome}\n${to}`;

/** Return how sure a reply says it is, or null: its own field of that name. */
function confidenceOf(event) {
  if (event.said) {
    const found = event.said.find(([name, shape]) => name === "confidence" && shape === "number");
    return found ? found[2] : null;
  }
  return typeof event.reply?.confidence === "number" ? event.reply.confidence : null;
}

/** The fold: takes events one by one, and tells the state as of any of them. */
export class Fold {
  events = [];
  lines = [];
  moves = [];
  asks = new Map();
  answered = new Map();
  #reach = [];
  #conclusions = [];
  #rulings = [];
  #confidence = [];
  #interruptions = [];
  #rows = new Map();
  #phases = new Map();
  #place = "";
  #replies = 0;

  /** The last sequence taken; -1 before the opening. */
  get last() {
    return this.events.length - 1;
  }

  /** Take the next event. Events that were taken before are left out; a gap is an error. */
  take(event) {
    if (event.seq <= this.last) return;
    if (event.seq !== this.last + 1) throw new Error(`event ${event.seq} came after ${this.last}`);
    this.events.push(event);
    this.#happened(event);
    for (const ask of event.asked) this.asks.set(ask.id, { ...ask, seq: event.seq, at: event.at });
    if (event.withdrawn.length) this.#line(event, "withdrawn", { asks: event.withdrawn });
    for (const move of event.moves) this.#moved(event, move);
    if (event.conclusion) {
      this.#conclusions.push({ ...event.conclusion, seq: event.seq });
      this.#line(event, "concluded");
    }
    if (event.kind === "replied") this.#replies += 1;
    this.#reach.push({ lines: this.lines.length, moves: this.moves.length, replies: this.#replies });
  }

  #happened(event) {
    if (event.ask) {
      const { id, seat, phase, round } = event.ask;
      const place = `${round}\n${phase}`;
      if (place !== this.#place) this.#line(event, "place", { phase, round });
      this.#place = place;
      this.answered.set(id, event);
      const sure = confidenceOf(event);
      if (sure !== null) this.#confidence.push({ seq: event.seq, seat, round, value: sure });
    }
    if (event.ruling) this.#rulings.push({ ...event.ruling, seq: event.seq });
    this.#line(event, event.kind);
  }

  #moved(event, move) {
    const known = { ...move, seq: event.seq, number: this.moves.length + 1 };
    this.moves.push(known);
    this.#line(event, "moved", { move: known });
    if (move.cause === "interrupted") this.#interruptions.push(known);
    for (const [index, key] of [[this.#rows, rowKey(move.phase, move.outcome, move.to)], [this.#phases, move.phase]]) {
      if (!index.has(key)) index.set(key, []);
      index.get(key).push(known);
    }
  }

  #line(event, kind, more) {
    this.lines.push({ key: `${event.seq}.${kind}.${this.lines.length}`, seq: event.seq, kind, event, ...more });
  }

  /** Return the state as of an event; null or a later sequence is the live end. */
  at(seq = null) {
    const reached = seq === null ? this.last : Math.max(-1, Math.min(seq, this.last));
    return new State(this, reached, this.#reach[reached] ?? { lines: 0, moves: 0, replies: 0 });
  }

  /** What the state reads; nothing outside this file calls these. */
  conclusionAt(seq) {
    return this.#conclusions[upTo(this.#conclusions, seq, seqOf) - 1] ?? null;
  }
  rulingAt(seq) {
    return this.#rulings[upTo(this.#rulings, seq, seqOf) - 1] ?? null;
  }
  confidenceAt(seq, rounds) {
    const all = this.#confidence;
    const seen = new Set();
    const end = upTo(all, seq, seqOf);
    let start = end;
    while (start > 0 && (seen.has(all[start - 1].round) || seen.size < rounds)) seen.add(all[(start -= 1)].round);
    return all.slice(start, end);
  }
  rowAt(seq, phase, outcome, to) {
    const row = this.#rows.get(rowKey(phase, outcome, to)) ?? NONE;
    return row.slice(0, upTo(row, seq, seqOf));
  }
  interruptionsAt(seq) {
    return this.#interruptions.slice(0, upTo(this.#interruptions, seq, seqOf));
  }
  phaseAt(seq, phase) {
    const moves = this.#phases.get(phase) ?? NONE;
    return moves.slice(0, upTo(moves, seq, seqOf));
  }
}

/** A session as of one event. What takes work to list is listed when it is asked for. */
class State {
  #fold;
  #reach;

  constructor(fold, seq, reach) {
    this.#fold = fold;
    this.#reach = reach;
    this.seq = seq;
    this.event = fold.events[seq] ?? null;
    this.last = fold.last;
    this.opening = fold.events[0]?.opening ?? null;
    const after = this.event?.after ?? {};
    this.phase = after.phase ?? "";
    this.round = after.round ?? 0;
    this.gauges = after.gauges ?? NONE;
    this.waiting = after.waiting ?? NONE;
    this.spent = {
      tokens_in: after.tokens_in ?? 0,
      tokens_out: after.tokens_out ?? 0,
      cost: after.cost === undefined ? 0 : after.cost,
      replies: reach.replies,
      asks: after.episodes ?? 0, // what a limit of replies is held against: an ask may stay without one
      idle: after.idle ?? 0,
    };
    this.conclusion = fold.conclusionAt(seq);
    this.ruling = fold.rulingAt(seq);
    /** How many lines of the transcript are reached, and how many moves. */
    this.reached = reach.lines;
    this.moved = reach.moves;
  }

  /** Milliseconds from the opening to this event. */
  get elapsed() {
    return this.event ? this.event.at - this.#fold.events[0].at : 0;
  }
  /** The asks that are open, in the order they were asked. */
  get open() {
    return (this.event?.after.open ?? NONE).map((id) => this.#fold.asks.get(id)).filter(Boolean);
  }
  /** The lines of the transcript up to here. */
  get lines() {
    return this.#fold.lines.slice(0, this.#reach.lines);
  }
  /** The moves up to here, numbered in the order taken. */
  get moves() {
    return this.#fold.moves.slice(0, this.#reach.moves);
  }
  /** The rows taken, in order: {phase, outcome, to, number}. */
  get visited() {
    return this.moves.map(({ phase, outcome, to, number }) => ({ phase, outcome, to, number }));
  }
  /** The moves along one row, and out of one phase. */
  along(phase, outcome, to) {
    return this.#fold.rowAt(this.seq, phase, outcome, to);
  }
  from(phase) {
    return this.#fold.phaseAt(this.seq, phase);
  }
  /** The moves that an interruption made, from whatever phase. */
  get interruptions() {
    return this.#fold.interruptionsAt(this.seq);
  }
  /** All asks so far by id. */
  get asks() {
    return new Map([...this.#fold.asks].filter(([, ask]) => ask.seq <= this.seq));
  }
  /** The events that answered asks so far, by ask. */
  get entries() {
    return new Map([...this.#fold.answered].filter(([, event]) => event.seq <= this.seq));
  }
  /** One ask, whenever it was asked. */
  ask(id) {
    return this.#fold.asks.get(id) ?? null;
  }
  /** How sure the seats were: Map of seat to Map of round to value, the last one said. */
  get confidence() {
    return this.confidenceIn(Infinity);
  }
  /** The same of the last so many rounds. */
  confidenceIn(rounds) {
    const seats = new Map();
    for (const { seat, round, value } of this.#fold.confidenceAt(this.seq, rounds)) {
      if (!seats.has(seat)) seats.set(seat, new Map());
      seats.get(seat).set(round, value);
    }
    return seats;
  }
}

/** Return the state that these events lead to, up to a sequence. */
export function fold(events, upto = null) {
  const made = new Fold();
  for (const event of events) made.take(event);
  return made.at(upto);
}
