import { unavailable } from '../base/errors.ts'

export type Admission = {
  /** Tells how much memory the request holds now. Throws 503 if there is not that much left. */
  resize(bytes: number): void
  /** To be called when the request is over, however it ended. */
  release(): void
}

export type AdmissionLimits = { bytesMax: number; requestsMax: number }

/**
 * Bounds what all requests together hold in memory. More than that is refused at once instead of waiting in a queue:
 * exporters keep what they could not send and try again, which is the better queue.
 */
export function createAdmission({ bytesMax, requestsMax }: AdmissionLimits): (bytes: number) => Admission {
  let bytesHeld = 0
  let requestCount = 0
  return (bytes) => {
    if (requestCount >= requestsMax || bytesHeld + bytes > bytesMax) throw tooMuch()
    let own = bytes
    requestCount += 1
    bytesHeld += own
    return {
      resize(next) {
        if (next > own && bytesHeld - own + next > bytesMax) throw tooMuch()
        bytesHeld += next - own
        own = next
      },
      release() {
        bytesHeld -= own
        requestCount -= 1
      },
    }
  }
}

function tooMuch() {
  return unavailable('More traces are arriving than can be stored at this moment; send these again later')
}
