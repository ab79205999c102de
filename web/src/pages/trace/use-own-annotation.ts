import { onlineManager, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { describeError, hasStatus } from '../../api/api-error.ts'
import { type AnnotationFields, ownAnnotationQuery, useSaveTraceAnnotation } from '../../api/trace-annotation-query.ts'
import type { TraceKey } from '../../api/traces-query.ts'
import { showToast } from '../../ui/toast-store.ts'
import { useDraft } from './use-draft.ts'

export type AnnotationState = 'none' | 'saved' | 'saving' | 'offline' | 'failed'

const EMPTY: AnnotationFields = { rating: null, comment: null, correctedOutput: null }

/** The user's annotation of the trace as the user wants it. What the server does not have yet is kept and sent again after a reload. */
export function useOwnAnnotation(trace: TraceKey, onRejected: (fields: AnnotationFields) => void) {
  const query = useQuery(ownAnnotationQuery(trace))
  const { data } = query
  const { mutate, ...saving } = useSaveTraceAnnotation(trace)
  const [unsaved, setUnsaved] = useDraft(`annotation.${trace.traceId}`)
  const wanted = unsaved === undefined ? undefined : readFields(unsaved)
  const save = (fields: AnnotationFields) => {
    setUnsaved(JSON.stringify(fields))
    // Called for the last of several quick changes only.
    mutate(fields, {
      onSuccess: () => setUnsaved(undefined),
      onError: (error) => {
        if (!hasStatus(error, 400, 403, 404)) return
        // The server would reject it again.
        setUnsaved(undefined)
        saving.reset()
        onRejected(fields)
        showToast({ tone: 'danger', ...describeError(error) })
      },
    })
  }
  const isForgotten = wanted !== undefined && saving.isIdle
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for what an earlier visit could not save
  useEffect(() => {
    if (isForgotten && wanted) save(wanted)
  }, [isForgotten])
  const { rating, comment, correctedOutput } = wanted ?? data ?? EMPTY
  return {
    isLoaded: data !== undefined,
    /** Undefined unless the annotation could not be loaded. */
    failed: data === undefined && query.error ? query : undefined,
    annotation: { rating, comment, correctedOutput },
    state: stateOf(),
    save,
    retry: () => wanted && save(wanted),
  }

  function stateOf(): AnnotationState {
    if (saving.isPending) return onlineManager.isOnline() ? 'saving' : 'offline'
    if (saving.isError) return 'failed'
    return data?.id ? 'saved' : 'none'
  }
}

function readFields(text: string): AnnotationFields | undefined {
  try {
    const { rating, comment, correctedOutput }: Record<string, unknown> = Object(JSON.parse(text))
    return { rating: textOrNull(rating), comment: textOrNull(comment), correctedOutput: textOrNull(correctedOutput) }
  } catch {
    // Another program wrote it.
    return undefined
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
