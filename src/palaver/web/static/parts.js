// Finds the server-rendered parts of an element by their `data-part`.

export function partsOf(root) {
  const found = {};
  for (const node of root.querySelectorAll("[data-part]")) found[node.dataset.part] ??= node;
  return found;
}

export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Says so where somebody was signed out, with the way back: the desk asks who opens a page.
export function saySignedOut(node) {
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Sign in";
  node.replaceChildren("You are signed out. ", link, " to go on.");
}
