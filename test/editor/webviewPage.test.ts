import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { messageReader, text } from '../../src/base/messageReader';
import { WebviewPage } from '../../src/editor/webviewPage';

describe("the extension's side of a webview page", () => {
  const read = messageReader({ ready: {}, say: { what: text } });

  /** A page without its script. */
  function opened(retainContextWhenHidden = false) {
    const said = new vscode.EventEmitter<unknown>();
    const changed = new vscode.EventEmitter<unknown>();
    const [posted, received] = [[] as string[], [] as string[]];
    const place = {
      visible: true,
      options: { retainContextWhenHidden },
      onDidChangeViewState: changed.event,
      webview: {
        html: '',
        options: {},
        cspSource: 'test:',
        asWebviewUri: (uri: vscode.Uri) => uri,
        onDidReceiveMessage: said.event,
        postMessage: async (message: string) => posted.push(message) > 0,
      },
    };
    const page = new WebviewPage<string, NonNullable<ReturnType<typeof read>>>(
      place as unknown as vscode.WebviewPanel,
      {
        extension: vscode.Uri.file('/extension'),
        title: 'A <page>',
        script: 'page.js',
        styles: [],
        read,
        receive: message => {
          received.push(message.type);
          if (message.type === 'say') throw new Error(message.what);
        },
        onUnload: () => received.push('unload'),
      },
    );
    const show = (visible: boolean) => {
      place.visible = visible;
      changed.fire(undefined);
    };
    return { page, place, posted, received, say: (message: unknown) => said.fire(message), show };
  }

  afterEach(() => mock.restoreAll());

  it('runs only a script of ours, and writes the title as text', () => {
    const { webview } = opened().place;
    assert.match(webview.html, /script-src 'nonce-[^']+'"/);
    assert.match(webview.html, /<title>A &#60;page&#62;<\/title>/);
    assert.deepEqual(
      (webview.options as vscode.WebviewOptions).localResourceRoots?.map(({ path }) => path),
      ['/extension/dist', '/extension/media'],
    );
  });

  it('neither posts nor receives messages until the page is ready', () => {
    const { page, posted, received, say } = opened();
    page.post('early');
    say({ type: 'say', what: 'early' });
    say('ready');
    assert.deepEqual([posted, received], [[], []]);
    say({ type: 'ready' });
    page.post('late');
    assert.deepEqual([posted, received], [['late'], ['ready']]);
  });

  it('waits for the page again after it was hidden, unless it stays loaded', () => {
    const { page, posted, received, say, show } = opened();
    say({ type: 'ready' });
    show(false);
    page.post('hidden');
    show(true);
    assert.equal(page.isReady, false);
    say({ type: 'ready' });
    page.post('back');
    assert.deepEqual([posted, received], [['back'], ['ready', 'unload', 'ready']]);
    const kept = opened(true);
    kept.say({ type: 'ready' });
    kept.show(false);
    kept.page.post('kept');
    assert.deepEqual([kept.posted, kept.received], [['kept'], ['ready']]);
  });

  it('shows the error of a message without links, and continues', () => {
    const shown: string[] = [];
    mock.method(vscode.window, 'showErrorMessage', async (message: string) => shown.push(message));
    const { received, say } = opened();
    say({ type: 'ready' });
    say({ type: 'say', what: '[more](command:x)' });
    say({ type: 'ready' });
    assert.deepEqual(shown, ['[more] (command:x)']);
    assert.deepEqual(received, ['ready', 'say', 'ready']);
  });

  it('does nothing after dispose', () => {
    const { page, posted, received, say } = opened();
    say({ type: 'ready' });
    page.dispose();
    page.post('late');
    say({ type: 'ready' });
    assert.deepEqual([posted, received], [[], ['ready']]);
  });
});
