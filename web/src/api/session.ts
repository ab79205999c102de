/** What /api/auth answers with; it is the authentication library's surface and not part of the description. */
export type Session = { user: { id: string; name: string; email: string } }

export type DeviceCode = { user_code: string; status: string }
