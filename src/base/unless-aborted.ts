/** For `catch`: returns undefined for an error after the signal was aborted, and throws every other error. */
export function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error
    return undefined
  }
}
