import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { phrase } from '../../base/phrase';
import { isTransportFault, type TransportFault } from '../transport/transportFault';
import { unusableMetadata } from './authFaults';

/** Which authorization server gives access to an MCP server, and what to request. */
export interface Discovery {
  /** Its issuer, or, if it has no metadata, its address. The key under which credentials are stored. */
  issuer: string;
  url: string;
  metadata: Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>;
  /**
   * The resource indicator (RFC 8707) in every request for tokens. Undefined at an identity provider: what that gives is for
   * this host, not for a server.
   */
  resource: string | undefined;
  /** Whether the server may be of the revision 2025-03-26, which had no resource metadata. */
  isOld: boolean;
  /** Why a document could not be read that may exist: what was found without it is a guess. */
  failure?: TransportFault | undefined;
  /** All scopes that the server supports, if it lists them. */
  scopesSupported: readonly string[] | undefined;
}

/**
 * Finds the authorization server of an MCP server (spec: basic/authorization#discovery): its protected resource metadata,
 * then the metadata of the authorization server, by OAuth and by OpenID Connect. Repeated for each sign-in, so that a change
 * of the authorization server is noticed. Rejects with a `TransportFault` if the server has a document that can't be used: only a
 * server without one may be its own authorization server.
 */
export async function discover(
  serverUrl: URL,
  resourceMetadataUrl: URL | undefined,
  fetchFn: FetchLike,
): Promise<Discovery> {
  const answers = new Answers(fetchFn);
  const resourceMetadata = await resourceMetadataOf(serverUrl, resourceMetadataUrl, answers);
  const url = resourceMetadata?.authorization_servers[0] ?? new URL('/', serverUrl).href;
  const metadata = await discoverAuthorizationServerMetadata(url, { fetchFn: answers.fetch });
  // Throws if the metadata is about another resource. Sent literally, because some servers compare it character by
  // character.
  await selectResourceURL(serverUrl, {} as Parameters<typeof selectResourceURL>[1], resourceMetadata);
  return {
    issuer: metadata?.issuer ?? url,
    url,
    metadata,
    resource: resourceMetadata?.resource ?? canonical(serverUrl),
    isOld: !resourceMetadata,
    failure: answers.failure,
    scopesSupported: resourceMetadata?.scopes_supported,
  };
}

/** Sends the requests of a discovery, and remembers their answers. */
class Answers {
  /** The newest. */
  last: { readonly url: URL; readonly response: Response } | undefined;
  /** Of the first request that the other side failed to answer. */
  failure: TransportFault | undefined;

  constructor(private readonly send: FetchLike) {}

  readonly fetch: FetchLike = async (input, init) => {
    this.last = undefined;
    const [url, response] = [new URL(input), await this.send(input, init)];
    this.last = { url, response: response.clone() };
    if (response.status >= 500) this.failure ??= unusableMetadata(url, `HTTP ${response.status}`, response.status);
    return response;
  };
}

type ResourceMetadata = Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;

/** The protected resource metadata (RFC 9728), which names an authorization server; undefined if the server has none. */
async function resourceMetadataOf(
  serverUrl: URL,
  resourceMetadataUrl: URL | undefined,
  answers: Answers,
): Promise<(ResourceMetadata & { authorization_servers: string[] }) | undefined> {
  const named = resourceMetadataUrl && { resourceMetadataUrl };
  try {
    const metadata = await discoverOAuthProtectedResourceMetadata(serverUrl, named, answers.fetch);
    const { authorization_servers = [] } = metadata;
    if (authorization_servers.length > 0) return { ...metadata, authorization_servers };
    throw unusableMetadata(answers.last!.url, phrase('it lists no "authorization_servers"'));
  } catch (error) {
    if (!answers.last || isTransportFault(error)) throw error;
    const { url, response } = answers.last;
    if (!response.ok) {
      if (named) throw unusableMetadata(url, `HTTP ${response.status}`, response.status);
      return undefined;
    }
    const document: unknown = await response.json().catch(() => undefined);
    // Pages and other answers to any address are no such document, unless the server says that it is one.
    if (!named && !(Object(document).resource ?? Object(document).authorization_servers)) return undefined;
    throw unusableMetadata(url, document === undefined ? phrase('it is not JSON') : problemIn(error));
  }
}

