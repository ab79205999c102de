/** What the client uses of a span. It does not import OpenTelemetry, so that it stays small without tracing. */
export interface ActiveSpan {
  setAttributes(attributes: Record<string, string>): unknown
  spanContext(): { traceId: string }
}

let find: () => ActiveSpan | undefined = () => undefined

/** The span that is recorded at this moment; undefined if this package does not trace the program. */
export function activeSpan(): ActiveSpan | undefined {
  return find()
}

/** Called by the first use of tracing. */
export function provideActiveSpan(findSpan: () => ActiveSpan | undefined): void {
  find = findSpan
}

let continueIn = <Result>(_traceparent: string, work: () => Promise<Result>): Promise<Result> => work()

/** Spans that the work creates belong to a trace that another program has begun. */
export function continueTrace<Result>(traceparent: string, work: () => Promise<Result>): Promise<Result> {
  return continueIn(traceparent, work)
}

/** Called by the first use of tracing. */
export function provideContinuation(continuation: typeof continueIn): void {
  continueIn = continuation
}
