import { Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  NullableInterval,
  NullableNumber,
  NullableString,
  nullable,
  queryText,
  Timestamp,
} from '../../http/schemas.ts'
import { oneOf, SideName, Verdict } from '../comparison-schemas.ts'

const REPETITION_MAX = 10_000

const fields = {
  itemId: Id,
  better: oneOf('baseline', 'candidate', 'same'),
}

/** `isSideDrawn` is true if the answer on the left is the one that the server drew. */
export const Preference = closed(
  {
    ...fields,
    shownLeft: SideName,
    isSideDrawn: Type.Boolean(),
    repetition: Type.Integer({ minimum: 1 }),
    userId: Id,
    updatedAt: Timestamp,
  },
  { title: 'Preference' },
)

/** Without `shownLeft`, the side that the server draws: `texts.shownLeft` of the row. */
export const SavePreference = closed(
  {
    baseline: Id,
    candidate: Id,
    ...fields,
    shownLeft: Type.Optional(SideName),
    repetition: Type.Optional(Type.Integer({ minimum: 1, maximum: REPETITION_MAX })),
  },
  { title: 'SavePreference' },
)

/**
 * `share` is the share of the candidate; an item without a preference counts ½. It is corrected for the position of the
 * answers unless the server drew all `sides`. `verdict` is null if one run was nearly always shown on the left.
 */
const PreferenceResult = closed(
  {
    items: Count,
    candidate: Count,
    baseline: Count,
    same: Count,
    share: NullableNumber,
    ci: NullableInterval,
    p: NullableNumber,
    verdict: nullable(Verdict),
    method: Type.String(),
    preferences: Count,
    raters: Count,
    left: closed({ chosen: Count, n: Count }),
    sides: closed({ baselineLeft: Count, candidateLeft: Count, drawn: Count, n: Count }),
    summary: Type.String(),
  },
  { title: 'PreferenceResult' },
)

/** `result` is null, and `withheld` says why, for a reader who rates one of the runs blindly. */
export const PreferenceList = closed(
  {
    result: nullable(PreferenceResult),
    withheld: NullableString,
    data: Type.Array(Preference),
  },
  { title: 'PreferenceList' },
)

export const PreferencesQuery = closed({ baseline: Id, candidate: Id, mine: queryText({ type: 'boolean' }) })
