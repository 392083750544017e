import assert from 'node:assert/strict';
import { McpHost, runProgram } from '../../../../src/host';
import {
  type Admission,
  type AdmittedLaunch,
  type HostPorts,
  type LaunchCheck,
  type LaunchChecks,
  LaunchGate,
  type LaunchPurpose,
  NO_CHECK,
  type SandboxPort,
  type ServerDefinition,
} from '../../../../src/host/definition';
import { launch } from '../../../../src/host/sandbox/launcher';
import { itsServer, programPorts } from '../../../setup/itsServer';
import { temporaryFolder } from '../../../setup/paths';
import { hostile, TestHost } from '../testHost';

const { definition } = itsServer;
const PARTS = ['organization', 'trust', 'consent', 'inputs', 'scripts', 'last'] as const;

/** A gate whose checks note that they were asked, and answer as `said` has it. */
function gateOf(asked: string[], said: Partial<Record<keyof LaunchChecks, () => Admission>> = {}): LaunchGate {
  const checks = PARTS.map(part => [
    part,
    {
      admit: (_: ServerDefinition, entry: NonNullable<ServerDefinition['entry']>) => {
        asked.push(part);
        return said[part]?.() ?? { entry };
      },
    },
  ]);
  return new LaunchGate(Object.fromEntries(checks), async () => '');
}

describe('the gate before a launch', () => {
  it('asks every check for a server, and those of organization and workspace trust again when inputs are filled in @launchGate.asks-check-server', async () => {
    for (const purpose of ['server', 'debug', 'test', 'build'] as const) {
      const asked: string[] = [];
      assert.ok(!('needs' in (await gateOf(asked).admit(definition, purpose))));
      const parts = ['organization', 'trust', 'consent', 'inputs', 'organization', 'scripts', 'trust', 'last'];
      assert.deepEqual(asked, parts, purpose);
    }
  });

  it('leaves out what the table names for a purpose, and nothing else @launchGate.leaves-table-names', async () => {
    const askedFor = async (purpose: LaunchPurpose) => {
      const asked: string[] = [];
      await gateOf(asked).admit(definition, purpose);
      return asked;
    };
    assert.deepEqual(await askedFor('trial'), [
      'organization',
      'trust',
      'inputs',
      'organization',
      'scripts',
      'trust',
      'last',
    ]);
    assert.deepEqual(await askedFor('headers'), ['organization', 'trust', 'organization', 'scripts', 'trust', 'last']);
    assert.deepEqual(await askedFor('conformance'), ['organization', 'organization']);
    assert.deepEqual(await askedFor('lookup'), []);
  });

  it('stops at the first check that refuses, or that fails', async () => {
    const refusal = { needs: 'needsInput', reason: 'no', remedy: '' } as const;
    const asked: string[] = [];
    assert.equal(await gateOf(asked, { consent: () => refusal }).admit(definition, 'server'), refusal);
    assert.deepEqual(asked, ['organization', 'trust', 'consent']);
    const broken = gateOf([], {
      last: () => {
        throw new Error('broken');
      },
    });
    const refused = await broken.admit(definition, 'server');
    assert.ok('needs' in refused && /could not check whether it may start: \{0\}/.test(JSON.stringify(refused.reason)));
  });

  it('passes on what the checks have made of the entry, with their secrets', async () => {
    const entry = { ...definition.entry!, env: { KEY: 'filled' } } as NonNullable<ServerDefinition['entry']>;
    const admitted = await gateOf([], { inputs: () => ({ entry, secrets: ['filled'] }) }).admit(definition, 'server');
    assert.ok(!('needs' in admitted));
    assert.deepEqual(admitted.entry.type === 'stdio' && admitted.entry.env, { KEY: 'filled' });
    assert.deepEqual(admitted.secrets, ['filled']);
  });
});

describe('the rules of an organization at the gate', () => {
  it('are asked twice, and told whether inputs are filled in', async () => {
    const whole: boolean[] = [];
    const organization = {
      admit: (...[, entry, , isWhole]: Parameters<LaunchCheck['admit']>) => {
        whole.push(isWhole);
        return { entry };
      },
    };
    await gateOf([]).with({ organization }).admit(definition, 'server');
    assert.deepEqual(whole, [false, true]);
  });

  it('refuse before the person is asked anything', async () => {
    const refusal = { needs: 'permission', reason: 'denied', remedy: '' } as const;
    const asked: string[] = [];
    assert.equal(await gateOf(asked, { organization: () => refusal }).admit(definition, 'trial'), refusal);
    assert.deepEqual(asked, ['organization']);
  });
});

