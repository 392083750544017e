import vscode = require('vscode');

import { isObject } from '../../base/json';
import { keepIn } from '../../editor/storage';
import { t } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { adoptConsent } from '../trust';
import type { TestFile } from './core/readTestFile';
import { isOfWorkspace, type TestConsentStore, TestConsents, type TestUse } from './core/testConsents';
import { rootsOf } from './core/testRoots';
import { askForTests, type WantedUse } from './testQuestion';
import type { ReadFile } from './testRows';
import type { TestWindow } from './testWindow';

const CONSENTS = 'mcpHost.testConsents';

/**
 * Decides, for a run and its repetitions, whether tests may start their servers: those that the workspace brings after a review of
 * the launch, those of the person, and what tells a server of folders that it was not allowed, after a question of their own. Once the person refuses, nothing more is asked.
 */
export class TestAccess {
  readonly #consents: TestConsents;
  #isRefused = false;

  constructor(private readonly window: Pick<TestWindow, 'servers' | 'trust' | 'reviewOf' | 'state'>) {
    this.#consents = new TestConsents(storeIn(window.state));
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

function storeIn(state: vscode.Memento): TestConsentStore {
  return {
    get: () => {
      const stored: unknown = state.get(CONSENTS);
      if (!isObject(stored)) return {};
      const known = Object.entries(stored).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      return Object.fromEntries(known);
    },
    set: consents => keepIn(state, CONSENTS, consents),
  };
}
