// A browser that reaches nothing but this machine, and what it notices while a page loads.

import { chromium } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox", // as root, in a container, there is no other way
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names are never looked up, so nothing can leave this machine by accident.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** Starts Debian's Chromium with a profile folder of its own, which goes with it. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.TOKMARK_CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
  });
}

/**
 * Opens an address in a fresh context. The returned faults are what a visitor never should cause:
 * errors in the console, answers that failed, requests to another host. They fill up as long as the
 * page is open.
 */
export async function visit(browser, address, { colours = "light", width = 1280, scripts = true } = {}) {
  const context = await browser.newContext({
    colorScheme: colours,
    viewport: { width, height: 900 },
    javaScriptEnabled: scripts,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const faults = watch(page, new URL(address).origin);
  await page.goto(address, { waitUntil: "networkidle" });
  return { page, faults, close: () => context.close() };
}

function watch(page, origin) {
  const faults = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    const inside = ["data:", "blob:"].includes(url.protocol) || url.origin === origin;
    if (!inside) faults.push(`other host: ${url.href}`);
  });
  page.on("websocket", (socket) => faults.push(`socket: ${socket.url()}`));
  return faults;
}
