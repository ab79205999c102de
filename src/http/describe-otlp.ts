/** The OpenAPI operations for OTLP over HTTP, whose bodies and errors differ from those of the other routes. */

const STATUS = {
  type: 'object',
  description: 'google.rpc.Status, in the encoding of the request',
  properties: { code: { type: 'integer' }, message: { type: 'string' } },
}

const FAILURES: Record<string, string> = {
  400: 'Invalid request; do not retry',
  401: 'The API key is missing or invalid',
  403: 'The role of the key is too low',
  408: 'The request was not received in time',
  413: 'The body is too large',
  415: 'The body is neither protobuf nor JSON, or its compression is not supported',
  429: 'Too many requests; retry later',
  431: 'The URL and the headers together are too long',
  503: 'The server is overloaded; retry later',
}

function operation(operationId: string): Record<string, unknown> {
  const inBoth = (schema: object) => ({
    'application/json': { schema },
    'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
  })
  const failures = Object.entries(FAILURES).map(([status, description]) => [
    status,
    { description, content: inBoth(STATUS) },
  ])
  return {
    operationId,
    summary:
      'Ingest OpenTelemetry traces: an ExportTraceServiceRequest as protobuf or JSON, uncompressed or compressed with gzip',
    tags: ['Traces'],
    security: [{ apiKey: [] }],
    'x-role': 'editor',
    // A span that is sent again replaces itself.
    'x-repeatable': true,
    // An empty body is an empty batch.
    requestBody: { required: false, content: inBoth({ type: 'object' }) },
    responses: {
      200: {
        description: 'Stored; partialSuccess reports rejected spans',
        content: inBoth({ type: 'object' }),
      },
      ...Object.fromEntries(failures),
    },
  }
}

/** Under the API prefix, and at the default path of OTLP exporters. */
export const OTLP_PATHS: Record<string, Record<string, unknown>> = {
  '/traces': { post: operation('postTracesByOtlp') },
  '/v1/traces': { servers: [{ url: '/', description: 'This server' }], post: operation('postV1TracesByOtlp') },
}
