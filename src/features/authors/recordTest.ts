import vscode = require('vscode');

import { isObject } from '../../base/json';
import { rowText, visible } from '../../base/text';
import { openCurrent } from '../../editor/fileText';
import { t, window } from '../../editor/window';
import { REDACTED, type ServerSet } from '../../host';
import type { TestFile } from './core/readTestFile';
import { type RecordedRequest, recordedStep, testAsYaml, withTest } from './core/recordedTest';
import type { KnownTestFile } from './testRows';

/** A request to a server, given with the command. */
interface RequestToRecord extends RecordedRequest {
  readonly server: string;
}

interface Services {
  readonly servers: ServerSet;
  readonly files: () => Promise<readonly KnownTestFile[]>;
}

/** Makes a test of a request that was made, in a file that the person chooses, which is not saved before they do. */
export async function recordTest(argument: unknown, { servers, files }: Services): Promise<void> {
  if (!isObject(argument) || typeof argument.server !== 'string' || typeof argument.method !== 'string') return;
  const request = argument as unknown as RequestToRecord;
  const server = servers.get(request.server);
  const recorded = recordedStep(request, text => server?.redact(text) ?? text);
  if (!recorded) {
    void window.showInformationMessage(t('Tests cannot make the request {0}.', visible(request.method, 80)));
    return;
  }
  const name = server?.name ?? request.server;
  const known = (await files()).filter(({ file }) => file !== undefined);
  const isOf = (file: TestFile | undefined) => file?.server === name;
  const rows = [
    ...known
      .toSorted((a, b) => Number(isOf(b.file)) - Number(isOf(a.file)))
      .map(({ uri, file }) => ({
        label: rowText(vscode.workspace.asRelativePath(uri, false), 200),
        description: typeof file?.server === 'string' ? rowText(file.server, 80) : ('' as const),
        iconPath: new vscode.ThemeIcon('beaker'),
        to: async () => uri,
      })),
    {
      label: t('A new test file…'),
      description: '' as const,
      iconPath: new vscode.ThemeIcon('new-file'),
      to: () => newFile(name),
    },
    { label: t('The clipboard'), description: '' as const, iconPath: new vscode.ThemeIcon('copy'), to: undefined },
  ];
  const title = t('Record {0} as a Test In', recorded.name);
  const chosen = await window.showQuickPick(rows, { title, matchOnDescription: true });
  if (!chosen) return;
  if (chosen.to) await add(await chosen.to(), name, recorded);
  else await vscode.env.clipboard.writeText(testAsYaml(recorded));
  if (!recorded.isStruck) return;
  void window.showWarningMessage(
    t(
      'The test had secrets. In the file they are replaced with {0}, and the expectations about them are left out.',
      REDACTED,
    ),
  );
}

async function add(uri: vscode.Uri, server: string, recorded: Parameters<typeof withTest>[3]): Promise<void> {
  const document = await openCurrent(uri);
  const before = document.getText();
  const { text, line } = withTest(before, uri.path.split('/').at(-1) ?? '', server, recorded);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(new vscode.Position(0, 0), document.positionAt(before.length)), text);
  await vscode.workspace.applyEdit(edit);
  const end = document.lineAt(Math.min(line, document.lineCount - 1)).range.end;
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(end, end) });
}

/** A file that is not there yet, with a name that no other has. */
async function newFile(server: string): Promise<vscode.Uri> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
  const name = server.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'server';
  for (let n = 1; ; n++) {
    const file = vscode.Uri.joinPath(folder, `${name}${n > 1 ? `-${n}` : ''}.mcptest.yaml`);
    const isThere = await vscode.workspace.fs.stat(file).then(Boolean, () => false);
    if (!isThere) return file.with({ scheme: 'untitled' });
  }
}
