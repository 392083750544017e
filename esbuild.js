// Builds the extension into dist/ and the tests into out/.
//   node esbuild.js [--production] [--watch]     the extension
//   node esbuild.js --tests                      every test and test tool, mirrored under out/
const esbuild = require('esbuild');
const fs = require('node:fs');
const path = require('node:path');
const { bundledPackages, notices } = require('./notices/notices');

/**
 * The doors out of what is loaded at activation: the module that `src/doors.ts` (or, in the host, its only caller) requires,
 * the program that this becomes, and when that is loaded. `src/web` has everything in one file.
 */
const doors = [
  { module: 'startServers', program: 'servers' }, // with the first server that is configured
  { module: 'host/program', program: 'host' }, // with the first server that is configured
  { module: 'startFeatures', program: 'features' }, // when a person first does something
  { module: 'features/tools/page/itemPages', program: 'tool-page' }, // with the first page of a tool, prompt or template
  { module: 'features/setup/setup', program: 'setup' }, // to add, import or export servers
  { module: 'features/supply/supply', program: 'supply' }, // with the first look at a server that fetches a package
  { module: 'features/trust/dataFlow', program: 'flow' }, // with the first call of a tool
  { module: 'features/profiles/profiles', program: 'profiles' }, // with the first profile in settings
  { module: 'features/apps/apps', program: 'apps' }, // with the first app that is shown
  { module: 'features/authors/authors', program: 'authors' }, // when the workspace has a test file, or a test or snapshot is made
  { module: 'features/dev/devServers', program: 'dev' }, // with the first server that is restarted when its files change, or the conformance suite
  { module: 'features/authors/core/engine', program: 'test-engine' }, // with it, and without an editor in mcptest.js
  { module: 'features/evals/evals', program: 'evals' }, // when a person compares descriptions of tools
  { module: 'features/skills/skills', program: 'skills' }, // with the first ready server that serves skills
  { module: 'startGateway', program: 'gateway' }, // when the editor or an agent is to have servers
  { module: 'host/auth/index', program: 'auth' }, // with the first server over HTTP
  { module: 'host/sandbox/index', program: 'sandbox' }, // with the first program that may have to be confined
  { module: 'features/sandbox/confinedServers', program: 'sandbox-rows' }, // with the first that is
  { module: 'host/tasks/index', program: 'tasks' }, // with the first task, of a call or of a request of a server
  { module: 'host/validation/schemaValidator', program: 'json-schema' }, // when the first value is checked against a schema
  { module: 'host/tasks/tasks', program: 'tasks' }, // when the first call becomes a task
  { module: 'editor/serverIcons', program: 'icons' }, // when the first item has an icon of its own
];
const lazy = {
  name: 'lazy',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, path: name, resolveDir }) => {
      if (kind !== 'require-call') return undefined;
      const required = path.relative('src', path.resolve(resolveDir, name)).replaceAll('\\', '/');
      const door = doors.find(({ module }) => module === required);
      return door && { path: `./${door.program}.js`, external: true };
    });
  },
};

/**
 * The host makes no JSON schemas: zod's code for that, which every schema of its brings along, is left out of it.
 */
const withoutJsonSchemas = {
  name: 'without-json-schemas',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]core[\\/](json-schema-processors|to-json-schema)\.js$/ }, () => ({
      contents: `const refuse = () => { throw new Error('This program makes no JSON schemas.'); };
        export const createToJSONSchemaMethod = () => refuse;
        export const createStandardJSONSchemaMethod = () => refuse;
        export const allProcessors = {};
        export { ${['extractDefs', 'finalize', 'initializeContext', 'processSchema', 'toJSONSchema'].map(name => `refuse as ${name}`)} };`,
    }));
  },
};

/**
 * The bridge to apps takes zod as one object, which brings all of it along, with every language that it speaks. As a namespace,
 * only what is used of it is left.
 */
