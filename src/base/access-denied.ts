import { AppError } from './errors.ts'
import type { Principal } from './principal.ts'

/**
 * An authenticated caller lacks the permission. `principal` is for the audit log; the caller receives only the
 * message.
 */
export class AccessDenied extends AppError {
  readonly principal: Principal

  constructor(status: 401 | 403, message: string, principal: Principal) {
    super(status, message, status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {})
    this.principal = principal
  }
}
