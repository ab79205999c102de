/** LangSmith: runs, examples and feedback as JSON or JSON lines, examples also as CSV. */
import { basename, extname } from 'node:path'
import { readInput } from '../../read-input.ts'
import type { CommentRecord, ImportedScore, ImportRecord, RunCase } from '../import-record.ts'
import type { ImportFlags, ImportSource } from '../run-import.ts'
import {
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  parseJsonRecords,
  shorten,
  textOf,
} from '../source-values.ts'
import { exampleKey, examplesOfCsv, itemOf } from './map-examples.ts'
import { type RunTree, readTrees, runId, traceOf } from './map-runs.ts'

export const langsmithSource: ImportSource<ImportFlags & { dataset?: string }> = {
  name: 'langsmith',
  async *read({ context, flags, args }) {
    const runs: Fields[] = []
    const feedback: Fields[] = []
    const datasetOf = new Map<string, string>()
    for (const file of args) {
      const text = (await readInput(context, file)).toString('utf8')
      const dataset = flags.dataset ?? shorten(basename(file, extname(file)), 200)
      let hasDataset = false
      for (const [index, record] of readRecords(text, file).entries()) {
        const kind = kindOf(record)
        if (kind === 'run') runs.push(record)
        else if (kind === 'feedback') feedback.push(record)
        else if (kind === 'example') {
          if (!hasDataset) yield { kind: 'dataset', name: dataset } satisfies ImportRecord
          hasDataset = true
          datasetOf.set(exampleKey(record), dataset)
          yield itemOf(record, dataset)
        } else {
          const reason = 'it is neither a run, an example nor feedback of LangSmith'
          yield {
            kind: 'notTaken',
            of: 'other',
            what: `${basename(file)}, record ${index + 1}`,
            reason,
          } satisfies ImportRecord
        }
      }
    }
    yield* mapTraces(readTrees(runs), { datasetOf, feedback })
  },
}

/** The API wraps lists in an object. */
function readRecords(text: string, file: string): Fields[] {
  if (extname(file).toLowerCase() === '.csv') return examplesOfCsv(text)
  return parseJsonRecords(text, file).flatMap((record) => {
    const fields = fieldsOf(record)
    const wrapped = ['runs', 'examples', 'feedback', 'data'].map((name) => fields[name]).find(Array.isArray)
    return wrapped && !('run_type' in fields) && !('inputs' in fields) ? wrapped.filter(isFields) : [fields]
  })
}

function kindOf(record: Fields): 'run' | 'example' | 'feedback' | undefined {
  if ('run_type' in record && runId(record) !== '') return 'run'
  if ('key' in record && 'run_id' in record) return 'feedback'
  return 'inputs' in record ? 'example' : undefined
}

interface Linked {
  /** The dataset of each example of this import. */
  datasetOf: Map<string, string>
  feedback: Fields[]
}

function* mapTraces(trees: RunTree[], { datasetOf, feedback }: Linked): Generator<ImportRecord> {
  const traceOfRun = new Map<string, string>()
  const experiments = new Map<string, { of: RunCase; scores: ImportedScore[] }>()
  for (const tree of trees) {
    for (const run of tree.runs) traceOfRun.set(runId(run), tree.traceId)
    const of = caseOf(tree, datasetOf)
    const key = of && JSON.stringify([of.dataset, of.run])
    if (of && key && !experiments.has(key)) {
      yield { kind: 'run', dataset: of.dataset, name: of.run }
      experiments.set(key, { of, scores: [] })
    }
    if (key) experiments.get(key)?.scores.push(...scoresOf(tree))
  }
  for (const tree of trees) yield traceOf(tree, caseOf(tree, datasetOf))
  for (const { of, scores } of experiments.values()) {
    const evaluators = [...new Set(scores.map(({ evaluator }) => evaluator))].map((name) => ({ name }))
    if (scores.length > 0)
      yield { kind: 'evaluation', dataset: of.dataset, run: of.run, name: 'LangSmith', evaluators, scores }
  }
  for (const tree of trees) if (!caseOf(tree, datasetOf)) yield* statsAsComments(tree)
  for (const one of feedback) yield feedbackAsComment(one, traceOfRun)
}

/** A root run of an experiment names its example; the project is the experiment. */
function caseOf({ root }: RunTree, datasetOf: Map<string, string>): RunCase | undefined {
  const example = textOf(root?.['reference_example_id'])
  const dataset = example && datasetOf.get(example)
  if (!root || example === undefined || dataset === undefined) return undefined
  const run = textOf(root['session_name']) ?? textOf(root['session_id']) ?? 'LangSmith'
  return { dataset, run: shorten(run, 400), itemKey: example }
}

function statsOf({ root }: RunTree): { key: string; average: number | undefined; count: number }[] {
  return Object.entries(fieldsOf(root?.['feedback_stats'])).map(([key, value]) => {
    const stats = fieldsOf(value)
    return { key, average: numberOf(stats['avg']), count: numberOf(stats['n']) ?? 1 }
  })
}

function scoresOf(tree: RunTree): ImportedScore[] {
  return statsOf(tree).flatMap(({ key, average }) =>
    average === undefined ? [] : [{ traceId: tree.traceId, evaluator: shorten(key, 200), score: average }],
  )
}

/** Scores belong to evaluations of runs. Of other traces they are kept as text. */
function* statsAsComments(tree: RunTree): Generator<CommentRecord> {
  for (const { key, average, count } of statsOf(tree)) {
    if (average === undefined) continue
    yield { kind: 'comment', traceId: tree.traceId, text: `LangSmith feedback ${key}: ${average} (${count} times)` }
  }
}

function feedbackAsComment(feedback: Fields, traceOfRun: Map<string, string>): ImportRecord {
  const { key, score, value, comment } = feedback
  const runOf = textOf(feedback['run_id']) ?? ''
  const traceId = textOf(feedback['trace_id']) ?? traceOfRun.get(runOf)
  if (traceId === undefined) {
    return { kind: 'notTaken', of: 'comments', what: `feedback ${key}`, reason: 'its run is not in the files' }
  }
  const values = listOf([score, value]).flatMap((one) => (one === null || one === undefined ? [] : [asText(one)]))
  const text = [`LangSmith feedback ${key}: ${values.join(', ') || 'no value'}`, textOf(comment)].filter(Boolean)
  return { kind: 'comment', traceId, text: text.join('\n') }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
