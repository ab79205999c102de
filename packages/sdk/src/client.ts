// biome-ignore-all lint/performance/noBarrelFile: the public interface of the package without tracing
export { findComponent, findDataset, findRun, requireDataset } from './evaluate/find-by-name.ts'
export { waitForEvaluation } from './evaluate/wait-for-evaluation.ts'
export { type ExperimentProgress, waitForExperiment } from './experiments/wait-for-experiment.ts'
export {
  ApiError,
  AuthenticationError,
  apiErrorOf,
  ConflictError,
  ConnectionError,
  NameNotFoundError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseError,
  ServerError,
  TimeoutError,
  TouchstoneError,
  TransientError,
  ValidationError,
} from './sdk-errors.ts'
export { Touchstone } from './touchstone.ts'
export type { CallEnd } from './trials/report-call.ts'
export { waitForTrial } from './trials/wait-for-trial.ts'
export { type CallWorker, workOnCalls } from './trials/work-on-calls.ts'
