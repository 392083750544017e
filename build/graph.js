// How programs share their modules: plugins for esbuild. Each module is in one output, which is a program or a chunk that several
// need; a program is loaded by a `require` in a source (a door). The table of programs is in `esbuild.js`.
const esbuild = require('esbuild');
const fs = require('node:fs');
const path = require('node:path');

const src = path.resolve('src');

/** Makes the programs of a table: each exports what its module does. */
const doors = table => ({
  name: 'doors',
  setup(build) {
    build.onResolve({ filter: /^program:/ }, ({ path: name }) => ({ path: name.slice(8), namespace: 'program' }));
    build.onLoad({ filter: /./, namespace: 'program' }, ({ path: name }) => {
      const { module, after } = table.find(({ program }) => program === name);
      const before = after ? `import 'program:${after}';` : '';
      return { contents: `${before} export * from './${module}';`, resolveDir: src };
    });
    // Else nothing would be left of a program that another one is only said to come after.
    build.onResolve({ filter: /^\./, namespace: 'program' }, ({ path: name }) => {
      const file = [`${name}.ts`, `${name}/index.ts`].map(end => path.join(src, end)).find(fs.existsSync);
      return file
        ? { path: file, sideEffects: true }
        : { errors: [{ text: `there is no module src/${name.slice(2)}` }] };
    });
  },
});

/**
 * A source of ours in which each door leads to its program. What `require` is called with is nothing to esbuild then, which would
 * lead each call through a chunk of its own: see `commonJs`.
 * @throws Error when the table has no such door.
 */
function withDoors(file, text, table) {
  const toProgram = (_, name) => {
    const required = path.relative(src, path.resolve(path.dirname(file), name)).replaceAll('\\', '/');
    const door = table.find(({ module }) => module === required);
    if (!door) throw new Error(`src/${required} is no door: it is not in the table of esbuild.js`);
    return `${REQUIRE}('./${door.program}.js')`;
  };
  return text
    .replace(/^import vscode = require\('vscode'\);/gm, `const vscode = ${REQUIRE}('vscode');`)
    .replace(/\brequire\('(\.[^']+)'\)/g, toProgram);
}
const REQUIRE = '__requireFromHere';

/**
 * Imports through an `index.ts` are taken from where that has them: what else it hands out would have to be loaded with it. Where
 * packages are bundled, the SDK's main module is seen through, too: the half of it is for servers over HTTP, as is the half of the
 * module with its `Client`.
 * @param read gives the text of a source.
 */
const sources = (table, read = file => fs.readFileSync(file, 'utf8')) => ({
  name: 'sources',
  setup(build) {
    const indexes = new Map();
    const client = build.initialOptions.bundle && clientApart(read);
    const indexOf = (folder, name) => {
      if (name === SDK) return client && sdkModule;
      const found = name.startsWith('.') && path.resolve(folder, name);
      if (!found || found === client?.file) return found;
      return fs.existsSync(`${found}/index.ts`) && path.join(found, 'index.ts');
    };
    const direct = (folder, whole, names, name) => {
      const index = indexOf(folder, name);
      if (!index) return whole;
      if (!indexes.has(index)) indexes.set(index, exportsOf(index));
      const lines = valuesOf(names).map(([imported, as]) => {
        const [module, original] = indexes.get(index).get(imported) ?? [index, imported];
        const from = `./${path.relative(folder, module).replaceAll('\\', '/')}`;
        const part = module === client?.file && client.signsIn(original) ? SIGN_IN : '';
        return `import { ${original} as ${as} } from '${from.replace(/\.ts$/, '')}${part}';`;
      });
      return lines.join(' ') + '\n'.repeat(whole.split('\n').length - 1); // lines keep their numbers
    };
    const seenThrough = file => read(file).replace(IMPORT, (...found) => direct(path.dirname(file), ...found));
    build.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      const text = seenThrough(file);
      return { contents: table ? withDoors(file, text, table) : text, loader: 'ts' };
    });
    if (!client) return;
    build.onResolve({ filter: /\?sign-in$/ }, () => ({ path: client.file, suffix: SIGN_IN }));
    build.onLoad({ filter: /client[\\/]dist[\\/].*\.mjs$/ }, ({ path: file, suffix }) => {
      if (file === client.file) return { contents: suffix ? client.signIn : client.rest };
      return file === sdkModule ? { contents: seenThrough(file) } : undefined;
    });
  },
});
const SDK = '@modelcontextprotocol/client';
const sdkModule = path.resolve('node_modules', SDK, 'dist/index.mjs');
const IMPORT = /^import \{([^}]*)\} from ['"]([^'"]*)['"];/gm;
const EXPORT = /^export \{([^}]*)\}(?: from ['"]([^'"]*)['"])?;/gm;

