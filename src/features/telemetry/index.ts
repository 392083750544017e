export { parseTelemetry, type TelemetrySettings } from './core/telemetrySettings';
