import { existsSync } from "node:fs";
import { join } from "node:path";
import { inject, type TestContext } from "vitest";

/** The binaries that npm packages bring for this platform, by the names of the runtimes. */
const BINARIES: Readonly<Record<string, (platform: string) => string>> = {
  "Node 18": (platform) => `node18-${platform}/bin/node`,
  "Node 20.19": (platform) => `node20-${platform}/bin/node`,
  "Node 22": (platform) => `node22-${platform}/bin/node`,
  "Node 24": (platform) => `node24-${platform}/bin/node`,
  Bun: (platform) => `@oven/bun-${platform.replace("arm64", "aarch64")}/bin/bun`,
  Deno: (platform) => `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}/deno`,
};

/** The `node_modules` with the bundlers, the test runners and the runtimes. */
export function needTools(context: TestContext): string {
  const tools = inject("tools");
  return "modules" in tools ? tools.modules : giveUp(context, tools.whyNot);
}

/** The program of a browser. */
export function needBrowser(context: TestContext): string {
  const browser = inject("browser");
  return "program" in browser ? browser.program : giveUp(context, browser.whyNot);
}

/** The path of a runtime's binary. */
export function needRuntime(context: TestContext, name: string): string {
  const platform = `${process.platform}-${process.arch}`;
  const binary = join(needTools(context), BINARIES[name]?.(platform) ?? name);
  return existsSync(binary) ? binary : giveUp(context, `npm brings no ${name} for ${platform}`);
}

/** Nothing is skipped in silence, and in continuous integration nothing is skipped at all. */
function giveUp(context: TestContext, reason: string): never {
  if (process.env["CI"]) throw new Error(reason);
  console.warn(`not run: ${context.task.name}: ${reason}`);
  return context.skip(reason);
}

/** A runner inside of a runner must not take its settings from the outer one. */
export function innerEnvironment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOuter = ([name]: readonly [string, unknown]) =>
    /^(?:VITEST|JEST|NODE_OPTIONS|TEST$)/.test(name);
  const own = Object.entries(process.env).filter((entry) => !isOuter(entry));
  return { ...Object.fromEntries(own), ...more };
}
