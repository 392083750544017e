import { type Phrase, phrase } from '../../base/phrase';

/** The setting `mcpHost.sandbox`: which servers are confined whose entries don't ask for it. */
export const SANDBOX_SETTINGS = ['off', 'workspaceServers', 'all'] as const;
export type SandboxSetting = (typeof SANDBOX_SETTINGS)[number];

/** The permissions of a confined program in `sandbox` of a settings entry. Absent ones follow the default rules. */
export interface SandboxRules {
  /** Readable places besides installed programs, the roots and its start files. */
  readonly read?: readonly string[] | undefined;
  /** Absent: nothing but its own temporary folder and caches. */
  readonly write?: readonly string[] | undefined;
  /** Absent: none. */
  readonly network?: readonly string[] | undefined;
  /** Names of variables that it inherits beside the base list. */
  readonly env?: readonly string[] | undefined;
  /** Whether it may open Unix sockets. Absent: no. */
  readonly sockets?: boolean | undefined;
}

/** The person's grants to a confined server beside its entry, for as long as the same is launched. */
export interface SandboxGrant {
  readonly network?: readonly string[];
  readonly sockets?: boolean;
  readonly write?: readonly string[];
  /** Paths at which something may appear that other programs obey. */
  readonly appears?: readonly string[];
  /** It isn't confined, unless its entry asks for it. */
  readonly isFree?: boolean;
}

/** A name, `*.` and a name, an IPv4 address or an IPv6 address in brackets, and a port; or `*`. */
const HOST =
  /^(\*|(\*\.)?([a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** Why a text is not a place of a policy. Undefined: it is one, as far as its variables allow to tell. */
export function placeProblem(text: string): ((name: Phrase | string) => Phrase) | undefined {
  const parts = text.split(/[\\/]/);
  if (parts.includes('..'))
    return name => phrase('{0} contains "..", which may lead elsewhere. Write the whole path.', name);
  if (/^~[^\\/]/.test(text)) {
    return name => phrase("{0} is in another person's home folder. Write the whole path, or ~ for your own.", name);
  }
  // Variables have braces, too.
  if (/[*?[\]{}]/.test(text.replace(/\$?\$\{[^{}]*\}/g, ''))) {
    return name => phrase('{0} is a pattern. Name a file, or a folder, which includes everything in it.', name);
  }
  if (/^(~|[\\/]|[a-z]:[\\/]|\$\{)/i.test(text)) return undefined;
  return name => phrase('{0} is a relative path. Begin it with {1}, ~ or /.', name, '${workspaceFolder}');
}

/** Whether a text is a host of a policy. One with a variable can be checked only after that is resolved. */
export const isHost = (text: string): boolean => {
  if (text.includes('${')) return true;
  const port = Number(/:(\d+)$/.exec(text.replace(/^\[.*\]/, ''))?.[1] ?? 1);
  return HOST.test(text) && port > 0 && port < 65_536;
};

/** Ports that are meant where a host has none. */
const USUAL_PORTS = new Set([80, 443]);

/** Whether one of these hosts is this one. @param host without brackets */
export function allowsHost(hosts: readonly string[], host: string, port: number): boolean {
  const wanted = plainHost(host);
  return hosts.some(text => {
    const [, name = '', own] = /^(.*?|\[.*\])(?::(\d+))?$/.exec(text) ?? [];
    if (own === undefined ? !USUAL_PORTS.has(port) && name !== '*' : Number(own) !== port) return false;
    const known = plainHost(name);
    return known === '*' || (known.startsWith('*.') ? wanted.endsWith(known.slice(1)) : wanted === known);
  });
}

const plainHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