const zodOfApps = {
  name: 'zod-of-apps',
  setup(build) {
    build.onLoad({ filter: /ext-apps[\\/]dist[\\/]src[\\/]app-bridge\.js$/ }, ({ path: file }) => {
      const [whole, part] = [/import\{z as (\w+)\}from"zod\/v4"/, 'import*as $1 from"zod/v4"'];
      const code = fs.readFileSync(file, 'utf8');
      if (!whole.test(code)) throw new Error(`${file} takes zod in another way.`);
      return { contents: code.replace(whole, part) };
    });
  },
};

/**
 * The web build: what `src/web` has takes the place of what has the same path in `src`, and of Node's modules. A module of
 * Node that it lacks fails the build. Files of `src/web` themselves get at what they replace.
 */
const web = path.resolve('src/web');
const inWebWindows = {
  name: 'in-web-windows',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: `${web}/${name.replace(':', '/')}.ts` }));
    build.onResolve({ filter: /^\.\.?\// }, ({ path: name, resolveDir }) => {
      const inSrc = path.relative(path.dirname(web), path.resolve(resolveDir, name));
      const file = path.join(web, `${inSrc}.ts`);
      const isForWeb = resolveDir !== web && !resolveDir.startsWith(web + path.sep);
      return isForWeb && !inSrc.startsWith('..') && fs.existsSync(file) ? { path: file } : undefined;
    });
  },
};

const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  // jsonc-parser's `main` is a UMD file, which can't be bundled.
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  supported: { 'dynamic-import': false },
};

const entryPoints = {
  extension: 'src/extension.ts',
  ...Object.fromEntries(doors.map(({ module, program }) => [program, `src/${module}.ts`])),
  'demo-server': 'src/demo/server.ts',
  'sandbox-bridge': 'src/host/sandbox/bridge.ts',
  mcptest: 'src/mcptest.ts',
};

const shipped = production => ({
  ...common,
  outdir: 'dist',
  external: ['vscode'],
  plugins: [lazy],
  alias: {
    '@modelcontextprotocol/client/_shims': './src/host/sdk/shims.ts',
    '@modelcontextprotocol/server/_shims': './src/gateway/sdkShims.ts',
  },
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
});

/** One file: a web worker's `require` knows `vscode` and nothing else. The doors are evaluated where they are opened. */
const forWeb = production => ({
  ...shipped(production),
  entryPoints: { web: 'src/web/extension.ts' },
  platform: 'browser',
  target: 'es2024',
  mainFields: ['browser', 'module', 'main'],
  inject: ['src/web/globals.ts'],
  // The worker's is a `blob:`, which the validator of JSON schemas makes an invalid URL of as it is loaded.
  define: { 'self.location': 'undefined' },
  plugins: [inWebWindows, withoutJsonSchemas, zodOfApps],
  alias: { '@modelcontextprotocol/client/_shims': './src/web/host/sdk/shims.ts' },
});

/** The worker that runs a script of a model (`features/codeMode`), and beside it the JavaScript engine in which it does. */
const scriptWorker = {
  'script-worker': 'src/features/codeMode/core/worker/main.ts',
  quickjs: require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
};

/** Scripts of webviews, which run in a page: `webviewHtml`. */
const webviews = {
  'app-view': 'src/features/apps/webview/main.ts',
  'health-view': 'src/features/health/webview/main.ts',
  'review-view': 'src/features/trust/review/webview/main.ts',
  'tool-view': 'src/features/tools/page/webview/main.ts',
  'trace-view': 'src/features/trace/webview/main.ts',
};

/**
 * The builds of what ships: one for each door, the demo server, web windows, the pages. Two make no JSON schemas, and
 * apps are built in a way of their own.
 */
