import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const BUILT_IN = "/^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/";
const foreignRealm = {
  selector: `BinaryExpression[operator='instanceof'][right.name=${BUILT_IN}]`,
  message:
    "False in another realm (Jest, vitest's vmThreads): use messageOf, errorCode or ContextOffloadError.isInstance.",
};
const withoutCode = {
  selector: `ThrowStatement > NewExpression[callee.name=${BUILT_IN}]`,
  message: "An error that reaches a caller has a code: throw one of core/errors.",
};

const oneNameForTests = {
  name: "vitest",
  importNames: ["test"],
  message: "Tests are called `it` here.",
};
const disks = {
  regex: "src/infrastructure/(?!hash)|/temp-folder",
  message: "Unit tests of what is pure write to memory.",
};

export default defineConfig([
  globalIgnores(["**/dist/", "coverage/", "reports/", ".offload/", "tests/fixtures/", ".scratch/"]),
  // Their types need the frameworks, which scripts/test-integrations.mjs installs; tsc checks them there.
  globalIgnores(["integrations/*/"]),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "prefer-const": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["**/*.test.{ts,mjs}", "**/tests/**"],
    rules: {
      "no-restricted-imports": ["error", { paths: [oneNameForTests] }],
    },
  },
  {
    files: ["tests/unit/{core,formats,presets}/**"],
    rules: {
      "no-restricted-imports": ["error", { paths: [oneNameForTests], patterns: [disks] }],
    },
  },
  {
    files: ["src/**/*.ts"],
    rules: { "no-console": "error", "no-restricted-syntax": ["error", foreignRealm] },
  },
  {
    // core/lib has errors of its own, which core gives a code; those of infrastructure become the cause of one.
    files: ["src/{core,formats,presets}/**/*.ts"],
    ignores: ["src/core/lib/**"],
    rules: { "no-restricted-syntax": ["error", foreignRealm, withoutCode] },
  },
  {
    // tsc checks the scripts' JSDoc types; what JSON.parse gives has none.
    files: ["**/*.mjs", "**/*.cjs"],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { "no-undef": "off" },
  },
]);
