// All episodes of the source as strips of tiles: filter, sort, put a question beside itself, read what was written.
// Every text of a model or of data is put in as text; nothing here makes markup.
(() => {
  "use strict";
  const box = document.getElementById("ju-explorer");
  const source = document.getElementById("ju-explorer-data");
  if (!box || !source) return;
  const data = JSON.parse(source.textContent);
  const find = (selector) => box.querySelector(selector);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const spaced = (name) => name.replaceAll("_", " ");

  // What is known of an episode whatever its question: shared by all that went the same way.
  const ACTION = { s: "search", l: "lookup", b: "backup search", f: "answer", i: "no valid action" };
  const JUDGED = { "-": "useless", "+": "useful", "?": "unreadable", ".": "" };
  const FAILED = { x: "failed result", v: "real result", ".": "result" };
  const RIGHT = "answered right", WRONG = "answered wrong";
  const NONE = "no answer, budget spent", BROKEN = "no answer, ended early";
  const AFTER = 5; // useless results in a row, as in the paper's rule
  const ways = data.patterns.map(([actions, judgments, failed, right, ended]) => {
    const tiles = [];
    let run = 0, longest = 0, fifth = 0, seen = 0;
    for (const letter of actions) {
      if (letter === "f") {
        tiles.push({ letter, judged: "", failed: "", run: 0 });
      } else {
        const judged = judgments[seen] || ".";
        run = judged === "-" ? run + 1 : 0;
        longest = Math.max(longest, run);
        tiles.push({ letter, judged, failed: failed[seen] || ".", run });
        seen += 1;
        if (run === AFTER && !fifth) fifth = tiles.length;
      }
    }
    const answered = actions.endsWith("f");
    const outcome = answered ? (right ? RIGHT : WRONG)
      : ended === "budget_exhausted" || (!ended && tiles.length >= 8) ? NONE : BROKEN;
    const decided = fifth && fifth < tiles.length; // something could still be done
    const five = !decided ? "not reached" : answered ? "answered" : "never answered";
    const words = tiles.map(({ letter, judged, failed: kind }, i) => letter === "f" ? `${i + 1} answers`
      : `${i + 1} ${ACTION[letter]}, ${FAILED[kind]}${JUDGED[judged] && `, judged ${JUDGED[judged]}`}`).join("; ");
    return { tiles, longest, fifth, outcome, five, words, stop: tiles.length };
  });
  const [cell, question, regime, pattern] = data.rows;
  const count = cell.length;
  const episode = (i) => {
    const [model, condition, split] = data.cells[cell[i]];
    return { i, model, condition, split, question: data.questions[question[i]], regime: data.regimes[regime[i]],
      way: ways[pattern[i]] };
  };
  const most = Math.max(8, ...ways.map((way) => way.stop));
  box.style.setProperty("--ju-budget", most);
  for (const [kind, name] of [["USELESS", "useless"], ["USEFUL", "useful"], ["answer", "answer"], ["UNPARSED", "unparsed"]]) {
    box.style.setProperty(`--ju-${name}`, data.colours[kind]);
  }

  const KIND = { "-": "ju-useless", "+": "ju-useful", "?": "ju-unparsed", ".": "" };
  const GLYPH = { "-": "–", "+": "+", "?": "?", ".": "·" };
  const strip = (way) => {
    const tiles = make("div", "ju-tiles");
    tiles.append(...way.tiles.map(({ letter, judged, failed }, i) => {
      if (letter === "f") return make("span", "ju-tile ju-answer", "A");
      const tile = make("span", `ju-tile ${KIND[judged]}${i + 1 === way.fifth ? " ju-fifth" : ""}`, GLYPH[judged]);
      tile.append(make("small", "", { x: "×", v: "✓", ".": " " }[failed] + letter));
      return tile;
    }));
    return tiles;
  };

  // --- Filters and sorting -------------------------------------------------------------------------------------
  const form = find("form"), list = find("[role=listbox]"), space = find(".ju-space"), detail = find(".ju-detail");
  const unique = (values) => [...new Set(values)];
  const options = {
    model: unique(data.cells.map((each) => each[0])), condition: unique(data.cells.map((each) => each[1])),
    split: unique(data.cells.map((each) => each[2])), regime: data.regimes,
    outcome: [RIGHT, WRONG, NONE, BROKEN].filter((name) => ways.some((way) => way.outcome === name)),
    stop: unique(ways.map((way) => way.stop)).sort((a, b) => a - b).map(String),
    five: ["answered", "never answered", "not reached"],
  };
  const order = (key) => (a, b) => key(a) - key(b) || a - b;
  const way = (i) => ways[pattern[i]];
  const SORTS = {
    "as in the data": (a, b) => a - b,
    "by question": order((i) => question[i]),
    "by regime": order((i) => regime[i]),
    "stop step, early first": order((i) => way(i).stop),
    "stop step, late first": order((i) => -way(i).stop),
    "most useless in a row first": order((i) => -way(i).longest),
    "by outcome": order((i) => options.outcome.indexOf(way(i).outcome)),
  };
  const choices = (select, names, shown = spaced) => {
    for (const name of names) {
      const option = make("option", "", shown(name));
      option.value = name;
      select.append(option);
    }
  };
  for (const [name, values] of Object.entries(options)) choices(form.elements[name], values);
  choices(form.elements.sort, Object.keys(SORTS));

  let rows = [], active = 0, tall = 48;
  const chosen = () => (rows.length ? rows[active] : -1);
  const filter = () => {
    const asked = Object.fromEntries([...new FormData(form)]);
    const find_ = asked.find.trim().toLowerCase();
    const cells = data.cells.map((each) => ["model", "condition", "split"].every((name, at) =>
      !asked[name] || each[at] === asked[name]));
    const fits = ways.map((each) => (!asked.outcome || each.outcome === asked.outcome) &&
      (!asked.stop || String(each.stop) === asked.stop) && (!asked.five || each.five === asked.five));
    const regimes = data.regimes.map((name) => !asked.regime || name === asked.regime);
    const questions = data.questions.map((name) => name.toLowerCase().includes(find_));
    const found = [];
    for (let i = 0; i < count; i += 1) {
      if (cells[cell[i]] && fits[pattern[i]] && regimes[regime[i]] && questions[question[i]]) found.push(i);
    }
    return found.sort(SORTS[asked.sort] ?? SORTS["as in the data"]);
  };
  const share = (n, of) => (of ? `${(100 * n / of).toFixed(1)} %` : "–");
  const summary = () => {
    const said = `${rows.length.toLocaleString("en")} of ${count.toLocaleString("en")} episodes. `;
    const arms = unique(rows.map((i) => data.cells[cell[i]].slice(0, 2).join("\0")));
    // Shares over several agents or conditions would be nobody's.
    if (arms.length !== 1) return said + (arms.length ? "Choose one model and one condition to see how often it answers." : "");
    const of = (test) => rows.reduce((sum, i) => sum + test(way(i)), 0);
    const answered = of((each) => [RIGHT, WRONG].includes(each.outcome)), right = of((each) => each.outcome === RIGHT);
    const reached = of((each) => each.five !== "not reached"), stopped = of((each) => each.five === "answered");
    return `${said}Answered ${share(answered, rows.length)}, right ${share(right, rows.length)}. After five useless results ` +
      `in a row, with an action left: ${stopped.toLocaleString("en")} of ${reached.toLocaleString("en")} answered.`;
  };

  // --- The list: only the rows in sight are in the page ----------------------------------------------------------
  const rowOf = (place) => {
    const { way: gone, ...each } = episode(rows[place]);
    const row = make("div", "ju-row"), about = make("div", "ju-about");
    row.id = `ju-row-${place}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", place === active);
    row.setAttribute("aria-posinset", place + 1);
    row.setAttribute("aria-setsize", rows.length);
    row.setAttribute("aria-label", `${each.model}, ${spaced(each.condition)}, ${spaced(each.regime)}, question ` +
      `${each.question}: ${gone.words}. ${gone.outcome}`);
    row.style.top = `${place * tall}px`;
    row.style.height = `${tall}px`;
    about.append(make("span", "", `${spaced(each.condition)} · ${spaced(each.regime)}`),
      make("small", "", `${each.model} · ${each.question}`));
    row.append(about, strip(gone), make("span", "ju-outcome", { [RIGHT]: "right", [WRONG]: "wrong" }[gone.outcome] ?? "no answer"));
    row.addEventListener("click", () => choose(place, true));
    return row;
  };
  let drawn = "";
  const draw = (anew) => {
    const from = Math.max(0, Math.floor(list.scrollTop / tall) - 3);
    const to = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / tall) + 3);
    if (!anew && drawn === `${from}-${to}`) return;
    drawn = `${from}-${to}`;
    space.replaceChildren(...Array.from({ length: Math.max(0, to - from) }, (_, i) => rowOf(from + i)));
    if (active >= from && active < to) list.setAttribute("aria-activedescendant", `ju-row-${active}`);
    else list.removeAttribute("aria-activedescendant");
  };
  const fit = () => {
    tall = list.clientWidth < 560 ? 76 : 48;
    list.classList.toggle("ju-narrow", tall === 76);
    space.style.height = `${rows.length * tall}px`;
    draw(true);
  };
  const intoSight = () => {
    const top = active * tall;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + tall > list.scrollTop + list.clientHeight) list.scrollTop = top + tall - list.clientHeight;
  };

  // --- One episode, and beside it another of the same question -----------------------------------------------------
  const step = (each, place, tile, texts) => {
    const item = make("li", `ju-step ${KIND[tile.judged] ?? ""}`), head = make("p", "ju-head");
    const [thought, text, result] = texts ?? ["", "", ""];
    head.append(make("strong", "", ACTION[tile.letter]));
    if (text) head.append(make("span", "ju-text", ` ${text}`));
    item.append(head);
    if (tile.letter !== "f") {
      const judged = JUDGED[tile.judged] ? `judged ${JUDGED[tile.judged]}` : "not judged";
      const what = `${FAILED[tile.failed]}, ${judged}${tile.run > 1 ? `, ${tile.run} in a row` : ""}`;
      (texts ? item : head).append(make(texts ? "p" : "span", "ju-what", texts ? what : ` ${what}`));
    }
    if (thought || result) {
      const fold = make("details", "ju-words");
      fold.append(make("summary", "", result ? "thought and result" : "thought"));
      for (const [name, words] of [["thought", thought], ["result", result]]) {
        if (words) fold.append(make("p", "ju-name", name), make("p", "ju-said", words));
      }
      item.append(fold);
    }
    if (place + 1 === each.way.fifth) {
      item.append(make("p", "ju-mark", each.way.five === "not reached"
        ? "The fifth useless result in a row, and no action left."
        : "The fifth useless result in a row: the moment at which the rule of five acts."));
    }
    return item;
  };
  const column = (i) => {
    const each = episode(i), part = make("section", "ju-column"), steps = make("ol", "ju-steps");
    const written = data.written[i], text = (at) => data.texts[written[at]];
    part.setAttribute("aria-label", `${spaced(each.condition)}, ${spaced(each.regime)}`);
    part.append(make("h3", "", `${spaced(each.condition)}, ${spaced(each.regime)}`),
      make("p", "ju-what", `${each.model} · ${each.split}`), strip(each.way));
    steps.append(...each.way.tiles.map((tile, place) => step(each, place, tile,
      written && 3 * place + 3 < written.length ? [1, 2, 3].map((k) => text(3 * place + k)) : null)));
    part.append(make("p", "ju-ending", each.way.outcome));
    if (written) {
      const button = make("button", "", "Unfold the transcript"), asked = make("p", "ju-said ju-asked", text(0));
      button.type = "button";
      button.dataset.juUnfold = "";
      button.addEventListener("click", () => {
        const folds = [...steps.querySelectorAll("details")], open = folds.some((fold) => !fold.open);
        for (const fold of folds) fold.open = open;
        button.textContent = open ? "Fold the transcript" : "Unfold the transcript";
      });
      part.append(asked, button);
    }
    part.append(steps);
    return part;
  };
  let beside = -1;
  const others = (i) => {
    const found = [];
    for (let j = 0; j < count; j += 1) if (j !== i && question[j] === question[i]) found.push(j);
    // Another condition of the same model and regime first: that is what the paper compares.
    const far = (j) => 4 * (data.cells[cell[j]][0] !== data.cells[cell[i]][0]) + 2 * (regime[j] !== regime[i]) +
      (data.cells[cell[j]][2] !== data.cells[cell[i]][2]);
    return found.sort((a, b) => far(a) - far(b) || a - b);
  };
  const show = () => {
    const i = chosen();
    detail.replaceChildren();
    if (i < 0) {
      detail.append(make("p", "", "No episode fits these filters."));
      return;
    }
    const each = episode(i), near = others(i), pair = make("div", "ju-pair");
    const heading = make("h2", "", `Question ${each.question}`);
    const label = make("label", "", "beside it "), select = make("select");
    detail.append(heading);
    if (!near.includes(beside)) beside = near[0] ?? -1;
    select.name = "beside";
    const nothing = make("option", "", "nothing");
    nothing.value = -1;
    select.append(nothing);
    choices(select, near, (j) => {
      const other = episode(j);
      return `${spaced(other.condition)}, ${spaced(other.regime)}${other.model === each.model ? "" : `, ${other.model}`}` +
        `${other.split === each.split ? "" : `, ${other.split}`}: ${other.way.outcome}`;
    });
    select.value = beside;
    select.addEventListener("change", () => {
      beside = Number(select.value);
      pair.replaceChildren(...[i, beside].filter((j) => j >= 0).map(column));
      remember();
    });
    label.append(select);
    pair.append(...[i, beside].filter((j) => j >= 0).map(column));
    detail.append(label, pair);
    if (!data.written[i]) {
      detail.append(make("p", "ju-what", "What the agent wrote and read is not part of these episodes; runs of your own have it."));
    }
  };

  // --- Addresses: filters and the chosen episode ------------------------------------------------------------------
  const NAMES = ["model", "condition", "split", "question", "regime"];
  const named = (i) => { const each = episode(i); return Object.fromEntries(NAMES.map((name) => [name, each[name]])); };
  let later = 0;
  const remember = () => { // browsers take only so many addresses a second
    clearTimeout(later);
    later = setTimeout(write, 150);
  };
  const write = () => {
    const address = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (value && value !== "as in the data") address.set(name === "find" || name === "sort" ? name : `only-${name}`, value);
    }
    if (chosen() >= 0) {
      for (const [name, value] of Object.entries(named(chosen()))) address.set(name, value);
      if (beside >= 0) for (const name of ["model", "condition", "regime"]) address.set(`beside-${name}`, named(beside)[name]);
    }
    history.replaceState(null, "", `#${address}`);
  };
  const choose = (place, focus) => {
    active = Math.min(Math.max(place, 0), Math.max(rows.length - 1, 0));
    intoSight();
    draw(true);
    show();
    remember();
    if (focus) list.focus({ preventScroll: true });
  };
  const refresh = (keep) => {
    rows = filter();
    active = Math.max(0, rows.indexOf(keep));
    find("[role=status]").textContent = summary();
    list.scrollTop = 0;
    fit();
    intoSight();
    draw(true);
    show();
  };
  const follow = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const element of form.elements) {
      if (!element.name) continue;
      const plain = element.name === "find" || element.name === "sort";
      const value = asked.get(plain ? element.name : `only-${element.name}`) ?? (element.name === "sort" ? "as in the data" : "");
      element.value = value;
      if (element.value !== value) element.value = element.name === "sort" ? "as in the data" : ""; // no such choice here
    }
    const fits = (i, prefix, names) => names.every((name) => !asked.has(prefix + name) || asked.get(prefix + name) === named(i)[name]);
    let keep = -1;
    if (NAMES.some((name) => asked.has(name))) {
      for (let i = 0; i < count && keep < 0; i += 1) if (fits(i, "", NAMES)) keep = i;
    }
    beside = -1;
    if (keep >= 0 && asked.has("beside-condition")) {
      beside = others(keep).find((j) => fits(j, "beside-", ["model", "condition", "regime"])) ?? -1;
    }
    refresh(keep);
    return keep >= 0 || NAMES.concat("find").some((name) => asked.has(`only-${name}`) || asked.has(name));
  };

  form.addEventListener("input", () => { refresh(-1); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { refresh(-1); remember(); }));
  let waiting = false;
  list.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(false); });
  });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / tall) - 1);
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page,
      Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) choose(to);
    else if (event.key === "Enter" && rows.length) {
      detail.focus({ preventScroll: true });
      detail.scrollIntoView({ block: "start" });
    } else return;
    event.preventDefault();
  });
  detail.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.focus();
  });
  addEventListener("resize", fit);
  addEventListener("hashchange", () => { if (follow()) box.scrollIntoView(); });
  find("[data-ju-about]").textContent = `${data.about}${data.left_out ? `; the first ${count.toLocaleString("en")} episodes, ` +
    `${data.left_out.toLocaleString("en")} more are left out` : ""}${data.without_words ? `; transcripts of ` +
    `${Object.keys(data.written).length.toLocaleString("en")} episodes, there was no room for ${data.without_words.toLocaleString("en")} more` : ""}`;
  // Links to cells that this source does not have would show something else.
  for (const link of document.querySelectorAll("[data-ju-look] a")) {
    const { model, condition, regime: named_ } = Object.fromEntries([...new URLSearchParams(link.hash.slice(1))]
      .map(([name, value]) => [name.replace("only-", ""), value]));
    const there = data.cells.some((each) => each[0] === model && each[1] === condition) && data.regimes.includes(named_);
    if (!there) link.closest("li").hidden = true;
  }
  box.hidden = false;
  follow();
})();
