/** The objects of MLflow as records of the import. Attributes of spans stay as they are: the server knows those of MLflow. */
import { feedbackText } from '../feedback-text.ts'
import type { CommentRecord, ImportedScore, ItemRecord, OtlpSpan, OtlpTraceRecord, RunCase } from '../import-record.ts'
import { contentOf, otlpAttributes, statusCode, unwrapOnlyText } from '../otlp-values.ts'
import {
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  present,
  stableId,
  textOf,
  timeOf,
} from '../source-values.ts'

export const MLFLOW = 'MLflow'

/** Undefined without a span that has ids. */
export function mlflowTrace(
  experiment: string,
  info: Fields,
  spans: Fields[],
  of?: RunCase,
): OtlpTraceRecord | undefined {
  const mapped = spans.flatMap((span) => mlflowSpan(span, info) ?? [])
  const [first] = mapped
  if (!first) return undefined
  const resource = otlpAttributes({ 'mlflow.experimentName': experiment })
  return { kind: 'otlpTrace', traceId: first.traceId, spans: mapped, resource, ...(of && { of }) }
}

function mlflowSpan(span: Fields, info: Fields): OtlpSpan | undefined {
  // MLflow 2 had the ids in a context, and other names of times and parents.
  const context = fieldsOf(span['context'])
  const traceId = hexId(span['trace_id'] ?? context['trace_id'])
  const spanId = hexId(span['span_id'] ?? context['span_id'])
  if (traceId === undefined || spanId === undefined) return undefined
  const parentSpanId = hexId(span['parent_span_id'] ?? span['parent_id'])
  const status = fieldsOf(span['status'])
  return present({
    traceId,
    spanId,
    parentSpanId,
    name: textOf(span['name']) ?? 'span',
    startTimeUnixNano: nanosOf(span['start_time_unix_nano'] ?? span['start_time']) ?? '0',
    endTimeUnixNano: nanosOf(span['end_time_unix_nano'] ?? span['end_time']),
    attributes: otlpAttributes({
      ...(parentSpanId === undefined && traceAttributes(info)),
      ...fieldsOf(span['attributes']),
    }),
    events: listOf(span['events']).filter(isFields).map(mlflowEvent),
    status: present({
      code: statusCode(status['code'] ?? span['status_code']),
      message: textOf(status['message'] ?? span['status_message']),
    }),
  })
}

/** MLflow stores user, session and tags with the trace; here they belong to its first span. */
function traceAttributes({ trace_metadata, tags }: Fields): Fields {
  const metadata = fieldsOf(trace_metadata)
  const own = Object.entries(fieldsOf(tags)).filter(([key]) => !key.startsWith('mlflow.'))
  return {
    'mlflow.trace.session': metadata['mlflow.trace.session'],
    'mlflow.trace.user': metadata['mlflow.trace.user'],
    ...Object.fromEntries(own.map(([key, value]) => [`mlflow.trace.tag.${key}`, value])),
  }
}

function mlflowEvent({ name, time_unix_nano, timestamp, attributes }: Fields) {
  return present({
    name: textOf(name) ?? 'event',
    timeUnixNano: nanosOf(time_unix_nano ?? timestamp),
    attributes: otlpAttributes(fieldsOf(attributes)),
  })
}

/** Ids are base64, or hexadecimal with 0x in MLflow 2. */
function hexId(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  const hex = text.startsWith('0x') ? text.slice(2) : Buffer.from(text, 'base64').toString('hex')
  return /^([0-9a-f]{16}){1,2}$/.test(hex) ? hex : undefined
}

/** As numbers of JSON they have lost their last two digits. */
function nanosOf(value: unknown): string | undefined {
  const number = numberOf(value)
  return number === undefined ? undefined : String(BigInt(Math.round(number)))
}

/** The arguments of the evaluated function, which are the inputs of a record. */
export function inputsOf(spans: Fields[]): unknown {
  const root = spans.find((span) => textOf(span['parent_span_id'] ?? span['parent_id']) === undefined)
  const inputs = textOf(fieldsOf(root?.['attributes'])['mlflow.spanInputs'])
  try {
    return inputs === undefined ? undefined : JSON.parse(inputs)
  } catch {
    return inputs
  }
}

