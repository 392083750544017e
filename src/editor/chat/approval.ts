import { randomUUID } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../host';
import type { PinState } from '../../host/pins';
import { visible, visibleLines } from '../../host/text';
import type { PersonsAnswer, WantedCall } from '../../host/toolCalls';
import { plainMarkdown } from '../markdown';

const { t } = vscode.l10n;
const MAX_SHOWN_ARGUMENTS = 20_000;

type Answer = 'once' | 'chat' | 'always' | 'edit' | 'deny';
type Arguments = Record<string, unknown>;

/** Lets a person change the arguments of a call. Undefined: they gave up, and are asked again. */
export type EditArguments = (server: ServerConnection, tool: Tool, args: Arguments) => Promise<Arguments | undefined>;

/**
 * Asks for approval in the answer itself. A question is open until it is answered by one of its own buttons or the turn
 * ends; nothing else approves, and buttons of an earlier question answer nothing.
 */
export class ChatApproval {
  readonly #open = new Map<string, (answer: Answer) => void>();

  constructor(private readonly edit: EditArguments) {}

  /** What the person says to a call. Undefined: the turn ended before they said anything. */
  async ask(
    { server, tool, args }: WantedCall,
    pin: PinState,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<PersonsAnswer | undefined> {
    for (;;) {
      const answer = await this.#ask(question(server, tool, pin), args, stream, token);
      switch (answer) {
        case 'edit': {
          const edited = await this.edit(server, tool, args);
          if (edited === undefined) continue;
          // Whoever wrote the arguments need not be asked for them once more.
          say(stream, t('Arguments edited by you:'));
          stream.markdown(codeBlock(edited));
          return { answer: 'allow', args: edited };
        }
        case 'once':
          say(stream, t('Allowed once.'));
          return { answer: 'allow' };
        case 'chat':
          say(stream, t('Allowed in this chat.'));
          return { answer: 'allow', scope: 'chat' };
        case 'always':
          say(stream, t('Always allowed in this workspace.'));
          return { answer: 'allow', scope: 'workspace' };
        case 'deny':
          say(stream, t('Denied.'));
          return { answer: 'deny' };
        default:
          return undefined;
      }
    }
  }

  /** What a button of a question does. */
  answer(id: unknown, answer: unknown): void {
    const resolve = this.#open.get(String(id));
    if (resolve) resolve(answer as Answer);
    else void vscode.window.showInformationMessage(t('This question is no longer open.'));
  }

  async #ask(
    question: vscode.MarkdownString,
    args: Arguments,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Answer | undefined> {
    const id = randomUUID();
    stream.markdown(question);
    stream.markdown(codeBlock(args));
    const buttons: [Answer, string][] = [
      ['once', t('Allow once')],
      ['chat', t('Allow in this chat')],
      ['always', t('Always allow')],
      ['edit', t('Edit arguments…')],
      ['deny', t('Deny')],
    ];
    for (const [answer, title] of buttons)
      stream.button({ command: 'mcpHost.answerApproval', title, arguments: [id, answer] });
    let cancel: vscode.Disposable | undefined;
    try {
      return await new Promise<Answer | undefined>(resolve => {
        this.#open.set(id, resolve);
        if (token.isCancellationRequested) resolve(undefined);
        cancel = token.onCancellationRequested(() => resolve(undefined));
      });
    } finally {
      this.#open.delete(id);
      cancel?.dispose();
    }
  }
}

function question(server: ServerConnection, tool: Tool, pin: PinState): vscode.MarkdownString {
  const { readOnlyHint, destructiveHint, openWorldHint } = tool.annotations ?? {};
  const hints = [
    readOnlyHint
      ? t('says it only reads')
      : destructiveHint !== false
        ? t('may change or delete things')
        : t('says it only adds'),
    openWorldHint !== false && t('may reach other systems'),
  ].filter(hint => typeof hint === 'string');
  const title = `**${plainMarkdown(toolTitle(tool))}** · ${plainMarkdown(visible(server.id, 100))}`;
  const said = `_${plainMarkdown(t('Hints of the server: {0}.', hints.join(', ')))}_`;
  const news =
    pin === 'new'
      ? t('This tool is new: it was not there when you first used this server.')
      : pin === 'changed'
        ? t('This tool has changed since you accepted it.')
        : undefined;
  return new vscode.MarkdownString(`\n\n${title}  \n${said}${news ? `  \n**${plainMarkdown(news)}**` : ''}\n`);
}

/** Arguments exactly as they would be sent, with hidden characters made visible. */
export function codeBlock(value: unknown): vscode.MarkdownString {
  const text = visibleLines(JSON.stringify(value, null, 2) ?? 'undefined', MAX_SHOWN_ARGUMENTS);
  return new vscode.MarkdownString().appendCodeblock(text, 'json');
}

/** One line of ours in an answer; nothing in it is markup. */
export function say(stream: vscode.ChatResponseStream, text: string): void {
  stream.markdown(new vscode.MarkdownString(`\n\n${plainMarkdown(text)}\n\n`));
}

export function toolTitle({ name, title, annotations }: Tool): string {
  return visible(title ?? annotations?.title ?? name, 120);
}
