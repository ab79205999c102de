/**
 * What labels serve to clients. Each read asks the database how many changes the labels of the prompt had, so that a read after a change
 * has its result on every server. As long as there was none, the response is the one that was sent before.
 */
import { AppError, notFound } from '../base/errors.ts'
import { cached, type HttpResponse } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { findLabels } from './label-queries.ts'
import { labelsOf } from './save-version.ts'
import { findServingPrompt } from './served-prompt-queries.ts'
import { noLabel } from './set-label.ts'
import { findServedVersion } from './version-queries.ts'

const CACHE_CONTROL = 'private, max-age=10, stale-if-error=86400'
/** Of all responses that are kept, without their copies: compressed, and as a string. */
const KEPT_BYTES_MAX = 8 << 20

type ServedScope = { workspaceId: string; componentId: string; name: string; label: string }

export function createPromptServer(): (q: Queries, scope: ServedScope) => Promise<HttpResponse> {
  const kept = new Map<string, { labelChanges: number; bytes: number; response: HttpResponse }>()
  let keptBytes = 0

  function forget(key: string): void {
    keptBytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }

  return async (q, scope) => {
    const [found] = await findServingPrompt(q, scope)
    if (!found) throw notFound('Component')
    const { promptId, labelChanges } = found
    if (promptId === null || labelChanges === null)
      throw new AppError(404, `The component has no prompt ${scope.name}.`)
    const key = `${promptId} ${scope.label}`
    const known = kept.get(key)
    if (known?.labelChanges === labelChanges) return known.response
    forget(key)
    const served = await readServedPrompt(q, { ...scope, promptId })
    const { response, bytes } = cached(served, { version: served.change, cacheControl: CACHE_CONTROL })
    if (bytes <= KEPT_BYTES_MAX) {
      forget(key)
      kept.set(key, { labelChanges, bytes, response })
      keptBytes += bytes
      for (const oldest of kept.keys()) if (keptBytes > KEPT_BYTES_MAX) forget(oldest)
    }
    return response
  }
}

async function readServedPrompt(
  q: Queries,
  { promptId, workspaceId, name, label }: ServedScope & { promptId: string },
) {
  const labels = await findLabels(q, { workspaceId, promptId })
  const served = labels.find((one) => one.name === label && one.splits.length > 0)
  if (!served) throw noLabel({ name }, label)
  const splits = await Promise.all(
    served.splits.map(async ({ version: number, weight }) => {
      const version = await findServedVersion(q, { workspaceId, promptId, number })
      // Its prompt was deleted since.
      if (!version) throw notFound('Prompt')
      return { weight, version: { ...version, labels: labelsOf(number, labels) } }
    }),
  )
  return { name, label, promptId, change: served.change, seed: served.seed, splits }
}
