/** Requests of Helicone as traces of one call. A session of several requests keeps its id. */
import type { ImportRecord, TraceRecord } from '../import-record.ts'
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  present,
  shorten,
  textOf,
  timeOf,
  tryParse,
} from '../source-values.ts'

const NO_BODY = 'it was exported without bodies: export again with --include-body'

export function isRequest(record: Fields): boolean {
  return textOf(record['request_id']) !== undefined
}

export function* mapRequest(record: Fields): Generator<ImportRecord> {
  const traceId = String(record['request_id'])
  yield traceOf(record)
  if (!bodyOf(record['request_body'])) {
    yield { kind: 'notTaken', of: 'other', what: 'input and output of requests', reason: NO_BODY }
  }
  const assets = listOf(record['asset_ids']).length
  if (assets > 0) {
    const reason = 'images and files are not in the export'
    yield { kind: 'notTaken', of: 'other', what: 'assets', reason, count: assets }
  }
  const { [FEEDBACK]: feedback, ...scores } = fieldsOf(record['scores'])
  const rating = record['feedback_rating'] ?? booleanOf(feedback)
  if (typeof rating === 'boolean') yield { kind: 'annotation', traceId, rating: rating ? 'up' : 'down' }
  for (const [key, value] of Object.entries(scores)) {
    const score = isFields(value) ? value['value'] : value
    const name = key.replace(BOOLEAN_SCORE, '')
    // Scores belong to evaluations of runs. Of other traces they are kept as text.
    yield { kind: 'comment', traceId, text: `Helicone score ${name}: ${name === key ? score : booleanOf(score)}` }
  }
}

/** The name under which ClickHouse, from which Helicone exports, has the feedback. */
const FEEDBACK = 'helicone-score-feedback'
/** The end of the names of scores that are true or false, stored as 1 or 0. */
const BOOLEAN_SCORE = /-hcone-bool$/

function booleanOf(value: unknown): boolean | undefined {
  const number = amountOf(value)
  return number === undefined ? undefined : number === 1
}

/** Undefined if the export has none: an empty object, or a message instead of it. A body may be JSON in a text. */
function bodyOf(value: unknown): Fields | undefined {
  const body = typeof value === 'string' ? tryParse(value) : value
  return isFields(body) && Object.keys(body).length > 0 && !('helicone_message' in body) ? body : undefined
}

/** ClickHouse writes 64-bit numbers as texts. */
function amountOf(value: unknown): number | undefined {
  return numberOf(textOf(value) === undefined ? value : Number(value))
}

function wholeOf(value: unknown): number | undefined {
  return countOf(amountOf(value))
}

function traceOf(record: Fields): TraceRecord {
  const request = bodyOf(record['request_body'])
  const response = bodyOf(record['response_body'])
  const properties = fieldsOf(record['request_properties'] ?? record['properties'])
  const status = amountOf(record['response_status']) ?? 0
  const startTime = timeOf(record['request_created_at'])
  const model = textOf(record['response_model']) ?? textOf(record['request_model']) ?? textOf(record['model'])
  const isError = status >= 400 || status < 0
  return {
    kind: 'trace',
    trace: present({
      traceId: String(record['request_id']),
      name: shorten(
        textOf(properties['Helicone-Session-Path']) ?? textOf(request?.['toolName']) ?? model ?? 'request',
        200,
      ),
      kind: kindOf(record, request ?? {}),
      startTime,
      endTime: endTimeOf(record, startTime),
      status: isError ? 'error' : 'ok',
      statusMessage: isError ? errorOf(response ?? {}, status) : undefined,
      input: request && inputOf(request),
      output: response && !isError ? outputOf(response) : undefined,
      model: model?.slice(0, 500),
      provider: textOf(record['provider'])?.toLowerCase(),
      inputTokens: wholeOf(record['prompt_tokens']),
      outputTokens: wholeOf(record['completion_tokens']),
      totalTokens: wholeOf(record['total_tokens']),
      costUsd: positive(record['costUSD'] ?? record['cost']),
      modelParameters: parametersOf(request ?? {}),
      userId: textOf(record['request_user_id'])?.slice(0, 500),
      sessionId: textOf(properties['Helicone-Session-Id'])?.slice(0, 500),
      metadata: present({
        ...Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith('Helicone-Session-'))),
        sessionName: textOf(properties['Helicone-Session-Name']),
        promptId: textOf(record['prompt_id']),
        country: textOf(record['country_code']),
        timeToFirstTokenMs: wholeOf(record['time_to_first_token']) || undefined,
      }),
    }),
  }
}

function kindOf(record: Fields, request: Fields): TraceRecord['trace']['kind'] {
  if (request['_type'] === 'tool') return 'tool'
  if (request['_type'] === 'vector_db') return 'retriever'
  return /embedding/i.test(String(record['request_path'] ?? record['target_url'] ?? '')) ? 'embedding' : 'llm'
}

function endTimeOf(record: Fields, startTime: string | undefined): string | undefined {
  const delayMs = wholeOf(record['delay_ms']) ?? wholeOf(record['latency'])
  if (delayMs === undefined || startTime === undefined) return timeOf(record['response_created_at'])
  return new Date(Date.parse(startTime) + delayMs).toISOString()
}

function errorOf(response: Fields, status: number): string {
  const { error } = response
  const message = textOf(error) ?? textOf(fieldsOf(error)['message']) ?? textOf(response['message'])
  return (message ?? `The provider responded with status ${status}.`).slice(0, 20_000)
}

/** The messages of the providers' own formats; other requests as they are. */
function inputOf(request: Fields): unknown {
  const { messages, system, input, prompt } = request
  if (Array.isArray(messages)) {
    const first = system === undefined ? [] : [{ role: 'system', content: system }]
    return { messages: [...first, ...messages] }
  }
  if (Array.isArray(input) && input.every((one) => isFields(one) && 'role' in one)) return { messages: input }
  return input ?? prompt ?? request
}

function outputOf(response: Fields): unknown {
  const choice = fieldsOf(listOf(response['choices'])[0])
  if (isFields(choice['message'])) return { messages: [choice['message']] }
  if (textOf(choice['text'])) return choice['text']
  // Anthropic
  if (Array.isArray(response['content']) && response['role'] === 'assistant') {
    return { messages: [{ role: 'assistant', content: response['content'] }] }
  }
  return textOf(response['output_text']) ?? response
}

/** Settings of a call that are no credentials. */
const PARAMETERS = ['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'seed', 'stop', 'reasoning_effort']

function parametersOf(request: Fields): Fields | undefined {
  const chosen = Object.entries(request).filter(([name, value]) => PARAMETERS.includes(name) && (value ?? '') !== '')
  return chosen.length > 0 ? Object.fromEntries(chosen) : undefined
}

function positive(value: unknown): number | undefined {
  const number = amountOf(value)
  return number !== undefined && number > 0 ? number : undefined
}
