import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { iconOf } from '../../src/editor/icons';
import { askWebsite } from '../../src/features/elicitation/urlDialog';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { api, configure, fixture, loads, passes, raw, reaches, rowOf, setting } from './window';

describe('the row of a server', () => {
  afterEach(async () => {
    await setting('start', undefined);
    await configure(undefined);
  });

  it('shows a server that starts on first use, which then starts it', async () => {
    await setting('start', 'onDemand');
    await configure({ one: fixture('hostile') });
    const server = await reaches('one', 'stopped');
    const { item } = await rowOf('one');
    assert.equal(item.description, 'starts on first use');
    assert.equal(item.accessibilityInformation?.label, 'one, starts on first use');
    assert.equal((await raw(server).readResource('hostile://notes/readme.md')).contents.length, 1);
    await loads('one');
  });

  it('follows the setting at once; a running server continues', async () => {
    await setting('start', 'never');
    await configure({ one: fixture('hostile'), two: { ...fixture('hostile'), start: 'onStartup' } });
    const { state } = await reaches('two', 'ready');
    assert.equal((await rowOf('one')).item.description, 'stopped');
    await setting('start', 'onDemand');
    await waitFor(async () => (await rowOf('one')).item.description === 'starts on first use', { what: 'the row' });
    await setting('start', 'onStartup');
    await reaches('one', 'ready');
    assert.equal((await reaches('two', 'ready')).state, state);
  });

  it('has a tooltip with health, restarts and the last end, built when it is shown', async () => {
    await configure({ one: fixture('hostile') });
    const server = await loads('one');
    const { item, tooltip } = await rowOf('one');
    assert.equal(item.tooltip, undefined);
    assert.match(tooltip(), /one: ready.*Process \d+.*Last response \d/s);
    assert.doesNotMatch(tooltip(), /Restarted automatically|Last process/);
    assert.ok(server.state.kind === 'ready');
    const { pid } = server.state;
    await passes('one', 'reconnecting', { when: () => process.kill(pid!, 'SIGKILL'), look: () => undefined });
    await loads('one');
    assert.match((await rowOf('one')).tooltip(), /Restarted automatically once.*Last process ended by SIGKILL at \d/s);
  });

  it('has a tick only if all is well: otherwise a warning, with the reason in a few words and in the Problems view', async () => {
    const { env, ...entry } = fixture('hostile');
    await configure({
      fine: fixture('hostile'),
      unset: { ...entry, env: { ...env, A: '${env:NO_SUCH_VARIABLE}' } },
      ignored: { ...entry, env, comand: 'x' },
      both: { ...entry, env: { ...env, A: '${env:NO_SUCH_VARIABLE}' }, comand: 'x' },
    });
    for (const id of ['fine', 'unset', 'ignored', 'both']) await loads(id);
    const look = async (id: string) => {
      const { item } = await rowOf(id);
      return [(item.iconPath as vscode.ThemeIcon).id, String(item.description).split(' · ')[0]];
    };
    assert.equal((await look('fine'))[0], 'pass-filled');
    assert.deepEqual(await look('unset'), ['warning', 'NO_SUCH_VARIABLE is not set']);
    assert.deepEqual(await look('ignored'), ['warning', '"comand" is ignored; did you mean "command"?']);
    assert.deepEqual(await look('both'), ['warning', '2 warnings']);
    // Nobody has opened the user's settings.
    const problems = () =>
      vscode.languages
        .getDiagnostics()
        .flatMap(([uri, found]) => (uri.path.endsWith('/settings.json') ? found : []))
        .filter(({ source }) => source === 'MCP Host');
    await waitFor(() => problems().length === 4, {
      what: () => `four problems; ${problems().map(one => one.message)}`,
    });
    assert.ok(!vscode.window.visibleTextEditors.some(({ document }) => document.uri.path.endsWith('/settings.json')));
  });

  it('names in its tooltip what is fetched at each start, even before consent', async () => {
    await configure({ one: { command: 'npx', args: ['-y', 'some-server'] } }, vscode.ConfigurationTarget.Workspace);
    await reaches('one', 'needsTrust');
    const { tooltip } = await rowOf('one');
    assert.match(tooltip(), /Fetched at each start, without a fixed version: some-server/);
    await configure(undefined, vscode.ConfigurationTarget.Workspace);
  });
});

