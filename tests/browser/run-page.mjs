// What is read from a run page, and what must hold for it. A check returns its faults as sentences;
// none means that it holds.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rows of the matrix, each a list of cells as the page shows them. */
export function readMatrix(page) {
  return page.$$eval("table[data-matrix] tr", (rows) =>
    rows
      .map((row) =>
        [...row.querySelectorAll("td[data-context][data-requests]")].map((cell) => ({
          context: Number(cell.dataset.context),
          requests: Number(cell.dataset.requests),
          status: cell.dataset.status ?? "",
          text: cell.innerText.trim(),
        })),
      )
      .filter((cells) => cells.length > 0),
  );
}

/** Rows of the table of all measurements. */
export function readMeasurements(page) {
  return page.$$eval("table[data-measurements] tr[data-phase]", (rows) =>
    rows.map((row) => ({
      phase: row.dataset.phase,
      context: Number(row.dataset.context),
      requests: Number(row.dataset.requests),
      status: row.dataset.status ?? "",
      text: row.innerText.trim(),
    })),
  );
}

/** The title and the heading say which model ran on which hardware. */
export async function titleFaults(page) {
  const faults = [];
  const title = await page.title();
  const heading = (await page.locator("h1").allInnerTexts()).join(" ").trim();
  if (!/\S on \S/.test(title)) faults.push(`the title is \`${title}\``);
  if (!/\S on \S/.test(heading)) faults.push(`the heading is \`${heading}\``);
  return faults;
}

/** Rows are contexts, columns are requests, both rising, and no cell is without number or status. */
export function matrixFaults(matrix) {
  if (matrix.length === 0) return ["there is no matrix"];
  const faults = [];
  const columns = matrix[0].map((cell) => cell.requests);
  if (!rises(columns)) faults.push(`columns are ${columns}`);
  const contexts = matrix.map((cells) => cells[0].context);
  if (!rises(contexts)) faults.push(`rows are ${contexts}`);
  for (const cells of matrix) {
    const [{ context }] = cells;
    const requests = cells.map((cell) => cell.requests);
    if (`${requests}` !== `${columns}`) faults.push(`row ${context} has the columns ${requests}`);
    if (cells.some((cell) => cell.context !== context)) faults.push(`row ${context} mixes contexts`);
    faults.push(...cells.flatMap(cellFaults));
  }
  return faults;
}

function cellFaults({ context, requests, status, text }) {
  const faults = [];
  if (!/^[a-z_]+$/.test(status)) faults.push(`cell ${context} x ${requests} has the status \`${status}\``);
  if (!/[\p{L}\p{N}]/u.test(text)) faults.push(`cell ${context} x ${requests} shows \`${text}\``);
  return faults;
}

function rises(numbers) {
  return numbers.every(
    (number, index) => Number.isFinite(number) && (index === 0 || numbers[index - 1] < number),
  );
}

/** One row for each cell of the matrix, with its status, and one for each prefill point. */
export function measurementFaults(measurements, matrix) {
  const name = ({ context, requests, status }) => `${context} x ${requests} ${status}`;
  const cells = matrix.flat().map(name).sort();
  const decode = measurements
    .filter((row) => row.phase === "decode")
    .map(name)
    .sort();
  const prefill = measurements.filter((row) => row.phase === "prefill").map((row) => row.context);
  const faults = [];
  faults.push(...without(cells, decode).map((cell) => `cell ${cell} has no row`));
  faults.push(...without(decode, cells).map((row) => `row ${row} has no cell`));
  if (new Set(decode).size !== decode.length) faults.push("a cell has two rows");
  if (prefill.length === 0) faults.push("there is no prefill row");
  if (new Set(prefill).size !== prefill.length) faults.push(`prefill rows are ${prefill}`);
  faults.push(...measurements.filter((row) => row.text === "").map((row) => `row ${name(row)} is empty`));
  return faults;
}

function without(names, others) {
  return names.filter((name) => !others.includes(name));
}

/** The page itself never scrolls sideways; a wide table scrolls in its own box. */
export async function widthFaults(page) {
  const [page_width, window_width] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  return page_width > window_width ? [`${page_width} px on a screen of ${window_width} px`] : [];
}

/** Violations that axe calls serious or critical, with the places. */
export async function accessFaults(page) {
  // Evaluated by the debugger, so that the page's own content security policy stays in force.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter((violation) => ["serious", "critical"].includes(violation.impact))
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .slice(0, 5)
          .map((node) => node.target.join(" "))
          .join(", ")}`,
    );
}
