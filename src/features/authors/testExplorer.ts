import { basename, dirname, join } from 'node:path';
import { Owner } from '../../base/events';
import { Coalescer, Queue } from '../../base/queue';
import { localized } from '../../editor/errorText';
import { TextDocuments } from '../../editor/textDocuments';
import { ownUri } from '../../editor/virtualFiles';
import { t } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { Coverage, type CoverageMark, type CoverageSummary, coverageMarks } from './core/coverage';
import type { PlacedTest, TestFile } from './core/readTestFile';
import { type Counts, countsOf, type FileReport, plainReport } from './core/reports';
import { runTests, type TestResult } from './core/runTests';
import { rootsOf, rootsWithin, testedServer } from './core/testServer';
import { guarded, TestClock } from './core/testSession';
import { SNAPSHOT_FILE } from './snapshots';
import { TestAccess, type TestWindow } from './testAccess';
import { type KnownTestFile, type ReadFile, rangeAt, TestRows } from './testRows';

import vscode = require('vscode');

/** Saving many files at once starts one run. */
const AFTER_SAVE = { quietMs: 200, maxMs: 2_000 };

/** What the files of one run have in common. */
interface RunState {
  readonly stop: AbortController;
  readonly isDebugged: boolean;
  readonly covered: CoveredFile[];
  readonly access: TestAccess;
}

/**
 * The tests of `*.mcptest.json` and `*.mcptest.yaml` files in the Test Explorer, run by the engine of `mcptest.js`. What a file
 * starts needs the person's consent, as a server of the workspace does.
 */
export class TestExplorer extends Owner {
  readonly #controller = this.own(vscode.tests.createTestController('mcpHost.tests', t('MCP servers')));
  readonly #coverage = this.own(new TestCoverage());
  readonly #rows = this.own(new TestRows(this.#controller, item => this.#controller.invalidateTestResults(item)));
  /** Runs that are repeated when a file is saved. */
  readonly #continuous = new Set<Coalescer>();

  constructor(private readonly window: () => TestWindow) {
    super();
    this.#controller.refreshHandler = () => this.find();
    this.#controller.resolveHandler = item => this.resolve(item);
    const { Run, Debug, Coverage } = vscode.TestRunProfileKind;
    const profile = (label: string, kind: vscode.TestRunProfileKind) =>
      this.#controller.createRunProfile(
        label,
        kind,
        async (request, token) => {
          await (request.continuous ? this.#runAgain(request, token) : this.run(request, token));
        },
        true,
        undefined,
        kind !== Debug,
      );
    profile(t('Run'), Run);
    profile(t('Debug'), Debug);
    profile(t('Run with Coverage'), Coverage).loadDetailedCoverage = async (_run, file) => this.#coverage.details(file);
    this.own(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (vscode.workspace.getWorkspaceFolder(uri)) for (const again of this.#continuous) again.trigger();
      }),
    );
  }

  /** The rows: one for each file, below it its tests. */
  get items(): vscode.TestItemCollection {
    return this.#controller.items;
  }

  testFiles(): Promise<readonly KnownTestFile[]> {
    return this.#rows.testFiles();
  }

  override dispose(): void {
    for (const again of this.#continuous) again.cancel();
    super.dispose();
  }

  find(): Promise<void> {
    return this.#rows.find();
  }

  /** Gets what the Test Explorer wants to show: the files, or the tests of one. */
  async resolve(item: vscode.TestItem | undefined): Promise<void> {
    if (item) await this.#rows.read(item.uri!);
    else await this.find();
  }

  /** Runs now, and again whenever a file of the workspace is saved, until the person ends it. */
  async #runAgain(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const runs = new Queue();
    const access = new TestAccess(this.window());
    const again = new Coalescer(() => {
      void runs.run(async () => token.isCancellationRequested || this.run(request, token, access));
    }, AFTER_SAVE);
    this.#continuous.add(again);
    token.onCancellationRequested(() => {
      again.cancel();
      this.#continuous.delete(again);
    });
    await this.run(request, token, access);
  }

  /** Runs what is requested, file after file. What cannot be run is an error of its row. @returns how many tests went how. */
  async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    access = new TestAccess(this.window()),
  ): Promise<Counts> {
    const run = this.#controller.createTestRun(request);
    const reports: FileReport[] = [];
    const covered: CoveredFile[] = [];
    const stop = new AbortController();
    const isDebugged = request.profile?.kind === vscode.TestRunProfileKind.Debug;
    try {
      const wanted = request.include ?? (await this.#rows.all());
      const uris = new Map(wanted.map(item => [item.uri!.toString(), item.uri!]));
      for (const each of [token, run.token]) each.onCancellationRequested(() => stop.abort());
      if (token.isCancellationRequested) stop.abort();
      for (const [id, uri] of uris) {
        if (stop.signal.aborted) break;
        const read = await this.#rows.read(uri); // its items may be others now
        const chosen = new Set(wanted.map(item => item.id));
        const left = new Set(request.exclude?.map(item => item.id));
        const isWanted = (name: string) =>
          (chosen.has(id) || chosen.has(`${id}#${name}`)) && !left.has(id) && !left.has(`${id}#${name}`);
        reports.push(await this.#runFile(run, read, isWanted, { stop, isDebugged, covered, access }));
      }
      if (request.profile?.kind === vscode.TestRunProfileKind.Coverage) await this.#coverage.add(run, covered);
    } finally {
      run.end();
    }
    return countsOf(reports);
  }

  async #runFile(
    run: vscode.TestRun,
    read: ReadFile,
    isWanted: (name: string) => boolean,
    { stop, isDebugged, covered, access }: RunState,
  ): Promise<FileReport> {
    const { item, file } = read;
    const uri = item.uri!;
    const path = item.label;
    const refuse = (message: string): FileReport => {
      run.errored(item, new vscode.TestMessage(message));
      return { path, problems: [{ place: { line: 0, column: 0 }, message }] };
    };
    if (!file) return refuse(typeof item.error === 'string' ? item.error : '');
    const { servers, trust, ports } = this.window();
    const named = (name: string) =>
      servers.all.find(({ definition }) => definition.name === name && definition.entry)?.definition;
    const tested = testedServer(uri.fsPath, file, named);
    if ('problems' in tested) {
      this.#rows.show(uri, tested.problems);
      return refuse(tested.problems.map(({ message }) => localized(message)).join('\n'));
    }
    const { definition } = tested;
    const folders = (vscode.workspace.workspaceFolders ?? []).map(folder => folder.uri.fsPath);
    const guard = guarded(trust, path, rootsWithin(folders));
    const [outside] = rootsOf(file, uri.fsPath).flatMap(root => guard.rootProblem(root) ?? []);
    if (outside) return refuse(localized(outside));
    const refusal = await access.refusal(definition, read, file);
    if (refusal !== undefined) return refuse(refusal);
    const tests = file.tests.filter(({ name }) => isWanted(name));
    const rowOf = ({ name }: PlacedTest) => item.children.get(`${uri}#${name}`);
    for (const test of tests) {
      const row = rowOf(test);
      if (row) run.enqueued(row);
    }
    const clock = new TestClock();
    const debug = isDebugged
      ? this.window().debugger({
          paused: isPaused => clock.stand(isPaused),
          left: () => stop.abort(),
          log: text => run.appendOutput(`${text}\r\n`),
        })
      : undefined;
    const result = await runTests(file, {
      ports: { ...ports, ...(debug && { launch: ports.launch.with({ last: debug }) }) },
      guard,
      clock,
      ...(debug && { debugger: debug }),
      definition,
      path: uri.fsPath,
      signal: stop.signal,
      tests,
      onDidStart: test => {
        const row = rowOf(test);
        if (row) run.started(row);
      },
      onDidEnd: ended => {
        const row = rowOf(ended.test);
        if (row) tell(run, row, ended);
      },
    });
    covered.push({ uri, file, definition, coverage: result.coverage });
    const report: FileReport = { path, result };
    run.appendOutput(plainReport([report]).replaceAll('\n', '\r\n'));
    return report;
  }
}

