// Predictions on the demo's run page, and the pages of calibrated paths.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { launch, visit } from "./browser.mjs";
import { accessFaults, widthFaults } from "./run-page.mjs";

const RUN = process.env.TOKMARK_RUN_PAGE;
const SCREENSHOTS =
  process.env.TOKMARK_SCREENSHOTS ?? new URL("../../target/screenshots", import.meta.url).pathname;
const PHONE = 390;

describe("predicted beside measured", { skip: RUN ? false : "TOKMARK_RUN_PAGE is not set" }, () => {
  let browser;

  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    browser = await launch();
  });
  after(() => browser?.close());

  async function check(address, options, checks) {
    const { page, faults, close } = await visit(browser, address, options);
    try {
      const found = await checks(page);
      assert.deepEqual([...found, ...faults], []);
    } finally {
      await close();
    }
  }

  /** The address of the demo's path, as its run page gives it. */
  async function pathAddress() {
    const { page, close } = await visit(browser, RUN, { scripts: false });
    const href = await page.locator("[data-predicted] a").first().getAttribute("href");
    await close();
    return new URL(href, RUN).href;
  }

  test("every error on the run page is predicted over measured", () =>
    check(RUN, { scripts: false }, async (page) => {
      const cells = await page.$$eval("table[data-predicted-matrix] td", (cells) =>
        cells.map((cell) => {
          const text = (name) => cell.querySelector(name)?.textContent ?? "";
          return [".measured", ".prediction", ".error"].map((name) =>
            Number.parseFloat(text(name).replace(/[^0-9.+-]/g, "")),
          );
        }),
      );
      const known = cells.filter((figures) => figures.every(Number.isFinite));
      assert.ok(known.length >= 3, `${known.length} cells have an error`);
      return known
        .filter(([measured, predicted, error]) => {
          const expected = (predicted / measured - 1) * 100;
          return Math.abs(expected - error) > 0.2;
        })
        .map((figures) => `measured, predicted, error: ${figures}`);
    }));

  test("a path names its runs, constants and residuals", async () => {
    const address = await pathAddress();
    assert.match(address, /\/decode-calculator\/paths\/[a-z0-9-]+$/);
    await check(address, { scripts: false }, async (page) => {
      const count = (selector) => page.locator(selector).count();
      assert.equal(await count("[data-errors] tbody tr"), 6);
      assert.ok((await count("[data-path-runs] tbody tr")) >= 1);
      assert.ok((await count("[data-constants] tbody tr")) >= 8);
      await page.locator("details summary").first().click();
      assert.ok(await page.locator("[data-residuals] tbody tr").first().isVisible());
      return [];
    });
  });

  test("a path leads back to the list, and the list to it", async () => {
    const address = await pathAddress();
    await check(address, { scripts: false }, async (page) => {
      await page.locator(".run-head .more a").click();
      await page.locator("[data-paths] a").first().click();
      return page.url() === address ? [] : [`came to ${page.url()}`];
    });
  });

  for (const colours of ["light", "dark"]) {
    for (const width of [1280, PHONE]) {
      for (const which of ["paths", "path"]) {
        test(`${which} is accessible at ${width} px, ${colours}`, async () => {
          const path = await pathAddress();
          const address = which === "path" ? path : path.replace(/\/[^/]+$/, "");
          await check(address, { colours, width }, async (page) => {
            const file = `${SCREENSHOTS}/${which}-${width}-${colours}.png`;
            await page.screenshot({ path: file, fullPage: true });
            return [...(await widthFaults(page)), ...(await accessFaults(page))];
          });
        });
      }
    }
  }
});