const SIGN_IN = '?sign-in';

/**
 * The two halves of the SDK's module with `Client`: what signs in, and the rest.
 * @throws Error when the rest needs the other, or the module is built in another way.
 */
function clientApart(read) {
  const [file] = exportsOf(sdkModule).get('Client');
  const found = (pattern, text) => {
    const match = pattern.exec(text);
    if (!match) throw new Error(`${file} is built in another way: it has no ${pattern}`);
    return match;
  };
  const [, imports, body, names] = found(/^((?:import .*\n)+)([\s\S]*)^export \{(.*)\};/m, read(file));
  const [region] = found(
    /^\/\/#region src\/client\/authErrors\.ts[\s\S]*?(?=^\/\/#region src\/client\/responseCache)/m,
    body,
  );
  // The client tells it from other errors.
  const [error] = found(/^var UnauthorizedError = [\s\S]*?^};\n/m, region);
  const [signIn, rest] = [region.replace(error, ''), body.replace(region, () => error)];
  const declared = new Set([...signIn.matchAll(/^(?:async )?(?:function|const|var) (\w+)/gm)].map(([, name]) => name));
  const code = rest.replace(/^\s*(\*|\/\/).*/gm, '');
  const needed = [...declared].find(name => new RegExp(`(?<![.\\w])${name}\\(|(new|instanceof) ${name}\\b`).test(code));
  if (needed) throw new Error(`${file} signs in with ${needed}`);
  const exported = valuesOf(names);
  const halves = [true, false].map(signsIn => exported.filter(([local]) => declared.has(local) === signsIn));
  const [ofSignIn, ofRest] = halves.map(half => `export { ${half.map(([local, as]) => `${local} as ${as}`)} };`);
  const [, asError] = exported.find(([local]) => local === 'UnauthorizedError');
  return {
    file,
    signsIn: name => halves[0].some(([, as]) => as === name),
    signIn: `${imports}import { ${asError} as UnauthorizedError } from './${path.basename(file)}';\n${signIn}${ofSignIn}`,
    rest: `${imports.replace(/.*pkce.*\n/, '')}${rest}${ofRest}`,
  };
}

/** The names in the braces of an import or export that are no types, each with what it becomes. */
const valuesOf = names =>
  names
    .split(',')
    .map(name => name.trim())
    .filter(name => name && !name.startsWith('type '))
    .map(name => name.split(' as '))
    .map(([name, as = name]) => [name, as]);

/** Where a module has the names that it exports from, and what they are called there. Those of its own are not in it. */
function exportsOf(index) {
  const text = fs.readFileSync(index, 'utf8');
  const at = from => path.resolve(path.dirname(index), from);
  const imported = new Map();
  for (const [, names, from] of text.matchAll(IMPORT))
    for (const [name, as] of valuesOf(names)) imported.set(as, [at(from), name]);
  const found = new Map();
  for (const [, names, from] of text.matchAll(EXPORT))
    for (const [name, as] of valuesOf(names)) found.set(as, from ? [at(from), name] : imported.get(name));
  return found;
}

/**
 * Only ES modules can be split, and only CommonJS can be loaded when it is needed without waiting: so each output is turned
 * into the other. @throws when chunks need each other, which CommonJS would evaluate half.
 */
