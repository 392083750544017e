import assert from 'node:assert/strict';
import { matches, toolMatcher } from '../../../../../src/features/chat/core/toolGlobs';

describe('patterns of tools', () => {
  it('name a tool, or all tools of a server', () => {
    const is = toolMatcher(['github/create_*', 'notes', 'jira-*']);
    assert.ok(is('github', 'create_issue') && is('notes', 'add') && is('jira-cloud', 'x'));
    assert.ok(!is('github', 'delete') && !is('notes2', 'add') && !is('create_issue', 'github'));
    assert.ok(toolMatcher(['*'])('any', 'any'));
    assert.ok(!toolMatcher([])('any', 'any'));
  });

  it('know no other wildcard, and take a settings file as it is', () => {
    assert.ok(!toolMatcher(['.*', 'a?', '[ab]', '(a|b)'])('a', 'b'));
    assert.ok(toolMatcher(['a.b/c(d)'])('a.b', 'c(d)'));
    assert.ok(!toolMatcher(['', null, 5, {}, ['a']])('a', 'b'));
  });

  it('are compared in linear time, however many stars they have', () => {
    const long = 'a'.repeat(20_000);
    assert.equal(matches(`${'a*'.repeat(200)}b`, long), false);
    assert.equal(matches('*'.repeat(20_000), long), true);
    assert.ok(matches('**', '') && !matches('', 'a') && matches('', ''));
    assert.ok(matches('a*b*c', 'a-b-b-c') && !matches('a*b*c', 'a-c-b'));
  });
});
