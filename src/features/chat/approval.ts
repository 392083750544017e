import { randomUUID } from 'node:crypto';
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/client';
import type { Disposable } from '../../base/events';
import { indentedJson } from '../../base/json';
import { type PlainText, plain, plainMarkdown, visible } from '../../base/text';
import { abortOn } from '../../editor/dialogs';
import { onDidDraft, openChat } from '../../editor/openChat';
import type { OpenQuestions } from '../../editor/openQuestions';
import { toolTitle } from '../../editor/serverRows';
import { type PlainRow, t, verbatim, window } from '../../editor/window';
import { inQuestion, type OpenWholePage, openWholePage, quotedJson, type WholeText } from '../review';
import type { EditOnPage } from '../tools';
import {
  type CallToApprove,
  lastingAnswers,
  type NarrowedApproval,
  narrowApproval,
  notesOf,
  type PersonsAnswer,
  type PinState,
  ruleText,
} from '../trust';
import { say, sayAnswers } from './answerLines';

import vscode = require('vscode');

type Arguments = Record<string, unknown>;

const MAX_ANSWERED = 100;
/** A key that is pressed sooner after a question has appeared, or after the same key, was not meant for the question. */
const KEY_AFTER_MS = 1_000;
/** Of a tool's description, in characters: its first line says what it does. */
const MAX_DESCRIPTION = 200;

interface Open {
  readonly call: CallToApprove;
  /** Whether the answer shows all of the arguments. If not, they can be allowed only on the page that does. */
  readonly isWhole: boolean;
  /** Whether an answer can hold for later calls, too. */
  readonly mayKeep: boolean;
  /** Whether a key may allow the call, as with the editor's own questions: not if it may delete, or something is unusual about it. */
  readonly takesKey: boolean;
  readonly sinceMs: number;
  showAll(): void;
  resolve(answer: Answer | NarrowedApproval): void;
}

/**
 * Asks for approval in the answer itself. A question is open until one of its own buttons answers it or the turn ends.
 * Buttons of earlier questions do nothing. Arguments that are too long for an answer can be allowed only at the end of a page
 * that shows all of them.
 */
export class ChatApproval implements Disposable {
  readonly #open = new Map<string, Open>();
  /** Answers to the latest questions. */
  readonly #answered = new Map<string, string>();
  #lastKeyMs = 0;
  /** Whether a text stands in the input that the person has not written. A key is meant for that, or for what had the focus before. */
  #hasDraft = false;
  readonly #drafts = onDidDraft(() => this.#noteDraft(true));

  constructor(
    private readonly edit: EditOnPage,
    private readonly questions: Pick<OpenQuestions, 'add'>,
  ) {}

