// Markdown in a message, from the tree that the server parsed it into: a node is a text, or
// [tag, children, more]. Nothing but these tags is made, and a link leads only where people may go.
// Where texts have places they are ["", text, start, end]; `piece` says what is made of one.

const TAGS = new Set(
  "p br hr ul ol li blockquote pre code strong em s small a table thead tbody tr th td".split(" "),
);
const ADDRESS = /^(https?:\/\/|mailto:)/i;

export function richNodes(tree, piece) {
  return tree.map((node) => {
    if (!Array.isArray(node)) return document.createTextNode(node);
    return node[0] === "" ? piece(...node.slice(1)) : element(piece, ...node);
  });
}

// Whether a tree tells the places of what it shows.
export function hasPlaces(tree) {
  return tree.some((node) => Array.isArray(node) && (node[0] === "" || hasPlaces(node[1] ?? [])));
}

function element(piece, tag, children, more) {
  const node = document.createElement(TAGS.has(tag) ? tag : "span");
  if (tag === "a" && ADDRESS.test(more)) {
    node.href = more;
    node.target = "_blank";
    node.rel = "noopener noreferrer";
  } else if (tag === "ol" && Number.isInteger(more)) {
    node.start = more;
  } else if (tag === "table" || tag === "pre") {
    node.tabIndex = 0; // where it is wider than the message, the arrow keys scroll it
  }
  node.append(...richNodes(children, piece));
  return node;
}
