import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { english } from '../../../../../src/base/phrase';
import {
  runSuite,
  type ScenarioResult,
  SUITE,
  SUITE_VERSION,
  suiteAddress,
  suiteCommand,
  suiteVerdict,
} from '../../../../../src/features/lint/core/conformance';
import type { ServerConnection } from '../../../../../src/host';
import { quoted } from '../../../../../src/host/launch';
import { type HttpFixture, startHttpFixture } from '../../../../servers/spawn';
import { programPorts } from '../../../../setup/itsServer';
import { inRepository } from '../../../../setup/paths';

/** The suite that is installed here, in the place of npx. */
const INSTALLED = [process.execPath, inRepository('node_modules', SUITE, 'dist', 'index.js')].map(quoted).join(' ');

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, logging: {} };

function server({
  url = 'http://127.0.0.1:1/mcp',
  headers = {},
  secrets = [''], // as of an address without a password
  offersSignIn = false,
  transport = 'http',
  capabilities = CAPABILITIES as object,
  tools = [] as string[],
} = {}): ServerConnection {
  return {
    info: { transport, capabilities },
    definition: {
      entry: transport === 'stdio' ? { type: 'stdio' } : { type: 'http', url, headers },
      secrets,
      place: { clearOf: [] },
    },
    account: { offersSignIn },
    catalog: { tools: tools.map(name => ({ name })), prompts: [] },
  } as unknown as ServerConnection;
}

const folders = async () => (await readdir(tmpdir())).filter(name => name.startsWith('mcp-conformance-'));

describe('the conformance suite', () => {
  let fixture: HttpFixture;
  before(async () => {
    fixture = await startHttpFixture();
  });
  after(() => fixture.stop());

  const run = (commandLine: string, signal = new AbortController().signal, minutes = 5) =>
    runSuite({
      commandLine,
      definition: server().definition,
      ports: programPorts,
      signal,
      minutes,
    });

  async function check(path: string, version: string) {
    const results = await run(suiteCommand(fixture.url(path), version, INSTALLED));
    assert.ok(Array.isArray(results), JSON.stringify(results));
    const { findings, ...counts } = suiteVerdict(results, server());
    for (const { rule, severity } of findings) assert.deepEqual([rule, severity], ['conformance', 'warning']);
    return { ...counts, said: findings.map(({ where, message }) => `${where}: ${english(message)}`) };
  }

  it('is the version that our own tests run', () => {
    const { devDependencies } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    assert.equal(devDependencies[SUITE], SUITE_VERSION);
  });

  it('reports faults of a server of either era, without scenarios that only a server for the suite can pass', async function () {
    this.timeout(120_000);
    const rebinding =
      /^conformance\/dns-rebinding-protection: Expected HTTP 4xx .* \(see https:\/\/modelcontextprotocol\.io\/.*\)$/;
    const legacy = await check('/mcp', '2025-11-25');
    assert.equal(legacy.said.length, 1, legacy.said.join('\n'));
    assert.match(legacy.said[0]!, rebinding);
    assert.deepEqual([legacy.failed, legacy.applied > 5, legacy.leftOut > 5], [1, true, true]);
    const modern = await check('/modern', '2026-07-28');
    assert.deepEqual(
      modern.said.map(text => text.split(':')[0]),
      ['dns-rebinding-protection', 'prompts-list', 'tools-list'].map(name => `conformance/${name}`),
      modern.said.join('\n'),
    );
    assert.match(modern.said[0]!, rebinding);
    assert.deepEqual(await folders(), [], 'its results are gone');
  });

  it('ends on cancellation and timeout, together with its processes', async () => {
    const endless = `${quoted(process.execPath)} -e "setInterval(() => {}, 1000)"`;
    const cancel = new AbortController();
    const ended = run(endless, cancel.signal);
    cancel.abort();
    assert.equal(await ended, undefined);
    const late = await run(endless, undefined, 0.001);
    assert.ok(late && 'reason' in late && typeof late.reason !== 'string');
    assert.equal(english(late.reason), 'it took longer than 0.001 minutes');
    assert.deepEqual(await folders(), []);
  });

  it('names the reason when there are no results: program missing or broken', async () => {
    const reasonOf = async (commandLine: string) => {
      const outcome = await run(commandLine);
      assert.ok(outcome && 'reason' in outcome);
      return english(outcome.reason);
    };
    assert.equal(await reasonOf('no-such-npx -y something'), 'no-such-npx was not found');
    const broken = `${quoted(process.execPath)} -e "console.error('SyntaxError: too old'); process.exit(3)"`;
    assert.equal(await reasonOf(broken), 'it ended with code 3: SyntaxError: too old');
  });

  it('gets an address without secrets, of HTTP servers only @conformance.gets-address-secrets', () => {
    assert.deepEqual(suiteAddress(server()), { url: 'http://127.0.0.1:1/mcp' });
    const refused = (given: Parameters<typeof server>[0]) => {
      const address = suiteAddress(server(given));
      assert.ok(!('url' in address));
      return english(address);
    };
    const notHttp = 'The conformance suite speaks Streamable HTTP only, and this server does not.';
    assert.equal(refused({ transport: 'stdio' }), notHttp);
    assert.equal(refused({ transport: 'sse' }), notHttp);
    assert.equal(refused({ url: 'unix:///run/one.sock#/mcp' }), notHttp);
    for (const given of [
      { headers: { 'X-Any': 'thing' } },
      { offersSignIn: true },
      { url: 'https://example.com/mcp?key=hush', secrets: ['hush'] },
      { url: 'https://example.com/${input:key}' },
    ])
      assert.match(refused(given), /gets none of your headers, secrets and sign-ins/);
  });

  it("gets the server's revision, and quotes the address", () => {
    assert.equal(
      suiteCommand('https://example.com/mcp?a=1&b=2', '2025-11-25'),
      `npx -y ${SUITE}@${SUITE_VERSION} server --url "https://example.com/mcp?a=1&b=2" --requirements 2025-11-25 --timeout 15000 --output-dir results`,
    );
    assert.match(suiteCommand('https://example.com', '2025-06-18'), / --spec-version 2025-06-18 /);
  });

  it('counts scenarios for declared capabilities, and all for a server for the suite', () => {
    const failing = (scenario: string, message = 'bad'): ScenarioResult => ({
      scenario,
      failures: [{ message, link: 'https://modelcontextprotocol.io/x' }],
    });
    const results = [
      failing('ping'),
      failing('prompts-list'),
      failing('server-stateless', 'Tool test_missing_capability not found'),
      failing('tools-call-image', 'Tool test_image_content not found'),
      failing('tasks-lifecycle'),
      { scenario: 'tools-list', failures: [] },
    ];
    const verdict = (given: Parameters<typeof server>[0]) => {
      const { findings, ...counts } = suiteVerdict(results, server(given));
      return { ...counts, where: findings.map(({ where }) => where) };
    };
    assert.deepEqual(verdict({ capabilities: { tools: {} } }), {
      failed: 1,
      applied: 3,
      leftOut: 3,
      where: ['conformance/ping'],
    });
    assert.deepEqual(verdict({ tools: ['test_simple_text'] }).where, [
      'conformance/ping',
      'conformance/prompts-list',
      'conformance/server-stateless',
      'conformance/tools-call-image',
    ]);
  });
});
