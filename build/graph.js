// How programs share their modules: plugins for esbuild. Each module is in one output, which is a program or a chunk that several
// need; a program is loaded by a `require` in a source (a door). The table of programs is in `esbuild.js`.
const esbuild = require('esbuild');
const fs = require('node:fs');
const path = require('node:path');

const src = path.resolve('src');

/**
 * Makes the programs of a table, which export what their modules do, and leads each door to its program. What all of them
 * need is imported first, so that it is in one chunk.
 * @throws Error (from the build) for a program without a module, and for a door that is not in the table.
 */
const doors = (table, neededByAll) => ({
  name: 'doors',
  setup(build) {
    build.onResolve({ filter: /^program:/ }, ({ path: name }) => ({ path: name.slice(8), namespace: 'program' }));
    build.onLoad({ filter: /./, namespace: 'program' }, ({ path: name }) => {
      const first = neededByAll.map(module => `export * from './${module}';`);
      if (name === 'first') return { contents: first.join(''), resolveDir: src };
      const { module, after = 'first' } = table.find(({ program }) => program === name);
      return { contents: `import 'program:${after}'; export * from './${module}';`, resolveDir: src };
    });
    // Else nothing would be left of a program that another one is only said to come after.
    build.onResolve({ filter: /^\./, namespace: 'program' }, ({ path: name }) => {
      const file = [`${name}.ts`, `${name}/index.ts`].map(end => path.join(src, end)).find(fs.existsSync);
      return file
        ? { path: file, sideEffects: true }
        : { errors: [{ text: `there is no module src/${name.slice(2)}` }] };
    });
    build.onResolve({ filter: /^\./, namespace: 'file' }, ({ path: name, kind, resolveDir }) => {
      const module = path.relative(src, path.resolve(resolveDir, name)).replaceAll('\\', '/');
      if (kind !== 'require-call' || module.startsWith('../')) return undefined;
      const door = table.find(one => one.module === module);
      return door
        ? { path: `./${door.program}.js`, external: true }
        : { errors: [{ text: `src/${module} is no door: it is not in the table of esbuild.js` }] };
    });
  },
});

/** Only ES modules can be split, and only CommonJS can be loaded without waiting, when it is needed: each output becomes the other. */
const commonJs = {
  name: 'common-js',
  setup(build) {
    const { minify, sourcemap, supported, target } = build.initialOptions;
    const options = { format: 'cjs', platform: 'node', target, supported, minify, sourcemap };
    build.onEnd(async ({ outputFiles }) => {
      for (const file of outputFiles) {
        file.contents = Buffer.from((await esbuild.transform(file.text, options)).code);
      }
    });
  },
};

module.exports = { commonJs, doors };
