import { randomUUID } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../host';
import type { ApprovalPolicy, ToolCall } from '../../host/approvals';
import { visible, visibleLines } from '../../host/text';
import { plainMarkdown } from '../markdown';

const { t } = vscode.l10n;
const MAX_SHOWN_ARGUMENTS = 20_000;

type Answer = 'once' | 'chat' | 'always' | 'edit' | 'deny';
type Arguments = Record<string, unknown>;

/** Lets a person change the arguments of a call. Undefined: they gave up, and are asked again. */
export type EditArguments = (server: ServerConnection, tool: Tool, args: Arguments) => Promise<Arguments | undefined>;

/** A call that the model wants to make. */
export interface WantedCall {
  server: ServerConnection;
  tool: Tool;
  args: Arguments;
  /** Key of the chat session. */
  chat: string;
}

/**
 * Asks for approval in the answer itself. A question is open until it is answered by one of its own buttons or the turn
 * ends; nothing else approves, and buttons of an earlier question answer nothing.
 */
export class ChatApproval {
  readonly #open = new Map<string, (answer: Answer) => void>();

  constructor(
    private readonly policy: ApprovalPolicy,
    private readonly edit: EditArguments,
  ) {}

  /** The arguments to call with, as approved; undefined when the call is denied or the turn is cancelled. */
  async approve(
    { server, tool, args, chat }: WantedCall,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Arguments | undefined> {
    const call: ToolCall = { serverId: server.id, tool, origin: 'chat', chat };
    const decision = this.policy.decide(call);
    if (decision === 'allow') return args;
    if (decision === 'deny') {
      say(stream, t('{0} is denied by your approvals.', toolTitle(tool)));
      return undefined;
    }
    for (;;) {
      const answer = await this.#ask(server, tool, args, stream, token);
      if (answer === 'edit') {
        const edited = await this.edit(server, tool, args);
        if (edited === undefined) continue;
        // Whoever wrote the arguments need not be asked for them once more.
        say(stream, t('Arguments edited by you:'));
        stream.markdown(codeBlock(edited));
        return edited;
      }
      if (answer === undefined || answer === 'deny') {
        say(stream, t('Denied.'));
        return undefined;
      }
      if (answer === 'chat') await this.policy.remember(call, 'allow', 'chat');
      if (answer === 'always') await this.policy.remember(call, 'allow', 'workspace');
      say(
        stream,
        answer === 'once'
          ? t('Allowed once.')
          : answer === 'chat'
            ? t('Allowed in this chat.')
            : t('Always allowed in this workspace.'),
      );
      return args;
    }
  }

  /** What a button of a question does. */
  answer(id: unknown, answer: unknown): void {
    const resolve = this.#open.get(String(id));
    if (resolve) resolve(answer as Answer);
    else void vscode.window.showInformationMessage(t('This question is no longer open.'));
  }

  async #ask(
    server: ServerConnection,
    tool: Tool,
    args: Arguments,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Answer | undefined> {
    const id = randomUUID();
    stream.markdown(question(server, tool));
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

function question(server: ServerConnection, tool: Tool): vscode.MarkdownString {
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
  return new vscode.MarkdownString(`\n\n${title}  \n${said}\n`);
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
