import { Type } from 'typebox'
import {
  closed,
  Id,
  NAME_LENGTH_MAX,
  NullableId,
  NullableString,
  NullableText,
  NullableTimestamp,
  orNull,
  Timestamp,
} from '../../http/schemas.ts'
import { NullableOutput } from '../annotation-schemas.ts'

const NullableRating = orNull(Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }))

/** The caller's annotation of a trace outside of runs. All fields but the first two are null if there is none. */
export const TraceAnnotation = closed(
  {
    traceDbId: Id,
    userId: Type.String(),
    id: NullableId,
    rating: NullableString,
    comment: NullableString,
    correctedOutput: NullableString,
    createdAt: NullableTimestamp,
    updatedAt: NullableTimestamp,
  },
  { title: 'TraceAnnotation' },
)

export const TraceAnnotationBody = closed({
  rating: Type.Optional(NullableRating),
  comment: Type.Optional(NullableText),
  correctedOutput: Type.Optional(NullableOutput),
})

/** An annotation of a trace, in a run or outside of runs. `name` is that of its author. */
const AnnotationOfTrace = closed(
  {
    id: Id,
    traceDbId: Id,
    aiComponentId: NullableId,
    runId: NullableId,
    runName: NullableString,
    userId: Type.String(),
    name: NullableString,
    rating: NullableString,
    comment: NullableString,
    correctedOutput: NullableString,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'AnnotationOfTrace' },
)

/** `hiddenRaters` have rated the trace in a blind run, or while it is part of one that the caller has to rate. */
export const AnnotationsOfTrace = closed({
  data: Type.Array(AnnotationOfTrace),
  hiddenRaters: Type.Array(closed({ userId: Type.String(), name: NullableString })),
})
