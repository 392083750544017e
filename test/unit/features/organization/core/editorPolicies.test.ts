import assert from 'node:assert/strict';
import { editorPolicies, type ReadSetting } from '../../../../../src/features/organization/core/editorPolicies';

const DEFAULTS: Record<string, unknown> = { 'chat.mcp.access': 'all', 'chat.mcp.gallery.serviceUrl': '' };

/** What is read where a policy or a person has set something. */
const read = (policy: Record<string, unknown>, own: Record<string, unknown> = {}) =>
  editorPolicies(
    (name): ReadSetting => ({
      value: policy[name] ?? own[name] ?? DEFAULTS[name],
      byDefault: policy[name] ?? DEFAULTS[name],
    }),
  );

describe("the editor's policies", () => {
  it('are told from settings of the person, which count too', () => {
    assert.deepEqual(read({}), { access: 'all', isOwn: false });
    assert.deepEqual(read({ 'chat.mcp.access': 'none' }), { access: 'none', isOwn: false });
    assert.deepEqual(read({}, { 'chat.mcp.access': 'none' }), { access: 'none', isOwn: true });
    // A person who says the same does not make it their own.
    assert.deepEqual(read({ 'chat.mcp.access': 'registry' }, { 'chat.mcp.access': 'registry' }), {
      access: 'registry',
      isOwn: false,
    });
  });

  it('name lists and the registry', () => {
    const lists = { 'chat.mcp.allowedServers': [], 'chat.mcp.deniedServers': [{ serverName: 'a' }] };
    assert.deepEqual(read({ ...lists, 'chat.mcp.gallery.serviceUrl': 'https://registry.example' }), {
      access: 'all',
      isOwn: false,
      lists: { allowedMcpServers: [], deniedMcpServers: [{ serverName: 'a' }] },
      registry: 'https://registry.example',
    });
  });
});
