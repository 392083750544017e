import assert from 'node:assert/strict';
import { type HttpFixture, startHttpFixture } from '../../../servers/spawn';
import { TestAuth } from '../testAuth';
import { fixture, TestHost } from '../testHost';

const META = 'io.modelcontextprotocol/clientCapabilities';
const SIGN_INS = {
  'io.modelcontextprotocol/enterprise-managed-authorization': {},
  'io.modelcontextprotocol/oauth-client-credentials': {},
};

interface Sent {
  method: string;
  params: { capabilities?: { extensions?: object }; _meta?: { [META]?: { extensions?: object } } };
}

describe('sign-in extensions (ext-auth)', function () {
  this.timeout(60_000);
  let http: HttpFixture;
  let test: TestHost;
  beforeEach(async () => {
    http = await startHttpFixture();
  });
  afterEach(async () => {
    await test.close();
    await http.stop();
  });

  /** What servers are told that this host can do, by the method of the request. */
  const told = async () => {
    const posts = (await http.requests()).filter(({ method }) => method === 'POST');
    return posts
      .map(({ body }) => JSON.parse(body) as Sent)
      .map(({ method, params }) => ({
        method,
        extensions: params?.capabilities?.extensions ?? params?._meta?.[META]?.extensions,
      }));
  };

  it('are declared in discovery and initialization @extensions.declared-discovery', async () => {
    test = new TestHost({ auth: new TestAuth() });
    test.configure({ box: { url: http.url('/mcp') } });
    await test.loads('box');
    const all = await told();
    const of = (wanted: string) => all.find(({ method }) => method === wanted)?.extensions;
    assert.deepEqual(of('initialize'), SIGN_INS);
    assert.deepEqual(of('server/discover'), SIGN_INS);
  });

  it('are declared with each request of the modern era, beside other extensions @extensions.declared-request-modern', async () => {
    test = new TestHost({ auth: new TestAuth() });
    test.configure({ box: { url: http.url('/modern') } });
    const server = await test.loads('box');
    assert.equal(server.info?.era, 'modern');
    const lists = (await told()).filter(({ method }) => method.endsWith('/list'));
    assert.ok(lists.length > 0);
    for (const { extensions } of lists)
      assert.deepEqual(extensions, { ...SIGN_INS, 'io.modelcontextprotocol/tasks': {} });
  });

  it('are not declared without sign-in, nor over stdio: authorization is for HTTP', async () => {
    test = new TestHost({}, { trace: () => ({ messages: 100, size: 1_000_000 }) });
    test.configure({ box: { url: http.url('/mcp') } });
    await test.loads('box');
    assert.ok((await told()).every(({ extensions }) => extensions === undefined));
    await test.close();
    test = new TestHost({ auth: new TestAuth() }, { trace: () => ({ messages: 100, size: 1_000_000 }) });
    test.configure({ program: fixture('content') });
    await test.loads('program');
    const sent = test.host.trace.records().filter(({ direction }) => direction === 'sent');
    assert.ok(sent.length > 0 && !sent.some(({ text }) => /oauth-client|enterprise/.test(text)));
  });
});