const programs = production => {
  const { host, apps, 'test-engine': engine, ...others } = entryPoints;
  return [
    { ...shipped(production), entryPoints: others },
    { ...shipped(production), entryPoints: { host, 'test-engine': engine }, plugins: [lazy, withoutJsonSchemas] },
    { ...shipped(production), entryPoints: { apps }, plugins: [lazy, withoutJsonSchemas, zodOfApps] },
    forWeb(production),
    // Agents start it with the Node that they find.
    { ...shipped(production), entryPoints: { bridge: 'src/features/agents/core/bridge/main.ts' }, target: 'node18' },
    // "iife": the engine's loader that needs no `import.meta`.
    {
      ...shipped(production),
      entryPoints: scriptWorker,
      loader: { '.wasm': 'copy' },
      conditions: ['iife'],
      plugins: [],
    },
    {
      ...shipped(production),
      entryPoints: webviews,
      platform: 'browser',
      format: 'iife',
      target: 'es2023',
      plugins: [],
    },
  ];
};

/**
 * One file per test, each with what it imports from src; packages stay in node_modules. But for the programs that tests start
 * by the hundred: those start in half the time with their packages in them.
 */
function tests() {
  const files = fs
    .readdirSync('test', { recursive: true })
    .filter(f => /\.ts$/.test(f) && !/node_modules|\.d\.ts$/.test(f))
    .map(f => `test/${f.replaceAll('\\', '/')}`);
  const isServer = file => /^test\/servers\/[^/]+$/.test(file);
  // Maps beside the files, without the sources, which are here: each process that loads a test would read them, too.
  const maps = { sourcemap: 'linked', sourcesContent: false };
  const build = { ...common, ...maps, outbase: 'test', outdir: 'out', supported: {}, metafile: true };
  return [
    { ...build, entryPoints: files.filter(file => !isServer(file)), packages: 'external' },
    { ...build, entryPoints: files.filter(isServer), external: ['oidc-provider'] },
  ];
}

/** Removes compiled tests whose source is gone: mocha would still run them. */
function removeStale(outdir, outputs) {
  for (const file of fs.readdirSync(outdir, { recursive: true })) {
    const path = `${outdir}/${file.replaceAll('\\', '/')}`;
    if (path.endsWith('.js') && !outputs[path]) fs.rmSync(path);
  }
}

/** What each bundle of a folder has parts of: `npm test -- --changed` reads it. */
function writeInputs(outdir, metafiles) {
  const bundles = metafiles.flatMap(({ outputs }) =>
    Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint),
  );
  const made = bundles.map(([file, { entryPoint, inputs }]) => {
    const parts = Object.keys(inputs).filter(input => inputs[input].bytesInOutput > 0);
    return [file, [...new Set([entryPoint, ...parts.filter(input => !input.startsWith('node_modules/'))])]];
  });
  fs.writeFileSync(`${outdir}/inputs.json`, JSON.stringify(Object.fromEntries(made)));
}

async function main(argv) {
  const production = argv.includes('--production');
  const builds = argv.includes('--tests') ? tests() : programs(production);
  if (production) fs.rmSync('dist', { recursive: true, force: true });
  if (!argv.includes('--watch')) {
    const metafiles = [];
    for (const options of builds) {
      const { metafile } = await esbuild.build(options);
      metafiles.push(metafile);
    }
    const outputs = Object.assign({}, ...metafiles.map(metafile => metafile.outputs));
    if (argv.includes('--tests')) removeStale(builds[0].outdir, outputs);
    else fs.writeFileSync('ThirdPartyNotices.txt', notices(bundledPackages(metafiles)));
    writeInputs(builds[0].outdir, metafiles);
    return;
  }
  for (const options of builds) {
    const context = await esbuild.context({ ...options, logLevel: 'info' });
    await context.watch();
  }
}

if (require.main === module) {
  main(process.argv.slice(2)).catch(error => {
    if (!error.errors) console.error(error.message); // else esbuild has printed the reason
    process.exitCode = 1;
  });
}

module.exports = { programs };
