/** What users do on the page of the playground, and what the server got. */
import { fireEvent, screen, within } from '@testing-library/dom'
import { expect } from 'vitest'
import type { PromptVersion } from '../../web/src/api/generated/api.ts'
import { onRequest, requestsOf } from './mock-api.ts'
import { eventually, openPage } from './open-page.ts'
import { PLAYGROUND_PAGE, TRY } from './playground-examples.ts'
import { ONE, versionOf } from './prompt-examples.ts'

export type User = ReturnType<typeof openPage>

export const runButton = () => screen.findByRole('button', { name: /^Run( all \d+)?$/ })

/** As soon as it can be pressed. */
export async function runAll(user: User): Promise<void> {
  await eventually(async () => expect((await runButton()).getAttribute('aria-disabled')).toBeNull())
  await user.click(await runButton())
}

export const fieldOf = (name: string, row = 1) => screen.findByRole('textbox', { name: `${name}, row ${row}` })

export async function typeValue(name: string, text: string, row = 1): Promise<void> {
  fireEvent.change(await fieldOf(name, row), { target: { value: text } })
}

/** The bodies of all tries, without those that were cancelled. */
export const sentTries = () => requestsOf(TRY).map(({ body }) => Object(body) as Record<string, unknown>)

/** The cell of a column and a row, from 1. */
export async function cellOf(column: number, row = 1) {
  const table = await screen.findByRole('table')
  const found = within(table).getAllByRole('row')[row]?.querySelectorAll('td')[column - 1]
  if (!found) throw new Error(`There is no cell ${column} in row ${row}`)
  return within(found)
}

/** With values for all variables of the examples. */
export async function openFilled(query = ''): Promise<User> {
  const user = openPage(`${PLAYGROUND_PAGE}${query}`)
  await typeValue('question', 'Where is my order?')
  await typeValue('company', 'Halden')
  return user
}

/** All versions have a tool and a schema. */
export function serveTools(): void {
  onRequest(`GET ${ONE}/versions/{number}`, ({ params }): PromptVersion => {
    const version = versionOf(Number(params['number']))
    const schema = { type: 'object', properties: { citations: { type: 'array' } }, required: ['citations'] }
    const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', schema } }
    const tools = [{ type: 'function', function: { name: 'order_lookup' } }]
    return { ...version, content: { ...version.content, tools, responseFormat } }
  })
}
