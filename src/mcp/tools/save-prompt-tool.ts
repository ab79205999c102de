import { Type } from 'typebox'
import { AppError, badRequest } from '../../base/errors.ts'
import { closed } from '../../http/schemas.ts'
import { CreatePromptBody, SaveVersionBody } from '../../prompts/prompt-schemas.ts'
import { Component, Prompt } from '../named-arguments.ts'
import { Ref, Stored } from '../stored-text.ts'
import { type Call, defineTool, type Loaded, listIn } from '../tool.ts'
import { Bool, Num } from './shared-fields.ts'

const CREATE = 'POST /components/:componentId/prompts'
const SAVE = 'POST /components/:componentId/prompts/:promptId/versions'
const VERSIONS = 'GET /components/:componentId/prompts/:promptId/versions'
const VERSION = `${VERSIONS}/:number`

const { messages, ...settings } = SaveVersionBody.properties.content.properties
const CONTENT_FIELDS = ['messages', 'provider', 'model', 'parameters', 'tools', 'responseFormat'] as const
const Names = Type.Optional(Type.Array(Type.String()))

export const savePromptVersion = defineTool({
  name: 'save_prompt_version',
  title: 'Save a version of a prompt',
  description:
    'Saves a version of a prompt, or with name instead of prompt the first version of a new one. `{{variable}}` in texts and placeholders are all that a template has. With basedOn, fields that are not given are those of that version. The same content is saved once. Versions never change; programs get one only when a label points to it.',
  routes: [CREATE, VERSIONS, VERSION, SAVE],
  // Labels decide what programs get.
  effect: { isDestructive: true, isIdempotent: true },
  input: closed({
    component: Component,
    prompt: Type.Optional(Prompt),
    ...CreatePromptBody.properties,
    name: Type.Optional(CreatePromptBody.properties.name),
    basedOn: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'The number of a version.' })),
    messages: Type.Optional(messages),
    ...settings,
    note: SaveVersionBody.properties.note,
    labels: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 10,
        description:
          'Labels that serve this version, and no other, from now on. Programs use it within seconds: only when the user asked for it.',
      }),
    ),
  }),
  facts: {
    promptId: Ref,
    number: Num,
    isNew: Bool,
    hash: Ref,
    labels: Names,
    variables: Names,
    placeholders: Names,
    createdAt: Stored,
  },
  narrow: 'The version was saved; get_prompt returns it.',
  run: async (call, args): Promise<Loaded> => {
    const { component: componentId, prompt, name, description, basedOn, note, labels } = args
    const given = Object.fromEntries(
      CONTENT_FIELDS.flatMap((field) => (args[field] === undefined ? [] : [[field, args[field]]])),
    )
    if ((prompt === undefined) === (name === undefined)) throw badRequest('Either prompt or name is required')
    if (basedOn !== undefined && prompt === undefined) throw badRequest('The field basedOn needs prompt')
    if (description !== undefined && name === undefined) throw badRequest('The field description needs name')
    if (given.messages === undefined && basedOn === undefined)
      throw badRequest('Either messages or basedOn is required')
    const body = {
      content:
        basedOn === undefined
          ? given
          : await completed(call, { componentId, promptId: prompt ?? '' }, { basedOn, given }),
      ...(note === undefined ? {} : { note }),
      ...(labels === undefined ? {} : { labels }),
    }
    if (name === undefined) return { facts: await save(call, { componentId, promptId: prompt ?? '' }, body) }
    const created = await call(CREATE, {
      params: { componentId },
      body: { name, ...(description === undefined ? {} : { description }) },
    })
    return { facts: await saveFirst(call, { componentId, promptId: String(created.id) }, { name, body }) }
  },
})

type Params = { componentId: string; promptId: string }

/** What is given, and the rest of an earlier version. */
async function completed(call: Call, params: Params, { basedOn, given }: { basedOn: number; given: object }) {
  const { content } = await call(VERSION, { params: { ...params, number: String(basedOn) } })
  return { ...Object(content), ...given }
}

async function save(call: Call, params: Params, body: object) {
  const [newest] = listIn(await call(VERSIONS, { params, query: { limit: '1' } }))
  const saved = await call(SAVE, { params, body })
  return { ...saved, isNew: Number(saved.number) > Number(newest?.number ?? 0) }
}

/** Tools cannot delete, so a prompt whose version is rejected stays: the next call must name it. */
async function saveFirst(call: Call, params: Params, { name, body }: { name: string; body: object }) {
  try {
    return await save(call, params, body)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = error.message.replace(/\.$/, '')
    throw new AppError(
      error.status,
      `${message}. The prompt ${name} was created without a version: call again with prompt`,
    )
  }
}
