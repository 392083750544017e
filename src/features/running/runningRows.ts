import { type HostError, INVALID_PARAMS } from '../../base/errors';
import { type Disposable, Emitter } from '../../base/events';
import { plain, visible } from '../../base/text';
import { progressText } from '../../editor/dialogs';
import { errorText } from '../../editor/errorText';
import { plainTooltip } from '../../editor/markdown';
import type { DetailNode } from '../../editor/serverRows';
import { t, verbatim, window } from '../../editor/window';
import type { RunningCall, RunningCalls, ServerConnection, ServerSet } from '../../host';

import vscode = require('vscode');

/** How often the elapsed time of a call is updated. */
const TICK_MS = 1_000;

/** The rows "Running" of the servers, with a row for each call below it. */
export class RunningRows implements Disposable {
  readonly #changed = new Emitter<DetailNode | ServerConnection>();
  /** The row of an existing group, or a server whose group appeared or disappeared. */
  readonly onDidChange = this.#changed.event;
  /** Rows keep their identity, so that one can be refreshed alone. */
  readonly #groups = new Map<ServerConnection, DetailNode>();
  /** How many calls were running when their server's row was last drawn. */
  readonly #counts = new WeakMap<ServerConnection, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly servers: ServerSet,
    private readonly calls: Pick<RunningCalls, 'of'>,
  ) {}

  /** One row while there are calls, otherwise none. */
  rows(server: ServerConnection): DetailNode[] {
    const group = this.#groups.get(server);
    return group ? [group] : [];
  }

  /** What it is doing, for the row of a server that may be collapsed. */
  news(server: ServerConnection): string | undefined {
    const [call, ...others] = this.#running(server);
    if (!call) return undefined;
    return others.length > 0 ? t('{0} calls running', others.length + 1) : t('running {0}', nameOf(call));
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#changed.dispose();
  }

  /** Brings the rows of a server in line with its calls. */
  update(server: ServerConnection): void {
    const hasCalls = this.calls.of(server).length > 0;
    const group = this.#groups.get(server);
    const count = this.#running(server).length;
    if (hasCalls && group) this.#changed.fire(this.#counts.get(server) === count ? group : server);
    else if (hasCalls !== (group !== undefined)) {
      if (hasCalls) this.#groups.set(server, this.#group(server));
      else this.#groups.delete(server);
      this.#changed.fire(server);
    }
    this.#counts.set(server, count);
    const isRunning = [...this.#groups.keys()].some(one => this.calls.of(one).some(({ end }) => !end));
    if (!isRunning) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #running(server: ServerConnection): RunningCall[] {
    return this.calls.of(server).filter(({ end }) => !end);
  }

  #tick(): void {
    for (const [server, group] of this.#groups) {
      if (!this.servers.all.includes(server)) this.#groups.delete(server);
      else if (this.calls.of(server).some(({ end }) => !end)) this.#changed.fire(group);
    }
  }

  #group(server: ServerConnection): DetailNode {
    return {
      type: 'detail',
      server,
      item: () => {
        const item = new vscode.TreeItem(t('Running'), vscode.TreeItemCollapsibleState.Expanded);
        item.id = `${server.id}\nrunning`;
        item.description = String(this.calls.of(server).length);
        item.iconPath = new vscode.ThemeIcon('pulse');
        item.contextValue = 'running';
        return item;
      },
      children: () => this.calls.of(server).map(call => callNode(server, call)),
    };
  }
}

const nameOf = ({ tool }: RunningCall): string => visible(tool.title ?? tool.annotations?.title ?? tool.name, 100);

function callNode(server: ServerConnection, call: RunningCall): DetailNode {
  const node: DetailNode = {
    type: 'detail',
    server,
    call,
    item: () => {
      const { tool, client, startedAt, end, progress, taskId } = call;
      const name = nameOf(call);
      const item = new vscode.TreeItem(name);
      item.id = `${server.id}\nrunning\n${tool.name}\n${startedAt}\n${taskId ?? ''}`;
      const seconds = Math.floor((end && 'ms' in end ? end.ms : Date.now() - startedAt) / 1_000);
      const status = end ? t('done, open the result') : progress && progressText(progress);
      item.description = [client && verbatim('for {0}', visible(client.name, 60)), elapsed(seconds), status]
        .filter(Boolean)
        .join(' · ');
      item.iconPath = new vscode.ThemeIcon(end ? 'pass' : 'loading~spin');
      item.contextValue = end ? 'call.ended' : 'call.running';
      item.tooltip = plainTooltip([
        name,
        taskId === undefined ? undefined : verbatim('Task {0}', visible(taskId)),
        status,
      ]);
      const open = { command: 'mcpHost.openCallResult', title: t('Open Result'), arguments: [node] };
      if (end) item.command = open;
      return item;
    },
  };
  return node;
}

function elapsed(seconds: number): string {
  if (seconds < 60) return t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? t('{0} min', minutes) : t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

/** Takes up tasks that an earlier window has left on a server, as soon as the server is ready and its tools are known. */
export function restoreTasks(server: ServerConnection, calls: Pick<RunningCalls, 'restore'>): void {
  if (!server.info || server.catalog.list('tools').status === 'loading') return;
  calls.restore(server, (tool, ended) => tellOfTask(server, tool, ended));
}

/** Says once how a task from an earlier window ended. */
function tellOfTask(server: ServerConnection, toolName: string, ended: RunningCall | HostError | undefined): void {
  const tool = visible(toolName);
  if (!ended || ended instanceof Error) {
    const gone = ended === undefined || ended.rpcCode === INVALID_PARAMS;
    const message = gone
      ? t('MCP server "{0}" no longer has the task for {1} from before the window was reloaded.', server.name, tool)
      : errorText(ended);
    void window.showWarningMessage(plain(message));
    return;
  }
  const open = t('Open Result');
  void window
    .showInformationMessage(t('{0} on MCP server "{1}" has finished.', tool, server.name), open)
    .then(chosen => {
      if (chosen === open) void vscode.commands.executeCommand('mcpHost.openCallResult', { server, call: ended });
    });
}
