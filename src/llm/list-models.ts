import { VERSION } from '../base/version.ts'
import type { Egress } from '../egress/egress-guard.ts'
import { containsApiKey } from '../secrets/contains-api-key.ts'
import type { ProviderKind } from './chat.ts'
import { endpointUrl } from './endpoint-url.ts'
import { ModelError } from './model-client.ts'
import { exchange, type ProviderResponse } from './model-exchange.ts'
import { readJson, responseError, unreachable } from './provider-errors.ts'
import { PROVIDERS } from './providers/providers.ts'

const RESPONSE_BYTES_MAX = 1_048_576
const NAMES_MAX = 1_000
const NAME_LENGTH_MAX = 200

export type ListModelsOptions = {
  connection: { name: string; kind: ProviderKind; baseUrl: string; apiKey: string | undefined }
  egress: Egress
  now: number
  timeoutMs: number
}

/** The names of the models of an endpoint (`GET {base}/models`). Throws a ModelError if it does not return a list. */
export async function listModels(question: ListModelsOptions): Promise<string[]> {
  const { name, kind, apiKey } = question.connection
  const response = await requestModels(question)
  const { status, body } = response
  if (status === 404) {
    throw new ModelError('permanent', `${name} returned 404: it does not list its models, or its base URL is wrong`)
  }
  if (status < 200 || status >= 300) throw responseError({ name, apiKey, model: 'list' }, response, question.now)
  if (body === 'too-long') throw new ModelError('permanent', `${name} returned more than ${RESPONSE_BYTES_MAX} bytes`)
  const names = PROVIDERS[kind].models.names(readJson(body))
  if (!names) throw new ModelError('permanent', `${name} did not return a list of models`)
  return names
    .filter((id) => typeof id === 'string')
    .filter((id) => id.length > 0 && id.length <= NAME_LENGTH_MAX)
    .slice(0, NAMES_MAX)
    .filter((id) => !containsApiKey(id, apiKey))
}

async function requestModels({ connection, egress, timeoutMs }: ListModelsOptions): Promise<ProviderResponse> {
  const { name, kind, baseUrl, apiKey } = connection
  const { headers, models } = PROVIDERS[kind]
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const url = endpointUrl(new URL(baseUrl), { path: 'models', ...models })
    return await exchange({
      url,
      agent: egress.agentFor(url),
      headers: {
        accept: 'application/json',
        'user-agent': `touchstone/${VERSION}`,
        ...headers(apiKey),
      },
      responseBytesMax: RESPONSE_BYTES_MAX,
      signal,
    })
  } catch (error) {
    if (!signal.aborted) throw unreachable(name, error)
    throw new ModelError('transient', `${name} did not respond within ${Math.round(timeoutMs / 1_000)} s`)
  }
}
