// A protected MCP server, its authorization server and the identity provider of an organization, on three ports, which do as
// they are told. Nobody sees a page: whoever asks for a code is sent back with one. Prints `listening <port>` of the MCP
// server and serves until its stdin ends.
//   /mcp           Streamable HTTP; needs a token with the scope `read`, and `write` to call `wait`
//   /__script      PUT: what is to differ from the beginning, as JSON (`Script`)
//   /__seen        GET: what was asked, as JSON (`Asked`)
//   /__end         DELETE: tokens given so far count no more
//   /__new         PUT: all is as at the start
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { goodBehaviour } from './raw/behaviour';
import { bodyOf, sendJson } from './raw/eventStream';
import { listen } from './raw/listen';
import { StreamableHttpEndpoint } from './raw/streamableHttp';

/** What differs from good behaviour. */
export interface Script {
  /** Parts of the metadata of the authorization server; `null` leaves one out. */
  metadata?: Record<string, unknown>;
  /** It has no metadata. */
  hasNoMetadata?: boolean;
  /** The MCP server has no metadata (RFC 9728). */
  isOld?: boolean;
  /** It offers other schemes before the one that a token answers, in several lines and with spaces. */
  hasOtherSchemes?: boolean;
  /** Parameters of the answer to the browser, in place of `code` and `iss`, but for `state`. */
  answer?: [name: string, value: string][];
  /** Errors in place of tokens, by grant, at either of the two. */
  refuses?: Record<string, string>;
  /** What the identity provider says of the person differs by this. */
  claims?: Record<string, unknown>;
  /** How long that, and the tokens of the authorization server, are valid. */
  lifeSeconds?: number;
  /** Permissions that the identity provider allows, in place of those that were asked for. */
  allows?: string;
  /** It gives an ID token only once. */
  isThrifty?: boolean;
  /** What the authorization server has no value for is null in its answers, and in the metadata of the MCP server. */
  writesNull?: boolean;
  /** Statuses of the next answers, by path, with a page as their body; 0 closes the connection. */
  failures?: Record<string, number[]>;
}

/** A request for a code, a token or a registration. */
export interface Asked {
  at: 'server' | 'provider';
  path: string;
  [parameter: string]: string;
}

const seen: Asked[] = [];
const challenges = new Map<string, { challenge: string; nonce: string | undefined }>();
const assertions = new Set<string>();
const tokens = new Map<string, string>();
let script: Script = {};
const place = { resource: '', server: '', provider: '' };

