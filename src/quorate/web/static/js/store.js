// What the page remembers on this machine: the theme and small choices. Where storage is refused, for this visit only.

const memory = new Map();

/** Return what was kept under a name, or the fallback. */
export function recall(name, fallback = null) {
  if (memory.has(name)) return memory.get(name);
  try {
    return JSON.parse(localStorage.getItem(`quorate.${name}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Keep a value under a name. */
export function keep(name, value) {
  memory.set(name, value);
  try {
    localStorage.setItem(`quorate.${name}`, JSON.stringify(value));
  } catch {
    /* Refused (private window, opened from disk): the memory above holds it for this visit. */
  }
}

const THEMES = ["auto", "light", "dark"];

/** Return the theme that is chosen: auto, light or dark. */
export function theme() {
  const kept = recall("theme", "auto");
  return THEMES.includes(kept) ? kept : "auto";
}

/** Show the page in a theme, and remember it. */
export function setTheme(name) {
  keep("theme", name);
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

/** Go to the next theme and return it. */
export function nextTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  setTheme(next);
  return next;
}