/** Each failure is marked at the line of its step. */
function tell(
  run: vscode.TestRun,
  row: vscode.TestItem,
  { status, durationMs, steps, failure, test }: TestResult,
): void {
  if (status === 'passed') run.passed(row, durationMs);
  if (status === 'skipped') run.skipped(row);
  if (status !== 'failed') return;
  const failures = [
    ...(failure ? [{ ...failure, place: test.place }] : []),
    ...steps.flatMap(({ step, failures: found }) => found.map(each => ({ ...each, place: step.expectPlace }))),
  ];
  const messages = failures.map(({ message, expected, actual, place }) => {
    const text = localized(message);
    const said =
      expected !== undefined && actual !== undefined
        ? vscode.TestMessage.diff(text, expected, actual)
        : new vscode.TestMessage(actual === undefined ? text : `${text}\n\n${actual}`);
    said.location = new vscode.Location(row.uri!, rangeAt(place));
    return said;
  });
  run.failed(row, messages, durationMs);
}

/** Scheme of the read-only lists of what has no line in a snapshot. */
const COVERAGE_SCHEME = 'mcp-coverage';

interface CoveredFile {
  readonly uri: vscode.Uri;
  readonly file: TestFile;
  readonly definition: ServerDefinition;
  readonly coverage: CoverageSummary;
}

/**
 * The coverage of a server's interface by tests, in the editor's coverage views: in the snapshot beside the test file, at the
 * line of each tool, prompt and template. Items without a line there, such as resources, are in a generated list.
 */
class TestCoverage extends Owner {
  /** Only the last of each server. */
  readonly #documents = this.own(new TextDocuments(COVERAGE_SCHEME));
  readonly #details = new WeakMap<vscode.FileCoverage, vscode.FileCoverageDetail[]>();

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
      this.#documents.set(list, listing.text);
      shown.set(String(list), { uri: list, marks: [...listing.marks] });
    }
    for (const { uri, marks } of shown.values()) this.#tell(run, uri, marks);
  }

  #listOf({ uri, definition }: CoveredFile, isTaken: (uri: vscode.Uri) => boolean): vscode.Uri {
    const name = definition.name.replaceAll(/[/\\]/g, ' ');
    for (let count = 1; ; count++) {
      const file = `${name}${count > 1 ? ` ${count}` : ''}.interface.json`;
      const { path } = vscode.Uri.joinPath(uri, '..', file);
      const list = ownUri({ scheme: COVERAGE_SCHEME, path });
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
