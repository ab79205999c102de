import { hash } from 'node:crypto'
import { NIL_ID } from '../base/ids.ts'
import type { Db, Queries, ReadTask } from '../storage/db.ts'
import { questionIn } from '../traces/semconv/messages/question-and-answer.ts'
import { listInputHashes, listInputTexts } from './item-check-queries.ts'
import { COMPARED_LENGTH_MAX, type ComparedText, findSimilarPairs, type SimilarPair } from './near-duplicates.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

/** Of items with the same question only the oldest is compared: the others are duplicates. */
export type NearDuplicates = { pairs: SimilarPair[]; compared: number; isComplete: boolean }

const ITEMS_COMPARED_MAX = 10_000
const ITEMS_PER_PAGE = 500
/** Longer inputs are not parsed for a question: their beginning is compared. */
const PARSED_LENGTH_MAX = 20_000

/** Reads and compares the inputs of a dataset in a worker, because both need time. */
export const findNearDuplicates: ReadTask<NamedDataset, NearDuplicates> = {
  name: 'findNearDuplicates',
  async run(q, dataset, signal) {
    const texts: ComparedText[] = []
    const seen = new Set<string>()
    let isComplete = true
    for (let afterId = NIL_ID; !signal.aborted; ) {
      const page = { afterId, limit: ITEMS_PER_PAGE, lengthMax: PARSED_LENGTH_MAX, cutTo: 2 * COMPARED_LENGTH_MAX }
      const rows = await listInputTexts(q, dataset, page)
      for (const { id, inputHash, text } of rows) {
        if (seen.has(inputHash ?? id)) continue
        seen.add(inputHash ?? id)
        if (texts.length < ITEMS_COMPARED_MAX) texts.push({ id, text: comparedText(text) })
        else isComplete = false
      }
      const last = rows.at(-1)
      if (!last || rows.length < ITEMS_PER_PAGE || !isComplete) break
      afterId = last.id
    }
    return { pairs: await findSimilarPairs(texts), compared: texts.length, isComplete }
  },
}

function comparedText(text: string): string {
  const said = questionIn(text)
  return (typeof said === 'string' ? text : said.text).slice(0, 2 * COMPARED_LENGTH_MAX)
}

const DATASETS_REMEMBERED_MAX = 20
const HASHED_ITEMS_MAX = 2 * ITEMS_COMPARED_MAX

export type ReadNearDuplicates = (
  db: Pick<Db, 'inReadWorker'>,
  q: Queries,
  dataset: NamedDataset,
  signal: AbortSignal,
) => Promise<NearDuplicates>

/** Remembers the newest results, because each page of a filtered list needs them, and finds them again when an input has changed. */
export function createNearDuplicateReader(): ReadNearDuplicates {
  const known = new Map<string, { version: string; found: NearDuplicates }>()
  return async (db, q, dataset, signal) => {
    const rows = await listInputHashes(q, dataset, HASHED_ITEMS_MAX)
    const version = hash('sha256', rows.map(({ id, inputHash }) => `${id}:${inputHash}`).join('\n'), 'base64url')
    const key = `${dataset.workspaceId}:${dataset.datasetId}`
    const before = known.get(key)
    if (before?.version === version) return before.found
    const { workspaceId, datasetId } = dataset
    const options = { application: workspaceId, signal }
    const found = await db.inReadWorker(findNearDuplicates, { workspaceId, datasetId }, options)
    known.delete(key)
    if (!signal.aborted) known.set(key, { version, found })
    const [oldest] = known.keys()
    if (known.size > DATASETS_REMEMBERED_MAX && oldest !== undefined) known.delete(oldest)
    return found
  }
}
