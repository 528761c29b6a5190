/** The pages of docs/api: one for each entry of the package, from its TSDoc comments. */

/** @type {Partial<import("typedoc").TypeDocOptions & import("typedoc-plugin-markdown").PluginOptions>} */
export default {
  plugin: ["typedoc-plugin-markdown"],
  name: "API",
  entryPoints: ["src/*.ts", "src/{formats,testing}/index.ts", "src/integrations/*/index.ts"],
  tsconfig: "tsconfig.build.json",
  out: "docs/api",
  router: "module",
  readme: "none",
  // Links to lines of the source would differ with every commit.
  disableSources: true,
  excludePrivate: true,
  excludeExternals: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  pageTitleTemplates: {
    module: ({ name }) => (name === "context-offload" ? name : `context-offload/${name}`),
  },
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  propertyMembersFormat: "table",
  tableColumnSettings: {
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    hideSources: true,
  },
  validation: { notExported: true },
  // Types that are worked out of others; nobody would write them down.
  intentionallyNotExported: ["BuiltInFormat", "ChosenTools", "ChosenAnswer", "VIEWS", "UNUSED"],
  treatWarningsAsErrors: true,
};
