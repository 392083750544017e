import assert from 'node:assert/strict';
import { testOf } from '../conformance/provedTables';
import { faultsPage, readFaults, testArguments } from '../soak/faults';

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

  it('name existing tests, and make a page', () => {
    for (const { tests } of faults) tests?.forEach(testOf);
    assert.ok(faults.every(({ broken }) => faultsPage().includes(broken)));
  });

  it('are run by the ids at the end of titles', () => {
    const pattern = new RegExp(testArguments().at(-1)!);
    const [id] = faults[0]!.tests!;
    assert.match(`a server that dies of a call restarts @${id}`, pattern);
    for (const title of [`@${id} stands elsewhere`, `is another @${id}-2`, `is another @x${id}`, 'has no id'])
      assert.doesNotMatch(title, pattern);
  });
});
