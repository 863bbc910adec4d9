// What stands in place of a screen that could not be shown: what went wrong, and a way on.

import { h } from "quorate/dom";
import { capital, visible } from "quorate/format";
import { href } from "quorate/router";
import { sentence } from "quorate/source";

const MISSING = {
  sessions: "There is no such session",
  protocols: "There is no such protocol",
  new: "There is no such protocol",
};
const NOT_FOUND = 404;

/** Return the title and the node for an error below the first part of an address; `retry` is for what may pass. */
export function failure(error, first, retry) {
  const missing = error?.status === NOT_FOUND;
  const title = (missing && MISSING[first]) || (error?.title ?? "Something went wrong");
  const [path, label] = ["protocols", "new"].includes(first) ? [["protocols"], "Protocols"] : [[], "Sessions"];
  const node = h(
    "div",
    { class: "page" },
    h("h1", { class: "titled" }, title),
    h("p", { role: "alert" }, visible(capital(sentence(error)))),
    h(
      "p",
      { class: "row" },
      missing ? null : h("button", { type: "button", on: { click: retry } }, "Try again"),
      h("a", { class: "button", href: href(path) }, label),
    ),
  );
  return [title, node];
}
