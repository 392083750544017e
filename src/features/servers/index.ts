export { pickServer, serverOf } from './commands';
export { stateText } from './stateText';
