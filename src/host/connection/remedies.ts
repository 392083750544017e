import type { HostError, PackagesCommand, TimeLimit } from '../../base/errors';
import type { ServerDefinition } from '../definition/definition';
import { nearestCommand, type Runtime, runtimeOf } from '../launch/knownPrograms';
import type { SandboxAttempts } from '../sandbox/attempts';
import { type Account, hasAuthorization } from './account';
import type { ServerState } from './serverState';

/** What fixes a server that is not ready, or shows more about it. Rows, hovers and quick fixes rely on its kinds. */
export type Remedy =
  | { readonly kind: 'review' | 'enterInputs' | 'signIn' | 'appendPath' | 'installUv' }
  /** The organization does not allow it. */
  | { readonly kind: 'requestApproval' | 'showRules' }
  /** `isThere`: the entry already has this header, but it is not accepted. */
  | { readonly kind: 'setHeader'; readonly isThere: boolean }
  /** Asks for the value of an environment variable that the editor does not have. */
  | { readonly kind: 'makeInput'; readonly variable: string }
  | { readonly kind: 'rename'; readonly path: readonly (string | number)[]; readonly to: string }
  /** Another program than the one that is not there. */
  | { readonly kind: 'setCommand'; readonly to: string }
  | { readonly kind: 'install'; readonly runtime: Runtime }
  /** Runs this command in a terminal, in this folder. */
  | ({ readonly kind: 'installPackages' } & PackagesCommand)
  /** Opens a place to a confined server, or starts it without its sandbox until it ends. */
  | { readonly kind: 'allowRead'; readonly path: string }
  | { readonly kind: 'runUnconfined' }
  | { readonly kind: 'raiseLimit'; readonly limit: TimeLimit; readonly ms: number }
  | { readonly kind: 'openSettings' | 'start' | 'openLog' | 'showHealth' | 'explain' };

export interface Ailing {
  readonly state: ServerState;
  readonly definition: ServerDefinition;
  readonly account: Pick<Account, 'offersSignIn'>;
  /** What the sandbox has blocked. Undefined: it was not confined. */
  readonly attempts?: Pick<SandboxAttempts, 'blocked' | 'folderAround'> | undefined;
}

/** More than enough for a first download: a server that needs longer has another problem. */
const MAX_LIMIT_MS = 600_000;

/** What can be done about a server that is not ready, the likeliest first, always with its entry. Else empty. */
export function remediesOf(server: Ailing): readonly Remedy[] {
  if (!('error' in server.state)) return [];
  const found = ofState(server.state, server);
  return found.some(({ kind }) => kind === 'openSettings') ? found : [...found, { kind: 'openSettings' }];
}

function ofState(
  state: Extract<ServerState, { error: HostError }>,
  { definition, account, attempts }: Ailing,
): readonly Remedy[] {
  switch (state.kind) {
    case 'needsTrust':
      return [{ kind: 'review' }];
    case 'needsInput':
      return [{ kind: 'enterInputs' }];
    case 'needsAuth':
      return [...ofRefusal(definition, account), ...ofSettings(definition), { kind: 'openLog' }, { kind: 'explain' }];
    case 'failed':
      if (state.error.code === 'NOT_ALLOWED')
        return [{ kind: 'requestApproval' }, { kind: 'showRules' }, { kind: 'openLog' }];
      return [
        ...ofSettings(definition),
        ...(attempts && RAN.has(state.error.code) ? ofSandbox(attempts) : []),
        ...(state.error.packages && !attempts
          ? // What packages run when they are installed is not confined, so it is not offered for a confined program.
            [{ kind: 'installPackages', ...state.error.packages } as const]
          : ofError(state.error, definition, account)),
        { kind: 'start' },
        { kind: 'openLog' },
        { kind: 'showHealth' },
        { kind: 'explain' },
      ];
    case 'reconnecting':
      return [
        ...(attempts ? ofSandbox(attempts) : []),
        { kind: 'openLog' },
        { kind: 'showHealth' },
        { kind: 'explain' },
      ];
  }
}

