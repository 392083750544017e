import assert from 'node:assert/strict';
import { placementOf, planAddition, sameServer } from '../../../../../src/features/setup/core/planAddition';
import { secretsToInputs } from '../../../../../src/features/setup/core/secretsToInputs';
import { draft } from './drafts';

const TOKEN = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

const prompt = (id: string, description = id) => ({ type: 'promptString', id, description, password: true });

const nothing = { servers: {}, inputs: [] };

describe('planAddition', () => {
  it('places a server under its name, another when that is taken, or nowhere when it exists', () => {
    const one = draft('a', { command: 'npx', args: ['x'] });
    assert.deepEqual(placementOf(one, nothing), { kind: 'new', name: 'a' });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'other' } } }), { kind: 'renamed', name: 'a-2' });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'o' }, 'a-2': { command: 'p' } } }), {
      kind: 'renamed',
      name: 'a-3',
    });
    assert.deepEqual(placementOf(one, { servers: { a: { type: 'stdio', ...one.entry, enabled: false } } }), {
      kind: 'there',
      name: 'a',
    });
    assert.deepEqual(placementOf(one, { servers: { a: { command: 'o' }, 'a-2': one.entry } }), {
      kind: 'there',
      name: 'a-2',
    });
    const asks = (id: string) => ({ command: 'x', args: [`\${input:${id}}`] });
    assert.ok(sameServer(draft('a', asks('a')), { entry: asks('b') }));
    assert.ok(!sameServer(draft('a', { command: 'x', args: ['a'] }), { entry: { command: 'x' } }));
  });

  it('treats a draft with another value as another server', () => {
    const of = (value: string) => secretsToInputs(draft('gh', { command: 'x', env: { API_TOKEN: value } }));
    const [old, rotated] = [of(TOKEN), of(`${TOKEN}9`)];
    const { servers, values } = planAddition([old], nothing);
    assert.deepEqual(placementOf(old, { servers, values }), { kind: 'there', name: 'gh' });
    assert.deepEqual(placementOf(rotated, { servers, values }), { kind: 'renamed', name: 'gh-2' });
    // Nobody has entered it yet.
    assert.deepEqual(placementOf(old, { servers }), { kind: 'renamed', name: 'gh-2' });
    // In plain text.
    const plain = { gh: { command: 'x', env: { API_TOKEN: TOKEN } } };
    assert.deepEqual(placementOf(old, { servers: plain }), { kind: 'there', name: 'gh' });
    // A draft that asks for it brings none.
    const asking = draft('gh', { command: 'x', env: { API_TOKEN: '${input:t}' } }, [prompt('t')]);
    assert.deepEqual(placementOf(asking, { servers, values }), { kind: 'there', name: 'gh' });
  });

  it('distinguishes the same server with another secret', () => {
    const of = (value: string) => secretsToInputs(draft('gh', { command: 'x', env: { API_TOKEN: value } }));
    const addition = planAddition([of(TOKEN), of(`${TOKEN}9`), of(TOKEN), of(`${TOKEN}9`)], nothing);
    assert.deepEqual(Object.keys(addition.servers), ['gh', 'gh-2']);
    assert.deepEqual([...addition.values.values()], [TOKEN, `${TOKEN}9`]);
  });

  it('renames inputs whose id is taken, and shares equal ones', () => {
    const entry = { command: 'x', env: { A: '${input:token}', B: '${input:region}' } };
    const addition = planAddition([draft('a', entry, [prompt('token'), prompt('region')])], {
      servers: {},
      inputs: [prompt('token', 'of another'), prompt('region')],
    });
    assert.deepEqual(addition.servers.a, { command: 'x', env: { A: '${input:token-2}', B: '${input:region}' } });
    assert.deepEqual(addition.inputs, [{ ...prompt('token'), id: 'token-2' }]);
  });

  it('drops inputs that its entry no longer uses, because they were not reviewed', () => {
    const command = { id: 'made', type: 'command', command: 'evil.run' };
    const addition = planAddition(
      [draft('a', { command: 'x', args: ['${input:token}'] }, [prompt('token'), command])],
      nothing,
    );
    assert.deepEqual(addition.inputs, [prompt('token')]);
  });

  it('never mixes the secrets of two servers', () => {
    const of = (command: string, value: string) => secretsToInputs(draft('s', { command, env: { API_TOKEN: value } }));
    const addition = planAddition([of('one', TOKEN), of('two', `${TOKEN}9`)], nothing);
    assert.deepEqual(Object.keys(addition.servers), ['s', 's-2']);
    assert.deepEqual(
      [...addition.values],
      [
        ['s-API_TOKEN', TOKEN],
        ['s-API_TOKEN-2', `${TOKEN}9`],
      ],
    );
    assert.deepEqual(addition.servers['s-2']!.env, { API_TOKEN: '${input:s-API_TOKEN-2}' });
  });

  it('writes the same server only once', () => {
    const one = draft('a', { command: 'x' });
    assert.deepEqual(Object.keys(planAddition([one, one], nothing).servers), ['a']);
  });
});
