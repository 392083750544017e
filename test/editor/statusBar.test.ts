import * as assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { chatsText } from '../../src/editor/chats';
import { statusOf } from '../../src/features/servers/statusBar';
import { startHttpFixture } from '../servers/spawn';
import { api, configure, fixture, reaches, rowOf, setting } from './window';

describe('the status bar', () => {
  afterEach(() => configure(undefined));

  it('counts what is ready, what fails and what waits for a person, in icons and in words', async () => {
    const http = await startHttpFixture();
    try {
      await configure({
        good: fixture('hostile'),
        bad: fixture('hostile', '--exit-at-start=3'),
        'sign in': { url: http.url('/401') },
      });
      await Promise.all([reaches('good', 'ready'), reaches('bad', 'failed'), reaches('sign in', 'needsAuth')]);
      const { servers } = await api();
      const status = statusOf(servers.all);
      assert.equal(status.text, '$(plug) 1 $(error) 1 $(key) 1');
      assert.equal(status.label, 'MCP servers: 1 ready, 1 failed, 1 waiting for sign-in');
      assert.deepEqual(status.tooltip.split('\n').slice(1), [
        'good: ready',
        'bad: failed',
        'sign in: sign-in required',
        chatsText(),
      ]);
      assert.ok(status.isWarning);
      const row = (await rowOf('sign in')).item;
      assert.equal((row.iconPath as vscode.ThemeIcon).id, 'key');
      assert.equal(row.accessibilityInformation?.label, 'sign in, sign-in required');
    } finally {
      await http.stop();
    }
  });

  it('shows no more than what is ready when all is well', async () => {
    await configure({ good: fixture('hostile') });
    await reaches('good', 'ready');
    const { servers } = await api();
    assert.deepEqual(statusOf(servers.all), {
      text: '$(plug) 1',
      tooltip: `MCP servers: 1 ready, 0 failed\ngood: ready\n${chatsText()}`,
      label: 'MCP servers: 1 ready, 0 failed',
      isWarning: false,
    });
    const asked = statusOf(servers.all, 2);
    assert.deepEqual(
      [asked.text, asked.label, asked.isWarning],
      ['$(plug) 1 $(question) 2', 'MCP servers: 1 ready, 0 failed, 2 questions for you', true],
    );
    const busy = statusOf(servers.all, 0, 1);
    assert.deepEqual(
      [busy.text, busy.label, busy.isWarning],
      ['$(plug) 1 $(pulse) 1', 'MCP servers: 1 ready, 0 failed, calls running: 1', false],
    );
  });

  it('says in which chats the servers are, and that they are in @mcp alone when native chat is off', async () => {
    await configure({ good: fixture('hostile') });
    await reaches('good', 'ready');
    const { servers } = await api();
    await setting('nativeChat', 'off');
    try {
      assert.match(statusOf(servers.all).tooltip, /\nIn chat: only with @mcp, because mcpHost\.nativeChat is off$/);
      assert.match((await rowOf('good')).tooltip(), /In chat: only with @mcp/);
    } finally {
      await setting('nativeChat', undefined);
    }
  });
});
