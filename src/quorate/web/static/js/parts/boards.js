// The board as of a moment: fetched a little after the last step through time, the last one kept until the next is here.

const SETTLE = 120; // milliseconds without another step before a board is asked for

/**
 * Keep a board on show. `show(board, seq)` is called for every board that differs from the one before.
 * Returns {update(state), dispose()}; `busy(flag)` is told while a newer board is on its way.
 */
export function boards(ctx, show, busy = () => {}) {
  let wanted = null, shown = null, text = null, timer = 0, fetching = false, gone = false;

  async function fetchNext() {
    if (fetching || gone || wanted === shown) return;
    fetching = true;
    const seq = wanted;
    try {
      const { board } = await ctx.source.board(ctx.id, seq);
      if (gone) return;
      shown = seq;
      const fresh = JSON.stringify(board);
      if (fresh !== text) {
        text = fresh;
        show(board, seq);
      }
    } catch (error) {
      shown = seq; // the same question would get the same answer; the next step asks again
      if (!gone) ctx.problem(error);
    } finally {
      fetching = false;
      if (!gone) wanted === shown ? busy(false) : fetchNext();
    }
  }
  return {
    update(state) {
      const seq = state ? state.seq : ctx.at ?? null;
      if (seq !== null && seq < 0) return; // nothing has come yet
      if (seq === wanted && shown === seq) return;
      wanted = seq;
      busy(true);
      clearTimeout(timer);
      timer = setTimeout(fetchNext, text === null ? 0 : SETTLE);
    },
    dispose() {
      gone = true;
      clearTimeout(timer);
    },
  };
}

/** Put a board's tab into a root: `show(board)` returns nodes; the tab says itself when it is a step behind. */
export function boardTab(root, ctx, draw) {
  root.setAttribute("aria-busy", "true");
  const kept = boards(ctx, draw, (flag) => root.setAttribute("aria-busy", String(flag)));
  kept.update(ctx.state?.() ?? null);
  return kept;
}
