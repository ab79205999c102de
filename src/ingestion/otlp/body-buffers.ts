/** Smaller bodies come in one piece and need no room of their own; larger ones are too rare to keep room for. */
const POOLED_MIN = 64 * 1024
const POOLED_MAX = 4 << 20
/** Exporters send batches of about the same size: rounded up, one's room fits the next. */
const STEP = 64 * 1024
const KEPT_BYTES_MAX = 8 << 20
const IDLE_MS = 10_000

export type BodyBuffers = {
  /** Room for a body of that length; undefined where none is kept. */
  take(bytes: number): Buffer | undefined
  /** To be called when nobody will look at the body any more. */
  give(room: Buffer | undefined): void
}

/**
 * Room for the bodies of requests, used again and again. New room for each would count as garbage of half a megabyte per request: the
 * engine then collects everything else over and over, which under load costs more than to read the spans.
 */
export function createBodyBuffers(): BodyBuffers {
  const kept = new Map<number, ArrayBuffer[]>()
  let keptBytes = 0
  let idle: NodeJS.Timeout | undefined

  return {
    take(bytes) {
      if (bytes < POOLED_MIN || bytes > POOLED_MAX) return undefined
      const size = Math.ceil(bytes / STEP) * STEP
      const room = kept.get(size)?.pop()
      if (room) keptBytes -= size
      return Buffer.from(room ?? new ArrayBuffer(size), 0, bytes)
    },
    give(room) {
      if (!room || !(room.buffer instanceof ArrayBuffer)) return
      const size = room.buffer.byteLength
      if (keptBytes + size > KEPT_BYTES_MAX) return
      keptBytes += size
      const same = kept.get(size)
      if (same) same.push(room.buffer)
      else kept.set(size, [room.buffer])
      // Whoever is not sent anything does not need it.
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
