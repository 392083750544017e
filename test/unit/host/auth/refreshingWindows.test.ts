import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import { type Fixture, fixturePath, startScript, waitFor } from '../../../servers/spawn';
import { temporaryFolder } from '../../../setup/paths';

/** Longer than any test: a lock that is taken over all the same is taken over for another reason. */
const NEVER = 100_000;

describe('windows that renew one sign-in simultaneously', function () {
  this.timeout(60_000);
  let folder: string;
  let server: Server;
  let origin: string;
  /** Refresh tokens that the authorization server was given, in order. Each counts once. */
  let refreshes: string[];
  /** Requests for its metadata that are kept waiting. */
  let held: ServerResponse[];
  let holds: boolean;

  beforeEach(async () => {
    folder = temporaryFolder();
    [refreshes, held, holds] = [[], [], false];
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const json = (value: unknown, status = 200) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.url === '/mcp') {
        if (request.headers.authorization === `Bearer access-${refreshes.length}` && refreshes.length > 0) json({});
        else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      } else if (request.url === '/token') {
        const token = new URLSearchParams(body).get('refresh_token') ?? '';
        const isGood = token === `refresh-${refreshes.length}`;
        refreshes.push(token);
        if (!isGood) return json({ error: 'invalid_grant' }, 400);
        const n = refreshes.length;
        json({ access_token: `access-${n}`, refresh_token: `refresh-${n}`, token_type: 'Bearer', expires_in: 3_600 });
      } else if (request.url?.includes('oauth-authorization-server')) {
        const metadata = {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        };
        if (!holds) return json(metadata);
        held.push(Object.assign(response, { answer: () => json(metadata) }));
      } else if (request.url?.includes('oauth-protected-resource')) {
        json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      } else response.writeHead(404).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tokens = { access_token: 'access-0', refresh_token: 'refresh-0', token_type: 'Bearer' };
    const kept = { issuer: origin, byIssuer: { [origin]: { client: { client_id: 'client' }, tokens } } };
    writeFileSync(path.join(folder, 'kept'), JSON.stringify(kept));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const window = (staleLooks: number) =>
    startScript(fixturePath('refreshingWindow'), [
      path.join(folder, 'locks'),
      path.join(folder, 'kept'),
      `${origin}/mcp`,
      String(staleLooks),
    ]);
  const succeeds = async (process: Fixture) => {
    assert.equal(await process.exited, 0);
    const { issuer, byIssuer } = JSON.parse(readFileSync(path.join(folder, 'kept'), 'utf8'));
    assert.equal(byIssuer[issuer].tokens.refresh_token, 'refresh-1');
  };
  /** One that has the lock and has asked for metadata, which it does not get yet. */
  const stuck = async (staleLooks: number) => {
    holds = true;
    const process = window(staleLooks);
    await waitFor(() => held.length === 1, { what: 'a window to be in the middle of it' });
    holds = false;
    return process;
  };

  it('use one refresh token once @refreshingWindows.use-refresh-token', async () => {
    const windows = Array.from({ length: 4 }, () => window(NEVER));
    for (const one of windows) await succeeds(one);
    assert.deepEqual(refreshes, ['refresh-0']);
  });

  it('use it once even if one is killed meanwhile @refreshingWindows.use-once-killed', async () => {
    const killed = await stuck(NEVER);
    killed.child.kill('SIGKILL');
    await killed.exited;
    await succeeds(window(NEVER));
    assert.deepEqual(refreshes, ['refresh-0']);
  });

  it('use it once even if one freezes, is overtaken and continues @refreshingWindows.use-once-freezes', async function () {
    if (process.platform === 'win32') this.skip(); // it has no SIGSTOP
    const frozen = await stuck(NEVER);
    frozen.child.kill('SIGSTOP');
    await succeeds(window(10));
    assert.deepEqual(refreshes, ['refresh-0']);
    for (const response of held) (response as ServerResponse & { answer(): void }).answer();
    frozen.child.kill('SIGCONT');
    await succeeds(frozen);
    assert.deepEqual(refreshes, ['refresh-0'], 'what it was about to send is not sent');
  });
});
