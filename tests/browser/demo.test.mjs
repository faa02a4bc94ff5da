// The demo's run page in a real browser. `./test` starts the demo and gives its address.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { launch, visit } from "./browser.mjs";
import {
  accessFaults,
  matrixFaults,
  measurementFaults,
  readMatrix,
  readMeasurements,
  titleFaults,
  widthFaults,
} from "./run-page.mjs";

const ADDRESS = process.env.TOKMARK_RUN_PAGE;
const SCREENSHOTS =
  process.env.TOKMARK_SCREENSHOTS ?? new URL("../../target/screenshots", import.meta.url).pathname;
const PHONE = 390;

describe("the run page of the demo", { skip: ADDRESS ? false : "TOKMARK_RUN_PAGE is not set" }, () => {
  let browser;

  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    browser = await launch();
  });
  after(() => browser?.close());

  /** Opens the page, runs the checks, and wants neither their faults nor the browser's. */
  async function check(options, checks) {
    const { page, faults, close } = await visit(browser, ADDRESS, options);
    try {
      const found = await checks(page);
      assert.deepEqual([...found, ...faults], []);
    } finally {
      await close();
    }
  }

  async function contents(page) {
    const matrix = await readMatrix(page);
    const measurements = await readMeasurements(page);
    return [
      ...(await titleFaults(page)),
      ...matrixFaults(matrix),
      ...measurementFaults(measurements, matrix),
    ];
  }

  test("shows every cell and every measurement", () => check({}, contents));

  test("shows the same without scripts", async () => {
    await check({ scripts: false }, contents);
    const seen = [];
    for (const scripts of [true, false]) {
      await check({ scripts }, async (page) => {
        seen.push([await readMatrix(page), await readMeasurements(page)]);
        return [];
      });
    }
    assert.deepEqual(seen[0], seen[1]);
  });

  test("does not scroll sideways on a phone", () => check({ width: PHONE }, widthFaults));

  for (const colours of ["light", "dark"]) {
    for (const width of [1280, PHONE]) {
      test(`is accessible at ${width} px, ${colours}`, () =>
        check({ colours, width }, async (page) => {
          await page.screenshot({ path: `${SCREENSHOTS}/run-${width}-${colours}.png`, fullPage: true });
          return accessFaults(page);
        }));
    }
  }
});
