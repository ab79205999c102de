import { Type } from 'typebox'
import {
  anyObject,
  Count,
  closed,
  Id,
  NullableId,
  NullableInteger,
  NullableString,
  NullableText,
  NullableTimestamp,
  nullable,
  orNull,
  queryTime,
  Timestamp,
} from '../http/schemas.ts'
import { Evidence, GivenEvidence, LabelGate, VersionNumber } from './evidence-schemas.ts'
import { NAME_PATTERN } from './template.ts'

const MESSAGES_MAX = 200
const SPLITS_MAX = 10
const TOOLS_MAX = 128
const ROLES = ['system', 'developer', 'user', 'assistant'] as const
/** The limit of a whole version, which is checked in bytes. */
const CONTENT_LENGTH_MAX = 262_144

const PromptName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$',
  description: 'Up to 128 letters, digits and . _ / -; it cannot be changed',
})
export const LabelName = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' })
const VariableName = Type.String({ pattern: NAME_PATTERN })

export const Prompt = closed(
  { id: Id, name: Type.String(), description: NullableString, createdAt: Timestamp, updatedAt: Timestamp },
  { title: 'Prompt' },
)

export const PromptParams = closed({ componentId: Id, promptId: Id })
export const CreatePromptBody = closed({ name: PromptName, description: Type.Optional(NullableText) })
export const ChangePromptBody = closed({ description: NullableText })

export const PromptMessage = Type.Union(
  [
    closed({
      role: Type.Enum(ROLES, { type: 'string' }),
      content: Type.String({ maxLength: CONTENT_LENGTH_MAX, description: '`{{name}}` is a variable' }),
    }),
    closed({ placeholder: Type.String({ pattern: NAME_PATTERN, description: 'Stands for a list of messages' }) }),
  ],
  { title: 'PromptMessage' },
)

const Model = orNull(Type.String({ minLength: 1, maxLength: 500 }))
const messages = Type.Array(PromptMessage, { minItems: 1, maxItems: MESSAGES_MAX })
const tools = Type.Array(anyObject(), { maxItems: TOOLS_MAX })
const responseFormat = nullable(anyObject())

const PromptContent = closed(
  { messages, provider: Model, model: Model, parameters: anyObject(), tools, responseFormat },
  { title: 'PromptContent' },
)

export const NewPromptContent = closed(
  {
    messages,
    provider: Type.Optional(Model),
    model: Type.Optional(Model),
    parameters: Type.Optional(anyObject()),
    tools: Type.Optional(tools),
    responseFormat: Type.Optional(responseFormat),
  },
  { title: 'NewPromptContent' },
)

const versionFields = {
  promptId: Id,
  number: VersionNumber,
  hash: Type.String(),
  variables: Type.Array(VariableName),
  placeholders: Type.Array(VariableName),
  /** That point to it. */
  labels: Type.Array(LabelName),
  source: closed({ kind: Type.Enum(['person', 'experiment'], { type: 'string' }), id: NullableId }),
  createdBy: Id,
  createdAt: Timestamp,
  note: NullableString,
}

export const PromptVersion = closed({ ...versionFields, content: PromptContent }, { title: 'PromptVersion' })
const PromptVersionRow = closed(versionFields, { title: 'PromptVersionRow' })
export const PromptVersionPage = closed({ data: Type.Array(PromptVersionRow), nextCursor: NullableString })

const Note = Type.Optional(NullableText)

export const SaveVersionBody = closed({
  content: NewPromptContent,
  note: Note,
  labels: Type.Optional(
    Type.Array(LabelName, {
      maxItems: SPLITS_MAX,
      uniqueItems: true,
      description: 'Labels that point to the version from then on. If one of them may not be moved, nothing is saved.',
    }),
  ),
  evidence: Type.Optional(GivenEvidence),
})

/** As text: the number is in the path. */
const NumberText = Type.String({ pattern: '^[1-9][0-9]{0,8}$' })
export const VersionParams = closed({ componentId: Id, promptId: Id, number: NumberText })
export const DiffQuery = closed({
  from: Type.String({ pattern: '^[1-9][0-9]{0,8}$', valueSchema: VersionNumber }),
  to: Type.String({ pattern: '^[1-9][0-9]{0,8}$', valueSchema: VersionNumber }),
})

