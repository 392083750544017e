/**
 * What offers the window's servers to others: the editor's own chat, and agents beside the editor. The entry point of its own
 * bundle (`doors.ts`), with the gateway and the SDK's server package.
 */
export { Agents } from './features/agents/agents';
export { NativeChat } from './features/nativeChat/nativeChat';
