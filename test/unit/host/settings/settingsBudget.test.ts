import assert from 'node:assert/strict';
import { english } from '../../../../src/base/phrase';
import { resolveDefinitions } from '../../../../src/host';
import { WorkspaceMention } from '../../../../src/host/launch/workspaceMention';
import { fillInputs, parseInputs, parseServers, SETTINGS_LIMITS, SettingsBudget } from '../../../../src/host/settings';

const MANY = 50_000;
const LONG = 'v'.repeat(5_000);

const byName = (length: number, entry: (n: number) => unknown) =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`s${n}`, entry(n)]));
/** All alike: they share one value, so that the test makes few. */
const alike = (length: number, entry: unknown) => byName(length, () => entry);
const list = <T>(length: number, item: (n: number) => T) => Array.from({ length }, (_, n) => item(n));
const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;

interface WrittenFile {
  readonly servers: unknown;
  readonly inputs?: unknown;
}

/** Files with much of something, for each entry of which there is much of something else. */
const FILES: { readonly [what: string]: (many: number) => WrittenFile } = {
  servers: many => ({ servers: alike(many, { command: 'x' }) }),
  'servers in a wrapper': many => ({ servers: { mcpServers: alike(many, { command: 'x' }) } }),
  'servers of one name': many => ({
    servers: { servers: alike(many, { command: 'x' }), mcpServers: alike(many, { command: 'y' }) },
  }),
  'servers that are none': many => ({ servers: byName(many, n => n) }),
  'servers with many mistakes': many => ({
    servers: alike(many / 100, { command: 'x', ...byName(500, n => n) }),
  }),
  'servers with many arguments': many => ({
    servers: byName(many / 100, n => ({ command: 'x', args: list(many / 100, () => `a${n}`) })),
  }),
  'servers whose commands are long lines': many => ({
    servers: alike(many / 100, { command: `x${' a'.repeat(4_000)}` }),
  }),
  'programs for headers that are long lines': many => ({
    servers: alike(many / 100, { url: 'https://x.example', headersHelper: `x${' a'.repeat(4_000)}` }),
  }),
  'servers with long variables': many => ({
    servers: alike(many / 100, { command: 'x', env: byName(20, () => LONG) }),
  }),
  'servers with many headers': many => ({
    servers: alike(many / 100, { url: 'https://x.example', headers: byName(many / 100, () => 'a') }),
  }),
  'servers with many places of a sandbox': many => ({
    servers: alike(many / 100, { command: 'x', sandbox: { read: list(many / 100, n => `/a/${n}`) } }),
  }),
  'servers with many roots': many => ({
    servers: alike(many / 100, { command: 'x', roots: list(many / 100, n => `/a/${n}`) }),
  }),
  'servers with many secrets': many => ({
    servers: alike(many / 100, { command: 'x', env: byName(50, n => `ghp_${`${n}`.padStart(36, 'a1B')}`) }),
  }),
  'settings that are named': many => ({
    servers: alike(many, { command: 'x', args: ['${config:long} '.repeat(20)] }),
  }),
  'settings that are named by one': many => ({
    servers: { a: { command: 'x', args: ['${config:long} '.repeat(many)] }, b: { command: 'x' } },
  }),
  'settings of which each is another': many => ({
    servers: byName(many / 10, n => ({ command: 'x', args: list(10, m => `\${config:a${n}.${m}}`) })),
  }),
  'inputs, each named by each server': many => ({
    servers: alike(many / 100, { command: 'x', args: [list(many / 100, n => `\${input:i${n}}`).join(' ')] }),
    inputs: list(many / 100, n => ({ type: 'promptString', id: `i${n}`, description: 'x'.repeat(1_500) })),
  }),
  'one long input, named by each server': many => ({
    servers: alike(many, { command: 'x', args: ['${input:made}'] }),
    inputs: [{ type: 'command', id: 'made', command: 'c', args: 'x'.repeat(19_000) }],
  }),
  inputs: many => ({
    servers: { a: { command: 'x', args: ['${input:i1}'] } },
    inputs: list(many, n => ({ type: 'promptString', id: `i${n}` })),
  }),
  'entries that are nested deeply': many => ({
    servers: alike(many, { command: 'x', dev: { debug: { type: 'x', a: nested(110) } } }),
  }),
};

/** Reads a file. Counted is what it becomes, in characters, and how often the editor is asked for a value. */
function read({ servers, inputs }: WrittenFile) {
  let lookups = 0;
  const look = (name: string) => {
    lookups++;
    return name === 'long' ? LONG : name;
  };
  const variables = {
    ...{ workspaceFolder: '/w', workspaceFolders: { w: '/w' }, userHome: '/home/me' },
    ...{ env: look, config: look, isWorkspaceConfig: () => false },
  };
  const source = { scope: 'workspace' } as const;
  const { definitions, problems } = resolveDefinitions([{ source, value: servers, inputs, variables }]);
  const characters = definitions.reduce(
    (sum, { entry, reviewed, inputs: used, problems: own }) =>
      sum + JSON.stringify([entry, reviewed, used?.definitions, used?.places, own]).length,
    0,
  );
  const [{ problems: told } = assert.fail()] = problems;
  return { definitions, told, lookups, characters };
}

