/** Smaller bodies arrive in one piece and need no buffer. Larger ones are too rare to pool. */
const POOLED_MIN = 64 * 1024
const POOLED_MAX = 4 << 20
/** Exporters send batches of similar size. With rounded sizes, the buffer of one batch fits the next. */
const STEP = 64 * 1024
const KEPT_BYTES_MAX = 8 << 20
const IDLE_MS = 10_000

export type BodyBuffers = {
  /** A buffer for a body of this length; undefined if bodies of this length are not pooled. */
  take(bytes: number): Buffer | undefined
  /** Must be called only when the body is no longer in use. */
  give(buffer: Buffer | undefined): void
}

/**
 * Reusable buffers for request bodies. Allocating a buffer per request creates half a megabyte of garbage each time, and the resulting
 * garbage collections cost more under load than reading the spans.
 */
export function createBodyBuffers(): BodyBuffers {
  const kept = new Map<number, ArrayBuffer[]>()
  let keptBytes = 0
  let idle: NodeJS.Timeout | undefined

  return {
    take(bytes) {
      if (bytes < POOLED_MIN || bytes > POOLED_MAX) return undefined
      const size = Math.ceil(bytes / STEP) * STEP
      const buffer = kept.get(size)?.pop()
      if (buffer) keptBytes -= size
      return Buffer.from(buffer ?? new ArrayBuffer(size), 0, bytes)
    },
    give(buffer) {
      if (!buffer || !(buffer.buffer instanceof ArrayBuffer)) return
      const size = buffer.buffer.byteLength
      if (keptBytes + size > KEPT_BYTES_MAX) return
      keptBytes += size
      const same = kept.get(size)
      if (same) same.push(buffer.buffer)
      else kept.set(size, [buffer.buffer])
      // Frees the pool when no requests arrive.
      if (idle) idle.refresh()
      else idle = setTimeout(forget, IDLE_MS).unref()
    },
  }

  function forget(): void {
    kept.clear()
    keptBytes = 0
    idle = undefined
  }
}
