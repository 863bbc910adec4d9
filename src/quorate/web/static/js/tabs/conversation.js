// The conversation: what was said by whom, turn by turn, and the form for the person whose turn it is.

import { h, replace } from "quorate/dom";
import { hue, visible, words } from "quorate/format";
import { boardTab } from "quorate/parts/boards";
import { nothing, shown } from "quorate/parts/pieces";
import { question } from "quorate/parts/question";

export const title = "Conversation";

const PERSON = /^(user|you|person|human)$/i;

export function render(root, ctx) {
  const said = h("ol", { class: "chat", "aria-label": "What was said" });
  const empty = h("div");
  const turn = h("div", { class: "chat-turn" });
  replace(root, h("h2", { class: "unseen" }, title), empty, said, turn);
  let drawn = [];

  const kept = boardTab(root, ctx, ({ conversation = [] }) => {
    const texts = conversation.map((each) => JSON.stringify(each));
    let same = 0;
    while (same < drawn.length && same < texts.length && drawn[same] === texts[same]) same += 1;
    const nodes = [...said.children].filter((each) => each.dataset.index !== undefined);
    nodes.slice(same).forEach((each) => each.remove());
    for (const separator of [...said.querySelectorAll(".chat-number")]) if (Number(separator.dataset.before) >= same) separator.remove();
    for (let index = same; index < conversation.length; index += 1) {
      const each = conversation[index], before = conversation[index - 1];
      if (each.turn && each.turn !== before?.turn) said.append(h("li", { class: "chat-number dim small", dataset: { before: String(index) } }, `Turn ${each.turn}`));
      said.append(utterance(each, before, index));
    }
    drawn = texts;
    replace(empty, conversation.length ? null : nothing("Nobody has spoken so far."));
  });
  const asking = asks(turn, ctx);
  asking.update(ctx.state?.());
  return {
    update(state) {
      kept.update(state);
      asking.update(state);
    },
    dispose() {
      kept.dispose();
      asking.dispose();
    },
  };
}

function utterance(each, before, index) {
  const mine = PERSON.test(each.speaker);
  if (!each.speaker) return h("li", { class: "chat-note", dataset: { index: String(index) } }, shown(each.text));
  const again = before && before.speaker === each.speaker && before.turn === each.turn;
  return h("li", { class: mine ? "chat-line mine" : "chat-line", dataset: { index: String(index), hue: hue(each.speaker) } },
    again ? null : h("p", { class: "chat-who" }, h("span", { class: "seat", dataset: { hue: hue(each.speaker) } }, visible(each.name || each.speaker)),
      each.kind ? h("span", { class: "dim small" }, words(visible(each.kind))) : null),
    shown(each.text));
}

/** The questions that wait for a person, under the conversation; only at the live end, and only where one can answer. */
function asks(root, ctx) {
  let shownAsk = "", newest = null, gone = false, fetching = false;
  return {
    async update(state) {
      newest = state;
      const live = ctx.source.live && ctx.at === null;
      const waiting = live ? (state?.waiting ?? []).map((each) => each.ask).join(" ") : "";
      if (waiting === shownAsk || fetching) return;
      shownAsk = waiting;
      if (!waiting) return void replace(root);
      fetching = true;
      try {
        const open = await ctx.source.questions(ctx.id);
        if (gone) return;
        replace(root, open.map((each) => question(each, { source: ctx.source, session: ctx.id, say: ctx.say, fold: true }).node));
      } catch (error) {
        if (!gone) ctx.problem(error);
      } finally {
        fetching = false;
      }
      if (!gone && newest !== state) this.update(newest); // What changed meanwhile was not looked at.
    },
    dispose() {
      gone = true;
    },
  };
}
