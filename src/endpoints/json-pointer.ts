/** JSON Pointer (RFC 6901): `/answer/0/text` is the field `text` of the first value of the list `answer`; the empty pointer is the whole document. */
import { badRequest } from '../base/errors.ts'
import { childOf } from './child-of.ts'

/** `missingAt` is the pointer to the value that lacks the next part, and `value` that value. */
export type Found = { isFound: true; value: unknown } | { isFound: false; missingAt: string; value: unknown }

/** Throws 400 if the pointer is invalid. */
export function findAt(document: unknown, pointer: string): Found {
  let value = document
  let at = ''
  for (const name of namesOf(pointer)) {
    const child = childOf(value, name)
    if (!child) return { isFound: false, missingAt: at, value }
    value = child.value
    at += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  return { isFound: true, value }
}

/** Throws 400 if it is not a JSON Pointer, so that a plan is rejected before its first call. */
export function assertPointer(pointer: string): void {
  namesOf(pointer)
}

function namesOf(pointer: string): string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) {
    throw badRequest(
      `${JSON.stringify(pointer)} is not a JSON Pointer: it must be empty or begin with /, such as /answer`,
    )
  }
  if (/~(?![01])/.test(pointer)) {
    throw badRequest(`${JSON.stringify(pointer)} is not a JSON Pointer: a ~ is written as ~0, and a / in a name as ~1`)
  }
  // ~1 first: ~01 is the name ~1.
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}