const commonJs = table => ({
  name: 'common-js',
  setup(build) {
    const { minify, sourcemap, supported, target } = build.initialOptions;
    const define = { [REQUIRE]: 'require', [MODULE]: 'module' };
    const options = { format: 'cjs', platform: 'node', target, supported, minify, define };
    build.onEnd(async result => {
      if (result.errors.length > 0) return;
      const { outputs } = result.metafile;
      const circle = circleOf(outputs);
      if (circle) throw new Error(`chunks that need each other: ${circle.join(' → ')}`);
      const files = new Map(result.outputFiles.map(({ path: file, text }) => [path.relative('.', file), text]));
      for (const { program, module } of table) mergeStub(`dist/${program}.js`, `src/${module}.ts`, files, outputs);
      const made = [...files.keys()].filter(file => file.endsWith('.js'));
      await Promise.all(
        made.map(async file => {
          const map = sourcemap
            ? `//# sourceMappingURL=data:application/json,${encodeURIComponent(files.get(`${file}.map`))}`
            : '';
          const output = withConstants(files.get(file).replace(/\n\/\/# sourceMappingURL=.*\n?$/, ''));
          const text = `${output}\n${map}`;
          const how = sourcemap ? { sourcemap: 'external', sourcefile: file } : {};
          const { code, map: changed } = await esbuild.transform(text, { ...options, ...how });
          files.set(file, sourcemap ? `${code}//# sourceMappingURL=${path.basename(file)}.map\n` : code);
          if (sourcemap) files.set(`${file}.map`, changed);
        }),
      );
      result.outputFiles = [...files].map(([file, text]) => ({
        path: path.resolve(file),
        text,
        contents: Buffer.from(text),
      }));
    });
  },
});

const NAMES = /\{([^{}]*)\}/.source;
const EXPORTS = new RegExp(`export\\s*${NAMES};?\\s*(//# .*\\s*)?$`);
const IMPORTS = /^(\s*import\s*(\{[^{}]*\}\s*from\s*)?"\.\/.*?";?)+/;
const MODULE = '__moduleHere';

/**
 * Makes an output read what it imports from others once, as nothing exported changes later. esbuild would call a getter at each
 * use.
 */
function withConstants(text) {
  const exported = valuesOf(EXPORTS.exec(text)?.[1] ?? '').map(([local, as]) => `${as}: ${local}`);
  const required = (_, names, from) =>
    `${names ? `const ${names.replaceAll(' as ', ': ')} = ` : ''}${REQUIRE}("./${from}")`;
  return text
    .replace(IMPORTS, all => all.replace(/import\s*(?:(\{[^{}]*\})\s*from\s*)?"\.\/(.*?)"/g, required))
    .replace(EXPORTS, () => `${MODULE}.exports = { ${exported} };`);
}

/**
 * A program whose module is in a chunk only hands on what that has: it becomes that chunk, as each file that is loaded takes almost
 * a millisecond.
 */
function mergeStub(program, module, files, outputs) {
  const chunk = Object.keys(outputs).find(
    file => /\/chunk-/.test(file) && outputs[file].inputs[module]?.bytesInOutput > 0,
  );
  if (!chunk) return;
  const from = `"./${path.basename(chunk)}"`;
  const own = new Map(valuesOf(EXPORTS.exec(files.get(chunk))[1]).map(([local, as]) => [as, local]));
  const handed = valuesOf(EXPORTS.exec(files.get(program))[1]);
  const [, imported = ''] = new RegExp(`import\\s*${NAMES}\\s*from\\s*${from}`).exec(files.get(program)) ?? [];
  const inStub = new Map(valuesOf(imported).map(([as, local]) => [local, own.get(as)]));
  // What it hands on from elsewhere would have to be imported: no program does.
  if (handed.some(([local]) => !inStub.has(local))) return;
  const names = [...own].map(([as, local]) => `${local} as ${as}`);
  for (const [local, as] of handed) if (!own.has(as)) names.push(`${inStub.get(local)} as ${as}`);
  files.set(program, files.get(chunk).replace(EXPORTS, `export{${names}};`));
  if (files.has(`${chunk}.map`)) files.set(`${program}.map`, files.get(`${chunk}.map`));
  outputs[program] = {
    ...outputs[chunk],
    entryPoint: outputs[program].entryPoint,
    exports: handed.map(([, as]) => as),
  };
  for (const gone of [chunk, `${chunk}.map`]) {
    files.delete(gone);
    delete outputs[gone];
  }
  for (const [file, text] of files) files.set(file, text.replaceAll(from, `"./${path.basename(program)}"`));
  for (const { imports } of Object.values(outputs))
    for (const one of imports) if (one.path === chunk) one.path = program;
}

/** The first circle of outputs that import each other. */
function circleOf(outputs) {
  const done = new Set();
  const visit = (file, way) => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    done.add(file);
    const imports = outputs[file].imports.filter(({ external }) => !external);
    return imports.map(({ path: next }) => visit(next, [...way, file])).find(Boolean);
  };
  return Object.keys(outputs)
    .map(file => visit(file, []))
    .find(Boolean);
}

module.exports = { REQUIRE, circleOf, commonJs, doors, sources };
