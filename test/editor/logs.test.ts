import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { api, configure, fixture, loads, logged, raw, setLogLevel } from './window';

/** Has the server log something, if it is asked for that level. */
async function log(server: ServerConnection, level: string, text: unknown, logger = 'test'): Promise<void> {
  const call = { name: 'log', arguments: { level, text, logger } };
  await raw(server).request('log', (client, options) => client.callTool(call, options));
}

const { LogLevel } = vscode;

describe('the log of a server', () => {
  afterEach(() => configure(undefined));

  const eras = { legacy: [], modern: ['--modern'] };
  for (const [era, flags] of Object.entries(eras)) {
    it(`has a level of its own, which is requested from the server: ${era} era`, async () => {
      const id = `level ${era}`;
      await configure({ [id]: fixture('hostile', ...flags) });
      const server = await loads(id);
      assert.equal(server.info?.era, era);
      await log(server, 'debug', 'too early');
      await log(server, 'info', 'at first');
      await setLogLevel(id, LogLevel.Debug);
      await logged(id, /\[info\] its log messages are asked for from "debug" on/);
      // In the legacy era the server was told by a request, which is answered before the next.
      await log(server, 'debug', 'in detail');
      await logged(id, /\[debug\] \[server test\] in detail/);
      await setLogLevel(id, LogLevel.Warning);
      await log(server, 'info', 'no more');
      await log(server, 'warning', 'the rest');
      const text = await logged(id, /\[warning\] \[server test\] the rest/);
      assert.match(text, /\[info\] \[server test\] at first/);
      assert.doesNotMatch(text, /too early|no more/);
    });
  }

  it('starts at the level of the setting; a level set in the log wins until the setting changes', async () => {
    const entry = fixture('hostile');
    await configure({ set: { ...entry, logLevel: 'debug' } });
    const server = await loads('set');
    await log(server, 'debug', 'by the setting');
    await logged('set', /\[info\] \[server test\] debug: by the setting/);
    await setLogLevel('set', LogLevel.Error);
    await log(server, 'warning', 'hidden');
    await log(server, 'critical', 'by the log');
    assert.doesNotMatch(await logged('set', /\[error\] \[server test\] critical: by the log/), /hidden/);
    await configure({ set: { ...entry, logLevel: 'warning' } });
    await waitFor(() => server.definition.entry?.logLevel === 'warning', { what: 'the changed setting' });
    await log(server, 'warning', 'again');
    await log(server, 'error', 'at last');
    assert.match(await logged('set', /at last/), /\[error\] \[server test\] warning: again/);
  });

  it('has structured data under its line, without colours and without secrets', async () => {
    const entry = fixture('hostile');
    await configure({ data: { ...entry, env: { ...entry.env, API_TOKEN: 'correct-horse-battery' } } });
    const server = await loads('data');
    const sql = 'select * from orders where total > 100 and customer in (select id from customers)';
    const data = { message: '\u001b[33mslow query', sql, password: 'correct-\u001b[1mhorse-battery' };
    await log(server, 'warning', data, 'db correct-horse-battery');
    await logged(
      'data',
      /\[warning\] \[server db •••\] slow query\n {2}\{\n {4}"message": "slow query",\n {4}"sql": "select .*",\n {4}"password": "•••"\n {2}\}/,
    );
  });

  it("is not reopened by the server's last messages", async () => {
    await configure({ gone: fixture('hostile'), stays: fixture('hostile') });
    await loads('gone');
    await loads('stays');
    await logged('gone', /ready: hostile/);
    await configure({ stays: fixture('hostile') });
    const { servers } = await api();
    await waitFor(() => !servers.get('gone'), { what: 'the server to go' });
    const isOpen = () =>
      vscode.workspace.textDocuments.some(({ uri }) => /MCP gone\.log$/.test(decodeURIComponent(uri.path)));
    await waitFor(() => !isOpen(), { what: 'its log to be closed' });
  });
});
