import { AppError, notFound } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { findServingLabels } from './served-prompt-queries.ts'
import { findServedVersion } from './version-queries.ts'

/** What a label of a prompt serves now, read from the database, so that a read after a change has its result on every server. */
export async function readServedPrompt(
  q: Queries,
  { label, ...scope }: { workspaceId: string; componentId: string; name: string; label: string },
) {
  const { workspaceId, name } = scope
  const found = await findServingLabels(q, scope)
  if (!found) throw notFound('Component')
  const { promptId, labels } = found
  if (promptId === undefined) throw new AppError(404, `The component has no prompt ${name}.`)
  const served = labels.find((one) => one.label === label)
  if (!served) throw new AppError(404, `Prompt ${name} has no label ${label}.`)
  const splits = await Promise.all(
    served.splits.map(async ({ version: number, weight }) => {
      const version = await findServedVersion(q, { workspaceId, promptId, number })
      // Its prompt was deleted since.
      if (!version) throw notFound('Prompt')
      const pointing = labels.filter((one) => one.splits.some((split) => split.version === number))
      return { weight, version: { ...version, labels: pointing.map((one) => one.label) } }
    }),
  )
  return { name, label, promptId, change: served.change, seed: served.seed, splits }
}
