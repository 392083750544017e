import { type Disposable, Emitter, type Event, Owner } from '../../base/events';
import { formatSize, numberText } from '../../base/numberText';
import { exact, visibleJson } from '../../base/text';
import { isActedOn } from '../../editor/openedAs';
import { folderStat, ownUri, VirtualFiles } from '../../editor/virtualFiles';
import { t, verbatim, window } from '../../editor/window';
import type { ChatQuestion } from '../../host';
import { resourceFileName } from '../resources';
import {
  inQuestion,
  isDrawnByOthers,
  isDrawnByWorkspace,
  layOut,
  markWords,
  type OpenWholePage,
  openWholePage,
  rowsText,
  showWrapped,
} from '../review';
import type { SamplingParams } from './core/checkRequest';
import { conversationText, type ReviewText } from './core/samplingText';
import type { SamplingResult } from './generate';

import vscode = require('vscode');

const SCHEME = 'mcp-sampling';
const ACT = 'mcpHost.sampling.act';

export type ReviewAction = 'confirm' | 'refuse' | 'chooseModel' | 'compare';

/** Something to review, as a document that can be edited. */
export interface ReviewPage {
  /** Name of the tab, without extension. */
  readonly name: string;
  readonly content: ReviewText;
  /** A summary of the content, for places that do not show the document. */
  readonly excerpt: Excerpt;
  /** The lenses above the text, in order. */
  actions(): readonly { readonly action: ReviewAction; readonly title: string }[];
  /** Remarks on properties, shown above their lines. */
  notes(): ReadonlyMap<string, string>;
  /** @param text of the editor now. @param sawAll asks the person to look at all of what would be sent. */
  act(action: Exclude<ReviewAction, 'compare'>, text: string, sawAll: SawAll): Promise<void>;
}

/** Whether a text is sent: immediately if the person has seen all of it, otherwise after their answer at its end. */
type SawAll = (text: string) => Promise<boolean>;

/** A review that can be shown until it is closed. */
export interface OpenPage extends Pick<ReviewPage, 'actions' | 'excerpt'> {
  /** The remarks or lenses have changed. */
  readonly onDidRefresh: Event<void>;
  /** Shows it as a conversation, or, once it was edited, its document. */
  show(): Promise<void>;
  /** Shows the document, in which it can be edited. */
  edit(): Promise<void>;
  /** Does what a lens does, with the current text. @param isShown in chat: whether all of it was shown there. */
  act(action: ReviewAction, isShown?: boolean): Promise<void>;
  refresh(): void;
  close(): Promise<void>;
}

interface ShownReview extends ReviewPage {
  readonly uri: vscode.Uri;
  readonly asked: vscode.Uri;
  /** `/<number>`: the folder of all its files. */
  readonly folder: string;
  /** Closes the page that shows all of it. */
  whole?: Disposable;
  /** The page that shows it as a conversation. */
  conversation?: OpenWholePage;
}

export const withoutIcon = (title: string) => title.replace(/^\$\([\w-]+\) /, '');

/** Shows reviews as conversations, and on demand as documents, which can be edited, compared, and are gone then. */
export class SamplingReviews extends Owner implements vscode.CodeLensProvider {
  readonly #files = this.own(new ReviewFiles(SCHEME, { isCaseSensitive: true }, isActedOn));
  readonly #changed = this.own(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #pages = new Map<string, ShownReview>();
  #count = 0;