/** The first part of a document that the SDK's schema refuses. */
function problemIn(error: unknown): string {
  const [issue] = (error as { issues?: readonly { path: readonly PropertyKey[]; message: string }[] }).issues ?? [];
  return issue ? `${issue.path.map(String).join('.')}: ${issue.message}` : messageOf(error, 200);
}

/** The canonical URI of a server (spec: basic/authorization#canonical-server-uri). Its query may hold a key, and stays here. */
function canonical({ origin, pathname }: URL): string {
  return pathname === '/' ? origin : origin + pathname;
}

/** Whether the authorization server declares PKCE. Old servers may have no metadata that could declare it. */
export function protectsCodes({ metadata, isOld }: Discovery): boolean {
  return metadata ? (metadata.code_challenge_methods_supported?.includes('S256') ?? false) : isOld;
}

/** One challenge of a `WWW-Authenticate` field (RFC 9110, 11.6.1). */
interface AuthChallenge {
  /** In lower case: "bearer". */
  readonly scheme: string;
  /** By name in lower case. Of a name that comes twice, the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A field is read up to here; the rest of a longer one is ignored. */
const MAX_LENGTH = 8_192;

/** An element of the list: empty, or a scheme, a scheme with a token68, or a parameter, which may follow a scheme. Each part is linear. */
const SPACE = /[ \t]*/y;
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
const TOKEN68 = /[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/y;
/** Some servers write a URL without quotes, although it is no token. */
const UNQUOTED = /[^\s",]+/y;
const REST = /(?:"(?:[^"\\]|\\.)*"|[^",]|")*?(?=,|$)/sy;

/**
 * The challenges in a response's `WWW-Authenticate` fields, in their order. `Headers` has joined several field lines with
 * commas, as RFC 9110, 5.2 allows. What can't be read is skipped up to the next comma.
 */
export function challengesIn({ headers }: Pick<Response, 'headers'>): AuthChallenge[] {
  const field = (headers.get('www-authenticate') ?? '').slice(0, MAX_LENGTH);
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(field);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const takeParameter = (): boolean => {
    const start = at;
    const name = take(TOKEN)?.[0].toLowerCase();
    if (name !== undefined && take(EQUALS)) {
      const value = take(QUOTED)?.[1]?.replace(/\\(.)/gs, '$1') ?? take(UNQUOTED)?.[0];
      const parameters = challenges.at(-1)?.parameters;
      if (value !== undefined && parameters) {
        if (!parameters.has(name)) parameters.set(name, value);
        return true;
      }
    }
    at = start;
    return false;
  };
  for (; at < field.length; at++) {
    take(SPACE);
    if (!takeParameter()) {
      const scheme = take(TOKEN)?.[0];
      if (scheme !== undefined) {
        challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
        take(SPACE);
        if (!take(TOKEN68)) takeParameter();
      }
    }
    take(REST);
  }
  return challenges;
}

/** What a refused request says about signing in: from the challenge that a bearer token, possibly bound to a key, answers. */
interface TokenChallenge {
  readonly error?: string;
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
  /** Whether only tokens that are bound to a key are accepted (RFC 9449). */
  readonly isDpop: boolean;
}

/**
 * The challenge of a refused request for tokens (RFC 6750, RFC 9449, RFC 9728). Of several, the one with an error counts, for
 * that says what this request lacked; parameters that it does not have are taken from the others.
 */
export function tokenChallenge(response: Pick<Response, 'headers'>): TokenChallenge {
  const challenges = challengesIn(response).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const inOrder = [
    ...challenges.filter(({ parameters }) => parameters.has('error')),
    ...challenges.filter(({ parameters }) => !parameters.has('error')),
  ];
  const find = (name: string) => inOrder.map(({ parameters }) => parameters.get(name)).find(value => value);
  const [error, scope, metadata = ''] = [find('error'), find('scope'), find('resource_metadata')];
  return {
    ...(error && { error }),
    ...(scope && { scope }),
    ...(URL.canParse(metadata) && { resourceMetadataUrl: new URL(metadata) }),
    isDpop: challenges.length > 0 && challenges.every(({ scheme }) => scheme === 'dpop'),
  };
}
