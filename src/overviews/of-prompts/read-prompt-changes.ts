/** The newest changes of all prompts of a component: versions that were saved, and changes of labels. */
import { listBlindRuns } from '../../annotations/blind-annotation-queries.ts'
import { timestamp } from '../../base/clock.ts'
import type { Principal } from '../../base/principal.ts'
import { cursorOf, isId } from '../../http/query-parameters.ts'
import { withShownEvidence } from '../../prompts/shown-evidence.ts'
import type { Queries } from '../../storage/db.ts'
import { readPageLimit } from '../keyset-page.ts'
import { listComponentLabelChanges, listSavedVersions } from './prompt-change-queries.ts'

/** `id` is that of a label change, or of the prompt of a version; `number` is that of the version, 0 for a label change. */
const positions = cursorOf({ at: isTime, id: isId, number: isPosition })

function isTime(value: unknown): value is string {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return ms >= 0 && ms <= LAST_MS && timestamp(ms) === value
}

/** The last time with a year of four digits. */
const LAST_MS = Date.UTC(9999, 11, 31)

/** Other numbers are not in the range of the column. */
function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647
}

export async function readPromptChanges(
  q: Queries,
  by: Principal,
  componentId: string,
  query: { limit?: string | undefined; cursor?: string | undefined },
) {
  const limit = readPageLimit(query.limit)
  const page = { workspaceId: by.workspaceId, componentId, before: positions.read(query.cursor), limit }
  const versions = (await listSavedVersions(q, page)).map((row) => ({ ...savedVersion(row), key: keyOf(row) }))
  const changes = await withShownEvidence(q, by, await listComponentLabelChanges(q, page), listBlindRuns)
  const moves = changes.map((row) => ({
    ...labelChange(row),
    key: { at: row.at, id: row.id, number: 0 },
  }))
  // Both are sorted already. A label is moved after its version was saved, also within a millisecond.
  const all = [...moves, ...versions].sort((a, b) => (a.key.at === b.key.at ? 0 : a.key.at < b.key.at ? 1 : -1))
  const shown = all.slice(0, limit)
  const last = all.length > limit ? shown.at(-1) : undefined
  return {
    data: shown.map(({ key: _, ...change }) => change),
    nextCursor: last ? positions.write(last.key) : null,
  }
}

type SavedVersion = Awaited<ReturnType<typeof listSavedVersions>>[number]
type LabelMove = Awaited<ReturnType<typeof listComponentLabelChanges>>[number]

function keyOf({ at, promptId, number }: SavedVersion) {
  return { at, id: promptId, number }
}

function savedVersion({ at, userId, userName, promptId, promptName, note, number, deletedAt }: SavedVersion) {
  return {
    kind: 'saved' as const,
    at,
    user: { id: userId, name: userName },
    prompt: { id: promptId, name: promptName },
    note,
    version: number,
    isDeleted: deletedAt !== null,
    ...NO_LABEL,
  }
}

const NO_LABEL = { label: null, change: null, undoes: null, before: null, after: null, evidence: [] }

function labelChange({ at, userId, userName, promptId, promptName, note, ...move }: LabelMove) {
  const { kind, label, number, undoes, before, after, evidence } = move
  return {
    kind,
    at,
    user: { id: userId, name: userName },
    prompt: { id: promptId, name: promptName },
    note,
    version: null,
    isDeleted: false,
    label,
    change: number,
    undoes,
    before,
    after,
    evidence,
  }
}
