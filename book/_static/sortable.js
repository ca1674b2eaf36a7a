// Make the book's tables sortable by a click or a key on a column's heading.
(() => {
  "use strict";
  const number = (text) => {
    const found = text.replace(/\u2212/g, "-").replace(/,/g, "").match(/^-?\d*\.?\d+/);
    return found ? parseFloat(found[0]) : NaN;
  };
  const order = (a, b) => {
    const x = number(a), y = number(b);
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return a.localeCompare(b, "en", { numeric: true });
  };
  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const text = (row) => row.cells[column].textContent.trim();
    const rows = [...body.rows];
    const full = rows.filter((row) => text(row)).sort((a, b) => order(text(a), text(b)));
    if (descending) full.reverse();
    // Empty cells stay last whatever the direction.
    body.append(...full, ...rows.filter((row) => !text(row)));
  };
  const prepare = (table) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      heading.scope = "col";
      heading.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const descending = heading.getAttribute("aria-sort") === "ascending";
        headings.forEach((other) => other.setAttribute("aria-sort", "none"));
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, column, descending);
      });
    });
  };
  document.querySelectorAll("table.ju-sortable").forEach((table) => {
    if (table.tHead && table.tHead.rows.length === 1 && table.tBodies.length === 1) prepare(table);
  });
})();
