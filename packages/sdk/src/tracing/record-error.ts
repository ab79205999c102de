import { type Span, SpanStatusCode } from '@opentelemetry/api'
import { attributeText } from './attribute-text.ts'

/** Marks a span as failed and returns the message. Programs throw any value, also some that cannot be converted to a text. */
export function recordError(span: Span, error: unknown): string {
  const exception = error instanceof Error ? error : new Error(attributeText(error) ?? 'undefined')
  span.recordException(exception)
  span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message })
  return exception.message || exception.name
}