  /** The person's answer to a call. Undefined: the turn ended without one. */
  async ask(
    call: CallToApprove,
    pin: PinState,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<PersonsAnswer | undefined> {
    const { server, tool } = call;
    let { args } = call;
    let changed: { args?: Arguments } = {};
    for (;;) {
      const json = indentedJson(args);
      const { isWhole } = inQuestion(json);
      const answer = await this.#showQuestion({ ...call, args }, pin, stream, token);
      if (answer === undefined) return undefined;
      // What is sent is what was shown, even if other code changes the object.
      const isAllowed = typeof answer === 'object' || allows(answer);
      if (isAllowed && indentedJson(args) !== json) continue;
      if (answer !== 'edit') return isAllowed ? { ...answerOf(answer), ...changed } : answerOf(answer);
      const title = plain(toolTitle(tool));
      const submit = t('Use for {0} on {1}', title, server.name);
      const edited = await this.edit({ title, schema: tool.inputSchema, value: args, submit, signal: abortOn(token) });
      if (token.isCancellationRequested) return undefined;
      if (edited === undefined) continue;
      say(stream, t('Arguments edited by you:'));
      // Edited arguments need no confirmation, unless they are so long that some may not have been seen.
      if (!isWhole || !inQuestion(indentedJson(edited)).isWhole) {
        [args, changed] = [edited, { args: edited }];
        continue;
      }
      stream.markdown(quotedJson(indentedJson(edited)));
      return { answer: 'allow', args: edited };
    }
  }

  /** Handles a button of a question. Anything that is not an answer leaves the question open. */
  answer(id: unknown, said: unknown): Promise<void> {
    return this.#answer(String(id), said, false);
  }

  /** Allows the call of the only open question. With several, it is unknown which one the person is looking at. */
  async allowByKey(): Promise<void> {
    const now = Date.now();
    const [id] = this.#forKey ?? [];
    const since = Math.max(this.#forKey?.[1].sinceMs ?? now, this.#lastKeyMs);
    this.#lastKeyMs = now;
    if (id !== undefined && now - since >= KEY_AFTER_MS) await this.#answer(id, 'once', false);
  }

  /** What stood in the input of a chat is a question now. */
  inputSent(): void {
    this.#noteDraft(false);
  }

  dispose(): void {
    this.#drafts.dispose();
  }

  #noteDraft(isThere: boolean): void {
    this.#hasDraft = isThere;
    this.#updateKey();
  }

  get #forKey(): [id: string, open: Open] | undefined {
    if (this.#hasDraft) return undefined;
    const [only, ...others] = this.#open;
    return only?.[1].takesKey && others.length === 0 ? only : undefined;
  }

  #updateKey(): void {
    void vscode.commands.executeCommand('setContext', 'mcpHost.callTakesKey', this.#forKey !== undefined);
  }

  /** @param sawAll whether the answer was given on a page that shows all arguments. */
  async #answer(id: string, said: unknown, sawAll: boolean): Promise<void> {
    const asked = this.#open.get(id);
    if (asked && said === 'showAll') return asked.showAll();
    const call = asked?.call;
    if (call && said === 'review') {
      const { server, tool: item } = call;
      return vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item });
    }
    const mayAllow = asked !== undefined && (sawAll || asked.isWhole);
    const may = (open: Open) => ({
      mayAllow,
      mayKeep: open.mayKeep,
      isOwn: open.call.server.definition.source.scope === 'user',
    });
    const answer = asked && said === 'more' ? await rarerAnswer(plain(toolTitle(asked.call.tool)), may(asked)) : said;
    const mayNarrow = call && answer === 'narrow' && mayAllow && asked.mayKeep;
    const narrowed = mayNarrow ? await narrowApproval(call) : undefined;
    if (call && (answer === undefined || (mayNarrow && !narrowed))) return;
    // The question may have gone while the list of answers was shown.
    const open = this.#open.get(id);
    const mayGive = (given: Answer) => (mayAllow || !allows(given)) && (open?.mayKeep || !keeps(given));
    const given = narrowed ?? (isAnswer(answer) && mayGive(answer) ? answer : undefined);
    if (!open) this.#tellAnswered(id);
    else if (given) open.resolve(given);
    // Lets the walkthrough check off its step.
    void vscode.commands.executeCommand('setContext', 'mcpHost.approvalAnswered', true);
  }

  #keepAnswer(id: string, answer: Answer | NarrowedApproval | undefined): void {
    if (answer === undefined) return;
    const text = answer === 'edit' ? t('arguments edited') : decisionText(answerOf(answer));
    this.#answered.set(id, text);
    if (this.#answered.size > MAX_ANSWERED) this.#answered.delete(this.#answered.keys().next().value!);
  }

  /** Shows the earlier answer when an old button is pressed: buttons stay visible in the chat. */
  #tellAnswered(id: string): void {
    const answered = this.#answered.get(id);
    void window.showInformationMessage(
      answered ? t('Already answered: {0}.', answered) : t('This question is no longer open.'),
    );
  }

  async #showQuestion(
    call: CallToApprove,
    pin: PinState,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Answer | NarrowedApproval | undefined> {
    const id = randomUUID();
    const isChanged = pin === 'changed';
    const json = indentedJson(call.args);
    const { isWhole } = inQuestion(json);
    stream.markdown(question(call, pin));
    stream.markdown(quotedJson(json));
    const buttons = buttonsFor(isChanged);
    // What an answer can't show whole is allowed on the page that does.
    const answers = isWhole ? buttons : [SHOW_ALL(), ...buttonsFor(false).slice(1)];
    const about = `${toolTitle(call.tool)} · ${visible(call.server.id, 100)}`;
    sayAnswers(stream, { command: 'mcpHost.answerApproval', id, answers, about });
    let page: OpenWholePage | undefined;
    const showAll = () => {
      if (page) return page.reveal();
      page = openWholePage(
        wholeText(call, pin, json, buttons),
        title => void this.#answer(id, buttons.find(([, known]) => known === title)?.[0], true),
        () => {
          page = undefined;
        },
      );
    };
    let cancel: vscode.Disposable | undefined;
    const { server, tool } = call;
    const waiting = this.questions.add({
      server: server.definition,
      message: t('Call {0}? The chat has the question.', visible(tool.name, 120)),
      answer: () => void openChat({}),
    });
    try {
      const answer = await new Promise<Answer | NarrowedApproval | undefined>(resolve => {
        const mayKeep = !isChanged && !call.because;
        const takesKey = isWhole && !mayDelete(tool.annotations ?? {}) && notesOf(pin, call.because).length === 0;
        this.#open.set(id, { call, isWhole, mayKeep, takesKey, sinceMs: Date.now(), showAll, resolve });
        this.#updateKey();
        if (token.isCancellationRequested) resolve(undefined);
        cancel = token.onCancellationRequested(() => resolve(undefined));
      });
      this.#keepAnswer(id, answer);
      return answer;
    } finally {
      this.#open.delete(id);
      this.#updateKey();
      waiting.dispose();
      page?.dispose();
      cancel?.dispose();
    }
  }
}

