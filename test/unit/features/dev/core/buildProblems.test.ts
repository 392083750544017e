import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { BuildProblems } from '../../../../../src/features/dev/core/buildProblems';

const folder = resolve('/project');
function found(output: string) {
  const problems = new BuildProblems(folder);
  for (const line of output.split('\n')) problems.add(line);
  return problems.list.map(({ file, line, column, isError, message, source }) =>
    [file.slice(folder.length + 1), line, column, isError ? 'error' : 'warning', message, source].join(' | '),
  );
}

describe('the problems in the output of a build', () => {
  it('are found in that of tsc, in both of its forms, once', () => {
    const said = [
      "src/server.ts | 12 | 5 | error | Type 'string' is not assignable to type 'number'. | tsc TS2322",
      "my folder/other.ts | 1 | 1 | error | ';' expected. | tsc TS1005",
    ];
    const files =
      "src/server.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.\n  more on it\nmy folder/other.ts(1,1): error TS1005: ';' expected.";
    assert.deepEqual(found(`${files}\n${files}`), said);
    assert.deepEqual(
      found(
        "src/server.ts:12:5 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n12   a = 'b';\n     ~\n\nmy folder/other.ts:1:1 - error TS1005: ';' expected.\n\nFound 2 errors in 2 files.",
      ),
      said,
    );
  });

  it('are found in that of ESLint', () => {
    assert.deepEqual(
      found(
        `\n${folder}/a.ts\n  1:10  error    'x' is defined but never used  @typescript-eslint/no-unused-vars\n  22:1  warning  Unexpected console statement   no-console\n\n${folder}/b.js\n  3:1  error  Parsing error: Unexpected token\n\n✖ 3 problems (2 errors, 1 warning)`,
      ),
      [
        "a.ts | 1 | 10 | error | 'x' is defined but never used | eslint @typescript-eslint/no-unused-vars",
        'a.ts | 22 | 1 | warning | Unexpected console statement | eslint no-console',
        'b.js | 3 | 1 | error | Parsing error: Unexpected token | eslint',
      ],
    );
    assert.deepEqual(found(`${folder}/a.js: line 4, col 2, Error - Unexpected var. (no-var)`), [
      'a.js | 4 | 2 | error | Unexpected var. | eslint no-var',
    ]);
  });

  it('are found in that of Python, at the innermost place of a traceback', () => {
    assert.deepEqual(found('  File "server.py", line 3\n    def a(:\n          ^\nSyntaxError: invalid syntax'), [
      'server.py | 3 | 1 | error | invalid syntax | python SyntaxError',
    ]);
    assert.deepEqual(
      found(
        'Traceback (most recent call last):\n  File "build.py", line 1, in <module>\n    import tools\n  File "tools.py", line 9, in <module>\n    1 / 0\nZeroDivisionError: division by zero',
      ),
      ['tools.py | 9 | 1 | error | division by zero | python ZeroDivisionError'],
    );
    assert.deepEqual(
      found(
        'a.py:12: error: Incompatible types  [assignment]\na.py:1:8: F401 `os` imported but unused\n  src/a.py:2:5 - warning: Import "x" could not be resolved (reportMissingImports)',
      ),
      [
        'a.py | 12 | 1 | error | Incompatible types  [assignment] | python',
        'a.py | 1 | 8 | error | `os` imported but unused | python F401',
        'src/a.py | 2 | 5 | warning | Import "x" could not be resolved (reportMissingImports) | python',
      ],
    );
  });

  it('are none in anything else, and 200 at most', () => {
    assert.deepEqual(
      found('> build\n> tsc\n\nadded 3 packages in 2s\nError: nothing\nsrc/a.ts\n  3 passed\nhttp://a:1:2'),
      [],
    );
    const many = Array.from({ length: 1_000 }, (_, line) => `a.ts(${line + 1},1): error TS1: no`).join('\n');
    assert.equal(found(many).length, 200);
    assert.deepEqual(found(`a.ts(1,1): error TS1: ${'x'.repeat(3_000_000)}`), []);
  });
});