  constructor() {
    super();
    this.own(vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this));
    this.own(vscode.commands.registerCommand(ACT, (action: ReviewAction, uri: string) => this.act(action, uri)));
  }

  open(page: ReviewPage): OpenPage {
    const folder = `/${++this.#count}`;
    const file = (name: string, of = folder) => ownUri({ scheme: SCHEME, path: `${of}/${name}` });
    const name = resourceFileName({ uri: '', name: `${page.name}.json` });
    const shown: ShownReview = { ...page, uri: file(name), asked: file(name, `${folder}/asked`), folder };
    const bytes = Buffer.from(page.content.text);
    this.#files.put(shown.uri, bytes);
    this.#files.put(shown.asked, bytes, { readonly: true });
    for (const image of page.content.images.values()) {
      this.#files.put(file(image.name), Buffer.from(image.data, 'base64'), { readonly: true });
    }
    this.#pages.set(folder, shown);
    const refreshed = new Emitter<void>();
    return {
      excerpt: page.excerpt,
      actions: () => page.actions(),
      onDidRefresh: refreshed.event,
      act: (action, isShown) => this.act(action, shown.uri, isShown),
      show: async () => {
        const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === shown.uri.toString());
        if (document && document.getText() !== page.content.text) await edit(shown);
        else this.#showConversation(shown);
      },
      edit: () => edit(shown),
      refresh: () => {
        // Their buttons still name the model chosen before.
        shown.whole?.dispose();
        if (shown.conversation) {
          shown.conversation.dispose();
          delete shown.conversation;
          this.#showConversation(shown);
        }
        this.#changed.fire();
        refreshed.fire();
      },
      close: () => this.#close(shown),
    };
  }

  /** Acts on a review; without a URI, on the one that has the focus, also as a conversation. */
  async act(
    action: ReviewAction,
    uri: unknown = vscode.window.activeTextEditor?.document.uri,
    isShown?: boolean,
  ): Promise<void> {
    const path = vscode.Uri.parse(String(uri)).path;
    const inFront = uri === undefined && [...this.#pages.values()].find(({ conversation }) => conversation);
    const page = this.#pages.get(/^\/\d+/.exec(path)?.[0] ?? '') ?? (inFront || undefined);
    if (!page) return void window.showInformationMessage(t('This review is no longer open.'));
    if (action === 'compare') {
      const title = t('{0}: original ↔ edited', page.name);
      await vscode.commands.executeCommand('vscode.diff', page.asked, page.uri, title);
      return;
    }
    const document = await vscode.workspace.openTextDocument(page.uri);
    const sawAll = async (text: string) => {
      const isSame = isShown === true && text === page.content.text;
      const isKnown = isSame || (isShown !== false && inQuestion(text).isWhole && !isDrawnByWorkspace(page.uri));
      return isKnown || (await this.#showWhole(page, text));
    };
    await page.act(action, document.getText(), sawAll);
  }

  /** Shows all of it as a conversation. It can be sent unchanged from there, once all was shown. */
  #showConversation(page: ShownReview): void {
    if (page.conversation) {
      page.conversation.reveal();
      return;
    }
    const buttons = buttonsOf(page, action => action !== 'compare');
    const asJson = t('Edit as JSON…');
    const words = { system: t('System prompt'), others: t('Everything else, as JSON') };
    const notes = [...page.notes()].filter(([name, note]) => note && page.content.text.includes(`\n  "${name}":`));
    page.conversation = openWholePage(
      {
        title: page.name,
        question: page.name,
        notes: notes.map(([name, note]) => `${name}: ${note}`),
        content: { text: conversationText(page.content, words) },
        allow: buttons.allow,
        others: buttons.others.toSpliced(-1, 0, asJson),
      },
      title => {
        if (title === asJson) void edit(page);
        else void this.act(buttons.actionOf(title), page.uri, true);
      },
      () => {
        delete page.conversation;
      },
    );
  }

  /** Resolves with whether the person decided, below all of it, to send exactly that. */
  #showWhole(page: ShownReview, json: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    page.whole?.dispose();
    const { allow, others } = buttonsOf(page, action => action === 'confirm' || action === 'refuse');
    const whole = openWholePage(
      { title: page.name, question: page.name, content: { json }, allow, others },
      title => {
        if (allow.includes(title)) resolve(true);
        else void this.act('refuse', page.uri);
      },
      () => resolve(false),
    );
    page.whole = {
      dispose: () => {
        resolve(false);
        whole.dispose();
      },
    };
    return promise.finally(() => whole.dispose());
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const page = this.#pages.get(/^\/\d+/.exec(document.uri.path)?.[0] ?? '');
    if (page?.uri.path !== document.uri.path) return [];
    const lens = (line: number, title: string, command = '', args: unknown[] = []) =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: args });
    const lenses = page.actions().map(({ action, title }) => lens(0, title, ACT, [action, page.uri.toString()]));
    const notes = page.notes();
    const images = new Map([...page.content.images].map(([label, image]) => [JSON.stringify(label), image]));
    for (let line = 0; line < document.lineCount; line++) {
      const { text } = document.lineAt(line);
      const note = notes.get(/^ {2}"(\w+)":/.exec(text)?.[1] ?? '');
      if (note) lenses.push(lens(line, note));
      const image = images.get(/^ *"(?:data|blob)": (".*?"),?$/.exec(text)?.[1] ?? '');
      if (!image) continue;
      const address = page.uri.with({ path: `${page.folder}/${image.name}` });
      lenses.push(lens(line, t('$(file-media) Show {0}', image.name), 'vscode.open', [address]));
    }
    return lenses;
  }

  override dispose(): void {
    this.#pages.clear();
    super.dispose();
  }

  async #close(page: ShownReview): Promise<void> {
    if (!this.#pages.delete(page.folder)) return;
    page.whole?.dispose();
    page.conversation?.dispose();
    // Saved, so that the editor does not ask whether to keep a file that is about to be deleted.
    await vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === page.uri.toString())?.save();
    const isOf = (input: unknown) => {
      const uri = input instanceof vscode.TabInputTextDiff ? input.modified : (input as { uri?: vscode.Uri })?.uri;
      return uri?.scheme === SCHEME && uri.path.startsWith(`${page.folder}/`);
    };
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs).filter(({ input }) => isOf(input));
    await vscode.window.tabGroups.close(tabs);
    this.#files.removeFolder(page.folder);
  }
}

