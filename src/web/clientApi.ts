// In place of: features/clients/index
import type { McpHostExports } from '../../docs/api';
import { ApiError } from '../features/clients/apiError';

/*
 * Nobody else uses the servers of a web window: files of extensions have no paths there, by which it could be told whose code
 * calls, and no program can connect.
 */

export class ExtensionApi implements McpHostExports {
  async getApi(): Promise<never> {
    throw new ApiError('UNKNOWN_CALLER', 'MCP Host has no API in web windows.');
  }

  dispose(): void {
    // It has nothing.
  }
}

/** No client has been asked about. */
export const rememberedClients = () => ({ all: [], dispose: () => undefined });

export const clientAnswers = (): never[] => [];
export const clientOf = (): undefined => undefined;
