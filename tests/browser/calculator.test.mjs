// The calculator's pages in a real browser. `./test` starts the demo, whose site has them.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { launch, visit } from "./browser.mjs";
import { accessFaults, widthFaults } from "./run-page.mjs";

const ADDRESS = process.env.TOKMARK_RUN_PAGE;
const SCREENSHOTS =
  process.env.TOKMARK_SCREENSHOTS ?? new URL("../../target/screenshots", import.meta.url).pathname;
const PHONE = 390;

const QUESTIONS = {
  "the example": "",
  "several accelerators and costs":
    "?model=deepseek-ai/DeepSeek-V3-0324&quantization=FP8&hardware=8 x H200&rent=typical&at_requests=16&at_context=16k",
  "what does not fit": "?model=Qwen/Qwen3-32B&hardware=RTX 3090",
  "two machines":
    "?model=openai/gpt-oss-120b&quantization=MXFP4&hardware=Mac Studio M3 Ultra&memory_gib=96&engine=llamacpp&versus=2 x RTX 5090" +
    "&price=4000&lifetime_years=4&electricity_per_kwh=0.3&rent_per_hour=1",
};

describe("the calculator", { skip: ADDRESS ? false : "TOKMARK_RUN_PAGE is not set" }, () => {
  const calculator = ADDRESS ? new URL("/en/decode-calculator", ADDRESS).href : "";
  let browser;

  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    browser = await launch();
  });
  after(() => browser?.close());

  /** Opens an address, runs the checks, and wants neither their faults nor the browser's. */
  async function check(path, options, checks) {
    const { page, faults, close } = await visit(browser, calculator + path, options);
    try {
      const found = (await checks(page)) ?? [];
      assert.deepEqual([...found, ...faults], []);
    } finally {
      await close();
    }
  }

  const verdict = (page) => page.locator("[data-verdict]").innerText();

  /** Waits until the sentence is another one. */
  async function changed(page, before) {
    await page.waitForFunction(
      (before) => document.querySelector("[data-verdict]")?.innerText !== before,
      before,
    );
    return verdict(page);
  }

  for (const [name, path] of Object.entries(QUESTIONS)) {
    for (const [colours, width] of [
      ["light", 1280],
      ["dark", 1280],
      ["light", PHONE],
    ]) {
      test(`shows ${name} at ${width} px, ${colours}`, () =>
        check(path, { colours, width }, async (page) => {
          const file = `calculator-${name.replaceAll(" ", "-")}-${width}-${colours}.png`;
          await page.screenshot({ path: `${SCREENSHOTS}/${file}`, fullPage: true });
          assert.match(await page.locator(".verdict h2").innerText(), /^(Fits|Does not fit) \S+/);
          return [...(await accessFaults(page)), ...(await widthFaults(page))];
        }));
    }
  }

  test("finds machines for a need", () =>
    check("/need", {}, async (page) => {
      const rows = await page.locator("table[data-machines] tbody tr").count();
      assert.ok(rows > 10, `${rows} machines`);
      const before = await verdict(page);
      await page.locator("#people").fill("64");
      assert.notEqual(await changed(page, before), before);
      return [...(await accessFaults(page)), ...(await widthFaults(page))];
    }));

  test("answers a form without scripts", () =>
    check("", { scripts: false }, async (page) => {
      const before = await verdict(page);
      assert.equal(await page.locator(".slider").first().isVisible(), false);
      await page.locator("#at_requests").fill("2");
      await page.locator("#hardware").fill("RTX 4090");
      await page.getByRole("button", { name: "Calculate" }).click();
      await page.waitForURL(/hardware=RTX\+4090/);
      assert.notEqual(await verdict(page), before);
      assert.match(await verdict(page), /^2 requests/);
      assert.equal(await page.locator("#hardware").inputValue(), "RTX 4090");
    }));

  test("follows a slider by keyboard, keeps focus and address", () =>
    check("", {}, async (page) => {
      const before = await verdict(page);
      const slider = page.locator('.slider[data-for="at_requests"]');
      await slider.focus();
      await page.keyboard.press("ArrowLeft");
      const after = await changed(page, before);
      assert.match(before, /^4 requests/);
      assert.match(after, /^3 requests/);
      assert.equal(await page.locator("#at_requests").inputValue(), "3");
      assert.equal(await slider.getAttribute("aria-valuetext"), "3");
      assert.equal(await slider.evaluate((element) => element === document.activeElement), true);
      await page.waitForURL(/at_requests=3/);
      assert.doesNotMatch(page.url(), /quantization/);
      assert.equal(await page.locator("[data-said]").textContent(), await page.locator("[data-verdict]").textContent());
      await page.reload({ waitUntil: "networkidle" });
      assert.equal(await verdict(page), after);
    }));

  test("takes a cell of the matrix", () =>
    check("", {}, async (page) => {
      const before = await verdict(page);
      await page.locator('[data-predicted] td[data-context="0"][data-requests="16"]').click();
      assert.match(await changed(page, before), /^16 requests at 0 /);
      assert.equal(await page.locator("[data-predicted] td.chosen").getAttribute("data-requests"), "16");
    }));

  test("tells what is wrong at its field, and recovers", () =>
    check("", {}, async (page) => {
      const before = await verdict(page);
      await page.locator("#hardware").fill("RTX 309");
      await page.locator('#fault-hardware:has-text("not in the catalog")').waitFor();
      assert.equal(await page.locator("#hardware").getAttribute("aria-invalid"), "true");
      assert.deepEqual(await accessFaults(page), []);
      await page.locator("#hardware").fill("RTX 3090");
      await page.locator("[data-verdict]").waitFor();
      assert.equal(await verdict(page), before);
      assert.equal(await page.locator("#fault-hardware").textContent(), "");
      assert.equal(await page.locator("#hardware").getAttribute("aria-invalid"), null);
    }));

  test("leaves open what was opened, and its buttons copy", () =>
    check("", {}, async (page) => {
      await page.locator("#every-term summary").click();
      const before = await verdict(page);
      await page.locator("#at_context").fill("4k");
      await changed(page, before);
      assert.equal(await page.locator("#every-term").getAttribute("open"), "");
      assert.equal(await page.locator('[data-copy="calc-command"]').isVisible(), true);
    }));
});
