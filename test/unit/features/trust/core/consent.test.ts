import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import {
  adoptConsent,
  Consents,
  launchChanges,
  revokeShared,
  type StoredConsents,
  sameButReadOtherwise,
} from '../../../../../src/features/trust/core/consent';
import { resolveDefinitions } from '../../../../../src/host';
import {
  type KeptScope,
  type LaunchCheck,
  type ScopedStore,
  type ServerDefinition,
  testId,
} from '../../../../../src/host/definition';
import { launchFields } from '../../../../../src/host/launch';
import { fillInputs } from '../../../../../src/host/settings';
import { processIsAlive, waitFor } from '../../../../servers/spawn';
import { freely } from '../../../../setup/freely';
import { temporaryFolder } from '../../../../setup/paths';
import { hostile, TestHost } from '../../../host/testHost';

/** Storage as long as a test; a copy of each value, as a file would give. */
class MapStore implements ScopedStore {
  readonly values = new Map<KeptScope, string>();

  get(scope: KeptScope): StoredConsents | undefined {
    const text = this.values.get(scope);
    return text === undefined ? undefined : (JSON.parse(text) as StoredConsents);
  }

  async set(scope: KeptScope, consents: StoredConsents): Promise<void> {
    this.values.set(scope, JSON.stringify(consents));
  }
}

interface Where {
  scope?: 'user' | 'workspace';
  folder?: string;
  env?: Record<string, string>;
  config?: Record<string, string>;
  workspaceConfig?: string[];
  inputs?: object[];
  folders?: Record<string, string>;
}

function define(entry: object, where: Where = {}): ServerDefinition {
  const {
    scope = 'workspace',
    folder = '/work',
    env = {},
    config = {},
    workspaceConfig = [],
    inputs,
    folders = {},
  } = where;
  const { definitions } = resolveDefinitions([
    {
      source: { scope },
      value: { one: entry },
      inputs,
      variables: {
        workspaceFolder: folder,
        workspaceFolders: folders,
        userHome: '/home/me',
        env: name => env[name],
        config: key => config[key],
        isWorkspaceConfig: key => workspaceConfig.includes(key),
      },
    },
  ]);
  return definitions[0]!;
}

