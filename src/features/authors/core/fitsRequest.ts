import { isObject } from '../../../base/json';
import { textOf } from './checkResult';
import { has } from './sameJson';

/**
 * Whether what the server asked is what a test file describes: a string is a part of its text; an object has members of its
 * parameters, of which `message` may be a part of the message.
 */
export function fitsRequest(params: unknown, wanted: unknown): boolean {
  if (typeof wanted === 'string') return textIn(params).includes(wanted);
  if (!isObject(wanted) || typeof wanted.message !== 'string' || !isObject(params)) return has(params, wanted);
  const { message, ...others } = wanted;
  return typeof params.message === 'string' && params.message.includes(message) && has(params, others);
}

/** The message of an elicitation, or the messages to a model. */
function textIn(params: unknown): string {
  return isObject(params) && typeof params.message === 'string' ? params.message : textOf(params);
}
