import assert from 'node:assert/strict';
import { ApprovalPolicy, deniedToo, type StoredApprovals } from '../../../../../src/features/trust/core/approvals';
import { Consents, type StoredConsents } from '../../../../../src/features/trust/core/consent';
import type { ProgramStore } from '../../../../../src/host/definition';
import { launchFields } from '../../../../../src/host/launch';

const user = (name: string) => ({ id: name, name, source: { scope: 'user' as const } });
const ofFolder = (name: string) => ({
  id: `${name}@alpha`,
  name,
  source: { scope: 'workspaceFolder' as const, folder: { name: 'alpha', path: '/alpha' } },
});
const key = (...parts: string[]) => JSON.stringify(parts);

/** Both scopes of a store, which hold what they are given. */
function storeOf<T>(workspace: T, user: T) {
  const kept = { workspace, user };
  return {
    kept,
    get: (scope: 'workspace' | 'user') => kept[scope],
    set: async (scope: 'workspace' | 'user', value: T) => {
      kept[scope] = value;
    },
  };
}

const policyOn = (store: ProgramStore) => new ApprovalPolicy(store, () => ({ skipReadOnly: false, deny: [] }));

describe('answers for a renamed server', () => {
  it('apply to exactly the same launch under its new name, and stay under the old one', async () => {
    const consent = { denied: { fingerprint: 'f', at: 1 } };
    const store = storeOf<Partial<StoredConsents>>({ salt: 's', servers: { old: consent, other: {} } }, {});
    await new Consents(store, launchFields).copy('old', 'new');
    assert.deepEqual(store.kept.workspace, { salt: 's', servers: { old: consent, other: {}, new: consent } });
    assert.deepEqual(store.kept.user, {});
  });

  it('do not replace earlier answers for the new name', async () => {
    const [mine, theirs] = [{ denied: { fingerprint: 'f', at: 1 } }, { denied: { fingerprint: 'g', at: 2 } }];
    const store = storeOf<Partial<StoredConsents>>({ salt: 's', servers: { old: mine, new: theirs } }, {});
    await new Consents(store, launchFields).copy('old', 'new');
    assert.equal(store.kept.workspace.servers?.new, theirs);
    const rules = storeOf<StoredApprovals>({}, { [key('old', 't')]: 'ask', [key('new', 't')]: 'deny' });
    await policyOn(rules).copy(user('old'), user('new'));
    assert.equal(rules.kept.user[key('new', 't')], 'deny');
  });

  it('include every answer about its tools, bound as before, and none of another server', async () => {
    const allowed = key('old', 'read', 'hash', 'launch', 'user');
    const store = storeOf<StoredApprovals>(
      { [key('old', 'read')]: 'ask' },
      { [allowed]: 'allow', [key('older', 'read')]: 'deny', 'not ours': 'deny' },
    );
    await policyOn(store).copy(user('old'), user('new'));
    assert.deepEqual(store.kept.workspace, { [key('new', 'read')]: 'ask', [key('old', 'read')]: 'ask' });
    assert.deepEqual(Object.keys(store.kept.user).sort(), [
      ...[key('new', 'read', 'hash', 'launch', 'user'), allowed, key('older', 'read'), 'not ours'].sort(),
    ]);
  });

  it('of a workspace folder include denials of its bare name, and nothing else of that', async () => {
    const store = storeOf<StoredApprovals>(
      { [key('old@alpha', 'a')]: 'ask' },
      { [key('old', 'a')]: 'deny', [key('old', 'b')]: 'ask' },
    );
    await policyOn(store).copy(ofFolder('old'), ofFolder('new'));
    assert.equal(store.kept.workspace[key('new@alpha', 'a')], 'ask');
    assert.equal(store.kept.user[key('new', 'a')], 'deny');
    assert.equal(store.kept.user[key('new', 'b')], undefined);
  });

  it('include its deny list entries, unless those match the new name already', () => {
    const deny = ['old/x', 'ol*/delete_*', '*/drop', 'other/x', 'new/x', 'nothing'];
    assert.deepEqual(deniedToo(deny, user('old'), user('new')), ['new/delete_*']);
    assert.deepEqual(deniedToo(['old@alpha/x'], ofFolder('old'), ofFolder('new')), ['new/x']);
    assert.deepEqual(deniedToo(['old*/x'], user('old'), user('older')), []);
  });
});
