// A protected MCP server with a real authorization server, `oidc-provider`, on another port. Prints `listening <port>` of
// the MCP server and serves until its stdin ends.
// With `--pages` web pages may use all of it (CORS).
//   --login-host=…           address of this machine that the authorization server has; else 127.0.0.1
//   /mcp                     Streamable HTTP; needs a token with the scope `read`, and `write` to call `wait`
//   /.well-known/oauth-protected-resource/mcp
//   /__tokens                GET: what the token and revocation endpoints were asked, and sessions ended, as JSON
//   /__end                   DELETE: access tokens given so far count no more; `?grants` so do refresh tokens
//   /__life?seconds=…        PUT: how long access tokens given from now on count
//   /__issuer?url=…          PUT: the metadata names this authorization server
//   /__variant               PUT: how it differs from what the specification asks for, as JSON (`LoginVariant`)
//   /__new                   PUT: all is as at the start
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import Provider from 'oidc-provider';
import { goodBehaviour } from './raw/behaviour';
import { letPagesIn } from './raw/cors';
import { bodyOf, sendJson } from './raw/eventStream';
import { listen } from './raw/listen';
import { StreamableHttpEndpoint } from './raw/streamableHttp';

/** What the authorization server was asked for, or that a session was ended with a token that counts. */
export interface SeenGrant {
  what: 'grant' | 'refused' | 'revoked' | 'ended';
  grant?: string;
  scope?: string;
  clientId?: string;
}

/** How sign-in differs from what the specification asks for, as it does at real providers. */
export interface LoginVariant {
  /** What the authorization server calls itself. */
  issuer?: string;
  /** Members of its metadata; `null` leaves one out. */
  metadata?: Record<string, unknown>;
  /** Its metadata is at the MCP server, below the path of that, which has no metadata of its own. */
  isBelow?: boolean;
  /** There is no metadata at all. */
  isHidden?: boolean;
  /** What the token endpoint answers instead of tokens. */
  token?: { status: number; type?: string; body: string };
  /** It refuses requests with a resource indicator (RFC 8707). */
  refusesResource?: boolean;
}

const { values } = parseArgs({
  options: { pages: { type: 'boolean', default: false }, 'login-host': { type: 'string', default: '127.0.0.1' } },
});
const isForPages = values.pages;
let mcp: StreamableHttpEndpoint;
const seen: SeenGrant[] = [];
const grants = new Set<string>();
const ended = new Set<string>();
const given = new Set<string>();
let lifeSeconds: number;
let issuer = '';
let resource = '';
let variant: LoginVariant = {};

function createProvider(): Provider {
  const provider = new Provider(variant.issuer ?? issuer, {
    clients: [
      {
        client_id: 'registered',
        client_secret: 'registered-secret-of-the-fixture',
        redirect_uris: ['http://127.0.0.1:9/callback'],
      },
      {
        client_id: 'machine',
        client_secret: 'machine-secret-of-the-fixture',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    cookies: { keys: ['fixture'] },
    scopes: ['openid', 'offline_access', 'read', 'write'],
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'read write',
          accessTokenFormat: 'opaque',
          accessTokenTTL: lifeSeconds,
        }),
      },
    },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, preferred_username: accountId }),
    }),
    claims: { openid: ['sub', 'preferred_username'] },
    conformIdTokenClaims: false,
    issueRefreshToken: (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: { Grant: 3_600, Session: 3_600, Interaction: 600, RefreshToken: 3_600 },
  });
  const note =
    (what: SeenGrant['what']) =>
    (context: {
      oidc: { params: Record<string, string | undefined>; entities: Record<string, { grantId?: string } | undefined> };
    }) => {
      const { params = {}, entities = {} } = context.oidc;
      const { grant_type: grant, scope, client_id: clientId } = params;
      seen.push({ what, ...(grant && { grant }), ...(scope && { scope }), ...(clientId && { clientId }) });
      for (const { grantId } of Object.values(entities).filter(entity => entity !== undefined))
        if (grantId !== undefined) grants.add(grantId);
    };
  provider.on('grant.success', note('grant'));
  provider.on('grant.error', note('refused'));
  provider.on('grant.revoked', note('revoked'));
  return provider;
}

const challenge = (response: ServerResponse, status: number, parameters: string) => {
  const metadata = `, resource_metadata="${new URL('/.well-known/oauth-protected-resource/mcp', resource)}"`;
  const named = variant.isHidden || variant.isBelow ? '' : metadata;
  response.writeHead(status, { 'www-authenticate': `Bearer ${parameters}${named}` }).end();
};

