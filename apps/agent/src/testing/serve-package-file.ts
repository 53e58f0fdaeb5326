import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { TestServer } from './test-server.ts'

const TOKEN = 'a-token-of-this-test-server'

/** Serves a file like the server does. Returns the input of the command that installs it. */
export function servePackageFile(
  server: TestServer,
  path: string,
  more: Pick<CommandInput<'install-file'>, 'format'> & Partial<CommandInput<'install-file'>>,
): CommandInput<'install-file'> {
  const content = readFileSync(path)
  server.onRequest = (request, response) => {
    const isAllowed = request.headers.authorization === `Bearer ${TOKEN}`
    if (!isAllowed || !request.url?.startsWith('/agent/package-files/'))
      return void response.writeHead(404).end()
    response.writeHead(200, { 'content-length': content.length }).end(content)
  }
  return {
    name: basename(path),
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    token: TOKEN,
    args: '',
    detection: null,
    timeout_seconds: 60,
    output_cap_bytes: 100_000,
    ...more,
  }
}
