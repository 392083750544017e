// Builds the extension into dist/ and the tests into out/.
//   node esbuild.js [--production] [--watch]     the extension
//   node esbuild.js --tests                      every test and test tool, mirrored under out/
const esbuild = require('esbuild');
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');
const { commonJs, doors } = require('./build/graph');
const { bundledPackages, notices } = require('./notices/notices');

/**
 * The programs for Node that share their modules: each module is in one output, whichever of them need it. All but `extension`,
 * `host` and those that run when they are loaded (`isStarted`) are doors: what has a `require` of the module loads the program when
 * it is first needed. `after` names what is loaded by then, so that what both need is in few chunks.
 */
const shared = [
  { program: 'extension', module: 'extension' }, // at activation
  { program: 'host', module: 'host/index' }, // the core without an editor, for whoever has none: tests of what ships
  { program: 'mcptest', module: 'commandLine/mcptest', after: 'host', isStarted: true }, // by a person
  { program: 'mcppolicy', module: 'commandLine/mcppolicy', after: 'host', isStarted: true }, // by an administrator
  { program: 'demo-server', module: 'demo/server', isStarted: true }, // as a server
  { program: 'servers', module: 'startServers', after: 'extension' }, // with the first server that is configured
  { program: 'features', module: 'startFeatures', after: 'servers' }, // when a person first does something
  { program: 'pages', module: 'doors/pages', after: 'features' }, // with the first page of a tool or prompt, or app
  { program: 'setup', module: 'features/setup/setup', after: 'features' }, // to add, import or export servers
  { program: 'extras', module: 'doors/extras', after: 'servers' }, // with the first call, or server that needs more than others
  { program: 'authors', module: 'doors/authors', after: 'servers' }, // with the first file of tests, or server that is worked on
  { program: 'skills', module: 'features/skills/skills', after: 'servers' }, // with the first ready server that serves skills
  { program: 'gateway', module: 'doors/serving', after: 'servers' }, // when the editor or an agent is to have servers
  { program: 'project', module: 'features/setup/core/projectServers' }, // with the first .mcp.json of a folder
  { program: 'locate', module: 'features/settings/core/locateSetting' }, // with the first problem in settings
  { program: 'client', module: 'host/connection/client', after: 'host' }, // while the first program boots
  { program: 'remote', module: 'host/connection/remote', after: 'client' }, // with the first server over HTTP, or that fails
  { program: 'sandbox', module: 'host/sandbox/index', after: 'host' }, // with the first program that may have to be confined
];

/** What activation needs and programs without an editor, too: in one chunk, as each file that is opened costs milliseconds. */
const neededByAll = [
  ...['errors', 'events', 'filePlace', 'json', 'numberText', 'phrase', 'queue', 'text'].map(name => `base/${name}`),
  'features/organization/core/managedPlaces',
  'features/resources/core/resourceAddress',
  'features/settings/core/documentAddress',
];

/** The bridge to apps gets what it uses of zod. */
const zodOfApps = {
  name: 'zod-of-apps',
  setup(build) {
    const zod = path.resolve('src/features/apps/core/zodOfApps.ts');
    build.onResolve({ filter: /^zod\/v4$/ }, ({ importer }) => (/ext-apps/.test(importer) ? { path: zod } : undefined));
  },
};

/**
 * The web build: files of `src/web` take the place of modules of `src` and of Node, which their first comment names. A module of Node
 * that none of them replaces fails the build. Files of `src/web` themselves get at what they replace.
 */
const web = path.resolve('src/web');
const inWebWindows = {
  name: 'in-web-windows',
  setup(build) {
    const replaced = new Map();
    for (const name of fs.readdirSync(web)) {
      const file = path.join(web, name);
      const [, modules = ''] = /^\/\/ In place of: (.*(?:\n\/\/ {3}.*)*)/.exec(fs.readFileSync(file, 'utf8')) ?? [];
      for (const module of modules.match(/\w[\w:/]*/g) ?? []) {
        if (!module.startsWith('node:') && !fs.existsSync(path.resolve('src', `${module}.ts`)))
          throw new Error(`src/web/${name} is in place of src/${module}.ts, which does not exist`);
        replaced.set(module, file);
      }
    }
    build.onResolve({ filter: /^node:/ }, ({ path: name }) =>
      replaced.has(name)
        ? { path: replaced.get(name) }
        : { errors: [{ text: `no file of src/web is in place of ${name}` }] },
    );
    build.onResolve({ filter: /^\.\.?\// }, ({ path: name, resolveDir }) => {
      const inSrc = path.relative(path.dirname(web), path.resolve(resolveDir, name)).replaceAll('\\', '/');
      const file = replaced.get(inSrc) ?? replaced.get(`${inSrc}/index`);
      return file && resolveDir !== web ? { path: file } : undefined;
    });
  },
};

