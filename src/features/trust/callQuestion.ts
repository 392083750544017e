import vscode = require('vscode');

import { type PlainText, visible } from '../../base/text';
import { askDecision } from '../../editor/dialogs';
import { localized } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { AskedCall, AskPerson, PersonsAnswer, WantedCall } from './core/toolCalls';
import { narrowApproval } from './narrowApproval';
import { inQuestion, jsonOf, newsOf } from './review/argumentsText';
import { askWhole } from './review/askWhole';

/**
 * Asks in a dialog whether a tool may be called, for calls from outside our own chat. Shows the exact arguments. What does
 * not fit into a dialog is shown and answered on a page, and so is what a caller waits for only so long: a dialog of the editor
 * cannot be ended. Closing it or waiting allows nothing.
 */
export class CallQuestion implements vscode.Disposable {
  readonly #over = new vscode.CancellationTokenSource();

  readonly ask: AskPerson = async (call, pin) => {
    const { server, tool, args, app, because, until } = call;
    const name = visible(tool.name, 120);
    const question =
      app === undefined
        ? askedBy(call, name)
        : t('The app "{0}" asks: call {1} on MCP server "{2}"?', visible(app, 60), name, server.id);
    const json = jsonOf(args);
    const { text, isWhole } = inQuestion(json);
    const news = [newsOf(pin) || undefined, because && localized(because)].filter(note => note !== undefined);
    const possible = choices(pin === 'changed', app !== undefined, because !== undefined);
    const over = ended(until, this.#over.token);
    for (;;) {
      const choice =
        isWhole && !until
          ? await askInDialog(question, [...news, t('Arguments:'), text].join('\n\n'), possible)
          : await askWhole(
              {
                title: t('Call {0}?', visible(tool.name, 60)),
                question,
                notes: news,
                content: { json },
                buttons: possible.map(([title, answer], index) => ({
                  answer: String(index),
                  title,
                  allows: answer === 'narrow' || (answer !== 'review' && answer.answer === 'allow'),
                })),
              },
              over,
            ).then(index => possible[Number(index)]?.[1]);
      if (until?.aborted) return void tellOfEnd(call, name);
      if (choice === 'review') return void review(call);
      const answer = choice === 'narrow' ? await narrowed(call) : choice;
      // If the person closes the list of arguments, the question is asked again.
      if (choice === 'narrow' && !answer && !this.#over.token.isCancellationRequested) continue;
      // Send what was shown, even if someone else changes the object.
      return answer?.answer === 'allow' && jsonOf(args) !== json ? undefined : answer;
    }
  };

  dispose(): void {
    this.#over.cancel();
  }
}

/** A token that is cancelled with the signal, or with the other. */
function ended(signal: AbortSignal | undefined, token: vscode.CancellationToken): vscode.CancellationToken {
  if (!signal) return token;
  const source = new vscode.CancellationTokenSource();
  const cancelled = token.onCancellationRequested(() => source.cancel());
  const end = () => {
    source.cancel();
    cancelled.dispose();
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return source.token;
}

/** A page that goes on its own would leave the person wondering. */
function tellOfEnd({ client, server }: AskedCall, name: string): void {
  void window.showInformationMessage(
    t(
      '"{0}" no longer waits for your answer. {1} on MCP server "{2}" was not called.',
      client?.name ?? '',
      name,
      server.id,
    ),
  );
}

function askedBy({ client, origin, server }: WantedCall, name: string): PlainText {
  if (!client) return t('Call {0} on MCP server "{1}"?', name, server.id);
  const who = visible(client.name, 60);
  return origin === 'extension'
    ? t('The extension "{0}" asks: call {1} on MCP server "{2}"?', who, name, server.id)
    : t('The agent "{0}" asks: call {1} on MCP server "{2}"?', who, name, server.id);
}

type Choice = PersonsAnswer | 'narrow' | 'review';

async function askInDialog(
  question: PlainText,
  detail: string,
  possible: readonly (readonly [title: string, answer: Choice])[],
): Promise<Choice | undefined> {
  // The first has the focus: a key that was meant for something else must not allow anything.
  const isRefusal = ([, answer]: (typeof possible)[number]) => typeof answer === 'object' && answer.answer === 'deny';
  const titles = [...possible.filter(isRefusal), ...possible.filter(one => !isRefusal(one))].map(([title]) => title);
  const chosen = await askDecision(question, detail, ...titles);
  return possible.find(([title]) => title === chosen)?.[1];
}

async function narrowed(call: WantedCall): Promise<PersonsAnswer | undefined> {
  const approval = await narrowApproval(call);
  return approval && { answer: 'allow', ...approval };
}

/** Opens the review of the change. The call is not made; it can be repeated after the review. */
function review({ server, tool: item }: WantedCall): void {
  void vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item });
}

/** The buttons, each with its label and answer. */
const choices = (isChanged: boolean, isOfApp: boolean, isOnce: boolean): [string, Choice][] => [
  [t('Allow Once'), { answer: 'allow' }],
  ...(isOfApp && !isChanged && !isOnce
    ? ([[t('Allow While the App Is Open'), { answer: 'allow', whileOpen: true }]] satisfies [string, Choice][])
    : []),
  ...(isChanged ? ([[t('Review Change…'), 'review']] satisfies [string, Choice][]) : []),
  ...(isChanged || isOnce
    ? []
    : ([
        [t('Always Allow'), { answer: 'allow', scope: 'workspace' }],
        [t('Always Allow with Similar Arguments…'), 'narrow'],
      ] satisfies [string, Choice][])),
  [t('Deny'), { answer: 'deny' }],
];