/** The buttons of a page for some of the actions. */
function buttonsOf(page: ShownReview, isShown: (action: ReviewAction) => boolean) {
  const shown = page.actions().filter(({ action }) => isShown(action));
  const titles = new Map(shown.map(({ action, title }) => [withoutIcon(title), action]));
  const { allow = [], others = [] } = Object.groupBy(titles.keys(), title =>
    titles.get(title) === 'confirm' ? 'allow' : 'others',
  );
  return { allow, others, actionOf: (title: string) => titles.get(title)! };
}

/** Shows the document of a review in place of its conversation, from which it may differ from now on. */
async function edit(page: ShownReview): Promise<void> {
  page.conversation?.dispose();
  delete page.conversation;
  await showWrapped(page.uri, { preview: false });
}

interface ReviewFile {
  bytes: Uint8Array;
  mtime: number;
  readonly: boolean;
}

/** Files in memory: the reviewed document, which can be edited, and the original request and its images, which can't. */
class ReviewFiles extends VirtualFiles {
  readonly #files = new Map<string, ReviewFile>();

  put(uri: vscode.Uri, bytes: Uint8Array, { readonly = false } = {}): void {
    this.#files.set(uri.path, { bytes, mtime: Date.now(), readonly });
  }

  removeFolder(folder: string): void {
    for (const path of this.#files.keys()) if (path.startsWith(`${folder}/`)) this.#files.delete(path);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const file = this.#files.get(uri.path);
    if (!file && [...this.#files.keys()].some(path => path.startsWith(`${uri.path}/`))) return folderStat;
    const { bytes, mtime, readonly } = this.#file(uri);
    const permissions = readonly ? { permissions: vscode.FilePermission.Readonly } : {};
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length, ...permissions };
  }

  protected override bytesOf(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  override writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const file = this.#file(uri);
    if (file.readonly) throw vscode.FileSystemError.NoPermissions(uri);
    this.#files.set(uri.path, { ...file, bytes, mtime: Math.max(Date.now(), file.mtime + 1) });
  }

  override dispose(): void {
    super.dispose();
    this.#files.clear();
  }

  #file(uri: vscode.Uri): ReviewFile {
    const file = this.#files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}

/** The most rows in total: a chat is narrow, and what does not fit is shown on a page before it is sent. */
const MAX_ROWS = 40;
const COLUMNS = 70;

/** The part of a review that an answer in chat shows: its texts, and everything else as JSON. */
export interface Excerpt extends Pick<ChatQuestion, 'quotes' | 'json' | 'note'> {
  /** Whether that is all. */
  readonly isWhole: boolean;
}

type Content = SamplingParams['messages'][number]['content'] | SamplingResult['content'];
type Message = readonly [by: string, content: Content | string];

export function requestExcerpt({ messages, systemPrompt, ...others }: SamplingParams): Excerpt {
  const system: Message[] = systemPrompt ? [[t('system prompt'), systemPrompt]] : [];
  return excerpt([...system, ...messages.map(({ role, content }): Message => [role, content])], others);
}

export function answerExcerpt({ content, model, role: _role, ...others }: SamplingResult): Excerpt {
  return excerpt([[model, content]], others);
}

function excerpt(messages: readonly Message[], others: object): Excerpt {
  let left = MAX_ROWS;
  let more = 0;
  const cut = (lines: readonly string[]) => {
    const shown: string[] = [];
    for (const line of lines) {
      const rows = Math.max(1, Math.ceil(line.length / COLUMNS));
      if (left > 0) shown.push(rows <= left ? line : `${line.slice(0, left * COLUMNS)}…`);
      more += Math.max(0, rows - left);
      left = Math.max(0, left - rows);
    }
    return shown;
  };
  // Everything else comes first, so that tools, for example, are not cut off.
  const json = cut(rowsText(layOut(visibleJson(others), COLUMNS, markWords())).split('\n'));
  const quotes = messages
    .map(([by, content]) => ({ by, lines: cut(textOf(content).split('\n').map(exact)) }))
    .filter(({ lines }) => lines.length > 0);
  return {
    quotes: quotes.map(({ by, lines }) => ({ by, text: lines.join('\n') })),
    json: json.join('\n'),
    isWhole: more === 0 && !isDrawnByOthers(),
    ...(more > 0 && { note: verbatim('{0} more rows are not shown here.', numberText(more)) }),
  };
}

function textOf(content: Content | string): string {
  if (typeof content === 'string') return content;
  const texts = [content].flat().map(block => {
    if (block.type === 'text') return block.text;
    if (block.type === 'image') return `[${block.mimeType}, ${formatSize(Buffer.byteLength(block.data, 'base64'))}]`;
    return visibleJson(block);
  });
  return texts.join('\n');
}
