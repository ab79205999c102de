import { AppError } from './errors.ts'
import type { Principal } from './principal.ts'

/** A caller who is known, but may not do this. Carries who it was, for the audit log; the message is all that the caller gets. */
export class AccessDenied extends AppError {
  readonly principal: Principal

  constructor(status: 401 | 403, message: string, principal: Principal) {
    super(status, message, status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {})
    this.principal = principal
  }
}