describe('what a server declares about itself', () => {
  afterEach(() => configure(undefined));

  it('is in its tooltip: its description and its website, as text', async () => {
    await configure({ one: fixture('hostile', '--icons=https://example.com/a?[x](command:y)') });
    await loads('one');
    const { tooltip } = await rowOf('one');
    assert.match(
      tooltip(),
      /A server that says much of itself\s+Website: https:\/\/example\.com\/a\?\[x\]\(command:y\)/,
    );
  });

  it('can be an icon, inline or at its own origin, if its bytes match the declared type @serverRows.icon-inline-origin', async () => {
    await configure({ one: fixture('hostile', '--icons=https://example.com/') });
    await loads('one');
    const { tree, servers } = await api();
    const row = tree.getChildren().find(({ server }) => server === servers.get('one'));
    const tools = tree.getChildren(row).find(node => node.type === 'list' && node.kind === 'tools');
    const icons = tree
      .getChildren(tools)
      .map(node => tree.getTreeItem(node))
      .map(({ label, iconPath }) => [
        label,
        iconPath instanceof vscode.Uri ? iconPath.toString(true).slice(0, 16) : 'ours',
      ]);
    assert.deepEqual(icons.slice(-7), [
      ['jpg', 'data:image/jpeg;'],
      ...['lying', 'acting', 'page', 'elsewhere', 'file', 'script'].map(name => [name, 'ours']),
    ]);
  });

  it("has the best-fitting icon fetched from the server's origin only @serverRows.best-fitting-icon", async () => {
    const asked: string[] = [];
    const original = globalThis.fetch;
    globalThis.fetch = (async (url: string | URL) => {
      asked.push(String(url));
      return new Response(null, { status: 404 });
    }) as typeof fetch;
    try {
      const at = (entry: object) => ({ definition: { entry } }) as ServerConnection;
      const server = at({ type: 'http', url: 'https://mcp.example/mcp' });
      for (const src of [
        'https://mcp.example/icons/a.png',
        'https://mcp.example:8443/b.png',
        'https://icons.mcp.example/c.png',
        'https://mcp.example.evil.example/d.png',
        'https://user@mcp.example/e.png',
        'http://mcp.example/f.png',
        '//evil.example/g.png',
        'https://evil.example/?https://mcp.example/h.png',
      ])
        assert.equal(
          iconOf([{ src }], server, () => {}),
          undefined,
        );
      assert.equal(
        iconOf([{ src: 'https://mcp.example/i.png' }], at({ type: 'stdio', command: 'x' }), () => {}),
        undefined,
      );
      assert.deepEqual(asked, ['https://mcp.example/icons/a.png']);
    } finally {
      globalThis.fetch = original;
    }
  });

  it('has the icon drawn that suits the theme and the size of a row best @serverRows.icon-drawn-suits', async () => {
    const server = { definition: { entry: { type: 'stdio' } } } as ServerConnection;
    const icon = (name: string, more: object) => {
      const svg = `<svg><title>${name}</title></svg>`;
      return { src: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`, ...more };
    };
    const nameOf = (uri: unknown) =>
      /<title>(.*)<\/title>/.exec(Buffer.from(String(uri).split('base64,')[1] ?? '', 'base64').toString())?.[1];
    const drawn = (...icons: ReturnType<typeof icon>[]) => {
      const made = iconOf(icons, server, () => {}) as vscode.Uri | { light: vscode.Uri; dark: vscode.Uri };
      return 'light' in made
        ? [nameOf(made.light.toString(true)), nameOf(made.dark.toString(true))]
        : [nameOf(made.toString(true))];
    };
    const [small, right, large, scales] = [
      icon('small', { sizes: ['16x16'] }),
      icon('right', { sizes: ['48x48', '32x32'] }),
      icon('large', { sizes: ['512x512'] }),
      icon('scales', { sizes: ['any'] }),
    ];
    assert.deepEqual(drawn(small, large, right), ['right']);
    assert.deepEqual(drawn(small, large), ['large']);
    assert.deepEqual(drawn(large, scales), ['scales']);
    assert.deepEqual(drawn(icon('odd', { sizes: ['big', 7] }), small), ['odd']);
    const [light, dark] = [
      icon('day', { theme: 'light', sizes: ['32x32'] }),
      icon('night', { theme: 'dark', sizes: ['16x16'] }),
    ];
    assert.deepEqual(drawn(icon('tiny', { theme: 'light', sizes: ['8x8'] }), dark, light), ['day', 'night']);
  });

  it('can be a website, opened only after its address was reviewed @serverRows.website-opened-address', async () => {
    const opened: string[] = [];
    const open = async (href: string) => opened.push(href) > 0;
    const asked: string[] = [];
    const original = vscode.window.showWarningMessage;
    try {
      Object.assign(vscode.window, {
        showWarningMessage: async (message: string, options?: { detail?: string }) => {
          asked.push(`${message} ${options?.detail ?? ''}`);
          return asked.length === 1 ? undefined : 'Open';
        },
      });
      await askWebsite({ name: 'one' }, 'https://exаmple.com/x', open);
      assert.match(asked[0]!, /Open the website of MCP server "one", a page of xn--exmple-\S+\?.*xn--/s);
      assert.deepEqual(opened, []);
      await askWebsite({ name: 'one' }, 'https://example.com/x', open);
      assert.deepEqual(opened, ['https://example.com/x']);
      for (const bad of [
        'javascript:alert(1)',
        'file:///etc/passwd',
        'nonsense',
        `https://example.com/${'x'.repeat(1_000)}`,
      ])
        await askWebsite({ name: 'one' }, bad, open);
      assert.equal(opened.length, 1);
      assert.match(asked.at(-1)!, /is not opened: the address has more than 1000 characters/);
    } finally {
      Object.assign(vscode.window, { showWarningMessage: original });
    }
  });
});