/** What a build takes from elsewhere: the address of the document that tells authorization servers who this editor is. */
const defined = { OAUTH_CLIENT_DOCUMENT: JSON.stringify(require('./docs/oauth-client.json').client_id) };

const common = {
  bundle: true,
  define: defined,
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  // jsonc-parser's `main` is a UMD file, which can't be bundled.
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  preserveSymlinks: true, // else names of chunks depend on where node_modules is
  supported: { 'dynamic-import': false },
};

const alone = (production, files) => ({
  ...shipped(production),
  entryPoints: Object.entries(files).map(([out, file]) => ({ in: file, out })),
});

const shipped = production => ({
  ...common,
  outdir: 'dist',
  external: ['vscode'],
  alias: {
    '@modelcontextprotocol/client/_shims': './src/host/sdk/clientShims.ts',
    '@modelcontextprotocol/server/_shims': './src/gateway/sdkShims.ts',
    '@modelcontextprotocol/server/validators/cf-worker': '@modelcontextprotocol/client/validators/cf-worker', // the same
  },
  legalComments: 'none', // they are in ThirdPartyNotices.txt
  minify: production,
  sourcemap: production ? false : 'linked',
  metafile: true,
  write: false, // see `writing`
});

/** One file: a web worker's `require` knows `vscode` and nothing else. The doors are evaluated where they are opened. */
const forWeb = production => ({
  ...shipped(production),
  entryPoints: [{ in: 'src/web/extension.ts', out: 'web' }],
  platform: 'browser',
  target: 'es2024',
  mainFields: ['browser', 'module', 'main'],
  inject: ['src/web/globals.ts'],
  // The worker's is a `blob:`, which the validator of JSON schemas makes an invalid URL of as it is loaded.
  define: { ...defined, 'self.location': 'undefined' },
  plugins: [inWebWindows, zodOfApps],
});

/** Compressed as the package's own compression can't: it is the largest file of all. */
const engine = {
  name: 'engine',
  setup(build) {
    build.onResolve({ filter: /^quickjs\.br$/ }, ({ path: name }) => ({ path: name, namespace: 'engine' }));
    build.onLoad({ filter: /./, namespace: 'engine' }, () => {
      const wasm = fs.readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
      return { contents: zlib.brotliCompressSync(wasm), loader: 'copy' };
    });
  },
};

/** Scripts of webviews, which run in a page: `webviewPage.ts`. */
const webviews = {
  'app-view': 'src/features/apps/webview/main.ts',
  'gallery-view': 'src/features/setup/webview/main.ts',
  'health-view': 'src/features/health/webview/main.ts',
  'review-view': 'src/features/review/webview/main.ts',
  'tool-view': 'src/features/tools/webview/main.ts',
  'trace-view': 'src/features/trace/webview/main.ts',
};

/** The programs of a table, which share their modules. */
const together = (production, table) => ({
  ...shipped(production),
  entryPoints: table.map(({ program }) => ({ in: `program:${program}`, out: program })),
  format: 'esm',
  sourcemap: production ? false : 'inline',
  splitting: true,
  chunkNames: 'chunk-[hash]',
  plugins: [doors(table, neededByAll), zodOfApps, commonJs],
});

/** The package `@mcp-host/test`: what runs tests without an editor, for the Node that people have (`src/commandLine/mcptest.ts`). */
function testRunner() {
  const table = shared.filter(({ program }) => /^(host|client|mcptest|remote|sandbox)$/.test(program));
  const bridge = alone(true, { 'sandbox-bridge': 'src/host/sandbox/bridge.ts' });
  return [together(true, table), bridge].map(build => ({ ...build, target: 'node20' }));
}

/**
 * The builds of what ships: what shares its modules, and what runs on its own, with copies of what it needs.
 * @throws Error when two programs have one name: one would take the other's place.
 */