describe('what a host starts', () => {
  it('is started for the purpose of the host, or the one that is named @launchGate.started-purpose-host', async () => {
    const folder = temporaryFolder();
    const purposes: LaunchPurpose[] = [];
    const last = {
      admit: (_: ServerDefinition, entry: NonNullable<ServerDefinition['entry']>, purpose: LaunchPurpose) => {
        purposes.push(purpose);
        return { entry };
      },
    };
    const launching = programPorts.launch.with({ last });
    const hosts = [new TestHost({ launch: launching }), new TestHost({ launch: launching }, { purpose: 'test' })];
    try {
      for (const test of hosts) {
        test.configure({ one: { ...hostile(), cwd: folder, start: 'never' } });
        await test.server('one').start('a test');
        await test.server('one').restart('a test', 'debug');
      }
      assert.deepEqual(purposes, ['server', 'debug', 'test', 'debug']);
    } finally {
      await Promise.all(hosts.map(test => test.close()));
    }
  });
});

describe('what does not compile', () => {
  it('is a host without its launcher, and a program that passed no gate @launchGate.host-launcher-program', () => {
    // Never run: the compiler has looked at it, and each line would be an error without the one above it.
    const proofs = async (ports: HostPorts, gate: LaunchGate, none: SandboxPort) => {
      const info = { name: 'test', version: '0' };
      const { launch: _1, ...ungated } = ports;
      // @ts-expect-error a host without a gate
      new McpHost(info, ungated);
      const { sandbox: _2, ...unconfined } = ports;
      // @ts-expect-error a host without the sandbox
      new McpHost(info, unconfined);
      const { shellPath: _3, ...pathless } = ports;
      // @ts-expect-error a host without the environment
      new McpHost(info, pathless);
      // @ts-expect-error something that only looks like a gate
      new McpHost(info, { ...ports, launch: { admit: async () => ({ entry: definition.entry! }) } });
      // @ts-expect-error a purpose that servers are not started for
      new McpHost(info, ports, { purpose: 'lookup' });
      // @ts-expect-error a purpose that the table does not have
      void gate.admit(definition, 'whatever');
      const { consent: _4, ...asksNobody } = {
        organization: NO_CHECK,
        trust: NO_CHECK,
        inputs: NO_CHECK,
        scripts: NO_CHECK,
        last: NO_CHECK,
        consent: NO_CHECK,
      };
      // @ts-expect-error a gate that lacks a check
      new LaunchGate(asksNobody);
      for (const part of ['isWatched', 'runsFreeOnce', 'granted', 'askHost'] as const) {
        const { [part]: _5, ...lacks } = none;
        // @ts-expect-error a sandbox that lacks a part
        new McpHost(info, { ...ports, sandbox: lacks });
      }

      const note = () => {};
      // @ts-expect-error a definition that was not admitted
      void launch(definition, ports, note);
      // @ts-expect-error nor what a check has said of it
      void launch({ entry: definition.entry! }, ports, note);
      const admitted = await gate.admit(definition, 'server');
      // @ts-expect-error nor one that may have been refused
      void launch(admitted, ports, note);
      if ('needs' in admitted) return;
      void launch(admitted, ports, note);
      // @ts-expect-error nor a copy with another entry
      void launch({ ...admitted, entry: definition.entry! }, ports, note);
      // @ts-expect-error nor one that was put together
      const made: AdmittedLaunch = { purpose: 'server', definition, entry: definition.entry!, secrets: [] };
      const run = { ports, commandLine: 'x', cwd: '/', timeoutMs: 1, signal: AbortSignal.abort(), onLine: note };
      // @ts-expect-error what was admitted as a server is no build
      void runProgram({ ...run, admitted });
      // @ts-expect-error nor is a definition
      void runProgram({ ...run, admitted: definition });
      return made;
    };
    assert.ok(proofs);
  });
});
