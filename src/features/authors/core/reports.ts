import { english } from '../../../base/phrase';
import { visible, visibleLines } from '../../../base/text';
import { lineDiff, type StepFailure } from './checkResult';
import type { CoverageSummary } from './coverage';
import type { TestFileResult, TestResult } from './runTests';
import type { PlacedProblem } from './sourceText';

/** Of what was not used, so many are named. */
const MAX_NAMES = 20;

/** A test file, with what came of it: what is wrong in it, or how its tests went. */
export type FileReport = { readonly path: string } & (
  | { readonly problems: readonly PlacedProblem[] }
  | { readonly result: TestFileResult }
);

/** How many tests went how; a file that cannot be run counts as one that failed. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export function countsOf(reports: readonly FileReport[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const report of reports) {
    if ('problems' in report) counts.failed++;
    else for (const { status } of report.result.tests) counts[status]++;
  }
  return counts;
}

/** What is wrong in a file, as compilers say it: `file:line:column: text`. */
const problemLine = (path: string, { place, message }: PlacedProblem): string =>
  `${path}:${place.line + 1}:${place.column + 1}: ${english(message)}`;

/** A failure in lines: what, then how the expected and the actual differ. */
function failureLines({ message, expected, actual }: StepFailure): string[] {
  const lines = [english(message)];
  if (expected !== undefined && actual !== undefined) lines.push(...lineDiff(expected, actual));
  // The message of a server that has ended has its last line already.
  else if (actual !== undefined)
    lines.push(...actual.split('\n').flatMap(line => (lines[0]!.endsWith(`: ${line}`) ? [] : [`+ ${line}`])));
  return lines.map(line => visibleLines(line));
}

function explainTest(path: string, { failure, steps, test }: TestResult): string[] {
  const where = ({ line, column }: { line: number; column: number }) => `${path}:${line + 1}:${column + 1}`;
  return [
    ...(failure ? [where(test.place), ...failureLines(failure)] : []),
    ...steps.flatMap(({ step, failures }) =>
      failures.flatMap(found => [`${where(step.expectPlace)} ${step.title}`, ...failureLines(found)]),
    ),
  ];
}

/** For a person: a line for each test, why each failed, what is not covered, and the sum. */
export function plainReport(reports: readonly FileReport[]): string {
  const lines: string[] = [];
  for (const report of reports) {
    const { path } = report;
    lines.push(path);
    if ('problems' in report) {
      lines.push(...report.problems.map(problem => `  ${problemLine(path, problem)}`), '');
      continue;
    }
    for (const result of report.result.tests) {
      const sign = { passed: '✓', failed: '✗', skipped: '-' }[result.status];
      lines.push(`  ${sign} ${result.test.name} (${Math.round(result.durationMs)} ms)`);
      lines.push(...explainTest(path, result).map(line => `      ${line}`));
    }
    const covered = coverageLine(report.result.coverage);
    if (covered !== '') lines.push(`  covered: ${covered}`);
    // Resources are data: nobody means to use each of them.
    for (const kind of ['tools', 'prompts'] as const) {
      const { unused } = report.result.coverage[kind];
      if (unused.length > 0) lines.push(`  ${kind} not used: ${shortList(unused)}`);
    }
    lines.push('');
  }
  const { passed, failed, skipped } = countsOf(reports);
  return `${lines.join('\n')}${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}

/** How much of what there is was used: `tools 5/11, prompts 1/4`. */
const coverageLine = (coverage: CoverageSummary): string =>
  Object.entries(coverage)
    .map(([kind, { used, unused }]) => ({ kind, count: used.length, of: used.length + unused.length }))
    .filter(({ of }) => of > 0)
    .map(({ kind, count, of }) => `${kind === 'resourceTemplates' ? 'templates' : kind} ${count}/${of}`)
    .join(', ');

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(name => visible(name, 80));
  return [...shown, ...(names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [])].join(', ');
}

/** One line of a report for machines: a test, or a file that cannot be run. */
interface ReportedCase {
  /** Undefined: the file. */
  readonly name: string | undefined;
  readonly status: keyof Counts;
  readonly durationMs: number;
  readonly why: readonly string[];
}

function casesOf(report: FileReport): ReportedCase[] {
  const { path } = report;
  if ('problems' in report) {
    const why = report.problems.map(problem => problemLine(path, problem));
    return [{ name: undefined, status: 'failed', durationMs: 0, why }];
  }
  return report.result.tests.map(result => {
    const { test, status, durationMs } = result;
    return { name: test.name, status, durationMs, why: explainTest(path, result) };
  });
}

/** Test Anything Protocol, version 14. */
export function tapReport(reports: readonly FileReport[]): string {
  const cases = reports.flatMap(report => casesOf(report).map(one => ({ ...one, path: report.path })));
  const points = cases.flatMap(({ path, name, status, why }, index) => {
    const title = name === undefined ? path : `${path}: ${name}`;
    const described = title.replaceAll('\\', '\\\\').replaceAll('#', '\\#').replaceAll(/\s+/g, ' ');
    const line = `${status === 'failed' ? 'not ok' : 'ok'} ${index + 1} - ${described}`;
    const details = why.length > 0 ? ['  ---', '  message: |', ...why.map(text => `    ${text}`), '  ...'] : [];
    return [status === 'skipped' ? `${line} # SKIP` : line, ...details];
  });
  return ['TAP version 14', `1..${cases.length}`, ...points, ''].join('\n');
}

/** JUnit XML, as CI systems read it. */
export function junitReport(reports: readonly FileReport[]): string {
  const suites = reports.map(report => {
    const path = xml(report.path);
    const { failed, skipped } = countsOf([report]);
    const cases = casesOf(report).map(({ name = 'the file', status, durationMs, why }) => {
      const inner = status === 'skipped' ? '<skipped/>' : failureXml(why);
      const time = (durationMs / 1000).toFixed(3);
      return `    <testcase classname="${path}" name="${xml(name)}" time="${time}">${inner}</testcase>`;
    });
    return [
      `  <testsuite name="${path}" tests="${cases.length}" failures="${failed}" skipped="${skipped}">`,
      ...cases,
      '  </testsuite>',
    ].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

const failureXml = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<failure message="${xml(lines[1] ?? lines[0] ?? '')}">${xml(lines.join('\n'))}</failure>`;

/** Characters that XML 1.0 has no way to write are replaced. */
const xml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
