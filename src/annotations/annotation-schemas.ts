import { Type } from 'typebox'
import { closed, Id, NAME_LENGTH_MAX, NullableString, Text, Timestamp, TraceRef } from '../http/schemas.ts'

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

export const AnnotationParams = closed({ componentId: Id, runId: Id, annotationId: Id })
export const SaveAnnotationBody = closed({
  traceDbId: TraceRef,
  rating: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
  comment: Type.Optional(Text),
})
