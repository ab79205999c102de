import { AppError, codeOf } from './errors.ts'

/** An error in a form that can be sent to another thread: structured cloning loses properties of errors. */
export type Failure = { message: string; code: string; status: number | undefined; stack: string | undefined }

export function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { message, code: codeOf(error), status: error instanceof AppError ? error.status : undefined, stack }
}

export function errorOf({ message, code, status, stack }: Failure): Error {
  const error = status === undefined ? new Error(message) : new AppError(status, message)
  return Object.assign(error, { code }, stack === undefined ? {} : { stack })
}
