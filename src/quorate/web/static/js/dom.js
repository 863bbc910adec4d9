// Builds elements from names, attributes and texts, and nothing else: no markup is ever parsed.

const SVG = "http://www.w3.org/2000/svg";
const REFUSED = new Set(
  ["script", "style", "iframe", "frame", "object", "embed", "base", "link", "meta", "foreignobject"],
);
const ADDRESSES = new Set(["href", "src", "action", "formaction", "xlink:href", "data", "poster"]);
const SAFE_ADDRESS = /^(?:https?:|mailto:|blob:|[#/?.]|[\w%-]+(?:[/?#]|$))/i;
const PROPERTIES = new Set(["value", "checked", "selected", "indeterminate", "open"]);

/** Return whether an address can be followed without running anything. */
export function safeAddress(text) {
  return SAFE_ADDRESS.test(text.replace(/[\u0000-\u0020]/g, ""));
}

function attribute(element, name, value) {
  const lower = name.toLowerCase();
  if (lower.startsWith("on") || lower === "style" || lower === "srcdoc") throw new Error(
    `the attribute ${name} is refused`,
  );
  if (value === false || value === null || value === undefined) return;
  if (ADDRESSES.has(lower) && !safeAddress(String(value))) return;
  if (PROPERTIES.has(name) && name in element) element[name] = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

function build(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) if (handler) element.addEventListener(event, handler);
    } else if (name === "dataset") {
      for (const [key, word] of Object.entries(value)) if ((word ?? null) !== null) element.dataset[key] = word;
    } else if (name !== "value") attribute(element, name, value);
  }
  append(element, children);
  if (props && "value" in props) attribute(element, "value", props.value); // after the options of a select
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === true) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

function named(tag) {
  if (REFUSED.has(tag.toLowerCase())) throw new Error(`the element ${tag} is refused`);
  return tag;
}

/** Build an HTML element: `props` are attributes, `on: {event: handler}`, `dataset`; children are nodes, texts, lists. */
export function h(tag, props, ...children) {
  return build(document.createElement(named(tag)), props, children);
}

/** Build an SVG element, as `h` does. */
export function svg(tag, props, ...children) {
  return build(document.createElementNS(SVG, named(tag)), props, children);
}

/** Take everything out of an element and return it. */
export function clear(element) {
  element.replaceChildren();
  return element;
}

/** Put these children in place of what an element has, and return it. */
export function replace(element, ...children) {
  const fresh = document.createDocumentFragment();
  append(fresh, children);
  element.replaceChildren(fresh);
  return element;
}

/** Set a text only where it differs, so that unchanged parts of the page cost nothing. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
