// Small pieces that several rooms use: chips, lists of names, dated histories, foldable prose.

import { h } from "quorate/dom";
import { prose } from "quorate/prose";
import { tone, visible, words } from "quorate/format";

const SIGNS = { good: "✓", bad: "✗", warn: "~", "": "·" };
const ABSENT = /^(?:absent\b.*|failed|timed[_ ]out|malformed|refused|silent|-)$/i;
const FOR = /^(?:for|support(?:s|ed)?|confirm(?:s|ed)?|agree[sd]?|aye|yes|accept(?:s|ed)?|raised|keep|sustained|uphold)$/i;
const AGAINST = /^(?:against|oppose[sd]?|dispute[sd]?|refute[sd]?|disagree[sd]?|reject(?:s|ed)?|no|nay|veto(?:ed)?|doubts?|doubted|drop|lowered)$/i;

/** A closed word with a sign and a colour; the word itself is always there. */
export function chip(word, { sign = false, strong = false } = {}) {
  if (!word) return null;
  const kind = tone(word);
  return h("span", { class: `chip ${kind}${strong ? " strong" : ""}` },
    sign ? h("span", { "aria-hidden": "true" }, signOf(word)) : null, words(visible(word)));
}

/** The side that a vote takes: 1 for the finding, -1 against it, 0 for neither. */
export const side = (word) => (FOR.test(word) ? 1 : AGAINST.test(word) ? -1 : 0);

export const isAbsent = (word) => ABSENT.test(word);
export const signOf = (word) => (isAbsent(word) ? "–" : SIGNS[toneOfVote(word)]);

/** The tone of a vote on a finding: its side where it takes one. */
export const toneOfVote = (word) => ({ 1: "good", "-1": "bad", 0: tone(word) })[side(word)];

/** An id as it is shown in a list: long digests are cut, the whole stands in the details. */
export const shortId = (id) => (/^[0-9a-f]{10,}$/.test(id) ? id.slice(0, 7) : visible(id));

/** Names one after the other; a long list is told by its number. */
export function names(list) {
  return (list ?? []).map(visible).join(", ");
}

/** A text that is a prose tree, or plain where it is a string. */
export function shown(tree) {
  return h("div", { class: "prose", dir: "auto" }, prose(typeof tree === "string" ? visible(tree) : tree));
}

/** What became of something, round by round. */
export function history(dated) {
  if (!dated?.length) return null;
  return h("div", { class: "history" }, h("h4", null, "History"),
    h("ol", { class: "history-list" }, dated.map(({ round, says }) =>
      h("li", null, h("span", { class: "dim number" }, round ? `Round ${round}` : "Opening"), " ", h("span", { dir: "auto" }, shownInline(says))))));
}

/** A short text inside a line. */
export function shownInline(text) {
  return typeof text === "string" ? visible(text) : h("span", { class: "prose" }, prose(text));
}

/** Pairs of a name and a value. */
export function facts(pairs) {
  const given = (pairs ?? []).filter(([, value]) => value !== "" && value !== null && value !== undefined && value?.length !== 0);
  if (!given.length) return null;
  return h("dl", { class: "facts" }, given.map(([name, value]) =>
    h("div", null, h("dt", null, visible(name)), h("dd", { dir: "auto" }, value instanceof Node ? value : shownInline(value)))));
}

/** What stands there while something is fetched. */
export const fetching = (what) => h("p", { class: "empty", role: "status" }, `Fetching ${what} …`);

/** A remark for a room that has nothing to show. */
export const nothing = (text) => h("p", { class: "empty" }, text);

/** A button that copies a text. */
export function copying(text, ctx) {
  const button = h("button", { type: "button", class: "bare", "aria-label": `Copy: ${text}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      ctx.say("Copied");
    } catch {
      ctx.say("The browser does not let this page copy; select the text instead");
      button.textContent = "Select it";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}
