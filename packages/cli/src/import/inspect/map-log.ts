/** A log of Inspect AI as a dataset, a run with a trace per sample and epoch, and scores. */
import type { ImportedScore, ImportRecord, ItemRecord, TraceRecord } from '../import-record.ts'
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  present,
  shorten,
  stableId,
  textOf,
  timeOf,
} from '../source-values.ts'
import { messageInput } from './inspect-messages.ts'
import { spansOf } from './map-events.ts'

/** Of https://inspect.aisi.org.uk/reference/inspect_ai.log.html#evallog */
export interface InspectLog {
  evaluation: Fields
  samples: Fields[]
  results: Fields
  dataset: string
}

export function* mapLog(log: InspectLog): Generator<ImportRecord> {
  const { evaluation, samples, dataset } = log
  const run = runName(evaluation)
  yield { kind: 'dataset', name: dataset }
  yield* new Map(samples.map((sample) => [itemKey(sample), itemOf(sample, dataset)])).values()
  yield { kind: 'run', dataset, name: run, metadata: runMetadata(evaluation) }
  for (const sample of samples) yield traceOf(sample, { log, run })
  const scores = samples.flatMap((sample) => scoresOf(sample, evaluation))
  const evaluators = [...new Set(scores.map(({ evaluator }) => evaluator))].map((name) => ({ name }))
  if (scores.length > 0) yield { kind: 'evaluation', dataset, run, name: 'Inspect', evaluators, scores }
  yield* notTaken(log)
}

function runName(evaluation: Fields): string {
  const { task, model, eval_id: id, run_id: runId } = evaluation
  return shorten(`${textOf(task) ?? 'task'}, ${textOf(model) ?? 'model'} (${textOf(id) ?? textOf(runId) ?? ''})`, 400)
}

/** Arguments of the task and the model are excluded: they may contain keys. */
function runMetadata(evaluation: Fields) {
  return present({
    task: textOf(evaluation['task']),
    model: textOf(evaluation['model']),
    evalId: textOf(evaluation['eval_id']),
    commit: textOf(fieldsOf(evaluation['revision'])['commit']),
    inspectVersion: textOf(fieldsOf(evaluation['packages'])['inspect_ai']),
  })
}

function itemKey({ id, input, target }: Fields): string {
  return stableId('inspect', id, input, target)
}

function itemOf(sample: Fields, dataset: string): ItemRecord {
  const { target, id, choices } = sample
  const targets = listOf(target)
  return present({
    kind: 'item',
    dataset,
    key: itemKey(sample),
    input: messageInput(sample['input']),
    // Several targets are alternatives.
    expected: targets.length === 1 ? targets[0] : target === '' ? undefined : target,
    metadata: present({ ...fieldsOf(sample['metadata']), sampleId: id, choices: choices ?? undefined }),
  })
}

function traceIdOf(sample: Fields, evaluation: Fields): string {
  return textOf(sample['uuid']) ?? stableId(evaluation['eval_id'], sample['id'], sample['epoch'])
}

function traceOf(sample: Fields, { log, run }: { log: InspectLog; run: string }): TraceRecord {
  const { evaluation, dataset } = log
  const output = fieldsOf(sample['output'])
  const failure = textOf(fieldsOf(sample['error'])['message'])
  const spans = spansOf(sample)
  const times = listOf(sample['events']).flatMap((event) => timeOf(fieldsOf(event)['timestamp']) ?? [])
  const tags = listOf(evaluation['tags']).flatMap((tag) => textOf(tag) ?? [])
  return {
    kind: 'trace',
    of: { dataset, run, itemKey: itemKey(sample) },
    trace: present({
      traceId: traceIdOf(sample, evaluation),
      name: shorten(textOf(evaluation['task']) ?? 'sample', 200),
      startTime: timeOf(sample['started_at']) ?? times[0] ?? timeOf(evaluation['created']),
      endTime: timeOf(sample['completed_at']) ?? times.at(-1),
      status: failure === undefined ? 'ok' : 'error',
      statusMessage: failure?.slice(0, 20_000),
      input: messageInput(sample['input']),
      output: textOf(output['completion']) ?? fieldsOf(fieldsOf(listOf(output['choices'])[0])['message'])['content'],
      tags: tags.length > 0 ? tags : undefined,
      metadata: present({ sampleId: sample['id'], epoch: sample['epoch'], limit: sample['limit'] ?? undefined }),
      // A log may have been written without events; the calls are then only known as a sum.
      ...(spans.length > 0 ? { kind: 'chain' as const, spans } : wholeCall(sample, evaluation)),
    }),
  }
}

function wholeCall(sample: Fields, evaluation: Fields) {
  const usage = Object.values(fieldsOf(sample['model_usage'])).map(fieldsOf)
  const sum = (name: string) => usage.reduce((total, one) => total + (countOf(one[name]) ?? 0), 0)
  return present({
    kind: 'llm' as const,
    model: textOf(fieldsOf(sample['output'])['model']) ?? textOf(evaluation['model']),
    ...(usage.length > 0 && { inputTokens: sum('input_tokens'), outputTokens: sum('output_tokens') }),
  })
}

/** https://inspect.aisi.org.uk/scorers.html: correct, incorrect, partial, no answer. */
const LETTERS: Record<string, { score: number; passed: boolean }> = {
  C: { score: 1, passed: true },
  I: { score: 0, passed: false },
  P: { score: 0.5, passed: false },
  N: { score: 0, passed: false },
}

function scoresOf(sample: Fields, evaluation: Fields): ImportedScore[] {
  const traceId = traceIdOf(sample, evaluation)
  const scores = isFields(sample['scores']) ? sample['scores'] : present({ score: sample['score'] ?? undefined })
  return Object.entries(scores).flatMap(([name, value]) => {
    const score = fieldsOf(value)
    const reason = textOf(score['explanation'])
    const values = isFields(score['value']) ? Object.entries(score['value']) : [['', score['value']] as const]
    return values.map(([part, one]) =>
      present({ traceId, evaluator: shorten(part === '' ? name : `${name} ${part}`, 200), ...scoreValue(one), reason }),
    )
  })
}

function scoreValue(value: unknown): Pick<ImportedScore, 'score' | 'passed' | 'label'> {
  if (typeof value === 'boolean') return { passed: value }
  const number = numberOf(value)
  if (number !== undefined) return { score: number }
  const text = textOf(value)
  return text === undefined ? {} : (LETTERS[text] ?? { label: text })
}

/** Events that are not spans. */
const UNUSED = ['logger', 'info', 'store', 'state', 'sandbox', 'input', 'approval', 'compaction']

function* notTaken({ samples, results }: InspectLog): Generator<ImportRecord> {
  for (const sample of samples) {
    for (const event of listOf(sample['events'])) {
      const name = textOf(fieldsOf(event)['event'])
      if (name === undefined || !UNUSED.includes(name)) continue
      yield {
        kind: 'notTaken',
        of: 'other',
        what: `events ${name}`,
        reason: 'a trace has the calls and their messages',
      }
    }
  }
  for (const { name, metrics } of listOf(results['scores']).map(fieldsOf)) {
    for (const metric of Object.keys(fieldsOf(metrics))) {
      const reason = 'metrics are computed from the scores, with intervals'
      yield { kind: 'notTaken', of: 'other', what: `metric ${metric} of ${name}`, reason }
    }
  }
}
