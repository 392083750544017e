// Pages that show all of what is decided on, without their drawing: the messages that they get, and what a person does there.
import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import type { FromReviewPage, ToReviewPage } from '../../src/features/review/core/reviewLayout';
import { waitFor } from '../servers/spawn';

/** One page, as its script sees it. */
export class WholePage {
  readonly got: ToReviewPage[] = [];
  isOpen = true;
  readonly #said = new vscode.EventEmitter<unknown>();
  readonly #closed = new vscode.EventEmitter<void>();

  constructor(readonly title: string) {}

  readonly panel = {
    webview: {
      html: '',
      cspSource: 'test:',
      asWebviewUri: (uri: vscode.Uri) => uri,
      onDidReceiveMessage: this.#said.event,
      postMessage: async (message: ToReviewPage) => this.got.push(message) > 0,
    },
    onDidDispose: this.#closed.event,
    reveal: () => undefined,
    dispose: () => this.close(),
  } as unknown as vscode.WebviewPanel;

  say(message: FromReviewPage): void {
    this.#said.fire(message);
  }

  /** Presses a button as a person does: only what is drawn. */
  press(title: string): void {
    const { allow, others } = this.start;
    assert.ok([...allow, ...others].includes(title), `no button ${title} in ${JSON.stringify(this.start)}`);
    assert.ok(!allow.includes(title) || this.isWhole, `${title} is not drawn before the end`);
    this.say({ type: 'answer', answer: title });
  }

  /** Reads to the end, and presses the one button that allows. */
  allow(): void {
    while (!this.isWhole) this.say({ type: 'more' });
    const [title, ...others] = this.start.allow;
    assert.deepEqual(others, []);
    this.press(title!);
  }

  get start() {
    return this.got.find(message => message.type === 'start') ?? assert.fail('the page has not begun');
  }

  get isWhole(): boolean {
    return this.got.some(message => message.type === 'rows' && message.end !== undefined);
  }

  /** All rows so far. */
  get text(): string {
    const rows = this.got.flatMap(message => (message.type === 'rows' ? message.rows : []));
    return rows.map(({ parts }) => parts.map(({ text }) => text).join('')).join('\n');
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#closed.fire();
  }
}

/** Takes the place of webviews, until `mock.restoreAll`. */
export function watchPages(): {
  readonly all: WholePage[];
  opened(count?: number): Promise<WholePage>;
  restore(): void;
} {
  const all: WholePage[] = [];
  const watching = mock.method(vscode.window, 'createWebviewPanel', (_type: string, title: string) => {
    const page = new WholePage(title);
    all.push(page);
    return page.panel;
  });
  const opened = async (count = 1) => {
    await waitFor(() => all.length >= count, { what: () => `page ${count}; there are ${all.length}` });
    const page = all[count - 1]!;
    page.say({ type: 'ready' });
    return page;
  };
  return { all, opened, restore: () => watching.mock.restore() };
}
