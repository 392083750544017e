import vscode = require('vscode');

import { openChat } from '../../editor/openChat';
import { isActedOn, nameToOpen } from '../../editor/openedAs';
import { pickServer } from '../../editor/pickServer';
import { folderStat, ownUri, VirtualFiles } from '../../editor/virtualFiles';
import { t } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';

const SCHEME = 'mcp-report';

/** A report on a server that does not work: for a model, so in English, and without secrets or values of settings. */
type Report = (server: ServerConnection) => string;

/** Opens chat with a question about a server, which the person sends, and attaches a report with its log. */
export class ExplainInChat extends VirtualFiles {
  readonly #reports = new Map<string, Uint8Array>();

  constructor(
    private readonly servers: ServerSet,
    private readonly report: Report,
  ) {
    super(SCHEME, { isReadonly: true }, isActedOn);
  }

  /** From the log, which does not say whose it is, a server in trouble is chosen. */
  async run(argument: unknown): Promise<void> {
    const isIll = ({ state }: ServerConnection) => 'error' in state;
    const which = t('Explain what is wrong with which MCP server?');
    const server = await pickServer(argument, this.servers, which, this.servers.all.some(isIll) ? isIll : undefined);
    if (!server) return;
    const report = this.report(server);
    const name = nameToOpen(`${server.id.replace(/[\\/]+/g, '-')}.md`, { text: () => report });
    const uri = ownUri({ scheme: SCHEME, path: `/${name}` });
    this.#reports.set(uri.path, Buffer.from(report));
    this.tellChanged([uri]);
    const query = t(
      'Why does the MCP server "{0}" not work, and what do I have to do? A report with its log is attached.',
      server.name,
    );
    await openChat({ query, isPartialQuery: true, attachFiles: [uri] });
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    if (uri.path === '/') return folderStat;
    return { type: vscode.FileType.File, ctime: 0, mtime: Date.now(), size: this.bytesOf(uri).length };
  }

  protected override bytesOf(uri: vscode.Uri): Uint8Array {
    const report = this.#reports.get(uri.path);
    if (!report) throw vscode.FileSystemError.FileNotFound(uri);
    return report;
  }
}
