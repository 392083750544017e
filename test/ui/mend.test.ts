import * as assert from 'node:assert/strict';
import * as http from 'node:http';
import { type HttpFixture, startHttpFixture } from '../servers/spawn';
import { soon } from '../setup/dom';
import { inRepository } from '../setup/paths';
import { openWorkbench, type Workbench } from '../setup/workbench';

const DEMO = inRepository('dist/demo-server.js');
const TOKEN = 'k7QmZ2xWv9';

/** Lets those through to the fixture who bring the token, and says nothing to others of how to get one. */
async function startGate(fixture: HttpFixture): Promise<http.Server> {
  const gate = http.createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
    const target = new URL(fixture.url(request.url ?? '/'));
    const onward = http.request(target, { method: request.method, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>(resolve => gate.listen(0, '127.0.0.1', resolve));
  return gate;
}

describe('finding out why a server fails, and repairing it', () => {
  let fixture: HttpFixture;
  let gate: http.Server;
  let w: Workbench;
  before(async () => {
    fixture = await startHttpFixture();
    gate = await startGate(fixture);
    const { port } = gate.address() as { port: number };
    w = await openWorkbench({
      settings: {
        'mcpHost.servers': {
          bare: { url: fixture.url('') },
          locked: { url: `http://127.0.0.1:${port}/mcp` },
          misspelt: { comand: process.execPath, args: [DEMO] },
        },
      },
    });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    gate?.close();
    await fixture?.stop();
  });

  const tree = () => w.wb.tree('Servers');
  const runs = (label: string) =>
    tree()
      .row(label)
      .filter({ hasText: /\d+ tools?/ })
      .waitFor();
  /** Presses a key until the row with this label has the focus of the tree. Returns how often. */
  const pressUntil = async (key: string, label: string): Promise<number> => {
    const focused = tree().locator.locator('.monaco-list-row.focused .label-name');
    for (let keys = 0; ; keys++) {
      if (
        (await focused
          .first()
          .textContent({ timeout: 5_000 })
          .catch(() => '')) === label
      )
        return keys;
      assert.ok(keys < 30, `${label} is not reached`);
      const before = await focused
        .first()
        .textContent({ timeout: 5_000 })
        .catch(() => '');
      await w.page.keyboard.press(key);
      await soon(
        async () =>
          (await focused
            .first()
            .textContent({ timeout: 5_000 })
            .catch(() => '')) !== before,
        'the focus to move',
      ).catch(() => undefined);
    }
  };

  it('takes two clicks: its row says why, and the row below mends it', async () => {
    await tree().row('bare').filter({ hasText: 'HTTP 404' }).waitFor();
    // One click opens the row, one does what it offers.
    await tree().expand('bare');
    await tree().row('Append /mcp to the URL').waitFor();
    await w.picture('mend-offered');
    await tree().row('Append /mcp to the URL').click();
    await runs('bare');
    await w.picture('mend-mended');
    const servers = await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').get('servers'));
    assert.equal((servers as { bare: { url: string } }).bare.url, `${fixture.url('').replace(/\/$/, '')}/mcp`);
  });

  it('takes three keys besides the arrows, without a mouse', async () => {
    await tree().row('misspelt').waitFor();
    await w.host.command('mcpHost.servers.focus');
    await w.page.keyboard.press('Home');
    await pressUntil('ArrowDown', 'misspelt');
    await w.page.keyboard.press('ArrowRight');
    await tree().row('Rename "comand" to "command"').waitFor();
    await pressUntil('ArrowDown', 'Rename "comand" to "command"');
    await w.picture('mend-keyboard');
    await w.page.keyboard.press('Enter');
    await runs('misspelt');
  });

  it('a 401 without a sign-in lacks a header: it is asked for, kept secret, and the server starts', async () => {
    await tree().row('locked').waitFor();
    await tree().expand('locked');
    const offer = tree().row('Add an Authorization header…');
    await offer.waitFor();
    await w.picture('mend-header-offered');
    await offer.click();
    await w.wb.quickInput.locator('input[type=password]').waitFor();
    await w.picture('mend-header-asked');
    await w.wb.input(TOKEN);
    await runs('locked');
    const servers = await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').get('servers'));
    const { headers } = (servers as { locked: { headers: object } }).locked;
    assert.deepEqual(headers, { Authorization: 'Bearer ${input:locked-Authorization}' });
    assert.ok(!JSON.stringify(servers).includes(TOKEN));
  });
});