function programs(production, table = shared) {
  const codeMode = { 'script-worker': 'src/features/codeMode/core/worker/main.ts', quickjs: 'quickjs.br' };
  const builds = [
    together(production, table),
    alone(production, { 'sandbox-bridge': 'src/host/sandbox/bridge.ts' }),
    alone(production, { telemetry: 'src/features/telemetry/core/worker/main.ts' }),
    // Agents start it with the Node that they find.
    { ...alone(production, { bridge: 'src/features/agents/core/bridge/main.ts' }), target: 'node18' },
    // Runs a script of a model, with its engine beside it. "iife": the engine's loader that needs no `import.meta`.
    { ...alone(production, codeMode), plugins: [engine], conditions: ['iife'] },
    // Makes pictures smaller that are too large for a model (`features/languageModel`).
    alone(production, { 'picture-worker': 'src/features/languageModel/core/worker/main.ts' }),
    { ...alone(production, webviews), platform: 'browser', format: 'iife', target: 'es2023' },
    forWeb(production),
  ];
  const names = builds.flatMap(({ entryPoints }) => entryPoints.map(({ out }) => out));
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice) throw new Error(`two programs are called "${twice}"`);
  return builds;
}

/** Modules of Node that few starts of a test's program use: each is loaded with the first access to one of its exports. */
const whenNeeded = {
  name: 'when-needed',
  setup(build) {
    const filter = /^node:(child_process|crypto|http|zlib)$/;
    build.onResolve({ filter }, ({ path: name, namespace }) =>
      namespace === 'when-needed' ? { path: name, external: true } : { path: name, namespace: 'when-needed' },
    );
    build.onLoad({ filter, namespace: 'when-needed' }, ({ path: name }) => ({
      contents: `for (const name of ${JSON.stringify(Object.keys(require(name)))})
        Object.defineProperty(exports, name, { enumerable: true, get: () => require('${name}')[name] });`,
    }));
  },
};

/**
 * Sources and tests, file by file, so that tests see each module once and doors as they are; packages stay in node_modules. But
 * the programs that tests start by the hundred (out/servers): those start in half the time as one file with their packages.
 */
function tests() {
  const files = folder =>
    fs
      .readdirSync(folder, { recursive: true })
      .map(file => `${folder}/${file.replaceAll('\\', '/')}`)
      .filter(file => /\.ts$/.test(file) && !/node_modules|\.d\.ts$/.test(file));
  // Maps beside the files, without the sources, which are here: each process that loads a test would read them, too.
  const build = { ...common, sourcemap: 'linked', sourcesContent: false, outdir: 'out', supported: {}, metafile: true };
  const servers = files('test').filter(file => /^test\/servers\/[^/]+$/.test(file));
  return [
    {
      ...build,
      entryPoints: [...files('src'), ...files('test'), 'docs/api/testing.ts'],
      bundle: false,
      outbase: '.',
    },
    { ...build, entryPoints: servers, outbase: 'test', external: ['oidc-provider'], plugins: [whenNeeded] },
  ];
}

/** Removes what an earlier build has made: mocha would still run tests whose source is gone, and old chunks would ship. */
function removeStale(outdir, outputs) {
  for (const file of fs.readdirSync(outdir, { recursive: true })) {
    const path = `${outdir}/${file.replaceAll('\\', '/')}`;
    if (/\.js(\.map)?$/.test(path) && !outputs[path]) fs.rmSync(path);
  }
}

/** Writes what a build has made. The builds of what ships write nothing themselves: one is changed when it is done. */
const writing = {
  name: 'writing',
  setup(build) {
    build.onEnd(({ outputFiles = [] }) => {
      for (const { path: file, contents } of outputFiles) {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, contents);
      }
    });
  },
};

async function main(argv) {
  const production = argv.includes('--production');
  const builds = argv.includes('--tests')
    ? tests()
    : programs(production).map(options => ({ ...options, plugins: [...(options.plugins ?? []), writing] }));
  if (!argv.includes('--watch')) {
    const metafiles = [];
    for (const options of builds) metafiles.push((await esbuild.build(options)).metafile);
    const outputs = Object.assign({}, ...metafiles.map(metafile => metafile.outputs));
    removeStale(builds[0].outdir, outputs);
    if (argv.includes('--tests')) return;
    fs.writeFileSync('dist/programs.json', JSON.stringify(outputs)); // for tests and benchmarks
    fs.writeFileSync('ThirdPartyNotices.txt', notices(bundledPackages(metafiles)));
    return;
  }
  for (const options of builds) await (await esbuild.context({ ...options, logLevel: 'info' })).watch();
}

if (require.main === module) {
  main(process.argv.slice(2)).catch(error => {
    if (!error.errors) console.error(error.message); // else esbuild has printed the reason
    process.exitCode = 1;
  });
}

module.exports = { programs, shared, testRunner };
