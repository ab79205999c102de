import { AppError, badRequest } from '../../base/errors.ts'
import { pathsIn } from '../../endpoints/body-template.ts'
import { findEndpoint, type OpenEndpoint } from '../../endpoints/find-endpoint.ts'
import { assertPointer } from '../../endpoints/json-pointer.ts'
import type { Sealer } from '../../secrets/sealed-secret.ts'
import type { Queries } from '../../storage/db.ts'
import { type GivenTarget, rejectOtherFields } from './given-target.ts'

/** The server calls a service of the user: an endpoint by its name, a template of the body, and a JSON Pointer to the output. */
export type HttpTarget = { type: 'http'; endpoint: string; body: unknown; output: string }

/** Of the template: it is stored with the variant and read with each page of its trial. */
const BODY_LENGTH_MAX = 65_536

export function readHttpTarget(given: GivenTarget, place: string): HttpTarget {
  const { endpoint, body, output = '' } = given
  if (endpoint === undefined || body === undefined)
    throw badRequest(
      `The field ${place}.target needs endpoint and body: a target of type http sends a body such as {"question": "{{input.question}}"} to an endpoint, by its name`,
    )
  rejectOtherFields(given, place)
  const { length } = JSON.stringify(body)
  if (length > BODY_LENGTH_MAX)
    throw badRequest(
      `The field ${place}.target.body has ${length.toLocaleString('en')} characters, and at most ${BODY_LENGTH_MAX.toLocaleString('en')} are allowed; move fixed content into the service`,
    )
  naming(`${place}.target.body`, () => pathsIn(body))
  naming(`${place}.target.output`, () => assertPointer(output))
  return { type: 'http', endpoint, body, output }
}

function naming(field: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (error instanceof AppError) throw badRequest(`The field ${field} is invalid: ${error.message}`)
    throw error
  }
}

/** Throws 400 if the endpoint does not exist, and 409 if its headers cannot be decrypted. */
export async function openEndpoint(
  q: Queries,
  secrets: Sealer,
  workspaceId: string,
  { endpoint: name }: HttpTarget,
): Promise<OpenEndpoint> {
  const endpoint = await findEndpoint(q, secrets, workspaceId, { column: 'name', value: name })
  if (endpoint) return endpoint
  throw badRequest(
    `There is no endpoint named ${JSON.stringify(name)}; use the name of one of the application (GET /endpoints), or let an admin create it under Settings, Endpoints`,
  )
}
