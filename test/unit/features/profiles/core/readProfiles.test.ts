import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import {
  entryOf,
  findProfile,
  includesServer,
  includesTool,
  type Profile,
  readProfiles,
} from '../../../../../src/features/profiles/core/readProfiles';

const user = { scope: 'user' } as const;
const workspace = { scope: 'workspace' } as const;
const known = ['github', 'notes', 'jira-cloud'];

const read = (value: unknown, source: typeof user | typeof workspace = user, servers: readonly string[] = known) =>
  readProfiles([{ source, value }], servers);
const one = (entry: unknown): Profile => {
  const [profile] = read({ one: entry }).profiles;
  assert.ok(profile);
  return profile;
};
/** The problems, as `severity path: message`. */
const told = (value: unknown, servers?: readonly string[]) =>
  read(value, user, servers).problems.flatMap(({ problems }) =>
    problems.map(({ severity, path, message, setting }) => {
      assert.equal(setting, 'profiles');
      return `${severity} ${path.join('.')}: ${english(message)}`;
    }),
  );
const server = (name: string, id = name) => ({ id, name });

describe('profiles', () => {
  it('contain all tools of named servers, and single tools of others', () => {
    const profile = one({ servers: ['jira-*'], tools: ['github/get_*', 'github/*_issue'] });
    const has = (of: string, tool: string) => includesTool(profile, server(of), tool);
    assert.ok(has('jira-cloud', 'anything') && has('github', 'get_file') && has('github', 'close_issue'));
    assert.ok(!has('github', 'delete_file') && !has('notes', 'get_note') && !has('jira', 'x'));
    assert.ok(includesServer(profile, server('github')) && includesServer(profile, server('jira-x')));
    assert.ok(!includesServer(profile, server('notes')));
  });

  it('treat patterns literally except for *, which does not cross from server to tool', () => {
    const profile = one({ servers: ['.*'], tools: ['*/get', 'github/a/b', 'notes/[ab]'] });
    const has = (of: string, tool: string) => includesTool(profile, server(of), tool);
    assert.ok(has('any', 'get') && has('github', 'a/b') && has('notes', '[ab]'));
    assert.ok(!has('any', 'forget/get') && !has('notes', 'a') && !has('any', 'x'));
  });

  it('match a server of a folder by name and by id', () => {
    const profile = one({ tools: ['notes/read'] });
    assert.ok(includesTool(profile, server('notes', 'notes (api)'), 'read'));
    assert.ok(includesTool(one({ servers: ['notes (api)'] }), server('notes', 'notes (api)'), 'read'));
  });

  it('apply only written hints and effects', () => {
    const full = { description: ' Reading ', model: 'gpt-*', mode: 'agent', startServers: true, stopOthers: true };
    assert.deepEqual(entryOf(one({ ...full, servers: ['notes'] })), {
      ...full,
      description: 'Reading',
      servers: ['notes'],
      tools: [],
    });
    assert.deepEqual(entryOf(one({ servers: ['notes'] })), {
      servers: ['notes'],
      tools: [],
      startServers: false,
      stopOthers: false,
    });
  });

  it('of the user win over those of a workspace with the same name', () => {
    const { profiles, problems } = readProfiles(
      [
        { source: user, value: { review: { servers: ['github'] } } },
        { source: workspace, value: { review: { servers: ['*'] }, write: { servers: ['notes'] } } },
      ],
      known,
    );
    assert.deepEqual(
      profiles.map(({ name, source, servers }) => [name, source.scope, servers]),
      [
        ['review', 'user', ['github']],
        ['write', 'workspace', ['notes']],
      ],
    );
    assert.deepEqual(problems[0]?.problems, []);
    assert.deepEqual(
      problems[1]?.problems.map(({ severity, path, onKey }) => [severity, path, onKey]),
      [['warning', ['review'], true]],
    );
  });

  it('are found by typed text', () => {
    const { profiles } = read({ Review: { servers: [] }, review: { servers: [] }, Write: { servers: [] } });
    assert.equal(findProfile(profiles, 'review')?.name, 'review');
    assert.equal(findProfile(profiles, 'WRITE')?.name, 'Write');
    assert.equal(findProfile(profiles, 'wri'), undefined);
  });

  it('with errors are reported at their place, and leave the others alone', () => {
    const bad = {
      good: { servers: ['notes'] },
      text: 'github',
      list: [],
      off: { servers: ['notes'] },
      ' spaced ': { servers: ['notes'] },
      'hidden\u200b': { servers: ['notes'] },
      types: { servers: 'github', tools: [5, '', 'github'], model: 5, startServers: 'yes' },
      places: { servers: ['github/get_file'], tools: ['/x', 'github/'] },
      empty: {},
      unknown: { server: ['notes'], colour: 1, servers: ['notes'] },
    };
    assert.deepEqual(told(bad), [
      'error text: A profile is an object, such as { "servers": ["github"] }.',
      'error list: A profile is an object, such as { "servers": ["github"] }.',
      'error off: The name "off" is reserved for leaving a profile. Choose another name.',
      'error  spaced : A profile needs a name of 1 to 60 visible characters that does not start or end with a space.',
      'error hidden\u200b: A profile needs a name of 1 to 60 visible characters that does not start or end with a space.',
      'error types.servers: "servers" must be a list of patterns.',
      'error types.tools.0: A pattern must have 1 to 300 characters.',
      'error types.tools.1: A pattern must have 1 to 300 characters.',
      'error types.tools.2: A tool is named with its server, as in github/*. For all tools of a server, name it in "servers".',
      'error types.model: "model" must be a text of at most 300 characters.',
      'error types.startServers: "startServers" must be true or false.',
      'error places.servers.0: This names a tool. Move it to "tools".',
      'error places.tools.0: A pattern for tools is written as "server/tool".',
      'error places.tools.1: A pattern for tools is written as "server/tool".',
      'warning empty: This profile names neither "servers" nor "tools", so it offers no tools.',
      'warning unknown.server: Profiles have no property "server". Did you mean "servers"?',
      'warning unknown.colour: Profiles have no property "colour".',
    ]);
    const names = read(bad).profiles.map(({ name }) => name);
    assert.deepEqual(names, ['good', 'types', 'places', 'empty', 'unknown']);
    // What can't be understood widens nothing.
    const [, types, places] = read(bad).profiles;
    for (const profile of [types, places]) assert.ok(profile && !includesTool(profile, server('github'), 'get_file'));
  });

  it('report unknown servers once servers are known', () => {
    const value = {
      one: { servers: ['githb', 'jira-*', 'nowhere', 'git?ub'], tools: ['note/x', 'github/{a,b}', '*/x'] },
    };
    assert.deepEqual(told(value), [
      'warning one.servers.0: No server is named "githb". Did you mean "github"?',
      'warning one.servers.2: No server is named "nowhere".',
      'warning one.servers.3: Only * is special in a pattern: it stands for any characters. All others stand for themselves.',
      'warning one.tools.0: No server is named "note". Did you mean "notes"?',
      'warning one.tools.1: Only * is special in a pattern: it stands for any characters. All others stand for themselves.',
    ]);
    assert.deepEqual(told({ one: { servers: ['githb'] } }, []), []);
  });

  it('are bounded for any settings file @readProfiles.bounded-settings-file', () => {
    for (const value of [5, 'x', null, [], true]) assert.equal(told(value).length, 1, String(value));
    assert.deepEqual(told(undefined), []);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`p${n}`, { servers: ['notes'] }]));
    assert.equal(read(many).profiles.length, 100);
    assert.match(told(many).join(), /too many profiles/);
    const patterns = Array.from({ length: 10_000 }, () => 'notes');
    assert.equal(one({ servers: patterns }).servers.length, 200);
    // Each pattern compared by its letters with each server would take hours.
    const servers = Array.from({ length: 5_000 }, (_, n) => `${'b'.repeat(20)}${n}`);
    const unknown = Array.from({ length: 200 }, (_, n) => `${'a'.repeat(20)}${n}`);
    const full = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`p${n}`, { servers: unknown, tools: unknown.map(name => `${name}/x`) }]),
    );
    const { profiles, problems } = readProfiles([{ source: { scope: 'workspace' }, value: full }], servers);
    assert.equal(profiles.flatMap(profile => [...profile.servers, ...profile.tools]).length, 2_000);
    assert.equal(problems[0]?.problems.length, 500);
    const proto = JSON.parse('{"__proto__": {"servers": ["*"]}, "a": {"__proto__": {"servers": ["*"]}}}');
    const [, own] = read(proto).profiles;
    assert.ok(own && !includesServer(own, server('notes')));
  });
});
