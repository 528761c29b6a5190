/** The script `prepublishOnly`: npm runs it for a folder, and not for the tarballs of publish-packages.mjs. */
console.error(
  "Publish with `npm run release` in the root of the repository. `npm publish` in a folder would send the " +
    "registry the package.json and the README of the repository instead of their published form.",
);
process.exitCode = 1;