const answerOf = (answer: Exclude<Answer, 'edit'> | NarrowedApproval): PersonsAnswer =>
  typeof answer === 'object' ? { answer: 'allow', ...answer } : ANSWERED[answer];

/** The text of the same question for the page that shows all of the arguments. */
function wholeText(
  { server, tool, because }: CallToApprove,
  pin: PinState,
  json: string,
  buttons: readonly Button[],
): WholeText {
  const allowing = ([answer]: Button) => answer === 'more' || (isAnswer(answer) && allows(answer));
  return {
    title: t('Call {0}?', visible(tool.name, 60)),
    question: t('Call {0} on MCP server "{1}"?', visible(tool.name, 120), server.id),
    notes: [...descriptionOf(tool), hintsOf(tool), ...notesOf(pin, because)],
    content: { json },
    allow: buttons.filter(one => allowing(one)).map(([, title]) => title),
    others: buttons.filter(one => !allowing(one)).map(([, title]) => title),
  };
}

function question({ server, tool, because }: CallToApprove, pin: PinState): vscode.MarkdownString {
  const title = `**${plainMarkdown(toolTitle(tool))}** · ${plainMarkdown(visible(server.id, 100))}`;
  const news = notesOf(pin, because).join(' ');
  const said = [...descriptionOf(tool), hintsOf(tool)].map(text => `_${plainMarkdown(text)}_`).join('  \n');
  return new vscode.MarkdownString(`\n\n${title}  \n${said}${news ? `  \n**${plainMarkdown(news)}**` : ''}\n`);
}

/** What the server says a tool does, in one line. */
function descriptionOf({ description }: Tool): string[] {
  const line = visible(description?.trim().split('\n')[0] ?? '', MAX_DESCRIPTION);
  return line === '' ? [] : [t('Its server describes it as: "{0}"', line)];
}

/** The server's hints about a tool. Hints that it omits are not attributed to it. */
function hintsOf({ annotations = {} }: Tool): string {
  const effect = effectOf(annotations);
  const hints = [effect, annotations.openWorldHint && t('may access other systems')].filter(
    hint => typeof hint === 'string',
  );
  const unsaid = effect ? [] : [t('The server does not say whether this changes data.')];
  return [...unsaid, ...(hints.length > 0 ? [t('Server says: {0}.', hints.join(', '))] : [])].join(' ');
}

function effectOf(hints: ToolAnnotations) {
  if (hints.readOnlyHint) return t('read-only');
  if (hints.destructiveHint === false) return t('only adds data');
  return mayDelete(hints) ? t('may change or delete data') : undefined;
}

/** Whether the server says that the tool may delete data: one that changes anything counts as destructive unless it denies that. */
const mayDelete = ({ readOnlyHint, destructiveHint }: ToolAnnotations): boolean =>
  !readOnlyHint && (destructiveHint ?? readOnlyHint !== undefined);

