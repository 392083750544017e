import assert from 'node:assert/strict';
import { phrase } from '../../../../../src/base/phrase';
import { type Finding, unsilenced } from '../../../../../src/features/lint/core/lint';

describe('silenced findings', () => {
  const finding = (rule: Finding['rule'], where: string): Finding => ({
    rule,
    where,
    severity: 'hint',
    message: phrase('Something.'),
  });
  const all = [finding('alike', 'tools/a'), finding('alike', 'tools/b'), finding('missing-title', 'tools')];
  const left = (silenced: Record<string, string>) =>
    unsilenced(all, silenced).map(({ rule, where }) => `${rule} ${where}`);

  it('are left out by rule, or by rule and place', () => {
    assert.deepEqual(left({ alike: 'We like that.' }), ['missing-title tools']);
    assert.deepEqual(left({ 'alike tools/b': 'It is an alias.' }), ['alike tools/a', 'missing-title tools']);
  });

  it('are none without a rule that is known, nor by names that objects have', () => {
    assert.equal(left({}).length, 3);
    assert.equal(left({ nonsense: 'x', 'alike tools': 'x' }).length, 3);
    assert.equal(unsilenced([finding('alike', '')], {}).length, 1);
  });
});
