import { Type } from 'typebox'
import { closed, described, Id, NullableNumber, NullableString, nullable, orNull } from '../../http/schemas.ts'
import { AddedAndRemoved, MessageDiffs, PromptMessage } from '../../prompts/prompt-schemas.ts'
import { ToolChanges } from '../experiment-schemas.ts'
import { FATES } from '../search/search.ts'

const Answer = closed(
  { output: NullableString, score: described(NullableNumber, 'From 0 to 1.'), error: NullableString },
  { title: 'ExperimentPreviewAnswer' },
)

export const ExperimentPreview = closed(
  {
    items: Type.Array(
      closed(
        { itemId: Id, question: NullableString, start: Answer, proposal: nullable(Answer) },
        { title: 'ExperimentPreviewItem' },
      ),
    ),
    means: closed({ start: NullableNumber, proposal: NullableNumber }),
    diagnosis: NullableString,
    messages: described(orNull(Type.Array(PromptMessage)), 'Null if the proposal was rejected.'),
    diff: nullable(
      closed(
        {
          messages: MessageDiffs,
          variables: AddedAndRemoved,
          placeholders: AddedAndRemoved,
          tools: ToolChanges,
        },
        { title: 'ExperimentPreviewDiff' },
      ),
    ),
    fate: orNull(Type.Enum(FATES, { type: 'string', description: 'Why the proposal was rejected.' })),
    reason: NullableString,
    costUsd: described(NullableNumber, 'Null if a model has no price.'),
    summary: Type.String(),
  },
  { title: 'ExperimentPreview' },
)
