import { join } from 'node:path';
import { readBounded } from '../../base/files';
import { isLoopback, literalOf, placeOf } from '../../base/networkAddress';
import type { PackageRunner } from '../launch/knownPrograms';
import { type Ecosystem, ecosystemOf } from '../launch/knownPrograms';
import type { SandboxRules } from '../settings/sandboxRules';

/** What determines where a package manager fetches from. */
export interface Fetching {
  readonly rules: SandboxRules;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Hosts that the organization has packages fetched from. */
  readonly sources?: readonly string[];
}

const MAX_NPMRC_BYTES = 64 * 1024;
const NPM = ['registry.npmjs.org'];
/** Where package managers fetch from. */
const SOURCES: { readonly [E in Ecosystem]?: readonly string[] } = {
  npm: NPM,
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  deno: ['deno.land', 'jsr.io', 'npm.jsr.io', ...NPM],
  nuget: ['api.nuget.org'],
  go: ['proxy.golang.org', 'sum.golang.org'],
};
/** Variables that name registries. */
const REGISTRIES = /^(npm_config_registry|uv_(default_)?index(_url)?|pip_(extra_)?index_url)$/i;
const GIT_SOURCE = /\bgit\+(https:\/\/[^\s'"#]+)/g;

/**
 * The hosts that a package manager needs at the start: the usual ones, the registry of the person's `.npmrc`, and public ones
 * that the entry names by a variable or as a git source among the arguments. An entry without network access adds none.
 */
export async function sourcesOfLaunch(
  { rules, args, env, home, sources = [] }: Fetching,
  runner: PackageRunner | undefined,
): Promise<{ hosts: string[]; env: Record<string, string> }> {
  if (!runner) return { hosts: [], env: {} };
  const npmrc = await readBounded(join(home, '.npmrc'), MAX_NPMRC_BYTES).catch(() => '');
  const registry = /^\s*registry\s*=\s*(\S+)\s*$/m.exec(npmrc)?.[1];
  const ecosystem = ecosystemOf(runner);
  const usual = [...(SOURCES[ecosystem] ?? []), ...(runner === 'yarn dlx' ? ['registry.yarnpkg.com'] : [])];
  const named = [
    ...Object.entries(env).flatMap(([name, value = '']) => (REGISTRIES.test(name) ? [value] : [])),
    ...(ecosystem === 'pypi' ? args.flatMap(arg => [...arg.matchAll(GIT_SOURCE)].map(([, url = '']) => url)) : []),
  ];
  const own = rules.network?.length === 0 ? [] : named.filter(url => URL.canParse(url) && isPublic(new URL(url)));
  return {
    hosts: [...sources, ...usual, ...[...own, ...(registry ? [registry] : [])].flatMap(hostOf)],
    // As npm does, a variable comes before the file.
    env: registry && !env.npm_config_registry ? { npm_config_registry: registry } : {},
  };
}

/** Whether a URL may lead to the internet. The proxy checks where its name really leads. */
function isPublic(url: URL): boolean {
  const address = literalOf(url);
  return address === undefined ? !isLoopback(url) : placeOf(address) === 'public';
}

function hostOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { hostname, port } = new URL(url);
  return [port ? `${hostname}:${port}` : hostname];
}
