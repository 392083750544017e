import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostError } from '../../../../src/base/errors';
import { english } from '../../../../src/base/phrase';
import { remediesOf } from '../../../../src/host';
import { readHeaders } from '../../../../src/host/auth/headersHelper';
import {
  fixturePath,
  type HttpFixture,
  processIsAlive,
  startHttpFixture,
  untilHolds,
  waitFor,
} from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { onlyWhereConfined } from '../sandbox/confined';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';

const KEYS = ['key-One-7Yq2mN4bXc9R', 'key-Two-8Wp3kL5vZa0T', 'key-Three-6Tr1jH7uGe'] as const;
const TOOL = { name: 'headers', inputSchema: { type: 'object' } } as const;

interface Run {
  readonly pid: number;
  readonly name?: string;
  readonly url?: string;
}

/** A folder for the program, what it is to print, and its runs. */
class Helper {
  readonly folder = mkdtempSync(join(tmpdir(), 'mcp-host-headers-'));
  readonly program = {
    command: process.execPath,
    args: [fixturePath('printsHeaders'), this.folder],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };

  write(file: 'output' | 'errors' | 'code' | 'wait', text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  prints(headers: unknown): void {
    this.write('output', JSON.stringify(headers));
  }

  get runs(): Run[] {
    const file = join(this.folder, 'runs');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Run);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('a program that prints the headers of a server', function () {
  this.timeout(60_000);
  let http: HttpFixture;
  let helper: Helper;
  let test: TestHost;

  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());

  beforeEach(async () => {
    helper = new Helper();
    test = new TestHost({ auth: new TestAuth() });
    await http.forgetRequests();
    await http.wantKey(KEYS[0]);
    helper.prints({ Authorization: `Bearer ${KEYS[0]}` });
  });
  afterEach(async () => {
    await test.close();
    helper.remove();
  });

  const configure = (entry: object = {}, path = '/keyed') =>
    test.configure({ mcp: { url: http.url(path), headersHelper: helper.program, ...entry } });
  const headers = async (): Promise<Record<string, string>> => {
    const { content } = await raw(test.server('mcp')).callTool(TOOL, {});
    return JSON.parse((content[0] as { text: string }).text);
  };
  const failure = async (state: 'failed' | 'needsAuth' = 'needsAuth'): Promise<HostError> =>
    (await test.reaches('mcp', state)).error;
  const everything = () =>
    JSON.stringify([test.logs, test.memory, test.host.trace.records().map(record => test.host.trace.readable(record))]);

  it('has its headers sent with every request, in place of those of the entry and of no others', async () => {
    helper.prints({
      authorization: `Bearer ${KEYS[0]}`,
      'X-Team': 'printed',
      'Mcp-Session-Id': 'made-up',
      Accept: 'text/plain',
    });
    configure({ headers: { 'x-team': 'configured', 'X-Other': 'kept' } });
    await test.reaches('mcp', 'ready');
    const sent = await headers();
    assert.equal(sent.authorization, `Bearer ${KEYS[0]}`);
    assert.equal(sent['x-team'], 'printed');
    assert.equal(sent['x-other'], 'kept');
    assert.notEqual(sent['mcp-session-id'], 'made-up');
    assert.match(sent.accept!, /event-stream/);
    assert.ok((await http.requests()).every(request => request.headers.authorization === `Bearer ${KEYS[0]}`));
  });

  it('is told the name and the address of the server', async () => {
    configure();
    await test.reaches('mcp', 'ready');
    assert.equal(helper.runs[0]?.name, 'mcp');
    assert.equal(helper.runs[0]?.url, http.url('/keyed'));
  });

  it('is run once for all requests, until the server refuses them: then once more, and each request is sent once more', async () => {
    configure();
    await test.reaches('mcp', 'ready');
    await Promise.all([headers(), headers(), headers()]);
    assert.equal(helper.runs.length, 1);
    await http.wantKey(KEYS[1]);
    helper.prints({ Authorization: `Bearer ${KEYS[1]}` });
    const all = await Promise.all([headers(), headers(), headers(), headers()]);
    assert.deepEqual(
      all.map(({ authorization }) => authorization),
      Array(4).fill(`Bearer ${KEYS[1]}`),
    );
    assert.equal(helper.runs.length, 2);
  });

  it('fails with server, program and remedy when its new headers are refused, too, and is not run again unasked', async () => {
    configure();
    await test.reaches('mcp', 'ready');
    await http.wantKey(KEYS[1]);
    const calls = await Promise.allSettled([headers(), headers()]);
    for (const call of calls) assert.equal(call.status, 'rejected');
    const error = await failure();
    assert.match(
      error.message,
      /^MCP server "mcp" could not .*: it does not accept the headers that its "headersHelper", .*printsHeaders.*, has just printed \(HTTP 401\)\. Run it in a terminal, where it may ask you to sign in/,
    );
    assert.equal(helper.runs.length, 2);
    const [first] = remediesOf(test.server('mcp'));
    assert.equal(first?.kind, 'start');
    // "Sign In" of its row.
    helper.prints({ Authorization: `Bearer ${KEYS[1]}` });
    await test.server('mcp').account.signIn(new AbortController().signal);
    await test.reaches('mcp', 'ready');
    assert.equal(helper.runs.length, 3);
  });

  it('is not run without end by a server that refuses its headers again and again @headersHelper.run-end-server', async () => {
    configure();
    await test.reaches('mcp', 'ready');
    const refusals: unknown[] = [];
    for (let turn = 0; turn < 14; turn++) {
      const key = KEYS[(turn + 1) % 2]!;
      await http.wantKey(key);
      helper.prints({ Authorization: `Bearer ${key}` });
      if (test.server('mcp').state.kind !== 'ready') break;
      await headers().catch(error => refusals.push(error));
    }
    assert.ok(refusals.length > 0);
    assert.equal(helper.runs.length, 11);
  });

  it('is run again for a restart and a changed entry, not for a session that was lost', async () => {
    configure({}, '/echo-headers');
    await test.reaches('mcp', 'ready');
    await test.server('mcp').restart('the test wants it');
    await test.reaches('mcp', 'ready');
    assert.equal(helper.runs.length, 2);
    configure({ headers: { 'X-New': 'yes' } }, '/echo-headers');
    await untilHolds(async () => assert.equal((await headers())['x-new'], 'yes'));
    assert.equal(helper.runs.length, 3);
    configure({}, '/mcp');
    await untilHolds(() => assert.equal(helper.runs.length, 4));
    await test.reaches('mcp', 'ready');
    await http.forgetSessions();
    const { info } = test.server('mcp');
    await assert.rejects(raw(test.server('mcp')).request('look', client => client.ping()));
    await untilHolds(() => assert.ok(test.server('mcp').info && test.server('mcp').info !== info));
    assert.equal(helper.runs.length, 4);
  });

  it('never has them sent to another address @headersHelper.sent-address', async () => {
    for (const path of ['/redirect-other?status=307', '/redirect-other']) {
      configure({}, path);
      await test.reaches('mcp', 'failed');
      configure({ enabled: false }, path);
      await test.reaches('mcp', 'stopped');
    }
    assert.deepEqual(
      (await http.requests()).filter(({ origin }) => origin === 'other'),
      [],
    );
  });

  it('leaves the sign-in to "oauth", unless it prints an Authorization header', async () => {
    helper.prints({ 'X-Team': 'a' });
    configure({ oauth: { clientId: 'one' } });
    assert.match((await failure()).message, /requires you to sign in/);
    helper.prints({ Authorization: `Bearer ${KEYS[0]}` });
    configure({ oauth: { clientId: 'two' } });
    await test.reaches('mcp', 'ready');
  });

  it('runs in a shell where its line needs one, with the variables of that', async function () {
    if (process.platform === 'win32') this.skip();
    helper.write('output', KEYS[0]);
    const line = `F='${helper.folder}'; echo "{\\"Authorization\\": \\"Bearer $(cat "$$\{F}/output")\\"}" || exit 1`;
    configure({ headersHelper: line });
    await test.reaches('mcp', 'ready');
    helper.prints({ Authorization: `Bearer ${KEYS[0]}` });
    configure({ headersHelper: `cat "${helper.folder}/output"` });
    await test.reaches('mcp', 'ready');
  });

  describe('keeps what it prints out of', () => {
    it('logs, caches and the trace', async () => {
      test.host.trace.limit({ messages: 100, size: 1_000_000 });
      helper.write('errors', `+ curl -H 'Authorization: Bearer ${KEYS[0]}'\nsecond line\n`);
      configure();
      await test.loads('mcp');
      const sent = await headers();
      assert.equal(sent.authorization, `Bearer ${KEYS[0]}`);
      await untilHolds(() => assert.ok(test.logged(/second line/)));
      assert.ok(everything().includes('"text/event-stream') || everything().includes('event-stream'));
      assert.ok(!everything().includes(KEYS[0]));
    });

    it('messages and logs, also a token of which only stderr speaks', async () => {
      helper.write('output', '');
      helper.write('errors', `+ TOKEN=${KEYS[2]}\n+ curl: no connection for ${KEYS[2]}\n`);
      helper.write('code', '6');
      configure();
      const error = await failure();
      assert.match(error.message, /its last output was: \+ curl: no connection for •••/);
      assert.ok(test.logged(/\+ TOKEN=•••/));
      assert.ok(!everything().includes(KEYS[2]));
    });

    it('messages and logs, if it is nothing that can be used @headersHelper.messages-logs-used', async () => {
      helper.write('errors', `the token is ${KEYS[0]}\n`);
      helper.write('output', `Authorization: Bearer ${KEYS[0]}`);
      configure();
      const error = await failure();
      assert.ok(!error.message.includes(KEYS[0]));
      assert.match(error.message, /failed: it printed no JSON\. Run it in a terminal/);
      assert.ok(test.logged(/the token is •••/));
      assert.ok(!everything().includes(KEYS[0]));
    });
  });

  describe('is an error of its server when it', () => {
    it('is not there', async () => {
      configure({ headersHelper: 'no-such-program-of-ours --json' });
      const { message } = await failure();
      assert.match(
        message,
        /could not connect: its "headersHelper", no-such-program-of-ours --json, failed: no-such-program-of-ours was not found/,
      );
    });

    it('ends with another code than 0', async () => {
      helper.write('code', '3');
      helper.write('errors', 'Please run: az login\n');
      configure();
      assert.match(
        (await failure()).message,
        /failed: it ended with code 3; its last output was: Please run: az login\./,
      );
    });

    it('prints too much, and is ended then', async () => {
      helper.write('output', 'x'.repeat(1_000_000));
      configure();
      assert.match((await failure()).message, /failed: it printed more than 64 KB/);
    });

    it('takes too long, and nothing of it stays', async () => {
      helper.write('wait', '');
      configure({ timeouts: { startMs: 8_000 } });
      assert.match((await failure()).message, /failed: it took longer than 6 s/);
      await untilHolds(() =>
        assert.deepEqual(
          helper.runs.filter(({ pid }) => processIsAlive(pid)),
          [],
        ),
      );
    });

    const OUTPUTS: [what: string, output: string, fault: string][] = [
      ['nothing', ' \n', 'it printed nothing'],
      ['text', 'Bearer x', 'it printed no JSON'],
      ['a list', '["secret"]', 'it printed a list, not an object of headers'],
      ['a text', '"secret"', 'it printed a string, not an object of headers'],
      ['null', 'null', 'it printed null, not an object of headers'],
      ['a number', '{"X-Key": 12345678}', 'the value of its header "X-Key" is a number, not a string'],
      [
        'an object within',
        '{"a": "b", "X": {"y": "secret"}}',
        'the value of its header "X" is an object, not a string',
      ],
      ['a line break', '{"X": "a\\r\\nB: secret"}', 'its header "X" has a character that cannot be sent'],
      ['no name', '{"secret text": "a"}', 'the name of its header 1 cannot be sent'],
      ['a secret as a name', `{"${KEYS[2]}": 5}`, 'the value of its header 1 is a number, not a string'],
      [
        'many headers',
        JSON.stringify(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, 'a']))),
        'it printed more than 50 headers',
      ],
      ['deep nesting', '['.repeat(30_000), 'it printed no JSON'],
    ];
    for (const [what, output, fault] of OUTPUTS) {
      it(`prints ${what}`, () => {
        const read = readHeaders(output);
        assert.ok('fault' in read);
        assert.equal(english(read.fault), fault);
      });
    }
  });

  it('reads texts with spaces around them, a mark of their order, and an empty object', () => {
    assert.deepEqual(readHeaders('\ufeff {"X": " a ", "__proto__": "b"}\n'), {
      headers: Object.fromEntries([
        ['X', 'a'],
        ['__proto__', 'b'],
      ]),
    });
    assert.deepEqual(readHeaders('{}'), { headers: {} });
  });

  it('ends with all that it has started when its server is stopped @headersHelper.ends-started-server', async () => {
    helper.write('wait', '');
    configure();
    await waitFor(() => helper.runs.length === 2, { what: 'the program and its child' });
    await test.server('mcp').stop('the test wants it');
    assert.equal(processIsAlive(helper.runs[0]!.pid), false);
    await untilHolds(() => assert.equal(processIsAlive(helper.runs[1]!.pid), false));
    assert.equal(test.server('mcp').state.kind, 'stopped');
  });

  it('is not waited for by a request that is given up', async () => {
    configure();
    await test.reaches('mcp', 'ready');
    await http.wantKey(KEYS[1]);
    helper.prints({ Authorization: `Bearer ${KEYS[1]}` });
    helper.write('wait', '');
    const abort = new AbortController();
    const given = raw(test.server('mcp')).callTool(TOOL, {}, { signal: abort.signal });
    await waitFor(() => helper.runs.length > 1, { what: 'its second run' });
    abort.abort();
    await assert.rejects(given);
    // Others wait for the same run.
    const other = headers();
    rmSync(join(helper.folder, 'wait'));
    assert.equal((await other).authorization, `Bearer ${KEYS[1]}`);
  });

  describe('in a sandbox', () => {
    before(onlyWhereConfined);

    it('names the rule that refuses it, and not the terminal, as what to mend', async () => {
      configure({ headersHelper: { command: 'true', sandbox: { write: ['/etc'] } } });
      const { message } = await failure();
      assert.match(message, /Correct "sandbox" in its settings entry/);
      assert.doesNotMatch(message, /terminal/);
    });

    it('reads only what its rules allow', async () => {
      const place = join('/var/tmp', `mcp-host-headers-${process.pid}`);
      mkdirSync(place);
      try {
        writeFileSync(join(place, 'output'), JSON.stringify({ Authorization: `Bearer ${KEYS[0]}` }));
        // A path in its arguments could be read in any case.
        const program = {
          command: 'sh',
          args: ['-c', `cat /var/tm?/*-headers-${process.pid}/output`],
          sandbox: { network: [] },
        };
        configure({ headersHelper: program });
        assert.match((await failure()).message, /failed: it ended with code 1; its last output was: cat: /);
        configure({ headersHelper: { ...program, sandbox: { read: [place], network: [] } } });
        await test.reaches('mcp', 'ready');
      } finally {
        rmSync(place, { recursive: true });
      }
    });
  });
});
