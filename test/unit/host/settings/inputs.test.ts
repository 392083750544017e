import assert from 'node:assert/strict';
import { english } from '../../../../src/base/phrase';
import { resolveDefinitions } from '../../../../src/host';
import { launchFingerprint } from '../../../../src/host/launch/launchFingerprint';
import { fillInputs, parseInputs, type ServerEntry } from '../../../../src/host/settings';
import { type InputDefinition, MAX_INPUT } from '../../../../src/host/settings/inputs';
import { readManifestTexts } from '../../../generate/run';
import { inputsSchema } from '../../../generate/settingSchemas';

const TOKEN = { type: 'promptString', id: 'token', description: 'Access token', password: true };
const REGION = { type: 'pickString', id: 'region', options: ['eu', { label: 'America', value: 'us' }], default: 'eu' };
const COMMAND = { type: 'command', id: 'made', command: 'some.command', args: { a: 1 } };

/** The definition of one server of the user's settings. */
function define(server: object, inputs: unknown = [TOKEN, REGION], env: Record<string, string> = {}) {
  const variables = { workspaceFolders: {}, userHome: '/', env: (name: string) => env[name], config: () => undefined };
  const configured = { source: { scope: 'user' } as const, value: { a: server }, inputs, variables };
  const { definitions, problems } = resolveDefinitions([configured]);
  return { definition: definitions[0]!, problems: problems[0]!.problems };
}

/** What would be launched with these values. */
function launched(server: object, values: Record<string, string>, env: Record<string, string> = {}) {
  const { definition } = define(server, undefined, env);
  return fillInputs(definition.entry!, definition.inputs!, new Map(Object.entries(values)));
}

describe('mcpHost.inputs', () => {
  it('supports the three types of mcp.json', () => {
    const { inputs, problems } = parseInputs([TOKEN, REGION, COMMAND]);
    assert.deepEqual(problems, []);
    assert.deepEqual([...inputs.keys()], ['token', 'region', 'made']);
    assert.equal((inputs.get('token') as { password: boolean }).password, true);
    assert.equal(parseInputs(undefined).inputs.size, 0);
  });

  const wrong: [value: unknown, path: (string | number)[], message: RegExp][] = [
    [{}, [], /must be a list of inputs, but it is an object/],
    [['x'], [0], /An input must be an object/],
    [[{ type: 'promptString' }], [0, 'id'], /"id" is invalid/],
    [[{ ...TOKEN, id: 'a b' }], [0, 'id'], /without spaces/],
    [[{ ...TOKEN, type: 'magic' }], [0, 'type'], /"promptString", "pickString" or "command"/],
    [[{ ...TOKEN, password: 'yes' }], [0, 'password'], /true or false/],
    [[{ ...REGION, options: [] }], [0, 'options'], /at least one string/],
    [[TOKEN, TOKEN], [1, 'id'], /another input with the ID "token"/],
  ];
  for (const [value, path, message] of wrong) {
    it(`reports ${JSON.stringify(value).slice(0, 60)}, and keeps the others`, () => {
      const list = Array.isArray(value) ? [...value, REGION] : value;
      const { inputs, problems } = parseInputs(list);
      assert.equal(inputs.has('region'), Array.isArray(value));
      assert.deepEqual(
        problems.map(problem => [problem.severity, problem.setting, problem.path]),
        [['error', 'inputs', path]],
      );
      assert.match(english(problems[0]!.message), message);
    });
  }

  it('with arguments nested too deeply are reported, without affecting others @inputs.arguments-nested-too', () => {
    let args: unknown = 'deep';
    for (let n = 0; n < 600; n++) args = [args];
    const { inputs, problems } = parseInputs([{ ...COMMAND, args }, TOKEN]);
    assert.deepEqual([...inputs.keys()], ['token']);
    assert.deepEqual(
      problems.map(({ path, message }) => [path, english(message)]),
      [[[0], 'This entry cannot be read: it is nested deeper than 100 levels. Simplify or remove it.']],
    );
    const { definition } = define({ command: 'x', env: { A: '${input:token}' } }, [{ ...COMMAND, args }, TOKEN]);
    assert.ok(definition.entry, 'the server of another input can be started');
  });

  it('have a JSON schema that explains every field', () => {
    const { items } = JSON.parse(JSON.stringify(inputsSchema(readManifestTexts()))) as {
      items: { oneOf: { properties: Record<string, { description?: string; const?: string }> }[] };
    };
    assert.deepEqual(
      items.oneOf.map(({ properties }) => properties.type!.const),
      ['promptString', 'pickString', 'command'],
    );
    for (const { properties } of items.oneOf)
      for (const [name, { description }] of Object.entries(properties))
        if (name !== 'type') assert.ok(description, name);
  });
});

