// A menu (details.menu) closes when one presses Escape, goes elsewhere or opens another.

addEventListener("click", (event) => closeAllBut(event.target.closest("details.menu")));
addEventListener("focusin", (event) => closeAllBut(event.target.closest("details.menu")));
addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
});

function closeAllBut(kept) {
  for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = menu === kept;
}
