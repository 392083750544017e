import vscode = require('vscode');

import { Coalescer } from '../../base/coalescer';
import { DisposableStore } from '../../base/events';
import { Queues } from '../../base/queue';
import { localized } from '../../editor/errorText';
import type { HostPorts, ServerDefinition, ServerSet } from '../../host';
import type { ReviewDialog, Trust } from '../trust';
import { type PlacedTest, readTestFile, readText, type TestFile, unreadable } from './core/readTestFile';
import { type Counts, countsOf, type FileReport, plainReport } from './core/reports';
import { runTests, type TestResult } from './core/runTests';
import type { PlacedProblem } from './core/sourceText';
import { TestClock } from './core/testClock';
import { testedServer } from './core/testServer';
import type { TestDebugger } from './core/testSession';
import { type CoveredFile, TestCoverage } from './testCoverage';
import { isTestFile, LEFT_OUT, TEST_FILES } from './testFiles';

const { t } = vscode.l10n;

const MAX_FILES = 1_000;
/** So many files are read at a time. */
const AT_ONCE = 20;
/** Saving many files at once starts one run. */
const AFTER_SAVE = { quietMs: 200, maxMs: 2_000 };

/** What runs need of the window; asked for with the first run. */
export interface TestWindow {
  readonly servers: ServerSet;
  readonly trust: Trust;
  readonly ports: Pick<HostPorts, 'shellPath' | 'readFile' | 'sandbox'>;
  /** Shows what a server would launch. @param uri of the file that says so. */
  readonly reviewOf: (uri: vscode.Uri) => ReviewDialog;
  /** Debugs the servers of tests. */
  readonly debugger: (events: DebugEvents) => TestDebugger;
}

/** What is told while tests are debugged. */
interface DebugEvents {
  /** The program is paused, or runs on. */
  paused(isPaused: boolean): void;
  /** The person ends the debugger. */
  left(): void;
  log(text: string): void;
}

/** A test file of the workspace; without `file` if there are mistakes in it. */
export interface KnownTestFile {
  readonly uri: vscode.Uri;
  readonly file: TestFile | undefined;
}

/** A test file of the workspace as it was read last. */
interface KnownFile {
  readonly item: vscode.TestItem;
  readonly file: TestFile | undefined;
}

/**
 * The tests of `*.mcptest.json` and `*.mcptest.yaml` files in the Test Explorer, run by the engine of `mcptest.js`. What a file
 * starts needs the person's consent, as a server of the workspace does.
 */
export class TestExplorer implements vscode.Disposable {
  readonly #own = new DisposableStore();
  readonly #controller = this.#own.add(vscode.tests.createTestController('mcpHost.tests', t('MCP servers')));
  readonly #coverage: TestCoverage;
  readonly #problems = this.#own.add(vscode.languages.createDiagnosticCollection('mcptest'));
  readonly #files = new Map<string, KnownFile>();
  /** Each file is read after the read before it: what was read last counts, and is what the file has now. */
  readonly #reads = new Queues();
  /** Runs that are repeated when a file is saved. */
  readonly #continuous = new Set<Coalescer>();
  /** Resolves when the files that are there have been read. */
  readonly found: Promise<void>;

