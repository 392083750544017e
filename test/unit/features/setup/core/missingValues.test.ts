import assert from 'node:assert/strict';
import { askForMissing } from '../../../../../src/features/setup/core/missingValues';

describe('values that a README leaves open', () => {
  const asked = (entry: object, env: string[] = []) => {
    const draft = { name: 's', entry: { ...entry }, inputs: [], values: new Map(), notes: [] };
    const filled = askForMissing(draft, name => env.includes(name));
    return [filled.entry, filled.inputs.map(({ id, password }) => `${id}${password ? ' masked' : ''}`)];
  };

  it('become inputs: placeholders, empty secrets, variables that the editor lacks', () => {
    assert.deepEqual(
      asked(
        {
          command: 'docker',
          args: ['run', '-e', 'GIVEN', '-e', 'LACKING', '--key=<your key>', '--dir', '/path/to/dir', 'mcp/x'],
          env: { A_TOKEN: 'YOUR_TOKEN', B_KEY: '', MODE: '', C: '${env:HERE}', D: 'x ${env:GONE}', E: 'sk-...' },
        },
        ['HERE', 'GIVEN'],
      ),
      [
        {
          command: 'docker',
          args: ['run', '-e', 'GIVEN', '-e', 'LACKING', '--key=${input:s-key}', '--dir', '${input:s-dir}', 'mcp/x'],
          env: {
            A_TOKEN: '${input:s-A_TOKEN}',
            B_KEY: '${input:s-B_KEY}',
            MODE: '',
            C: '${env:HERE}',
            D: 'x ${input:s-GONE}',
            E: '${input:s-E}',
            LACKING: '${input:s-LACKING}',
          },
        },
        ['s-LACKING', 's-key masked', 's-dir', 's-A_TOKEN masked', 's-B_KEY masked', 's-GONE', 's-E'],
      ],
    );
    assert.deepEqual(asked({ url: 'https://x.example/mcp', headers: { Authorization: 'Bearer <token>' } }), [
      { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${input:s-Authorization}' } },
      ['s-Authorization masked'],
    ]);
    assert.deepEqual(asked({ command: 'x', args: ['/Users/username/Desktop'] })[1], ['s-argument']);
  });

  it('exclude real values: a path, a version, a variable, an escaped one', () => {
    const entry = {
      command: 'npx',
      args: ['-y', '@my-scope/pkg@1.0', '/home/ada/notes', '$${env:GONE}', '--yourself', 'xxx', 'my-notes', '1...2'],
      env: { URL: 'https://x.example/your-key', NAME: '${input:known}', PATHS: '/opt/path/to/x' },
    };
    assert.deepEqual(asked(entry), [entry, []]);
  });

  it('are found in bounded time', () => {
    for (const part of ['<a', '[your', 'your_', 'x', '/path/to', '${env:', '.'])
      assert.ok(asked({ command: 'x', args: Array.from({ length: 2_000 }, () => part.repeat(1_000 / part.length)) }));
  });
});
