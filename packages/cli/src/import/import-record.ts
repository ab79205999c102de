/**
 * What a source yields. A source reads a file or another server and yields records; the framework looks up what is stored, sends the rest
 * in batches, counts, and reports. A source never sends anything to Touchstone, and keeps no state.
 *
 * Order: a dataset before its items, a prompt before its versions (oldest first), these before the labels, items and runs before the traces that name them, traces before their scores, annotations and
 * comments. Otherwise a source may yield records as it reads them: nothing is collected but one batch.
 *
 * Identity: a record that was imported before is found again and counts as "already there". Datasets, runs and evaluations are known by
 * their name, items by `key`, prompts by their name, their versions by the content, traces by their trace id, comments by their text. A source must derive them from its data alone, never from
 * the time or the order of files.
 *
 * Secrets: a record must not contain credentials of the source, such as the `apiKey` of a provider's settings.
 */
import type { NewTrace } from 'touchstone-sdk'
import type { PromptContent } from './prompt-content.ts'

export type ImportRecord =
  | DatasetRecord
  | ItemRecord
  | RunRecord
  | TraceRecord
  | OtlpTraceRecord
  | EvaluationRecord
  | AnnotationRecord
  | CommentRecord
  | PromptRecord
  | PromptVersionRecord
  | PromptLabelRecord
  | NotTakenRecord
  | SuggestedEvaluator

export interface DatasetRecord {
  kind: 'dataset'
  name: string
  description?: string
}

export interface ItemRecord {
  kind: 'item'
  /** The name of a dataset that was yielded before. */
  dataset: string
  /** Identifies the item within its dataset and source. Stored in its metadata as `importId`. */
  key: string
  input: unknown
  output?: unknown
  expected?: unknown
  metadata?: Record<string, unknown>
  split?: 'train' | 'validation' | 'test'
}

export interface RunRecord {
  kind: 'run'
  dataset: string
  name: string
  /** What was different in this run: model, prompt, commit. */
  metadata?: Record<string, string | number | boolean>
}

/** The case of a run that a trace answers. Run and item were yielded before. */
export interface RunCase {
  dataset: string
  run: string
  /** The key of the item. Without it the server finds the item by its input. */
  itemKey?: string
}

/** A trace in the form of the API. One without children needs no spans. */
export interface TraceRecord {
  kind: 'trace'
  trace: Omit<NewTrace, 'dataset' | 'run' | 'itemId'> & { traceId: string }
  of?: RunCase
}

/** A trace whose spans are OTLP as JSON, with their original attributes. */
export interface OtlpTraceRecord {
  kind: 'otlpTrace'
  /** 32 hexadecimal digits, as in its spans. */
  traceId: string
  /** At most 10,000. */
  spans: OtlpSpan[]
  /** Attributes of the resource, such as `service.name`. */
  resource?: OtlpAttribute[]
  of?: RunCase
}

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano?: string
  attributes?: OtlpAttribute[]
  events?: { name: string; timeUnixNano?: string; attributes?: OtlpAttribute[] }[]
  status?: { code?: number; message?: string }
}

export interface OtlpAttribute {
  key: string
  value: Record<string, unknown>
}

/** All scores of a run by evaluators of the source. They become an evaluation with `external` evaluators. */
export interface EvaluationRecord {
  kind: 'evaluation'
  dataset: string
  run: string
  /** Of the evaluation. */
  name: string
  evaluators: { name: string; passAt?: number; higherIsBetter?: boolean }[]
  scores: ImportedScore[]
}

/** At least one of score, label and passed. A score outside of 0 to 1 is not taken. */
export interface ImportedScore {
  traceId: string
  evaluator: string
  score?: number
  label?: string
  passed?: boolean
  reason?: string
}

/** The caller's annotation of a trace. One that is stored stays as it is: it may have been changed since. */
export interface AnnotationRecord {
  kind: 'annotation'
  traceId: string
  /** A rating of the application's rating scheme; by default `up` and `down`. */
  rating?: string
  comment?: string
  correctedOutput?: string
}

export interface CommentRecord {
  kind: 'comment'
  traceId: string
  spanId?: string
  text: string
}

export interface PromptRecord {
  kind: 'prompt'
  name: string
  description?: string
}

/** A version. If its number differs here, the note also has the name that it has in the source. */
export interface PromptVersionRecord {
  kind: 'promptVersion'
  prompt: string
  number: number
  /** `Langfuse version 7` */
  sourceName: string
  content: PromptContent
  note?: string
}

/** A label that is there already stays as it is: it may have been moved since. */
export interface PromptLabelRecord {
  kind: 'promptLabel'
  prompt: string
  label: string
  /** The number of the version in the source. */
  number: number
  sourceName: string
}

/** Something of the source that has no counterpart, or that is broken. */
export interface NotTakenRecord {
  kind: 'notTaken'
  /** What it would have been. `other`: settings and the like, which are nothing of these. */
  of: CountedKind
  /** Names the thing in the words of the source: `assertion javascript`, `examples.csv:7`. */
  what: string
  reason: string
  /** Default: 1. */
  count?: number
}

/** An evaluator of Touchstone that does what the source did. Printed for `touchstone.yaml`; nothing is stored. */
export interface SuggestedEvaluator {
  kind: 'suggestedEvaluator'
  evaluator: { type: string } & Record<string, unknown>
}

export const COUNTED_KINDS = [
  'components',
  'datasets',
  'items',
  'runs',
  'traces',
  'scores',
  'annotations',
  'comments',
  'prompts',
  'versions',
  'labels',
  'other',
] as const

export type CountedKind = (typeof COUNTED_KINDS)[number]
