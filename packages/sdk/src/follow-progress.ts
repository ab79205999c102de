import { ConnectionError } from './sdk-errors.ts'

/** Reports what is sent as progress. Returns false if the events were cut off before the end, as some proxies do. */
export async function followProgress<Progress>(
  events: AsyncIterable<{ event: string; data: string }>,
  onProgress: (sent: Progress) => void,
): Promise<boolean> {
  try {
    for await (const { event, data } of events) {
      if (event === 'end') return true
      if (event === 'progress') onProgress(JSON.parse(data))
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
  }
  return false
}

/** How long to wait before asking again. */
export const POLL_MS = 2_000
