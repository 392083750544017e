import type { ElicitResult } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { type PlainText, type RowText, rowText, visible } from '../../base/text';
import { joined, type PlainRow, say, t, window } from '../../editor/window';
import { schemaProblem } from '../../host';
import { askField, type FieldButton, type JsonSchema, type StepAnswer, valueAt, withValue } from '../tools';
import { askWhole, jsonOf } from '../trust';
import { type Content, defaultsOf, type FormField, fieldsOf, fitsSummary, SECRET, valueText } from './core/formFields';
import { cancelled, declined, type Question } from './core/questions';

interface FormQuestion extends Question {
  readonly schema: JsonSchema;
}

interface FormServices {
  /** Shows the whole message in a document. */
  readonly showMessage: (question: Question) => void;
}

type SummaryAnswer = { kind: 'submit' } | { kind: 'decline' } | { kind: 'cancel' } | { kind: 'change'; field: number };

/** Beside the servers' own words, where a field seems to be for a secret. */
export const secretWarning = () => t('⚠ Servers must not ask for secrets this way');

/** Who asks what. @param maxMessage how many characters of the message. */
export function formTitle({ server, message, client }: Question, maxMessage: number): PlainText {
  return client === undefined
    ? t('{0} asks: {1}', visible(server.name, 40), visible(message, maxMessage))
    : t('{0} asks, for {1}: {2}', visible(server.name, 40), visible(client, 30), visible(message, maxMessage));
}

/**
 * A server's form: one step for each field, with Back, then a summary in which each answer can be changed before anything is
 * sent (spec: client/elicitation#form-mode-elicitation-requests). Answers are not kept.
 */
export class FormDialog {
  readonly #fields: readonly FormField[];
  #content: Content;

  constructor(
    private readonly question: FormQuestion,
    private readonly services: FormServices,
    filled?: Content,
  ) {
    this.#fields = fieldsOf(question.schema);
    this.#content = filled ?? defaultsOf(this.#fields);
  }

