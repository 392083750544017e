import assert from 'node:assert/strict';
import { splitCommandLine } from '../../../../src/host/settings/entryTexts';

const cases: Record<string, string[]> = {
  npx: ['npx'],
  '  npx  ': ['npx'],
  'npx -y foo': ['npx', '-y', 'foo'],
  'npx\t-y\n foo': ['npx', '-y', 'foo'],
  'npx "a b" \'c d\' e"f g"h': ['npx', 'a b', 'c d', 'ef gh'],
  'npx "" x': ['npx', '', 'x'],
  'npx "say \\"hi\\""': ['npx', 'say "hi"'],
  'run a\\ b': ['run', 'a b'],
  'npx "unclosed': ['npx "unclosed'],
  '"/my tools/run"': ['/my tools/run'],
  "/o'neil's/run": ["/o'neil's/run"],
  "it's here": ["it's here"],
  '/usr/bin/node /srv/x.js': ['/usr/bin/node', '/srv/x.js'],
  '/usr/bin/node server.js': ['/usr/bin/node', 'server.js'],
  '/usr/bin/node -v': ['/usr/bin/node', '-v'],
  '/Applications/My App/bin/x': ['/Applications/My App/bin/x'],
  '"/Applications/My App/bin/x" -v': ['/Applications/My App/bin/x', '-v'],
  '${workspaceFolder}/my tools/run': ['${workspaceFolder}/my tools/run'],
  '${workspaceFolder:my folder}/run': ['${workspaceFolder:my folder}/run'],
  'node ${env:MY DIR}/x.js': ['node', '${env:MY DIR}/x.js'],
  'C:\\Program Files\\nodejs\\node.exe': ['C:\\Program Files\\nodejs\\node.exe'],
  'C:\\Program Files\\nodejs\\npx.cmd -y foo': ['C:\\Program Files\\nodejs\\npx.cmd', '-y', 'foo'],
  'node C:\\srv\\x.js': ['node', 'C:\\srv\\x.js'],
  '\\\\host\\share\\my tools\\run': ['\\\\host\\share\\my tools\\run'],
};

describe('splitting a command line', () => {
  for (const [line, words] of Object.entries(cases)) {
    it(`is ${words.length === 1 ? 'one word' : `${words.length} words`}: ${JSON.stringify(line)}`, () => {
      assert.deepEqual(splitCommandLine(line), words);
    });
  }

  it('takes linear time', () => {
    // What went through it again for each bracket or quote would take hours.
    splitCommandLine(`npx ${'${'.repeat(1_000_000)}`);
    splitCommandLine(`npx "${'\\"'.repeat(1_000_000)}`);
    splitCommandLine(`C:\\${' .ex'.repeat(1_000_000)}`);
  });
});
