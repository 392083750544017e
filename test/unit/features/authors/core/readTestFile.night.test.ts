import assert from 'node:assert/strict';
import { readEvalFile } from '../../../../../src/features/authors/core/readEvalFile';
import { MAX_TEST_FILE, readTestFile } from '../../../../../src/features/authors/core/readTestFile';

const problemsIn = (text: string, name = 'a.mcptest.yaml') => readTestFile(text, name).problems;

describe('reading a test file of any shape', () => {
  it('takes work in proportion to the text, whatever is in it @readTestFile.takes-work-proportion', () => {
    const whole = MAX_TEST_FILE;
    const many = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n));
    const shapes: Record<string, string> = {
      'keys that are unknown': many(20_000, n => `key${n}:`).join('\n'),
      'keys of a server': `server:\n${many(20_000, n => `  key${n}: 1`).join('\n')}\ntests: []`,
      'keys without end': many(4 * (whole / 8), n => `k${n}:`).join('\n'),
      'keys twice': many(20_000, n => `key${n % 10_000}:`).join('\n'),
      'names with aliases': many(10_000, n => `- &a${n} x\n- *a${n}`).join('\n'),
      'aliases in lists': `- &a x\n- &b [${many(20_000, () => '*a').join()}]\n- *b`,
      'an ordered map': `--- !!omap\n${many(20_000, n => `- k${n}: 1`).join('\n')}`,
      'a flow of keys': `{ ${many(20_000, n => `k${n}: 1`).join()} }`,
      brackets: '['.repeat(whole),
      'tests of one kind': `server: x\ntests:\n${many(9_000, () => '- { name: a, steps: [{ list: tools }] }').join('\n')}`,
      'steps that are wrong': `server: x\ntests: [{ name: a, steps: [${many(20_000, () => '1').join()}] }]`,
      'wrong types': `server: x\ntests: [${many(20_000, () => '1').join()}]`,
      spaces: `a: "${' '.repeat(whole)}`,
      'empty lines': '\n'.repeat(whole),
      comments: '#\n'.repeat(whole / 2),
    };
    for (const [what, text] of Object.entries(shapes)) {
      const problems = problemsIn(text);
      assert.ok(problems.length > 0 && problems.length <= 50, `${what}: ${problems.length}`);
    }
    const json = {
      'keys that are unknown': `{${many(20_000, n => `"key${n}": 1`).join(',\n')}}`,
      'one key': `{${many(20_000, () => '"server": "x"').join(',\n')}}`,
      'steps on lines': `{"server": "x", "tests": [{"name": "a", "steps": [\n${many(20_000, () => '1').join(',\n')}]}]}`,
    };
    for (const [what, text] of Object.entries(json)) {
      const problems = problemsIn(text, 'a.mcptest.json');
      assert.ok(problems.length > 0 && problems.length <= 50, `${what}: ${problems.length}`);
      assert.ok(readEvalFile(text, 'a.mcpeval.json').problems.length <= 50, what);
    }
  });
});
