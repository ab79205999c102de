/** The default model of the operator. If the setting names no model, the provider's list of models is requested once. */
import { NIL_ID } from '../base/ids.ts'
import { createEgress, type Egress } from '../egress/egress-guard.ts'
import { listModels } from '../llm/list-models.ts'
import { ModelError } from '../llm/model-client.ts'
import type { OpenConnection } from './find-connection.ts'

const TIMEOUT_MS = 10_000

export type DefaultModelSettings = { baseUrl: string; apiKey: string | undefined; model: string | undefined }

/** `problem` explains why there are no models and which setting is missing. */
export type DefaultModel = { connection: OpenConnection; egress: Egress; problem?: string }

/** Returns a function that finds the default model. It caches a success; after a failure, the next call tries again. */
export function createDefaultModel(settings: DefaultModelSettings): (now: number) => Promise<DefaultModel> {
  // The operator may use any host. This egress is separate, so that other connections cannot use that host.
  const egress = createEgress({ allowed: [hostAndPort(settings)] })
  const connection = defaultConnection(settings)
  let pending: Promise<DefaultModel> | undefined
  async function findModel(now: number): Promise<DefaultModel> {
    try {
      const names = await listModels({ connection, egress, now, timeoutMs: TIMEOUT_MS })
      const models = chooseModels(names)
      if (models.length > 0) return { connection: { ...connection, models }, egress }
      return { connection, egress, problem: `${connection.name} lists no chat model. ${MISSING}` }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      return { connection, egress, problem: `${error.message}. ${MISSING}` }
    }
  }
  return async (now) => {
    if (connection.models.length > 0) return { connection, egress }
    pending ??= findModel(now)
    const found = await pending
    if (found.problem !== undefined) pending = undefined
    return found
  }
}

const MISSING = 'Set TOUCHSTONE_DEFAULT_MODEL to the name of a model'

function defaultConnection({ baseUrl, apiKey, model }: DefaultModelSettings): OpenConnection {
  return {
    id: NIL_ID,
    name: 'The default model of this server',
    kind: 'openai',
    baseUrl,
    apiKey,
    models: model === undefined ? [] : [model],
    concurrency: 4,
    requestsPerMinute: null,
  }
}

function hostAndPort({ baseUrl }: { baseUrl: string }): string {
  const { protocol, hostname, port } = new URL(baseUrl)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

/** Name patterns of models that are not chat models. */
const OTHER_PURPOSE =
  /embed|rerank|whisper|tts|transcri|speech|audio|voice|realtime|image|dall-e|video|sora|moderation|guard|davinci|babbage|instruct$/i

export function isChatModel(name: string): boolean {
  return !OTHER_PURPOSE.test(name)
}

/** Small models that judge well, the best first; names may contain a date or a vendor. */
const PREFERRED = [
  /gpt-5-mini/i,
  /gpt-4\.1-mini/i,
  /gpt-4o-mini/i,
  /gpt-5(?!-(nano|pro|codex))/i,
  /gpt-4\.1(?!-nano)/i,
  /gpt-4o/i,
  /claude.*haiku/i,
  /claude.*sonnet/i,
  /gemini.*flash/i,
]

/** The chat model and, if there is one, the embedding model; empty if there is no chat model. */
export function chooseModels(names: readonly string[]): string[] {
  const chatModels = names.filter(isChatModel)
  const preferred = PREFERRED.map((pattern) => chatModels.find((name) => pattern.test(name))).find((name) => name)
  const chosen = preferred ?? chatModels[0]
  if (chosen === undefined) return []
  const embeddingModel = names.find((name) => /embed/i.test(name))
  return embeddingModel === undefined ? [chosen] : [chosen, embeddingModel]
}
