import assert from 'node:assert/strict';
import { missingTests } from '../conformance/provedTables';
import { readFaults, testArguments } from '../soak/faults';

const faults = readFaults();

describe('the faults', () => {
  it('are forty or more, each once, with a test or the reason why there is none', () => {
    assert.ok(faults.length >= 40, `${faults.length} faults`);
    assert.equal(new Set(faults.map(({ broken }) => broken)).size, faults.length);
    for (const { broken, sees, returns, lost, tests, why } of faults) {
      if (tests) assert.ok(sees && returns && lost && tests.length > 0 && !why, broken);
      else assert.ok(why && why.length > 20, broken);
    }
  });

  it('name existing tests', () => {
    for (const { broken, tests } of faults) assert.deepEqual(missingTests(tests ?? []), [], broken);
  });

  it('are run by their titles, whatever stands in place of a variable', () => {
    const pattern = new RegExp(testArguments().at(-1)!);
    for (const title of [
      'a server over stdio that dies of a call: the call fails immediately, the row shows it, and the server restarts',
      'an answer over HTTP of 200 MB fails immediately with the reason',
    ])
      assert.match(title, pattern);
    assert.doesNotMatch('an answer over HTTP reuses connections', pattern);
  });
});
