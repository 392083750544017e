import { isObject } from '../../base/json';

/** What a server says of an error: its message, with the reason that some frameworks have in its data alone. One line, without a stack. */
export function saidOf({ message, data }: { readonly message: string; readonly data?: unknown }): string {
  const { message: inner, error, detail, reason } = isObject(data) ? data : { message: data };
  const given = [inner, error, detail, reason].find(one => typeof one === 'string' && one.trim() !== '') as
    | string
    | undefined;
  const more = given?.trim().split('\n', 1)[0] ?? '';
  if (more === '' || message.includes(more)) return message;
  return more.includes(message) ? more : `${message}: ${more}`;
}

/** The stack in the data of an error; undefined if there is none. */
export function stackIn(data: unknown): string | undefined {
  const stack = isObject(data) ? data.stack : undefined;
  return typeof stack === 'string' && stack !== '' ? stack : undefined;
}

/** The code of an error as people know it: some servers have those of HTTP. */
export const codeText = (code: unknown): string =>
  typeof code === 'number' && code >= 400 && code < 600 ? `HTTP ${code}` : String(code);
