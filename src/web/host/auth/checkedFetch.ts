/** A browser resolves names itself, without exposing addresses, and keeps pages from private networks by its own rules. */
export const checkedFetch = (url: URL, init: RequestInit): Promise<Response> => fetch(url, init);
