import { isObject } from '../../../base/json';
import type { Dialect } from './hostVariables';
import type { DraftEntry, DraftNote, Json } from './serverDraft';

/** Members that let calls pass without a question elsewhere: never imported, as approvals are the person's here. */
const PERMISSIONS = ['autoApprove', 'alwaysAllow', 'trust'];

/**
 * One server of another host's file as an entry of ours, its variables not yet looked at. Undefined when it has neither a
 * command nor an address, as what an extension of that host brings.
 */
export function toEntry(raw: unknown, dialect: Dialect, note: (note: DraftNote) => void): DraftEntry | undefined {
  if (!isObject(raw)) return undefined;
  const server = isObject(raw.transport) ? { ...raw, ...raw.transport } : raw;
  const entry = programOf(server) ?? addressOf(server);
  if (!entry) return undefined;
  if (server.disabled === true || server.enabled === false) entry.enabled = false;
  // Cline counts in seconds.
  if (dialect === 'cline' && typeof server.timeout === 'number' && server.timeout > 0)
    entry.timeouts = { toolCallMs: Math.round(server.timeout * 1000) };
  for (const key of PERMISSIONS) if (isGiven(server[key])) note({ kind: 'leftOut', what: key });
  return entry;
}

const isGiven = (value: unknown) => value === true || (Array.isArray(value) && value.length > 0);

function programOf(server: Json): DraftEntry | undefined {
  // Older files of Zed have all of it in `command`; some hosts have the whole command line as a list.
  const part = isObject(server.command) ? { ...server, ...server.command, command: server.command.path } : server;
  const [command, ...leading] = Array.isArray(part.command) ? texts(part.command) : [part.command];
  if (typeof command !== 'string' || command.trim() === '') return undefined;
  const args = [...(leading as string[]), ...texts(part.args)];
  const env = pairs(part.env, isEnvValue);
  return {
    command,
    ...((args.length > 0 || Array.isArray(part.args)) && { args }),
    ...(env && { env }),
    ...(typeof part.envFile === 'string' && { envFile: part.envFile }),
    ...(typeof part.cwd === 'string' && part.cwd !== '' && { cwd: part.cwd }),
  };
}

function addressOf(server: Json): DraftEntry | undefined {
  const url = [server.url, server.serverUrl, server.httpUrl, server.uri, server.endpoint].find(isText);
  if (url === undefined) return undefined;
  const type = String(server.type ?? server.transport ?? server.transportType ?? '').toLowerCase();
  const { requestOptions } = server;
  const headers = pairs(server.headers ?? (isObject(requestOptions) ? requestOptions.headers : undefined), isText);
  const oauth = oauthOf(server);
  return {
    type: type === 'sse' ? 'sse' : 'http',
    url,
    ...(headers && { headers }),
    ...(oauth && { oauth }),
  };
}

/** The client that another host signs in as. */
function oauthOf({ oauth, auth }: Json): Json | undefined {
  if (isObject(oauth) && isText(oauth.clientId)) {
    return { clientId: oauth.clientId, ...(isText(oauth.clientSecret) && { clientSecret: oauth.clientSecret }) };
  }
  if (!isObject(auth) || !isText(auth.CLIENT_ID)) return undefined;
  return {
    clientId: auth.CLIENT_ID,
    ...(isText(auth.CLIENT_SECRET) && { clientSecret: auth.CLIENT_SECRET }),
    ...(Array.isArray(auth.scopes) && { scopes: texts(auth.scopes) }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isEnvValue = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(item => String(item)) : []);

function pairs(value: unknown, keep: (value: unknown) => boolean): Json | undefined {
  if (!isObject(value)) return undefined;
  const kept = Object.entries(value).filter(([, item]) => keep(item));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
