/** For `catch`: what fails after somebody has aborted it has no outcome, and everything else fails as it did. */
export function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error
    return undefined
  }
}
