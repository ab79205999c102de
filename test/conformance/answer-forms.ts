/** The formats of every response, for all resources. */
import { expect } from 'vitest'

/** An id that we made: UUID version 7, lower case. */
export const NEW_ID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

/** RFC 3339 in UTC with milliseconds. */
export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

export const NIL_ID = '00000000-0000-0000-0000-000000000000'
export const MAX_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
export const ABSENT_ID = '01890a5d-ac96-774b-bcce-b302099a8057'

type SeenAnswer = { status: number; headers: Headers; text: string }

/** The status, `application/json`, and a body that is exactly `{"error": "<message>"}`. */
export function expectError(
  answer: SeenAnswer,
  status: number,
  message: string | RegExp = /^[\p{Lu}\d].*\p{L}/su,
): void {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json(; ?charset=utf-8)?$/)
  const error = typeof message === 'string' ? message : expect.stringMatching(message)
  expect(JSON.parse(answer.text)).toEqual({ error })
}

/** The answer to credentials that are missing or wrong, to the letter. */
export function expectUnauthorized(answer: SeenAnswer): void {
  expect(answer.status, answer.text).toBe(401)
  expect(answer.text).toBe('{"error":"Invalid or missing API key"}')
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
}
