import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client';
import { formatSize } from '../../base/numberText';
import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { openChat } from '../../editor/openChat';
import { TextDocuments } from '../../editor/textDocuments';
import { withoutOwn } from '../../editor/virtualFiles';

import { t, verbatim, window } from '../../editor/window';

import type { RequestsOf, ServerConnection, ServerSet } from '../../host';
import { parseResourceUri } from '../resources';
import type { Pins } from '../trust';
import { type ArgumentQuestion, askArguments } from './argumentInput';
import { promptDocument, promptText } from './core/promptDocument';
import { formatInlineArguments, slashName } from './core/slashCommand';
import { completionSource, type ReadyChoice } from './core/suggestions';

import vscode = require('vscode');

/** A prompt of a server, as commands take it. */
interface PromptTarget {
  readonly server: ServerConnection;
  readonly prompt: Prompt;
}

/** Runs prompts without chat: asks for the arguments and puts the result where the person wants it. */
export class PromptCommands implements vscode.Disposable {
  readonly #documents = new TextDocuments(
    PROMPT_SCHEME,
    t('This result is no longer available. Run the prompt again.'),
  );
  /** The arguments last given to each prompt in this session. */
  readonly #lastArguments = new Map<string, Record<string, string>>();

  constructor(
    private readonly servers: ServerSet,
    private readonly pins: Pins,
  ) {}

  /** Gets the prompt for the arguments, which are remembered. The prompt then counts as accepted. */
  async get(target: PromptTarget, args: Record<string, string>, signal: AbortSignal): Promise<GetPromptResult> {
    const { server, prompt } = target;
    this.#lastArguments.set(keyOf(target), args);
    const result = await this.servers.byHand(server).getPrompt(prompt.name, args, signal);
    await this.pins.approvePrompt(server, prompt);
    return result;
  }

  lastArguments(target: PromptTarget): Record<string, string> | undefined {
    return this.#lastArguments.get(keyOf(target));
  }

  async isBlocked({ server, prompt }: PromptTarget): Promise<boolean> {
    return (await promptRefusal(this.pins, server, prompt)) !== undefined;
  }

  async open({ server, prompt }: PromptTarget, args: Record<string, string>, result: GetPromptResult): Promise<void> {
    const fileName = prompt.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60) || 'prompt';
    const text = promptDocument({ server: server.name, prompt, args, result }, localized);
    await vscode.window.showTextDocument(this.#documents.add(`${fileName}.md`, text, server.id), { preview: false });
  }

  /** Copies the text of its messages. */
  async copy(result: GetPromptResult): Promise<void> {
    await vscode.env.clipboard.writeText(promptText(result));
    window.setStatusBarMessage(t('Copied the prompt'), 2_000);
  }

  /** Chat runs the prompt itself, with the same arguments, so that its messages keep their roles. */
  async send({ server, prompt }: PromptTarget, args: Record<string, string>): Promise<void> {
    const query = `@mcp ${slashName(server, prompt, this.servers.all)} ${formatInlineArguments(args)}`.trim();
    await openChat({ query }, true);
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

interface KnownArguments {
  readonly given?: Readonly<Record<string, string>>;
  readonly token?: vscode.CancellationToken;
}

/** Asks for the arguments of a prompt that are missing, with suggestions from its server. Undefined when the person gave up. */
export function askPromptArguments(
  { server, prompt }: PromptTarget,
  requests: RequestsOf,
  { given = {}, token }: KnownArguments = {},
): Promise<Record<string, string> | undefined> {
  const questions = (prompt.arguments ?? []).map(
    (argument): ArgumentQuestion => ({
      name: argument.name,
      title: (argument as { title?: string }).title,
      description: argument.description,
      required: argument.required === true,
    }),
  );
  return askArguments({
    title: `${titleOf(prompt)} (${server.name})`,
    questions,
    given,
    suggest: completionSource(server, requests, { type: 'ref/prompt', name: prompt.name }),
    choices: readyChoices,
    token,
  });
}

const keyOf = ({ server, prompt }: PromptTarget): string => JSON.stringify([server.id, prompt.name]);
const titleOf = (prompt: Prompt): string => visible(prompt.title || prompt.name, 80);

/** Scheme of the read-only documents that show what a prompt returned. */
const PROMPT_SCHEME = 'mcp-prompt';

/** Anything longer is not offered: if it were cut, something other than the row says would be sent. */
const MAX_TEXT = 200_000;
/** Editors that do not show a document of the person's: logs, results, other tools' panes. */
const NOT_FILES = new Set(['output', 'debug', 'mcp-hex', 'mcp-prompt', 'mcp-result', 'vscode', 'comment']);

/** The selection, where the open file is, and its text: what people most often want to give to a prompt. */
function readyChoices(): ReadyChoice[] {
  const editor = vscode.window.activeTextEditor;
  if (!editor || NOT_FILES.has(editor.document.uri.scheme)) return [];
  const { document, selections } = editor;
  const choices: ReadyChoice[] = [];
  const selected = selections.filter(({ isEmpty }) => !isEmpty).map(range => document.getText(range));
  const selection = selected.join('\n');
  if (selection && selection.length <= MAX_TEXT) {
    const lines = selection.split('\n').length;
    choices.push({
      label: lines === 1 ? t('Selection (1 line)') : t('Selection ({0} lines)', lines),
      description: selection.trim().slice(0, 60),
      value: selection,
    });
  }
  const place = placeOf(document.uri);
  if (place) choices.push(place);
  const text = document.lineCount <= MAX_TEXT ? document.getText() : '';
  if (text && text.length <= MAX_TEXT) {
    choices.push({ label: t('Text of the open file'), description: formatSize(Buffer.byteLength(text)), value: text });
  }
  return choices;
}

/** The path of a file, or the URI of a resource as its server knows it; a document that was never saved has neither. */
function placeOf(uri: vscode.Uri): ReadyChoice | undefined {
  if (uri.scheme === 'untitled') return undefined;
  if (uri.scheme === 'file') {
    return { label: t('Path of the open file'), description: vscode.workspace.asRelativePath(uri), value: uri.fsPath };
  }
  const value = parseResourceUri(uri)?.uri ?? withoutOwn(uri).toString();
  return { label: t('URI of the open file'), description: value, value };
}

/** Why a prompt must not be run: it is not what was accepted (`Pins`). Undefined: it may be run. */
export async function promptRefusal(pins: Pins, server: ServerConnection, prompt: Prompt): Promise<string | undefined> {
  await pins.load(server);
  if (!pins.blocksPrompt(server, prompt)) return undefined;
  return verbatim(
    'Prompt {0} from MCP server "{1}" is blocked because it has changed since you accepted it. To run it, review and accept the change.',
    visible(prompt.name, 80),
    server.name,
  );
}
