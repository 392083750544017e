import assert from 'node:assert/strict';
import { textOfLink } from '../../../../../src/features/setup/core/installLink';
import { meaningsOf } from '../../../../../src/features/setup/core/textMeanings';
import { lines, npx } from './meaningLines';

describe('links that install a server', () => {
  const config = { command: 'npx', args: ['-y', 'a&b'] };
  const json = encodeURIComponent(JSON.stringify(config));
  const base64 = encodeURIComponent(Buffer.from(JSON.stringify(config)).toString('base64'));
  const named = encodeURIComponent(JSON.stringify({ name: 'it', ...config }));
  const expected = `link it ${npx('-y', 'a&b')}`;
  for (const link of [
    `vscode:mcp/install?${named}`,
    `vscode-insiders:mcp/install?${named}`,
    `https://insiders.vscode.dev/redirect/mcp/install?name=it&config=${json}`,
    `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${named}`)}`,
    `cursor://anysphere.cursor-deeplink/mcp/install?name=it&config=${base64}`,
    `https://cursor.com/install-mcp?name=it&config=${base64}`,
    `lmstudio://add_mcp?name=it&config=${base64}`,
  ]) {
    it(link.slice(0, 50), () => assert.deepEqual(lines(link), [expected]));
  }

  it('import their inputs', () => {
    const link = `vscode:mcp/install?${encodeURIComponent(
      JSON.stringify({
        ...{ name: 'x', command: 'y', env: { KEY: '${input:key}' } },
        inputs: [{ type: 'promptString', id: 'key', password: true }],
      }),
    )}`;
    const [meaning] = meaningsOf(link);
    assert.ok(meaning && 'draft' in meaning);
    assert.deepEqual(meaning.draft.inputs, [{ type: 'promptString', id: 'key', password: true }]);
  });

  it('that are foreign, malformed or self-referential are ignored', () => {
    assert.deepEqual(lines('https://x.example/redirect?url=1'), ['url x {"url":"https://x.example/redirect?url=1"}']);
    assert.equal(
      meaningsOf('vscode:mcp/install?%7Bbroken').some(({ kind }) => kind === 'link'),
      false,
    );
    let link = 'https://x.example/redirect';
    for (let n = 0; n < 20; n++) link = `https://x.example/redirect?url=${encodeURIComponent(link)}`.slice(0, 5_000);
    assert.ok(meaningsOf(link).every(({ kind }) => kind === 'url'));
  });

  it('to this extension contain a text, or an entry as JSON or in base64', () => {
    const text = JSON.stringify({ servers: { it: config } });
    assert.equal(textOfLink('text=npx -y x&y=1'), 'npx -y x&y=1');
    for (const query of [
      `name=it&config=${JSON.stringify(config)}`,
      `config=${JSON.stringify(config)}&name=it`,
      `name=it&config=${decodeURIComponent(base64)}`,
    ])
      assert.equal(textOfLink(query), text, query);
    assert.equal(textOfLink('config=nonsense'), 'nonsense');
    assert.equal(textOfLink(''), '');
  });
});
