// The editor's own chat in agent mode, with the scripted model and an agent that calls the tools it is told to.
import type { Frame, Locator } from 'playwright-core';
import { persist, shownText, soon } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';

export const openAgentChat = (env?: NodeJS.ProcessEnv): Promise<Workbench> =>
  openWorkbench(
    {
      viewport: { width: 1500, height: 950 },
      unpacked: [inRepository('test/extensions/stand-in-agent')],
      proposedApi: ['mcp-host-test.stand-in-agent', 'mcp-host-test.bridge'],
      env,
    },
    async w => {
      await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
      await w.host.command('workbench.action.chat.open', { mode: 'agent' });
      await w.wb.chat.pickModel('Demo Model');
    },
  );

/** Names of the editor's tools that start so. */
export const toolsOf = (w: Workbench, prefix: string): Promise<string[]> =>
  w.host.eval(
    (vscode, start) => vscode.lm.tools.map(({ name }) => name).filter(name => name.startsWith(start)),
    prefix,
  );

/** The editor looks with each question for servers that it has not started: those that it knows of by then. */
export const askUntil = (w: Workbench, question: string, condition: () => Promise<boolean>, what: string) =>
  persist(async () => {
    await w.wb.chat.ask(question);
    await soon(condition, what);
  }, what);

export const answers = (response: Locator, pattern: RegExp) =>
  waitFor(async () => pattern.test(await shownText(response)), { what: `${pattern}` });

/** The page that has this, however deep in frames of the editor: an app in an answer may be seen at the same time. */
export const frameWith = (w: Workbench, part: (frame: Frame) => Locator, what: string) =>
  waitFor(
    async () => {
      for (const frame of w.page.frames())
        if (
          await part(frame)
            .isVisible()
            .catch(() => false)
        )
          return frame;
      return undefined;
    },
    { what },
  );
