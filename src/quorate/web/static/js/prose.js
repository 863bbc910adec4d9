// Shows a prose tree: nodes are texts or [tag, attributes, ...children], and only the tags below become elements.

import { h, safeAddress } from "quorate/dom";

const TAGS = new Set(
  "p h3 h4 h5 h6 ul ol li pre code blockquote em strong del a hr br table thead tbody tr th td".split(" "),
);
const DEEPEST = 40;

function node(tree, depth) {
  if (typeof tree === "string") return document.createTextNode(tree);
  if (!Array.isArray(tree) || !TAGS.has(tree[0]) || depth > DEEPEST) return document.createTextNode(plain([tree]));
  const [tag, attributes, ...children] = tree;
  const element = h(tag, allowed(tag, attributes));
  for (const child of children) element.append(node(child, depth + 1));
  if (tag === "table") return h(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": "Table" },
    element,
  );
  return element;
}

function allowed(tag, attributes) {
  if (tag === "a") {
    const href = String(attributes?.href ?? "");
    const good = /^(?:https?:|mailto:)/i.test(href) && safeAddress(href);
    return good ? { href, rel: "noopener noreferrer nofollow", target: "_blank", title: href } : {};
  }
  if (tag === "ol" && Number.isInteger(Number(attributes?.start))) return { start: Number(attributes.start) };
  if (tag === "pre") return { tabindex: "0" };
  if ((tag === "th" || tag === "td") && attributes?.align === "right") return { class: "right" };
  return {};
}

/** Return a prose tree (or a bare text) as nodes that can be put into the page. */
export function prose(tree) {
  const shown = document.createDocumentFragment();
  if (typeof tree === "string") shown.append(h("p", { class: "plain" }, tree));
  else for (const each of tree ?? []) shown.append(node(each, 0));
  return shown;
}

const BLOCKS = new Set(
  ["p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "pre", "blockquote", "table", "tr", "hr", "br"],
);

/** Return the text of a prose tree, one line for each block. */
export function plain(tree) {
  if (typeof tree === "string") return tree;
  const parts = [];
  const walk = (each, depth) => {
    if (typeof each === "string") parts.push(each);
    else if (Array.isArray(each) && depth < 200) {
      const [tag, , ...children] = each;
      if (tag === "li") parts.push("- ");
      for (const child of children) walk(child, depth + 1);
      if (BLOCKS.has(tag)) parts.push("\n");
      else if (tag === "td" || tag === "th") parts.push("\t");
    }
  };
  for (const each of tree ?? []) walk(each, 0);
  return parts.join("").replace(/\n{3,}/g, "\n\n").trim();
}
