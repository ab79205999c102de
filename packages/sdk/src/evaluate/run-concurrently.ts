/**
 * Runs `work` on all entries, at most `limit` at a time. After an error or an abort no further entry is started; it rejects when the
 * started ones have ended, so that nothing goes on in the background.
 */
export async function runConcurrently<Entry>(
  entries: readonly Entry[],
  { limit, signal }: { limit: number; signal: AbortSignal | undefined },
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  const left = entries.values()
  let failure: { error: unknown } | undefined
  const worker = async () => {
    for (const entry of left) {
      if (failure || signal?.aborted) return
      try {
        await work(entry)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, worker))
  signal?.throwIfAborted()
  if (failure) throw failure.error
}
