import { exact, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { askWhole, fitsDialog } from '../trust';
import type { TestFile } from './core/readTestFile';

/** Steps that name what they want of a server, besides calls. */
const NAMED = ['read', 'get', 'subscribe'] as const;

/**
 * Asks whether the tests of a workspace's file may use a server of the person. Shows every tool that they call: in a dialog, or on
 * a page if that is too long. Closing it allows nothing.
 *
 * @param path of the file, for the person.
 */
export async function askForTests(path: string, file: TestFile, { name }: ServerDefinition): Promise<boolean> {
  const question = t('Let the tests in {0} use your MCP server "{1}"?', visible(path, 200), visible(name, 100));
  const text = textOf(file);
  const [allow, deny, showAll] = [t('Allow'), t('Deny'), t('Show All')];
  const fits = fitsDialog(text);
  const detail = fits
    ? text
    : t('The tests are too long to be shown here. Choose "Show All" to read what they do before you allow it.');
  // The first has the focus.
  const buttons = fits ? [deny, allow] : [showAll, deny];
  const answer = await window.showWarningMessage(question, { modal: true, detail }, ...buttons);
  if (answer !== showAll) return answer === allow && fits;
  const decision = await askWhole({
    title: visible(path, 100),
    question,
    content: { text },
    buttons: [
      { answer: 'allow', title: allow, allows: true },
      { answer: 'deny', title: deny, allows: false },
    ],
  });
  return decision === 'allow';
}

function textOf({ tests }: TestFile): string {
  const steps = tests.flatMap(test => test.steps.map(({ step }) => step));
  const tools = counted(steps.flatMap(step => ('call' in step ? [exact(step.call)] : [])));
  const others = counted(
    steps.flatMap(step =>
      NAMED.flatMap(kind => (kind in step ? [exact(`${kind} ${(step as Record<string, unknown>)[kind]}`)] : [])),
    ),
  );
  const answers = tests.some(
    ({ answers: { sampling = [], elicitation = [] } }) => sampling.length + elicitation.length > 0,
  );
  return [
    t('It is not a server of this workspace: it acts in your name, with your sign-ins and secrets.'),
    tools.length > 0 ? [t('The tests call these tools:'), ...tools].join('\n') : t('The tests call no tool.'),
    ...(others.length > 0 ? [[t('They also ask for:'), ...others].join('\n')] : []),
    ...(answers ? [t('They answer the questions of the server in your place.')] : []),
    t('Your answer applies until the file or the server changes. Denied tools stay denied.'),
  ].join('\n\n');
}

/** Each text once, with how often it is there. */
function counted(texts: readonly string[]): string[] {
  return [...Map.groupBy(texts, text => text)].map(([text, same]) =>
    same.length === 1 ? text : `${text} (${same.length})`,
  );
}
