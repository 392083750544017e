import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Root } from '@modelcontextprotocol/client';
import { Emitter } from '../../../../src/base/events';
import { english } from '../../../../src/base/phrase';
import { resolveDefinitions } from '../../../../src/host';
import type { ServerDefinition } from '../../../../src/host/definition';
import { waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { fixture, hostile, TestHost } from '../testHost';

const folder = join(homedir(), 'project');
const variables = {
  workspaceFolder: folder,
  workspaceFolders: { project: folder },
  userHome: homedir(),
  env: () => undefined,
  config: () => undefined,
};

const define = (roots: unknown) => {
  const value = { one: { ...hostile(), roots } };
  const { definitions, problems } = resolveDefinitions([{ source: { scope: 'workspace' }, value, variables }]);
  return { definition: definitions[0]!, problems: problems.flatMap(found => found.problems) };
};

describe('roots in settings', () => {
  it('are the workspace folders, none, or a list with variables', () => {
    assert.equal(define(undefined).definition.entry?.roots, undefined);
    assert.equal(define('none').definition.entry?.roots, 'none');
    const { definition, problems } = define(['${workspaceFolder}/src', '${workspaceFolder:project}', 'docs']);
    assert.deepEqual(definition.entry?.roots, [`${folder}/src`, folder, 'docs']);
    assert.deepEqual(problems, []);
  });

  it('outside the workspace are reported, and the server runs anyway @sharedRoots.outside-workspace', () => {
    for (const outside of [
      '/etc',
      '..',
      `${folder}2`,
      '${workspaceFolder}/../other',
      '${workspaceFolder:gone}',
      'http://x',
    ]) {
      const { definition, problems } = define([outside, 'src']);
      assert.ok(definition.entry, outside);
      const told = problems.filter(({ message }) =>
        /is not in a workspace folder, so it is not shared|names a folder that is not open/.test(english(message)),
      );
      const isInside = outside === 'http://x'; // a strange name of a folder, but one inside
      assert.deepEqual(
        told.map(({ severity, path }) => [severity, path]),
        isInside ? [] : [['warning', ['one', 'roots', 0]]],
        outside,
      );
    }
  });

  it('of another type are an error that names the possible values @sharedRoots.type-error-names', () => {
    const [problem] = define(42).problems;
    assert.match(english(problem!.message), /"roots" must be "workspace", "none" or a list of paths/);
  });

  it('are part of neither the launch fingerprint nor the consent', () => {
    assert.equal(define('none').definition.fingerprint, define(['src']).definition.fingerprint);
  });
});

const work = { uri: 'file:///project', name: 'work' };

describe('the roots of a server', () => {
  let host: TestHost;
  beforeEach(() => {
    const list = ({ entry }: ServerDefinition) => (entry?.roots === 'none' ? [] : [work]);
    host = new TestHost({ roots: { list, onDidChange: new Emitter<void>().event } });
  });
  afterEach(() => host.close());

  it('follow its settings without a restart: in the next answer, modern era', async () => {
    const asked = async (id: string) => {
      const server = await host.loads(id);
      const call = { name: 'list-roots' };
      return JSON.stringify(await raw(server).request('ask', (client, options) => client.callTool(call, options)));
    };
    host.configure({ one: fixture('content'), two: { ...fixture('content'), roots: 'none' } });
    assert.match(await asked('one'), /file:\/\/\/project/);
    assert.doesNotMatch(await asked('two'), /file:/);
    const pid = host.pid('two');
    host.configure({ one: { ...fixture('content'), roots: 'none' }, two: fixture('content') });
    assert.match(await asked('two'), /file:\/\/\/project/);
    assert.doesNotMatch(await asked('one'), /file:/);
    assert.equal(host.pid('two'), pid);
    assert.ok(host.logged(/roots shared with it: file:\/\/\/project/));
    assert.ok(host.logged(/roots shared with it: none/));
  });

  it('follow its settings without a restart: by a notification, legacy era @sharedRoots.follow-settings-restart', async () => {
    const seen = () => host.logs.filter(({ logger }) => logger === 'roots').map(({ data }) => data);
    host.configure({ one: hostile('--roots') });
    await waitFor(() => seen().length === 1, { what: 'the first answer' });
    const pid = host.pid('one');
    host.configure({ one: { ...hostile('--roots'), roots: 'none' } });
    await waitFor(() => seen().length === 2, { what: 'the second answer' });
    host.configure({ one: { ...hostile('--roots'), roots: 'workspace', logLevel: 'debug' } });
    await waitFor(() => seen().length === 3, { what: 'the third answer' });
    assert.deepEqual(seen(), [{ roots: [work] }, { roots: [] }, { roots: [work] }]);
    assert.equal(host.pid('one'), pid);
  });
});

describe('a change of roots', () => {
  it('is announced only to legacy servers whose own list changed', async () => {
    const shared: Record<string, Root[]> = {};
    const changed = new Emitter<void>();
    const list = ({ id }: ServerDefinition) => shared[id] ?? [{ uri: 'file:///project', name: 'work' }];
    await using host = new TestHost({ roots: { list, onDidChange: changed.event } });
    host.configure({ one: hostile('--roots'), two: hostile('--roots') });
    await Promise.all([host.loads('one'), host.loads('two')]);
    const answers = (id: string) =>
      host.logs.filter(({ server, logger }) => server === id && logger === 'roots').length;
    await waitFor(() => answers('one') > 0 && answers('two') > 0, { what: 'both to ask for the roots' });
    const before = answers('two');
    shared.one = [];
    changed.fire();
    await waitFor(() => answers('one') > 1, { what: 'the first to ask again' });
    shared.one = [{ uri: 'file:///elsewhere' }];
    changed.fire();
    await waitFor(() => answers('one') > 2, { what: 'the first to ask once more' });
    assert.equal(answers('two'), before);
  });
});
