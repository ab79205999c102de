// The health check of the container: exits with 0 if the server is ready. The image has no shell and no curl.
const { PORT, PORT_FILE, TOUCHSTONE_TLS_CERT, TOUCHSTONE_TLS_CERT_FILE } = process.env
const { readFileSync } = await import('node:fs')
const port = PORT || (PORT_FILE && readFileSync(PORT_FILE, 'utf8').trim()) || '3000'
const isEncrypted = Boolean(TOUCHSTONE_TLS_CERT || TOUCHSTONE_TLS_CERT_FILE)
// The certificate is for the public name, and this request does not leave the machine.
if (isEncrypted) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const response = await fetch(`${isEncrypted ? 'https' : 'http'}://127.0.0.1:${port}/ready`).catch(() => undefined)
process.exitCode = response?.ok ? 0 : 1
