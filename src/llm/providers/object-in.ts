/** The object that a JSON text contains; empty if it contains none. For arguments that a provider accepts only as an object. */
export function objectIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    // Models may write invalid arguments; the conversation still goes on.
    return {}
  }
}
