/** Section E of the list of bad input: bodies in general, on every POST of the specification. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { type Chain, type Operation, POSTS, pathOf, sharedChain, titled } from '../conformance/operations.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'

const MIB = 1_048_576
const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Strings that look dangerous and are only text. */
const LEGAL_TEXTS = [
  '\uffff',
  '😀',
  '\u202eevil',
  'e\u0301\u0323',
  '𐍈',
  '\u0001\u001f\u007f',
  '\u2028',
  '"\\/',
  '٣',
  '\ufeff',
]

describeEachEngine(
  'E. Bodies in general',
  (app) => {
    describe.each(titled(POSTS))('$title', ({ operation }) => {
      async function seed() {
        const { client, key, ids } = await sharedChain(app())
        const path = pathOf(operation, ids)
        const text = JSON.stringify(operation.body?.(ids))
        return { client, key, ids, path, text, before: await made(client, operation, ids) }
      }

      it('64: no body and no content-type is 400', async () => {
        const { client, path, ids, before } = await seed()
        expectError(await client.send('POST', path), 400, /request body is required/i)
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('65: an empty body with a JSON content-type is 400', async () => {
        const { key, client, path, ids, before } = await seed()
        const headers = ['Host: localhost', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
        const empty = rawRequest(`POST /api/v1${path}`, [...headers, 'Content-Length: 0'])
        expectError(await sendRaw(app().url, empty), 400, /request body is required/i)
        const chunked = rawRequest(`POST /api/v1${path}`, [...headers, 'Transfer-Encoding: chunked'], '0\r\n\r\n')
        expectError(await sendRaw(app().url, chunked), 400, /request body is required/i)
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('66: invalid JSON is 400', async () => {
        const { client, path, ids, before } = await seed()
        const broken = [
          '{"name":',
          "{'name':1}",
          '{"name":"a",}',
          'NaN',
          'undefined',
          '{"a":1}{"b":2}',
          '{"a":01}',
          '/**/{}',
        ]
        for (const text of [...broken, '{"a":"\n"}', '{"a":"\\x"}', ' ', '\u00a0{}', '{"a":tru}', '{a:1}'])
          expectError(await client.post(path, text), 400, /not valid JSON/)
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('67: JSON that is no object is 400', async () => {
        const { client, path, ids, before } = await seed()
        for (const text of ['[]', 'null', '"x"', '42', 'true', '[{"name":"a"}]'])
          expectError(await client.post(path, text), 400)
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('68: an unknown field is 400 and is named', async () => {
        const { client, path, text, ids, before } = await seed()
        for (const field of [
          'surplus',
          'id',
          'createdAt',
          'workspaceId',
          'toString',
          'constructor',
          'hasOwnProperty',
          '',
        ])
          expectError(await client.post(path, { ...JSON.parse(text), [field]: 'x' }), 400, new RegExp(field))
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('69, 71, 74: another media type, charset or encoding is 415', async () => {
        const { client, path, text, ids, before } = await seed()
        const types = [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'text/json',
        ]
        const nearly = [
          'application/jsonx',
          'application/vnd.api+json',
          'application/json5',
          'application',
          'json',
          '*/*',
        ]
        const charsets = ['application/json; charset=utf-16', 'application/json; charset=iso-8859-1']
        for (const type of [...types, ...nearly, ...charsets])
          expectError(await client.post(path, text, { 'content-type': type }), 415)
        for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'x-unknown', 'gzip, identity'])
          expectError(await client.post(path, text, { 'content-encoding': encoding }), 415)
        expectError(await client.post(path, gzipSync(text), { 'content-encoding': 'gzip' }), 415)
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('69: a body without any content-type is 415', async () => {
        const { key, client, path, text, ids, before } = await seed()
        const headers = ['Host: localhost', `Authorization: Bearer ${key}`, `Content-Length: ${text.length}`]
        expectError(await sendRaw(app().url, rawRequest(`POST /api/v1${path}`, headers, text)), 415)
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it.each([
        'application/json; charset=UTF-8',
        'application/json;',
        'APPLICATION/JSON',
        'application/json;charset="utf-8"',
      ])('70: %s is JSON', async (type) => {
        const { client, path, text } = await seed()
        expect((await client.post(path, text, { 'content-type': type })).status).toBe(operation.status)
      })

      it('72: bytes that are no UTF-8 are 400', async () => {
        const { client, path, text, ids, before } = await seed()
        const [start = '', end = ''] = [text.slice(0, -1), text.slice(-1)]
        for (const bytes of [
          [0xff],
          [0xc3, 0x28],
          [0xed, 0xa0, 0x80],
          [0xc0, 0xaf],
          [0xf5, 0x80, 0x80, 0x80],
          [0xe2, 0x82],
        ]) {
          const body = Buffer.concat([Buffer.from(`${start},"x":"`), Buffer.from(bytes), Buffer.from(`"${end}`)])
          expectError(await client.post(path, body), 400, /UTF-8/)
        }
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('73: a byte order mark before the JSON is ignored', async () => {
        const { client, path, text } = await seed()
        expect((await client.post(path, Buffer.concat([BOM, Buffer.from(text)]))).status).toBe(operation.status)
      })

      it('75: a body of one byte more than a MiB is 413, announced or in chunks', async () => {
        const { client, key, path, text, ids, before } = await seed()
        const large = `${text}${' '.repeat(MIB + 1 - text.length)}`
        expectError(await client.post(path, large), 413)
        const headers = ['Host: localhost', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
        const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`
        const chunked = rawRequest(`POST /api/v1${path}`, [...headers, 'Transfer-Encoding: chunked'], chunk)
        expectError(await sendRaw(app().url, chunked), 413)
        expect(await made(client, operation, ids)).toEqual(before)
        expect((await client.post(path, large.slice(0, MIB))).status).toBe(operation.status)
      })

      it('76: a nesting of 65, 1,000 or 200,000 levels is 400', async () => {
        const { client, path, text, ids, before } = await seed()
        for (const depth of [65, 1_000, 200_000])
          expectError(await client.post(path, `${'['.repeat(depth)}${']'.repeat(depth)}`), 400, /nested too deeply/)
        for (const depth of [65, 1_000, 150_000]) {
          const inner = `${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}`
          expectError(await client.post(path, `${text.slice(0, -1)},"x":${inner}}`), 400, /nested too deeply/)
        }
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('77: the key __proto__ is 400 at any depth, and no prototype changes', async () => {
        const { client, path, text, ids, before } = await seed()
        const start = text.slice(0, -1)
        for (const part of [
          '"__proto__":{"x":1}',
          '"\\u005f_proto__":{"x":1}',
          '"config":{"a":[{"__proto__":{"x":1}}]}',
        ])
          expectError(await client.post(path, `${start},${part}}`), 400, /forbidden key/)
        expect(Object({}).x).toBeUndefined()
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('79: of a repeated key the last one counts', async () => {
        const { client, path, text } = await seed()
        const field = operation.template.endsWith('annotations') ? 'comment' : 'name'
        const body = `{"${field}":"first",${text.slice(1, -1)},"${field}":"last"}`
        const { status } = await client.post(path, body)
        expect(status).toBe(operation.status)
        const [newest] = await client.list(path)
        expect(newest?.[field]).toBe('last')
      })

      it('80, 81: U+0000 and half a surrogate pair are 400 in every string, in names of fields too', async () => {
        const { client, path, text, ids, before } = await seed()
        const field = operation.template.endsWith('annotations') ? 'comment' : 'name'
        const start = text.slice(0, -1)
        for (const bad of ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00', '\\ud800x', '\\udc00\\ud800']) {
          expectError(await client.post(path, `${start},"${field}":"${bad}"}`), 400, /cannot be stored/)
          expectError(await client.post(path, `${start},"${bad}":1}`), 400, /cannot be stored/)
        }
        expect(await made(client, operation, ids)).toEqual(before)
      })

      it('82: every other character is stored unchanged', async () => {
        const { client, path, text } = await seed()
        const field = operation.template.endsWith('annotations') ? 'comment' : 'name'
        for (const value of LEGAL_TEXTS) {
          const { status } = await client.post(path, { ...JSON.parse(text), [field]: value })
          expect(status).toBe(operation.status)
          const [newest] = await client.list(path)
          expect(newest?.[field]).toBe(value)
        }
      })

      it('84: a number outside the range of doubles is 400', async () => {
        const { client, path, text, ids, before } = await seed()
        for (const number of ['1e400', '-1e400', '9'.repeat(400)])
          expectError(await client.post(path, `${text.slice(0, -1)},"config":{"a":${number}}}`), 400)
        expect(await made(client, operation, ids)).toEqual(before)
      })
    })
  },
  { works: false },
)

/** What the operation makes, as it is listed. */
async function made(client: Client, operation: Operation, ids: Chain) {
  return client.list(pathOf(operation, ids))
}
