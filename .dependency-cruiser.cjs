/** The layers of docs/architecture.md. tests/architecture breaks each rule once and sees it object. */
/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "core-must-not-depend-on-infrastructure",
      severity: "error",
      comment: "core defines the ports; infrastructure implements them.",
      from: { path: "^src/core/" },
      to: { path: "^src/infrastructure/" },
    },
    {
      name: "core-must-not-import-node-fs",
      severity: "error",
      comment: "core decides; it does not touch the file system.",
      from: { path: "^src/core/" },
      to: { path: "^(?:node:)?fs(?:/promises)?$" },
    },
    {
      name: "core-must-not-import-node-path",
      severity: "error",
      comment: "core runs anywhere; paths of this platform are handed in.",
      from: { path: "^src/core/" },
      to: { path: "^(?:node:)?path(?:/posix|/win32)?$" },
    },
    {
      name: "no-circular-dependencies",
      severity: "error",
      comment: "A cycle is two files that are one.",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-imports-only-core",
      severity: "error",
      comment: "No node:*, no packages, no other layer: clock, hash and randomness are handed in.",
      from: { path: "^src/core/" },
      to: { pathNot: "^src/core/" },
    },
    {
      name: "formats-import-only-core",
      severity: "error",
      comment: "A format is pure: it locates and replaces.",
      from: { path: "^src/formats/" },
      to: { pathNot: "^src/(?:core|formats)/" },
    },
    {
      name: "presets-import-only-core-and-formats",
      severity: "error",
      comment: "A preset is wiring; what is Node's is handed in by src/index.ts.",
      from: { path: "^src/presets/" },
      to: { pathNot: "^src/(?:core|formats|presets)/" },
    },
    {
      name: "infrastructure-imports-only-core-and-node",
      severity: "error",
      comment: "Clients of databases and services are handed in by their structural type.",
      from: { path: "^src/infrastructure/" },
      to: { pathNot: "^src/(?:core|infrastructure)/", dependencyTypesNot: ["core"] },
    },
    {
      name: "root-has-no-packages",
      severity: "error",
      comment: "The root package has no runtime dependencies.",
      from: { path: "^src/" },
      to: {
        dependencyTypes: [
          "npm",
          "npm-dev",
          "npm-optional",
          "npm-peer",
          "npm-bundled",
          "npm-no-pkg",
          "npm-unknown",
          "unknown",
        ],
      },
    },
    {
      name: "packages-use-public-entries",
      severity: "error",
      comment: "packages/* see what every user sees.",
      from: { path: "^packages/" },
      to: { path: "^src/", pathNot: "^src/(?:index|testing/index)\\.ts$" },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types"] },
  },
};
