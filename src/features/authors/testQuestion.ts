import { exact, visible } from '../../base/text';
import { askDecision } from '../../editor/dialogs';
import { t } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { askWhole, fitsDialog } from '../trust';
import type { TestFile } from './core/readTestFile';
import { isOfWorkspace } from './core/testConsents';

/** Steps that name what they want of a server, besides calls. */
const NAMED = ['read', 'get', 'subscribe'] as const;

/** What the tests of a file would do with a server. */
export interface WantedUse {
  readonly file: TestFile;
  /** Of the file, for the person. */
  readonly path: string;
  /** Paths of the folders that they tell the server of. */
  readonly roots: readonly string[];
}

/**
 * Asks whether the tests of a workspace's file may use a server. Shows every tool that they call, and every folder that they tell it
 * of: in a dialog, or on a page if that is too long. Closing it allows nothing.
 */
export async function askForTests(wanted: WantedUse, server: ServerDefinition): Promise<boolean> {
  const { path } = wanted;
  const { name } = server;
  const question = t('Let the tests in {0} use your MCP server "{1}"?', visible(path, 200), visible(name, 100));
  const text = textOf(wanted, isOfWorkspace(server));
  const [allow, deny, showAll] = [t('Allow'), t('Deny'), t('Show All')];
  const fits = fitsDialog(text);
  const detail = fits
    ? text
    : t('The tests are too long to be shown here. Choose "Show All" to read what they do before you allow it.');
  // The first has the focus.
  const buttons = fits ? [deny, allow] : [showAll, deny];
  const answer = await askDecision(question, detail, ...buttons);
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

function textOf({ file: { tests }, roots }: WantedUse, isOfWorkspace: boolean): string {
  const steps = tests.flatMap(test => test.steps.map(({ step }) => step));
  const tools = counted(steps.flatMap(step => ('call' in step ? [exact(step.call)] : [])));
  const others = counted(
    steps.flatMap(step => {
      if ('complete' in step) return [exact(`complete ${step.complete.prompt ?? step.complete.resource}`)];
      return NAMED.flatMap(kind => (kind in step ? [exact(`${kind} ${(step as Record<string, unknown>)[kind]}`)] : []));
    }),
  );
  const answers = tests.some(
    ({ answers: { sampling = [], elicitation = [] } }) => sampling.length + elicitation.length > 0,
  );
  return [
    ...(isOfWorkspace
      ? []
      : [t('It is not a server of this workspace: it acts in your name, with your sign-ins and secrets.')]),
    tools.length > 0 ? [t('The tests call these tools:'), ...tools].join('\n') : t('The tests call no tool.'),
    ...(others.length > 0 ? [[t('They also ask for:'), ...others].join('\n')] : []),
    ...(roots.length > 0 ? [[t('They tell it of these folders:'), ...roots.map(exact)].join('\n')] : []),
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
