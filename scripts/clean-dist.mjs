import { rm } from "node:fs/promises";

// A file that was renamed in src must not live on in the package.
await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
