import vscode = require('vscode');

import { basename, dirname, join } from 'node:path';
import type { ServerDefinition } from '../../host/definition';
import { Coverage, type CoverageMark, type CoverageSummary } from './core/coverage';
import type { TestFile } from './core/readTestFile';
import { coverageMarks } from './core/snapshotFile';
import { SNAPSHOT_FILE } from './snapshots';

/** Scheme of the read-only lists of what has no line in a snapshot. */
const COVERAGE_SCHEME = 'mcp-coverage';

/** What the tests of one file covered. */
export interface CoveredFile {
  readonly uri: vscode.Uri;
  readonly file: TestFile;
  readonly definition: ServerDefinition;
  readonly coverage: CoverageSummary;
}

/**
 * The coverage of a server's interface by tests, in the editor's coverage views: in the snapshot beside the test file, at the
 * line of each tool, prompt and template. Items without a line there, such as resources, are in a generated list.
 */
export class TestCoverage implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(COVERAGE_SCHEME, this);
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  /** By path; only the last of each server. */
  readonly #texts = new Map<string, string>();
  readonly #details = new WeakMap<vscode.FileCoverage, vscode.FileCoverageDetail[]>();

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  provideTextDocumentContent({ path }: vscode.Uri): string | undefined {
    return this.#texts.get(path);
  }

  details(file: vscode.FileCoverage): vscode.FileCoverageDetail[] {
    return this.#details.get(file) ?? [];
  }

  /** Adds to the run what its files covered, those of one server together: a tool that any of them uses is used. */
  async add(run: vscode.TestRun, files: readonly CoveredFile[]): Promise<void> {
    const shown = new Map<string, { uri: vscode.Uri; marks: CoverageMark[] }>();
    const servers = Map.groupBy(files, ({ definition, uri }) => `${definition.launch} ${dirname(uri.fsPath)}`);
    for (const tested of servers.values()) {
      const all = new Coverage();
      for (const { coverage } of tested) all.add(coverage);
      const path = snapshotPath(tested);
      const { snapshot, listing } = await coverageMarks(all.summary, path);
      const uri = vscode.Uri.file(path);
      // Tests of several servers can be beside one snapshot.
      const marks = [...(shown.get(String(uri))?.marks ?? []), ...snapshot];
      if (marks.length > 0) shown.set(String(uri), { uri, marks });
      if (!listing) continue;
      const list = this.#listOf(tested[0]!, taken => shown.has(String(taken)));
      this.#texts.set(list.path, listing.text);
      this.#changed.fire(list);
      shown.set(String(list), { uri: list, marks: [...listing.marks] });
    }
    for (const { uri, marks } of shown.values()) this.#tell(run, uri, marks);
  }

  #listOf({ uri, definition }: CoveredFile, isTaken: (uri: vscode.Uri) => boolean): vscode.Uri {
    const name = definition.name.replaceAll(/[/\\]/g, ' ');
    for (let count = 1; ; count++) {
      const file = `${name}${count > 1 ? ` ${count}` : ''}.interface.json`;
      const list = vscode.Uri.joinPath(uri, '..', file).with({ scheme: COVERAGE_SCHEME });
      if (!isTaken(list)) return list;
    }
  }

  #tell(run: vscode.TestRun, uri: vscode.Uri, marks: readonly CoverageMark[]): void {
    // The editor lists declarations, but draws only statements beside the lines.
    const details = [...Map.groupBy(marks, ({ name }) => name)].flatMap(([name, same]) => {
      const at = new vscode.Position(same[0]!.place.line, same[0]!.place.column);
      const times = same.reduce((sum, mark) => sum + mark.times, 0);
      return [new vscode.DeclarationCoverage(name, times, at), new vscode.StatementCoverage(times, at)];
    });
    const coverage = vscode.FileCoverage.fromDetails(uri, details);
    this.#details.set(coverage, details);
    run.addCoverage(coverage);
  }
}

/** The snapshot that a step of the files names; otherwise the usual one beside them. */
function snapshotPath(files: readonly CoveredFile[]): string {
  for (const { uri, file } of files)
    for (const { steps } of file.tests)
      for (const { step } of steps) if ('snapshot' in step) return join(dirname(uri.fsPath), basename(step.snapshot));
  return join(dirname(files[0]!.uri.fsPath), SNAPSHOT_FILE);
}
