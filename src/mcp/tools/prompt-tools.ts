import { Type } from 'typebox'
import { badRequest } from '../../base/errors.ts'
import { closed } from '../../http/schemas.ts'
import { Component, Prompt } from '../named-arguments.ts'
import { longText, Ref, Stored, TextPart, type TextRange } from '../stored-text.ts'
import {
  type Call,
  defineTool,
  type Loaded,
  listIn,
  offsetCursor,
  offsetOf,
  offsetPage,
  paging,
  queryOf,
} from '../tool.ts'
import { Num } from './shared-fields.ts'

const PROMPTS = 'GET /components/:componentId/prompts'
const PROMPT = `${PROMPTS}/:promptId`
const VERSIONS = `${PROMPT}/versions`
const VERSION = `${VERSIONS}/:number`
const DIFF = `${PROMPT}/diff`
const LABELS = `${PROMPT}/labels`

const Labels = Type.Optional(
  Type.Array(
    closed({
      name: Stored,
      splits: Type.Optional(Type.Array(closed({ version: Num, weight: Num }))),
      protection: Type.Optional(closed({ minRole: Stored })),
      changedAt: Stored,
    }),
  ),
)

/** Each row needs a request for its labels. */
const PROMPTS_PER_CALL = 25

export const listPrompts = defineTool({
  name: 'list_prompts',
  title: 'List prompts',
  description:
    'Lists the prompts of a component, newest first, with their labels: which versions programs get for a label such as production, in percent. get_prompt returns versions and texts.',
  routes: [PROMPTS, LABELS],
  input: closed({ component: Component, limit: paging.limit, cursor: offsetCursor }),
  facts: {},
  row: closed({ id: Ref, name: Stored, description: Stored, createdAt: Stored, updatedAt: Stored, labels: Labels }),
  narrow: 'Use a lower limit, or continue with the cursor.',
  run: async (call, { component: componentId, limit, cursor }): Promise<Loaded> => {
    const page = { limit: Math.min(limit, PROMPTS_PER_CALL), offset: offsetOf(cursor) }
    const query = queryOf({ limit: page.limit + 1, offset: page.offset })
    const found = listIn(await call(PROMPTS, { params: { componentId }, query }))
    for (const prompt of found.slice(0, page.limit))
      prompt.labels = listIn(await call(LABELS, { params: { componentId, promptId: String(prompt.id) } }))
    return offsetPage(found, page)
  },
})

const VersionNumber = Type.Integer({ minimum: 1, maximum: 999_999_999 })
const Names = Type.Optional(Type.Array(Type.String()))
const NameChanges = Type.Optional(closed({ added: Names, removed: Names }))

const versionFields = {
  number: Num,
  note: Stored,
  labels: Names,
  variables: Names,
  placeholders: Names,
  createdAt: Stored,
}

const settingFields = {
  provider: Stored,
  model: Stored,
  parameters: TextPart,
  tools: TextPart,
  responseFormat: TextPart,
}

export const getPrompt = defineTool({
  name: 'get_prompt',
  title: 'Get a prompt',
  description:
    'Gets a prompt with its labels, and its versions as rows, newest first. With version: its settings, and its messages as rows. With version and compareTo: what differs from version compareTo, message by message.',
  routes: [PROMPT, LABELS, VERSIONS, VERSION, DIFF],
  input: closed({
    component: Component,
    prompt: Prompt,
    version: Type.Optional(VersionNumber),
    compareTo: Type.Optional(VersionNumber),
    message: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 199, description: 'With version: only the message with this index.' }),
    ),
    textOffset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 524_288,
        description: 'The nextOffset of a text of a version: settings, or with message its content, continue there.',
      }),
    ),
    ...paging,
  }),
  facts: {
    id: Ref,
    name: Stored,
    description: Stored,
    labels: Labels,
    version: Type.Optional(closed({ ...versionFields, ...settingFields })),
    diff: Type.Optional(
      closed({
        from: Num,
        to: Num,
        parameters: Type.Optional(Type.Array(closed({ name: Stored, before: Stored, after: Stored }))),
        variables: NameChanges,
        placeholders: NameChanges,
      }),
    ),
  },
  row: closed({
    ...versionFields,
    index: Num,
    role: Stored,
    content: TextPart,
    placeholder: Stored,
    change: Stored,
    from: Num,
    to: Num,
    text: Stored,
    hunks: Type.Optional(Type.Array(closed({ change: Stored, text: Stored }))),
  }),
  narrow:
    'Use a lower limit, or continue with the cursor. A text of a version with nextOffset continues: call get_prompt with version and textOffset, and with message for the content of a message.',
  run: async (call, { component: componentId, prompt: promptId, ...args }): Promise<Loaded> => {
    const { version: number, compareTo, message, textOffset } = args
    if (number === undefined && (compareTo ?? message ?? textOffset) !== undefined)
      throw badRequest('The fields compareTo, message and textOffset need version')
    const params = { componentId, promptId }
    if (number !== undefined && compareTo !== undefined)
      return readDiff(call, params, { ...args, from: compareTo, to: number })
    if (number !== undefined) return readVersion(call, params, { ...args, number })
    const prompt = await call(PROMPT, { params })
    const labels = listIn(await call(LABELS, { params }))
    const body = await call(VERSIONS, { params, query: queryOf({ limit: args.limit, cursor: args.cursor }) })
    return { facts: { ...prompt, labels }, rows: listIn(body), nextCursor: body.nextCursor }
  },
})

