// Search all published numbers, which ../_static/published/numbers.js sets, by words that must all occur.
(() => {
  "use strict";
  const form = document.querySelector("[data-ju-search]");
  const data = window.publishedNumbers;
  if (!form || !data) return;
  const most = 100;
  const input = form.querySelector("input");
  const count = form.querySelector("[role=status]");
  const table = document.getElementById("ju-search-found");
  // A minus sign may be typed or pasted either way.
  const plain = (text) => text.toLowerCase().replace(/\u2212/g, "-");
  const texts = data.rows.map((row) => plain(row.join(" ")));
  const line = (cells, tag) => {
    const row = document.createElement("tr");
    for (const cell of cells) {
      const element = document.createElement(tag);
      element.textContent = cell;
      row.append(element);
    }
    return row;
  };
  const search = () => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    table.replaceChildren();
    count.textContent = "";
    if (!words.length) return;
    const found = data.rows.filter((_, i) => words.every((word) => texts[i].includes(word)));
    const shown = found.slice(0, most);
    count.textContent = found.length > most ? `${found.length} rows, the first ${most} shown` : `${found.length} rows`;
    if (!shown.length) return;
    const used = data.columns.map((_, column) => shown.some((row) => row[column]));
    const keep = (row) => row.filter((_, column) => used[column]);
    const head = document.createElement("thead");
    const body = document.createElement("tbody");
    head.append(line(keep(data.columns), "th"));
    body.append(...shown.map((row) => line(keep(row), "td")));
    table.append(head, body);
  };
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    search();
  });
})();
