import assert from 'node:assert/strict';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { agentFiles } from '../../../../../src/features/setup/core/agentFiles';
import { agentRefusals, trustFileOf } from '../../../../../src/features/setup/core/agentTrust';

const files = agentFiles({ platform: 'linux', home: '/h', env: {}, folders: ['/w'] });
const fileOf = (agent: string) => files.find(file => file.agent === agent) ?? assert.fail(agent);
const refusals = (agent: string, text: object, trust?: object) =>
  agentRefusals({
    file: fileOf(agent),
    text: JSON.stringify(text),
    trust: trust && JSON.stringify(trust),
    folders: ['/w/project'],
  }).map(english);

describe('the trust of an agent', () => {
  const on = { security: { folderTrust: { enabled: true } } };

  it('names the folder in which Gemini CLI starts no servers', () => {
    for (const trust of [undefined, {}, { '/other': 'TRUST_FOLDER' }, { '/w/project': 'DO_NOT_TRUST' }]) {
      const [said, ...more] = refusals('Gemini CLI', on, trust);
      assert.match(said ?? '', /starts no servers in \/w\/project.*\/permissions/);
      assert.deepEqual(more, []);
    }
    assert.deepEqual(refusals('Gemini CLI', {}, { '/w/project': 'DO_NOT_TRUST' }).length, 1);
  });

  it('is silent where Gemini CLI trusts the folder, one above it, or all', () => {
    for (const trust of [{ '/w/project': 'TRUST_FOLDER' }, { '/w': 'TRUST_FOLDER' }, { '/w/other': 'TRUST_PARENT' }])
      assert.deepEqual(refusals('Gemini CLI', on, trust), []);
    assert.deepEqual(refusals('Gemini CLI', {}), []);
    const off = { security: { folderTrust: { enabled: false } } };
    assert.deepEqual(refusals('Gemini CLI', off, { '/w/project': 'DO_NOT_TRUST' }), []);
    assert.equal(trustFileOf(fileOf('Gemini CLI')), join('/h', '.gemini', 'trustedFolders.json'));
  });

  it('names the lists that leave the server out', () => {
    assert.match(refusals('Gemini CLI', { mcp: { excluded: ['mcp-host'] } }).join(), /"mcp.excluded".*off/);
    assert.match(refusals('Gemini CLI', { mcp: { allowed: ['x'] } }).join(), /"mcp.allowed".*Add "mcp-host"/);
    assert.deepEqual(refusals('Gemini CLI', { mcp: { allowed: ['mcp-host'], excluded: 'no list' } }), []);
  });

  it('says that Claude Code asks about the file of a folder; others have none, or broken files', () => {
    assert.match(refusals('.mcp.json', {}).join(), /Claude Code reads this file only in folders that it trusts/);
    assert.deepEqual(refusals('Cursor', {}), []);
    const broken = { file: fileOf('Gemini CLI'), text: '{ "mcp": [', trust: 'no', folders: ['/w'] };
    assert.deepEqual(agentRefusals(broken), []);
  });
});
