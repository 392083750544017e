import { randomUUID } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../host';
import type { PinState } from '../../host/pins';
import { plain, visible } from '../../host/text';
import type { PersonsAnswer, WantedCall } from '../../host/toolCalls';
import { plainMarkdown } from '../markdown';
import { argumentsText, codeBlock, fitsAnswer } from '../trust/argumentsText';
import type { ReviewDocuments } from '../trust/reviewDocuments';
import { t, window } from '../window';
import { type Answer, allows, BUTTONS, isAnswer, LONG_BUTTONS, rarerAnswer } from './approvalChoices';

type Arguments = Record<string, unknown>;

/** Lets a person change the arguments of a call, until the turn ends. Undefined: they gave up, and are asked again. */
export type EditArguments = (
  server: ServerConnection,
  tool: Tool,
  args: Arguments,
  turn: { token: vscode.CancellationToken },
) => Promise<Arguments | undefined>;

interface Open {
  readonly call: WantedCall;
  /** Whether all of the arguments could be seen: nothing is allowed before. */
  mayAllow: boolean;
  showAll(): Promise<void>;
  resolve(answer: Answer): void;
}

/**
 * Asks for approval in the answer itself. A question is open until it is answered by one of its own buttons or the turn
 * ends; nothing else approves, and buttons of an earlier question answer nothing. Arguments that are too long for an answer
 * have to be opened as a document before they can be allowed.
 */
export class ChatApproval {
  readonly #open = new Map<string, Open>();

  constructor(
    private readonly edit: EditArguments,
    private readonly documents: Pick<ReviewDocuments, 'show' | 'close'>,
  ) {}

  /** What the person says to a call. Undefined: the turn ended before they said anything. */
  async ask(
    call: WantedCall,
    pin: PinState,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<PersonsAnswer | undefined> {
    const { server, tool, args } = call;
    for (;;) {
      const answer = await this.#ask(call, question(server, tool, pin), stream, token);
      switch (answer) {
        case 'edit': {
          const edited = await this.edit(server, tool, args, { token });
          if (token.isCancellationRequested) return undefined;
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
        case 'everywhere':
          say(stream, t('Always allowed everywhere.'));
          return { answer: 'allow', scope: 'user' };
        case 'deny':
          say(stream, t('Denied.'));
          return { answer: 'deny' };
        case 'never':
          say(stream, t('Always denied in this workspace.'));
          return { answer: 'deny', scope: 'workspace' };
        case 'neverAnywhere':
          say(stream, t('Always denied everywhere.'));
          return { answer: 'deny', scope: 'user' };
        default:
          return undefined;
      }
    }
  }

  /** What a button of a question does. Anything that is no answer leaves the question open. */
  async answer(id: unknown, said: unknown): Promise<void> {
    const asked = this.#open.get(String(id));
    if (asked && said === 'showAll') return asked.showAll();
    const call = asked?.call;
    const isOwn = call?.server.definition.source.scope === 'user';
    const answer = call && said === 'more' ? await rarerAnswer(plain(toolTitle(call.tool)), isOwn) : said;
    if (call && answer === undefined) return;
    // While the list of answers was shown, the question may have gone.
    const open = this.#open.get(String(id));
    if (!open) void window.showInformationMessage(t('This question is no longer open.'));
    else if (isAnswer(answer) && (open.mayAllow || !allows(answer))) open.resolve(answer);
    // The walkthrough checks its step off.
    void vscode.commands.executeCommand('setContext', 'mcpHost.approvalAnswered', true);
  }

  async #ask(
    call: WantedCall,
    question: vscode.MarkdownString,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Answer | undefined> {
    const id = randomUUID();
    const put = (buttons: [string, string][]) => {
      for (const [answer, title] of buttons)
        stream.button({ command: 'mcpHost.answerApproval', title, arguments: [id, answer] });
    };
    const text = argumentsText(call.args);
    const mayAllow = fitsAnswer(text);
    stream.markdown(question);
    stream.markdown(codeBlock(call.args));
    put(mayAllow ? BUTTONS() : LONG_BUTTONS());
    const documents: vscode.Uri[] = [];
    const showAll = async () => {
      documents.push(await this.documents.show(`${toolTitle(call.tool)}.json`, text));
      const open = this.#open.get(id);
      if (!open) return this.documents.close(documents);
      if (!open.mayAllow) put(BUTTONS());
      open.mayAllow = true;
    };
    let cancel: vscode.Disposable | undefined;
    try {
      return await new Promise<Answer | undefined>(resolve => {
        this.#open.set(id, { call, mayAllow, showAll, resolve });
        if (token.isCancellationRequested) resolve(undefined);
        cancel = token.onCancellationRequested(() => resolve(undefined));
      });
    } finally {
      this.#open.delete(id);
      void this.documents.close(documents);
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

/** What is going on, while it is; nothing in it is markup: the editor takes progress for markdown. */
export function sayProgress(stream: vscode.ChatResponseStream, text: string): void {
  stream.progress(plainMarkdown(text));
}

/** One line of ours in an answer; nothing in it is markup. */
export function say(stream: vscode.ChatResponseStream, text: string): void {
  stream.markdown(new vscode.MarkdownString(`\n\n${plainMarkdown(text)}\n\n`));
}

export function toolTitle({ name, title, annotations }: Tool): string {
  return visible(title ?? annotations?.title ?? name, 120);
}