describe('${input:id}', () => {
  it('stays in a definition, which lists the inputs it needs', () => {
    const { definition, problems } = define({ command: 'x', env: { TOKEN: '${input:token}' } });
    assert.deepEqual(problems, []);
    assert.ok(definition.entry?.type === 'stdio');
    assert.deepEqual(definition.entry.env, { TOKEN: '${input:token}' });
    assert.deepEqual(
      definition.inputs?.definitions.map(({ id }) => id),
      ['token'],
    );
    assert.equal(define({ command: 'x' }).definition.inputs, undefined);
  });

  it('is filled in everywhere in a program entry', () => {
    const v = '${input:token}';
    const filled = launched({ command: v, args: ['a', `${v}-${v}`], env: { A: v, B: null }, cwd: v }, { token: 'T' });
    assert.ok('entry' in filled && filled.entry.type === 'stdio');
    const { command, args, env, cwd } = filled.entry;
    assert.deepEqual(
      { command, args, env, cwd },
      { command: 'T', args: ['a', 'T-T'], env: { A: 'T', B: null }, cwd: 'T' },
    );
  });

  it('is filled in in url and headers of a remote server', () => {
    const server = {
      url: 'https://${input:region}.example.com/mcp',
      headers: { Authorization: 'Bearer ${input:token}' },
    };
    const filled = launched(server, { region: 'eu', token: 'T' });
    assert.ok('entry' in filled && filled.entry.type === 'http');
    assert.equal(filled.entry.url, 'https://eu.example.com/mcp');
    assert.deepEqual(filled.entry.headers, { Authorization: 'Bearer T' });
  });

  it('is filled in once: values, other variables and escaped text never become inputs', () => {
    const args = ['${env:TRICK} ${input:token} $${input:token} ${env:TRICK}${input:region}', '${env:HALF}ut:token}'];
    const filled = launched(
      { command: 'x', args },
      { token: '${input:region} $& $1', region: 'eu' },
      { TRICK: '${input:token}', HALF: '${inp' },
    );
    assert.ok('entry' in filled && filled.entry.type === 'stdio');
    assert.deepEqual(filled.entry.args, [
      '${input:token} ${input:region} $& $1 ${input:token} ${input:token}eu',
      '${input:token}',
    ]);
  });

  it('with an invalid value is a problem that names its id, not its value', () => {
    const filled = launched(
      { url: 'https://x/${input:region}', headers: { A: '${input:token}' } },
      { region: 'eu', token: 'a\nsecret' },
    );
    assert.ok('problem' in filled);
    assert.equal(filled.problem.id, 'token');
    assert.match(english(filled.problem.message), /line break/);
    assert.ok(!english(filled.problem.message).includes('secret'));
  });

  it('undefined in the same file is an error at its place', () => {
    const { definition, problems } = define({ command: 'x', env: { A: '${input:none}' } });
    assert.equal(definition.entry, undefined);
    assert.deepEqual(
      problems.map(({ severity, path }) => [severity, ...path]),
      [['error', 'a', 'env', 'A']],
    );
    const variables = { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined };
    const { definitions } = resolveDefinitions([
      { source: { scope: 'user' }, value: { u: { command: 'x' } }, inputs: [TOKEN], variables },
      { source: { scope: 'workspace' }, value: { w: { command: '${input:token}' } }, variables },
    ]);
    assert.equal(
      definitions.find(({ id }) => id === 'w')!.entry,
      undefined,
      'a repository gets at what the user entered',
    );
  });

  it('affects the fingerprint by its definition, never by its value', () => {
    const server = { command: 'x', env: { A: '${input:token}' } };
    const print = (inputs: unknown) => define(server, inputs).definition.fingerprint;
    assert.equal(print([TOKEN]), print([TOKEN, REGION]));
    assert.notEqual(print([TOKEN]), print([{ ...COMMAND, id: 'token' }]));
  });

  it('with more than a person can review are ignored, and leave the others', () => {
    const long = { ...COMMAND, args: ['x'.repeat(MAX_INPUT)] };
    const { inputs, problems } = parseInputs([long, TOKEN]);
    assert.deepEqual([...inputs.keys()], ['token']);
    assert.deepEqual(
      problems.map(({ path, message }) => [path, english(message)]),
      [[[0], 'This input has more than 20000 characters, so it is ignored. Shorten it.']],
    );
  });

  it('nested as deeply as can be compared never make the list fail', () => {
    for (let depth = 490; depth < 510; depth++) {
      const args = JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
      const { inputs } = parseInputs([{ ...COMMAND, args }, TOKEN]);
      assert.ok(inputs.has('token'), String(depth));
    }
  });

  it('are part of what each server launches that names them, in their order, and are read once', () => {
    let reads = 0;
    const args = {
      get a() {
        reads++;
        return 1;
      },
    };
    const value = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `s${index}`,
        { command: 'x', args: ['${input:made} ${input:token}'] },
      ]),
    );
    const variables = { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined };
    const inputs = [TOKEN, { ...COMMAND, args }];
    const { definitions } = resolveDefinitions([{ source: { scope: 'workspace' }, value, inputs, variables }]);
    assert.equal(definitions.length, 100);
    assert.ok(reads > 0 && reads < 10, `one for each server: ${reads}`);
    const [{ reviewed, inputs: used } = assert.fail()] = definitions;
    const ids = used!.definitions.map(({ id }) => id);
    assert.deepEqual(ids, ['token', 'made']);
    const print = (of: InputDefinition[]) => launchFingerprint(reviewed!, of, 'x');
    const same = print(structuredClone([...used!.definitions]));
    assert.equal(print([...used!.definitions]), same, 'what was allowed before is asked about again');
  });

  it('takes linear time', () => {
    // What went through it again for each input would take hours.
    const places = Array.from({ length: 200_000 }, (_, index) => ({ id: 'token', path: ['args', 0], index }));
    const entry = { ...define({ command: 'x' }).definition.entry!, args: ['${input:token}'.repeat(200_000)] };
    const filled = fillInputs(entry as ServerEntry, { definitions: [], places }, new Map([['token', 'T']]));
    assert.ok('entry' in filled);
  });
});
