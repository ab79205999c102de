/** The runs of an experiment that evaluated something, and where the traces of each belong. */
import { distinctNames } from '../distinct-names.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../source-values.ts'

export interface EvaluationRun {
  id: string
  name: string
  /** The id of the dataset of MLflow that was evaluated on; undefined if the data is stored nowhere. */
  datasetId: string | undefined
  metadata: Record<string, string | number | boolean>
}

/** By id, the oldest first. */
export function evaluationRuns(runs: Fields[]): Map<string, EvaluationRun> {
  const candidates = runs.filter(isEvaluation)
  const names = distinctNames(
    candidates.map(({ info }) => {
      const { run_id, run_name, start_time } = fieldsOf(info)
      return { id: String(run_id), name: textOf(run_name) ?? String(run_id), createdAt: Number(start_time ?? 0) }
    }),
  )
  const byId = new Map(candidates.map((run) => [String(fieldsOf(run['info'])['run_id']), run]))
  return new Map(
    [...names].map(([id, name]) => {
      const run = byId.get(id) ?? {}
      return [id, { id, name, datasetId: datasetOf(run), metadata: metadataOf(run) }]
    }),
  )
}

/** Runs of training have no traces with scores. Before version 3.5 an evaluation is only known by its data. */
function isEvaluation(run: Fields): boolean {
  const hasData = listOf(fieldsOf(run['inputs'])['dataset_inputs']).length > 0
  return hasData || tagsOf(run).get('mlflow.runType') === 'genai_evaluate'
}

function datasetOf(run: Fields): string | undefined {
  for (const input of listOf(fieldsOf(run['inputs'])['dataset_inputs']).filter(isFields)) {
    const { source_type, source } = fieldsOf(input['dataset'])
    if (source_type !== 'mlflow_evaluation_dataset') continue
    const [, id] = /"dataset_id"\s*:\s*"([^"]+)"/.exec(String(source)) ?? []
    if (id !== undefined) return id
  }
  return undefined
}

/** Parameters, and the version of the code. */
function metadataOf(run: Fields): Record<string, string | number | boolean> {
  const metadata: Record<string, string> = {}
  for (const { key, value } of listOf(fieldsOf(run['data'])['params']).filter(isFields)) {
    metadata[String(key)] = String(value)
  }
  const commit = tagsOf(run).get('mlflow.source.git.commit')
  return commit ? { ...metadata, commit } : metadata
}

function tagsOf(run: Fields): Map<string, string> {
  const tags = listOf(fieldsOf(run['data'])['tags']).filter(isFields)
  return new Map(tags.map(({ key, value }) => [String(key), String(value)]))
}
