export { findTools } from './core/findTools';
