export { stateName, stateText } from './stateText';
