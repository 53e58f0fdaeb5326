import { expect, onTestFinished, test } from 'vitest'
import { openShell } from './open-shell.ts'
import { runOnServer } from '../../scripts/run-on-server.ts'
import { keepFilesPrivate } from '../../../platform/files/private-files.ts'

test('scripts and the web terminal get the umask that the server was started with', async () => {
  const before = process.umask(0o022)
  onTestFinished(() => void process.umask(before))
  keepFilesPrivate()
  expect(process.umask()).toBe(0o077)
  const call = { interpreter: 'shell', body: 'umask', args: [], env_vars: [], secrets: [] } as const
  const ended = await runOnServer(
    { ...call, timeoutSeconds: 20, mostOutput: 100 },
    new AbortController().signal,
  )
  expect(ended).toMatchObject({ stdout: '0022\n', stderr: '' })
  let shown = ''
  const { promise, resolve } = Promise.withResolvers<void>()
  const shell = await openShell(
    'umask-of-a-terminal',
    { cols: 80, rows: 24 },
    {
      onData: (bytes) => {
        shown += bytes.toString()
        if (/is=\d{4}/.test(shown)) resolve()
      },
      onExit: () => resolve(),
    },
  )
  shell.write(Buffer.from('echo is=$(umask)\n'), () => undefined)
  await promise
  await shell.end()
  expect(shown).toContain('is=0022')
  expect(process.umask()).toBe(0o077)
})