const program = {
  command: 'node',
  args: ['server.js', '--port', '80'],
  env: { TOKEN: 'abc', MODE: 'fast' },
  envFile: '/project/.env',
  cwd: '/project/server',
};
const address = { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer abc', 'X-Mode': 'fast' } };

describe('consent to launch', () => {
  let store: MapStore;
  let consents: Consents;
  beforeEach(() => {
    store = new MapStore();
    consents = new Consents(store, launchFields);
  });

  const allow = (definition: ServerDefinition) => consents.allow(consents.review(definition)!);
  const admitted = (definition: ServerDefinition) => 'entry' in consents.admit(definition, definition.entry!);
  const refusal = (definition: ServerDefinition) => {
    const admission = consents.admit(definition, definition.entry!);
    assert.ok('needs' in admission);
    const { needs, reason, remedy } = admission;
    return { needs, reason: english(reason), remedy: english(remedy) };
  };

  it('is needed for a definition of the workspace, once', async () => {
    const definition = define(program);
    assert.deepEqual(refusal(definition), {
      needs: 'needsTrust',
      reason: 'needs approval to start',
      remedy: 'Review what would be started, then allow or deny it.',
    });
    await allow(definition);
    assert.ok(admitted(definition));
    assert.ok(
      'entry' in new Consents(store, launchFields).admit(definition, definition.entry!),
      'in the next window too',
    );
  });

  it('is not needed for a definition of the user, unless its folder or its envFile is in the workspace @consent.needed-definition-user', () => {
    assert.ok(admitted(define(program, { scope: 'user' })));
    const { cwd: _, envFile: __, ...bare } = program;
    const inside = [{ cwd: '/project' }, { cwd: '/project/server' }, { envFile: '/project/x/../.env' }];
    for (const place of inside) {
      const definition = define({ ...bare, ...place }, { scope: 'user', folders: { project: '/project' } });
      assert.match(refusal(definition).reason, /needs approval/);
      assert.equal(consents.review(definition)?.scope, 'workspace');
      // Files in the home folder are the person's own.
      assert.ok(admitted(define({ ...bare, ...place }, { scope: 'user', folders: { home: '/home' } })));
    }
    assert.ok(admitted(define({ ...bare, cwd: '/projects' }, { scope: 'user', folders: { project: '/project' } })));
    assert.ok(admitted(define(address, { scope: 'user' })));
  });

  const swaps: Record<string, [object, object]> = {
    'the command': [program, { ...program, command: 'bash' }],
    'an argument': [program, { ...program, args: ['evil.js', '--port', '80'] }],
    'the order of arguments': [program, { ...program, args: ['--port', 'server.js', '80'] }],
    'where arguments are parted': [
      { ...program, args: ['a b'] },
      { ...program, args: ['a', 'b'] },
    ],
    'a further argument': [program, { ...program, args: [...program.args, '-r'] }],
    'the value of a variable': [program, { ...program, env: { ...program.env, TOKEN: 'abd' } }],
    'the name of a variable': [program, { ...program, env: { TOKEN: 'abc', NODE_OPTIONS: 'fast' } }],
    'a removed variable': [program, { ...program, env: { ...program.env, MODE: null } }],
    'a further variable': [program, { ...program, env: { ...program.env, LD_PRELOAD: '/tmp/x.so' } }],
    'the envFile': [program, { ...program, envFile: '/project/other.env' }],
    'the debugger': [program, { ...program, dev: { debug: { type: 'node', preLaunchTask: 'x' } } }],
    'a setting of the debugger': [
      { ...program, dev: { debug: { type: 'node', port: 1 } } },
      { ...program, dev: { debug: { type: 'node', port: 2 } } },
    ],
    'the folder': [program, { ...program, cwd: '/project/other' }],
    'that it is confined': [
      { ...program, sandbox: true },
      { ...program, sandbox: false },
    ],
    'what it may change': [
      { ...program, sandbox: { write: ['/project/out'] } },
      { ...program, sandbox: { write: ['/project/out', '/project'] } },
    ],
    'what it may reach': [
      { ...program, sandbox: { network: ['example.com'] } },
      { ...program, sandbox: { network: ['*'] } },
    ],
    'which variables it inherits': [
      { ...program, sandbox: {} },
      { ...program, sandbox: { env: ['TOKEN'] } },
    ],
    'what builds it': [
      { ...program, dev: { watch: 'src/**', build: 'npm run build' } },
      { ...program, dev: { watch: 'src/**', build: 'npm run evil' } },
    ],
    'that it is built': [
      { ...program, dev: { watch: 'src/**' } },
      { ...program, dev: { watch: 'src/**', build: 'npm run build' } },
    ],
    'the kind of server': [program, address],
    'the url': [address, { ...address, url: 'https://example.com.evil/mcp' }],
    'the value of a header': [address, { ...address, headers: { ...address.headers, Authorization: 'Bearer abd' } }],
    'the name of a header': [address, { url: address.url, headers: { Authorization: 'Bearer abc', 'Y-Mode': 'fast' } }],
    'the transport': [address, { ...address, type: 'sse' }],
    'a text that becomes a secret': [
      { ...program, args: ['$${env:TOKEN}'] },
      { ...program, args: ['${env:TOKEN}'] },
    ],
  };
  for (const [what, [before, after]] of Object.entries(swaps)) {
    it(`is needed again when the workspace swaps ${what}`, async () => {
      const env = { TOKEN: 'secret' };
      await allow(define(before, { env }));
      assert.ok(admitted(define(before, { env })));
      const swapped = define(after, { env });
      assert.ok(!admitted(swapped));
      assert.ok(consents.review(swapped)!.before, 'with what was allowed before');
      assert.match(refusal(swapped).reason, /changed since you allowed/);
      assert.ok(admitted(define(before, { env })), 'what was allowed stays allowed');
    });
  }

  it('covers the values of workspace variables', async () => {
    const entry = { command: '${config:tool.path}', args: ['${workspaceFolder}/x'] };
    const config = { 'tool.path': '/bin/tool' };
    await allow(define(entry, { config }));
    assert.ok(!admitted(define(entry, { config: { 'tool.path': '/tmp/evil' } })));
    assert.ok(!admitted(define(entry, { config, folder: '/elsewhere' })));
    assert.ok(admitted(define(entry, { config })));
  });

  it('covers how inputs are got, but not their values @consent.covers-inputs-got', async () => {
    const entry = { command: 'node', args: ['${input:token}'] };
    const asked = { id: 'token', type: 'promptString', password: true };
    const definition = define(entry, { inputs: [asked] });
    await allow(definition);
    assert.ok(admitted(define(entry, { inputs: [asked, { id: 'other', type: 'promptString' }] })));
    const command = { id: 'token', type: 'command', command: 'evil.run', args: ['x'] };
    const swapped = define(entry, { inputs: [command] });
    assert.ok(!admitted(swapped));
    const { fields } = consents.review(swapped)!;
    assert.deepEqual(
      fields.filter(({ kind }) => kind === 'input').map(({ text }) => text),
      ['command evil.run ["x"]'],
    );
    const inputText = (input: object) =>
      consents
        .review(define(entry, { inputs: [{ id: 'token', ...input }] }))!
        .fields.find(({ kind }) => kind === 'input')!.text;
    assert.equal(
      inputText({ type: 'promptString', password: true, default: 'ev"il\n' }),
      'promptString, default "ev\\"il⟨U+000A⟩"',
    );
    const options = ['eu', { label: 'us', value: '--evil' }];
    assert.equal(inputText({ type: 'pickString', options, default: 'eu' }), 'pickString "eu" | "--evil", default "eu"');
  });

  describe('to a package without a fixed version', () => {
    const entry = { command: 'npx', args: ['-y', 'foo'] };

    it('holds for the version that was shown: another one is asked about, and named @consent.holds-version-shown', async () => {
      const definition = define(entry);
      consents.fetched(definition.id, { foo: '1.0.0' });
      await consents.allow(consents.review(definition)!);
      assert.ok(admitted(definition));
      consents.fetched(definition.id, { foo: '1.0.1' });
      const admission = consents.admit(definition, definition.entry!);
      assert.ok('needs' in admission);
      assert.match(english(admission.reason), /would run foo 1\.0\.1, not the version that you allowed/);
      const review = consents.review(definition)!;
      assert.deepEqual([review.newPackages, review.before?.packages], [['foo'], { foo: '1.0.0' }]);
      await consents.allow(review);
      assert.ok(admitted(definition));
      consents.fetched(definition.id, { foo: '1.0.0' });
      assert.ok(!admitted(definition), 'an older one, too');
    });

    it('given before anything was fetched is for the first that is @consent.given-fetched-first', async () => {
      const definition = define(entry);
      await consents.allow(consents.review(definition)!);
      consents.fetched(definition.id, { foo: '1.0.0' });
      assert.ok(admitted(definition));
      await waitFor(() => consents.all[0]?.allowed?.packages, { what: 'the version to be kept' });
      const next = new Consents(store, launchFields);
      next.fetched(definition.id, { foo: '2.0.0' });
      assert.equal(next.review(definition)!.answer, undefined);
      // Nothing is known where the cache was emptied: it is fetched anew, and compared then.
      next.fetched(definition.id, {});
      assert.equal(next.review(definition)!.answer, 'allowed');
    });

    it('covers the version that was shown, whatever was downloaded meanwhile', async () => {
      const definition = define(entry);
      consents.fetched(definition.id, { foo: '1.0.0' });
      const review = consents.review(definition)!;
      consents.fetched(definition.id, { foo: '2.0.0' });
      await consents.allow(review);
      assert.ok(!admitted(definition));
    });
  });

  it('given when an earlier version masked more is requested again, with what was masked @consent.given-earlier-version', async () => {
    const definition = define({ command: 'node', env: { NODE_OPTIONS: '--require=./evil.cjs', TOKEN: 'abc' } });
    await allow(definition);
    const stored = JSON.parse(store.values.get('workspace')!) as StoredConsents;
    for (const field of stored.servers.one!.allowed!.fields) if (field.kind === 'env') field.text = '•••';
    await store.set('workspace', stored);
    assert.ok(!admitted(definition));
    const review = consents.review(definition)!;
    assert.match(refusal(definition).reason, /more is shown now/);
    assert.deepEqual(
      sameButReadOtherwise(review.before!.fields, review.fields).map(({ name, text }) => `${name} ${text}`),
      ['NODE_OPTIONS --require=./evil.cjs'],
    );
    await consents.deny(review);
    assert.equal(consents.review(definition)!.answer, 'denied');
    await allow(definition);
    assert.ok(admitted(definition));
  });

  it('given before a mask was marked as one that may hide a command is requested again @consent.given-before-mark', async () => {
    const definition = define({ command: 'node', env: { API_TOKEN: 'x;evil', TOKEN: 'abc' } });
    await allow(definition);
    assert.ok(admitted(definition));
    const stored = JSON.parse(store.values.get('workspace')!) as StoredConsents;
    for (const field of stored.servers.one!.allowed!.fields) delete field.mayRun;
    await store.set('workspace', stored);
    assert.ok(!admitted(definition));
    const review = consents.review(definition)!;
    const marked = sameButReadOtherwise(review.before!.fields, review.fields);
    assert.deepEqual(
      marked.map(({ name, text }) => `${name} ${text}`),
      ['API_TOKEN •••'],
    );
  });

  it('takes no value of a setting for a reference, whatever it reads like', async () => {
    const entry = { command: 'echo', args: ['${config:a}{env:SECRET}'] };
    await allow(define(entry, { config: { a: '$' }, env: { SECRET: 'x' } }));
    assert.ok(!admitted(define({ command: 'echo', args: ['${env:SECRET}'] }, { env: { SECRET: 'x' } })));
  });

  it('is needed for a definition of the user into which the workspace puts a value', async () => {
    const entry = { command: 'node', args: ['${config:tool.path}'] };
    const config = { 'tool.path': '/tmp/evil' };
    assert.ok(admitted(define(entry, { scope: 'user', config })));
    assert.ok(!admitted(define(entry, { scope: 'user', config, workspaceConfig: ['tool.path'] })));
  });

  it("survives changes of the person's environment variables and of settings outside the launch", async () => {
    const entry = { ...program, env: { TOKEN: '${env:TOKEN}' } };
    await allow(define(entry, { env: { TOKEN: 'old' } }));
    assert.ok(admitted(define(entry, { env: { TOKEN: 'new' } })));
    assert.ok(admitted(define({ ...entry, timeouts: { startMs: 5 }, logLevel: 'debug' })));
  });

  it('covers what was shown, not what settings contain when it is given @consent.covers-shown-settings', async () => {
    const shown = consents.review(define(program))!;
    const meanwhile = define({ ...program, command: 'evil' });
    assert.ok(!consents.isCurrent(shown, meanwhile));
    await consents.allow(shown);
    assert.ok(!admitted(meanwhile));
  });

  it('that was denied is remembered, and can be given later @consent.denied-remembered-given', async () => {
    await allow(define(program));
    const swapped = define({ ...program, command: 'evil' });
    await consents.deny(consents.review(swapped)!);
    assert.equal(refusal(swapped).reason, 'you denied it');
    assert.equal(new Consents(store, launchFields).review(swapped)!.answer, 'denied');
    assert.ok(admitted(define(program)), 'what was allowed before is not denied with it');
    await allow(swapped);
    assert.ok(admitted(swapped));
    await consents.deny({ ...consents.review(swapped)!, answer: undefined });
    assert.ok(!admitted(swapped));
  });

  describe('covers roots:', () => {
    const shared = (roots: unknown, more: object = {}) => define({ command: 'node', roots, ...more });
    const waits = (definition: ServerDefinition) => {
      const admission = consents.admit(definition, definition.entry!);
      assert.ok('needs' in admission);
      return english(admission.reason);
    };
    const more = 'could ask for more folders than you allowed: needs approval again';

    it('roots in workspace settings are part of the review', () => {
      assert.deepEqual(consents.review(shared(undefined))!.roots, ['*']);
      assert.deepEqual(consents.review(shared('none'))!.roots, []);
      assert.deepEqual(consents.review(shared(['/work/a', 'b']))!.roots, ['/work/a', 'b']);
    });

    it('no root is shared before consent @consent.root-shared-consent', async () => {
      assert.equal(consents.allowsRoot(shared(['/work/a']), '/work/a'), false);
      await consents.allow(consents.review(shared(['/work/a']))!);
      assert.equal(consents.allowsRoot(shared(['/work/a']), '/work/a'), true);
    });

    it('more of them are asked for again, and withheld until then; fewer are not @consent.asked-withheld-fewer', async () => {
      await consents.allow(consents.review(shared(['/work/a', '/work/b']))!);
      for (const roots of [['/work/b'], ['/work/a/below'], 'none', []])
        assert.ok(admitted(shared(roots)), String(roots));
      for (const roots of [undefined, 'workspace', ['/work'], ['/work/a/../c'], ['/work/a', '/work/c'], ['/work/ab']]) {
        assert.equal(waits(shared(roots)), more);
      }
      const wider = shared(['/work/a', '/work/c']);
      assert.deepEqual(consents.review(wider)!.newRoots, ['/work/c']);
      assert.deepEqual(
        ['/work/a', '/work/c', '*'].map(root => consents.allowsRoot(wider, root)),
        [true, false, false],
      );
      await consents.allow(consents.review(wider)!);
      assert.ok(admitted(wider));
    });

    it('all folders of the workspace cover every list of them', async () => {
      await consents.allow(consents.review(shared(undefined))!);
      for (const roots of ['workspace', ['/work/a'], ['../elsewhere']]) assert.ok(admitted(shared(roots)));
    });

    it('roots chosen by a person are agreed to, without consent to a launch or anything else', async () => {
      await consents.agreeToRoots(shared(['/work/a']), ['/work/a']);
      assert.equal(waits(shared(['/work/a'])), 'needs approval to start');
      await consents.allow(consents.review(shared('none'))!);
      await consents.agreeToRoots(shared('none'), ['/work/a']);
      assert.ok(admitted(shared(['/work/a'])));
      assert.equal(waits(shared(['/work/b'])), more);
      assert.ok(!admitted(shared(['/work/a'], { args: ['other.js'] })));
    });

    it('denying additional roots keeps the earlier ones', async () => {
      await consents.allow(consents.review(shared(['/work/a']))!);
      await consents.deny(consents.review(shared(undefined))!);
      assert.equal(waits(shared(undefined)), 'you denied it');
      assert.ok(admitted(shared(['/work/a'])));
    });

    it('the shown roots are covered, not later settings', async () => {
      const review = consents.review(shared(['/work/a']))!;
      assert.equal(consents.isCurrent(review, shared(undefined)), false);
      assert.equal(consents.isCurrent(review, shared('none')), true);
      await consents.allow(review);
      assert.equal(waits(shared(undefined)), more);
    });

    it('answers of earlier versions and invalid ones cover none', async () => {
      for (const roots of [undefined, null, '*', 7, [7, null, {}], { 0: '*' }]) {
        await consents.allow(consents.review(shared(['/work/a']))!);
        const stored = store.get('workspace')!;
        Object.assign(stored.servers.one!.allowed!, { roots });
        await store.set('workspace', stored);
        assert.equal(waits(shared(['/work/a'])), more);
        assert.equal(consents.allowsRoot(shared(['/work/a']), '/work/a'), false);
        assert.ok(admitted(shared('none')));
      }
    });

    it("a server of the user gets its entry's roots, because the user wrote them", () => {
      const mine = define({ command: 'node' }, { scope: 'user' });
      assert.equal(consents.allowsRoot(mine, '*'), true);
    });
  });

  it('can be revoked', async () => {
    await allow(define(program));
    const decisions: string[] = [];
    consents.onDidDecide(({ what, server }) => decisions.push(`${what} ${server}`));
    const [remembered] = consents.all;
    await consents.revoke(remembered!);
    assert.ok(!admitted(define(program)));
    assert.deepEqual([decisions, consents.all], [['revoked one'], []]);
  });

  it('for the tests of one file is taken over by others that start the same, and revoked for all of them', async () => {
    const test = (file: string, more = {}) => ({
      ...define({ ...program, roots: 'none', ...more }),
      id: testId(`/project/${file}`),
    });
    const [first, second] = [test('a'), test('b')];
    const adopts = (definition: ServerDefinition) => adoptConsent(consents, consents.review(definition)!);
    assert.equal(await adopts(first), false, 'nothing was allowed yet');
    await allow(first);
    assert.ok(!admitted(second));
    assert.equal(await adopts(second), true);
    assert.ok(admitted(second));
    for (const other of [
      test('c', { args: ['other.js'] }),
      test('d', { cwd: '/elsewhere' }),
      { ...test('e'), entry: { ...first.entry!, roots: ['/project/more'] } },
      { ...define(program), id: 'one' },
    ])
      assert.deepEqual([await adopts(other), admitted(other)], [false, false], other.id);
    const denied = test('f');
    await consents.deny(consents.review(denied)!);
    assert.deepEqual([await adopts(denied), admitted(denied)], [false, false], 'its own answer counts');
    await revokeShared(consents, consents.all.find(({ server }) => server === second.id)!);
    assert.deepEqual([admitted(first), await adopts(first), await adopts(second)], [false, false, false]);
  });

  it('that for one server does not cover another of any name', async () => {
    await allow(define(program));
    const other = { ...define(program), id: 'constructor' };
    assert.ok(!admitted(other));
    await allow(other);
    assert.ok(admitted(other));
  });

  it('is needed once, for the person, to send in clear text to another machine @consent.needed-once-person', async () => {
    for (const url of ['http://127.0.0.1:3000/mcp', 'http://localhost/mcp', 'http://[::1]:9/', 'https://example.com/'])
      assert.ok(admitted(define({ url }, { scope: 'user' })), url);
    for (const url of [
      'http://example.com/mcp',
      'http://localhost.evil/',
      'http://127.0.0.1.evil/',
      'http://10.0.0.1/',
    ]) {
      const definition = define({ url }, { scope: 'user' });
      assert.ok(!admitted(definition), url);
      assert.equal(consents.review(definition)!.scope, 'user');
      await allow(definition);
      assert.ok(admitted(definition), url);
    }
    assert.ok(!admitted(define({ url: 'http://10.0.0.1/' })), 'the consent of the person is not one for a workspace');
  });

  it('stores nothing that is secret by the name of its variable, header or option, or by its shape @consent.stores-secret-name', async () => {
    const args = ['--api-key', 's3cret-1', '--token=s3cret-2', 'AUTH_TOKEN=s3cret-3', '${env:TOKEN}'];
    const shape = `ghp_s3cret${'a1B2'.repeat(8)}`;
    const env = { MY_PASSWORD: 's3cret-4', A: shape, B: '${env:TOKEN}', DB: 'postgres://me:s3cret-8@db/x' };
    await allow(define({ command: 'node', args, env }, { env: { TOKEN: 's3cret-5' } }));
    const headers = { Authorization: 'Bearer s3cret-6', 'X-Custom': shape };
    await allow({ ...define({ url: 'https://a.example/?api_key=s3cret-7&x=1', headers }), id: 'two' });
    const stored = store.values.get('workspace')!;
    assert.ok(!stored.includes('s3cret'), stored);
    const readable = [
      '--api-key',
      '--token=•••',
      '${env:TOKEN}',
      'api_key=•••&x=1',
      'Bearer •••',
      'postgres://me:•••@db/x',
    ];
    for (const text of readable) assert.ok(stored.includes(text), text);
  });
});

describe('a server that needs consent', () => {
  let test: TestHost;
  let stored: MapStore;
  let consents: Consents;
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    stored = new MapStore();
    consents = new Consents(stored, launchFields);
    test = new TestHost({ launch: freely.launch.with({ consent: consents }) });
  });
  afterEach(() => test.close());

  const configure = (entry: object) => {
    const variables = { workspaceFolders: {}, userHome: folder, env: () => undefined, config: () => undefined };
    const { definitions } = resolveDefinitions([{ source: { scope: 'workspace' }, value: { one: entry }, variables }]);
    test.host.reconcile(definitions);
  };
  const review = () => consents.review(test.server('one').definition)!;

  it('starts nothing before it is given @consent.starts-given', async () => {
    const touched = join(folder, 'touched');
    configure({
      command: process.execPath,
      args: ['-e', `fs.writeFileSync(${JSON.stringify(touched)}, '')`],
    });
    const { error } = await test.reaches('one', 'needsTrust');
    assert.equal(error.code, 'NEEDS_TRUST');
    await test.server('one').start('again');
    assert.equal(test.server('one').state.kind, 'needsTrust');
    assert.ok(!existsSync(touched));
  });

  it('covers the variables of the envFile: the program gets those that were reviewed, and others are asked about @consent.covers-variables-envfile', async () => {
    const envFile = join(folder, 'own.env');
    const { env: _, ...server } = hostile();
    const entry = { ...server, envFile };
    const variables = 'ELECTRON_RUN_AS_NODE=1\nMODE=fast\n';
    writeFileSync(envFile, variables);
    configure(entry);
    await test.reaches('one', 'needsTrust');
    assert.deepEqual(
      review()
        .fields.filter(({ kind }) => kind === 'env')
        .map(({ name, text }) => [name, text]),
      [
        ['ELECTRON_RUN_AS_NODE', '1'],
        ['MODE', 'fast'],
      ],
    );
    await consents.allow(review());
    await test.server('one').start('it was allowed');
    await test.reaches('one', 'ready');
    writeFileSync(envFile, `${variables}NODE_OPTIONS=--require ./evil.js\n`);
    await test.server('one').restart('its files changed');
    const { error } = await test.reaches('one', 'needsTrust');
    assert.match(error.message, /variables of "envFile" changed since you allowed it/);
    const { added } = launchChanges(review().before?.fields ?? [], review().fields);
    assert.deepEqual(
      added.map(({ name }) => name),
      ['NODE_OPTIONS'],
    );
    writeFileSync(envFile, variables);
    await test.server('one').restart('its files changed back');
    await test.reaches('one', 'ready');
    // Until the file is read, as in a new window, it counts as unchanged.
    const next = new Consents(stored, launchFields);
    assert.equal(next.review(test.server('one').definition)?.answer, 'allowed');
  });

  describe('of a person whose input leads into the workspace', () => {
    const paths = (value: string) => ({
      'the folder': { cwd: value },
      'the envFile': { envFile: `${value}/own.env` },
    });
    const input = { type: 'promptString', id: 'place' };
    let inputs: Record<string, string>;
    const configureOwn = (entry: object, isTrusted = true) => {
      const variables = {
        workspaceFolders: { project: join(folder, 'project') },
        ...{ userHome: join(folder, 'home'), env: () => undefined, config: () => undefined },
      };
      const source = { scope: 'user' } as const;
      const value = { one: { ...hostile(), ...entry } };
      const configured = { source, value, inputs: [input], variables, isTrusted };
      test.host.reconcile(resolveDefinitions([configured]).definitions);
    };
    beforeEach(async () => {
      await test.close();
      inputs = {};
      const filling: LaunchCheck = {
        admit: ({ inputs: used }, entry) => {
          const filled = used && fillInputs(entry, used, new Map(Object.entries(inputs)));
          return filled && 'entry' in filled ? filled : { entry };
        },
      };
      test = new TestHost({ launch: freely.launch.with({ consent: consents, inputs: filling }) });
      for (const name of ['project', 'home']) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, 'own.env'), `FROM=${name}\n`);
      }
    });

    for (const [what, entry] of Object.entries(paths('${input:place}'))) {
      it(`is asked for as if its entry named it: ${what} @consent.asked-entry-named`, async () => {
        inputs = { place: join(folder, 'home') };
        configureOwn(entry);
        await test.reaches('one', 'ready');
        assert.equal(consents.review(test.server('one').definition), undefined);

        inputs = { place: join(folder, 'project') };
        await test.server('one').restart('another value');
        const { error } = await test.reaches('one', 'needsTrust');
        assert.match(error.message, /needs approval to start/);
        const asked = review();
        assert.equal(asked.scope, 'workspace');
        assert.ok(asked.definition.leadsIntoWorkspace);
        const shown = JSON.stringify(asked.reviewed);
        assert.ok(shown.includes(JSON.stringify(join(folder, 'project')).slice(1, -1)), shown);
        assert.equal(shown.includes('"FROM":"project"'), what === 'the envFile');

        await consents.allow(asked);
        await test.server('one').start('it was allowed');
        await test.reaches('one', 'ready');
        writeFileSync(join(folder, 'project', 'own.env'), 'FROM=elsewhere\n');
        await test.server('one').restart('its files changed');
        await test.reaches('one', what === 'the envFile' ? 'needsTrust' : 'ready');
        inputs = { place: join(folder, 'home') };
        await test.server('one').restart('back home');
        await test.reaches('one', 'ready');
      });
    }
  });

  it('comes before the error of an envFile that cannot be read, which starts nothing @consent.comes-error-envfile', async () => {
    configure({ ...hostile(), envFile: join(folder, 'none.env') });
    await test.reaches('one', 'needsTrust');
    await consents.allow(review());
    await test.server('one').start('it was allowed');
    assert.match((await test.reaches('one', 'failed')).error.message, /its "envFile" .* could not be read/);
  });

  it('is stopped when its entry is swapped, and the new one does not start', async () => {
    configure(hostile());
    await test.reaches('one', 'needsTrust');
    await consents.allow(review());
    await test.server('one').start('it was allowed');
    await test.reaches('one', 'ready');
    const pid = test.pid('one');
    configure(hostile('--tools=7'));
    await test.reaches('one', 'needsTrust');
    await waitFor(() => !processIsAlive(pid), { what: 'the process that was allowed to end' });
    configure(hostile());
    await test.reaches('one', 'ready');
  });

  it('is not restarted after a crash when it was revoked meanwhile', async () => {
    configure(hostile());
    await test.reaches('one', 'needsTrust');
    await consents.allow(review());
    await test.server('one').start('it was allowed');
    await test.reaches('one', 'ready');
    await consents.revoke({ server: 'one', scope: 'workspace' });
    process.kill(test.pid('one'), 'SIGKILL');
    await test.reaches('one', 'needsTrust');
  });
});
