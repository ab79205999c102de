import type { Operation, Schema } from './openapi-types.ts'

/** The endpoints of the authentication library that the interface calls. They are not part of openapi.json. */
export const authPaths: Record<string, Record<string, Operation>> = {
  '/api/auth/get-session': { get: operation({ response: { anyOf: [{ type: 'null' }, session()] } }) },
  '/api/auth/sign-in/email': { post: operation({ body: fields('email', 'password') }) },
  '/api/auth/sign-up/email': { post: operation({ body: fields('email', 'name', 'password') }) },
  '/api/auth/oidc/start': { post: operation({ body: optionalFields('next'), response: fields('url') }) },
  '/api/auth/request-password-reset': { post: operation({ body: fields('email') }) },
  '/api/auth/sign-out': { post: operation({ body: fields() }) },
  '/api/auth/change-password': { post: operation({ body: fields('currentPassword', 'newPassword') }) },
  '/api/auth/list-sessions': { get: operation({ response: sessionList() }) },
  '/api/auth/revoke-session': { post: operation({ body: fields('id') }) },
  '/api/auth/revoke-other-sessions': { post: operation({ body: fields() }) },
  '/api/auth/two-factor': { get: operation({ response: secondFactor() }) },
  '/api/auth/two-factor/enable': { post: operation({ body: fields('password'), response: secondFactorSetup() }) },
  '/api/auth/two-factor/confirm': { post: operation({ body: fields('code') }) },
  '/api/auth/two-factor/disable': { post: operation({ body: fields('password') }) },
  '/api/auth/two-factor/recovery-codes': { post: operation({ body: fields('password') }) },
  '/api/auth/two-factor/verify': { post: operation({ body: fields('challenge', 'code', 'trustDevice') }) },
  '/api/auth/device': {
    get: {
      ...operation({ response: deviceCode() }),
      parameters: [{ name: 'user_code', in: 'query', required: true, schema: { type: 'string' } }],
    },
  },
  '/api/auth/device/approve': { post: operation({ body: fields('userCode', 'workspaceId', 'role') }) },
  '/api/auth/device/deny': { post: operation({ body: fields('userCode') }) },
}

function operation({ body, response = {} }: { body?: Schema; response?: Schema }): Operation {
  const error = { content: json(fields('error')) }
  const responses = {
    200: { content: json(response) },
    400: error,
    401: error,
    403: error,
    409: error,
    429: error,
    503: error,
  }
  return body ? { requestBody: { content: json(body) }, responses } : { responses }
}

function session(): Schema {
  return { type: 'object', required: ['user'], properties: { user: fields('id', 'name', 'email') } }
}

function deviceCode(): Schema {
  const code = fields('user_code', 'status', 'key_name', 'expires_at')
  return { ...code, properties: { ...code.properties, address: { type: ['string', 'null'] } } }
}

function secondFactor(): Schema {
  const isTrue = { type: 'boolean' }
  const properties = { isEnabled: isTrue, recoveryCodesLeft: { type: 'integer' }, hasPassword: isTrue }
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
}

function secondFactorSetup(): Schema {
  const properties = { totpUri: { type: 'string' }, recoveryCodes: { type: 'array', items: { type: 'string' } } }
  return { type: 'object', required: ['totpUri', 'recoveryCodes'], properties, additionalProperties: false }
}

function sessionList(): Schema {
  const text = { type: ['string', 'null'] }
  const entry = fields('id', 'createdAt', 'lastUsedAt', 'expiresAt')
  const more = { ipAddress: text, userAgent: text, isCurrent: { type: 'boolean' } }
  const items = { ...entry, properties: { ...entry.properties, ...more } }
  return { type: 'object', required: ['data'], properties: { data: { type: 'array', items } } }
}

/** An object with exactly these texts. */
function fields(...names: string[]): Schema {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { type: 'object', required: names, properties, additionalProperties: false }
}

function optionalFields(...names: string[]): Schema {
  return { ...fields(...names), required: [] }
}

function json(schema: Schema) {
  return { 'application/json': { schema } }
}
