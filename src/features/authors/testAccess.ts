import { exact, visible } from '../../base/text';
import { type Mementos, ScopedStorage } from '../../editor/storage';
import { t } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { ProgramPorts, ServerDefinition } from '../../host/definition';
import { askDecision, askWhole, fitsDialog } from '../review';
import { adoptConsent, type ReviewDialog, type Trust } from '../trust';
import type { TestFile } from './core/readTestFile';
import { isOfWorkspace, rootsOf, TestConsents, type TestUse } from './core/testServer';
import type { TestDebugger } from './core/testSession';
import type { ReadFile } from './testRows';

import vscode = require('vscode');

/** What runs need of the window; asked for with the first run. */
export interface TestWindow {
  readonly servers: ServerSet;
  readonly trust: Trust;
  readonly ports: Omit<ProgramPorts, 'roots'>;
  readonly storage: Mementos;
  /** Shows what a server would launch. @param uri of the file that says so. */
  readonly reviewOf: (uri: vscode.Uri) => ReviewDialog;
  readonly debugger: (events: DebugEvents) => TestDebugger;
}

interface DebugEvents {
  /** The program is paused, or runs on. */
  paused(isPaused: boolean): void;
  /** The person ends the debugger. */
  left(): void;
  log(text: string): void;
}

/**
 * Decides, for a run and its repetitions, whether tests may start their servers: those that the workspace brings after a review of
 * the launch, those of the person, and what tells a server of folders that it was not allowed, after a question of their own. Once the person refuses, nothing more is asked.
 */
export class TestAccess {
  readonly #consents: TestConsents;
  #isRefused = false;

  constructor(private readonly window: Pick<TestWindow, 'servers' | 'trust' | 'reviewOf' | 'storage'>) {
    this.#consents = new TestConsents(new ScopedStorage(window.storage, 'mcpHost.testConsents'));
  }

  /** Why the server of a file is not used. Undefined: it may be. */
  async refusal(
    definition: ServerDefinition,
    read: Pick<ReadFile, 'item' | 'content'>,
    file: TestFile,
  ): Promise<string | undefined> {
    const uri = read.item.uri!;
    if (!(await this.#isAllowed(await this.#launch(definition, uri))))
      return t('Its server was not allowed to start. Run the test again to review what would be started.');
    const roots = typeof file.server === 'string' ? rootsOf(file, uri.fsPath) : [];
    const isAgreed = (root: string) => this.window.trust.consents.allowsRoot(definition, root);
    if (isOfWorkspace(definition) && roots.every(isAgreed)) return undefined;
    const use = { file: uri.toString(), content: read.content, definition };
    const wanted = { file, path: read.item.label, roots };
    if (this.#consents.has(use) || (await this.#isAllowed(() => this.#use(use, wanted)))) return undefined;
    return t('Its tests were not allowed to use your server. Run them again to be asked.');
  }

  async #use(use: TestUse & { definition: ServerDefinition }, wanted: WantedUse): Promise<boolean> {
    const { id: server } = use.definition;
    const isAllowed = await askForTests(wanted, use.definition);
    const what = isAllowed ? 'allowed' : 'denied';
    this.window.trust.audit.record({ type: 'consent', server, what, client: wanted.path });
    if (isAllowed) await this.#consents.allow(use);
    return isAllowed;
  }

  /** @param ask undefined: there is nothing to ask. */
  async #isAllowed(ask: (() => Promise<boolean>) | undefined): Promise<boolean> {
    if (!ask) return true;
    if (this.#isRefused) return false;
    this.#isRefused = !(await ask());
    return !this.#isRefused;
  }

  /** Lets the person review what would be started, unless they have allowed it, here or for another test file. */
  async #launch(definition: ServerDefinition, uri: vscode.Uri): Promise<(() => Promise<boolean>) | undefined> {
    const { trust, servers, reviewOf } = this.window;
    const { consents } = trust;
    const review = consents.review(definition);
    if (!review || review.answer === 'allowed' || (await adoptConsent(consents, review))) return undefined;
    const server = servers.get(definition.id);
    return async () => {
      if (server) {
        // It has a review of its own, as for any start of it.
        await vscode.commands.executeCommand('mcpHost.reviewServer', { server });
        return consents.review(definition)?.answer === 'allowed';
      }
      if ((await reviewOf(uri).ask([review])) !== 'allow') return false;
      await consents.allow(review);
      return true;
    };
  }
}

/** Steps that name what they want of a server, besides calls. */
const NAMED = ['read', 'get', 'subscribe'] as const;

/** What the tests of a file would do with a server. */
interface WantedUse {
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
async function askForTests(wanted: WantedUse, server: ServerDefinition): Promise<boolean> {
  const { path } = wanted;
  const { name } = server;
  const question = t('Let the tests in {0} use your MCP server "{1}"?', visible(path, 200), visible(name, 100));
  const text = textOf(wanted, isOfWorkspace(server));
  const [allow, deny, showAll] = [t('Allow'), t('Deny'), t('Show All')];
  const fits = fitsDialog(text);
  const detail = fits
    ? text
    : t('The tests are too long to be shown here. Choose "Show All" to read what they do before you allow it.');
  const buttons = fits ? { allow: [allow], others: [deny] } : { allow: [], others: [showAll, deny] };
  const answer = await askDecision(question, detail, buttons);
  if (answer !== showAll) return answer === allow && fits;
  const title = visible(path, 100);
  return (await askWhole({ title, question, content: { text }, allow: [allow], others: [deny] })) === allow;
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
