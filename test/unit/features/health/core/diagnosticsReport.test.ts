import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { diagnosticsReport, maskedEntry } from '../../../../../src/features/health/core/diagnosticsReport';
import { fixturePath } from '../../../../servers/spawn';
import { raw } from '../../../../setup/raw';
import { hostile, TestHost } from '../../../host/testHost';

const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
const surroundings = { facts: ['Extension: 0.1.0'], homeFolder: homedir(), workspaceFolders: ['/work/space-of-ada'] };

describe('the diagnostics report', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('describes a server: versions, states, errors, stderr, counts', async () => {
    test.configure({ well: hostile(), bad: hostile('--exit-at-start=3') });
    const well = await test.loads('well');
    await test.reaches('bad', 'failed');
    await raw(well).callTool(well.catalog.tools.find(({ name }) => name === 'echo')!, { text: 'x' });
    const report = diagnosticsReport(test.host.servers, surroundings);
    for (const part of [
      /^# MCP Host diagnostics\n\nWhat is needed .*\n\n- Extension: 0\.1\.0\n- Configured: 2 servers\n/,
      /## Server `well`/,
      /State: ready, 1 starts, 0 automatic restarts/,
      /Protocol: MCP `\d{4}-\d\d-\d\d` over stdio/,
      /echo: 1 calls, 0 errors/,
      /\d+ tools \(ready\)/,
      /Error \(EXITED\): `MCP server "bad" could not start: .* \(its process exited with code 3\)/,
      /Last exit: code 3 at 20/,
      /missing API_KEY/,
      /Z starting: set to start automatically/,
    ])
      assert.match(report, part);
  });

  it('contains no secret, no value of a variable, header or argument, and no folder of the person @diagnosticsReport.contains-secret-value', async () => {
    const paths = { home: join(homedir(), 'private', 'notes.txt'), space: '/work/space-of-ada/secret-plan.md' };
    const script = `for (const text of process.argv.slice(1)) console.error('got ' + text);
      console.error(process.env.CUSTOMER, JSON.stringify(process.env.PASSWORD), 'error ${TOKEN}'); process.exit(1)`;
    test.configure({
      bad: {
        command: process.execPath,
        args: ['-e', script, paths.home, paths.space],
        env: { CUSTOMER: 'Lovelace and Sons', PASSWORD: 'correct "horse" battery', ELECTRON_RUN_AS_NODE: '1' },
      },
      remote: { url: `http://127.0.0.1:1/${TOKEN}?key=mySecretKey99`, headers: { 'X-Tenant': 'tenant-number-77' } },
    });
    await Promise.all([test.reaches('bad', 'failed'), test.reaches('remote', 'failed')]);
    const report = diagnosticsReport(test.host.servers, surroundings);
    assert.match(report, /got ~[\\/]+private[\\/]+notes\.txt/);
    assert.match(report, /got <workspace>\/secret-plan\.md/);
    for (const hidden of [TOKEN, homedir(), 'space-of-ada', 'Lovelace', 'horse', 'mySecretKey99', 'tenant-number-77'])
      assert.ok(!report.toLowerCase().includes(hidden.toLowerCase()), `${hidden} in\n${report}`);
    for (const name of ['CUSTOMER', 'PASSWORD', 'X-Tenant']) assert.ok(report.includes(`"${name}": "•••"`), report);
  });

  it('includes the end of the log on request, equally redacted', async () => {
    test.configure({ remote: { url: `http://127.0.0.1:1/${TOKEN}?key=mySecretKey99` } });
    await test.reaches('remote', 'failed');
    const lines = Array.from({ length: 300 }, (_, n) => `[info] line ${n}. ${join(homedir(), 'x')} key=mySecretKey99`);
    const report = diagnosticsReport(test.host.servers, surroundings, ({ id }) => (id === 'remote' ? lines : []));
    assert.match(report, /<summary>Log<\/summary>/);
    assert.ok(report.includes('line 299. ') && !report.includes('line 99. '), report);
    for (const hidden of ['mySecretKey99', homedir()]) assert.ok(!report.includes(hidden), hidden);
    assert.doesNotMatch(diagnosticsReport(test.host.servers, surroundings), /<summary>Log/);
  });

  it('keeps server text inside its code blocks', async () => {
    const script = "console.error('```\\n</details><h1>big</h1> [x](command:y) `'); process.exit(1)";
    test.configure({ bad: { command: process.execPath, args: ['-e', script], env: { ELECTRON_RUN_AS_NODE: '1' } } });
    await test.reaches('bad', 'failed');
    const report = diagnosticsReport(test.host.servers, surroundings);
    assert.match(report, /````text\n```\n<\/details>/);
    const outside = report.replace(/^(`{3,})\w+\n[\s\S]*?^\1$/gm, '').replace(/`[^`]*`/g, '');
    assert.ok(!outside.includes('<h1>'), outside);
  });

  it('keeps program, options and package of an entry', () => {
    const servers = {
      a: { command: 'npx', args: ['-y', '@scope/server@1.2', '--token=abc', '--root', '/srv/data', 'loose'] },
      c: { command: 'mysql', args: ['-uroot', '-pHunter2Secret', '-P=3306', '-v', '--verbose'] },
      b: { command: fixturePath('hostile'), args: ['Sup3rS3cretVa1ueXYZ'], env: { A: 'b' }, cwd: '/srv' },
    };
    const { definitions } = test.configure(servers);
    const [a, c, b] = definitions.map(({ entry }) => maskedEntry(entry));
    assert.deepEqual(a?.args, ['-y', '@scope/server@1.2', '--token=•••', '--root', '•••', '•••']);
    assert.deepEqual(c?.args, ['-u•••', '-p•••', '-P•••', '-v', '--verbose']);
    assert.deepEqual([b?.command, b?.args, b?.env, b?.cwd], ['•••/hostile.js', ['•••'], { A: '•••' }, '•••']);
  });

  it('says which rights and which sign-in a server has, without their values', () => {
    const { definitions } = test.configure({
      confined: {
        command: 'x',
        sandbox: { write: ['/srv/of-ada'] },
        dev: { build: 'make of-ada' },
        roots: ['/of-ada'],
      },
      free: { command: 'x', sandbox: false },
      remote: { url: 'https://of-ada.example/mcp', oauth: { clientId: 'of-ada' }, headersHelper: 'print of-ada' },
    });
    const [confined, free, remote] = definitions.map(({ entry }) => maskedEntry(entry));
    assert.deepEqual([confined?.sandbox, confined?.dev, confined?.roots], [{ write: '•••' }, { build: '•••' }, '•••']);
    assert.equal(free?.sandbox, false);
    assert.deepEqual([remote?.url, remote?.oauth, remote?.headersHelper], ['https://•••', { clientId: '•••' }, '•••']);
  });
});
