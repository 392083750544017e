import { type PlainText, visible, visibleLines } from '../../base/text';
import { WebviewPage } from '../../editor/webviewPage';
import { t, window } from '../../editor/window';
import { argumentProblem } from '../../host';
import { ArgumentForm } from './core/argumentForm';
import { textFor } from './core/fieldChecks';
import { type FromItemPage, fromItemPage, type PageButton, type ToItemPage } from './core/itemPageMessages';
import type { JsonSchema } from './core/schemaFields';
import { valueAt } from './core/schemaForm';
import { describeArguments, describeField, pageTexts } from './itemPageTexts';

import vscode = require('vscode');

type Content = Record<string, unknown>;

/** What a form of ours has that a server's has not. */
interface OwnQuestion {
  readonly submit: PlainText;
  readonly cancel: PlainText;
  readonly browse?: PlainText;
  readonly paths?: Readonly<Record<string, 'directory' | 'file'>>;
  /** The answers can also be edited as JSON, and sent though they do not match the schema. */
  readonly isJson?: boolean;
}

/** A form that someone else wants filled in, such as a server's. Its texts are shown as text. */
export interface AskedForm {
  readonly title: PlainText;
  /** Who asks. */
  readonly heading: string;
  /** Sentences below it: what it is asked for, and what comes of the answers. */
  readonly facts?: readonly string[];
  readonly message: string;
  readonly schema: JsonSchema;
  /** Without it: the defaults of the schema. */
  readonly initial?: Content;
  /** Names of the fields whose text is not shown. */
  readonly secrets?: readonly string[];
  /** It is our own question, not a server's. */
  readonly own?: OwnQuestion;
  /** Said above the form. */
  readonly warning?: string | undefined;
  /** Called once, with what brings the form back into view. */
  readonly opened?: (reveal: () => void) => void;
  /** Aborted when the form is no longer wanted. */
  readonly signal?: AbortSignal;
  /** Said on the page from then on, if something was entered; without it, the page closes. */
  readonly withdrawn?: string;
}

export type FormAnswer =
  | { readonly kind: 'submit'; readonly content: Content }
  | { readonly kind: 'cancel' | 'decline' };

interface EditedValue extends Pick<AskedForm, 'title' | 'schema' | 'signal'> {
  readonly value?: Content;
  readonly submit: PlainText;
}

/** Has a person edit a value on a page, as a form and as JSON. Undefined: they gave up. */
export type EditOnPage = (edited: EditedValue) => Promise<Content | undefined>;

export async function editOnPage(extensionUri: vscode.Uri, edited: EditedValue): Promise<Content | undefined> {
  const { value, submit, title } = edited;
  const own = { submit, cancel: t('Cancel'), isJson: true };
  const answer = await askForm(extensionUri, {
    ...edited,
    heading: title,
    message: '',
    own,
    ...(value && { initial: value }),
  });
  return answer.kind === 'submit' ? answer.content : undefined;
}

const MAX_MESSAGE = 20_000;

/**
 * Asks for the fields of a form on a page. Only its own buttons answer; closing it cancels. It can be hidden and come back. When
 * the form is withdrawn, the page closes, or, so that nothing that was typed is lost, stays locked.
 */