  async ask(): Promise<ElicitResult> {
    let index = 0;
    while (index < this.#fields.length) {
      const answer = await this.#askField(index);
      if (answer.kind === 'cancel') return cancelled;
      if (answer.kind === 'decline') return declined;
      index += answer.kind === 'back' ? -1 : 1;
    }
    for (;;) {
      const answer = await this.#summary();
      if (answer.kind === 'cancel') return cancelled;
      if (answer.kind === 'decline') return declined;
      if (answer.kind === 'submit') {
        const seen = fitsSummary(this.#fields, this.#content) ? 'submit' : await this.#askWhole();
        if (seen === 'submit') return { action: 'accept', content: this.#content as ElicitResult['content'] };
        if (seen === 'decline') return declined;
        if (this.question.signal.aborted) return cancelled;
        continue;
      }
      const changed = await this.#askField(answer.field);
      if (changed.kind === 'cancel') return cancelled;
      if (changed.kind === 'decline') return declined;
    }
  }

  /** Rows of a list are cut, so long answers are sent from a page that shows them in full. Undefined: back to the list. */
  async #askWhole(): Promise<string | undefined> {
    const { question } = this;
    const over = new vscode.CancellationTokenSource();
    const end = () => over.cancel();
    question.signal.addEventListener('abort', end, { once: true });
    if (question.signal.aborted) end();
    const hidden = this.#fields.filter(({ isSecret }) => isSecret);
    const shown = hidden.reduce((content, { step }) => {
      return valueAt(content, step.path) === undefined ? content : withValue(content, step.path, SECRET);
    }, this.#content);
    const text = {
      title: formTitle(question, 45),
      question: t('Send these answers to {0}?', visible(question.server.name, 100)),
      content: { json: jsonOf(shown) },
      buttons: [
        { answer: 'submit', title: t('Submit'), allows: true },
        { answer: 'change', title: t('Change…'), allows: false },
        { answer: 'decline', title: t('Decline'), allows: false },
      ],
    };
    try {
      return await askWhole(text, over.token);
    } finally {
      question.signal.removeEventListener('abort', end);
      over.dispose();
    }
  }

  async #askField(index: number): Promise<StepAnswer> {
    const { question } = this;
    const field = this.#fields[index]!;
    const answer = await askField({
      title: formTitle(question, 45),
      step: field.step,
      current: valueAt(this.#content, field.step.path),
      number: index + 1,
      total: this.#fields.length,
      canRun: false,
      note: joined<RowText>([field.isSecret && secretWarning(), rowText(question.message, 300)], ' · '),
      buttons: this.#buttons(),
      isSecret: field.isSecret,
      signal: question.signal,
    });
    if (answer === 'edit' || answer.kind === 'json') return { kind: 'cancel' };
    if (answer.kind === 'value' || answer.kind === 'run') {
      this.#content = withValue(this.#content, field.step.path, answer.value);
    }
    return answer;
  }

  /** The summary of everything that would be sent. It can't be sent unless it fits the schema as a whole. */
  async #summary(): Promise<SummaryAnswer> {
    const { question } = this;
    const { signal } = question;
    const problem = schemaProblem(question.schema, this.#content);
    const input = window.createQuickPick<PlainRow & { answer?: SummaryAnswer }>();
    const { Separator } = vscode.QuickPickItemKind;
    const submit = problem
      ? { label: t('$(error) Some answers are invalid'), detail: rowText(problem, 300) }
      : {
          label: fitsSummary(this.#fields, this.#content)
            ? t('$(check) Submit')
            : t('$(open-preview) Show All, Then Submit'),
          description: t('send to {0}', question.server.name),
          answer: { kind: 'submit' } as const,
        };
    input.title = formTitle(question, 60);
    input.placeholder = t('Review your answers. Select one to change it, or press Escape to send nothing');
    input.items = [
      { label: question.message.length > 60 ? rowText(question.message, 300) : '', kind: Separator },
      submit,
      ...this.#fields.map((field, index) => this.#row(field, index)),
      { label: '', kind: Separator },
      {
        label: t('$(circle-slash) Decline'),
        description: t('tell the server that you decline'),
        answer: { kind: 'decline' },
      },
    ];
    input.ignoreFocusOut = true;
    const buttons = this.#buttons();
    input.buttons = [
      ...(this.#fields.length > 0 ? [vscode.QuickInputButtons.Back] : []),
      ...buttons.map(({ button }) => button),
    ];
    const disposables = new DisposableStore();
    disposables.add(input);
    try {
      return await new Promise<SummaryAnswer>(resolve => {
        const cancel = () => resolve({ kind: 'cancel' });
        if (signal.aborted) cancel();
        signal.addEventListener('abort', cancel);
        disposables.add({ dispose: () => signal.removeEventListener('abort', cancel) });
        disposables.add(input.onDidHide(cancel));
        disposables.add(
          input.onDidAccept(() => {
            const answer = input.activeItems[0]?.answer;
            if (answer) resolve(answer);
          }),
        );
        disposables.add(
          input.onDidTriggerButton(button => {
            if (button === vscode.QuickInputButtons.Back) resolve({ kind: 'change', field: this.#fields.length - 1 });
            else if (buttons.find(one => one.button === button)?.press()) resolve({ kind: 'decline' });
          }),
        );
        input.show();
      });
    } finally {
      disposables.dispose();
    }
  }

  #row(field: FormField, index: number) {
    const text = valueText(field, valueAt(this.#content, field.step.path));
    return {
      label: say`$(edit) ${visible(field.label, 60)}`,
      description: text === undefined ? t('left out') : rowText(text),
      ...(field.isSecret && { detail: secretWarning() }),
      answer: { kind: 'change', field: index } as const,
    };
  }

  #buttons(): FieldButton[] {
    const message = { iconPath: new vscode.ThemeIcon('open-preview'), tooltip: t('Show the Full Message') };
    const decline = { iconPath: new vscode.ThemeIcon('circle-slash'), tooltip: t('Decline') };
    return [
      {
        button: message,
        press: () => {
          this.services.showMessage(this.question);
          return undefined;
        },
      },
      { button: decline, press: () => ({ kind: 'decline' }) },
    ];
  }
}
