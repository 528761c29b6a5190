import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { PageData } from "./page-data.js";
import type { PageDetail, PageExport } from "./page-types.js";

interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** The page's program and style; the build puts them beside this file. */
export async function readPageFiles(): Promise<PageFiles> {
  const read = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), "utf8");
  return { script: await read("page.js"), style: await read("page.css") };
}

const NAME = "context-offload";

function renderHtml(head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${NAME}</title>
</head>
<body>
<main id="page"></main>
${body}
</body>
</html>
`;
}

/** The page as the server gives it: all that it shows comes later, as data. */
export function renderPage(): string {
  return renderHtml(
    `<link rel="stylesheet" href="page.css">`,
    `<noscript>This page needs JavaScript.</noscript>\n<script src="page.js"></script>`,
  );
}

/** All of the page in one file, which asks for nothing. */
export async function renderExport(
  data: PageData,
  options: {
    readonly withContent: boolean;
    readonly onProgress: (done: number, of: number) => void;
  },
): Promise<string> {
  const overview = await data.overview();
  const results = await data.results();
  const strips: [string, PageExport["strips"][number][1]][] = [];
  for (const { sessionId } of overview.sessions)
    strips.push([sessionId, await data.strip(sessionId)]);
  const details: PageDetail[] = [];
  const texts: string[] = [];
  for await (const { detail, text } of data.details(options.withContent)) {
    details.push(detail);
    if (text !== undefined) texts.push(text);
    options.onProgress(details.length, results.length);
  }
  const all: PageExport = {
    ...{ exportedAt: new Date().toISOString(), overview, results, strips, details },
    texts: options.withContent ? texts : undefined,
  };
  const { script, style } = await readPageFiles();
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return renderHtml(
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`,
    // No text can end this element, or begin a comment in it.
    `<script type="application/json" id="data">${JSON.stringify(all).replaceAll("<", "\\u003c")}</script>\n<script>${script}</script>`,
  );
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