/** Failures of a program that has run. */
const RAN = new Set<HostError['code']>([
  'CLOSED',
  'EXITED',
  'NOT_INSTALLED',
  'NOT_MCP',
  'PACKAGE_NOT_FOUND',
  'PROTOCOL',
  'TIMEOUT',
]);

/** Failures of a program that a change of its entry mends. */
const OF_ENTRY = new Set<HostError['code']>([
  'FOLDER_NOT_FOUND',
  'PACKAGE_NOT_FOUND',
  'SANDBOX_RULES',
  'SCRIPT_NOT_FOUND',
]);

function ofSandbox({ blocked, folderAround }: NonNullable<Ailing['attempts']>): Remedy[] {
  const missed = blocked.findLast(({ kind }) => kind === 'read');
  const allow = missed && ({ kind: 'allowRead', path: folderAround(missed.what) } as const);
  return [...(allow ? [allow] : []), { kind: 'runUnconfined' }];
}

/** Remedies for probable mistakes in the settings entry. */
function ofSettings({ problems, entry }: ServerDefinition): Remedy[] {
  const found = problems.flatMap(({ code, variable, meant, path, onKey }): Remedy[] => {
    if (code === 'unsetVariable' && variable !== undefined) return [{ kind: 'makeInput', variable }];
    return onKey && meant !== undefined ? [{ kind: 'rename', path, to: meant }] : [];
  });
  // One variable may stand in several places.
  const each = new Map(found.map(remedy => [JSON.stringify(remedy), remedy]));
  return [...each.values(), ...(entry ? [] : [{ kind: 'openSettings' } as const])];
}

function ofError(error: HostError, definition: ServerDefinition, account: Ailing['account']): Remedy[] {
  const { entry } = definition;
  if (!entry) return [];
  const { code, status, limit } = error;
  if (limit !== undefined && entry.timeouts[limit] < MAX_LIMIT_MS) {
    return [{ kind: 'raiseLimit', limit, ms: Math.min(entry.timeouts[limit] * 2, MAX_LIMIT_MS) }];
  }
  if (entry.type === 'stdio') {
    if (code === 'NO_SANDBOX') return [{ kind: 'install', runtime: 'bubblewrap' }, { kind: 'openSettings' }];
    if (OF_ENTRY.has(code)) return [{ kind: 'openSettings' }];
    if (code !== 'COMMAND_NOT_FOUND') return [];
    const runtime = runtimeOf(entry.command);
    const meant = nearestCommand(entry.command);
    if (meant !== undefined) return [{ kind: 'setCommand', to: meant }];
    if (runtime === undefined) return [{ kind: 'openSettings' }];
    return [...(runtime === 'uv' ? [{ kind: 'installUv' } as const] : []), { kind: 'install', runtime }];
  }
  if (code === 'UNAUTHORIZED' || code === 'FORBIDDEN') return ofRefusal(definition, account);
  const isElsewhere = code === 'NOT_MCP' || (code === 'HTTP_STATUS' && (status === 404 || status === 405));
  return isElsewhere && lacksPath(entry.url) ? [{ kind: 'appendPath' }] : [];
}

/** Remedies for a refused request. Without metadata of an authorization server, a header is usually missing. */
function ofRefusal({ entry }: ServerDefinition, { offersSignIn }: Ailing['account']): Remedy[] {
  if (!entry || entry.type === 'stdio') return [];
  if (entry.headersHelper && !entry.oauth) return [{ kind: 'start' }, { kind: 'openSettings' }];
  const isThere = hasAuthorization(entry);
  const header = { kind: 'setHeader', isThere } as const;
  if (isThere) return [header];
  return offersSignIn ? [{ kind: 'signIn' }, header] : [header, { kind: 'signIn' }];
}

function lacksPath(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !/\/(mcp|sse)\/?$/.test(new URL(url).pathname);
}
