import assert from 'node:assert/strict';
import { resolvedTo, scriptText } from '../../../../../src/features/chat/core/scriptText';
import type { ScriptProblem } from '../../../../../src/features/codeMode/core';

const failed = (problem: ScriptProblem, output = '') => scriptText({ output, problem });

describe('the text for a model about a finished script', () => {
  it("returns the script's output", () => {
    assert.equal(scriptText({ output: '42' }), '42');
    assert.equal(scriptText({ output: '' }), 'The script has ended. It printed nothing.');
  });

  it('names after a failure the error, line and remedy, with the output before it', () => {
    assert.equal(
      failed({ kind: 'thrown', message: 'TypeError: x', line: 3 }, 'so far'),
      'The tool failed: in line 3: TypeError: x\nCorrect the script, or catch what may fail. Calls that were made before that stay made.\nIt had printed:\nso far',
    );
    assert.match(failed({ kind: 'syntax', message: 'SyntaxError', line: 1 }), /no type annotations, no import/);
    assert.match(failed({ kind: 'time', message: 'too long' }), /loops must end.* stay made\.$/s);
    assert.match(
      failed({ kind: 'thrown', message: "ReferenceError: 'setTimeout' is not defined", line: 1 }),
      /has no setTimeout, only JavaScript itself/,
    );
    const stopped = { output: '', problem: { kind: 'stopped', message: 'The script was stopped.' } } as const;
    assert.match(
      scriptText(stopped, '3 of its calls were denied'),
      /stopped: 3 of its calls were denied\.\nDo not run it again/,
    );
  });
});

describe('the value of a call in a script', () => {
  it('is its structured content, of any type, or else its text, or the JSON in that', () => {
    const of = (structuredContent: unknown, ...texts: string[]) =>
      resolvedTo({ content: texts.map(text => ({ type: 'text', text })), structuredContent } as never);
    assert.deepEqual(
      [of({ a: 1 }), of([1], '[1]'), of('[1]', '[1]'), of(null, 'null'), of(undefined, '[1]'), of(undefined, 'a', 'b')],
      [{ a: 1 }, [1], '[1]', null, [1], 'a\nb'],
    );
  });
});
