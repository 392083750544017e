import { randomUUID } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { plain, visible } from '../../base/text';
import { plainMarkdown } from '../../editor/markdown';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import {
  inQuestion,
  jsonOf,
  type NarrowedApproval,
  narrowApproval,
  newsOf,
  type OpenWholePage,
  openWholePage,
  type PersonsAnswer,
  type PinState,
  quotedJson,
  ruleText,
  type WantedCall,
  type WholeText,
} from '../trust';
import {
  type Answer,
  allows,
  BUTTONS,
  CHANGED_BUTTONS,
  isAnswer,
  keeps,
  LONG_BUTTONS,
  rarerAnswer,
} from './approvalChoices';

type Arguments = Record<string, unknown>;

/** Lets a person change the arguments of a call until the turn ends. Undefined: they gave up, and are asked again. */
export type EditArguments = (
  server: ServerConnection,
  tool: Tool,
  args: Arguments,
  turn: { token: vscode.CancellationToken },
) => Promise<Arguments | undefined>;

interface Open {
  readonly call: WantedCall;
  /** Whether the answer shows all of the arguments. If not, they can be allowed only on the page that does. */
  readonly isWhole: boolean;
  readonly isChanged: boolean;
  showAll(): void;
  resolve(answer: Answer | NarrowedApproval): void;
}

/**
 * Asks for approval in the answer itself. A question is open until it is answered by one of its own buttons or the turn
 * ends; nothing else approves, and buttons of an earlier question answer nothing. Arguments that are too long for an answer
 * can be allowed only at the end of a page that shows all of them.
 */
export class ChatApproval {
  readonly #open = new Map<string, Open>();

  constructor(private readonly edit: EditArguments) {}

