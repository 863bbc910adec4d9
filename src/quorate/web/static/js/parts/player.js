// A recorded session played like a live one: its events come one after the other, at a speed that people can follow.

import { file } from "quorate/source";

const SHORTEST = 350;
const LONGEST = 2600;
const READING = 9; // milliseconds for each character that was said

/** How long to wait before an event: as long as it takes to glance at it, whatever it took when it was recorded. */
export function pause(event) {
  const said = JSON.stringify(event.said ?? event.reply ?? "").length;
  return Math.min(LONGEST, SHORTEST + said * READING / 10);
}

/**
 * The source of a recording. Like that of a file, but the events come by and by.
 * `changed({at, of, playing, ended})` is called on every step; `play()`, `stop()`, `toEnd()`, `speed(times)`.
 */
export function player(data, changed) {
  const recorded = file(data);
  const events = data.events ?? [];
  let listener = null, next = 0, playing = true, timer = 0, times = 1;

  const tell = () => changed({ at: next, of: events.length, playing: playing && next < events.length, ended: next >= events.length });
  function step() {
    clearTimeout(timer);
    if (!listener || !playing || next >= events.length) return;
    const event = events[next];
    timer = setTimeout(() => {
      if (event.ask && listener?.calling) listener.called?.({ ask: event.ask.id, seat: event.ask.seat });
      give();
      for (const ask of event.asked ?? []) if (!ask.person) listener?.calling?.({ ask: ask.id, seat: ask.seat, participant: events[0].opening?.panel?.[ask.seat] ?? "" });
      tell();
      step();
    }, next === 0 ? 0 : pause(event) / times);
  }
  function give() {
    const event = events[next];
    next += 1;
    listener.entry(event);
    if (next >= events.length) listener.state?.("ended");
  }
  return {
    source: {
      ...recorded,
      /** Boards are those of what was played so far, not of the end. */
      board: (id, at) => recorded.board(id, at ?? Math.max(0, next - 1)),
      events(_, listening) {
        listener = listening;
        next = 0;
        listening.state?.("live");
        tell();
        step();
        return () => {
          clearTimeout(timer);
          listener = null;
        };
      },
    },
    play() {
      playing = true;
      tell();
      step();
    },
    stop() {
      playing = false;
      clearTimeout(timer);
      tell();
    },
    toEnd() {
      clearTimeout(timer);
      while (listener && next < events.length) give();
      tell();
    },
    speed(wanted) {
      times = wanted;
      step();
    },
  };
}
