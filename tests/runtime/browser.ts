import { createRequire } from "node:module";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { needBrowser, needTools } from "./tools.js";

/** The part of playwright-core that the tests use; the package itself comes with the tools. */
interface Playwright {
  readonly chromium: {
    launch(options: {
      readonly executablePath: string;
      readonly args: readonly string[];
    }): Promise<Browser>;
  };
}

interface Browser {
  newPage(options?: {
    readonly viewport?: { readonly width: number; readonly height: number };
    readonly colorScheme?: "light" | "dark";
  }): Promise<Page>;
  close(): Promise<void>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  locator(selector: string, options?: { readonly hasText: string | RegExp }): Locator;
  /** An expression, as text: tests have no types of the browser. */
  evaluate(expression: string): Promise<unknown>;
  waitForFunction(expression: string): Promise<unknown>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void> };
  on(event: "request", listener: (request: { url(): string }) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  on(event: "dialog", listener: (dialog: { message(): string }) => void): void;
}

export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  textContent(): Promise<string | null>;
  allTextContents(): Promise<string[]>;
  getAttribute(name: string): Promise<string | null>;
  count(): Promise<number>;
  first(): Locator;
  locator(selector: string): Locator;
  waitFor(options?: { readonly state?: "visible" | "hidden" | "attached" }): Promise<void>;
}

const ARGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

export interface WatchedPage {
  readonly page: Page;
  /** The address of everything that was asked for. */
  readonly requests: readonly string[];
  /** What went wrong in it, or was run that must not be. */
  readonly troubles: readonly string[];
}

/** A page in a real browser, watched for what it asks for. */
export async function openPage(
  context: TestContext,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<WatchedPage> {
  const program = needBrowser(context);
  const load = createRequire(join(needTools(context), "none.js"));
  const { chromium } = load("playwright-core") as Playwright;
  const browser = await chromium.launch({ executablePath: program, args: ARGS });
  onTestFinished(() => browser.close());
  const page = await browser.newPage(options);
  const requests: string[] = [];
  const troubles: string[] = [];
  page.on("request", (request) => void requests.push(request.url()));
  page.on("pageerror", (error) => void troubles.push(error.message));
  page.on("dialog", (dialog) => void troubles.push(`dialog: ${dialog.message()}`));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  return { page, requests, troubles };
}
