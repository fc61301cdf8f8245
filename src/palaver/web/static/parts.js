// Finds the server-rendered parts of an element by their `data-part`.

export function partsOf(root) {
  const found = {};
  for (const node of root.querySelectorAll("[data-part]")) found[node.dataset.part] ??= node;
  return found;
}

export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
