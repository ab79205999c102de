import { ComponentParams } from '../components/component-schemas.ts'
import { created, list, noContent, ok, type Route, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { createPrompt, deletePrompt, describePrompt, requirePromptOf } from './change-prompt.ts'
import { listPrompts } from './prompt-queries.ts'
import { ChangePromptBody, CreatePromptBody, Prompt, PromptParams } from './prompt-schemas.ts'

const tag = 'Prompts'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

export const promptRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/components/:componentId/prompts',
    access: reading,
    summary: 'List the prompts of a component, newest first',
    tag,
    params: ComponentParams,
    paged: true,
    responses: { 200: listOf(Prompt) },
    handle: async ({ db, principal, params, page }) =>
      list(await listPrompts(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
  }),
  route({
    method: 'POST',
    path: '/components/:componentId/prompts',
    access: editing,
    summary: 'Create a prompt without versions',
    tag,
    params: ComponentParams,
    body: CreatePromptBody,
    responses: { 201: Prompt },
    handle: async ({ principal, params, body, ...context }) =>
      created(await createPrompt(context, principal, { ...params, ...body })),
  }),
  route({
    method: 'GET',
    path: '/components/:componentId/prompts/:promptId',
    access: reading,
    summary: 'Get a prompt',
    tag,
    params: PromptParams,
    responses: { 200: Prompt },
    handle: async ({ db, principal, params }) => ok(await requirePromptOf(db.read, principal, params)),
  }),
  route({
    method: 'PATCH',
    path: '/components/:componentId/prompts/:promptId',
    access: editing,
    summary: 'Update the description of a prompt',
    tag,
    params: PromptParams,
    body: ChangePromptBody,
    responses: { 200: Prompt },
    handle: async ({ principal, params, body, ...context }) =>
      ok(await describePrompt(context, principal, { ...params, ...body })),
  }),
  route({
    method: 'DELETE',
    path: '/components/:componentId/prompts/:promptId',
    access: editing,
    summary: 'Delete a prompt with its versions and labels; a protected label requires its role',
    tag,
    params: PromptParams,
    responses: { 204: null },
    handle: async ({ principal, params, ...context }) => {
      await deletePrompt(context, principal, params)
      return noContent()
    },
  }),
]