const ANSWERED = {
  once: { answer: 'allow' },
  chat: { answer: 'allow', scope: 'chat' },
  always: { answer: 'allow', scope: 'workspace' },
  everywhere: { answer: 'allow', scope: 'user' },
  deny: { answer: 'deny' },
  never: { answer: 'deny', scope: 'workspace' },
  neverAnywhere: { answer: 'deny', scope: 'user' },
} as const satisfies Record<string, PersonsAnswer>;

/** The answers that a person can give in chat. After `edit` the call is made with other arguments, or asked about again. */
type Answer = keyof typeof ANSWERED | 'edit';

const isAnswer = (said: unknown): said is Answer =>
  said === 'edit' || (typeof said === 'string' && Object.hasOwn(ANSWERED, said));

/** Whether the call is made with the arguments that the question has shown. */
const allows = (answer: Answer): boolean => answer !== 'edit' && ANSWERED[answer].answer === 'allow';

/** Whether later calls are made without a question. */
const keeps = (answer: Answer): boolean => allows(answer) && answer !== 'once';

type Button = [answer: Answer | 'review' | 'more' | 'showAll', title: string, tooltip?: string];

const SHOW_ALL = (): Button => ['showAll', t('Show All Arguments')];

/** The answers to a question; the last leads to `rarerAnswer`. A changed tool can be allowed for one call. */
const buttonsFor = (isChanged: boolean): Button[] => [
  ...(isChanged ? ([['review', t('Review Change…')]] satisfies Button[]) : []),
  ['once', t('Allow')],
  ['deny', t('Deny')],
  ['more', t('More…'), t('More answers to this question')],
];

interface Answerable {
  /** Whether all of the arguments are shown, so that they can be allowed. */
  readonly mayAllow: boolean;
  /** Whether later calls can be allowed too. Not before a change of the tool was reviewed, nor where each call is asked about. */
  readonly mayKeep: boolean;
  /** Whether the server is the person's own: one that a workspace brings is never allowed everywhere. */
  readonly isOwn: boolean;
}

/** Asks for one of the answers that have no button. Undefined: the list was closed, and the question stays open. */
async function rarerAnswer(title: PlainText, may: Answerable): Promise<Answer | 'narrow' | undefined> {
  type Row = PlainRow & { answer: Answer | 'narrow' };
  const row = (answer: Row['answer'], icon: string, label: PlainRow['label'], detail?: PlainRow['detail']): Row => ({
    answer,
    label,
    iconPath: new vscode.ThemeIcon(icon),
    ...(detail !== undefined && { detail }),
  });
  const [here, everywhere] = [lastingAnswers('workspace'), lastingAnswers('user')];
  const keeping = [
    row('chat', 'comment-discussion', t('Allow in this chat')),
    row('always', 'check', here.allow, t('As long as the tool does not change.')),
    row(
      'narrow',
      'filter',
      t('Always allow with similar arguments…'),
      t('Choose a folder, host or value for each argument. You are asked about other calls.'),
    ),
  ];
  const detail = t('As long as the tool does not change. To undo it, use "Manage Trust".');
  const rows = [
    row('edit', 'edit', t('Edit arguments…')),
    ...(may.mayAllow && may.mayKeep ? keeping : []),
    row('never', 'circle-slash', here.deny),
    row('neverAnywhere', 'circle-slash', everywhere.deny),
    // Last, so that Enter alone never allows everything.
    ...(may.mayAllow && may.mayKeep && may.isOwn ? [row('everywhere', 'check-all', everywhere.allow, detail)] : []),
  ];
  return (await window.showQuickPick(rows, { title }))?.answer;
}

/** The person's decision, for the line about a call. */
export function decisionText(said: PersonsAnswer): string {
  const { scope } = said;
  if (said.answer === 'deny') {
    if (scope === 'user') return t('always denied everywhere');
    return scope ? t('always denied in this workspace') : t('denied');
  }
  if (said.rule) return verbatim('always allowed with similar arguments: {0}', ruleText(said.rule));
  if (scope === 'user') return t('always allowed everywhere');
  if (scope === 'workspace') return t('always allowed in this workspace');
  if (scope === 'chat') return t('allowed in this chat');
  return said.args ? t('edited and allowed') : t('allowed once');
}
