/** The layers of docs/architecture.md. tests/architecture breaks each rule once and expects it to fail. */
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
      comment: "core runs anywhere; paths of this platform are passed in.",
      from: { path: "^src/core/" },
      to: { path: "^(?:node:)?path(?:/posix|/win32)?$" },
    },
    {
      name: "no-circular-dependencies",
      severity: "error",
      comment: "No circular imports: two files that need each other are one.",
      // The chunks of a bundle may import each other.
      from: { pathNot: "(?:^|/)dist/" },
      to: { circular: true },
    },
    {
      name: "core-imports-only-core",
      severity: "error",
      comment: "No node:*, no packages, no other layer: clock, hash and randomness are passed in.",
      from: { path: "^src/core/" },
      to: { pathNot: "^src/core/" },
    },
    {
      name: "lib-imports-only-lib",
      severity: "error",
      comment: "core/lib is general: it knows nothing of the product, its errors or its defaults.",
      from: { path: "^src/core/lib/" },
      to: { pathNot: "^src/core/lib/" },
    },
    {
      name: "artifacts-do-not-import-reading",
      severity: "error",
      comment:
        "Reading is built on artifacts; what both need is in core/lib or with the artifacts.",
      from: { path: "^src/core/workspace/artifacts/" },
      to: { path: "^src/core/workspace/reading/" },
    },
    {
      name: "formats-import-only-core",
      severity: "error",
      comment: "A format is pure: it finds and replaces tool results.",
      from: { path: "^src/formats/" },
      to: { pathNot: "^src/(?:core|formats)/" },
    },
    {
      name: "presets-import-only-what-they-wire",
      severity: "error",
      comment: "A preset connects core and formats with Node's defaults, which it passes in.",
      from: { path: "^src/presets/" },
      to: {
        pathNot: "^src/(?:core|formats|infrastructure|presets)/",
        dependencyTypesNot: ["core"],
      },
    },
    {
      name: "infrastructure-imports-only-core-and-node",
      severity: "error",
      comment: "Clients of databases and services are passed in and typed by the few methods used.",
      from: { path: "^src/infrastructure/" },
      to: { pathNot: "^src/(?:core|infrastructure)/", dependencyTypesNot: ["core"] },
    },
    {
      name: "integrations-import-only-what-is-public",
      severity: "error",
      comment:
        "A drop-in is thin: the presets and the ports do the work, and no framework is imported.",
      from: { path: "^src/integrations/" },
      to: {
        pathNot: "^src/(?:core|formats|presets|integrations)/",
        dependencyTypesNot: ["core"],
      },
    },
    {
      name: "testing-imports-only-core",
      severity: "error",
      comment: "The suites run anywhere, on any store and format that is passed in.",
      from: { path: "^src/testing/" },
      to: { pathNot: "^src/(?:core|testing)/" },
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
      comment: "packages/* use what every user can use.",
      from: { path: "^packages/" },
      to: {
        path: "^src/",
        pathNot: "^src/(?:[^/]+|(?:formats|testing|integrations/[^/]+)/index)\\.ts$",
      },
    },
    {
      name: "files-have-a-name",
      severity: "error",
      comment: "A file is named for its concept.",
      from: { path: "^(?:src|packages)/" },
      to: { path: "/(?:utils?|helpers?|common)[.]ts$" },
    },
    {
      name: "replay-measures-from-outside",
      severity: "error",
      comment: "What the replay rewards is defined apart from the library that it measures.",
      from: { path: "^packages/replay/src/(?:facts|reader|prompt-cache|replay)\\b" },
      to: { path: "^src/" },
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
