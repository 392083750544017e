// Bundles as their authors make them: servers of npm, packed with the official tool.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';
import { build } from 'esbuild';
import { type NpmServer, npmServerPath } from '../../../../servers/npm';
import { inRepository } from '../../../../setup/paths';

interface OwnManifest {
  args?: string[];
  env?: Record<string, string>;
  user_config?: object;
}

/** An official example of MCP Apps. Its packages are in its scripts already, and it reads its page beside them. */
const APP: OwnManifest = { args: ['--stdio'] };

/** What differs from server to server; all of them get their program as `${__dirname}/server/index.js`. */
const MANIFESTS: Record<NpmServer, OwnManifest> = {
  everything: {
    args: ['stdio'],
    env: { GREETING: '${user_config.greeting}', SAMPLE_TOKEN: '${user_config.token}' },
    user_config: {
      greeting: { type: 'string', title: 'Greeting', description: 'How it says hello', default: 'Hello' },
      token: { type: 'string', title: 'Access token', description: 'Of the sample service', sensitive: true },
    },
  },
  filesystem: {
    args: ['${user_config.folders}'],
    user_config: {
      folders: {
        ...{ type: 'directory', title: 'Folders', description: 'Folders that the server may read and change' },
        ...{ multiple: true, required: true, default: ['${HOME}'] },
      },
    },
  },
  memory: {
    env: { MEMORY_FILE_PATH: '${user_config.file}' },
    user_config: { file: { type: 'file', title: 'File', description: 'Where it keeps what it knows', required: true } },
  },
  'sequential-thinking': {
    env: { DISABLE_THOUGHT_LOGGING: '${user_config.quiet}' },
    user_config: {
      quiet: { type: 'boolean', title: 'Quiet', description: 'Whether it logs no thoughts', default: false },
    },
  },
  'basic-react': APP,
  'basic-vanillajs': APP,
  'budget-allocator': APP,
  'cohort-heatmap': APP,
  'customer-segmentation': APP,
  'scenario-modeler': APP,
};

interface BundleOptions {
  version?: string;
  /** With the packages of npm as they are, thousands of files; else in one file. */
  withPackages?: boolean;
  manifest?: object;
}

/**
 * Packs a server of npm with `mcpb pack`, which checks its manifest.
 * @param folder one that is empty, for the files of the bundle; it is written beside it.
 */
export async function officialBundle(name: NpmServer, folder: string, options: BundleOptions = {}): Promise<string> {
  const { version = '1.0.0', withPackages = false } = options;
  const { args = [], env = {}, user_config } = MANIFESTS[name];
  const script = npmServerPath(name);
  const out = join(folder, 'server', 'index.js');
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, type: 'module' }));
  if (MANIFESTS[name] === APP) {
    for (const file of ['index.js', 'server.js', 'mcp-app.html'])
      cpSync(join(script, '..', file), join(out, '..', file));
  } else if (withPackages) {
    cpSync(dirname(script), join(folder, 'server'), { recursive: true });
    copyPackages(JSON.parse(readFileSync(join(script, '../../package.json'), 'utf8')).dependencies, folder);
  } else {
    const banner =
      "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";
    await build({
      entryPoints: [script],
      outfile: out,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: banner },
      logLevel: 'error',
    });
    const docs = join(dirname(script), 'docs');
    if (existsSync(docs)) cpSync(docs, join(folder, 'server', 'docs'), { recursive: true });
  }
  const manifest = {
    ...aboutOf(name, version),
    server: {
      type: 'node',
      entry_point: 'server/index.js',
      mcp_config: { command: 'node', args: ['${__dirname}/server/index.js', ...args], env },
    },
    ...(user_config && { user_config }),
    ...options.manifest,
  };
  return pack(folder, manifest, version);
}

/**
 * Packs a server that is no program for Node.
 * @param type `binary` needs a compiler for C.
 */
export async function officialBundleOf(type: 'python' | 'binary', folder: string): Promise<string> {
  const file = type === 'python' ? 'server.py' : 'server';
  mkdirSync(join(folder, 'server'), { recursive: true });
  const out = join(folder, 'server', file);
  if (type === 'python') cpSync(inRepository('test/servers/bundled/server.py'), out);
  else execFileSync('cc', ['-o', out, inRepository('test/servers/bundled/server.c')]);
  const entry_point = `server/${file}`;
  const mcp_config =
    type === 'python'
      ? { command: 'python', args: [`\${__dirname}/${entry_point}`], env: { GREETING: '${user_config.greeting}' } }
      : { command: `\${__dirname}/${entry_point}`, args: [] };
  const greeting = { type: 'string', title: 'Greeting', description: 'How it says hello', required: true };
  return pack(
    folder,
    {
      ...aboutOf(type, '1.0.0'),
      server: { type, entry_point, mcp_config },
      ...(type === 'python' && { user_config: { greeting } }),
    },
    '1.0.0',
  );
}

const aboutOf = (name: string, version: string) => ({
  manifest_version: '0.3',
  ...{ name: `sample-${name}`, display_name: `Sample ${name}`, version },
  description: `The server ${name}, as a bundle`,
  author: { name: 'MCP Host tests' },
});

/** With the official tool, which checks the manifest. */
async function pack(folder: string, manifest: object, version: string): Promise<string> {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2));
  const path = `${folder}-${version}.mcpb`;
  if (!(await packExtension({ extensionPath: folder, outputPath: path, silent: true })))
    throw new Error(`${folder} was not packed`);
  return path;
}

/** Copies packages, and those that they need, from the repository's own. */
function copyPackages(dependencies: Record<string, string> = {}, folder: string): void {
  for (const name of Object.keys(dependencies)) {
    const [from, to] = [inRepository('node_modules', name), join(folder, 'node_modules', name)];
    if (existsSync(to) || !existsSync(from)) continue;
    // Without types and maps, which are half of the files.
    cpSync(from, to, { recursive: true, filter: file => !/\.(map|[cm]?ts|md)$/.test(file) });
    copyPackages(JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')).dependencies, folder);
  }
}