const find = async ({ AccessToken, ClientCredentials }: Provider, token: string) =>
  (await AccessToken.find(token)) ?? (await ClientCredentials.find(token));

async function serveMcp(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const token = bearer === undefined || ended.has(bearer) ? undefined : await find(provider, bearer);
  const scopes = token?.scope?.split(' ') ?? [];
  if (!bearer || !token || token.isExpired || !scopes.includes('read')) return challenge(response, 401, 'scope="read"');
  given.add(bearer);
  const needsWrite = body.includes('"tools/call"') && body.includes('"wait"');
  if (needsWrite && !scopes.includes('write'))
    return challenge(response, 403, 'error="insufficient_scope", scope="write"');
  if (request.method === 'DELETE') seen.push({ what: 'ended' });
  mcp.handle(request, response, body, 'auto');
}

/** The metadata of `oidc-provider`, changed. */
async function variedMetadata(): Promise<object> {
  const own = await fetch(`${issuer}/.well-known/openid-configuration`, { headers: { 'x-own': '1' } });
  const all = { ...((await own.json()) as object), ...variant.metadata };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Answers a request as the variant says. @returns whether it did */
async function vary(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
  if (pathname.startsWith('/.well-known/')) {
    if (variant.isHidden || variant.isBelow) response.writeHead(404).end();
    else if (variant.metadata) sendJson(response, 200, await variedMetadata());
    return response.writableEnded;
  }
  if (pathname === '/token' && variant.token) {
    const { status, type = 'application/json', body } = variant.token;
    response.writeHead(status, { 'content-type': type }).end(body);
  }
  const back = searchParams.get('redirect_uri');
  if (variant.refusesResource && searchParams.has('resource') && back) {
    const answer = { error: 'invalid_target', state: searchParams.get('state') ?? '', iss: issuer };
    response.writeHead(302, { location: `${back}?${new URLSearchParams(answer)}` }).end();
  }
  return response.writableEnded;
}

async function main(): Promise<void> {
  let serve: ReturnType<Provider['callback']> | undefined;
  const host = values['login-host'];
  const authorizationPort = await listen(
    async (request, response) => {
      if (isForPages && letPagesIn(request, response)) return;
      const isOwn = request.headers['x-own'] !== undefined;
      if (isOwn || !(await vary(request, response))) await serve?.(request, response);
    },
    { host },
  );
  issuer = `http://${host.includes(':') ? `[${host}]` : host}:${authorizationPort}`;
  let provider: Provider;
  let named: string;
  const begin = () => {
    provider = createProvider();
    serve = provider.callback();
    named = issuer;
    lifeSeconds = 3_600;
    mcp = new StreamableHttpEndpoint(goodBehaviour());
    seen.length = 0;
    for (const known of [grants, ended, given]) known.clear();
  };
  begin();

  const below = '/.well-known/oauth-authorization-server/mcp';
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isForPages && letPagesIn(request, response)) return;
    const url = new URL(request.url ?? '/', resource);
    const body = await bodyOf(request);
    switch (url.pathname) {
      case '/mcp':
        return serveMcp(provider, request, response, body);
      case below:
        if (!variant.isBelow) break;
        return sendJson(response, 200, await variedMetadata());
      case '/.well-known/oauth-protected-resource/mcp':
        if (variant.isHidden || variant.isBelow) break;
        return sendJson(response, 200, { resource, authorization_servers: [named], scopes_supported: ['read'] });
      case '/__tokens':
        return sendJson(response, 200, seen);
      case '/__end':
        for (const token of given) ended.add(token);
        if (url.searchParams.has('grants')) for (const id of grants) await provider.RefreshToken.revokeByGrantId(id);
        break;
      case '/__life':
        lifeSeconds = Number(url.searchParams.get('seconds'));
        break;
      case '/__issuer':
        named = url.searchParams.get('url') ?? issuer;
        break;
      case '/__new':
        variant = {};
        begin();
        break;
      case '/__variant':
        variant = JSON.parse(body) as LoginVariant;
        begin();
        break;
    }
    response.writeHead(url.pathname.startsWith('/__') ? 204 : 404).end();
  };
  const port = await listen(handle, { exitOnStdinEnd: true });
  resource = `http://127.0.0.1:${port}/mcp`;
  console.log(`listening ${port}`);
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
