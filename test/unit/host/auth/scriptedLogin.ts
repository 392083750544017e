import assert from 'node:assert/strict';
import type { Asked, Script } from '../../../servers/scriptedLogin';
import { type HttpServerFixture, startHttpServer } from '../../../servers/spawn';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';

const signal = () => AbortSignal.timeout(120_000);

type Places = Record<'resource' | 'server' | 'provider', string>;

/** A protected server with an authorization server and an identity provider that do as they are told. */
export class ScriptedLogin {
  readonly #hosts: TestHost[] = [];

  private constructor(
    private readonly fixture: HttpServerFixture,
    /** The addresses of the MCP server, its authorization server and the identity provider. */
    readonly places: Places,
  ) {}

  static async start(): Promise<ScriptedLogin> {
    const fixture = await startHttpServer('scriptedLogin');
    return new ScriptedLogin(fixture, (await (await fetch(fixture.url('/__places'))).json()) as Places);
  }

  async play(script: Script): Promise<void> {
    await fetch(this.fixture.url('/__script'), { method: 'PUT', body: JSON.stringify(script) });
  }

  async endTokens(): Promise<void> {
    await fetch(this.fixture.url('/__end'), { method: 'DELETE' });
  }

  async asked(path: Asked['path'], at: Asked['at'] = 'server'): Promise<Asked[]> {
    const all = (await (await fetch(this.fixture.url('/__seen'))).json()) as Asked[];
    return all.filter(one => one.path === path && one.at === at);
  }

  /** A window of a person, with a server for each name, which waits for a sign-in. */
  async open(oauth?: object, { auth = new TestAuth(), names = ['box'] } = {}) {
    const host = new TestHost({ auth });
    this.#hosts.push(host);
    const entry = { url: this.places.resource, ...(oauth && { oauth }) };
    host.configure(Object.fromEntries(names.map(name => [name, entry])));
    const signIn = async (name = 'box') => {
      await host.server(name).account.signIn(signal());
      return host.loads(name);
    };
    return { auth, host, box: host.server(names[0]!), signIn };
  }

  /** The sign-in fails with this message, and no code was sent to a token endpoint. */
  async refuses(message: RegExp, window?: Awaited<ReturnType<ScriptedLogin['open']>>): Promise<TestAuth> {
    const { auth, host, box } = window ?? (await this.open());
    await host.reaches('box', 'needsAuth');
    await assert.rejects(box.account.signIn(signal()), (error: Error) => {
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(await this.asked('/token'), []);
    assert.equal(box.state.kind, 'needsAuth');
    return auth;
  }

  /** Closes all windows, and makes the fixture as good as new. */
  async renew(): Promise<void> {
    await Promise.all(this.#hosts.splice(0).map(host => host.close()));
    await fetch(this.fixture.url('/__new'), { method: 'PUT' });
  }

  async close(): Promise<void> {
    await this.renew();
    await this.fixture.stop();
  }
}
