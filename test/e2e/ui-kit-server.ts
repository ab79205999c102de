import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { PAGE_POLICY } from '../../src/http/file-response.ts'
import { buildUiKit } from '../../tools/build-ui-kit.ts'

const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The page of all parts, under the content security policy of the product. */
export async function startUiKit(): Promise<AsyncDisposable & { url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-ui-kit-'))
  await buildUiKit(folder)
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? '/', 'http://localhost').pathname
    const file = path === '/' ? '/ui-kit.html' : path
    res.setHeader('content-security-policy', PAGE_POLICY)
    res.setHeader('content-type', MEDIA_TYPES[extname(file)] ?? 'application/octet-stream')
    res.end(readFileSync(join(folder, file)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = Object(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true })
    },
  }
}
