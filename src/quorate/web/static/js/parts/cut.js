// Long replies cut to what is worth a first look, by counting characters and lines in their trees: nothing is measured.

export const MOST_CHARACTERS = 4200;
const MOST_LINES = 40;
const BLOCKS = new Set(["p", "h3", "h4", "h5", "h6", "li", "pre", "blockquote", "tr", "br", "hr"]);

/** How many characters a value holds. */
export function length(value) {
  if (typeof value === "string") return value.length;
  return Array.isArray(value) ? value.reduce((sum, each) => sum + length(each), 0) : 0;
}

class Rest {
  characters = MOST_CHARACTERS;
  lines = MOST_LINES;

  get over() {
    return this.characters <= 0 || this.lines <= 0;
  }
  text(text) {
    if (this.over) return "";
    let end = Math.min(text.length, this.characters);
    for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
      if (--this.lines <= 0) end = at;
    }
    this.characters -= end;
    return end < text.length ? `${text.slice(0, end)} …` : text;
  }
}

function tree(node, rest) {
  if (typeof node === "string") return rest.text(node);
  const [tag, attributes, ...children] = node;
  if (BLOCKS.has(tag)) rest.lines -= 1;
  return [tag, attributes, ...trees(children, rest)];
}

function trees(nodes, rest) {
  const kept = [];
  for (const node of nodes) {
    if (rest.over) break;
    kept.push(Array.isArray(node) || typeof node === "string" ? tree(node, rest) : node);
  }
  return kept;
}

function values(fields, rest) {
  const kept = [];
  for (const [name, shape, value] of fields) {
    if (rest.over) break;
    if (shape === "prose") kept.push(
      [name, shape, typeof value === "string" ? rest.text(value) : trees(value ?? [], rest)],
    );
    else if (shape === "list" || shape === "group" || shape === "keyed") {
      rest.lines -= 1;
      kept.push([name, shape, values(value ?? [], rest)]);
    } else kept.push([name, shape, value]);
  }
  return kept;
}

/** Return {fields, left}: a reply's fields cut to a first look, and how many characters that leaves out. */
export function cut(fields) {
  const whole = length(fields);
  const rest = new Rest();
  const kept = values(fields, rest);
  const left = whole - length(kept);
  return left > 0 ? { fields: kept, left } : { fields, left: 0 };
}
