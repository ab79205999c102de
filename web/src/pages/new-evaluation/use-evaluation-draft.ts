import { useState } from 'react'
import type { EvaluationDetail, Run } from '../../api/generated/api.ts'
import { isObject } from '../../ui/schema-form/json-value.ts'
import { showUndoToast } from '../../ui/toast-store.ts'
import { compareWith, type EvaluationDraft, repeatEvaluation, textOf } from './evaluation-draft.ts'

interface DraftSources {
  /** One draft for each way to come here. */
  storageKey: string
  /** The run, the dataset and the evaluation that the address names. */
  run: Run | undefined
  datasetId: string | undefined
  previous: EvaluationDetail | undefined
  /** What to evaluate if the address names nothing. */
  newestRun: Run | undefined
  newestDatasetId: string | undefined
  /** The run to compare a run with. */
  baselineOf: (run: Run) => string | undefined
}

/** What the user has chosen so far. It is stored in the tab, so that a reload loses nothing. */
export function useEvaluationDraft(sources: DraftSources) {
  const { storageKey } = sources
  const [draft, setDraft] = useState(() => readDraft(storageKey) ?? startDraft(sources))
  const change = (next: EvaluationDraft) => {
    writeDraft(storageKey, next)
    setDraft(next)
  }
  return {
    draft,
    change: (changes: Partial<EvaluationDraft>) => change({ ...draft, ...changes }),
    discard: () => removeDraft(storageKey),
    startOver: () => {
      removeDraft(storageKey)
      setDraft(startDraft(sources))
      showUndoToast('The form is as it was at first.', () => change(draft))
    },
  }
}

function startDraft({
  run,
  datasetId,
  previous,
  newestRun,
  newestDatasetId,
  baselineOf,
}: DraftSources): EvaluationDraft {
  if (previous) return repeatEvaluation(previous, { run, datasetId })
  const chosen = run ?? (datasetId === undefined ? newestRun : undefined)
  if (chosen) {
    const config = compareWith({}, baselineOf(chosen))
    return { datasetId: chosen.datasetId, runId: chosen.id, name: '', config }
  }
  return { datasetId: datasetId ?? newestDatasetId, runId: undefined, name: '', config: {} }
}

function readDraft(key: string): EvaluationDraft | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    if (!isObject(stored) || !isObject(stored['config'])) return undefined
    const { datasetId, runId, name, config } = stored
    return { datasetId: textOf(datasetId), runId: textOf(runId), name: textOf(name) ?? '', config }
  } catch {
    return undefined // Storage is blocked, or has something else.
  }
}

function writeDraft(key: string, draft: EvaluationDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Storage is full or blocked: the draft lives as long as the page.
  }
}

function removeDraft(key: string): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Storage is blocked, so there is no draft.
  }
}
