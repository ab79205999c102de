import { AppError } from '../../base/errors.ts'
import { invariant } from '../../base/invariant.ts'
import { findModelSource, type ModelAccess } from '../../connections/model-access.ts'
import { asksModel, type Case, ConfigError, type Evaluator } from '../../evaluators/evaluator.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import { type ModelDeps, openModelSession } from '../../spending/model-session.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'

type SessionOptions = {
  evaluationId: string
  config: EvaluationConfig
  spentUsd: number
  hardStop: AbortSignal
  softStop: AbortSignal
}

/** For a config with an evaluator that asks a model. Throws a ConfigError if no model is available. */
export async function createModelSession(
  { db, workspaceId, clock }: Pick<JobRun, 'db' | 'workspaceId' | 'clock'>,
  { access, ...deps }: ModelDeps,
  { evaluationId, config, ...options }: SessionOptions,
): Promise<ModelSession> {
  const source = await modelSource(access, db, { workspaceId, config, now: clock.now() })
  const { maxCostUsd } = config
  const session = { ...options, source, kind: 'judges' as const, owner: evaluationId, maxCostUsd }
  return openModelSession({ db, workspaceId, clock }, deps, session)
}

/**
 * Returns the connection that the evaluators of a config use. Throws a ConfigError if there is none, or if neither it
 * nor the evaluator names a model: one error at the start instead of one per score.
 */
export async function modelSource(
  access: ModelAccess,
  db: JobRun['db'],
  { workspaceId, config, now }: { workspaceId: string; config: EvaluationConfig; now: number },
) {
  const { provider } = config
  const modelEvaluators = config.evaluators.filter(asksModel)
  const [first] = modelEvaluators
  invariant(first !== undefined, 'a config needs a connection if an evaluator asks a model')
  const wanted = { workspaceId, name: provider, now }
  const source = await findModelSource(access, db.read, wanted).catch((error: unknown) => {
    // The key of the connection cannot be decrypted; only the operator of the server can fix this.
    if (error instanceof AppError && error.status < 500) throw new ConfigError(error.message)
    throw error
  })
  if (!source) {
    throw new ConfigError(
      provider === undefined
        ? `config.provider is missing: ${first.name} asks a model, and this server has no default one (OPENAI_BASE_URL). Add a connection and name it`
        : `config.provider: there is no connection named ${JSON.stringify(provider.slice(0, 200))}`,
    )
  }
  const embedding = source.connection.kind === 'anthropic' ? modelEvaluators.find(needsEmbeddings) : undefined
  if (embedding) {
    throw new ConfigError(
      `The evaluator ${embedding.name} needs embeddings, which the API of Anthropic does not have. Evaluate it with a connection of another kind`,
    )
  }
  const nameless = source.connection.models.length === 0 ? modelEvaluators.find(namesNoModel) : undefined
  if (!nameless) return source
  throw new ConfigError(
    source.problem ??
      `The connection ${source.connection.name} lists no models, and the evaluator ${nameless.name} names none. Add models to the connection, or set "model" of the evaluator`,
  )
}

function needsEmbeddings({ estimate }: Evaluator): boolean {
  return estimate?.(WHOLE).some(({ purpose }) => purpose === 'embedding') ?? false
}

/** A case that has every text. */
export const WHOLE: Case = { input: 'a', output: 'a', expected: 'a', baseline: 'a', ratings: [], trace: null }

function namesNoModel({ estimate }: Evaluator): boolean {
  return estimate?.(WHOLE).some(({ model }) => model === undefined) ?? false
}
