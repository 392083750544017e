import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { phrase } from '../../base/phrase';
import { parseUrl } from '../../base/text';
import type { OAuthSettings } from '../settings';
import { isTransportFault, type TransportFault } from '../transport/transportFault';
import { otherName, unusableMetadata } from './authFaults';

/** Which authorization server gives access to an MCP server, and what to request. */
export interface Discovery {
  /**
   * The key under which credentials are stored: its issuer; its address if it has no metadata, or metadata in another name. So
   * what one address was given never goes to another that claims the same name.
   */
  issuer: string;
  /** The name by which it knows itself: the audience of assertions for it. */
  audience: string;
  url: string;
  metadata: Metadata | undefined;
  /** Its endpoints are from settings, and nothing was read from it. */
  isByHand?: boolean;
  /** The resource indicator (RFC 8707) of requests for tokens. None at identity providers, or where settings say so. */
  resource: string | undefined;
  /** Whether the server may be of the revision 2025-03-26, which had no resource metadata. */
  isOld: boolean;
  /** Why a document could not be read that may exist: what was found without it is a guess. */
  failure?: TransportFault | undefined;
  scopesSupported: readonly string[] | undefined;
}

type Metadata = NonNullable<Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>>;

/**
 * Finds the authorization server of an MCP server (spec: basic/authorization#discovery): its protected resource metadata,
 * then the metadata of the authorization server, by OAuth and by OpenID Connect. Repeated for each sign-in, so that a change
 * of the authorization server is noticed. Rejects with a `TransportFault` if the server has a document that can't be used: only a
 * server without one may be its own authorization server.
 * @param settings exceptions of the entry (`SIGN_IN_EXCEPTIONS`)
 */
export async function discover(
  serverUrl: URL,
  resourceMetadataUrl: URL | undefined,
  fetchFn: FetchLike,
  settings: OAuthSettings = {},
): Promise<Discovery> {
  const { issuer: accepted, tokenUrl, resource: given } = settings;
  const resourceOf = (named?: string) => (given === false ? undefined : (given ?? named ?? canonical(serverUrl)));
  if (tokenUrl !== undefined) return byHand({ ...settings, tokenUrl }, resourceOf());
  const answers = new Answers(fetchFn);
  const resourceMetadata = await resourceMetadataOf(serverUrl, resourceMetadataUrl, answers);
  const named = resourceMetadata?.authorization_servers;
  const url = named ? (named.find(one => isSameIssuer(one, accepted)) ?? named[0]!) : new URL('/', serverUrl).href;
  const found =
    (await authorizationServer(url, answers.fetch, accepted)) ??
    // Some describe the sign-in of each of their servers below its path, as if it were an issuer of its own.
    (named || serverUrl.pathname === '/' ? undefined : await below(serverUrl, answers.fetch, accepted));
  // Throws if the metadata is about another resource. Sent literally, because some servers compare it character by
  // character.
  await selectResourceURL(serverUrl, {} as Parameters<typeof selectResourceURL>[1], resourceMetadata);
  return {
    ...(found ?? { issuer: url, audience: url, url, metadata: undefined }),
    resource: resourceOf(resourceMetadata?.resource),
    isOld: !resourceMetadata,
    failure: answers.failure,
    scopesSupported: resourceMetadata?.scopes_supported,
  };
}

type AuthorizationServer = Pick<Discovery, 'issuer' | 'audience' | 'url' | 'metadata'>;

/**
 * Reads the metadata of an authorization server; undefined if it has none. Rejects if that is in the name of another issuer
 * (RFC 8414, 3.3).
 * @param accepted the only issuer that it may name then.
 */
export async function authorizationServer(
  url: string,
  fetchFn: FetchLike,
  accepted?: string,
): Promise<AuthorizationServer | undefined> {
  const metadata = await discoverAuthorizationServerMetadata(url, { fetchFn, skipIssuerValidation: true });
  if (!metadata) return undefined;
  const { issuer } = metadata;
  // The slash at the end of a named address was never required.
  const isOwn = isSameIssuer(issuer, url) || `${issuer}/` === url;
  if (!isOwn && !isSameIssuer(issuer, accepted)) throw otherName({ url, named: issuer, accepted });
  return { issuer: isOwn ? issuer : url, audience: issuer, url, metadata };
}

const below = ({ origin, pathname }: URL, fetchFn: FetchLike, accepted = origin) =>
  authorizationServer(origin + pathname, fetchFn, accepted);

/** Whether two spellings name one issuer: they may differ in a default port, in case of the host, and in the slash of an empty path. */
export function isSameIssuer(one: string, other: string | undefined): boolean {
  if (one === other) return true;
  const [a, b] = [parts(one), parts(other)];
  return a !== undefined && a === b;
}

function parts(issuer = ''): string | undefined {
  const [all, path = '/'] = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.exec(issuer) ?? [];
  const { origin } = parseUrl(all ?? '') ?? {};
  return origin && origin + path;
}

/** The authorization server that settings describe. Its token endpoint is the key to what it gave. */
function byHand(
  { tokenUrl, authorizationUrl = tokenUrl, issuer = tokenUrl }: OAuthSettings & { tokenUrl: string },
  resource: string | undefined,
): Discovery {
  const metadata = {
    issuer,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    response_types_supported: ['code'],
  };
  const common = { isByHand: true, isOld: false, scopesSupported: undefined };
  return { ...common, issuer: tokenUrl, audience: issuer, url: tokenUrl, metadata, resource };
}

/**
 * Whether an answer that names its issuer is from the authorization server that was asked (RFC 9207, 2.4). Where settings have its
 * addresses and no issuer, the name must be of the place that the browser was sent to.
 */
export function isFrom({ metadata, isByHand }: Discovery, iss: string, { issuer }: OAuthSettings = {}): boolean {
  if (!isByHand) return iss === metadata?.issuer;
  if (issuer !== undefined) return isSameIssuer(iss, issuer);
  return parseUrl(iss)?.origin === parseUrl(metadata?.authorization_endpoint ?? '')?.origin;
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
const canonical = ({ origin, pathname }: URL): string => (pathname === '/' ? origin : origin + pathname);

/** Whether the server declares PKCE, or settings say that it need not: old ones can't declare it. */
export function protectsCodes({ metadata, isOld, isByHand }: Discovery, { pkce }: OAuthSettings = {}): boolean {
  if (!metadata) return isOld;
  const { code_challenge_methods_supported: methods } = metadata;
  return methods ? methods.includes('S256') : isByHand === true || pkce === 'assumed';
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
  /** Why, in the server's words. */
  readonly says?: string;
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
  const says = find('error_description');
  return {
    ...(error && { error }),
    ...(says && { says }),
    ...(scope && { scope }),
    ...(URL.canParse(metadata) && { resourceMetadataUrl: new URL(metadata) }),
    isDpop: challenges.length > 0 && challenges.every(({ scheme }) => scheme === 'dpop'),
  };
}
