// Real servers, as people have them: each starts without an account or a network.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type AppExample, npmServerPath } from '../../servers/npm';
import { requireOnDemand } from '../../setup/onDemand';
import { cache, inRepository } from '../../setup/paths';
import { run } from '../../setup/processes';

/** An entry of `mcpHost.servers`. */
export interface NpmServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server of a package. */
export interface Wanted {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const SECRET = 'aB3dE5gH7jK9mN1pQ3sT5v';

const OWN_FOLDER: readonly Wanted[] = [
  { name: '@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: SECRET } },
  { name: '@circleci/mcp-server-circleci', env: { CIRCLECI_TOKEN: SECRET } },
  { name: '@elastic/mcp-server-elasticsearch', env: { ES_URL: 'http://127.0.0.1:9', ES_API_KEY: SECRET } },
  { name: '@hubspot/mcp-server', env: { PRIVATE_APP_ACCESS_TOKEN: SECRET } },
  { name: '@modelcontextprotocol/server-github', env: { GITHUB_PERSONAL_ACCESS_TOKEN: SECRET } },
  { name: '@modelcontextprotocol/server-gitlab', env: { GITLAB_PERSONAL_ACCESS_TOKEN: SECRET } },
  { name: '@modelcontextprotocol/server-google-maps', env: { GOOGLE_MAPS_API_KEY: SECRET } },
  { name: '@modelcontextprotocol/server-sequential-thinking' },
  { name: '@modelcontextprotocol/server-slack', env: { SLACK_BOT_TOKEN: SECRET, SLACK_TEAM_ID: 'T0' } },
  { name: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: SECRET } },
  { name: '@upstash/context7-mcp' },
  { name: '@wonderwhy-er/desktop-commander' },
  { name: 'airtable-mcp-server', env: { AIRTABLE_API_KEY: SECRET } },
  { name: 'figma-developer-mcp', args: ['--stdio'], env: { FIGMA_API_KEY: SECRET } },
  { name: 'mcp-server-kubernetes' },
  { name: 'tavily-mcp', env: { TAVILY_API_KEY: SECRET } },
];
const APPS: readonly AppExample[] = ['basic-vanillajs', 'budget-allocator', 'cohort-heatmap', 'scenario-modeler'];

/** By names that are valid in settings; installed first if they are missing. */
export async function npmServers(): Promise<Record<string, NpmServer>> {
  const require = await requireOnDemand('npm');
  const ours = [
    ['everything', { args: [npmServerPath('everything'), 'stdio'], env: {} }],
    ['filesystem', { args: [npmServerPath('filesystem'), path.dirname(npmServerPath('filesystem'))], env: {} }],
    ['memory', { args: [npmServerPath('memory')], env: {} }],
    ...APPS.map(name => [name, { args: [npmServerPath(name), '--stdio'], env: {} }] as const),
  ] as const;
  const entries = ours.map(([name, server]) => [name, { command: process.execPath, ...server }] as const);
  return { ...Object.fromEntries(entries), ...wantedServers(require, OWN_FOLDER) };
}

/** Servers of packages whose versions are in a package.json of this repository. */
export const PACKAGED: readonly Wanted[] = [
  { name: '@modelcontextprotocol/server-everything', args: ['stdio'] },
  { name: '@modelcontextprotocol/server-filesystem', args: ['/'] },
  { name: '@modelcontextprotocol/server-memory' },
  ...[...APPS, 'basic-react', 'customer-segmentation'].map(app => ({
    name: `@modelcontextprotocol/server-${app}`,
    args: ['--stdio'],
  })),
  ...OWN_FOLDER,
];

/** Servers as people enter them, with npx, by the names of `npmServers`. What npx installs is kept in .vscode-test. */
export function npxServers(wanted: readonly Wanted[]): Record<string, NpmServer> {
  const manifests = ['package.json', 'test/bench/npm/package.json', 'test/bench/lint/package.json'].map(
    file => JSON.parse(fs.readFileSync(inRepository(file), 'utf8')) as Record<string, Record<string, string>>,
  );
  const lists = manifests.flatMap(({ dependencies, devDependencies }) => [dependencies, devDependencies]);
  const versions: Record<string, string> = Object.assign({}, ...lists);
  const npm = { npm_config_cache: path.join(cache, 'npx'), npm_config_ignore_scripts: 'true' };
  return Object.fromEntries(
    wanted.map(({ name, args = [], env }) => [
      shortName(name),
      { command: 'npx', args: ['-y', `${name}@${versions[name]}`, ...args], env: { ...env, ...npm } },
    ]),
  );
}

/** Has npx install the package of a server. */
export async function installed({ command, args: [yes = '', spec = ''], env }: NpmServer): Promise<void> {
  const args = [yes, '-p', spec, '--', 'node', '-e', '0'];
  await run(command, args, { env: { ...process.env, ...env }, timeoutMs: 300_000 });
}

/** How servers are started whose packages are installed. */
export function wantedServers(require: NodeJS.Require, wanted: readonly Wanted[]): Record<string, NpmServer> {
  const entries = wanted.map(({ name, args = [], env = {} }) => {
    const manifest = findManifest(require, name);
    const { bin } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { bin: string | Record<string, string> };
    const script = typeof bin === 'string' ? bin : Object.values(bin)[0]!;
    const server = { command: process.execPath, args: [path.join(path.dirname(manifest), script), ...args], env };
    return [shortName(name), server] as const;
  });
  return Object.fromEntries(entries);
}

const shortName = (name: string) =>
  name.replace(/^@([^/]+)\/.*/, '$1').replace('modelcontextprotocol', name.split('-').at(-1)!);

/** Not every package exports its manifest. */
function findManifest(require: NodeJS.Require, name: string): string {
  const folder = require.resolve.paths(name)?.find(place => fs.existsSync(path.join(place, name)));
  if (!folder) throw new Error(`${name} is not installed`);
  return path.join(folder, name, 'package.json');
}
