/**
 * Which evaluations the metrics of a run are read from: each metric from the newest completed evaluation that has it. An
 * evaluation with other evaluators adds metrics to the run and replaces none.
 */
import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { inIdList, jsonText } from '../storage/dialect.ts'
import { DEFAULT_INFO, type EvaluatorInfo } from './evaluator-info.ts'
import { type JudgedWithByName, readJudgedWith } from './judged-with.ts'
import { readStoredConfig, type StoredConfig } from './stored-config.ts'

export type RunEvaluation = {
  id: string
  config: StoredConfig
  judgedWith: JudgedWithByName
  /** By name, as its results describe them. Empty if there are no results yet. */
  evaluators: ReadonlyMap<string, EvaluatorInfo>
  completedAt: string | null
}

/** Of each run. A run that is evaluated every night has hundreds of evaluations; what only older ones measured is outdated. */
const EVALUATIONS_MAX = 100

type Row = Pick<RunEvaluation, 'id' | 'completedAt'> & {
  runId: string
  config: string
  judgedWith: string | null
  metrics: string | null
}

/**
 * The completed evaluations of runs, newest first; of several with the same config only the newest, which has all that the
 * others measured. Ids are ordered by creation time.
 */
export async function listRunEvaluations(
  q: Queries,
  { workspaceId, runIds }: { workspaceId: string; runIds: readonly string[] },
): Promise<(RunEvaluation & { runId: string })[]> {
  const ranked = sql`select id, row_number() over (partition by run_id order by id desc) as place,
    row_number() over (partition by run_id, config order by id desc) as place_of_config
    from evaluations where workspace_id = ${workspaceId} and ${inIdList(q, 'run_id', runIds)}
    and status = 'completed' and deleted_at is null`
  const metrics = jsonText(q, sql<string>`e.results`, 'metrics')
  const { rows } = await sql<Row>`select e.id, e.run_id as "runId", e.config, e.completed_at as "completedAt",
    e.judged_with as "judgedWith",
    ${metrics} as metrics from (${ranked}) as n inner join evaluations as e on e.workspace_id = ${workspaceId}
    and e.id = n.id where n.place_of_config = 1 and n.place <= ${sql.lit(EVALUATIONS_MAX)} order by e.id desc`.execute(
    q,
  )
  return rows.map(({ config, judgedWith, metrics: text, ...row }) => ({
    ...row,
    config: readStoredConfig(config),
    judgedWith: readJudgedWith(judgedWith),
    evaluators: readEvaluatorInfos(text),
  }))
}

/** By name: the first of the evaluations that has it. Expects the newest evaluation first. */
export function newestOfEach<Evaluation>(
  evaluations: readonly Evaluation[],
  namesOf: (evaluation: Evaluation) => Iterable<string>,
): Map<string, Evaluation> {
  const newest = new Map<string, Evaluation>()
  for (const evaluation of evaluations)
    for (const name of namesOf(evaluation)) if (!newest.has(name)) newest.set(name, evaluation)
  return newest
}

/** Reads the metrics of stored results. Fields may be missing in older evaluations. */
function readEvaluatorInfos(text: string | null): Map<string, EvaluatorInfo> {
  const infos = new Map<string, EvaluatorInfo>()
  const metrics: unknown = JSON.parse(text ?? '[]')
  if (!Array.isArray(metrics)) return infos
  for (const metric of metrics) {
    const { name, kind, scale, higherIsBetter } = fieldsOf(metric)
    if (typeof name !== 'string') continue
    infos.set(name, {
      kind: kind === 'binary' || kind === 'numeric' || kind === 'categorical' ? kind : DEFAULT_INFO.kind,
      scale: readScale(scale),
      higherIsBetter: typeof higherIsBetter === 'boolean' ? higherIsBetter : DEFAULT_INFO.higherIsBetter,
    })
  }
  return infos
}

/** Null means that there is no scale. A missing value means the default scale. */
function readScale(scale: unknown): EvaluatorInfo['scale'] {
  if (scale === null) return null
  if (!Array.isArray(scale)) return DEFAULT_INFO.scale
  const [low, high]: unknown[] = scale
  return typeof low === 'number' && typeof high === 'number' && low < high ? [low, high] : DEFAULT_INFO.scale
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