const Hunk = closed(
  { change: Type.Enum(['same', 'removed', 'added'], { type: 'string' }), text: Type.String() },
  { title: 'PromptHunk' },
)
export const AddedAndRemoved = closed({ added: Type.Array(VariableName), removed: Type.Array(VariableName) })

export const MessageDiffs = Type.Array(
  closed({
    change: Type.Enum(['same', 'changed', 'removed', 'added'], { type: 'string' }),
    /** Positions in the two lists of messages. */
    from: NullableInteger,
    to: NullableInteger,
    before: nullable(PromptMessage),
    after: nullable(PromptMessage),
    /** Words of the texts; empty unless the message has changed. */
    hunks: Type.Array(Hunk),
  }),
)

export const PromptDiff = closed(
  {
    from: VersionNumber,
    to: VersionNumber,
    messages: MessageDiffs,
    /** Provider, model, response format, tools and each parameter, if they differ; null where there is none. */
    parameters: Type.Array(closed({ name: Type.String(), before: Type.Unknown(), after: Type.Unknown() })),
    variables: AddedAndRemoved,
    placeholders: AddedAndRemoved,
  },
  { title: 'PromptDiff' },
)

const Split = closed(
  {
    version: VersionNumber,
    weight: Type.Integer({ minimum: 0, maximum: 100, description: 'Percent; the weights sum to 100' }),
  },
  { title: 'PromptSplit' },
)
const splits = Type.Array(Split)
export const MinRole = Type.Enum(['editor', 'admin'], { type: 'string', description: 'The role that moves the label' })
const Protection = closed(
  {
    minRole: MinRole,
    /** The verdict that a version needs before the label gives it more weight; null if none. */
    gate: nullable(LabelGate),
  },
  { title: 'PromptLabelProtection' },
)

export const PromptLabel = closed(
  {
    name: LabelName,
    /** The number of its last change; 0 before the first. */
    change: Count,
    /** The number of the change at which its set of versions began. */
    seed: Count,
    /** Empty if it serves nothing. */
    splits,
    protection: Protection,
    changedBy: Id,
    changedAt: Timestamp,
  },
  { title: 'PromptLabel' },
)

export const LabelParams = closed({ componentId: Id, promptId: Id, label: LabelName })
const IfChange = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Rejects the change with 409 unless this is the number of the last one' }),
)
export const MoveLabelBody = closed({
  splits: Type.Array(Split, { minItems: 1, maxItems: SPLITS_MAX }),
  note: Note,
  ifChange: IfChange,
  evidence: Type.Optional(GivenEvidence),
})
export const RollBackBody = closed({ note: Note, ifChange: IfChange })

const LabelState = closed({ seed: Count, splits })
const PromptLabelChange = closed(
  {
    change: Count,
    kind: Type.Enum(['moved', 'rolledBack', 'deleted'], { type: 'string' }),
    /** Of a rollback: the change that it undoes. */
    undoes: NullableInteger,
    before: nullable(LabelState),
    after: nullable(LabelState),
    note: NullableString,
    /** The verdicts that it rests on, one for each version that got more weight; empty if it needed none. */
    evidence: Type.Array(Evidence),
    changedBy: Id,
    changedAt: Timestamp,
  },
  { title: 'PromptLabelChange' },
)
export const PromptLabelChangePage = closed({ data: Type.Array(PromptLabelChange), nextCursor: NullableString })

export const LiveQueryTimes = {
  from: queryTime('absolute', 'The beginning of the period; by default 30 days before its end'),
  to: queryTime('absolute', 'The end of the period; by default now'),
}
const PromptLivePeriod = closed(
  {
    label: LabelName,
    change: Count,
    splits,
    since: Timestamp,
    /** Null if it is served now. */
    until: NullableTimestamp,
    evidence: Type.Array(Evidence),
    changedBy: Id,
  },
  { title: 'PromptLivePeriod' },
)
export const PromptLivePage = closed({ data: Type.Array(PromptLivePeriod), nextCursor: NullableString })

export const ServedPromptParams = closed({ componentId: Id, name: PromptName })
export const ServedPromptQuery = closed({
  label: Type.Optional(
    Type.String({ maxLength: 64, valueSchema: { type: 'string', maxLength: 64, default: 'production' } }),
  ),
})
export const ServedPrompt = closed(
  {
    name: Type.String(),
    label: LabelName,
    promptId: Id,
    change: Count,
    seed: Count,
    splits: Type.Array(closed({ weight: Count, version: PromptVersion })),
  },
  { title: 'ServedPrompt' },
)
