import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { replaceFile } from '../base/files';
import { readTestFile, readText, TEST_FILE, unreadable } from '../features/authors/core/readTestFile';
import { countsOf, type FileReport, junitReport, plainReport, tapReport } from '../features/authors/core/reports';
import { runTests } from '../features/authors/core/runTests';
import { testedServer } from '../features/authors/core/testServer';
import { UNGUARDED } from '../features/authors/core/testSession';
import type { ServerDefinition } from '../host/definition';
import { EVAL_USAGE } from './mcptestEval';
import { CommandLineError, REQUEST_USAGE, withPorts } from './mcptestRequest';
import { definitionsIn } from './settingsFile';

export const USAGE = `usage: mcptest [files or folders …] [--settings file] [--junit file] [--tap] [--update]

  Runs the tests in *.mcptest.json and *.mcptest.yaml files, by default those below the current folder.

  --settings file   a settings.json whose "mcpHost.servers" has the servers that test files name
  --junit file      writes a JUnit report
  --tap             prints TAP in place of text
  --update          writes snapshots of interfaces in place of comparing with them

${REQUEST_USAGE}
${EVAL_USAGE}`;
const MAX_FILES = 10_000;
const LEFT_OUT = new Set(['node_modules', '.git']);

/** Runs the tests of files. @returns the exit code. @throws CommandLineError, and what `parseArgs` and files throw. */
export async function testAll(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      help: { type: 'boolean' },
      settings: { type: 'string' },
      junit: { type: 'string' },
      tap: { type: 'boolean' },
      update: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const paths = (positionals.length > 0 ? positionals : ['.']).flatMap(path => testFiles(path));
  if (paths.length === 0) {
    process.stderr.write('There is no *.mcptest.json or *.mcptest.yaml file here.\n');
    return 2;
  }
  const named = values.settings === undefined ? () => undefined : await serversOf(values.settings);
  const reports: FileReport[] = [];
  for (const path of paths) {
    const shown = relative('.', path).replaceAll('\\', '/') || path;
    reports.push({ ...(await reportOn(path, named, signal, values.update === true)), path: shown });
  }
  process.stdout.write(values.tap ? tapReport(reports) : plainReport(reports));
  if (values.junit !== undefined) await replaceFile(values.junit, junitReport(reports));
  const { failed, skipped } = countsOf(reports);
  return failed + skipped > 0 ? 1 : 0;
}

async function reportOn(
  path: string,
  named: (name: string) => ServerDefinition | undefined,
  signal: AbortSignal,
  updatesSnapshots: boolean,
): Promise<FileReport> {
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    return { path, problems: [unreadable(error)] };
  }
  const { file, problems } = readTestFile(text, path);
  if (!file) return { path, problems };
  const tested = testedServer(path, file, named);
  if ('problems' in tested) return { path, problems: tested.problems };
  const options = { guard: UNGUARDED, path, signal, updatesSnapshots, definition: tested.definition };
  return { path, result: await withPorts(ports => runTests(file, { ...options, ports })) };
}

/** The test files that a path names: itself, or those in the folder and below it. */
function testFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [resolve(path)];
  const found: string[] = [];
  const open = [resolve(path)];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      // Links are not followed: they may lead in a circle.
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) open.push(join(folder, entry.name));
      else if (entry.isFile() && TEST_FILE.test(entry.name)) found.push(join(folder, entry.name));
    }
    // Tests that are left out unsaid would count as passed.
    if (found.length > MAX_FILES)
      throw new CommandLineError(
        `There are more than ${MAX_FILES} test files below ${path}. Name a folder with fewer.`,
      );
  }
  return found.sort();
}

/** The servers of a settings file that can be started without a person, by name. */
async function serversOf(settings: string): Promise<(name: string) => ServerDefinition | undefined> {
  const definitions = await definitionsIn(settings);
  return name => definitions.find(definition => definition.name === name && definition.entry && !definition.inputs);
}
