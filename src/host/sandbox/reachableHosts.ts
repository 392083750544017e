import { allowsHost, type SandboxGrant } from '../settings/sandboxRules';
import { hostText, type SandboxAttempts } from './attempts';
import type { SandboxPolicy } from './sandboxPolicy';

/** What is agreed to beside the rules of a confined server, and what becomes of what it wants. */
export interface HostAgreement {
  /** What the person has allowed it, at any time. */
  granted?(): SandboxGrant;
  /** Asks the person about a host; its connection waits meanwhile. Absent: nobody is asked. */
  askHost?(host: string): Promise<boolean>;
  readonly attempts: SandboxAttempts;
}

/** What a confined program reaches by our proxy at a time, and what becomes of all that it asks for. */
export class ReachableHosts {
  #isReady = false;

  constructor(
    private readonly policy: Pick<SandboxPolicy, 'hosts' | 'fetchesFrom'>,
    private readonly agreement: HostAgreement,
  ) {}

  /** Whether there is any. It stays so as long as the program runs. */
  get isAny(): boolean {
    return this.agreement.askHost !== undefined || this.hosts().length > 0;
  }

  hosts(): readonly string[] {
    return this.agreement.attempts.isWatched ? [...this.#agreed, '*'] : this.#agreed;
  }

  asked(host: string, port: number, isAllowed: boolean): void {
    this.agreement.attempts.asked(host, port, isAllowed && allowsHost(this.#agreed, host, port));
  }

  /** Asks the person about a host that nobody has agreed to, while its connection waits. */
  async wants(host: string, port: number): Promise<boolean> {
    return (await this.agreement.askHost?.(hostText(host, port))) ?? false;
  }

  /** What it was fetched from is no longer reached. */
  settle(): void {
    this.#isReady = true;
  }

  /** Leads to the proxy. What a program asks of its own machine does not go there, unless that host was agreed to. */
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
