import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import {
  CALL_TOOL,
  nameTools,
  SEARCH_TOOLS,
  toolMatcher,
  toolName,
} from '../../../../../src/features/languageModel/core/toolNames';

const tool = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });
const of = (serverId: string, ...names: string[]) =>
  names.map(name => ({ serverId, serverName: serverId, tool: tool(name) }));
const namesOf = (...tools: ReturnType<typeof of>[]) => nameTools(tools.flat()).map(({ name }) => name);

const awkward = ['', ' ', '.', '日本', '🗣', 'a'.repeat(500), '__proto__', 'x y', 'x.y', 'x_y', 'x/y', '3d', '-', '_'];

describe('names of tools for models', () => {
  it('are server__tool where that is valid @toolNames.server-tool-valid', () => {
    assert.deepEqual(namesOf(of('notes', 'search', 'get-note', 'get_note2')), [
      'notes__search',
      'notes__get-note',
      'notes__get_note2',
    ]);
  });

  it('are valid for every provider and distinct, whatever servers and tools are called @toolNames.valid-provider-distinct', () => {
    const servers = [...awkward, 'a__b', 'a', 'a_'];
    const tools = [...awkward, 'b__c', 'c', '_b', 'search_tools'];
    const names = namesOf(...servers.map(server => of(server, ...tools)));
    assert.equal(new Set(names).size, servers.length * tools.length);
    for (const name of [...names, SEARCH_TOOLS, CALL_TOOL]) assert.match(name, /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
    assert.ok(!names.includes(SEARCH_TOOLS) && !names.includes(CALL_TOOL));
  });

  it('keep what is legible of a changed or long name', () => {
    assert.match(toolName('My Server', 'files.read'), /^My_Server__files_read__[0-9a-z]{10}$/);
    const long = toolName('a-server-with-a-very-long-name', 'a_tool_with_a_name_that_is_far_too_long_for_any_provider');
    assert.match(long, /^a-server-with-a-very__a_tool_with_a_name_that_is_far__\w{10}$/);
  });

  it('do not depend on other tools @toolNames.depend-tools', () => {
    const many = of('s', ...Array.from({ length: 300 }, (_, i) => `tool ${i}`));
    const names = new Map(nameTools(many).map(({ name, tool: { name: own } }) => [own, name]));
    for (const one of many) assert.deepEqual(namesOf([one]), [names.get(one.tool.name)]);
    assert.deepEqual(namesOf([...many].reverse()).reverse(), [...names.values()]);
  });

  it('distinguish 300 tools of one name on 300 servers', () => {
    const servers = Array.from({ length: 300 }, (_, i) => of(`server ${i}`, 'same'));
    assert.equal(new Set(namesOf(...servers)).size, 300);
  });

  it('name a tool that its server lists twice once', () => {
    assert.deepEqual(namesOf(of('s', ...Array.from({ length: 300 }, () => 'same'))), ['s__same']);
  });

  it('cannot be taken over by a tool whose name contains a hash', () => {
    const [taken] = namesOf(of('s', 'a b'));
    const names = namesOf(of('s', 'a b', taken!.slice('s__'.length)));
    assert.equal(names[0], taken);
    assert.notEqual(names[1], taken);
  });
});

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