const jwt = (claims: object) =>
  [{ alg: 'none' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.x');

function metadataOf(issuer: string): Record<string, unknown> {
  const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
  const common = { issuer, ...endpoints, response_types_supported: ['code'] };
  if (issuer === place.provider) {
    const oidc = { jwks_uri: `${issuer}/keys`, subject_types_supported: ['public'] };
    return {
      ...common,
      ...oidc,
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'offline_access'],
    };
  }
  const all: Record<string, unknown> = {
    ...common,
    registration_endpoint: `${issuer}/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...script.metadata,
  };
  const none = { scopes_supported: null, revocation_endpoint: null, jwks_uri: null };
  if (script.writesNull) return { ...none, ...all };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Sends the browser back, or shows it why not. */
async function authorize(url: URL, issuer: string, response: ServerResponse): Promise<void> {
  const asked = Object.fromEntries(url.searchParams);
  const { redirect_uri = '', state = '', code_challenge: challenge = '', nonce, client_id: id = '' } = asked;
  if (id.startsWith('http')) {
    // Redirects are not followed: the document is not at this address then.
    const document = await fetch(id, { redirect: 'manual' });
    if (document.status !== 200) return void response.writeHead(400).end(`invalid_client: HTTP ${document.status}`);
    const { client_id, redirect_uris } = (await document.json()) as { client_id: string; redirect_uris: string[] };
    const withoutPort = (uri: string) => uri.replace(/:\d+(?=\/)/, '');
    if (client_id !== id || !redirect_uris.some(uri => withoutPort(uri) === withoutPort(redirect_uri)))
      return void response.writeHead(400).end('invalid_client: another client, or redirect');
  }
  const code = randomUUID();
  challenges.set(code, { challenge, nonce });
  const back = new URL(redirect_uri);
  const good: [string, string][] = [
    ['code', code],
    ['iss', issuer],
  ];
  for (const [name, value] of (issuer !== place.provider && script.answer) || good)
    back.searchParams.append(name, value);
  back.searchParams.append('state', state);
  response.writeHead(302, { location: back.href }).end();
}

function give(at: Asked['at'], asked: URLSearchParams, client: string): { status: number; body: object } {
  const grant = (asked.get('grant_type') ?? '').replace(/.*:/, '');
  const wrong = (error: string) => ({ status: 400, body: { error, error_description: 'as the script says' } });
  const refused = script.refuses?.[grant];
  if (refused) return wrong(refused);
  const code = challenges.get(asked.get('code') ?? '');
  const scope = asked.get('scope') ?? 'read';
  if (grant === 'authorization_code') {
    const verifier = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    if (code?.challenge !== verifier) return wrong('invalid_grant');
  }
  if (at === 'provider') {
    const exp = Math.floor(Date.now() / 1_000) + (script.lifeSeconds ?? 3_600);
    const claims = {
      iss: place.provider,
      aud: client,
      sub: 'alice',
      email: 'alice@example.com',
      exp,
      nonce: code?.nonce,
    };
    if (grant === 'token-exchange') {
      const assertion = jwt({ aud: asked.get('audience'), jti: randomUUID() });
      assertions.add(assertion);
      const allowed = script.allows === undefined ? {} : { scope: script.allows };
      const type = 'urn:ietf:params:oauth:token-type:id-jag';
      return { status: 200, body: { access_token: assertion, issued_token_type: type, token_type: 'N_A', ...allowed } };
    }
    const isFirst = grant === 'authorization_code' || !script.isThrifty;
    const proof = isFirst ? { id_token: jwt({ ...claims, ...script.claims }) } : {};
    return {
      status: 200,
      body: { access_token: randomUUID(), token_type: 'Bearer', refresh_token: `r-${randomUUID()}`, ...proof },
    };
  }
  if (grant === 'jwt-bearer' && !assertions.delete(asked.get('assertion') ?? '')) return wrong('invalid_grant');
  const token = randomUUID();
  tokens.set(token, scope);
  const renewal = grant === 'authorization_code' ? { refresh_token: `r-${randomUUID()}` } : {};
  const expires_in = script.lifeSeconds ?? 3_600;
  const body = { access_token: token, token_type: 'Bearer', expires_in, scope, ...renewal };
  const none = { refresh_token: null, scope: null, expires_in: null, id_token: null };
  return { status: 200, body: script.writesNull ? { ...body, ...none } : body };
}

/** Whether a request fails, as the script says. */
function fails(path: string, { socket }: IncomingMessage, response: ServerResponse): boolean {
  const status = script.failures?.[path]?.shift();
  if (status === 0) socket.destroy();
  else if (status !== undefined) response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Sorry</p>');
  return status !== undefined;
}

/** The authorization server, or the identity provider. */
const serve = (at: Asked['at'], own?: string) => async (request: IncomingMessage, response: ServerResponse) => {
  const issuer = own ?? place[at];
  const url = new URL(request.url ?? '/', issuer);
  const body = await bodyOf(request);
  const { pathname } = url;
  if (fails(pathname, request, response)) return;
  if (pathname.startsWith('/.well-known/')) {
    const isThere = at === 'server' ? !script.hasNoMetadata : pathname.endsWith('/openid-configuration');
    if (isThere) return sendJson(response, 200, metadataOf(issuer));
    return void response.writeHead(404).end();
  }
  if (pathname === '/authorize') {
    seen.push({ ...Object.fromEntries(url.searchParams), at, path: pathname });
    return authorize(url, issuer, response);
  }
  if (pathname === '/register') {
    seen.push({ at, path: pathname, document: body });
    const none = { client_secret: null, client_uri: null, contacts: null, client_secret_expires_at: null };
    return sendJson(response, 201, {
      ...JSON.parse(body),
      client_id: 'registered',
      ...(script.writesNull && none),
    });
  }
  if (pathname !== '/token' && pathname !== '/revoke') return void response.writeHead(404).end();
  const asked = new URLSearchParams(body);
  const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const decoded = (part: string) => new URLSearchParams(`part=${part}`).get('part')!;
  const [id = '', secret] = Buffer.from(basic, 'base64').toString().split(':').map(decoded);
  const client = { client_id: id || (asked.get('client_id') ?? ''), ...(secret && { client_secret: secret }) };
  seen.push({ ...Object.fromEntries(asked), ...client, at, path: pathname });
  if (pathname === '/revoke') return void response.writeHead(200).end();
  const answer = give(at, asked, client.client_id);
  sendJson(response, answer.status, answer.body);
};

async function main(): Promise<void> {
  let mcp = new StreamableHttpEndpoint(goodBehaviour());
  place.server = `http://127.0.0.1:${await listen(serve('server'))}`;
  place.provider = `http://127.0.0.1:${await listen(serve('provider'))}`;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, origin } = new URL(request.url ?? '/', place.resource);
    // An old server is its own authorization server.
    const isLogin = /^\/(authorize|token|register|\.well-known\/o(auth-auth|penid).*)$/.test(pathname);
    if (script.isOld && isLogin) return serve('server', origin)(request, response);
    const body = await bodyOf(request);
    const metadata = new URL('/.well-known/oauth-protected-resource/mcp', place.resource);
    const refuse = (status: number, parameters: string) => {
      const named = script.isOld ? '' : `, resource_metadata="${metadata}"`;
      const bearer = `Bearer ${parameters}${named}`;
      const others = ['Negotiate', `Basic realm = "x, Bearer error=\\"none\\"", ${bearer.replaceAll('=', ' = ')}`];
      response.writeHead(status, { 'www-authenticate': script.hasOtherSchemes ? others : bearer }).end();
    };
    switch (pathname) {
      case '/mcp': {
        const scopes = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''))?.split(' ');
        if (!scopes) return refuse(401, 'scope="read"');
        const says = script.hasOtherSchemes ? ', error_description="Only editors may wait"' : '';
        const needsWrite = body.includes('"tools/call"') && body.includes('"wait"');
        if (needsWrite && !scopes.includes('write'))
          return refuse(403, `error="insufficient_scope", scope="write"${says}`);
        return mcp.handle(request, response, body, 'auto');
      }
      case metadata.pathname:
        if (script.isOld) break;
        if (fails(pathname, request, response)) return;
        return sendJson(response, 200, {
          resource: place.resource,
          authorization_servers: [place.server],
          ...(script.writesNull && { scopes_supported: null, resource_name: null, jwks_uri: null }),
        });
      case '/__places':
        return sendJson(response, 200, place);
      case '/__seen':
        return sendJson(response, 200, seen);
      case '/__script':
        script = JSON.parse(body) as Script;
        return void response.writeHead(204).end();
      case '/__end':
        tokens.clear();
        return void response.writeHead(204).end();
      case '/__new':
        mcp = new StreamableHttpEndpoint(goodBehaviour());
        script = {};
        seen.length = 0;
        for (const known of [challenges, assertions, tokens]) known.clear();
        return void response.writeHead(204).end();
    }
    response.writeHead(404).end();
  };
  const port = await listen(handle, { exitOnStdinEnd: true });
  place.resource = `http://127.0.0.1:${port}/mcp`;
  console.log(`listening ${port}`);
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