export function askForm(extensionUri: vscode.Uri, asked: AskedForm): Promise<FormAnswer> {
  const { promise, resolve } = Promise.withResolvers<FormAnswer>();
  const { title, own, signal = new AbortController().signal } = asked;
  const form = new ArgumentForm(asked.schema, asked.initial, argumentProblem, own !== undefined);
  const panel = window.createWebviewPanel('mcpHost.question', title, vscode.ViewColumn.Active);
  asked.opened?.(() => panel.reveal());
  let isTouched = false;
  const postArguments = (edit = 0, isAsked = false): void =>
    page.post({ type: 'arguments', arguments: answersOf(form, own), edit, ...(isAsked && { isAsked }) });
  const browse = async (index: number) => {
    const text = await choosePath(form, index, own?.paths);
    if (text === undefined) return;
    isTouched = true;
    form.setField(index, { text });
    postArguments();
  };
  const receive = (sent: FromItemPage): void => {
    if (sent.type === 'ready') {
      page.post({ type: 'texts', texts: words(asked), buttons: buttonsOf(asked), place: {}, isQuestion: true });
      page.post(headOf(asked));
      page.post({ type: 'form', fields: fieldsOf(form, asked), note: '', beside: own?.isJson ? 'json' : undefined });
      postArguments();
    } else if (sent.type === 'act' && sent.action === 'dismiss') {
      panel.dispose();
    } else if (signal.aborted) {
      return;
    } else if (sent.type === 'browse') {
      void browse(sent.index);
    } else if ((sent.type !== 'json' || own?.isJson) && form.take(sent)) {
      isTouched = true;
      postArguments(sent.edit);
    } else if (sent.type === 'act' && sent.action === 'decline') {
      resolve({ kind: 'decline' });
    } else if (sent.type === 'run') {
      const isRight = form.check() || (sent.anyway && own?.isJson && form.wholeProblem !== undefined);
      if (isRight) resolve({ kind: 'submit', content: form.args });
      else postArguments(undefined, true);
    }
  };
  const page = new WebviewPage<ToItemPage, FromItemPage>(panel, {
    extension: extensionUri,
    title,
    script: 'tool-view.js',
    styles: ['page.css', 'tool.css'],
    read: fromItemPage,
    receive,
  });
  const withdraw = () => {
    if (isTouched && asked.withdrawn !== undefined) page.post(headOf(asked));
    else panel.dispose();
    resolve({ kind: 'cancel' });
  };
  panel.onDidDispose(() => {
    page.dispose();
    signal.removeEventListener('abort', withdraw);
    resolve({ kind: 'cancel' });
  });
  signal.addEventListener('abort', withdraw, { once: true });
  if (signal.aborted) withdraw();
  return promise.finally(() => {
    if (!signal.aborted) panel.dispose();
  });
}

const buttonsOf = ({ own }: AskedForm): PageButton[] =>
  own
    ? [{ action: 'dismiss', label: own.cancel }]
    : [
        { action: 'decline', label: t('Decline') },
        { action: 'dismiss', label: t('Cancel') },
      ];

const words = ({ own }: AskedForm) => ({
  ...pageTexts(),
  // What a person edits themself is what they send, not an answer.
  arguments: own?.isJson ? t('Arguments') : t('Your answers'),
  run: own?.submit ?? t('Submit'),
  runKey: own?.submit ?? t('Submit'),
  leaveOut: t('(left empty)'),
});

function headOf({
  heading,
  facts = [],
  message,
  warning,
  signal,
  withdrawn = '',
}: AskedForm): ToItemPage & { type: 'item' } {
  const closing: PageButton[] = [{ action: 'dismiss', label: t('Close') }];
  const warned = warning === undefined ? undefined : { text: warning, buttons: [] };
  return {
    type: 'item',
    title: heading,
    facts: [facts.join(' ')],
    description: visibleLines(message, MAX_MESSAGE),
    notice: signal?.aborted ? { text: withdrawn, buttons: closing } : warned,
    approval: undefined,
    canRun: !signal?.aborted,
  };
}

/** Fields go by their titles: names are for programs. */
const fieldsOf = (form: ArgumentForm, { secrets = [], own }: AskedForm) =>
  form.steps.map(step => {
    const field = describeField(step);
    const isSecret = secrets.includes(step.path[0] ?? '');
    const browse = (Object.hasOwn(own?.paths ?? {}, step.path[0] ?? '') && own?.browse) || '';
    return { ...field, name: field.title || field.name, browse, ...(isSecret && { kind: 'secret' as const }) };
  });

/** A server gets only what its schema allows. */
function answersOf(form: ArgumentForm, own: OwnQuestion | undefined) {
  const shown = describeArguments(form);
  if (own?.isJson || form.wholeProblem === undefined) return shown;
  const wholeProblem = t('This can’t be sent: {0}', visible(form.wholeProblem, 500));
  return { ...shown, wholeProblem, canSendAnyway: false };
}

/** Has the person choose a file or folder for a field. @returns the new text of the field; undefined if they cancelled. */
async function choosePath(
  form: ArgumentForm,
  index: number,
  paths: Readonly<Record<string, 'directory' | 'file'>> = {},
): Promise<string | undefined> {
  const step = form.steps[index];
  const kind = step && paths[step.path[0] ?? ''];
  if (!kind) return undefined;
  const canSelectMany = step.kind === 'list';
  const canSelectFolders = kind === 'directory';
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: !canSelectFolders,
    canSelectFolders,
    canSelectMany,
  });
  if (!chosen || chosen.length === 0) return undefined;
  const before = valueAt(form.args, step.path);
  const all = chosen.map(({ fsPath }) => fsPath);
  return textFor(step, canSelectMany ? [...(Array.isArray(before) ? before : []), ...all] : all[0]);
}
