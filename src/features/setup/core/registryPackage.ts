import { isObject, stringOf } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { isLoopback, parseUrl, visible, withoutTrailingSlashes } from '../../../base/text';
import { publicRegistries } from '../../../host/launch';
import { isLocalAddress } from '../../../host/settings';
import { plainValue } from './registryValues';
import type { Json } from './serverDraft';

/** How a package of a registry is run here. */
interface PackageCommand {
  readonly kind: string;
  /** The package with its version. */
  readonly what: string;
  readonly command: string;
  /** Where it is reached, if not over its pipes: with `{curly}` placeholders. */
  readonly address?: string;
  /** @param env names of its variables, which a container has to be given. */
  args(runtime: readonly string[], env: readonly string[], own: readonly string[]): string[];
}

type PackageRun =
  | PackageCommand
  | { readonly kind: string; readonly what: string; readonly bundle: { place: string; sha256: string } }
  | { readonly kind: string; readonly what: string; readonly refused: Phrase };

/** What runs a `Package` of a `server.json`: the runner that its author names, where that one is known and does it, else the usual one. */
export function packageRun(of: Json): PackageRun {
  // Older answers wrote them otherwise.
  const kind = stringOf(of.registryType) || stringOf(of.registry_type) || '?';
  const identifier = stringOf(of.identifier);
  const whole = withVersion(kind, identifier, stringOf(of.version));
  const refuse = (refused: Phrase) => ({ kind, what: whole, refused });
  const transport = isObject(of.transport) ? of.transport : {};
  const address = (stringOf(transport.type) || 'stdio') === 'stdio' ? undefined : stringOf(transport.url);
  if (address !== undefined && !isServedAt(address))
    return refuse(
      address === ''
        ? phrase('It speaks MCP over HTTP, and its entry has no address for that.')
        : phrase('It speaks MCP over HTTP: start it yourself, then add its address, {0}.', visible(address, 200)),
    );
  if (kind === 'mcpb') {
    const sha256 = stringOf(of.fileSha256 ?? of.file_sha256);
    if (!/^https?:/i.test(identifier)) return refuse(phrase('Its entry has no address.'));
    // One file at an address, with its SHA-256: else its server could change it.
    if (!/^[\da-f]{64}$/i.test(sha256)) return refuse(phrase('Its bundle has no SHA-256 to compare it with.'));
    return { kind, what: identifier, bundle: { place: identifier, sha256 } };
  }
  // An identifier that is an option, or several words, would be another command line than the one it looks like.
  if (identifier === '' || identifier.startsWith('-') || /\s/.test(whole))
    return refuse(phrase('Its package has no name that can be run.'));
  if (!Object.hasOwn(RUNNERS, kind))
    return refuse(phrase('Packages of this kind are not run here: {0}.', visible(kind, 40)));
  const base = stringOf(of.registryBaseUrl ?? of.registry_base_url);
  const registry = registryOf(kind, base);
  if (registry === null) return refuse(phrase('Its package registry cannot be used: {0}.', visible(base, 200)));
  const hint = stringOf(of.runtimeHint ?? of.runtime_hint);
  const run = RUNNERS[kind as keyof typeof RUNNERS](whole, registry, hint);
  return 'command' in run ? { kind, ...run, ...(address !== undefined && { address }) } : refuse(run);
}

/** Whether a package that is started here can be reached at its address, which may leave open the port, or what comes behind. */
const isServedAt = (address: string) => isLocalAddress(address.replace(PORT_OF_ADDRESS, '$1:1'));

/** Host and port of an address, where the port is named by a placeholder. */
export const PORT_OF_ADDRESS = /^(http:\/\/[^/?#@{}]+):\{([^{}]{1,100})\}/;

function withVersion(kind: string, identifier: string, version: string): string {
  const isImage = kind === 'oci';
  if (!version || (isImage && /:[^/:]+$|@sha256/.test(identifier))) return identifier;
  return `${identifier}${isImage ? ':' : '@'}${version}`;
}

/** The registry that a package must come from. Undefined: the usual one; null: none that can be asked safely. */
function registryOf(kind: string, base: string): URL | undefined | null {
  if (base === '') return undefined;
  const url = parseUrl(base);
  if (!url || url.username || url.password || url.search || url.hash) return null;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) return null;
  return publicRegistries(kind).includes(url.hostname) ? undefined : url;
}

type Runner = (whole: string, registry: URL | undefined, hint: string) => Omit<PackageCommand, 'kind'> | Phrase;

const addressOf = ({ href }: URL) => withoutTrailingSlashes(href);

const RUNNERS = {
  npm(what, registry, hint) {
    // These take no registry on their command line.
    if (!registry && (hint === 'bunx' || hint === 'pnpx'))
      return { what, command: hint, args: (runtime, _env, own) => [...runtime, plainValue(what), ...own] };
    const source = registry ? [`--registry=${addressOf(registry)}`] : [];
    return {
      what,
      command: 'npx',
      args: (runtime, _env, own) => [
        ...(runtime.includes('-y') ? [] : ['-y']),
        ...source,
        ...runtime,
        plainValue(what),
        ...own,
      ],
    };
  },
  pypi(what, registry) {
    const index = registry && addressOf(registry).replace(/(\/simple)?$/, '/simple');
    const source = index === undefined ? [] : ['--index-url', index];
    return { what, command: 'uvx', args: (runtime, _env, own) => [...source, ...runtime, plainValue(what), ...own] };
  },
  nuget(what, registry) {
    const source = registry ? ['--source', registry.href] : [];
    return {
      what,
      command: 'dnx',
      args: (runtime, _env, own) => [
        plainValue(what),
        '--yes',
        ...source,
        ...runtime.filter(word => word !== '--yes'),
        ...(own.length > 0 ? ['--', ...own] : []),
      ],
    };
  },
  oci(given, registry, hint) {
    const [host = ''] = given.split('/');
    const hasHost = given.includes('/') && (/[.:]/.test(host) || host === 'localhost');
    if (registry && hasHost && host !== registry.host)
      return phrase('Its entry names two registries: {0} and {1}.', visible(host, 100), visible(registry.host, 100));
    const what = registry && !hasHost ? `${registry.host}${withoutTrailingSlashes(registry.pathname)}/${given}` : given;
    const own = ['run', '-i', '--rm'];
    return {
      what,
      command: hint === 'podman' ? 'podman' : 'docker',
      args: (runtime, env, after) => [
        ...own,
        // Those of the registry begin with the same words, or with none of them.
        ...runtime.filter(word => !own.includes(word)),
        ...env.filter(name => !runtime.some(word => word.startsWith(`${name}=`))).flatMap(name => ['-e', name]),
        plainValue(what),
        ...after,
      ],
    };
  },
} satisfies Record<string, Runner>;