  constructor(private readonly window: () => TestWindow) {
    this.#coverage = this.#own.add(new TestCoverage());
    this.#controller.refreshHandler = () => this.find();
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
    const watcher = this.#own.add(vscode.workspace.createFileSystemWatcher(TEST_FILES));
    this.#own.add(watcher.onDidCreate(uri => void this.#read(uri)));
    this.#own.add(watcher.onDidChange(uri => void this.#change(uri)));
    this.#own.add(watcher.onDidDelete(uri => void this.#reads.run(uri.toString(), async () => this.#forget(uri))));
    this.#own.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (vscode.workspace.getWorkspaceFolder(uri)) for (const again of this.#continuous) again.trigger();
      }),
    );
    this.found = this.find();
  }

  /** The rows: one for each file, below it its tests. */
  get items(): vscode.TestItemCollection {
    return this.#controller.items;
  }

  /** The test files that are there. */
  async known(): Promise<readonly KnownTestFile[]> {
    await this.found;
    return [...this.#files.values()].map(({ item, file }) => ({ uri: item.uri!, file }));
  }

  dispose(): void {
    for (const again of this.#continuous) again.cancel();
    this.#own.dispose();
  }

  /** Reads all test files of the workspace. */
  async find(): Promise<void> {
    const uris = await vscode.workspace.findFiles(TEST_FILES, LEFT_OUT, MAX_FILES);
    const there = new Set(uris.map(String));
    for (const { item } of [...this.#files.values()]) if (!there.has(item.id)) this.#forget(item.uri!);
    for (let at = 0; at < uris.length; at += AT_ONCE)
      await Promise.all(uris.slice(at, at + AT_ONCE).map(uri => this.#read(uri)));
  }

  /** What its tests came to is of another file now. */
  async #change(uri: vscode.Uri): Promise<void> {
    const known = await this.#read(uri);
    if (known) this.#controller.invalidateTestResults(known.item);
  }

  #forget(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
    this.#controller.items.delete(uri.toString());
    this.#problems.delete(uri);
  }

  /** Reads a file, and shows its tests, or what is wrong in it. */
  async #read(uri: vscode.Uri): Promise<KnownFile | undefined> {
    return isTestFile(uri) ? this.#reads.run(uri.toString(), () => this.#readNow(uri)) : undefined;
  }

  async #readNow(uri: vscode.Uri): Promise<KnownFile> {
    const { file, problems } = await this.#parse(uri);
    const id = uri.toString();
    const item =
      this.#controller.items.get(id) ??
      this.#controller.createTestItem(id, vscode.workspace.asRelativePath(uri, false), uri);
    item.children.replace((file?.tests ?? []).map(test => this.#itemOf(uri, test)));
    const [first] = problems;
    item.error = first && localized(first.message);
    item.range = rangeAt(first?.place ?? { line: 0, column: 0 });
    this.#controller.items.add(item);
    const known = { item, file };
    this.#files.set(id, known);
    this.#show(uri, problems);
    return known;
  }

  #show(uri: vscode.Uri, problems: readonly PlacedProblem[]): void {
    this.#problems.set(
      uri,
      problems.map(({ place, message }) => new vscode.Diagnostic(rangeAt(place), localized(message))),
    );
  }

  async #parse(uri: vscode.Uri): Promise<ReturnType<typeof readTestFile>> {
    try {
      return readTestFile(await readText(uri.fsPath), uri.fsPath);
    } catch (error) {
      return { problems: [unreadable(error)] };
    }
  }

  #itemOf(uri: vscode.Uri, { name, place }: PlacedTest): vscode.TestItem {
    const item = this.#controller.createTestItem(`${uri}#${name}`, name, uri);
    item.range = rangeAt(place);
    return item;
  }

  /** Runs now, and again whenever a file of the workspace is saved, until the person ends it. */
  async #runAgain(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    let last: Promise<unknown> = Promise.resolve();
    const again = new Coalescer(() => {
      last = last.then(() => (token.isCancellationRequested ? undefined : this.run(request, token)));
    }, AFTER_SAVE);
    this.#continuous.add(again);
    token.onCancellationRequested(() => {
      again.cancel();
      this.#continuous.delete(again);
    });
    await this.run(request, token);
  }

  /** Runs what is requested, file after file. What cannot be run is an error of its row. @returns how many tests went how. */
  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<Counts> {
    const run = this.#controller.createTestRun(request);
    const reports: FileReport[] = [];
    const covered: CoveredFile[] = [];
    const stop = new AbortController();
    const isDebugged = request.profile?.kind === vscode.TestRunProfileKind.Debug;
    try {
      const wanted = request.include ?? [...this.#controller.items].map(([, item]) => item);
      const uris = new Map(wanted.map(item => [item.uri!.toString(), item.uri!]));
      for (const each of [token, run.token]) each.onCancellationRequested(() => stop.abort());
      if (token.isCancellationRequested) stop.abort();
      for (const [id, uri] of uris) {
        if (stop.signal.aborted) break;
        const known = await this.#read(uri); // its items may be others now
        const chosen = new Set(wanted.map(item => item.id));
        const left = new Set(request.exclude?.map(item => item.id));
        const isWanted = (name: string) =>
          (chosen.has(id) || chosen.has(`${id}#${name}`)) && !left.has(id) && !left.has(`${id}#${name}`);
        if (known) reports.push(await this.#runFile(run, known, isWanted, { stop, isDebugged, covered }));
      }
      if (request.profile?.kind === vscode.TestRunProfileKind.Coverage) await this.#coverage.add(run, covered);
    } finally {
      run.end();
    }
    return countsOf(reports);
  }

  async #runFile(
    run: vscode.TestRun,
    { item, file }: KnownFile,
    isWanted: (name: string) => boolean,
    { stop, isDebugged, covered }: { stop: AbortController; isDebugged: boolean; covered: CoveredFile[] },
  ): Promise<FileReport> {
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
      this.#show(uri, tested.problems);
      return refuse(tested.problems.map(({ message }) => localized(message)).join('\n'));
    }
    const { definition } = tested;
    const refusal = await this.#refusal(definition, uri);
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
    const admit = async (launched: ServerDefinition) => {
      const admission = await trust.admit(launched);
      return debug?.admitted(launched, admission) ?? admission;
    };
    const result = await runTests(file, {
      ports: { ...ports, launch: { admit } },
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

  /** Why the server is not started. Lets the person review what would be, unless they have allowed it. */
  async #refusal(definition: ServerDefinition, uri: vscode.Uri): Promise<string | undefined> {
    const { trust, servers, reviewOf } = this.window();
    const server = servers.get(definition.id);
    if (!server && !vscode.workspace.isTrusted)
      return t('This workspace is not trusted, so the server of the file was not started.');
    const review = trust.consents.review(definition);
    if (!review || review.answer === 'allowed') return undefined;
    if (server) {
      // It has a review of its own, as for any start of it.
      await vscode.commands.executeCommand('mcpHost.reviewServer', { server });
      if (trust.consents.review(definition)?.answer === 'allowed') return undefined;
    } else if ((await reviewOf(uri).ask([review])) === 'allow') {
      await trust.consents.allow(review);
      return undefined;
    }
    return t('Its server was not allowed to start. Run the test again to review what would be started.');
  }
}

const rangeAt = ({ line, column }: { line: number; column: number }) => new vscode.Range(line, column, line, column);

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
