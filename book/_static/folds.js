// Open the folds that a link, a search or a printer leads into; without this script they open by hand.
(() => {
  "use strict";
  const folds = () => [...document.querySelectorAll("details.ju-fold")];
  const openAround = (element) => {
    for (let each = element; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  };
  const target = () => {
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { /* not an encoded name: taken as it is */ }
    return name ? document.getElementById(name) : null;
  };
  const follow = () => {
    const element = target();
    if (!element) return;
    openAround(element);
    // A heading's section holds its one fold; a part of the page with several leaves them as they are.
    const inside = element.querySelectorAll("details.ju-fold");
    if (inside.length === 1) inside[0].open = true;
    element.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  // The same link twice changes no address.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href*='#']");
    if (link && link.href === location.href) follow();
  });

  document.querySelectorAll("[data-ju-print]").forEach((each) => each.addEventListener("click", () => print()));
  let closed = [];
  addEventListener("beforeprint", () => {
    // Folded code stays folded: on paper nobody runs it.
    closed = [...document.querySelectorAll("main details:not([open]):not(.hide)")];
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of closed) each.open = false;
  });

  const offerAll = (place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "ju-all";
    const label = () => {
      button.textContent = folds().every((each) => each.open) ? "Close all" : "Open all";
    };
    button.addEventListener("click", () => {
      const open = button.textContent === "Open all";
      for (const each of folds()) each.open = open;
      label();
    });
    for (const each of folds()) each.addEventListener("toggle", label);
    label();
    place.append(button);
  };
  document.querySelectorAll("[data-ju-all]").forEach(offerAll);

  follow();
  addEventListener("load", () => {
    // Sphinx marks them a moment later.
    setTimeout(() => {
      document.querySelectorAll("details.ju-fold .highlighted").forEach(openAround);
      follow();
    }, 50);
  });
})();
