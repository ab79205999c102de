import { Type } from 'typebox'
import {
  closed,
  Id,
  listOf,
  NAME_LENGTH_MAX,
  NullableId,
  NullableString,
  nullable,
  orNull,
  queryText,
  Text,
  Timestamp,
  TraceRef,
} from '../http/schemas.ts'
import { TraceSummary } from '../traces/trace-schemas.ts'

/**
 * The API names the annotated trace `traceDbId`: its id, its OpenTelemetry id, or a reference that has not arrived yet.
 */
export const Annotation = closed(
  {
    id: Id,
    traceDbId: Type.String(),
    userId: Type.String(),
    rating: NullableString,
    comment: NullableString,
    createdAt: Timestamp,
  },
  { title: 'Annotation' },
)

const { id: _ourId, ...summary } = TraceSummary.properties

/** A trace of a run with its texts, which are cut after 20,000 characters. */
export const AnnotatedTrace = closed(
  {
    traceDbId: Id,
    ...summary,
    itemId: NullableId,
    input: NullableString,
    output: NullableString,
    expected: NullableString,
  },
  { title: 'AnnotatedTrace' },
)

/** `trace` is null if the trace has not arrived, or was deleted. */
const AnnotationWithTrace = closed(
  { ...Annotation.properties, trace: nullable(AnnotatedTrace) },
  { title: 'AnnotationWithTrace' },
)

/** With traces if the request includes them. */
export const RunAnnotations = Type.Union([listOf(Annotation), listOf(AnnotationWithTrace)])

export const RunAnnotationsQuery = closed({
  mine: queryText({ type: 'boolean', default: false }),
  include: queryText({ type: 'string', enum: ['trace'] }),
})

/** `traceDbId` is null if there was nothing to undo; `annotation` is null if there was none before. */
export const Undone = closed(
  { traceDbId: NullableString, annotation: nullable(Annotation) },
  { title: 'UndoneAnnotation' },
)

const CORRECTED_OUTPUT_LENGTH_MAX = 100_000

export const NullableOutput = orNull(Type.String({ maxLength: CORRECTED_OUTPUT_LENGTH_MAX }))

export const CorrectedOutput = closed({ correctedOutput: NullableOutput }, { title: 'CorrectedOutput' })

export const AnnotationParams = closed({ componentId: Id, runId: Id, annotationId: Id })
export const SaveAnnotationBody = closed({
  traceDbId: TraceRef,
  rating: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
  comment: Type.Optional(Text),
})
