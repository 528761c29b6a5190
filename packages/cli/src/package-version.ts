import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

/** The version that servers of this package introduce themselves with. */
export const PACKAGE_VERSION = manifest.version;
