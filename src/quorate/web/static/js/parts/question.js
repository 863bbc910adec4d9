// One open question to a person: what is asked, what there is to see, and the form to answer it with.

import { h, replace } from "quorate/dom";
import { plain, prose } from "quorate/prose";
import { visible, words } from "quorate/format";
import { form } from "quorate/parts/form";

const SHORT = 900; // characters of a section that need not be folded
const MOST_OPEN = 3000;
const drafts = new Map(); // what was typed and not sent, for as long as the page is open

/**
 * Show a question. `asked` is one of source.questions(id); `done(how)` is called when it is out of the way:
 * "answered", "declined", or "late" where somebody else answered first. `fold`: what
 * it is about is on the page already, and stays folded. Returns {node, focus(), changed()}.
 */
export function question(asked, { source, session, say = () => {}, done = () => {}, heading = "h3", fold = false }) {
  const { sections = [], offer, schema } = asked;
  const draft = `${session} ${asked.ask}`;
  const keys = new Set(asked.keys ?? []);
  const used = new Set();
  const about = (key) => {
    if (!keys.has(key)) return null;
    const mine = sections.filter((each) => names(each.title, key));
    mine.forEach((each) => used.add(each));
    if (!mine.length) return null;
    const shown = document.createDocumentFragment();
    for (const each of mine) {
      if (mine.length > 1 || each.title !== key) shown.append(h("p", { class: "small dim" }, visible(each.title)));
      shown.append(prose(each.tree));
    }
    return shown;
  };
  const told = h("p", { class: "question-told", role: "status", hidden: true });
  const decline = h("button", { type: "button" }, "Decline");
  const made = form(schema, {
    value: drafts.get(draft), blank: true, offer, about, send: "Answer", beside: [decline],
    onSend: async (data) => finish(await source.answer(session, asked.ask, data), "answered"),
  });
  made.node.addEventListener("input", () => drafts.set(draft, made.data()));
  let sure = false;
  decline.addEventListener("click", async () => {
    if (!sure) {
      sure = true;
      replace(decline, "Decline for good?");
      say("Press decline again: nobody will answer this question, and the session goes on without.");
      setTimeout(() => { sure = false; if (decline.isConnected) replace(decline, "Decline"); }, 5000);
      return;
    }
    decline.disabled = true;
    try {
      finish(await source.decline(session, asked.ask), "declined");
    } catch (problem) {
      decline.disabled = false;
      made.show(problem);
    }
  });
  decline.title = offer?.unanswered
    ? `The session goes on as with “${words(offer.unanswered)}”`
    : "Nobody will answer; the session goes on without";

  function finish({ counted }, how) {
    const words_ = counted === false ? "Somebody answered first; this answer did not count." : how === "answered" ? "Your answer is in." : "Declined; it goes on without.";
    told.hidden = false;
    told.classList.toggle("late", counted === false);
    replace(told, words_);
    say(words_);
    drafts.delete(draft);
    made.node.remove();
    folded?.remove();
    done(counted === false ? "late" : how);
  }

  const rest = sections.filter((each) => !used.has(each));
  let left = MOST_OPEN;
  const short = (each) => {
    const size = plain(each.tree).length;
    left -= size <= SHORT ? size : 0;
    return size <= SHORT && left >= 0;
  };
  const folded = rest.length
    ? h("div", { class: "question-sections" }, rest.map((each) =>
      h("details", { open: !fold && (rest.length === 1 || short(each)) },
        h("summary", { dir: "auto" }, visible(each.title)), h("div", { class: "prose", dir: "auto" }, prose(each.tree)))))
    : null;
  const node = h("article", { class: "panel question", "aria-label": `${words(asked.brief)} for ${visible(asked.seat)}` },
    h("header", null,
      h(heading, null, words(visible(asked.brief))),
      h("p", { class: "dim small" }, `for ${visible(asked.seat)}`, asked.round ? `, round ${asked.round}` : "")),
    asked.says?.length ? h("div", { class: "prose question-says", dir: "auto" }, prose(asked.says)) : null,
    folded, made.node, told);
  return { node, focus: made.focus, changed: made.changed };
}

/** Whether a title speaks of a key as a word of its own. */
function names(title, key) {
  const at = title.indexOf(key);
  if (at < 0) return false;
  const letter = /[\p{L}\p{N}_-]/u;
  return !letter.test(title[at - 1] ?? " ") && !letter.test(title[at + key.length] ?? " ");
}
