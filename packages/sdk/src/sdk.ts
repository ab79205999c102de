// biome-ignore-all lint/performance/noBarrelFile: the public interface of the package
export type { ApiRequests, ListPath } from './api-requests.ts'
export type { Method, PathOf, RequestOf, ResponseOf } from './api-types.ts'
export type { TouchstoneOptions } from './client-options.ts'
export type { DataItem } from './evaluate/ensure-items.ts'
export { type EvaluateResult, evaluate, type ScoredCase } from './evaluate/evaluate.ts'
export type {
  EvaluatedCase,
  EvaluateOptions,
  Gate,
  Progress,
  Scorer,
  ScorerFunction,
  ScorerResult,
  ServerEvaluator,
} from './evaluate/evaluate-options.ts'
export type {
  Annotation,
  Comparison,
  ComparisonFamily,
  Component,
  Dataset,
  DatasetItem,
  Evaluation,
  EvaluationDetail,
  EvaluationEstimate,
  Experiment,
  ExperimentDetail,
  ExperimentEstimate,
  ExperimentResults,
  LeasedCall,
  NewDatasetItem,
  NewPromptContent,
  NewTrace,
  PromptContent,
  paths,
  Run,
  Score,
  Trace,
  TraceRow,
  Trial,
  TrialDetail,
  TrialEstimate,
} from './generated/api.ts'
export type { CallOptions } from './http-sender.ts'
export { type Page, Pages } from './list-pages.ts'
export type { LoadedPrompt } from './prompts/loaded-prompt.ts'
export type { TextMessage } from './prompts/render-messages.ts'
export type { EvaluationState } from './resources/evaluation-resource.ts'
export type { GetPromptOptions } from './resources/prompt-resource.ts'
export type { TraceIds } from './resources/trace-resource.ts'
export type { WorkCounts, WorkerCall, WorkOptions } from './resources/trial-resource.ts'
export {
  ApiError,
  AuthenticationError,
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
export type { ServerEvent } from './server-events.ts'
export { Touchstone } from './touchstone.ts'
export { type InitOptions, init, shutdown, type Tracing } from './tracing/init.ts'
export type { Instrumentation } from './tracing/installed-instrumentations.ts'
export { type ObserveOptions, observe, type SpanKindName } from './tracing/observe.ts'
export type { CallEnd } from './trials/report-call.ts'
