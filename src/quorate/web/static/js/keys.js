// Keyboard shortcuts: single keys and two-key sequences such as "g s", each with a sentence for the help.

const bound = [];
let first = "";
let firstAt = 0;
const SEQUENCE_WITHIN = 1200;

/** Bind keys: {"j": {says, run}, "g s": {says, run}}. Returns a function that takes them away again. */
export function bind(keys) {
  const added = Object.entries(keys).map(([key, what]) => ({ key, ...what }));
  bound.push(...added);
  return () => added.forEach((each) => bound.splice(bound.indexOf(each), 1));
}

/** Return [key, sentence] of everything that is bound now. */
export function help() {
  return bound.filter((each) => each.says).map((each) => [each.key, each.says]);
}

function typing(target) {
  if (!(target instanceof Element)) return false;
  if (target.isContentEditable || target.closest("dialog")) return true;
  return target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range], [type=button])");
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const sequence = performance.now() - firstAt < SEQUENCE_WITHIN ? `${first} ${event.key}` : "";
  const find = (key) => bound.findLast((each) => each.key.split(" or ").includes(key));
  const found = (sequence && find(sequence)) || find(event.key);
  first = bound.some((each) => each.key.startsWith(`${event.key} `)) && !found ? event.key : "";
  firstAt = performance.now();
  // An arrow on a slider, a tab or a list is that thing's own business.
  const own = event.key.startsWith("Arrow") && event.target.closest?.("[role=tablist], [role=listbox], input");
  if (!found || own) return;
  event.preventDefault();
  found.run(event);
}

/** Begin to listen. */
export function listen() {
  document.addEventListener("keydown", pressed);
}