describe('a file of settings', () => {
  for (const [what, fileOf] of Object.entries(FILES)) {
    it(`is read up to a limit, however much is in it: ${what} @settingsBudget.read-limit-however`, function () {
      this.timeout(120_000);
      const { definitions, told, lookups, characters } = read(fileOf(MANY));
      const { entries, variables, problems } = SETTINGS_LIMITS;
      assert.ok(definitions.length <= entries, `${definitions.length} servers`);
      assert.ok(lookups <= 2 * variables.file, `${lookups} looks`);
      assert.ok(told.length <= problems, `${told.length} problems`);
      assert.ok(characters < 20_000_000, `${characters} characters`);
      const errors = told.filter(({ severity }) => severity === 'error');
      assert.ok(errors.length > 0 || /mistakes|secrets|roots/.test(what), 'nobody is told');
      // Of twice as much, no more is read.
      const more = read(fileOf(2 * MANY));
      assert.ok(more.characters <= 1.1 * characters && more.lookups <= 1.1 * lookups, `${more.characters}`);
    });
  }

  it('is read as far as there is room, and a problem says from where on it is not', () => {
    const { definitions, told } = read({ servers: alike(503, { command: 'x' }) });
    assert.deepEqual([definitions.length, definitions.filter(({ entry }) => entry).length], [500, 500]);
    assert.deepEqual(
      told.map(({ path, message }) => [path, english(message)]),
      [
        [
          ['s500'],
          'Entries from here on are not read (3): together they may be at most 500 entries, 20000 values and 1000000 characters. Remove some.',
        ],
      ],
    );
  });

  it('loses only the entry that is too large', () => {
    const servers = {
      deep: { command: 'x', dev: { debug: { type: 'x', a: nested(101) } } },
      long: { command: 'x', env: { A: 'x'.repeat(200_001) } },
      many: { command: 'x', args: list(2_001, () => 'a') },
      line: { command: `x${' a'.repeat(2_001)}` },
      helper: { url: 'https://x.example', headersHelper: `x${' a'.repeat(2_001)}` },
      named: { command: 'x', args: ['${env:A}'.repeat(1_001)] },
      filled: { command: 'x', args: ['${config:long}'.repeat(100)] },
      good: { command: 'x', dev: { debug: { type: 'x', a: nested(90) } } },
    };
    const { definitions, told } = read({ servers });
    assert.deepEqual(
      definitions.filter(({ entry }) => entry).map(({ name }) => name),
      ['good'],
    );
    assert.deepEqual(
      told.map(({ path: [name], message }) => `${name} ${english(message)}`),
      [
        'deep This entry cannot be read: it is nested deeper than 100 levels. Simplify or remove it.',
        'long This entry cannot be read: it has more than 200000 characters. Simplify or remove it.',
        'many This entry cannot be read: it has more than 2000 values. Simplify or remove it.',
        'line This entry cannot be read: it has more than 2000 values. Simplify or remove it.',
        'helper This entry cannot be read: it has more than 2000 values. Simplify or remove it.',
        'named This entry cannot be read: it has more than 1000 variables. Simplify or remove it.',
        'filled This entry cannot be read: its variables and inputs have more than 400000 characters. Simplify or remove it.',
      ],
    );
  });

  it('takes no room from another, but the folders of a workspace share theirs', () => {
    const variables = { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined };
    const value = alike(400, { command: 'x' });
    const of = (name: string) => {
      const source = { scope: 'workspaceFolder', folder: { name, path: `/${name}` } } as const;
      return { source, value, variables };
    };
    const count = (configured: Parameters<typeof resolveDefinitions>[0]) =>
      resolveDefinitions(configured).definitions.length;
    assert.equal(count([{ source: { scope: 'user' }, value, variables }, of('a')]), 800);
    assert.equal(count([of('a'), of('b'), of('c')]), 500);
  });

  it('has room for what people have', () => {
    const env = byName(40, n => `value ${n}`);
    const args = ['-y', '${workspaceFolder}/x', '--token=${input:token}', '${env:HOME}'];
    const servers = alike(100, { command: 'npx', args, env });
    const { definitions, told } = read({ servers, inputs: [{ type: 'promptString', id: 'token' }] });
    assert.equal(definitions.filter(({ entry }) => entry).length, 100);
    assert.deepEqual(told, []);
  });

  it('has no reader of entries without a budget @settingsBudget.reader-entries-budget', () => {
    const budget = new SettingsBudget();
    assert.equal(parseServers(alike(MANY, { command: 'x' })).servers.length, 500);
    const inputs = list(MANY, n => ({ type: 'promptString', id: `i${n}` }));
    const { inputs: read, problems } = parseInputs(inputs, budget);
    assert.deepEqual([read.size, problems.map(({ path, setting }) => [path, setting])], [500, [[[500], 'inputs']]]);
  });

  it('is no way to launch what inputs make too long', () => {
    const entry = parseServers({ a: { command: 'x', args: ['${input:a}'.repeat(900)] } }).servers[0]!.entry!;
    const places = list(900, index => ({ id: 'a', path: ['args', 0], index }));
    const fill = (value: string) => fillInputs(entry, { definitions: [], places }, new Map([['a', value]]));
    assert.ok('entry' in fill('x'.repeat(400)));
    const filled = fill('x'.repeat(1_000_000));
    assert.ok('problem' in filled);
    assert.match(english(filled.problem.message), /more than 400000 characters/);
  });
});

describe('a path that no system opens', () => {
  it('is compared with the workspace by its letters alone', () => {
    let looks = 0;
    const real = (path: string) => {
      looks++;
      return path;
    };
    const mention = new WorkspaceMention(['/w'], { real, platform: 'linux' });
    const before = looks;
    assert.equal(mention.leadsInto('/a'.repeat(100_000), undefined), false);
    assert.equal(mention.leadsInto(`${'/a/..'.repeat(50_000)}/w/x`, undefined), true);
    assert.equal(looks, before);
  });
});
