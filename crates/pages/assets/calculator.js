// The answer follows the form. Without this script the form is sent by its button, and the page that
// comes back shows the same.
"use strict";
const form = document.querySelector("form[data-answer]");
const answer = document.getElementById("answer");
const said = document.querySelector("[data-said]");
const brief = document.querySelector("[data-brief]");
let asked = null;
let planned = 0;

/** What was typed, without what is empty: the address that is shared. */
function question() {
  const filled = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value.trim() !== "") filled.append(name, value.trim());
  }
  return filled;
}

/** Puts each fault at its field. */
function showFaults() {
  for (const place of form.querySelectorAll(".fault")) {
    const name = place.id.slice("fault-".length);
    const fault = answer.querySelector(`[data-fault="${name}"] span`);
    const field = document.getElementById(name);
    place.textContent = fault ? fault.textContent : "";
    if (fault) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    const folded = field.closest("details");
    if (fault && folded) folded.open = true;
  }
}

/** The answer in short, for screens on which the form hides it. */
function showBrief() {
  const verdict = answer.querySelector("[data-verdict]");
  const word = answer.querySelector(".badge-fit")?.textContent;
  const [first] = verdict ? verdict.textContent.split(". ") : [""];
  brief.textContent = word ? `${word}: ${first.replace(/\.$/, "")}` : first;
}

/** Puts a new answer in, and leaves open and scrolled what was. */
function replace(html) {
  const open = [...answer.querySelectorAll("details[open]")].map((part) => part.id);
  const places = [...answer.querySelectorAll(".scroll[id]")].map((box) => [box.id, box.scrollLeft, box.scrollTop]);
  const focused = answer.contains(document.activeElement) ? document.activeElement.id : "";
  answer.innerHTML = html;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  for (const [id, left, top] of places) document.getElementById(id)?.scrollTo({ left, top, behavior: "instant" });
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  showFaults();
  showBrief();
  const verdict = answer.querySelector("[data-verdict]") ?? answer.querySelector(".faults h2");
  if (verdict && said.textContent !== verdict.textContent) said.textContent = verdict.textContent;
  document.dispatchEvent(new CustomEvent("replaced", { detail: answer }));
}

async function ask() {
  planned = 0;
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  const words = question().toString();
  // A first answer is shown before anything was asked; an empty form is a question too.
  const address = `${form.dataset.answer}?${words || "model="}`;
  answer.classList.add("waiting");
  try {
    const reply = await fetch(address, { signal });
    const html = await reply.text();
    if (signal.aborted || !reply.ok) return;
    replace(html);
    history.replaceState(null, "", `${form.getAttribute("action")}?${words}`);
  } catch (error) {
    if (error.name !== "AbortError") form.submit();
  } finally {
    if (!signal.aborted) answer.classList.remove("waiting");
  }
}

/** At most once a frame, whatever moves. */
function plan() {
  if (!planned) planned = requestAnimationFrame(ask);
}

/** `16k` as 16384; words that are no number as NaN. */
function amount(text) {
  const unit = { k: 1024, m: 1024 * 1024 }[text.trim().slice(-1).toLowerCase()];
  return unit ? Number.parseFloat(text) * unit : Number.parseFloat(text);
}

/** A slider beside a field: each moves the other. */
function couple(slider) {
  const field = document.getElementById(slider.dataset.for);
  const stops = slider.dataset.stops.split(",");
  slider.max = stops.length - 1;
  slider.hidden = false;
  const follow = () => {
    const wanted = amount(field.value || field.placeholder);
    const far = (stop) => Math.abs(Math.log1p(amount(stop)) - Math.log1p(wanted));
    const nearest = stops.reduce((best, stop, at) => (far(stop) < far(stops[best]) ? at : best), 0);
    if (!Number.isNaN(wanted)) slider.value = nearest;
    slider.setAttribute("aria-valuetext", stops[slider.value]);
  };
  slider.addEventListener("input", () => {
    field.value = stops[slider.value];
    slider.setAttribute("aria-valuetext", field.value);
  });
  field.addEventListener("input", follow);
  follow();
}

if (form && answer) {
  document.documentElement.classList.add("live");
  for (const slider of form.querySelectorAll(".slider")) couple(slider);
  showBrief();
  form.addEventListener("input", plan);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    plan();
  });
  // A cell of the matrix can be chosen; its numbers are in the sliders too, for the keyboard.
  answer.addEventListener("click", (event) => {
    const cell = event.target.closest(".pick td");
    if (!cell) return;
    for (const [name, value] of [["at_context", cell.dataset.context], ["at_requests", cell.dataset.requests]]) {
      const field = document.getElementById(name);
      field.value = value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
}
