import type { NetworkLimits } from '../definition/ports';
import { allowsHost, type SandboxGrant } from '../settings/sandboxRules';
import { hostText, type SandboxAttempts } from './attempts';
import type { SandboxPolicy } from './sandboxPolicy';

/** What is allowed in addition to the rules of a confined server, and what happens when it wants more. */
export interface HostAgreement {
  /** What the person has allowed so far. */
  granted?(): SandboxGrant;
  /** Asks the person about a host; its connection waits meanwhile. Absent: no question is asked. */
  askHost?(host: string): Promise<boolean>;
  /** What the organization allows at most. Absent: nothing is limited. */
  limits?(): NetworkLimits | undefined;
  readonly attempts: SandboxAttempts;
}

/** Decides which hosts a confined program can reach through our proxy, and records its requests. */
export class ReachableHosts {
  #isReady = false;

  constructor(
    private readonly policy: Pick<SandboxPolicy, 'hosts' | 'fetchesFrom'>,
    private readonly agreement: HostAgreement,
  ) {}

  /** Whether it can reach any host. Fixed while the program runs. */
  get isAny(): boolean {
    return this.agreement.askHost !== undefined || this.hosts().length > 0;
  }

  hosts(): readonly string[] {
    return this.agreement.attempts.isWatched ? [...this.#agreed, '*'] : this.#agreed;
  }

  /** Whether the organization lets programs reach a host. */
  mayReach(host: string, port: number): boolean {
    const limits = this.agreement.limits?.();
    return !limits?.hosts || allowsHost([...limits.hosts, ...limits.sources], host, port);
  }

  asked(host: string, port: number, isAllowed: boolean): void {
    this.agreement.attempts.asked(host, port, isAllowed && allowsHost(this.#agreed, host, port));
  }

  /** Asks the person about a host that is not allowed yet, while its connection waits. */
  async wants(host: string, port: number): Promise<boolean> {
    return (await this.agreement.askHost?.(hostText(host, port))) ?? false;
  }

  /** Withdraws access to the hosts that its packages were fetched from. */
  settle(): void {
    this.#isReady = true;
  }

  /**
   * Environment variables that point to the proxy. Requests to the program's own machine bypass it, unless that host was
   * allowed.
   */
  variables(proxy: string): Record<string, string> {
    const hosts = this.hosts();
    const own = ['localhost', '127.0.0.1', '::1'].filter(name => !hosts.some(host => host.startsWith(name))).join(',');
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    return {
      ...Object.fromEntries(names.map(name => [name, proxy])),
      ...{ NO_PROXY: own, no_proxy: own, NODE_USE_ENV_PROXY: '1' },
    };
  }

  get #agreed(): readonly string[] {
    const granted = this.agreement.granted?.().network ?? [];
    return [...this.policy.hosts, ...granted, ...(this.#isReady ? [] : this.policy.fetchesFrom)];
  }
}