type Params = { componentId: string; promptId: string }
type Page = { limit: number; cursor?: string | undefined }
type VersionPart = Page & { number: number; message?: number | undefined; textOffset?: number | undefined }

const TEXT_MAX = 4_000
const ROW_TEXT_MAX = 2_000

async function readVersion(call: Call, params: Params, part: VersionPart): Promise<Loaded> {
  const { number, message, textOffset: offset = 0 } = part
  const version = await call(VERSION, { params: { ...params, number: String(number) } })
  const content = Object(version.content)
  const messages = listIn(content, 'messages').map((one, index) => ({ ...one, index }))
  const range = { offset, lengthMax: TEXT_MAX, isAlwaysShown: true }
  if (message !== undefined) {
    const found = messages[message]
    if (!found) throw badRequest(`Version ${number} has ${messages.length} messages; their index begins at 0`)
    return { rows: [withContent(found, range)] }
  }
  const facts = { version: { ...version, ...settingsOf(content, range) } }
  // The call before has returned everything else.
  if (offset > 0) return { facts }
  const rows = messages.map((one) => withContent(one, { ...range, lengthMax: ROW_TEXT_MAX }))
  return { facts, ...pageOf(rows, part) }
}

/** Objects of any form, as JSON. Empty ones are omitted. */
function settingsOf({ provider, model, ...objects }: Record<string, unknown>, range: TextRange) {
  const texts = ['parameters', 'tools', 'responseFormat'].map((name) => {
    const value = Object(objects[name])
    return [name, Object.keys(value).length === 0 ? undefined : longText(JSON.stringify(value), range)]
  })
  return { provider, model, ...Object.fromEntries(texts) }
}

function withContent(message: Record<string, unknown>, range: TextRange) {
  return { ...message, content: longText(message.content, range) }
}

async function readDiff(call: Call, params: Params, { from, to, ...page }: Page & { from: number; to: number }) {
  const { messages, parameters, ...diff } = await call(DIFF, { params, query: queryOf({ from, to }) })
  const changed = listIn({ parameters }, 'parameters').map(({ name, before, after }) => {
    return { name, before: JSON.stringify(before), after: JSON.stringify(after) }
  })
  const rows = listIn({ messages }, 'messages').filter(({ change }) => change !== 'same')
  return { facts: { diff: { ...diff, parameters: changed } }, ...pageOf(rows.map(diffRow), page) }
}

/** A message that has changed is in its hunks, one that was added or removed is a text. */
function diffRow({ before, after, ...row }: Record<string, unknown>) {
  const { role, content, placeholder } = Object(after ?? before)
  return { ...row, role, placeholder, text: row.change === 'changed' ? undefined : content }
}

function pageOf(rows: readonly unknown[], { limit, cursor }: Page): Loaded {
  // The list of versions has cursors of another form.
  if (cursor !== undefined && !/^[0-9]{1,9}$/.test(cursor))
    throw badRequest('The field cursor must be the nextCursor of a call with the same version')
  const offset = offsetOf(cursor)
  return offsetPage(rows.slice(offset), { limit, offset })
}
