/** Who may publish under the namespace of a server, as its name says. */
export interface Publisher {
  /** `anonymous`: everybody. `unknown`: it has no namespace that says anything. */
  readonly kind: 'github' | 'domain' | 'anonymous' | 'unknown';
  /** The account, or the domain. Empty for the others. */
  readonly who: string;
  /** Whether the registry is known to check that. */
  readonly isChecked: boolean;
}

/**
 * Registries whose checks are documented: a namespace `io.github.<account>` takes a sign-in with that account, any other the
 * proof that one controls the domain.
 */
const CHECKING = ['registry.modelcontextprotocol.io'];
const GITHUB = 'io.github.';
const ANONYMOUS = 'io.modelcontextprotocol.anonymous';
const LABEL = /^[a-z\d]([a-z\d-]*[a-z\d])?$/i;

/** The publisher of a server with this name in the registry at this address. */
export function publisherOf(name: string, registry: string): Publisher {
  const [namespace = '', ...rest] = name.split('/');
  const isChecked = isChecking(registry);
  if (rest.length !== 1 || rest[0] === '') return { kind: 'unknown', who: '', isChecked: false };
  if (namespace === ANONYMOUS) return { kind: 'anonymous', who: '', isChecked: false };
  const labels = namespace.split('.');
  if (labels.length < 2 || !labels.every(label => LABEL.test(label)))
    return { kind: 'unknown', who: '', isChecked: false };
  if (namespace.startsWith(GITHUB) && labels.length === 3)
    return { kind: 'github', who: namespace.slice(GITHUB.length), isChecked };
  return { kind: 'domain', who: labels.reverse().join('.').toLowerCase(), isChecked };
}

/** Only over https: else anybody on the way could answer. */
function isChecking(registry: string): boolean {
  if (!URL.canParse(registry)) return false;
  const { protocol, host } = new URL(registry);
  return protocol === 'https:' && CHECKING.includes(host);
}
