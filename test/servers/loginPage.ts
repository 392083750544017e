// A person before the login and consent pages of `oidc-provider`, by HTTP alone.

/** Longer than any sign-in: a page that leads nowhere ends the test, and not its time. */
const MAX_STEPS = 12;

/**
 * Goes through the pages that an authorization request leads to, and returns where they lead back to.
 * @param back beginning of the address that ends it.
 * @param deny goes back from the first page instead of signing in.
 */
export async function throughLoginPage(start: URL, back: string, { deny = false } = {}): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let init: RequestInit = {};
  for (let step = 0; step < MAX_STEPS; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    init = {};
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(back)) return url;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`${url} shows no form, but: ${page.slice(0, 2_000)}`);
    if (deny) {
      url = new URL(`${url.pathname}/abort`, url);
      continue;
    }
    const body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: 'alice', password: 'alice' }) });
    init = { method: 'POST', body };
  }
  throw new Error(`more than ${MAX_STEPS} pages`);
}
