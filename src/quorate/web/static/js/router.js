// The address in the hash, read into a route and written from one: #/sessions/<id>/<tab>?at=N.

const decode = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Return {path: [segments], query: {name: value}} of a hash such as "#/sessions/x/live?at=7". */
export function parse(hash) {
  const [path, search = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Return the hash of a route: href(["sessions", id, "live"], {at: 7}). */
export function href(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return `#/${path.map(encodeURIComponent).join("/")}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

/** Call `show(route)` now and whenever the address changes. Returns {go, quietly}. */
export function router(show) {
  const now = () => show(parse(location.hash));
  window.addEventListener("hashchange", now);
  return {
    now,
    go(hash) {
      if (location.hash === hash) now();
      else location.hash = hash;
    },
    /** Change the address without showing anything anew, as for each step of a journey in time. */
    quietly(hash) {
      history.replaceState(history.state, "", hash);
    },
  };
}
