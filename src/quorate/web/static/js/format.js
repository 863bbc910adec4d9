// Numbers, times, names and tones as people read them.

const whole = new Intl.NumberFormat("en");
const clockFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const count = (number) => whole.format(number ?? 0);
export const clock = (at) => clockFormat.format(at);
export const moment = (at) => dayFormat.format(at);

/** 1234567 -> 1.2M: for places where a whole number would not fit. */
export function short(number) {
  if (number < 10_000) return count(number);
  if (number < 999_500) return `${Math.round(number / 1000)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}

/** Milliseconds as 0.4 s, 12 s, 3 min 5 s, 2 h 10 min, 3 days. */
export function duration(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`.replace(" 0 s", "");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`.replace(" 0 min", "");
  return `${Math.floor(hours / 24)} days`;
}

/** How long ago something was, in words. */
export function ago(at, now = Date.now()) {
  const past = Math.max(0, now - at);
  if (past < 60_000) return "just now";
  const [minutes, hours] = [Math.floor(past / 60_000), Math.floor(past / 3_600_000)];
  if (hours < 1) return `${minutes} min ago`;
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** US dollars; null is an unknown price and not zero. */
export function dollars(amount) {
  if (amount === null || amount === undefined) return "price unknown";
  if (amount === 0) return "$0";
  if (amount < 0.0001) return "< $0.0001";
  return amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

export const microdollars = (cost) => dollars(cost === null || cost === undefined ? null : cost / 1_000_000);

const LONGEST_NAME = 80;

/** NEEDS_REVISION and needs_revision -> needs revision: for names, which are short and on one line. */
export const words = (name) => brief(String(name ?? "").replaceAll("_", " ").toLowerCase(), LONGEST_NAME);

/** The first letter of a sentence as a capital. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const listed = (...names) => new RegExp(`^(?:${names.join("|")})$`, "i");
const GOOD = listed(
  "approved?|accept(?:ed)?|agree(?:d|ment)?|yes|for|aye|support(?:s|ed)?|in_favou?r|pass(?:ed)?|met|resolved|adopted",
  "consensus|unanimous|ready|completed?|go|sound|keep|confirm(?:ed|s)?|affirm(?:ed)?",
);
const WARN = listed(
  "abstain(?:ed|s)?|needs_.*|no_.*|changes?_.*|approved?_with_.*|request_changes|revise|amend(?:ed)?|medium|major",
  "warn(?:ing)?|partial(?:ly)?|unresolved|deadlock(?:ed)?|escalated?|stalled|inconclusive|exhausted|unsure|mixed",
  "conditional(?:ly)?|concerns?",
);
const BAD = listed(
  "reject(?:ed)?|disagree(?:d)?|no|nay|against|oppose[sd]?|block(?:er|ed|ing|s)?|veto(?:ed)?|fail(?:ed|ure)?|error",
  "critical|high|contradict(?:s|ed)?|refute[sd]?|cancelled",
);

/** The tone of a closed word (stance, severity, verdict): good, bad, warn, or none. A colour, never the only sign. */
export function tone(word) {
  const name = String(word ?? "");
  return GOOD.test(name) ? "good" : WARN.test(name) ? "warn" : BAD.test(name) ? "bad" : "";
}

/** The tone of a verdict by its exit code, where that is known: 0 is good, 1 is a no, others are neither. */
export function verdictTone(verdict, code) {
  if (code === 0) return "good";
  if (code === 1) return "bad";
  if (code === undefined || code === null) return tone(verdict);
  return "warn";
}

/** What became of one test of a decision: its word, sign and class. One after the first that held was not reached. */
export function weighed(test) {
  if (test.reached === false) return { word: "not reached", sign: "–", look: "skipped" };
  return test.held ? { word: "held", sign: "✓", look: "held" } : { word: "did not hold", sign: "✗", look: "fell" };
}

const HUES = 8;
const seated = new Map();

/** Give these seats colours in their order, so that the first eight differ. */
export function seat(names) {
  seated.clear();
  names.forEach((name, index) => seated.set(name, index % HUES));
}

/** The number of a seat's colour; one that nobody seated gets one from its name. */
export function hue(name) {
  if (seated.has(name)) return seated.get(name);
  let sum = 7;
  for (const letter of String(name)) sum = (sum * 31 + letter.codePointAt(0)) >>> 0;
  return sum % HUES;
}

const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb]",
  "gu",
);

/** A text with every invisible or direction-changing character written out, for texts that are not prose trees. */
export function visible(text) {
  return String(text ?? "").replace(
    UNSEEN,
    (found) => `⟨U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** A text on one line of at most so many characters. */
export function brief(text, most = 120) {
  const flat = visible(text).replace(/\s+/g, " ").trim();
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
}
