import type { TrialDetail } from '../../api/generated/api.ts'
import type { MatrixItem } from '../../api/trial-matrix-query.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import type { Variant } from './trial-words.ts'

/** The version, the model and the item of a call. Undefined if no prompt answers it. */
export function playgroundOf(
  { applicationId, componentId }: TrialKey,
  { datasetId }: Pick<TrialDetail, 'datasetId'>,
  { variant, item }: { variant: Variant; item: MatrixItem },
) {
  const { promptId, version, provider, model } = variant.target
  if (promptId === undefined || version === undefined) return undefined
  return {
    path: pagePaths.promptPlayground(applicationId, componentId, promptId),
    search: {
      versions: String(version),
      rows: 'items' as const,
      dataset: datasetId,
      item: item.itemId,
      ...(provider !== undefined && model !== undefined && { provider, model }),
    },
  }
}
