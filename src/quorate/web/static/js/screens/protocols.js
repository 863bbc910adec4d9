// The protocols that are installed, each with what happens in it.

import { h, replace } from "quorate/dom";
import { href } from "quorate/router";
import { visible } from "quorate/format";

export const title = "Protocols";

export async function render(root, ctx) {
  const found = await ctx.source.protocols();
  replace(root, h("div", { class: "page" }, h("h1", { class: "titled" }, "Protocols"),
    h("ul", { class: "protocol-cards" }, found.map((each) => protocolCard(each, ["protocols", each.name], ctx.source.live && ctx.about?.write !== false)))));
}

/** A protocol as a card that leads somewhere. */
export function protocolCard(each, path, live) {
  return h("li", { class: "panel protocol-card" },
    h("h2", null, h("a", { href: href(path) }, visible(each.name))),
    h("p", null, visible(each.title)),
    h("p", { class: "dim small" }, `${each.seats.length} seats, ${each.phases.length} phases`),
    live && path[0] !== "new" ? h("p", { class: "row" }, h("a", { class: "button", href: href(["new", each.name]) }, "New session")) : null);
}
