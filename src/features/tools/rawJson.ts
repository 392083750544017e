import type { Tool } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';

import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { Coalescer } from '../../base/queue';
import { plain, rowText, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import { type ServerConnection, schemaProblem } from '../../host';
import { resourceFileName } from '../resources';
import type { JsonSchema } from './core/schemaForm';
import { JsonFiles } from './jsonFiles';
import { SchemaHelp } from './schemaHelp';

/** Scheme of the JSON that is being edited: files in memory, gone when they are confirmed or closed. */
const JSON_SCHEME = 'mcp-json';

interface JsonRequest {
  /** Name of the tab, without extension. From the server: made safe here. */
  name: string;
  schema: JsonSchema;
  /** The initial text. */
  value: unknown;
  /** The effect of confirming, such as "Run get-sum". */
  action: string;
  /** Gives up when cancelled, because no caller waits for the value any more. */
  token?: vscode.CancellationToken | undefined;
}

interface Open extends JsonRequest {
  uri: vscode.Uri;
  settle: (answer: { value: unknown } | undefined) => void;
}

/**
 * Asks for a value as JSON in a real editor, checked against its schema while it is typed, with completion and hovers from it.
 * It is confirmed by the lens above the text, the button in the title, Ctrl+Enter or saving, and abandoned by the other lens and
 * button, or by closing the tab, which asks nothing: what is typed is kept as saved.
 */
export class RawJson implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #files = this.#disposables.add(new JsonFiles());
  readonly #problems = this.#disposables.add(vscode.languages.createDiagnosticCollection('mcp-json'));
  readonly #open = new Map<string, Open>();
  readonly #changed = new Set<vscode.TextDocument>();
  readonly #check = new Coalescer(() => this.#checkChanged(), { quietMs: 150, maxMs: 1_000 });
  /** How many saves of ours are on their way, by document. Any other that the person asks for confirms. */
  readonly #keeping = new Map<string, number>();
  /** Documents that the person is saving. */
  readonly #saving = new Set<string>();
  readonly #run: string;
  readonly #cancel: string;
  #count = 0;

  constructor(private readonly scheme = JSON_SCHEME) {
    this.#run = `mcpHost.${scheme}.run`;
    this.#cancel = `mcpHost.${scheme}.cancel`;
    const own = (disposable: vscode.Disposable) => this.#disposables.add(disposable);
    own(vscode.workspace.registerFileSystemProvider(scheme, this.#files, { isCaseSensitive: true }));
    own(vscode.languages.registerCodeLensProvider({ scheme }, this));
    own(vscode.commands.registerCommand(this.#run, (uri: unknown) => this.#confirm(String(uri))));
    own(vscode.commands.registerCommand(this.#cancel, (uri: unknown) => this.#finish(String(uri), undefined)));
    own(new SchemaHelp(scheme, document => this.#open.get(document.uri.toString())?.schema));
    own(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        this.#onChange(document);
        void this.#keep(document);
      }),
    );
    own(
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        const key = document.uri.toString();
        const isOurs = (this.#keeping.get(key) ?? 0) > 0;
        if (reason === vscode.TextDocumentSaveReason.Manual && !isOurs && this.#open.has(key)) this.#saving.add(key);
      }),
    );
    own(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (this.#saving.delete(uri.toString())) void this.#confirm(uri.toString());
      }),
    );
    own(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          // When a tab is moved or was split, another tab of its document remains.
          if (!(input instanceof vscode.TabInputText) || tabsOf(input.uri.toString()).length > 0) continue;
          void this.#finish(input.uri.toString(), undefined);
        }
      }),
    );
  }

  /** The arguments of a call, edited by the person. Undefined when they gave up. */
  readonly editArguments = async (
    server: Pick<ServerConnection, 'name'>,
    tool: Tool,
    args: Record<string, unknown>,
    {
      action = t('Use for {0} on {1}', visible(tool.title ?? tool.name, 80), server.name),
      token,
    }: Partial<Pick<JsonRequest, 'action' | 'token'>> = {},
  ): Promise<Record<string, unknown> | undefined> => {
    const name = `${tool.name} arguments`;
    const edited = await this.edit({ name, schema: tool.inputSchema, value: args, action, token });
    return edited && isObject(edited.value) ? edited.value : undefined;
  };

  /** Opens the editor; resolves when the person has confirmed or given up. */
  async edit(request: JsonRequest): Promise<{ value: unknown } | undefined> {
    const file = resourceFileName({ uri: '', name: `${request.name}.json` });
    const uri = vscode.Uri.from({ scheme: this.scheme, path: `/${++this.#count}/${file}` });
    this.#files.put(uri, JSON.stringify(request.value, null, 2) ?? 'null');
    const document = await vscode.workspace.openTextDocument(uri);
    const answer = new Promise<{ value: unknown } | undefined>(settle => {
      this.#open.set(uri.toString(), { ...request, uri, settle });
    });
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    select(editor);
    this.#onChange(document);
    const end = request.token?.onCancellationRequested(() => this.#finish(uri.toString(), undefined));
    try {
      return await answer;
    } finally {
      end?.dispose();
    }
  }

  /** Confirms the focused JSON. False when there is none. */
  async confirm(): Promise<boolean> {
    const key = vscode.window.activeTextEditor?.document.uri.toString() ?? '';
    if (!this.#open.has(key)) return false;
    await this.#confirm(key);
    return true;
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const open = this.#open.get(uri.toString());
    if (!open) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const argument = [uri.toString()];
    return [
      new vscode.CodeLens(top, { command: this.#run, title: `$(play) ${rowText(open.action)}`, arguments: argument }),
      new vscode.CodeLens(top, { command: this.#cancel, title: t('$(close) Cancel'), arguments: argument }),
    ];
  }

  dispose(): void {
    this.#check.cancel();
    for (const { settle } of this.#open.values()) settle(undefined);
    this.#open.clear();
    this.#disposables.dispose();
  }

  async #confirm(key: string): Promise<void> {
    const open = this.#open.get(key);
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
    if (!open || !document) return;
    const text = document.getText();
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      void window.showErrorMessage(t('That is not JSON: {0}', errorText(error)));
      return;
    }
    const problem = schemaProblem(open.schema, value);
    if (problem) {
      const anyway = t('Send Anyway');
      const message = t('This does not match the schema: {0}', visible(problem, 500));
      if ((await window.showWarningMessage(plain(message), anyway)) !== anyway) return;
      // The person has typed something else meanwhile, which has not been checked.
      if (document.getText() !== text) return this.#confirm(key);
    }
    await this.#finish(key, { value });
  }

  async #finish(key: string, answer: { value: unknown } | undefined): Promise<void> {
    const open = this.#open.get(key);
    if (!open) return;
    this.#open.delete(key);
    this.#problems.delete(open.uri);
    // Saved, so that the editor does not ask whether to keep a file that is about to be deleted.
    await vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key)?.save();
    await vscode.window.tabGroups.close(tabsOf(key));
    this.#files.remove(open.uri);
    open.settle(answer);
  }

  /** Saves what was typed, so that closing the tab does not ask whether to. */
  async #keep(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    if (!this.#open.has(key) || !document.isDirty) return;
    if (vscode.window.activeTextEditor?.document === document) {
      // Nothing is formatted or trimmed below the cursor while a person types, whatever their settings do on saving.
      await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
      return;
    }
    this.#keeping.set(key, (this.#keeping.get(key) ?? 0) + 1);
    try {
      await document.save();
    } finally {
      const left = this.#keeping.get(key)! - 1;
      if (left > 0) this.#keeping.set(key, left);
      else this.#keeping.delete(key);
    }
  }

  #onChange(document: vscode.TextDocument): void {
    if (!this.#open.has(document.uri.toString())) return;
    this.#changed.add(document);
    this.#check.trigger();
  }

  #checkChanged(): void {
    for (const document of this.#changed) {
      const open = this.#open.get(document.uri.toString());
      if (open) this.#problems.set(document.uri, this.#problemsOf(document, open.schema));
    }
    this.#changed.clear();
  }

  #problemsOf(document: vscode.TextDocument, schema: JsonSchema): vscode.Diagnostic[] {
    let value: unknown;
    try {
      value = JSON.parse(document.getText());
    } catch {
      return []; // the editor's own JSON support says where
    }
    const problem = schemaProblem(schema, value);
    if (!problem) return [];
    const { Warning } = vscode.DiagnosticSeverity;
    const diagnostic = new vscode.Diagnostic(placeOf(document, problem), visible(problem, 1_000), Warning);
    diagnostic.source = t('schema of the tool');
    return [diagnostic];
  }
}

/** Confirms or abandons the JSON in an editor, whichever `RawJson` has opened it; without a URI, in the active one. */
export async function answerJson(answer: 'run' | 'cancel', uri: unknown): Promise<void> {
  const asked = uri instanceof vscode.Uri ? uri : vscode.window.activeTextEditor?.document.uri;
  if (asked && asked.scheme === JSON_SCHEME)
    await vscode.commands.executeCommand(`mcpHost.${asked.scheme}.${answer}`, String(asked));
}

/** The line of the first property that a problem names, as `#/a/b` or `"b"`; else the first line. */
function placeOf(document: vscode.TextDocument, problem: string): vscode.Range {
  const text = document.getText();
  const names = [...problem.matchAll(/#\/([^\s:,]+)|"([^"]+)"/g)].map(([, pointer, name]) => name ?? pointer ?? '');
  for (const name of names.toReversed()) {
    const key = JSON.stringify(name.slice(name.lastIndexOf('/') + 1));
    const index = text.indexOf(key);
    if (index >= 0) return new vscode.Range(document.positionAt(index), document.positionAt(index + key.length));
  }
  return document.lineAt(0).range;
}

/** Puts the cursor on the first value that is still empty. */
function select(editor: vscode.TextEditor): void {
  const empty = /: (""|0|\[\]|\{\})/.exec(editor.document.getText());
  if (!empty) return;
  const [start, end] = [empty.index + 2, empty.index + empty[0].length];
  const inner = empty[1] === '0' ? 0 : 1;
  const { document } = editor;
  editor.selection = new vscode.Selection(document.positionAt(start + inner), document.positionAt(end - inner));
}

function tabsOf(key: string): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key);
}
