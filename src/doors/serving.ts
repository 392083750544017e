/** Offers the window's servers to others: the editor's own chat, and agents beside the editor. */
export { Agents } from '../features/agents/agents';
export { NativeChat } from '../features/nativeChat/nativeChat';
