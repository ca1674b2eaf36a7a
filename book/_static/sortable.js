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
// A table is filtered if it is long, taken away as CSV, and linked to by its caption; a figure is taken away as SVG.
(() => {
  "use strict";
  const quoted = (cell) => {
    const text = cell.innerText.trim().replace(/\u2212/g, "-").replace(/\u00a0/g, " ");
    // What is no number and begins like a formula is none in a spreadsheet either.
    const safe = /^[=+@\t-]/.test(text) && !/^[+-]?[\d.]/.test(text) ? `'${text}` : text;
    return `"${safe.replace(/"/g, '""')}"`;
  };
  const link = (tools, text, label, href) => {
    const made = document.createElement("a");
    made.textContent = text;
    made.href = href;
    made.setAttribute("aria-label", label);
    tools.append(made);
    return made;
  };
  const names = new Set();
  document.querySelectorAll("figure:is(.ju-table, .ju-figure)").forEach((figure) => {
    const caption = figure.querySelector("figcaption"), tables = [...figure.querySelectorAll(".ju-scroll table")];
    const image = figure.querySelector("img[src^='data:image/svg']");
    if (!caption || !(tables.length || image)) return;
    const title = caption.textContent.trim();
    let name = "t-" + title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
    while (names.has(name)) name += "-2";
    names.add(name);
    figure.id ||= name;
    const tools = document.createElement("span");
    tools.className = "ju-tools";
    const rows = tables.flatMap((table) => [...table.tBodies].flatMap((body) => [...body.rows]));
    if (rows.length > 12 && tables[0].matches(".ju-sortable")) {
      const field = document.createElement("input");
      field.type = "search";
      field.placeholder = "Filter rows";
      field.setAttribute("aria-label", `Filter the rows of: ${title}`);
      field.addEventListener("input", () => {
        const words = field.value.toLowerCase().split(/\s+/);
        rows.forEach((row) => {
          const text = row.textContent.toLowerCase();
          row.hidden = !words.every((word) => text.includes(word));
        });
      });
      tools.append(field);
    }
    if (image) {
      link(tools, "SVG", `Download the figure: ${title}`, image.src).download = figure.id + ".svg";
    } else {
      const csv = link(tools, "CSV", `Download as CSV: ${title}`, "#" + figure.id);
      csv.download = figure.id + ".csv";
      csv.addEventListener("click", () => {
        const lines = tables.flatMap((table) => [...table.rows]).map((row) => [...row.cells].map(quoted).join(","));
        csv.href = "data:text/csv;charset=utf-8," + encodeURIComponent("\ufeff" + lines.join("\r\n") + "\r\n");
      });
    }
    link(tools, "Link", `Link to this place: ${title}`, "#" + figure.id);
    caption.append(tools);
  });
  if (location.hash.startsWith("#t-")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
})();
