// The checks themselves, on small pages with one fault each: a check that cannot fail checks nothing.

import assert from "node:assert/strict";
import { createServer } from "node:http";
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

const CONTEXTS = [0, 8192];
const REQUESTS = [1, 4];

function cell(context, requests) {
  return `<td data-context="${context}" data-requests="${requests}" data-status="valid">1,234.5</td>`;
}

function measurement(phase, context, requests) {
  const data = `data-phase="${phase}" data-context="${context}" data-requests="${requests}" data-status="valid"`;
  return `<tr ${data}><th scope="row">${phase}</th><td>1,234.5</td></tr>`;
}

const MATRIX = `<table data-matrix><thead><tr><th scope="col">Context</th>${REQUESTS.map(
  (requests) => `<th scope="col">${requests}</th>`,
).join("")}</tr></thead><tbody>${CONTEXTS.map(
  (context) =>
    `<tr><th scope="row">${context}</th>${REQUESTS.map((requests) => cell(context, requests)).join("")}</tr>`,
).join("\n")}</tbody></table>`;

const MEASUREMENTS = `<table data-measurements><thead><tr><th scope="col">Phase</th><th scope="col">Rate</th></tr></thead><tbody>${[
  measurement("prefill", 8192, 1),
  ...CONTEXTS.flatMap((context) => REQUESTS.map((requests) => measurement("decode", context, requests))),
].join("\n")}</tbody></table>`;

const GOOD = `<!doctype html><html lang="en"><head><title>Model on Hardware</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"></head><body><main><h1>Model on Hardware</h1>
${MATRIX}
${MEASUREMENTS}
</main></body></html>`;

describe("the checks", { concurrency: 4 }, () => {
  let browser;
  let server;
  const pages = [];

  before(async () => {
    server = createServer((request, response) => {
      const html = pages[Number(request.url.slice(1))];
      response.writeHead(html ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
      response.end(html ?? "");
    });
    await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Every fault of every check on a page. */
  async function faultsOf(html, options = {}) {
    const address = `http://127.0.0.1:${server.address().port}/${pages.push(html) - 1}`;
    const { page, faults, close } = await visit(browser, address, options);
    try {
      const matrix = await readMatrix(page);
      return [
        ...(await titleFaults(page)),
        ...matrixFaults(matrix),
        ...measurementFaults(await readMeasurements(page), matrix),
        ...(await widthFaults(page)),
        ...(options.scripts === false ? [] : await accessFaults(page)),
        ...faults,
      ];
    } finally {
      await close();
    }
  }

  function finds(name, html, expected, options) {
    test(name, async () => {
      assert.notEqual(html, GOOD, "the page has no fault");
      const faults = await faultsOf(html, options);
      assert.ok(
        faults.some((fault) => fault.includes(expected)),
        `\`${expected}\` is not in ${JSON.stringify(faults)}`,
      );
    });
  }

  for (const options of [{}, { scripts: false }, { width: 390 }, { colours: "dark" }]) {
    test(`a good page has no faults ${JSON.stringify(options)}`, async () => {
      assert.deepEqual(await faultsOf(GOOD, options), []);
    });
  }

  const last = cell(8192, 4);
  finds("a wrong title", GOOD.replace("<title>Model on Hardware", "<title>Run"), "the title is `Run`");
  finds("a wrong heading", GOOD.replace("<h1>Model on Hardware", "<h1>Run"), "the heading is `Run`");
  finds("no matrix", GOOD.replace("data-matrix", ""), "there is no matrix");
  finds(
    "a cell that shows only a dash",
    GOOD.replace(last, last.replace("1,234.5", "–")),
    "cell 8192 x 4 shows `–`",
  );
  finds(
    "a cell without status",
    GOOD.replace(last, last.replace(' data-status="valid"', "")),
    "cell 8192 x 4 has the status ``",
  );
  finds("a missing cell", GOOD.replace(last, ""), "row 8192 has the columns 1");
  finds("a cell in the wrong row", GOOD.replace(last, cell(0, 4)), "row 8192 mixes contexts");
  finds("rows out of order", GOOD.replaceAll("8192", "-1"), "rows are 0,-1");
  finds(
    "a cell without a row",
    GOOD.replace(measurement("decode", 8192, 4), ""),
    "cell 8192 x 4 valid has no row",
  );
  finds(
    "a row with another status",
    GOOD.replace(measurement("decode", 8192, 4), measurement("decode", 8192, 4).replace("valid", "queued")),
    "row 8192 x 4 queued has no cell",
  );
  finds("a row twice", GOOD.replace(measurement("decode", 0, 1), "$&$&"), "a cell has two rows");
  finds("no prefill row", GOOD.replace(measurement("prefill", 8192, 1), ""), "there is no prefill row");
  finds(
    "a page wider than a phone",
    GOOD.replace("<h1>", '<h1 style="width: 500px">'),
    "on a screen of 390 px",
    { width: 390 },
  );
  finds("too little contrast", GOOD.replace("<h1>", '<h1 style="color: #ddd">'), "color-contrast");
  finds(
    "a picture without text",
    GOOD.replace("</main>", '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></main>'),
    "image-alt",
  );
  finds(
    "an error in the console",
    GOOD.replace("</main>", '<script>console.error("broken")</script></main>'),
    "console: broken",
  );
  finds(
    "a script that throws",
    GOOD.replace("</main>", "<script>absent()</script></main>"),
    "script: absent is not defined",
  );
  finds(
    "an asset that is missing",
    GOOD.replace("</main>", '<script src="/absent.js"></script></main>'),
    "404: ",
  );
  finds(
    "another host",
    GOOD.replace("</main>", '<img alt="" src="http://elsewhere.example/a.gif"></main>'),
    "other host: http://elsewhere.example/a.gif",
  );
  finds(
    "a matrix made by a script",
    GOOD.replace(MATRIX, `<div id="m"></div><script>m.innerHTML = ${JSON.stringify(MATRIX)}</script>`),
    "there is no matrix",
    { scripts: false },
  );
});
