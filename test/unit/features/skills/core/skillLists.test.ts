import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostError } from '../../../../../src/base/errors';
import { english } from '../../../../../src/base/phrase';
import {
  checkSkill,
  fileAt,
  isUsableSkill,
  keyOf,
  type Skill,
  SkillApprovals,
} from '../../../../../src/features/skills/core/skill';
import { SkillLists } from '../../../../../src/features/skills/core/skillLists';
import type { RequestsOf, ServerConnection } from '../../../../../src/host';
import type { KeptScope } from '../../../../../src/host/definition';
import { servesSkills } from '../../../../../src/host/sdk/serverInfo';
import { waitFor } from '../../../../servers/spawn';
import { temporaryFolder } from '../../../../setup/paths';
import { raw, unasked } from '../../../../setup/raw';
import { hostile, TestHost } from '../../../host/testHost';

describe('skills of a server', function () {
  this.timeout(60_000);
  let test: TestHost;
  let lists: SkillLists;
  const person = { requests: unasked };
  beforeEach(() => {
    test = new TestHost();
    lists = new SkillLists(unasked);
  });
  afterEach(async () => {
    lists.dispose();
    await test.close();
  });

  async function up(...flags: string[]): Promise<ServerConnection> {
    test.configure({ skilled: hostile(...flags) });
    const server = await test.loads('skilled');
    await lists.loaded(server);
    return server;
  }
  /** What the server was asked for, in order. */
  const asked = () =>
    test.logs.flatMap(
      ({ source, data }) => /^skills: (.*?) ?$/.exec(source === 'stderr' ? String(data) : '')?.[1] ?? [],
    );
  /** The fixture prints on stderr what it is asked for, which may come later than its answer. */
  const printed = (count: number) =>
    waitFor(() => asked().length >= count, { what: () => `${count} requests; there are ${asked().join()}` });
  const named = (server: ServerConnection, name: string): Skill => {
    const found = lists.skills(server).find(one => one.name === name);
    assert.ok(found, `no skill ${name}`);
    return found;
  };
  const refusal = async (reading: Promise<unknown>): Promise<HostError> => {
    const error = await reading.then(
      () => assert.fail('it was not refused'),
      (error: HostError) => error,
    );
    assert.equal(error.name, 'HostError');
    return error;
  };

  it('are requested only from a server that declares them @skillLists.requested-server-declares', async () => {
    const server = await up('--no-method=skills/list');
    assert.equal(servesSkills(server), false);
    assert.equal(lists.of(server), undefined);
    assert.ok(!test.logged(/asked for skills/));
  });

  it('are requested on behalf of the caller, cached files too @skillLists.requested-behalf-caller', async () => {
    const server = await up('--skills');
    const wanted: string[] = [];
    let isDenied = false;
    const caller: RequestsOf = of => {
      const requests = unasked(of);
      const note = (what: string) => {
        wanted.push(what);
        if (isDenied) throw new Error('denied');
      };
      return {
        ...requests,
        readResource: async (uri, signal, ofSkill) => {
          note(`read ${ofSkill}`);
          return requests.readResource(uri, signal);
        },
        permitted: async ({ method, ofSkill }) => note(`permitted ${method} ${ofSkill}`),
        forward: async (request, ...rest) => {
          note(request.method);
          return requests.forward(request, ...rest);
        },
      };
    };
    const model = { requests: caller };
    const skill = await lists.get(server, 'skill://internal-notes/SKILL.md', model);
    await lists.read(server, skill, undefined, model);
    await lists.read(server, skill, undefined, model);
    assert.deepEqual(wanted, ['skills/get', 'read instructions', 'permitted resources/read instructions']);
    isDenied = true;
    await assert.rejects(lists.read(server, skill, undefined, model), /denied/);
    await assert.rejects(lists.get(server, 'skill://data/private/SKILL.md', model), /denied/);
    assert.ok(!asked().some(line => line.includes('private')), asked().join());
  });

  it('are not loaded by a read of their SKILL.md as a resource, which is one like any other @skillLists.loaded-read-skill', async () => {
    const server = await up('--skills');
    const skill = named(server, 'pdf-processing');
    const approvals = new SkillApprovals({ get: () => ({}), set: async () => {} });
    const { contents } = await raw(server).readResource(skill.uri);
    assert.equal(contents[0]?.uri, skill.uri);
    assert.equal(approvals.state(server.definition, skill), 'new');
    // It is read again, and verified, when it is loaded.
    const { file } = await lists.read(server, skill, undefined, person);
    assert.equal(file.path, 'SKILL.md');
    const reads = () => asked().filter(line => line.includes('resources/read') && line.includes(skill.uri));
    await waitFor(() => reads().length === 2, { what: () => `two reads, not ${asked().join()}` });
  });

  it('are listed page by page, with their files, and no file of theirs is read @skillLists.listed-page-page', async () => {
    const server = await up('--page-size=2', '--skills');
    assert.deepEqual(
      lists.skills(server).map(({ uri, name, description }) => [uri, name, description]),
      [
        ['skill://pdf-processing/SKILL.md', 'pdf-processing', 'Extract, fill, and assemble PDF documents'],
        ['skill://acme/billing/refunds/SKILL.md', 'refunds', 'Refunds of bills'],
        ['skill://acme/support/refunds/SKILL.md', 'refunds', 'Refunds that support grants'],
      ],
    );
    assert.deepEqual(
      named(server, 'pdf-processing').files.map(({ path }) => path),
      ['SKILL.md', 'assets/logo.bin', 'references/FORMS.md'],
    );
    await lists.loaded(server);
    // What it was asked for before that request has been printed, too.
    await lists.get(server, 'skill://pdf-processing/SKILL.md', person);
    await printed(3);
    assert.deepEqual(asked(), ['skills/list', 'skills/list', 'skills/get skill://pdf-processing/SKILL.md']);
  });

  it('are read a file at a time, verified, and each file once @skillLists.read-file-time', async () => {
    const server = await up('--skills');
    const pdf = named(server, 'pdf-processing');
    assert.match(
      (await lists.read(server, pdf, undefined, person)).text ?? '',
      /^---\nname: "pdf-processing"\n.*# PDF/s,
    );
    const forms = await lists.read(server, pdf, 'references/FORMS.md', person);
    assert.equal(forms.text, 'A form has fields: call echo.\n');
    assert.equal(await lists.read(server, pdf, './references/../references/FORMS.md', person), forms);
    assert.equal(await lists.read(server, pdf, 'skill://pdf-processing/references/FORMS.md#top', person), forms);
    const logo = await lists.read(server, pdf, 'assets/logo.bin', person);
    assert.deepEqual([logo.text, [...logo.bytes]], [undefined, [0, 255, 1, 254]]);
    await printed(4);
    assert.deepEqual(asked().slice(1), [
      'resources/read skill://pdf-processing/SKILL.md',
      'resources/read skill://pdf-processing/references/FORMS.md',
      'resources/read skill://pdf-processing/assets/logo.bin',
    ]);
  });

  it('never resolve the authority of a URI @skillLists.resolve-authority-uri', async () => {
    const server = await up('--skills');
    const original = globalThis.fetch;
    const fetched: unknown[] = [];
    globalThis.fetch = async url => {
      fetched.push(url);
      return new Response();
    };
    try {
      for (const skill of lists.skills(server)) await lists.read(server, skill, undefined, person);
    } finally {
      globalThis.fetch = original;
    }
    assert.deepEqual(fetched, []);
  });

  it('have no files but those that they list @skillLists.files-list', async () => {
    const server = await up('--skills');
    const pdf = named(server, 'pdf-processing');
    for (const other of [
      'scripts/run.sh',
      '../refunds/SKILL.md',
      'skill://acme/billing/refunds/SKILL.md',
      'https://x.example/',
      'a\0b',
      '%',
    ])
      assert.match(
        english((await refusal(lists.read(server, pdf, other, person))).phrases.reason),
        /lists no such file/,
        other,
      );
    assert.equal(fileAt(pdf, '%53KILL.md')?.path, 'SKILL.md');
    assert.deepEqual(
      asked().filter(method => /resources/.test(method)),
      [],
    );
  });

  for (const [fault, reason] of [
    ['digest', /its content does not match the digest that the server lists/],
    ['size', /it has \d+ bytes, and \d+ where the server lists it/],
    ['frontmatter', /the frontmatter of its SKILL\.md is not what the server listed \(description\)/],
    ['unreadable', /the frontmatter of its SKILL\.md cannot be read/],
  ] as const) {
    it(`are refused for a wrong ${fault}, with server, skill and remedy @skillLists.refused-wrong-server`, async () => {
      const server = await up('--skills', `--skills-fault=${fault}`);
      const error = await refusal(lists.read(server, named(server, 'pdf-processing'), undefined, person));
      assert.equal(error.code, 'CHANGED');
      assert.match(error.message, /MCP server "skilled" could not read SKILL\.md of the skill pdf-processing: /);
      assert.match(error.message, reason);
      assert.match(error.message, /It was not used\. Refresh the server's skills in the MCP view/);
      const isAsked = () => asked().at(-1) === 'skills/get skill://pdf-processing/SKILL.md';
      await waitFor(isAsked, { what: () => `the question whether there is another entry after ${asked().join()}` });
    });
  }

  it("cannot be read when a file is missing, with the server's message", async () => {
    const server = await up('--skills', '--skills-fault=missing');
    const error = await refusal(lists.read(server, named(server, 'pdf-processing'), undefined, person));
    assert.match(error.message, /"skilled" could not read skill:\/\/pdf-processing\/SKILL\.md: .*Resource not found/);
  });

  it('are found by their URI when they are not listed @skillLists.found-uri-listed', async () => {
    const server = await up('--skills');
    const notes = await lists.get(server, 'skill://internal-notes/SKILL.md', person);
    assert.equal(notes.name, 'internal-notes');
    assert.equal(named(server, 'internal-notes'), notes);
    const error = await refusal(lists.get(server, 'skill://nobody/SKILL.md', person));
    assert.match(error.message, /"skilled" could not get the skill skill:\/\/nobody\/SKILL\.md: .*No skill is served/);
  });

  it('with faults are left out one by one, each with its reason @skillLists.faults-left-reason', async () => {
    const server = await up('--skills-odd');
    assert.deepEqual(
      lists.skills(server).map(({ name }) => name),
      ['good'],
    );
    const { unusable = [] } = lists.of(server)?.list ?? {};
    assert.deepEqual(
      unusable.map(({ name, problem }) => `${name}: ${english(problem)}`),
      [
        'Upper-Case: its name must have at most 64 lowercase letters, digits and single hyphens',
        '..: its URI does not lead to a file SKILL.md in a folder',
        'a/slashed: its name must have at most 64 lowercase letters, digits and single hyphens',
        'elsewhere: skill://elsewhere/../pdf-processing/SKILL.md is not in its folder',
        'climbing: skill://climbing/%2e%2e/SKILL.md is not in its folder',
        'hidden-slash: skill://hidden-slash/a%2Fb.md is not in its folder',
        'twins: it lists Q&A.md twice',
        'undescribed: its description is missing, or longer than 1024 characters',
        'generated: its files differ each time that they are read, so there is nothing fixed to approve',
        'unlisted-files: it does not list its files',
        'headless: its SKILL.md is not among its files',
        'undigested: skill://undigested/SKILL.md has no SHA-256 digest',
        'unmeasured: skill://unmeasured/SKILL.md has no size',
        'heavy: its files have 20 MB; the limit is 16 MB',
        'many-files: it has 513 files; the limit is 512',
        'double: it is listed twice under the same URI',
        'long: its frontmatter is larger than 64 KB',
      ],
    );
  });

  it('may have as many files, and as large ones, as the limits say @skillLists.many-files-large', () => {
    const entry = (files: number, bytes: number) => ({
      uri: 'skill://large/SKILL.md',
      frontmatter: { name: 'large', description: 'x'.repeat(1_024) },
      resources: Array.from({ length: files }, (_, i) => ({
        uri: `skill://large/${i === 0 ? 'SKILL.md' : `${i}.md`}`,
        digest: `sha256:${'0'.repeat(64)}`,
        size: i === 0 ? bytes : 0,
      })),
    });
    const most = 16 * 1024 * 1024;
    assert.ok(isUsableSkill(checkSkill(entry(512, most))));
    assert.ok(!isUsableSkill(checkSkill(entry(513, most))));
    assert.ok(!isUsableSkill(checkSkill(entry(512, most + 1))));
  });

  it('may be ten thousand', async () => {
    const server = await up('--page-size=1000', '--skills-many=10000');
    assert.equal(lists.skills(server).length, 10_000);
    assert.equal(lists.of(server)?.list?.isCut, false);
  });

  it('are checked in turns, between which others have theirs', async () => {
    const server = await up('--skills');
    const more = Array.from({ length: 20_000 }, () => 1);
    const skills = Array.from({ length: 30 }, (_, n) => {
      const uri = `skill://s${n}/SKILL.md`;
      const resources = [{ uri, digest: `sha256:${'a'.repeat(64)}`, size: 1 }];
      return { uri, frontmatter: { name: `s${n}`, description: 'x', more }, resources };
    });
    let turns = 0;
    const answered = (of: ServerConnection) => ({
      ...unasked(of),
      forward: async () => {
        setImmediate(() => turns++);
        return { skills } as never;
      },
    });
    const many = new SkillLists(answered);
    await many.loaded(server);
    assert.deepEqual([many.skills(server).length, turns], [30, 1]);
    many.dispose();
  });

  it('beyond the limit are cut, with a note in the list @skillLists.beyond-limit-cut', async () => {
    const server = await up('--page-size=5000', '--skills-many=20001');
    assert.equal(lists.skills(server).length, 20_000);
    assert.equal(lists.of(server)?.list?.isCut, true);
  });

  it('that cannot be listed name the reason, and can be listed again', async () => {
    const server = await up('--error-at=skills/list', '--skills');
    const { status, error } = lists.of(server) ?? assert.fail();
    assert.equal(status, 'failed');
    assert.match(error?.message ?? '', /"skilled" could not list its skills: .*Internal error/);
    await lists.refresh(server);
    assert.equal(lists.of(server)?.status, 'failed');
  });

  describe('that change after their approval', () => {
    const folder = temporaryFolder();
    const flag = join(folder, 'now');

    it('lose their approval, whoever detects it, and the new files do not replace the old @skillLists.lose-approval-whoever', async () => {
      const server = await up('--skills', `--skills-when=${flag}`);
      const approvals = new SkillApprovals(memory());
      const pdf = named(server, 'pdf-processing');
      await approvals.approve(server.definition, pdf);
      assert.equal(approvals.state(server.definition, pdf), 'approved');
      assert.equal(approvals.state(server.definition, named(server, 'refunds')), 'new');
      writeFileSync(flag, '');
      assert.match((await refusal(lists.read(server, pdf, undefined, person))).message, /it has \d+ bytes, and \d+/);
      const now = named(server, 'pdf-processing');
      assert.notEqual(now.hash, pdf.hash);
      assert.equal(approvals.state(server.definition, now), 'changed');
      await approvals.approve(server.definition, now);
      assert.match((await lists.read(server, now, undefined, person)).text ?? '', /id_rsa/);
    });
  });
});

describe('approvals of skills', () => {
  const skill = { uri: 'skill://one/SKILL.md', hash: 'a' } as Skill;
  const of = (id: string, launch = 'x', scope: 'user' | 'workspace' = 'user') => ({ id, launch, source: { scope } });

  it('are for one skill of one server, as it was @skillLists.skill-server', async () => {
    const approvals = new SkillApprovals(memory());
    await approvals.approve(of('mine'), skill);
    assert.equal(approvals.state(of('mine'), skill), 'approved');
    assert.equal(approvals.state(of('mine'), { ...skill, hash: 'b' }), 'changed');
    assert.equal(approvals.state(of('mine'), { ...skill, uri: 'skill://two/SKILL.md' }), 'new');
    assert.equal(approvals.state(of('other'), skill), 'new', 'another server');
    assert.equal(approvals.state(of('mine', 'y'), skill), 'new', 'another program under the same name');
    assert.equal(approvals.state(of('mine', 'x', 'workspace'), skill), 'new', 'one of a workspace');
  });

  it('that are corrupt count as missing', async () => {
    const store = memory();
    const approvals = new SkillApprovals(store);
    for (const spoiled of [null, 7, 'a', [], {}, { hash: 7, launch: 'x' }, { hash: 'a' }]) {
      await store.set('user', { [keyOf(of('mine'), skill.uri)]: spoiled });
      assert.equal(approvals.state(of('mine'), skill), 'new', JSON.stringify(spoiled));
    }
  });

  it('can be revoked, with an event that names the server', async () => {
    const approvals = new SkillApprovals(memory());
    const told: string[] = [];
    approvals.onDidChange(id => told.push(id));
    await approvals.approve(of('mine'), skill);
    await approvals.revoke(of('mine'), skill.uri);
    assert.equal(approvals.state(of('mine'), skill), 'new');
    assert.deepEqual(told, ['mine', 'mine']);
  });

  it('are limited to two thousand, with the oldest dropped', async () => {
    const store = memory();
    const approvals = new SkillApprovals(store);
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, { hash: 'h', launch: 'l' }]));
    await store.set('user', many);
    await approvals.approve(of('mine'), skill);
    assert.equal(Object.keys(store.get('user')).length, 2_000);
    assert.equal(store.get('user').k0, undefined);
  });
});

function memory() {
  const kept: Record<KeptScope, Record<string, unknown>> = { user: {}, workspace: {} };
  return {
    get: (scope: KeptScope) => kept[scope],
    set: async (scope: KeptScope, approved: object) => {
      kept[scope] = { ...approved };
    },
  };
}
