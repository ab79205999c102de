import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  NameNotFoundError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from 'touchstone-sdk/client'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-code-values.ts'

/** The exit code of a command that threw this. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode
  if (error instanceof AuthenticationError || error instanceof PermissionError) return EXIT.authentication
  if (error instanceof NotFoundError || error instanceof NameNotFoundError) return EXIT.notFound
  if (error instanceof ValidationError) return EXIT.usage
  if (error instanceof ConnectionError || error instanceof ServerError || error instanceof RateLimitError) {
    return EXIT.unavailable
  }
  if (error instanceof ApiError) return EXIT.unexpected
  return error instanceof Error && error.name === 'AbortError' ? EXIT.interrupted : EXIT.unexpected
}
