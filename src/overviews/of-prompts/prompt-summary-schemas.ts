import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableInteger,
  NullableInterval,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  queryId,
  queryText,
  Timestamp,
} from '../../http/schemas.ts'
import { Evidence } from '../../prompts/evidence-schemas.ts'
import { PromptLabel } from '../../prompts/prompt-schemas.ts'
import { keysetQuery } from '../keyset-page.ts'
import { periodFields } from '../overview-schemas.ts'

export const DAYS_DEFAULT = 7
export const DAYS_MAX = 90

export const PromptSummariesQuery = closed({
  days: queryText({ type: 'integer', minimum: 1, maximum: DAYS_MAX, default: DAYS_DEFAULT }),
  metric: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The name of an evaluator, or `rating` for the ratings of people. Default: `rating`.',
    }),
  ),
  prompt_id: queryId('Only this prompt.'),
  ...keysetQuery,
})

const Author = closed({ id: Id, name: NullableString }, { title: 'PromptAuthor' })

const usedFields = {
  traces: described(Count, 'Production traces of the period that used it. One that used two versions counts for both.'),
  series: Type.Array(closed({ start: Timestamp, count: Count })),
  rate: closed({
    mean: NullableNumber,
    ci: NullableInterval,
    n: described(Count, 'The number of these traces that have a score or a rating.'),
    summary: described(
      NullableString,
      'To be shown instead of the mean, such as for too few scores; null if the mean can be shown.',
    ),
  }),
  cost: described(closed({ mean: NullableNumber, n: Count }), 'In US dollars, of the traces whose cost is known.'),
  sources: described(
    closed({ network: Count, memory: Count, disk: Count, fallback: Count, unknown: Count }),
    'Where the clients had it from. A trace counts once for each source; `unknown`: not reported.',
  ),
  lastUsedAt: described(NullableTimestamp, 'The hour of the last trace of the period, rounded down.'),
}

const PromptVersionSummary = closed(
  {
    number: Type.Integer({ minimum: 1 }),
    note: NullableString,
    user: Author,
    createdAt: Timestamp,
    isDeleted: Type.Boolean(),
    ...usedFields,
    live: Type.Array(
      closed({
        label: Type.String(),
        weight: Count,
        since: Timestamp,
        until: described(NullableTimestamp, 'Null if it is served now.'),
      }),
      { description: 'When a label served it in the period, newest first; `since` may be earlier.' },
    ),
  },
  { title: 'PromptVersionSummary' },
)

const PromptSummary = closed(
  {
    id: Id,
    name: Type.String(),
    description: NullableString,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    labels: Type.Array(PromptLabel),
    newest: nullable(
      closed({ number: Type.Integer({ minimum: 1 }), note: NullableString, user: Author, createdAt: Timestamp }),
      { description: 'The newest version that is not deleted.' },
    ),
    /** Of all versions, and without one. */
    ...usedFields,
    withoutVersion: described(Count, 'Traces that name the prompt without a version: a fallback in the code.'),
    unknownVersions: described(Count, 'Traces that name a version that the prompt does not have.'),
    missingLabels: Type.Array(closed({ label: Type.String(), traces: Count, lastUsedAt: Timestamp }), {
      description: 'Labels that traces of the period asked for and that serve nothing now.',
    }),
    versions: Type.Array(PromptVersionSummary, {
      description: 'The newest version, and those that were used or served in the period, newest first.',
    }),
    hasMoreVersions: Type.Boolean({ description: 'True if more than 50 versions were used or served.' }),
  },
  { title: 'PromptSummary' },
)

const UnknownPrompt = closed(
  { name: Type.String(), versions: Count, traces: Count, lastUsedAt: Timestamp },
  { title: 'UnknownPrompt' },
)

export const PromptSummaries = closed(
  {
    ...periodFields,
    metric: Type.String(),
    metrics: Type.Array(Type.String(), { description: 'The names to choose from.' }),
    scale: described(NullableInterval, 'Of the metric; null without bounds.'),
    higherIsBetter: Type.Boolean(),
    data: Type.Array(PromptSummary),
    unknownPrompts: Type.Array(UnknownPrompt, {
      description: 'Prompts that production traces of the component name and that it does not have; at most 50.',
    }),
    nextCursor: NullableString,
  },
  { title: 'PromptSummaries' },
)

const splits = Type.Array(closed({ version: Type.Integer({ minimum: 1 }), weight: Count }), { title: 'PromptSplits' })

export const PromptChangesQuery = closed(keysetQuery)

const PromptChange = closed(
  {
    kind: Type.Enum(['saved', 'moved', 'rolledBack', 'deleted'], {
      type: 'string',
      description: 'saved: a version; moved, rolledBack, deleted: a label',
    }),
    at: Timestamp,
    user: Author,
    prompt: closed({ id: Id, name: Type.String() }),
    note: NullableString,
    version: described(NullableInteger, 'The number of a saved version.'),
    isDeleted: Type.Boolean({ description: 'True if the saved version was deleted later.' }),
    label: NullableString,
    change: described(NullableInteger, 'The number of the change of the label.'),
    undoes: described(NullableInteger, 'Of a rollback: the change that it undoes.'),
    before: described(nullable(splits), 'What the label served before; null if it served nothing.'),
    after: described(nullable(splits), 'What it served then; null if it served nothing.'),
    evidence: Type.Array(Evidence, {
      description: 'The verdicts that the move of a label rests on, one for each version that got more weight.',
    }),
  },
  { title: 'PromptChange' },
)

export const PromptChanges = closed(
  { data: Type.Array(PromptChange), nextCursor: NullableString },
  { title: 'PromptChanges' },
)
