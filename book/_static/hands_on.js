// Δ, hands on: simulated agents with a known stopping rule, drawn and measured here exactly as the library does it
// (judged_useless.stopping.simulate, time_matched_contrast, integration_index, design_label_contrast).
(() => {
  "use strict";
  const box = document.getElementById("ju-hands-on");
  const source = document.getElementById("ju-hands-on-data");
  if (!box || !source) return;
  const data = JSON.parse(source.textContent);
  const names = Object.keys(data.regimes), schedules = Object.values(data.regimes);
  const budget = data.budget, episodes = data.questions * names.length, last = budget - 2;

  // NumPy's default generator (PCG64, XSL-RR), in the order in which the library draws.
  const drawn = new Map();
  const draws = (seed) => {
    if (drawn.has(seed)) return drawn.get(seed);
    const bits = (number, width) => BigInt.asUintN(width, number);
    const by = 0x2360ED051FC65DA44385DF649FCCF645n;
    let [state, step] = data.states[seed].map((hex) => BigInt(`0x${hex}`));
    const numbers = new Float64Array(3 * episodes * budget);
    for (let i = 0; i < numbers.length; i += 1) {
      state = bits(state * by + step, 128);
      const turn = state >> 122n, mixed = bits((state >> 64n) ^ state, 64);
      const word = bits((mixed >> turn) | (mixed << (64n - turn)), 64);
      numbers[i] = Number(word >> 11n) / 2 ** 53;
    }
    drawn.set(seed, numbers);
    return numbers;
  };

  // Policy -> its one number, if it has one, what it goes by, and the probability of answering at a decision.
  const POLICIES = {
    never: { by: "nothing", hazard: () => 0 },
    deadline: { by: "time", hazard: (_, t) => t + 1 === budget },
    clock: { by: "time", label: "answers at action", min: 2, max: budget, step: 1, at: 6, hazard: (c, t) => t >= c - 1 },
    time: { by: "time", label: "rises by, per result", min: 0.01, max: 0.5, step: 0.01, at: data.slopes.time,
      hazard: (slope, t) => Math.min(1, slope * t) },
    own: { by: "own", label: "counts to k =", min: 1, max: 7, step: 1, at: 5, hazard: (k, t, run) => run >= k },
    rising: { by: "own", label: "rises by, per useless result in a row", min: 0.01, max: 0.5, step: 0.01,
      at: data.slopes.rising, hazard: (slope, t, run) => Math.min(1, slope * run) },
    design: { by: "schedule", label: "counts to k =", min: 1, max: 7, step: 1, at: 5,
      hazard: (k, t, run, failedRun) => failedRun >= k },
  };
  const GOES_BY = {
    nothing: "This agent never stops by itself: a measure of integration should show 0, or nothing.",
    time: "This agent goes by time alone: a measure of integration should show 0.",
    own: "This agent goes by its own count of useless results: a measure of integration should be above 0.",
    schedule: "This agent goes by which results really failed, not by its judgments.",
  };

  const share = ([n, x]) => x / n;
  const undefinedAs = (reason) => ({ value: NaN, reason });
  // The Mantel–Haenszel risk difference over steps, or why there is none.
  const contrast = (steps, sides) => {
    for (const side of [0, 1]) {
      if (!steps.some((groups) => groups[side][0])) return undefinedAs(`no decision in group ${sides[side]}`);
    }
    let above = 0, below = 0;
    for (const [[n, x], [m, y]] of steps) {
      above += (x * m - y * n) / Math.max(n + m, 1);
      below += (n * m) / Math.max(n + m, 1);
    }
    return below > 0 ? { value: above / below, reason: "" } : undefinedAs("no stratum holds decisions of both groups");
  };

  const simulate = ({ policy, parameter, failed, real, ends, seed }) => {
    const u = draws(seed), size = episodes * budget, { hazard } = POLICIES[policy];
    const pair = () => [0, 0];
    const steps = Array.from({ length: budget }, () => [pair(), pair()]);
    const design = Array.from({ length: budget }, () => [pair(), pair()]);
    const late = pair(), early = pair(), shown = [];
    const persistent = names.indexOf("persistent"), onset = names.indexOf("late_onset_from_3");
    for (let i = 0; i < episodes; i += 1) {
      const regime = i % names.length, schedule = schedules[regime], useless = [];
      let run = 0, failedRun = 0, answered = false;
      for (let t = 1; t <= budget; t += 1) {
        const at = i * budget + t - 1, fails = schedule[t - 1], isUseless = u[at] < (fails ? failed : real);
        useless.push(isUseless);
        if (t === budget) break; // the last result leaves nothing to decide
        run = isUseless ? run + 1 : 0;
        failedRun = fails ? failedRun + 1 : 0;
        const leaves = !fails && !isUseless && u[size + at] < ends;
        answered = leaves || u[2 * size + at] < hazard(parameter, t, run, failedRun);
        const count = (group) => { group[0] += 1; group[1] += answered; };
        if (t <= last) {
          if (data.late.includes(failedRun)) count(late);
          if (data.early.includes(failedRun)) count(early);
          if (t >= 3 && run === t) count(steps[t][0]);
          if (t >= 3 && run >= 1 && run <= t - 2) count(steps[t][1]);
          if (t >= 3 && regime === persistent) count(design[t][0]);
          if (t >= 3 && regime === onset) count(design[t][1]);
        }
        if (answered) break;
      }
      shown.push({ regime, useless, answered });
    }
    const lacking = (n, [one, other]) => n[0] || undefinedAs(`no decision after ${one} or ${other} failed results in a row`);
    const without = [lacking(late, data.late), lacking(early, data.early)].find((each) => each.reason);
    return {
      steps: steps.slice(3, last + 1).map(([a, b], i) => ({ t: i + 3, a, b })),
      delta: contrast(steps.slice(3, last + 1), ["(a), the long run", "(b), the short run"]),
      index: without || { value: share(late) - share(early), reason: "" },
      design: contrast(design.slice(3, last + 1), ["(a), persistent", "(b), late_onset_from_3"]),
      shown,
    };
  };

  const form = box.querySelector("form");
  const find = (selector) => box.querySelector(selector);
  const settings = () => {
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) =>
      [name, name === "policy" ? value : Number(value)]));
    return { parameter: 0, ...given };
  };
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const number = (value, digits = 3) => value.toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
  const told = ({ value, reason }) => reason ? `undefined: ${reason}` : number(value);

  let first = 0; // the first question whose histories are shown
  const drawStrips = (result) => {
    const strips = find(".ju-strips");
    const rows = result.shown.slice(first * names.length, (first + 2) * names.length).map((episode) => {
      const row = make("div", "ju-strip"), words = [], tiles = make("div", "ju-tiles");
      row.append(make("span", "ju-strip-name", names[episode.regime].replaceAll("_", " ")), tiles);
      const seen = episode.answered ? episode.useless.length : budget;
      let run = 0;
      for (let t = 1; t <= seen; t += 1) {
        const useless = episode.useless[t - 1], fails = schedules[episode.regime][t - 1];
        run = useless ? run + 1 : 0;
        const decides = t >= 3 && t <= last;
        const group = decides && run === t ? "a" : decides && run >= 1 && run <= t - 2 ? "b" : "";
        const tile = make("span", `ju-tile ju-${useless ? "useless" : "useful"}`, useless ? "–" : "+");
        tile.append(make("small", "", `${fails ? "×" : "✓"}${group && ` ${group}`}`));
        if (group) tile.classList.add(`ju-in-${group}`);
        tiles.append(tile);
        words.push(`${fails ? "failed" : "real"}, ${useless ? "useless" : "useful"}${group && `, in (${group})`}`);
      }
      if (episode.answered) {
        const tile = make("span", "ju-tile ju-answer", "A");
        tiles.append(tile);
        words.push("answers");
      }
      tiles.setAttribute("role", "img");
      tiles.setAttribute("aria-label", words.map((word, i) => `${i + 1} ${word}`).join("; "));
      return row;
    });
    strips.replaceChildren(...rows);
    find("[data-ju-which]").textContent = `questions ${first + 1} and ${first + 2} of ${data.questions}`;
  };

  const svg = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const drawBars = (result) => {
    const chart = find("svg.ju-bars"), [left, top, height, wide] = [42, 14, 120, 84];
    const parts = [svg("text", { x: left - 4, y: top + height + 28, "text-anchor": "end", class: "ju-count" }, "of")];
    for (const level of [0, 0.5, 1]) {
      const y = top + height * (1 - level);
      parts.push(svg("line", { x1: left, x2: left + 4 * wide, y1: y, y2: y, class: "ju-grid" }),
        svg("text", { x: left - 4, y: y + 4, "text-anchor": "end" }, `${100 * level} %`));
    }
    result.steps.forEach(({ t, a, b }, i) => {
      const x = left + i * wide;
      for (const [j, name, [n, answers]] of [[0, "a", a], [1, "b", b]]) {
        const at = x + 8 + 35 * j, tall = n ? height * answers / n : 0, base = top + height;
        parts.push(svg("rect", { x: at, y: base - tall, width: 32, height: tall, class: `ju-bar-${name}` }),
          svg("text", { x: at + 16, y: base - tall - 3, "text-anchor": "middle", class: "ju-value" },
            n ? `${Math.round(100 * answers / n)}` : "–"),
          svg("text", { x: at + 16, y: base + 14, "text-anchor": "middle" }, `(${name})`),
          svg("text", { x: at + 16, y: base + 28, "text-anchor": "middle", class: "ju-count" }, n));
      }
      parts.push(svg("text", { x: x + 41, y: top + height + 45, "text-anchor": "middle", class: "ju-step" }, `after ${t}`));
    });
    chart.replaceChildren(...parts);
    chart.setAttribute("aria-label", `Simulated. Answers by step: ${result.steps.map(({ t, a, b }) =>
      `after ${t} results (a) ${a[1]} of ${a[0]}, (b) ${b[1]} of ${b[0]}`).join("; ")}.`);
  };

  let waiting = 0;
  const show = () => {
    const given = settings(), result = simulate(given), { by } = POLICIES[given.policy];
    for (const name of ["delta", "index", "design"]) {
      const row = find(`[data-ju-measure=${name}]`), { value, reason } = result[name];
      row.querySelector("output").textContent = told(result[name]);
      row.querySelector("output").classList.toggle("ju-undefined", Boolean(reason));
      const dot = row.querySelector(".ju-dot");
      dot.hidden = Boolean(reason);
      if (!reason) dot.style.setProperty("--at", `${50 + 50 * value}%`);
    }
    for (const input of form.querySelectorAll("input[type=range]")) {
      input.parentElement.querySelector("output").textContent = input.value;
    }
    find("[data-ju-by]").textContent = GOES_BY[by];
    drawStrips(result);
    drawBars(result);
    clearTimeout(waiting); // a slider that is being dragged is told once
    waiting = setTimeout(() => {
      find("[role=status]").textContent = `Simulated: Δ ${told(result.delta)}; integration index I ` +
        `${told(result.index)}; design-label contrast ${told(result.design)}. ` +
        `${find("svg.ju-bars").getAttribute("aria-label")}`;
    }, 250);
    box.result = result; // for whoever wants the numbers behind the drawing
    return result;
  };
  const adapt = (parameter) => {
    const policy = POLICIES[form.elements.policy.value], slider = form.elements.parameter;
    const row = slider.closest("label");
    row.hidden = slider.disabled = !policy.label;
    if (!policy.label) return;
    row.querySelector("span").textContent = policy.label;
    for (const name of ["min", "max", "step"]) slider[name] = policy[name];
    slider.value = parameter ?? policy.at;
  };
  const follow = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!Object.hasOwn(POLICIES, asked.get("policy") ?? "")) return false;
    for (const [name, value] of asked) {
      if (name !== "parameter" && form.elements[name]) form.elements[name].value = value;
    }
    adapt(asked.get("parameter"));
    show();
    return true;
  };

  for (const name of ["failed", "real", "ends"]) form.elements[name].defaultValue = data[name];
  form.elements.seed.max = data.states.length - 1;
  for (const [kind, name] of [["USELESS", "useless"], ["USEFUL", "useful"], ["answer", "answer"]]) {
    box.style.setProperty(`--ju-${name}`, data.colours[kind]);
  }
  form.addEventListener("input", (event) => {
    if (event.target.name === "policy") adapt();
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { adapt(); show(); }));
  find("[data-ju-next]").addEventListener("click", () => {
    first = (first + 2) % (data.questions - data.questions % 2);
    drawStrips(box.result);
  });
  addEventListener("hashchange", () => { if (follow()) box.scrollIntoView(); });
  box.hidden = false;
  if (!follow()) {
    adapt();
    show();
  }
})();