  /** The person's answer to a call. Undefined: the turn ended without one. */
  async ask(
    call: WantedCall,
    pin: PinState,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<PersonsAnswer | undefined> {
    const { server, tool } = call;
    let { args } = call;
    /** The arguments as changed by the person. */
    let changed: { args?: Arguments } = {};
    for (;;) {
      const json = jsonOf(args);
      const { isWhole } = inQuestion(json);
      const answer = await this.#ask({ ...call, args }, pin, stream, token);
      // Send what was shown, even if someone else changes the object.
      const isAllowed = typeof answer === 'object' || (answer && allows(answer));
      if (isAllowed && jsonOf(args) !== json) continue;
      if (typeof answer === 'object') {
        say(stream, t('Always allowed with similar arguments: {0}', ruleText(answer.rule)));
        return { answer: 'allow', ...answer, ...changed };
      }
      switch (answer) {
        case 'edit': {
          const edited = await this.edit(server, tool, args, { token });
          if (token.isCancellationRequested) return undefined;
          if (edited === undefined) continue;
          say(stream, t('Arguments edited by you:'));
          // A person who wrote the arguments need not confirm them, but long ones may contain something that they have not
          // seen.
          if (!isWhole || !inQuestion(jsonOf(edited)).isWhole) {
            [args, changed] = [edited, { args: edited }];
            continue;
          }
          stream.markdown(quotedJson(jsonOf(edited)));
          return { answer: 'allow', args: edited };
        }
        case 'once':
          say(stream, t('Allowed once.'));
          return { answer: 'allow', ...changed };
        case 'chat':
          say(stream, t('Allowed in this chat.'));
          return { answer: 'allow', scope: 'chat', ...changed };
        case 'always':
          say(stream, t('Always allowed in this workspace.'));
          return { answer: 'allow', scope: 'workspace', ...changed };
        case 'everywhere':
          say(stream, t('Always allowed everywhere.'));
          return { answer: 'allow', scope: 'user', ...changed };
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

  /** Handles a button of a question. Anything that is not an answer leaves the question open. */
  answer(id: unknown, said: unknown): Promise<void> {
    return this.#answer(String(id), said, false);
  }

  /** @param sawAll whether the answer was given below all of the arguments. */
  async #answer(id: string, said: unknown, sawAll: boolean): Promise<void> {
    const asked = this.#open.get(id);
    if (asked && said === 'showAll') return asked.showAll();
    const call = asked?.call;
    const isOwn = call?.server.definition.source.scope === 'user';
    if (call && said === 'review') {
      const { server, tool: item } = call;
      return vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item });
    }
    const mayAllow = asked !== undefined && (sawAll || asked.isWhole);
    const answer = call && said === 'more' ? await rarerAnswer(plain(toolTitle(call.tool)), isOwn) : said;
    const mayNarrow = call && answer === 'narrow' && mayAllow && !asked.isChanged;
    const narrowed = mayNarrow ? await narrowApproval(call) : undefined;
    if (call && (answer === undefined || (mayNarrow && !narrowed))) return;
    // The question may have gone while the list of answers was shown.
    const open = this.#open.get(id);
    if (!open) void window.showInformationMessage(t('This question is no longer open.'));
    else if (narrowed) open.resolve(narrowed);
    else if (isAnswer(answer) && (mayAllow || !allows(answer)) && !(open.isChanged && keeps(answer)))
      open.resolve(answer);
    // Lets the walkthrough check off its step.
    void vscode.commands.executeCommand('setContext', 'mcpHost.approvalAnswered', true);
  }

  async #ask(
    call: WantedCall,
    pin: PinState,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Answer | NarrowedApproval | undefined> {
    const id = randomUUID();
    const isChanged = pin === 'changed';
    const json = jsonOf(call.args);
    const { isWhole } = inQuestion(json);
    stream.markdown(question(call.server, call.tool, pin));
    stream.markdown(quotedJson(json));
    const buttons = isChanged ? CHANGED_BUTTONS() : BUTTONS();
    for (const [answer, title] of isWhole ? buttons : LONG_BUTTONS())
      stream.button({ command: 'mcpHost.answerApproval', title, arguments: [id, answer] });
    let page: OpenWholePage | undefined;
    const showAll = () => {
      if (page) return page.reveal();
      page = openWholePage(
        wholeText(call, pin, json, buttons),
        said => void this.#answer(id, said, true),
        () => {
          page = undefined;
        },
      );
    };
    let cancel: vscode.Disposable | undefined;
    try {
      return await new Promise<Answer | NarrowedApproval | undefined>(resolve => {
        this.#open.set(id, { call, isWhole, isChanged, showAll, resolve });
        if (token.isCancellationRequested) resolve(undefined);
        cancel = token.onCancellationRequested(() => resolve(undefined));
      });
    } finally {
      this.#open.delete(id);
      page?.dispose();
      cancel?.dispose();
    }
  }
}

/** The text of the same question for the page that shows all of the arguments. */
function wholeText(
  { server, tool }: WantedCall,
  pin: PinState,
  json: string,
  buttons: readonly (readonly [answer: string, title: string])[],
): WholeText {
  const news = newsOf(pin);
  const allowing = (answer: string) => answer === 'more' || (isAnswer(answer) && allows(answer));
  return {
    title: t('Call {0}?', visible(tool.name, 60)),
    question: t('Call {0} on MCP server "{1}"?', visible(tool.name, 120), server.id),
    notes: [hintsOf(tool), ...(news ? [news] : [])],
    content: { json },
    buttons: buttons.map(([answer, title]) => ({ answer, title, allows: allowing(answer) })),
  };
}

function question(server: ServerConnection, tool: Tool, pin: PinState): vscode.MarkdownString {
  const title = `**${plainMarkdown(toolTitle(tool))}** · ${plainMarkdown(visible(server.id, 100))}`;
  const news = newsOf(pin);
  const said = `_${plainMarkdown(hintsOf(tool))}_`;
  return new vscode.MarkdownString(`\n\n${title}  \n${said}${news ? `  \n**${plainMarkdown(news)}**` : ''}\n`);
}

function hintsOf({ annotations }: Tool): string {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations ?? {};
  const hints = [
    readOnlyHint ? t('read-only') : destructiveHint !== false ? t('may change or delete data') : t('only adds data'),
    openWorldHint !== false && t('may access other systems'),
  ].filter(hint => typeof hint === 'string');
  return t('Server says: {0}.', hints.join(', '));
}

/** Shows what is going on. The editor renders progress as markdown, so markup in it is escaped. */
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
