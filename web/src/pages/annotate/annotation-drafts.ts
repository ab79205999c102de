/** What a user has written about a trace and not saved yet. It is kept in the browser with every letter. */
import { readRecord, removeRecord, writeRecord } from './browser-records.ts'

export interface Draft {
  comment?: string
  correctedOutput?: string
}

interface DraftKey {
  userId: string
  runId: string
  traceDbId: string
}

export function readDraft(key: DraftKey): Draft {
  const record = readRecord(keyOf(key))
  if (typeof record !== 'object' || record === null) return {}
  return {
    ...('comment' in record && typeof record.comment === 'string' && { comment: record.comment }),
    ...('correctedOutput' in record &&
      typeof record.correctedOutput === 'string' && { correctedOutput: record.correctedOutput }),
  }
}

export function writeDraft(key: DraftKey, draft: Draft): void {
  if (Object.keys(draft).length === 0) removeRecord(keyOf(key))
  else writeRecord(keyOf(key), draft)
}

function keyOf({ userId, runId, traceDbId }: DraftKey): string {
  return `touchstone.draft.${userId}.${runId}.${traceDbId}`
}
