import assert from 'node:assert/strict';
import { type HttpFixture, startHttpFixture } from '../../../servers/spawn';
import { fixture, hostile, MapMemory, TestHost } from '../testHost';

/** Sets what is remembered of the only server there. */
function remember(memory: MapMemory, verdict: object): void {
  // Its catalog is remembered too, whichever comes first.
  const key = [...memory.values.keys()].find(key => key.startsWith('era/')) ?? '';
  assert.match(key, /^era\/[0-9a-f]{64}$/);
  memory.values.set(key, JSON.stringify({ sse: false, at: Date.now(), ...verdict }));
}

function remembered(memory: MapMemory): { era: string; sse: boolean; at: number } {
  return JSON.parse([...memory.values].find(([key]) => key.startsWith('era/'))?.[1] ?? 'null');
}

const DAY_MS = 24 * 3_600_000;

describe('the era of a server', () => {
  let memory: MapMemory;
  let test: TestHost;
  beforeEach(() => {
    memory = new MapMemory();
    test = new TestHost({}, {}, memory);
  });
  afterEach(() => test.close());

  /** Starts the server in a window, and says which era it was. */
  const start = async (entry: object): Promise<string> => {
    await test.close();
    test = new TestHost({}, {}, memory);
    test.configure({ one: entry });
    return (await test.reaches('one', 'ready')).info.era;
  };

  describe('over HTTP', () => {
    let http: HttpFixture;
    before(async () => {
      http = await startHttpFixture();
    });
    after(() => http.stop());

    const posted = async (): Promise<string[]> => {
      const seen = await http.requests();
      const methods = seen
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => JSON.parse(body).method as string);
      await http.forgetRequests();
      return methods.filter(method => /^(server\/discover|initialize)$/.test(method));
    };

    it('is requested once: a legacy server is not probed at the next start @eras.requested-once-legacy', async () => {
      await http.forgetRequests();
      await start({ url: http.url('/mcp') });
      assert.deepEqual(await posted(), ['server/discover', 'initialize']);
      assert.equal(await start({ url: http.url('/mcp') }), 'legacy');
      assert.deepEqual(await posted(), ['initialize']);
    });

    it('is requested again after a day, or after a clock error', async () => {
      await start({ url: http.url('/mcp') });
      for (const at of [Date.now() - DAY_MS - 1, Date.now() + DAY_MS]) {
        remember(memory, { era: 'legacy', at });
        await http.forgetRequests();
        await start({ url: http.url('/mcp') });
        assert.deepEqual(await posted(), ['server/discover', 'initialize']);
      }
    });

    it('keeps the date of the negotiation, however often it is used', async () => {
      await start({ url: http.url('/mcp') });
      const at = Date.now() - DAY_MS / 2;
      remember(memory, { era: 'legacy', at });
      await start({ url: http.url('/mcp') });
      assert.equal(remembered(memory).at, at);
    });

    it('is negotiated within the same start when the server became modern @eras.negotiated-within-start', async () => {
      await start({ url: http.url('/modern') });
      remember(memory, { era: 'legacy' });
      assert.equal(await start({ url: http.url('/modern') }), 'modern');
      assert.equal(remembered(memory).era, 'modern');
    });

    it('is negotiated within the same start when the server went back to legacy @eras.negotiated-within-start-server', async () => {
      await start({ url: http.url('/mcp') });
      remember(memory, { era: 'modern' });
      assert.equal(await start({ url: http.url('/mcp') }), 'legacy');
      assert.equal(remembered(memory).era, 'legacy');
    });

    it('is stored with the transport: HTTP+SSE is tried first where it was needed @eras.stored-transport-http', async () => {
      await start({ url: http.url('/sse-only') });
      assert.equal(remembered(memory).sse, true);
      await http.forgetRequests();
      await start({ url: http.url('/sse-only') });
      const seen = (await http.requests()).filter(({ url }) => url === '/sse-only').map(({ method }) => method);
      assert.deepEqual(seen, ['GET']);
    });

    it('is negotiated again when the server supports Streamable HTTP by now', async function () {
      this.timeout(60_000);
      await start({ url: http.url('/modern') });
      remember(memory, { era: 'legacy', sse: true });
      assert.equal(await start({ url: http.url('/modern') }), 'modern');
      assert.equal(remembered(memory).sse, false);
    });
  });

  describe('over stdio', () => {
    const probes = () =>
      test.logs.filter(({ source, data }) => source === 'stderr' && /hanging at server\/discover/.test(String(data)));
    const starts = () => test.logs.filter(({ source, data }) => source === 'stderr' && /dying at/.test(String(data)));

    it('is requested once a month: a program that dies of the probe is started once at the next start, and the log says why', async () => {
      assert.equal(await start(hostile('--die-on-probe')), 'legacy');
      assert.equal(starts().length, 1);
      assert.ok(test.logged(/ended without answering server\/discover, a question of MCP Host/));
      remember(memory, { ...remembered(memory), at: Date.now() - 20 * DAY_MS });
      assert.equal(await start(hostile('--die-on-probe')), 'legacy');
      assert.equal(starts().length, 0);
    });

    for (const id of ['null', 'missing']) {
      it(`is clear at once when the probe is answered with an error whose id is ${id}`, async () => {
        // The limit is below the 8 seconds of the probe.
        const entry = { ...hostile(`--nameless-error-at=server/discover,${id}`), timeouts: { startMs: 7_500 } };
        assert.equal(await start(entry), 'legacy');
      });
    }

    it('is clear at once when the server drops requests whose ids are texts', async () => {
      assert.equal(await start({ ...hostile('--number-ids'), timeouts: { startMs: 7_500 } }), 'legacy');
      assert.ok(!test.logged(/started anew/));
    });

    it('is clear at once when the server refuses the probe under another id, as servers of Effect do', async () => {
      const refused = '"id":-32603,"error":{"_tag":"Defect","code":1,"message":"A defect occurred"}';
      assert.equal(await start(hostile(`--answer-at=server/discover ${refused}`)), 'legacy');
      assert.equal(test.server('one').vitals.starts, 1);
      assert.ok(!test.logged(/started anew/));
    });

    it('is clear whenever the probe is answered: nothing else is asked down the same pipe', async function () {
      this.timeout(60_000);
      // Longer than a remote server has for its answer.
      assert.equal(await start(hostile('--slow-start=9000', '--one-handshake', '--modern')), 'modern');
      assert.equal(test.server('one').vitals.starts, 1);
      assert.ok(!test.logged(/started anew/));
    });

    it('costs a program that ignores the probe three quarters of a start once a month, and a second process @eras.costs-program-ignores', async () => {
      const silent = { ...hostile('--hang-at=server/discover', '--one-handshake'), timeouts: { startMs: 4_000 } };
      assert.equal(await start(silent), 'legacy');
      assert.equal(probes().length, 1);
      assert.ok(test.logged(/did not answer within 3 s server\/discover, a question of MCP Host.* started anew/));
      remember(memory, { ...remembered(memory), at: Date.now() - 20 * DAY_MS });
      assert.equal(await start(silent), 'legacy');
      assert.equal(probes().length, 0);
    });

    it('is asked first at the next start of a program that took too long twice', async () => {
      const never = { ...hostile('--slow-start=600000'), timeouts: { startMs: 400 } };
      test.configure({ one: never });
      await test.reaches('one', 'failed');
      assert.equal(remembered(memory).era, 'legacy');
    });

    it('is negotiated again when the server changed under the same settings', async () => {
      assert.equal(await start(fixture('content')), 'modern');
      remember(memory, { era: 'legacy' });
      // This one speaks both: a stale verdict works, which is why it is not used for longer than a day.
      assert.equal(await start(fixture('content')), 'legacy');
      await start(hostile());
      memory.values.clear();
      await start(hostile());
      remember(memory, { era: 'modern' });
      assert.equal(await start(hostile()), 'legacy');
      assert.equal(remembered(memory).era, 'legacy');
    });

    it('is forgotten when a start fails with it, and nothing is left running', async () => {
      await start(hostile());
      const dead = hostile('--die-at=initialize');
      const { definitions } = test.configure({ one: dead });
      memory.values.clear();
      memory.values.set(`era/${definitions[0]!.fingerprint}`, '');
      remember(memory, { era: 'legacy' });
      await test.close();
      test = new TestHost({}, {}, memory);
      test.configure({ one: dead });
      const { error } = await test.reaches('one', 'failed');
      assert.equal(error.code, 'EXITED');
      assert.equal(memory.values.size, 0);
    });

    it('is ignored when the stored value is invalid', async () => {
      await start(hostile());
      for (const nonsense of ['null', '7', '{"era":"future","at":1}', '{"era":"legacy","at":"now"}', '[]']) {
        memory.values.set([...memory.values.keys()][0]!, nonsense);
        assert.equal(await start(hostile()), 'legacy');
      }
    });
  });

  describe('of a server with unsupported protocol versions', () => {
    const OURS = /2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05/;

    /** What its row says. */
    const refused = async (...flags: string[]): Promise<string> => {
      test.configure({ one: hostile(...flags) });
      const { error } = await test.reaches('one', 'failed');
      assert.equal(error.code, 'PROTOCOL');
      assert.match(error.message, OURS);
      assert.match(error.message, /Update whichever of the two is older\./);
      assert.doesNotMatch(error.message, /exited with code/);
      return error.message;
    };

    it("is reported with both sides' versions when it answers initialize with its own @eras.reported-both-sides", async () => {
      assert.match(
        await refused('--old-protocol=2023-01-01'),
        /it speaks version 2023-01-01 of the protocol, and MCP Host speaks/,
      );
    });

    it("is reported with both sides' versions when it refuses the probe, and its process then ends", async () => {
      const error = { code: -32022, message: 'Unsupported', data: { supported: ['2027-03-01', '2027-09-01'] } };
      const said = await refused(`--answer-at=server/discover "error":${JSON.stringify(error)}`);
      assert.match(said, /it speaks version 2027-03-01, 2027-09-01 of the protocol/);
    });

    it("is reported with both sides' versions when it refuses initialize as in the specification", async () => {
      const error = { code: -32602, message: 'Unsupported protocol version', data: { supported: ['2023-01-01'] } };
      const said = await refused(`--answer-at=initialize "error":${JSON.stringify(error)}`);
      assert.match(said, /it speaks version 2023-01-01 of the protocol/);
    });

    it("is reported with both sides' versions when it offers others and does not know initialize", async () => {
      const error = { code: -32601, message: 'Method not found' };
      const said = await refused(
        '--offers-versions=["2027-03-01"]',
        `--answer-at=initialize "error":${JSON.stringify(error)}`,
      );
      assert.match(said, /it speaks version 2027-03-01 of the protocol/);
    });

    it('is reported on one line, however many versions it names, and whatever else', async () => {
      const supported = ['\u202e\n[x](command:y)', 7, null, {}, ...Array.from({ length: 500 }, (_, i) => `v${i}`)];
      const error = { code: -32602, message: 'Unsupported', data: { supported } };
      const said = await refused(`--answer-at=initialize "error":${JSON.stringify(error)}`);
      assert.ok(said.length < 600 && !/[\n\u202e]/.test(said), said);
    });
  });

  describe('of a modern server that is rediscovered', () => {
    const { now } = Date;
    afterEach(() => {
      Date.now = now;
    });

    /** Starts it, and asks again when what it said counts as stale. */
    const asksAgain = async (entry: object) => {
      test.configure({ one: entry });
      const server = await test.loads('one');
      assert.equal(server.info?.protocolVersion, '2026-07-28');
      assert.equal(server.catalog.list('resources').status, 'ready');
      Date.now = () => now() + 3_600_000;
      await server.health?.refreshIfStale();
      Date.now = now;
      return server;
    };
    const later = (members: object) => hostile(`--discover-later=${JSON.stringify(members)}`, '--modern');

    it('is negotiated anew when the version in use is no longer offered', async () => {
      await asksAgain(later({ supportedVersions: ['2027-03-01'] }));
      const { error } = await test.reaches('one', 'reconnecting');
      assert.match(error.message, /could not go on: it no longer speaks version 2026-07-28 of the protocol\./);
    });

    it('stays, with its current instructions and lists', async () => {
      const capabilities = { tools: {}, prompts: {} };
      const server = await asksAgain(later({ capabilities, instructions: 'Now without resources.' }));
      assert.deepEqual(server.info?.capabilities, capabilities);
      assert.equal(server.info?.instructions, 'Now without resources.');
      assert.equal(server.catalog.list('resources').status, 'unsupported');
      await test.loads('one');
      assert.ok(server.catalog.prompts.length > 0);
      assert.equal(server.vitals.starts, 1);
    });

    it('stays unchanged after an unusable answer', async () => {
      const server = await asksAgain(later({ supportedVersions: 'all', capabilities: [], instructions: 7 }));
      assert.equal(server.state.kind, 'ready');
      assert.equal(server.info?.instructions, undefined);
    });

    it('stays unchanged after the same answer', async () => {
      const http = await startHttpFixture();
      try {
        await asksAgain({ url: http.url('/modern') });
        const asked = (await http.requests()).filter(({ body }) => body.includes('"server/discover"'));
        assert.equal(asked.length, 2);
        assert.ok(!test.logged(/what it says of itself has changed/));
      } finally {
        await test.close();
        await http.stop();
      }
    });
  });
});
