import assert from 'node:assert/strict';
import { toolMatcher } from '../../../../../src/features/chat/core/toolNames';

describe('toolMatcher', () => {
  it('matches one tool, or all tools of a server', () => {
    const is = toolMatcher(['github/create_*', 'notes', 'jira-*']);
    assert.ok(is('github', 'create_issue') && is('notes', 'add') && is('jira-cloud', 'x'));
    assert.ok(!is('github', 'delete') && !is('notes2', 'add') && !is('create_issue', 'github'));
    assert.ok(toolMatcher(['*'])('any', 'any'));
    assert.ok(!toolMatcher([])('any', 'any'));
  });

  it('has no other wildcard, and accepts any settings file', () => {
    assert.ok(!toolMatcher(['.*', 'a?', '[ab]', '(a|b)'])('a', 'b'));
    assert.ok(toolMatcher(['a.b/c(d)'])('a.b', 'c(d)'));
    assert.ok(!toolMatcher(['', null, 5, {}, ['a']])('a', 'b'));
  });
});
