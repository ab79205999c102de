/** The texts of items that are nearly the same, so that a reader can judge whether they are. */
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findCallItems } from '../trials/calls/call-item-queries.ts'
import { questionOf } from './course/read-iteration.ts'
import type { DrawnSplits, SimilarItems } from './draw-splits.ts'
import type { ExperimentEstimate } from './start-experiment-schemas.ts'

export async function describeSimilar(
  q: Queries,
  scope: DatasetScope,
  { items, leaks, together }: DrawnSplits,
): Promise<Pick<ExperimentEstimate, 'leaks' | 'together'>> {
  const shown = [...leaks.flatMap(({ examples }) => examples), ...together.examples]
  const texts = await findCallItems(q, scope, [...new Set(shown.flatMap(({ ids }) => ids))])
  const splitOf = new Map(
    (['train', 'validation', 'test'] as const).flatMap((split) => items[split].map((id) => [id, split] as const)),
  )
  const withTexts = (pairs: readonly SimilarItems[]) =>
    pairs.map(({ ids, similarity }) => ({
      similarity,
      items: ids.map((id) => ({
        id,
        question: questionOf(texts.get(id)?.input ?? null),
        split: splitOf.get(id) ?? null,
      })),
    }))
  return {
    leaks: leaks.map(({ examples, ...leak }) => ({ ...leak, examples: withTexts(examples) })),
    together: { pairs: together.pairs, examples: withTexts(together.examples) },
  }
}