/** Records and traces with the same inputs belong together. */
export function inputsKey(inputs: unknown): string {
  return stableId(inputs)
}

export function mlflowItem(dataset: string, record: Fields): ItemRecord {
  const { dataset_record_id, inputs, outputs, expectations, tags } = record
  const own = Object.entries(fieldsOf(tags)).filter(([key]) => !key.startsWith('mlflow.'))
  return {
    kind: 'item',
    dataset,
    key: String(dataset_record_id),
    input: unwrapOnlyText(inputs),
    ...withContent('output', unwrapOnlyText(contentOf(outputs))),
    ...withContent('expected', unwrapOnlyText(contentOf(expectations))),
    ...(own.length > 0 && { metadata: Object.fromEntries(own) }),
  }
}

/** The item of an evaluation on data that MLflow has not stored as a dataset. */
export function itemOfTrace(dataset: string, inputs: unknown, info: Fields): ItemRecord {
  const expectations = listOf(info['assessments'])
    .filter(isFields)
    .filter(isExpectation)
    .map(({ assessment_name, expectation }) => [String(assessment_name), expectationValue(expectation)])
  const expected = unwrapOnlyText(contentOf(Object.fromEntries(expectations)))
  return {
    kind: 'item',
    dataset,
    key: inputsKey(inputs),
    input: unwrapOnlyText(inputs),
    ...withContent('expected', expected),
  }
}

function withContent<Key extends string>(key: Key, value: unknown): { [Name in Key]?: unknown } {
  // The computed key is the one of the type.
  return value === undefined ? {} : ({ [key]: value } as { [Name in Key]: unknown })
}

export function isExpectation({ expectation }: Fields): boolean {
  return isFields(expectation)
}

/** A plain value, or JSON in a text. */
export function expectationValue(expectation: unknown): unknown {
  const { value, serialized_value } = fieldsOf(expectation)
  if (value !== undefined) return value
  const { value: text } = fieldsOf(serialized_value)
  return text
}

/** A score, or the reason why it has none. */
export function mlflowScore(traceId: string, assessment: Fields): ImportedScore | { reason: string } {
  const { assessment_name, feedback, rationale } = assessment
  const { value, error } = fieldsOf(feedback)
  const base = present({ traceId, evaluator: String(assessment_name), reason: textOf(rationale) })
  if (isFields(error)) return { reason: `the scorer failed: ${textOf(error['error_message']) ?? error['error_code']}` }
  if (typeof value === 'boolean') return { ...base, passed: value }
  if (typeof value === 'number') return { ...base, score: value }
  if (typeof value !== 'string') return { reason: 'its value is neither a number, a text nor true or false' }
  // The judges of MLflow say yes or no.
  return { ...base, label: value, ...(/^(yes|no)$/.test(value) && { passed: value === 'yes' }) }
}

export function mlflowComment(traceId: string, assessment: Fields): CommentRecord {
  const { assessment_name, feedback, expectation, rationale, source, create_time, span_id } = assessment
  const { source_type, source_id } = fieldsOf(source)
  const value = isFields(expectation) ? expectationValue(expectation) : fieldsOf(feedback)['value']
  const who = source_type === 'HUMAN' ? 'human' : source_type === 'LLM_JUDGE' ? 'model' : 'code'
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  const text = feedbackText(MLFLOW, {
    name: `${assessment_name}${isFields(expectation) ? ' (expected)' : ''}`,
    label: isPlain || value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value),
    score: isPlain ? value : undefined,
    explanation: textOf(rationale),
    by: [who, textOf(source_id)].filter((part) => part !== undefined).join(' '),
    at: timeOf(create_time),
  })
  const spanId = textOf(span_id)
  return { kind: 'comment', traceId, text, ...(spanId !== undefined && { spanId }) }
}
