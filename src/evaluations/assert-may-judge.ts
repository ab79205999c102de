import { AppError } from '../base/errors.ts'
import { findModelSource, type ModelSource } from '../connections/model-access.ts'
import type { Context } from '../http/route.ts'
import { defaultModelOf } from '../llm/model-client.ts'
import { MODEL_TYPES, readStoredConfig } from '../scores/stored-config.ts'
import { assertMaySpend } from '../spending/assert-spending.ts'
import type { ModelDeps } from '../spending/model-session.ts'

/**
 * Throws 409 if the evaluators of a config ask models, and the spending limit of the application leaves nothing for them. An invalid config
 * passes: its evaluation has the reason.
 */
export async function assertMayJudge(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { access, pricer }: Pick<ModelDeps, 'access' | 'pricer'>,
  { workspaceId, config: text }: { workspaceId: string; config: string },
): Promise<void> {
  const { evaluators = [], provider } = readStoredConfig(text)
  const judges = evaluators.filter(({ options }) => MODEL_TYPES.has(options.type))
  if (judges.length === 0) return
  const listModels = async () => {
    const wanted = { workspaceId, name: typeof provider === 'string' ? provider : undefined, now: clock.now() }
    const source = await findModelSource(access, db.read, wanted).catch(unlessUnreadable)
    return judges.flatMap(({ options: { type, model } }) => {
      const purpose = type === 'embeddingSimilarity' ? 'embedding' : 'completion'
      return (typeof model === 'string' ? model : defaultModelOf(source?.connection.models ?? [], purpose)) ?? []
    })
  }
  await assertMaySpend({ q: db.read, clock }, { workspaceId, listModels, pricer })
}

/** The evaluation fails with the same message. */
function unlessUnreadable(error: unknown): ModelSource | undefined {
  if (error instanceof AppError) return undefined
  throw error
}
